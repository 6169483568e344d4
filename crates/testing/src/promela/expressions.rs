//! Random expressions. Each comes with the range of its values, which is used to avoid overflow, indices
//! outside of arrays and the like: behaviour that C leaves undefined can't be compared.

use super::generate::{Generator, Remote};
use super::scope::{Chan, Range, Type, Var};
use super::tree::{Expr, Place};

/// Larger values are reduced by a remainder.
const LARGE: i64 = 1_000_000;

impl Generator {
    /// Any expression.
    pub fn expr(&mut self, depth: usize) -> (Expr, Range) {
        if depth == 0 || self.rng.chance(45) {
            return self.leaf();
        }
        let (a, ra) = self.expr(depth - 1);
        let (expr, range) = match self.rng.below(12) {
            0..=4 => {
                let (b, rb) = self.expr(depth - 1);
                self.arithmetic(a, ra, b, rb)
            }
            5 => {
                let k = self.rng.between(1, 5);
                let range = Range::of(if ra.low < 0 { 1 - k } else { 0 }, k - 1);
                (Expr::Wrap("%", a.into(), k), range)
            }
            6 => {
                (Expr::Wrap("/", a.into(), self.rng.between(1, 3)), Range::of(ra.low.min(0), ra.high.max(0)))
            }
            7 => {
                let k = self.rng.between(0, 3);
                if ra.low >= 0 && self.rng.chance(50) {
                    (Expr::Wrap("<<", a.into(), k), Range::of(0, ra.high << k))
                } else {
                    (Expr::Wrap(">>", a.into(), k), Range::of(ra.low.min(0), ra.high.max(0)))
                }
            }
            8 => (Expr::Unary("~", a.into()), Range::of(-ra.high - 1, -ra.low - 1)),
            9 => (Expr::Unary("-", a.into()), Range::of(-ra.high, -ra.low)),
            10 => {
                let condition = self.condition(depth - 1);
                let (b, rb) = self.expr(depth - 1);
                (Expr::Conditional(condition.into(), a.into(), b.into()), ra.union(rb))
            }
            _ => (self.condition(depth - 1), Range::BOOLEAN),
        };
        if range.magnitude() > LARGE {
            (Expr::Wrap("%", expr.into(), 7), Range::of(-6, 6))
        } else {
            (expr, range)
        }
    }

    fn arithmetic(&mut self, a: Expr, ra: Range, b: Expr, rb: Range) -> (Expr, Range) {
        let bits = || {
            let high = (ra.magnitude().max(rb.magnitude()) as u64 + 1).next_power_of_two() as i64;
            Range::of(if ra.low < 0 || rb.low < 0 { -high } else { 0 }, high - 1)
        };
        let (operator, range) = match self.rng.below(8) {
            0..=2 => ("+", Range::of(ra.low + rb.low, ra.high + rb.high)),
            3 => ("-", Range::of(ra.low - rb.high, ra.high - rb.low)),
            4 if ra.magnitude() <= 1000 && rb.magnitude() <= 1000 => {
                let products = [ra.low * rb.low, ra.low * rb.high, ra.high * rb.low, ra.high * rb.high];
                let least = products.into_iter().min().unwrap_or(0);
                ("*", Range::of(least, products.into_iter().max().unwrap_or(0)))
            }
            5 => ("|", bits()),
            6 => ("^", bits()),
            _ => ("&", bits()),
        };
        (Expr::Binary(operator, a.into(), b.into()), range)
    }

    fn leaf(&mut self) -> (Expr, Range) {
        match self.rng.below(20) {
            0..=6 => self.literal(),
            7 => (Expr::Text("_pid".into()), Range::of(0, 20)),
            8 if self.features.count && self.rng.chance(40) => {
                (Expr::Text("_nr_pr".into()), Range::of(0, 20))
            }
            9 if self.features.last => (Expr::Text("_last".into()), Range::of(0, 20)),
            10 => match self.some_chan(false) {
                Some(chan) => {
                    let place = self.chan_place(&chan);
                    (Expr::Text(format!("len({place})")), Range::of(0, 4))
                }
                None => self.literal(),
            },
            11 if self.features.priorities => (Expr::Text("get_priority(_pid)".into()), Range::of(0, 255)),
            _ => match self.some_var(false) {
                Some(var) => (Expr::Place(self.var_place(&var)), var.range),
                None => self.literal(),
            },
        }
    }

    fn literal(&mut self) -> (Expr, Range) {
        const RARE: [i64; 8] = [-1, 255, 256, 300, -129, 32_768, 65_535, 9];
        let n = if self.rng.chance(12) { RARE[self.rng.below(RARE.len())] } else { self.rng.between(0, 3) };
        (Expr::Lit(n), Range::of(n, n))
    }

    /// True or false, where SPIN also accepts `full(c)` and the like: only as an operand of `&&` and `||`.
    pub fn boolean(&mut self, depth: usize) -> Expr {
        match self.rng.below(10) {
            0 | 1 => self.queue_test().unwrap_or_else(|| self.condition(depth)),
            3 => self.poll().unwrap_or_else(|| self.condition(depth)),
            2 if depth > 0 => {
                let operator = if self.rng.chance(50) { "&&" } else { "||" };
                let (a, b) = (self.boolean(depth - 1), self.boolean(depth - 1));
                Expr::Binary(operator, a.into(), b.into())
            }
            _ => self.condition(depth),
        }
    }

    /// True or false.
    pub fn condition(&mut self, depth: usize) -> Expr {
        if self.rng.chance(25)
            && self.features.remote
            && let Some(remote) = self.remote()
        {
            return remote;
        }
        match self.rng.below(20) {
            0 => Expr::Unary("!", self.condition(depth.saturating_sub(1)).into()),
            1 | 2 if depth > 0 => {
                let operator = if self.rng.chance(50) { "&&" } else { "||" };
                let (a, b) = (self.condition(depth - 1), self.condition(depth - 1));
                Expr::Binary(operator, a.into(), b.into())
            }
            // By itself next to an operator, SPIN's code for it lacks parentheses.
            3 | 4 => match self.poll() {
                Some(poll) => Expr::Text(format!("({poll} -> 1 : 0)")),
                None => self.comparison(depth),
            },
            5 => match self.some_var(false) {
                Some(var) => Expr::Place(self.var_place(&var)),
                None => Expr::Lit(1),
            },
            _ => self.comparison(depth),
        }
    }

    pub fn comparison(&mut self, depth: usize) -> Expr {
        const OPERATORS: [&str; 9] = ["==", "==", "!=", "!=", "<", "<=", "<", ">", ">="];
        let operator = OPERATORS[self.rng.below(OPERATORS.len())];
        let Some(var) = self.some_var(false) else { return Expr::Lit(1) };
        let left = Expr::Place(self.var_place(&var));
        let right = match var.ty {
            ty if ty.is_symbolic() => self.symbol(ty),
            _ if self.rng.chance(75) => Expr::Lit(self.rng.between(0, 3)),
            _ => self.expr(depth.min(1)).0,
        };
        Expr::Binary(operator, left.into(), right.into())
    }

    fn queue_test(&mut self) -> Option<Expr> {
        let chan = self.some_chan(true)?;
        let place = self.chan_place(&chan);
        let test = ["full", "empty", "nfull", "nempty"][self.rng.below(4)];
        Some(Expr::Text(format!("{test}({place})")))
    }

    /// `c?[1]` or `c??[1]`
    fn poll(&mut self) -> Option<Expr> {
        let chan = self.some_chan(true)?;
        let place = self.chan_place(&chan);
        let values = self.patterns(&chan);
        let operator = if self.rng.chance(50) { "?" } else { "??" };
        Some(Expr::Text(format!("{place}{operator}[{values}]")))
    }

    /// The values of a poll: fields to match, or variables that match anything.
    fn patterns(&mut self, chan: &Chan) -> String {
        let fields = chan.fields.clone();
        let values: Vec<String> = fields.iter().map(|&ty| self.pattern(ty).to_string()).collect();
        values.join(", ")
    }

    /// One value to match in a receive.
    pub fn pattern(&mut self, ty: Option<Type>) -> Expr {
        match ty {
            Some(ty) if ty.is_symbolic() && self.rng.chance(50) => self.symbol(ty),
            Some(ty) if ty.is_symbolic() => Expr::Text("_".into()),
            Some(_) if self.rng.chance(15) => match self.some_var(false) {
                Some(var) => Expr::Text(format!("eval({})", self.var_place(&var))),
                None => Expr::Lit(1),
            },
            Some(_) if self.rng.chance(25) => Expr::Lit(self.rng.between(0, 2)),
            _ => Expr::Text("_".into()),
        }
    }

    /// A label or a variable of another process, whose number is known.
    pub fn remote(&mut self) -> Option<Expr> {
        let label = self.rng.chance(50);
        let targets: Vec<&Remote> = self.remotes.iter().filter(|remote| remote.label == label).collect();
        let target = (*self.rng.choose(&targets)?).clone();
        let Remote { proc, pid, name, label } = target;
        if label {
            return Some(Expr::Text(format!("{proc}[{pid}]@{name}")));
        }
        let value = Expr::Text(format!("{proc}[{pid}]:{name}"));
        Some(Expr::Binary("==", value.into(), Expr::Lit(self.rng.between(0, 2)).into()))
    }

    /// A value for a place or a message field of this type: bounded, and in loops one of few.
    pub fn value(&mut self, ty: Type, in_loop: bool) -> Expr {
        if ty.is_symbolic() {
            return self.symbol(ty);
        }
        let (expr, range) = self.expr(2);
        let few = range.magnitude() <= 4 || ty.is_small();
        if in_loop && !few {
            return Expr::Wrap("%", expr.into(), self.rng.between(2, 3));
        }
        if ty == Type::Int && !range.within(ty.range()) {
            return Expr::Wrap("%", expr.into(), 5);
        }
        expr
    }

    fn symbol(&mut self, ty: Type) -> Expr {
        Expr::Text(self.rng.choose(ty.names()).copied().unwrap_or("0").into())
    }

    pub fn some_var(&mut self, writable: bool) -> Option<Var> {
        let vars: Vec<&Var> = self.scope.vars.iter().filter(|var| var.writable || !writable).collect();
        self.rng.choose(&vars).map(|&var| var.clone())
    }

    /// The variable, or one of its elements.
    pub fn var_place(&mut self, var: &Var) -> Place {
        let index = var.length.map(|length| self.index(length));
        var.place(index)
    }

    /// A channel of values; one with a buffer, if asked for.
    pub fn some_chan(&mut self, buffered: bool) -> Option<Chan> {
        let chans: Vec<&Chan> = self.scope.chans.iter().filter(|chan| chan.buffered || !buffered).collect();
        self.rng.choose(&chans).map(|&chan| chan.clone())
    }

    pub fn chan_place(&mut self, chan: &Chan) -> Place {
        let index = chan.length.map(|length| Box::new(self.index(length)));
        Place { name: chan.name.clone(), index, field: None }
    }

    /// An index below `length`.
    fn index(&mut self, length: i64) -> Expr {
        let fits = |var: &&Var| var.length.is_none() && var.range.within(Range::of(0, length - 1));
        let small: Vec<Var> = self.scope.vars.iter().filter(fits).cloned().collect();
        let natural = |var: &&Var| var.length.is_none() && var.range.low >= 0;
        let others: Vec<Var> = self.scope.vars.iter().filter(natural).cloned().collect();
        match self.rng.below(4) {
            0 => match self.rng.choose(&small) {
                Some(var) => Expr::Place(var.place(None)),
                None => Expr::Lit(0),
            },
            1 => match self.rng.choose(&others) {
                Some(var) => Expr::Wrap("%", Expr::Place(var.place(None)).into(), length),
                None => Expr::Lit(length - 1),
            },
            _ => Expr::Lit(self.rng.between(0, length - 1)),
        }
    }
}
