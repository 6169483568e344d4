//! Who catches what.

use super::*;

/// `thrower` throws a `Worse`; the catches of the three procedures are given.
fn outcome(thrower: &str, middle: &str, thread: &str) -> Result<(String, usize), FaultKind> {
    let text = format!(
        "program p; throwable record Failure {{ int code; }} throwable record Worse extends Failure {{}}
        record Other extends Worse {{}} global string where; global int effects;
        function thrower() {{ local Worse w; local Failure e; {thrower}
          loc a: do {{ w := new Worse; effects := effects + 1; throw w; effects := 9; }} goto b;
          loc b: return;
          loc h: do {{ where := \"thrower\"; }} return;
        }}
        function middle() {{ local Failure e; {middle}
          loc a: call thrower() resume r;
          resume r of a goto b;
          loc b: do {{ where := \"returned\"; }} return;
          loc h: do {{ where := \"middle\"; }} return;
        }}
        thread T() {{ local Failure e; {thread}
          loc a: call middle() resume r;
          resume r of a return;
          loc h: do {{ where := \"thread\"; effects := effects + e.code + 10; }} return;
        }} active T;"
    );
    let program = program(&text);
    let naive = Naive::new(&program);
    match run(&naive) {
        Ok(state) => {
            Ok((global(&naive, &state, "where"), global(&naive, &state, "effects").parse().unwrap()))
        }
        Err(Stopped::Fault(fault)) => Err(fault.kind),
        Err(stopped) => panic!("{stopped:?}"),
    }
}

#[test]
fn exceptions_find_their_handler() {
    let caught = |place: &str, effects| Ok((format!("{place:?}"), effects));
    let failure = "catch Failure e at a goto h;";
    let other = "catch Other e at a goto h;";
    let elsewhere = "catch Failure e at b goto h;";
    // In the frame that throws: it goes on in its own procedure, and the callers see a return.
    assert_eq!(outcome(failure, failure, failure), caught("returned", 1));
    // In a caller, by the origin of the resume location.
    assert_eq!(outcome("", failure, failure), caught("middle", 1));
    assert_eq!(outcome(other, failure, failure), caught("middle", 1));
    assert_eq!(outcome(elsewhere, failure, failure), caught("middle", 1));
    // Two frames up.
    assert_eq!(outcome("", elsewhere, failure), caught("thread", 11));
    assert_eq!(outcome("", other, "catch Worse e at a goto h;"), caught("thread", 11));
    // Nowhere.
    assert_eq!(outcome(elsewhere, other, ""), Err(FaultKind::UncaughtException));
}

#[test]
fn the_first_catch_that_fits_wins() {
    let catches = "catch Other e at a goto b; catch Worse e at a goto h; catch Failure e at a goto b;";
    assert_eq!(outcome("", catches, ""), Ok(("\"middle\"".to_owned(), 1)));
}

#[test]
fn handlers_are_arrivals_with_the_exception_in_their_variable() {
    let program = program(
        "program p; throwable record E { int code; } global int x; thread T() { local E e; local E thrown;
          local int i = 5; catch E e at a goto h;
          loc a: do { thrown := new E; thrown.code := 3; throw thrown; } return;
          loc h live {e}: do { x := e.code * 10 + i; assert thrown == null; } return;
        } active T;",
    );
    let naive = Naive::new(&program);
    assert_eq!(global(&naive, &run(&naive).unwrap(), "x"), "30");
}

#[test]
fn throwing_in_a_step_that_calls_does_not_call() {
    let program = program(
        "program p; throwable record E {} global int x; function f() { loc a: do { x := 1; } return; }
        thread T() { local E e; catch E e at a goto h;
          loc a: do { e := new E; throw e; } call f() resume r;
          resume r of a return;
          loc h: return;
        } active T;",
    );
    let naive = Naive::new(&program);
    assert_eq!(global(&naive, &run(&naive).unwrap(), "x"), "0");
}
