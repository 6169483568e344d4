//! Random propositions for any program.

use ir::*;
use ltl::{Formula, Prop};
use source::Span;

use crate::SplitMix64;

/// Adds a property with a proposition of each kind that the program admits: the value of a global, a field of
/// an object that a global refers to (which faults if there is none), the number of threads at some locations
/// and, with observable ids, the location of one thread.
pub fn add_random_property(program: &mut Program, seed: u64) {
    let mut rng = SplitMix64::new(seed);
    let span = Span::default();
    let (boolean, int) = (program.types.intern(Type::Bool), program.types.intern(Type::Int(IntType::INT)));
    let node = |kind, ty| Expr { kind, ty, span };
    let number = |value: usize| node(ExprKind::Const(Const::Int(value as i64)), int);
    let compare =
        |op, left: Expr, right: Expr| node(ExprKind::Binary(op, Box::new(left), Box::new(right)), boolean);
    let mut exprs = Vec::new();
    for (id, global) in program.globals.iter() {
        let value = node(ExprKind::Global(id), global.ty);
        if !global.dims.is_empty() || global.untracked {
            continue;
        }
        match program.types[global.ty] {
            Type::Bool => exprs.push(value),
            Type::Int(_) => exprs.push(compare(BinaryOp::Gt, value, number(rng.below(3)))),
            Type::Record(record) if rng.chance(30) => {
                let fields = program.records[record].fields.iter();
                let field =
                    fields.copied().find(|&id| matches!(program.types[program.fields[id].ty], Type::Int(_)));
                exprs.extend(field.map(|id| {
                    let field = node(ExprKind::Field(Box::new(value), id), program.fields[id].ty);
                    compare(BinaryOp::Gt, field, number(rng.below(3)))
                }));
            }
            _ => {}
        }
    }
    for procedure in program.procedures.ids() {
        let mut chosen = Vec::new();
        for (id, location) in program.locations.iter() {
            if location.procedure == procedure && location.kind == LocationKind::Plain && rng.chance(40) {
                chosen.push(id);
            }
        }
        let count = node(ExprKind::ThreadsAt { procedure, locations: chosen.clone() }, int);
        exprs.push(compare(BinaryOp::Gt, count, number(rng.below(2))));
        if program.features.thread_ids_observable {
            let thread = Box::new(number(rng.below(3)));
            exprs.push(node(ExprKind::ThreadAt { thread, procedure, locations: chosen }, boolean));
        }
    }
    exprs.truncate(MAX_PROPOSITIONS);
    let props = exprs.into_iter().map(|expr| Proposition { text: String::new(), expr, span }).collect();
    let kind = PropertyKind::Formula(Formula::Always(Box::new(Formula::Prop(Prop(0)))));
    program.properties.push(Property { name: "random".to_owned(), each: None, props, kind, span });
}
