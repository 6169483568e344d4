//! Random formulas about random programs.

use ir::{
    BinaryOp, Const, Each, Expr, ExprKind, IntType, LocationId, LocationKind, ProcedureId, Program, Property,
    PropertyKind, Proposition, Type, TypeId,
};
use ltl::{Formula, Prop};
use source::Span;
use testing::SplitMix64;

/// The name of the property.
pub const NAME: &str = "random";

/// Makes a random property the only one of a program.
pub fn set_property(program: &mut Program, seed: u64) {
    let mut rng = SplitMix64::new(seed);
    let mut open = conditions(program, &mut rng);
    let each = each(program, &mut rng);
    let mut exprs = Vec::new();
    if let Some(each) = &each {
        exprs.extend((0..=rng.below(2)).map(|_| whereabouts(program, each, &mut rng)));
    }
    let count = (exprs.len().max(1) + rng.below(3)).min(exprs.len() + open.len());
    while exprs.len() < count {
        exprs.push(open.swap_remove(rng.below(open.len())));
    }
    let prop = |(number, expr)| Proposition { text: format!("p{number}"), expr, span: Span::default() };
    let props = exprs.into_iter().enumerate().map(prop).collect();
    let size = 1 + rng.below(5);
    let is_usual = rng.chance(40);
    let formula = if is_usual { usual(&mut rng, count) } else { formula(&mut rng, size, count) };
    let kind = PropertyKind::Formula(formula);
    program.properties = vec![Property { name: NAME.to_owned(), each, props, kind, span: Span::default() }];
}

/// Whose threads a property is about, if it is about individuals: most often one that is not alone.
fn each(program: &Program, rng: &mut SplitMix64) -> Option<Each> {
    let actions = || program.transitions.values().flat_map(|transition| &transition.body);
    let number = |id: ProcedureId| {
        let there = program.active.iter().filter(|&&active| active == id).count();
        there + actions().filter(|action| action.starts(id)).count()
    };
    let all =
        program.procedures.ids().filter(|&id| !program.features.thread_ids_observable && number(id) > 0);
    let (several, single): (Vec<_>, Vec<_>) = all.partition(|&id| number(id) > 1);
    let threads = if several.is_empty() || rng.chance(20) { single } else { several };
    if threads.is_empty() || rng.chance(50) {
        return None;
    }
    Some(Each { procedure: *rng.pick(&threads), variable: "t".to_owned(), span: Span::default() })
}

/// A condition on where the individual is.
fn whereabouts(program: &mut Program, each: &Each, rng: &mut SplitMix64) -> Expr {
    let procedure = each.procedure;
    let own = program.locations.iter().filter(|(_, at)| at.procedure == procedure);
    let plain: Vec<_> = own.filter(|(_, at)| at.kind == LocationKind::Plain).map(|(id, _)| id).collect();
    let locations = if rng.chance(60) {
        vec![*rng.pick(&plain)]
    } else {
        plain.into_iter().filter(|_| rng.chance(50)).collect()
    };
    Maker::node(ExprKind::IndividualAt { procedure, locations }, program.types.intern(Type::Bool))
}

/// What people say about individuals.
fn usual(rng: &mut SplitMix64, props: usize) -> Formula {
    let prop = |at: usize| Box::new(Formula::Prop(Prop(at.min(props - 1) as u32)));
    let (a, b) = (prop(0), prop(1));
    let always = |inner: Formula| Formula::Always(Box::new(inner));
    match rng.below(6) {
        0 => always(Formula::Not(a)),
        1 => always(Formula::Implies(a, Box::new(Formula::Eventually(b)))),
        2 => always(Formula::Eventually(a)),
        3 => Formula::Eventually(Box::new(Formula::Always(a))),
        4 => always(Formula::Implies(a, Box::new(always(Formula::Not(b))))),
        _ => Formula::WeakUntil(Box::new(Formula::Not(a)), b),
    }
}

/// Makes a property the only one of a program that is about what happens again and again, or in the end: with
/// those it matters most whether schedules are fair.
pub fn set_recurrence(program: &mut Program, seed: u64) {
    use Formula::{Always, Eventually, Implies, Not, Or, Until};
    let mut rng = SplitMix64::new(seed);
    let others = conditions(program, &mut rng);
    let maker = Maker::of(program);
    let plain = program.locations.iter().filter(|(_, location)| location.kind == LocationKind::Plain);
    let counts: Vec<Expr> = plain
        .filter(|(_, location)| program.procedures[location.procedure].name == "Worker")
        .map(|(id, location)| maker.more_than(location.procedure, vec![id], rng.below(2)))
        .collect();
    let mut props = Vec::new();
    let mut condition = |rng: &mut SplitMix64| {
        let among = if rng.chance(70) { &counts } else { &others };
        let text = format!("p{}", props.len());
        let prop = Formula::Prop(Prop(props.len() as u32));
        props.push(Proposition { text, expr: rng.pick(among).clone(), span: Span::default() });
        Box::new(if rng.chance(50) { prop } else { Not(Box::new(prop)) })
    };
    let (p, q) = (condition(&mut rng), condition(&mut rng));
    let again = |formula| Box::new(Always(Box::new(Eventually(formula))));
    let finally = |formula| Box::new(Eventually(Box::new(Always(formula))));
    let formula = match rng.below(7) {
        0 => Eventually(p),
        1 => *again(p),
        2 => *finally(p),
        3 => Always(Box::new(Implies(p, Box::new(Eventually(q))))),
        4 => Until(p, q),
        5 => Implies(again(p), again(q)),
        _ => Or(finally(p), again(q)),
    };
    let kind = PropertyKind::Formula(formula);
    program.properties =
        vec![Property { name: NAME.to_owned(), each: None, props, kind, span: Span::default() }];
}

/// Makes a property the only one of a program that is about what happens again and again or in the end, to
/// each worker or to all.
pub fn set_answer(program: &mut Program, seed: u64) {
    use Formula::{Always, Eventually, Implies, Not};
    if seed.is_multiple_of(2) {
        return set_recurrence(program, seed);
    }
    let mut rng = SplitMix64::new(seed);
    let worker = program.procedures.iter().find(|(_, procedure)| procedure.name == "Worker");
    let (procedure, _) = worker.expect("there are workers");
    let each = Each { procedure, variable: "t".to_owned(), span: Span::default() };
    let prop = |(number, expr)| Proposition { text: format!("p{number}"), expr, span: Span::default() };
    let exprs = [0, 1].map(|_| whereabouts(program, &each, &mut rng));
    let props = exprs.into_iter().enumerate().map(prop).collect();
    let [p, q] = [0, 1].map(|number| Box::new(Formula::Prop(Prop(number))));
    let formula = match rng.below(5) {
        0 => Eventually(p),
        1 => Always(Box::new(Eventually(p))),
        2 => Eventually(Box::new(Always(Box::new(Not(p))))),
        3 => Always(Box::new(Implies(p, Box::new(Eventually(q))))),
        _ => Always(Box::new(Implies(p.clone(), Box::new(Eventually(Box::new(Not(p))))))),
    };
    let kind = PropertyKind::Formula(formula);
    program.properties =
        vec![Property { name: NAME.to_owned(), each: Some(each), props, kind, span: Span::default() }];
}

/// Builds expressions.
struct Maker {
    boolean: TypeId,
    int: TypeId,
    null: TypeId,
}

impl Maker {
    fn of(program: &mut Program) -> Self {
        let boolean = program.types.intern(Type::Bool);
        Self {
            boolean,
            int: program.types.intern(Type::Int(IntType::INT)),
            // Numbered programs have no such type, nor anything to compare with it.
            null: if program.features.thread_ids_observable {
                boolean
            } else {
                program.types.intern(Type::Null)
            },
        }
    }

    fn node(kind: ExprKind, ty: TypeId) -> Expr {
        Expr { kind, ty, span: Span::default() }
    }

    fn test(&self, op: BinaryOp, left: &Expr, right: &Expr) -> Expr {
        Self::node(ExprKind::Binary(op, Box::new(left.clone()), Box::new(right.clone())), self.boolean)
    }

    fn number(&self, value: usize) -> Expr {
        Self::node(ExprKind::Const(Const::Int(value as i64)), self.int)
    }

    /// That there are more than a number of threads at some locations.
    fn more_than(&self, procedure: ProcedureId, locations: Vec<LocationId>, number: usize) -> Expr {
        let count = Self::node(ExprKind::ThreadsAt { procedure, locations }, self.int);
        self.test(BinaryOp::Gt, &count, &self.number(number))
    }

    fn null(&self) -> Expr {
        Self::node(ExprKind::Const(Const::Null), self.null)
    }
}

/// Conditions about globals and about how many threads are somewhere. Those that name an element of an
/// abstract enum are about an individual.
fn conditions(program: &mut Program, rng: &mut SplitMix64) -> Vec<Expr> {
    let maker = Maker::of(program);
    let mut found = Vec::new();
    let globals: Vec<_> =
        program.globals.iter().filter(|(_, global)| global.dims.is_empty() && !global.untracked).collect();
    for &(id, global) in &globals {
        let value = Maker::node(ExprKind::Global(id), global.ty);
        let twin = globals.iter().find(|(other, twin)| *other > id && twin.ty == global.ty);
        let twin = twin.map(|&(other, _)| Maker::node(ExprKind::Global(other), global.ty));
        match program.types[global.ty] {
            Type::Bool => found.push(value),
            Type::Int(_) => {
                let op = *rng.pick(&[BinaryOp::Gt, BinaryOp::Eq]);
                found.push(maker.test(op, &value, &maker.number(rng.below(3))));
            }
            Type::Record(record) => {
                found.push(maker.test(BinaryOp::Eq, &value, &maker.null()));
                found.extend(twin.map(|twin| maker.test(BinaryOp::Eq, &value, &twin)));
                let mut fields = program.records[record].fields.iter().copied();
                let field = fields.find(|&id| matches!(program.types[program.fields[id].ty], Type::Int(_)));
                if let Some(field) = field {
                    let ty = program.fields[field].ty;
                    let content = Maker::node(ExprKind::Field(Box::new(value.clone()), field), ty);
                    let test = maker.test(BinaryOp::Gt, &content, &maker.number(0));
                    let is_there = maker.test(BinaryOp::Ne, &value, &maker.null());
                    // The formula does not ask whether it is there.
                    let is_rash = rng.chance(10);
                    found.push(if is_rash { test } else { maker.test(BinaryOp::And, &is_there, &test) });
                }
            }
            Type::Abstract(of) | Type::Enum(of) => {
                let element = rng.below(program.enums[of].elements.len()) as u32;
                let constant = Maker::node(ExprKind::Const(Const::Enum(of, element)), global.ty);
                let test = maker.test(BinaryOp::Eq, &value, &constant);
                found.extend([test.clone(), test]);
                found.extend(twin.map(|twin| maker.test(BinaryOp::Eq, &value, &twin)));
            }
            Type::Tid => found.push(maker.test(BinaryOp::Eq, &value, &maker.null())),
            _ => {}
        }
    }
    for procedure in program.procedures.ids() {
        let at_random = |(id, location): (_, &ir::Location)| {
            (location.procedure == procedure && rng.chance(50)).then_some(id)
        };
        let plain = program.locations.iter().filter(|(_, location)| location.kind == LocationKind::Plain);
        let locations = plain.filter_map(at_random).collect();
        found.push(maker.more_than(procedure, locations, rng.below(2)));
    }
    found
}

fn formula(rng: &mut SplitMix64, size: usize, props: usize) -> Formula {
    if size == 0 {
        return Formula::Prop(Prop(rng.below(props) as u32));
    }
    let kind = rng.below(13);
    if kind < 6 {
        let operand = Box::new(formula(rng, size - 1, props));
        let build = [
            Formula::Not,
            Formula::Next,
            Formula::Always,
            Formula::Eventually,
            Formula::Always,
            Formula::Eventually,
        ];
        return build[kind](operand);
    }
    let left = rng.below(size);
    let (a, b) = (Box::new(formula(rng, left, props)), Box::new(formula(rng, size - 1 - left, props)));
    let build = [
        Formula::And,
        Formula::Or,
        Formula::Implies,
        Formula::Equivalent,
        Formula::Until,
        Formula::WeakUntil,
        Formula::Release,
    ];
    build[kind - 6](a, b)
}
