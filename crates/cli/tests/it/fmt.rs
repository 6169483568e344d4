//! `quotient fmt`: files, standard input, `--check`, and what is left alone.

use crate::support::Sandbox;

const UGLY: &str = "system S {\nint x;\nactive thread T() { x:=1; }\n}";
const GOOD: &str = "system S {\n  int x;\n  active thread T() { x := 1; }\n}\n";

#[test]
fn files_are_replaced() {
    let sandbox = Sandbox::new();
    sandbox.write("a.bir", UGLY);
    sandbox.write("b.bir", GOOD);
    let run = sandbox.run("fmt a.bir b.bir");
    run.expect(0);
    assert_eq!((run.stdout.as_str(), run.stderr.as_str()), ("", ""));
    assert_eq!((sandbox.read("a.bir").as_str(), sandbox.read("b.bir").as_str()), (GOOD, GOOD));
    assert_eq!(sandbox.files(), ["a.bir", "b.bir"]);
}

#[test]
fn check_lists_and_changes_nothing() {
    let sandbox = Sandbox::new();
    sandbox.write("a.bir", UGLY);
    sandbox.write("b.bir", GOOD);
    let run = sandbox.run("fmt --check b.bir a.bir");
    run.expect(1);
    assert_eq!(run.stdout, "a.bir\n");
    assert_eq!(sandbox.read("a.bir"), UGLY);
    sandbox.run("fmt --check b.bir").expect(0);
}

#[test]
fn standard_input_goes_to_standard_output() {
    let sandbox = Sandbox::new();
    let run = sandbox.run_with_input("fmt -", UGLY);
    run.expect(0);
    assert_eq!(run.stdout, GOOD);
    let run = sandbox.run_with_input("fmt --check -", UGLY);
    run.expect(1);
    assert_eq!(run.stdout, "<stdin>\n");
    sandbox.run_with_input("fmt --check -", GOOD).expect(0);
}

#[test]
fn what_does_not_parse_is_left_alone_and_the_others_are_not() {
    let sandbox = Sandbox::new();
    sandbox.write("bad.bir", "system S {\nint x\n}");
    sandbox.write("a.bir", UGLY);
    sandbox.write("m.pml", "init { skip }");
    let run = sandbox.run("fmt bad.bir a.bir");
    run.expect(2);
    assert!(run.stderr.contains("E0201") && run.stderr.contains("bad.bir:2:6"), "{}", run.stderr);
    assert_eq!(sandbox.read("bad.bir"), "system S {\nint x\n}");
    assert_eq!(sandbox.read("a.bir"), GOOD);
    let run = sandbox.run("fmt m.pml gone.bir");
    run.expect(2);
    assert!(run.stderr.contains("`m.pml` is not a model in BIR"), "{}", run.stderr);
    assert!(run.stderr.contains("cannot read `gone.bir`"), "{}", run.stderr);
    sandbox.run("fmt").expect(2);
}

#[test]
fn a_model_whose_types_are_wrong_is_formatted() {
    let sandbox = Sandbox::new();
    sandbox.write("a.bir", UGLY.replace('1', "y"));
    sandbox.run("fmt a.bir").expect(0);
    assert_eq!(sandbox.read("a.bir"), GOOD.replace('1', "y"));
}
