//! Expressions.
//!
//! SPIN computes in C's `int`s. IR integers are wider, so a result is wrapped to 32 bits unless the ranges of
//! the operands show that it fits.

use ir::{BinaryOp, Const, Expr, ExprKind, Place, PlaceKind, UnaryOp};
use source::{Diagnostic, Span, similar};

use super::{Lowering, WORD};
use crate::ast::{self, Name, Probe};
use crate::codes;
use crate::elements::Destination;
use crate::tree::{Arg, Ex, ExKind, Ref};
use crate::typing::Kind;

/// A number and its range.
pub struct Value {
    pub expr: Expr,
    pub lo: i64,
    pub hi: i64,
}

impl Lowering<'_, '_> {
    pub(super) fn number(&mut self, ex: &Ex) -> Expr {
        self.value(ex).expr
    }

    fn constant(&mut self, value: i64, span: Span) -> Value {
        let expr = self.natural(ExprKind::Const(Const::Int(value)), span);
        Value { expr, lo: value, hi: value }
    }

    pub(super) fn truth(&mut self, value: bool, span: Span) -> Expr {
        let ty = self.boolean();
        Expr { kind: ExprKind::Const(Const::Bool(value)), ty, span }
    }

    fn sized(&mut self, kind: ExprKind, lo: i64, hi: i64, span: Span) -> Value {
        Value { expr: self.natural(kind, span), lo, hi }
    }

    /// The value of an expression as a number.
    pub(super) fn value(&mut self, ex: &Ex) -> Value {
        let span = ex.span;
        match &ex.kind {
            ExKind::Int(value) => self.constant(i64::from(*value), span),
            ExKind::Var(place) => self.variable(place),
            ExKind::Pid => self.sized(ExprKind::ThreadNumber, 0, 255, span),
            ExKind::Count => self.sized(ExprKind::ThreadCount, 0, 255, span),
            ExKind::Last => self.sized(ExprKind::LastThread, 0, 255, span),
            ExKind::Priority => {
                let own = self.natural(ExprKind::ThreadNumber, span);
                self.sized(ExprKind::ThreadPriority(Box::new(own)), 0, 255, span)
            }
            ExKind::Unary(ast::UnaryOp::Negate, a) => {
                let a = self.value(a);
                let (lo, hi) = (-a.hi, -a.lo);
                let value = self.sized(ExprKind::Unary(UnaryOp::Neg, Box::new(a.expr)), lo, hi, span);
                self.wrapped(value)
            }
            // -a - 1
            ExKind::Unary(ast::UnaryOp::Complement, a) => {
                let a = self.value(a);
                let (lo, hi) = (-1 - a.hi, -1 - a.lo);
                let minus_one = self.constant(-1, span);
                let kind = ExprKind::Binary(BinaryOp::Sub, Box::new(minus_one.expr), Box::new(a.expr));
                self.sized(kind, lo, hi, span)
            }
            ExKind::Binary(op, a, b) => match arithmetic(*op) {
                Some(op) => self.arithmetic(op, a, b, span),
                None => self.truth_value(ex),
            },
            ExKind::Cond(parts) => {
                let [condition, yes, no] = &**parts;
                let condition = self.condition(condition);
                if self.builder.kind_of(ex) != Kind::Number {
                    let (yes, no) = self.pair(yes, no);
                    let kind = ExprKind::Cond(Box::new(condition), Box::new(yes), Box::new(no));
                    return self.sized(kind, 0, i64::from(i32::MAX), span);
                }
                let (yes, no) = (self.value(yes), self.value(no));
                let (lo, hi) = (yes.lo.min(no.lo), yes.hi.max(no.hi));
                let kind = ExprKind::Cond(Box::new(condition), Box::new(yes.expr), Box::new(no.expr));
                self.sized(kind, lo, hi, span)
            }
            // As in SPIN's verifiers, the position of the message.
            ExKind::Poll { channel, random, args } => self.message_position(channel, *random, args, span),
            ExKind::Len(channel) => {
                let channel = self.number(channel);
                self.sized(ExprKind::ChannelLength(Box::new(channel)), 0, 255, span)
            }
            ExKind::PcValue(a) => {
                let a = self.number(a);
                self.sized(ExprKind::ThreadLocation(Box::new(a)), 0, i64::from(i32::MAX), span)
            }
            ExKind::GetPriority(a) => {
                let a = self.number(a);
                self.sized(ExprKind::ThreadPriority(Box::new(a)), 0, 255, span)
            }
            ExKind::RemoteVar { process, pid, variable, index } => {
                self.remote_variable(process, pid.as_deref(), variable, index.as_deref(), span)
            }
            ExKind::Dynamic(ex) => self.dynamic_value(ex, span),
            ExKind::Run(_) => {
                // The places where a process can be started are checked before.
                self.constant(0, span)
            }
            ExKind::Unary(ast::UnaryOp::Not, _)
            | ExKind::Probe(..)
            | ExKind::Enabled(_)
            | ExKind::Timeout
            | ExKind::Nonprogress
            | ExKind::RemoteLabel { .. } => self.truth_value(ex),
        }
    }

    /// A condition as a number.
    fn truth_value(&mut self, ex: &Ex) -> Value {
        let condition = self.condition(ex);
        self.sized(ExprKind::Number(Box::new(condition)), 0, 1, ex.span)
    }

    fn wrapped(&mut self, value: Value) -> Value {
        if WORD.lo <= value.lo && value.hi <= WORD.hi {
            return value;
        }
        let (ty, span) = (self.int(WORD), value.expr.span);
        Value {
            expr: Expr { kind: ExprKind::Wrap(Box::new(value.expr)), ty, span },
            lo: WORD.lo,
            hi: WORD.hi,
        }
    }

    fn arithmetic(&mut self, op: BinaryOp, a: &Ex, b: &Ex, span: Span) -> Value {
        let (a, mut b) = (self.value(a), self.value(b));
        if op.is_shift() && (b.lo < 0 || b.hi > 31) {
            // The machine takes the low bits of the distance.
            let mask = self.constant(31, span);
            let kind = ExprKind::Binary(BinaryOp::BitAnd, Box::new(b.expr), Box::new(mask.expr));
            b = self.sized(kind, 0, 31, span);
        }
        let (lo, hi) = range(op, (a.lo, a.hi), (b.lo, b.hi));
        let value = self.sized(ExprKind::Binary(op, Box::new(a.expr), Box::new(b.expr)), lo, hi, span);
        self.wrapped(value)
    }

    /// An expression as a condition.
    pub(super) fn condition(&mut self, ex: &Ex) -> Expr {
        let span = ex.span;
        match &ex.kind {
            ExKind::Int(value) => self.truth(*value != 0, span),
            ExKind::Unary(ast::UnaryOp::Not, a) => {
                let a = self.condition(a);
                self.not(a)
            }
            ExKind::Binary(op, a, b) => {
                let logical = match op {
                    ast::BinaryOp::And => Some(BinaryOp::And),
                    ast::BinaryOp::Or => Some(BinaryOp::Or),
                    _ => None,
                };
                if let Some(op) = logical {
                    let (a, b) = (self.condition(a), self.condition(b));
                    return self.natural(ExprKind::Binary(op, Box::new(a), Box::new(b)), span);
                }
                match comparison(*op) {
                    Some(op) => {
                        let (a, b) = self.pair(a, b);
                        self.natural(ExprKind::Binary(op, Box::new(a), Box::new(b)), span)
                    }
                    None => self.nonzero(ex),
                }
            }
            ExKind::Probe(probe, channel) => {
                let channel = Box::new(self.number(channel));
                match probe {
                    Probe::Full => self.natural(ExprKind::ChannelFull(channel), span),
                    Probe::Nfull => {
                        let full = self.natural(ExprKind::ChannelFull(channel), span);
                        self.not(full)
                    }
                    Probe::Empty | Probe::Nempty => {
                        let op = if *probe == Probe::Empty { BinaryOp::Eq } else { BinaryOp::Gt };
                        let len = self.natural(ExprKind::ChannelLength(channel), span);
                        let zero = self.constant(0, span).expr;
                        self.natural(ExprKind::Binary(op, Box::new(len), Box::new(zero)), span)
                    }
                }
            }
            ExKind::Enabled(a) => {
                let a = self.number(a);
                self.natural(ExprKind::ThreadEnabled(Box::new(a)), span)
            }
            ExKind::Timeout => self.natural(ExprKind::Timeout, span),
            ExKind::Nonprogress => self.program.non_progress(span),
            ExKind::RemoteLabel { process, pid, label } => {
                self.remote_label(process, pid.as_deref(), label, span)
            }
            _ => self.nonzero(ex),
        }
    }

    fn nonzero(&mut self, ex: &Ex) -> Expr {
        let value = self.number(ex);
        let zero = self.constant(0, ex.span).expr;
        self.natural(ExprKind::Binary(BinaryOp::Ne, Box::new(value), Box::new(zero)), ex.span)
    }

    pub(super) fn not(&mut self, expr: Expr) -> Expr {
        let span = expr.span;
        self.natural(ExprKind::Unary(UnaryOp::Not, Box::new(expr)), span)
    }

    /// Whether a channel has a message that a pattern fits.
    pub(super) fn has_message(&mut self, channel: &Ex, random: bool, args: &[Arg], span: Span) -> Expr {
        let position = self.message_position(channel, random, args, span).expr;
        let zero = self.constant(0, span).expr;
        self.natural(ExprKind::Binary(BinaryOp::Ne, Box::new(position), Box::new(zero)), span)
    }

    /// The position, from 1, of the first message of a channel that fits a pattern; 0 if there is none.
    fn message_position(&mut self, channel: &Ex, random: bool, args: &[Arg], span: Span) -> Value {
        let anywhere = random && args.iter().any(|arg| matches!(arg, Arg::Match(_)));
        let mut pattern = Vec::new();
        let kinds = self.field_kinds(channel, args.len());
        for (arg, kind) in args.iter().zip(kinds) {
            pattern.push(match arg {
                Arg::Match(value) => Some(self.of_kind(value, kind)),
                Arg::Store(_) | Arg::StoreThrough(_) | Arg::Any => None,
            });
        }
        let channel = Box::new(self.number(channel));
        self.sized(ExprKind::ChannelHas { channel, anywhere, pattern }, 0, 65_535, span)
    }

    // Variables.

    fn indices(&mut self, place: &Ref) -> Vec<Expr> {
        let dims = self.builder.symbols[place.symbol.index()].leaves[place.leaf].dims.len();
        let mut indices: Vec<_> = place.indices.iter().map(|index| self.number(index)).collect();
        while indices.len() < dims {
            indices.push(self.constant(0, place.span).expr);
        }
        indices
    }

    fn variable(&mut self, place: &Ref) -> Value {
        let symbol = &self.builder.symbols[place.symbol.index()];
        let range = symbol.range(&symbol.leaves[place.leaf]);
        if let Some(spot) = self.boxed_spot(place) {
            let scalar = self.builder.scalar_of(place);
            return self.value_at(spot, scalar, place.span);
        }
        let slot = self.slot(place.symbol, place.leaf);
        let indices = self.indices(place);
        let kind = if indices.is_empty() { slot.expr() } else { ExprKind::Element(slot.array(), indices) };
        self.sized(kind, range.lo, range.hi, place.span)
    }

    pub(super) fn place(&mut self, place: &Ref) -> Place {
        let symbol = &self.builder.symbols[place.symbol.index()];
        let range = symbol.range(&symbol.leaves[place.leaf]);
        if let Some(spot) = self.boxed_spot(place) {
            let scalar = self.builder.scalar_of(place);
            return self.place_at(spot, scalar, place.span);
        }
        let slot = self.slot(place.symbol, place.leaf);
        let indices = self.indices(place);
        let ty = self.scalar_type(self.builder.scalar_of(place), range);
        let kind = if indices.is_empty() { slot.place() } else { PlaceKind::Element(slot.array(), indices) };
        Place { kind, ty, span: place.span }
    }

    // Other processes.

    fn remote_thread(&mut self, process: &Name, pid: Option<&Ex>, span: Span) -> Option<(usize, Box<Expr>)> {
        let at = self.builder.processes.iter().position(|known| known.name == process.text);
        let Some((at, id)) = at.and_then(|at| Some((at, self.procedures[at]?))) else {
            self.builder.no_process(process);
            return None;
        };
        let thread = match pid {
            Some(pid) => self.number(pid),
            None => self.natural(ExprKind::FirstThread(id), span),
        };
        Some((at, Box::new(thread)))
    }

    fn remote_label(&mut self, process: &Name, pid: Option<&Ex>, label: &Name, span: Span) -> Expr {
        let Some((at, thread)) = self.remote_thread(process, pid, span) else {
            return self.truth(false, span);
        };
        let destination = Destination::Label { name: label.text.clone(), scopes: Vec::new() };
        let Some(found) = self.builder.elements.find_label(&destination, at) else {
            let message = format!("`{}` has no label `{}`", process.text, label.text);
            let diagnostic = Diagnostic::error(codes::UNKNOWN_LABEL, message).at(label.span, "no such label");
            let diagnostic = match self.builder.similar_label(at, &label.text) {
                Some(help) => diagnostic.help(help),
                None => diagnostic,
            };
            self.builder.diagnostics.push(diagnostic);
            return self.truth(false, span);
        };
        self.builder.elements.labels[found].used = true;
        let element = self.builder.elements.labels[found].element;
        let number = self.builder.elements.el(element).number;
        let locations = self.locations[at].get(&(number, false)).copied().into_iter().collect();
        let Some(procedure) = self.procedures[at] else { return self.truth(false, span) };
        self.natural(ExprKind::ThreadAt { thread, procedure, locations }, span)
    }

    fn remote_variable(
        &mut self,
        process: &Name,
        pid: Option<&Ex>,
        variable: &Name,
        index: Option<&Ex>,
        span: Span,
    ) -> Value {
        let Some((at, thread)) = self.remote_thread(process, pid, span) else {
            return self.constant(0, span);
        };
        let of = &self.builder.processes[at];
        let symbols = &self.builder.symbols;
        let found = of.params.iter().chain(&of.locals).copied().find(|symbol| {
            let symbol = &symbols[symbol.index()];
            symbol.name == variable.text && symbol.scalar().is_some()
        });
        let Some(id) = found else {
            let message = format!("`{}` has no variable `{}`", process.text, variable.text);
            let names = of.params.iter().chain(&of.locals).map(|symbol| &*symbols[symbol.index()].name);
            let diagnostic =
                Diagnostic::error(codes::UNDECLARED, message).at(variable.span, "no such variable");
            let diagnostic = match similar(&variable.text, names) {
                Some(meant) => diagnostic.help(format!("did you mean `{meant}`?")),
                None => diagnostic,
            };
            self.builder.diagnostics.push(diagnostic);
            return self.constant(0, span);
        };
        self.builder.symbols[id.index()].used = true;
        let symbol = &self.builder.symbols[id.index()];
        let range = symbol.range(&symbol.leaves[0]);
        if symbol.size.is_some() != index.is_some() {
            let (code, message) = if index.is_some() {
                (codes::NOT_AN_ARRAY, format!("`{}` is no array", variable.text))
            } else {
                (codes::MISSING_INDEX, format!("`{}` is an array and needs an index", variable.text))
            };
            self.builder.error(code, message, variable.span, "");
            return self.constant(0, span);
        }
        let indices = index.map(|index| self.number(index)).into_iter().collect();
        let super::Slot::Local(local) = self.slot(id, 0) else { return self.constant(0, span) };
        let Some(procedure) = self.procedures[at] else { return self.constant(0, span) };
        let kind = ExprKind::ThreadLocal { thread, procedure, local: ir::LocalId(local), indices };
        self.sized(kind, range.lo.min(0), range.hi, span)
    }
}

fn arithmetic(op: ast::BinaryOp) -> Option<BinaryOp> {
    Some(match op {
        ast::BinaryOp::Add => BinaryOp::Add,
        ast::BinaryOp::Subtract => BinaryOp::Sub,
        ast::BinaryOp::Multiply => BinaryOp::Mul,
        ast::BinaryOp::Divide => BinaryOp::Div,
        ast::BinaryOp::Remainder => BinaryOp::Rem,
        ast::BinaryOp::BitAnd => BinaryOp::BitAnd,
        ast::BinaryOp::BitXor => BinaryOp::BitXor,
        ast::BinaryOp::BitOr => BinaryOp::BitOr,
        ast::BinaryOp::ShiftLeft => BinaryOp::Shl,
        ast::BinaryOp::ShiftRight => BinaryOp::Shr,
        _ => return None,
    })
}

fn comparison(op: ast::BinaryOp) -> Option<BinaryOp> {
    Some(match op {
        ast::BinaryOp::Equal => BinaryOp::Eq,
        ast::BinaryOp::NotEqual => BinaryOp::Ne,
        ast::BinaryOp::Less => BinaryOp::Lt,
        ast::BinaryOp::LessEqual => BinaryOp::Le,
        ast::BinaryOp::Greater => BinaryOp::Gt,
        ast::BinaryOp::GreaterEqual => BinaryOp::Ge,
        _ => return None,
    })
}

/// The range of the result of an operation, before it is wrapped to 32 bits. Operands have 32 bits.
fn range(op: BinaryOp, a: (i64, i64), b: (i64, i64)) -> (i64, i64) {
    let corners = |f: fn(i64, i64) -> i64| {
        let all = [f(a.0, b.0), f(a.0, b.1), f(a.1, b.0), f(a.1, b.1)];
        (all.into_iter().min().unwrap_or(0), all.into_iter().max().unwrap_or(0))
    };
    match op {
        BinaryOp::Add => (a.0 + b.0, a.1 + b.1),
        BinaryOp::Sub => (a.0 - b.1, a.1 - b.0),
        BinaryOp::Mul => corners(|a, b| a * b),
        BinaryOp::Shl => corners(|a, b| a << b),
        BinaryOp::Shr => corners(|a, b| a >> b),
        // At most as far from zero as the dividend, on either side.
        BinaryOp::Div => {
            let most = a.0.abs().max(a.1.abs());
            if a.0 >= 0 && b.0 >= 0 { (0, a.1) } else { (-most, most) }
        }
        BinaryOp::Rem => {
            let most = b.0.abs().max(b.1.abs());
            (if a.0 >= 0 { 0 } else { a.0.max(-most) }, if a.1 <= 0 { 0 } else { a.1.min(most) })
        }
        _ if a.0 >= 0 && b.0 >= 0 => {
            let bits = 64 - (a.1 | b.1).leading_zeros();
            (0, (1i64 << bits) - 1)
        }
        _ => (WORD.lo, WORD.hi),
    }
}
