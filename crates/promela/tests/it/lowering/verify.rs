//! Every available model is compiled to a program that the verifier of the IR accepts.

use super::{compile, compile_file, models, program};

#[test]
fn models_are_sound() {
    for path in models() {
        let (result, rendered) = compile_file(&path);
        match result {
            Ok(program) => {
                if let Err(errors) = ir::verify(&program) {
                    panic!("{}: {}", path.display(), errors.join("\n"));
                }
            }
            // Models that SPIN itself refuses or only simulates, or that contain C.
            Err(()) => assert!(
                ["E1203", "E1204", "E1210"].iter().any(|code| rendered.contains(code)),
                "{}: {rendered}",
                path.display()
            ),
        }
    }
}

#[test]
fn corners_are_sound() {
    let program = program(include_str!("corners.pml"));
    assert_eq!(ir::verify(&program), Ok(()));
}

#[test]
fn names_of_mtypes_count_from_the_end() {
    let program =
        program("mtype = { a, b, c }; mtype = { d, e }; mtype m = a; init { m = d; assert(m != c) }");
    let names: Vec<_> = program.enums.values().flat_map(|item| &item.elements).collect();
    assert_eq!(names, ["c", "b", "a", "e", "d"]);
    let global = program.globals.values().next().expect("there is one");
    assert_eq!(global.init, Some(ir::Const::Int(3)));
}

#[test]
fn globals_are_initialized_by_type() {
    let text = "int i = 7; byte b = i; short s = b + 2; short t = s + 1; init { assert(b + s + t + i > 0) }";
    let program = program(text);
    let values: Vec<_> = program.globals.values().map(|global| global.init).collect();
    // Bytes come before shorts, and shorts before integers.
    assert_eq!(values, [Some(ir::Const::Int(7)), None, Some(ir::Const::Int(2)), Some(ir::Const::Int(3))]);
}

#[test]
fn globals_that_are_only_written_are_no_part_of_the_state() {
    let text = "byte w; byte r; byte p; hidden byte h; init { w = 1; w++; r = 2; (r == 2); printf(\"%d\", p); h = r }";
    let program = program(text);
    let untracked: Vec<_> = program.globals.values().map(|global| global.untracked).collect();
    assert_eq!(untracked, [true, false, true, true]);
}

#[test]
fn records_are_flattened() {
    let text = "typedef In { bit x; byte y[2] }; typedef Out { In i[3]; chan c = [1] of { byte } };
        Out o; init { o.i[2].y[1] = 4; o.c!o.i[0].x }";
    let program = program(text);
    let shapes: Vec<_> =
        program.globals.values().map(|global| (global.name.as_str(), global.dims.clone())).collect();
    assert_eq!(shapes, [("o.i.x", vec![3]), ("o.i.y", vec![3, 2]), ("o.c", vec![])]);
    assert_eq!(program.first_channels.len(), 1);
    assert_eq!(ir::verify(&program), Ok(()));
}

/// How often a transition sets some variable to the constant 0.
fn resets(text: &str) -> usize {
    let program = program(text);
    let zero = |action: &ir::Action| match &action.kind {
        ir::ActionKind::Assign(_, value) => value.kind == ir::ExprKind::Const(ir::Const::Int(0)),
        _ => false,
    };
    program.transitions.values().flat_map(|transition| &transition.body).filter(|action| zero(action)).count()
}

#[test]
fn dead_variables_are_reset() {
    // After the condition, and after an assignment that is never read.
    assert_eq!(resets("byte g; init { byte x; x = g; (x == 1); g = 2 }"), 1);
    assert_eq!(resets("byte g; init { byte x; x = g + 1; g = 2; (g > 1) }"), 1);
    // A variable that an assignment or a send reads stays.
    assert_eq!(resets("byte g; init { byte x; x = g + 1; g = x; (g > 1) }"), 0);
    // Arrays and records are never dead.
    assert_eq!(resets("byte g; init { byte x[2]; x[0] = g; (x[0] == 1); (g > 1) }"), 0);
    // Nothing is dead if other processes can read it.
    assert_eq!(resets("byte g; proctype P() { byte x; x = g; (x == 1) } init { run P(); (P[1]:x == 3) }"), 0);
}

#[test]
fn arithmetic_wraps_only_where_it_can_leave_32_bits() {
    let wraps = |text: &str| {
        let program = program(text);
        let mut count = 0;
        for transition in program.transitions.values() {
            for action in &transition.body {
                let ir::ActionKind::Assign(_, value) = &action.kind else { continue };
                value.each(&mut |expr| count += usize::from(matches!(expr.kind, ir::ExprKind::Wrap(_))));
            }
        }
        count
    };
    assert_eq!(wraps("byte b; short s; init { b = b + s * s - b; s = b % 7; assert(b + s > 0) }"), 0);
    assert_eq!(wraps("int i; init { i = i + 1; i = i * i; i = -i; assert(i > 0) }"), 3);
    assert_eq!(wraps("int i; byte b; init { i = 1 << b; i = i >> 3; i = ~i; assert(i > b) }"), 1);
}

#[test]
fn errors_come_without_a_program() {
    assert!(compile("init { x = 1 }").0.is_err());
}

#[test]
fn claims_hold_from_the_start_wherever_they_stand() {
    let text = "chan q = [1] of { byte }; typedef R { chan c }; R r;
        proctype P(chan c) { byte x; x = 1; c!x; if :: x == 1 -> xs c, r.c :: else fi }
        init { xr q; r.c = q; run P(q); q?_ }";
    let program = program(text);
    assert_eq!(ir::verify(&program), Ok(()));
    let printed = ir::text::print(&program);
    let claims: Vec<_> = printed.lines().filter(|line| line.contains("claim")).map(str::trim).collect();
    assert_eq!(claims, ["claim send c;", "claim send 'r.c';", "claim receive q;"]);
}

/// As in SPIN, `ltl_0` is the first formula without a name, whatever comes before it.
#[test]
fn formulas_without_a_name_are_counted_by_themselves() {
    let text = "int x; ltl a { [] (x >= 0) } ltl { <> (x > 0) } ltl b { <> (x < 9) } never { do :: true od } ltl { [] (x < 9) }
        active proctype P() { x = 1 }";
    let names: Vec<_> = program(text).properties.into_iter().map(|property| property.name).collect();
    assert_eq!(names, ["never", "a", "ltl_0", "b", "ltl_1"]);
}
