//! Commands about the command itself, and what a run says at its end about its diagnostics.

use crate::support::Sandbox;

#[test]
fn a_code_is_explained_as_in_the_book() {
    let sandbox = Sandbox::new();
    for words in ["explain E1003", "explain e1003", "explain 1003"] {
        let run = sandbox.run(words);
        run.expect(0);
        assert_eq!(
            run.stdout,
            "E1003: this comment does not end (Promela)\n\n    init { skip } /* the end\n\n\
             A comment ends with `*/`. Comments do not nest.\n"
        );
        assert_eq!(run.stderr, "");
    }
    let run = sandbox.run("explain E0201 W1342");
    run.expect(0);
    for text in
        ["E0201: something else was expected (BIR)\n", "\nW1342: nothing sets this variable (Promela)\n"]
    {
        assert!(run.stdout.contains(text), "{}", run.stdout);
    }
}

#[test]
fn all_codes_are_listed() {
    let sandbox = Sandbox::new();
    let run = sandbox.run("explain");
    run.expect(0);
    let listed: Vec<&str> = run.stdout.lines().filter_map(|line| line.strip_prefix("  ")?.get(..5)).collect();
    let all = ["E0001", "E0002", "E0003"].iter().chain(bir::codes::ALL).chain(promela::codes::ALL);
    assert_eq!(listed, all.copied().collect::<Vec<_>>());
}

#[test]
fn an_unknown_code_is_refused() {
    let sandbox = Sandbox::new();
    sandbox.run("explain E1343").refused(&["there is no code `E1343`", "W1342  nothing sets this variable"]);
    sandbox.run("explain E1003 what").refused(&["there is no code `what`", "`quotient explain` lists all"]);
}

#[test]
fn a_run_ends_with_the_codes_of_its_diagnostics() {
    let sandbox = Sandbox::new();
    sandbox.write("wrong.pml", "byte x; init { y = 1; goto nowhere; z = 2 }");
    sandbox.write("odd.pml", "byte x; init { x = 1; byte y }");
    sandbox.write("wrong.bir", "system S { active thread T() { x := 1; } }");
    sandbox.write("good.pml", "byte x; init { x = 1 }");
    for command in ["check", "simulate", "print --ir", "graph --format dot"] {
        let (name, rest) = command.split_once(' ').unwrap_or((command, ""));
        let run = sandbox.run(&format!("{name} wrong.pml {rest}"));
        run.expect(2);
        let last = run.stderr.lines().last();
        assert_eq!(
            last,
            Some("For more about these errors: `quotient explain E1301 E1311`"),
            "{}",
            run.stderr
        );
    }
    let run = sandbox.run("check wrong.bir");
    let last = run.stderr.lines().last();
    assert_eq!(last, Some("For more about this error: `quotient explain E0301`"), "{}", run.stderr);
    let run = sandbox.run("check odd.pml");
    run.expect(0);
    let last = run.stderr.lines().last();
    assert_eq!(last, Some("For more about this warning: `quotient explain W1326`"), "{}", run.stderr);
    // Nothing to explain, nothing shown, or read by a program.
    for line in ["check good.pml", "check odd.pml --quiet"] {
        assert_eq!(sandbox.run(line).stderr, "", "{line}");
    }
    let (run, report) = sandbox.json("check wrong.pml");
    run.expect(2);
    assert!(!run.stderr.contains("quotient explain") && !report.to_string().contains("quotient explain"));
}

#[test]
fn warnings_that_concern_the_verdict_are_always_shown() {
    let sandbox = Sandbox::new();
    let model = "byte x; active proctype P() { x = 1 }\n";
    sandbox.write("always.pml", format!("{model}ltl p {{ [] (x < 2) || <> true }}"));
    sandbox.write("never.pml", format!("{model}never {{ do :: x == 1 od }}"));
    sandbox.write("vacuous.pml", format!("{model}ltl p {{ [] (x == 7 -> <> (x == 1)) }}"));
    sandbox.write("still.pml", "byte x; active proctype P() { end: (x == 1) }");
    sandbox.write("plain.pml", format!("{model}ltl p {{ <> (x == 1) }}"));
    sandbox.write("unused.pml", "byte x; byte y; active proctype P() { x = 1 }");
    let says_nothing = |name: &str| {
        format!("the property `{name}` says nothing about the model: no run of any model violates it")
    };
    for (options, warning) in [
        ("always.pml", says_nothing("p")),
        ("never.pml", says_nothing("never")),
        ("vacuous.pml", "the property `p` holds vacuously: `x == 7` never holds".to_owned()),
        ("still.pml", "no step was taken: the verdict is about the initial state only".to_owned()),
    ] {
        for quiet in ["", "--quiet"] {
            let run = sandbox.run(&format!("check {options} {quiet}"));
            run.expect(0);
            // The report has a line about vacuous properties.
            if quiet.is_empty() && run.stdout.contains("vacuously: `x == 7` never holds") {
                assert_eq!(run.stderr, "");
            } else {
                assert_eq!(run.stderr, format!("warning: {warning}\n"), "{options} {quiet}");
            }
        }
        let (run, report) = sandbox.json(&format!("check {options} --quiet"));
        run.expect(0);
        assert_eq!(run.stderr, "");
        let warnings = report["warnings"].as_array().expect("a list");
        assert!(warnings.iter().any(|known| *known == *warning), "{report:#}");
        let diagnostics = report["diagnostics"].as_array().expect("a list");
        assert!(diagnostics.iter().any(|known| known["message"] == *warning), "{report:#}");
    }
    let run = sandbox.run("check plain.pml --quiet -D N=3");
    run.expect(0);
    assert!(run.stderr.starts_with("warning[W1112]: "), "{}", run.stderr);
    // Others are hidden.
    for line in ["check plain.pml --quiet", "check unused.pml --quiet"] {
        let run = sandbox.run(line);
        run.expect(0);
        assert_eq!(run.stderr, "", "{line}");
    }
}

#[test]
fn unknown_properties_are_suggested() {
    let sandbox = Sandbox::new();
    sandbox.write("m.pml", "byte x; init { x = 1 }\nltl reached { <> (x == 1) }\nltl small { [] (x < 2) }");
    sandbox.run("check m.pml --property reach").refused(&[
        "there is no temporal property `reach` (did you mean `reached`?): `m.pml` has reached, small",
    ]);
    sandbox
        .run("check m.pml --property other")
        .refused(&["no temporal property `other`: `m.pml` has reached"]);
}

/// Formulas of the command line have the same hints as those of a model, and macros and variables may have
/// the names of operators of other notations.
#[test]
fn formulas_of_the_command_line() {
    let sandbox = Sandbox::new();
    sandbox.write("m.pml", "byte F; byte x; init { F = 1; x = F }");
    sandbox.write("macro.pml", "#define G (x == 1)\nbyte x; init { x = 1 }");
    sandbox.run("check m.pml --ltl F(x==1)").refused(&["`F` is not an operator of formulas", "write `<>`"]);
    sandbox.run("check macro.pml --ltl F(x==1)").refused(&["write `<>` or `eventually`"]);
    sandbox.run("check m.pml --ltl <>(x=1)").refused(&["an assignment inside of a formula", "`==` compares"]);
    sandbox.run("check m.pml --ltl <>(y==1)").refused(&["`y` is not declared"]);
    sandbox.run("check m.pml --ltl <>(F==1)").expect(0);
    sandbox.run("check macro.pml --ltl <>G").expect(0);
}

#[test]
fn completions_know_commands_and_options() {
    let sandbox = Sandbox::new();
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let run = sandbox.run(&format!("completions {shell}"));
        run.expect(0);
        assert_eq!(run.stderr, "");
        for word in ["quotient", "check", "replay", "explain", "symmetry", "max-depth"] {
            assert!(run.stdout.contains(word), "{shell} does not know {word}");
        }
    }
    sandbox.run("completions cmd").expect(2);
}

#[test]
fn manual_pages() {
    let sandbox = Sandbox::new();
    let run = sandbox.run("man");
    run.expect(0);
    let page = &run.stdout;
    assert!(page.contains(".TH quotient 1 "), "{page}");
    for section in ["NAME", "SYNOPSIS", "DESCRIPTION", "OPTIONS", "SUBCOMMANDS", "EXAMPLES", "EXIT CODES"] {
        assert!(page.contains(&format!(".SH {section}\n")), "no {section} in {page}");
    }
    let commands =
        ["check", "resume", "replay", "simulate", "print", "graph", "explain", "completions", "man"];
    for command in commands {
        assert!(page.contains(&format!("quotient\\-{command}(1)")), "{page}");
        let run = sandbox.run(&format!("man {command}"));
        run.expect(0);
        assert!(run.stdout.contains(&format!(".TH quotient-{command} 1 ")), "{}", run.stdout);
        // Every option has an entry.
        let help = sandbox.run(&format!("{command} --help")).stdout;
        let options = help.lines().filter_map(|line| line.trim_start().strip_prefix("--"));
        for option in options {
            let name = option.split([' ', '[', '<']).next().unwrap_or_default().replace('-', "\\-");
            assert!(run.stdout.contains(&format!("\\-\\-{name}")), "man {command} lacks --{name}");
        }
    }
    sandbox.run("man what").refused(&["there is no command `what`, but check, resume, replay"]);
}
