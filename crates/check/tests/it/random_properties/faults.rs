//! What the random tests are worth: individuals that are not pinned show.
//!
//! A check that mixes up individuals is made without one: by a program that hides from it what the property
//! is about. Of the random properties many have another verdict then, or a run that the plain interpreter
//! does not confirm.

use std::panic::{AssertUnwindSafe, catch_unwind};

use ir::{BinaryOp, Const, Expr, ExprKind, Fun, FunId, Id, IntType, Program, Property, Type};
use source::Span;

use super::*;

/// Properties about hidden individuals, those of them that it makes a difference to, and those that are said
/// to hold then.
#[derive(Default, Debug)]
struct Caught {
    tried: u64,
    noticed: u64,
    wrongly_held: u64,
}

/// Checks properties of models from which `hide` took an individual, if they have one.
fn caught(
    count: u64,
    source: fn(u64) -> String,
    bounds: fn(u64) -> Bounds,
    hide: fn(&mut Program) -> bool,
) -> Caught {
    let mut caught = Caught::default();
    for seed in 0..count {
        let (mut model, bounds) = (load(&source(seed)).expect("it compiles"), bounds(seed));
        for number in 0..PROPERTIES {
            props::set_property(&mut model.program, PROPERTIES * seed + number);
            let property = &model.program.properties[0];
            let PropertyKind::Formula(formula) = &property.kind else {
                unreachable!("only formulas are random")
            };
            let Some(graph) = Graph::of(&interpreter(&model.program, bounds), property, MOST_STATES) else {
                continue;
            };
            let expected = graph.violates(formula, Fairness::None);
            if !hide(&mut model.program) {
                continue;
            }
            caught.tried += 1;
            let config = Config {
                symmetry: Symmetry::Full,
                bounds,
                property: Some(props::NAME.to_owned()),
                keep_going: true,
                ..Config::default()
            };
            let verdict = is_violated(&model, &config, Some(expected), &mut Seen::default());
            if verdict != Ok(expected) {
                caught.noticed += 1;
                caught.wrongly_held += u64::from(expected);
            }
            // The next one may hide something else.
            model = load(&source(seed)).expect("it compiles");
        }
    }
    eprintln!("{caught:?}");
    caught
}

/// Changes every expression of the propositions, from the inside to the outside.
fn each_part(property: &mut Property, change: &mut impl FnMut(&mut Expr)) {
    fn inside(expr: &mut Expr, change: &mut impl FnMut(&mut Expr)) {
        expr.operands_mut().into_iter().for_each(|operand| inside(operand, change));
        change(expr);
    }
    property.props.iter_mut().for_each(|prop| inside(&mut prop.expr, change));
}

/// Takes any thread for the one that the property is about.
fn take_any_thread(program: &mut Program) -> bool {
    let int = program.types.intern(Type::Int(IntType::INT));
    let property = &mut program.properties[0];
    let node = |kind| Box::new(Expr { kind, ty: int, span: Span::default() });
    each_part(property, &mut |expr| {
        if let ExprKind::IndividualAt { procedure, locations } = expr.kind.clone() {
            let count = node(ExprKind::ThreadsAt { procedure, locations });
            expr.kind = ExprKind::Binary(BinaryOp::Gt, count, node(ExprKind::Const(Const::Int(0))));
        }
    });
    property.each.take().is_some()
}

/// Names elements of abstract enums where they are not expected: in a function. The verifier has a reason to
/// refuse that.
fn hide_constants(program: &mut Program) -> bool {
    if program.named_constants().is_empty() {
        return false;
    }
    let mut property = program.properties[0].clone();
    let is_abstract = |id| program.enums[id].is_abstract;
    let mut funs: Vec<Fun> = Vec::new();
    each_part(&mut property, &mut |expr| {
        if let ExprKind::Const(Const::Enum(id, _)) = expr.kind
            && is_abstract(id)
        {
            let (name, result, body) = (format!("hidden{}", funs.len()), expr.ty, expr.clone());
            let call = FunId::from_index(program.funs.len() + funs.len());
            funs.push(Fun { name, params: Vec::new(), result, body, span: Span::default() });
            expr.kind = ExprKind::Call(call, Vec::new());
        }
    });
    let any = !funs.is_empty();
    for fun in funs {
        program.funs.push(fun);
    }
    program.properties[0] = property;
    assert_eq!(ir::verify(program).is_err(), any);
    any && program.named_constants().is_empty()
}

#[test]
fn threads_that_are_not_pinned_show() {
    let caught = caught(models(), rounds::random_rounds, bounds, take_any_thread);
    assert!(caught.noticed > caught.tried / 50 && caught.wrongly_held > 0, "{caught:?}");
}

/// The verifier refuses such a program, and nothing runs one that does not verify.
#[test]
fn constants_that_are_not_pinned_are_refused() {
    let mut refused = 0;
    for seed in 0..models() {
        let mut model = load(&rounds::random_keys(seed)).expect("it compiles");
        props::set_property(&mut model.program, PROPERTIES * seed);
        if hide_constants(&mut model.program) {
            let check = || quotient_check::engine(&model, bounds(seed)).is_ok();
            assert!(catch_unwind(AssertUnwindSafe(check)).is_err(), "model {seed}");
            refused += 1;
        }
    }
    assert!(refused > 10, "{refused}");
}
