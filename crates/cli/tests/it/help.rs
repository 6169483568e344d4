//! Every command explains its options.

use crate::support::Sandbox;

#[test]
fn every_command_names_its_options() {
    let sandbox = Sandbox::new();
    let view = "--view --only --from --to --unfold";
    let bounds = "--max-objects --max-threads --max-frames --on-bound";
    for (command, options) in [
        (
            "check",
            format!(
                "-D --language --dialect --heap --leaks --symmetry --audit-symmetry --naming --store --hash-bytes --arena --hashes --refine --coverage --swarm --search --por --merge --threads --ltl --property --fairness \
                 --non-progress --acceptance --safety --max-depth --max-states --memory --time --continue --trail --format --seed \
                 --minimise --report --checkpoint --checkpoint-every --quiet {view} {bounds}"
            ),
        ),
        ("fmt", "--check".to_owned()),
        ("lsp", "--stdio".to_owned()),
        ("resume", "--threads --memory --time --checkpoint-every --trail --format --quiet".to_owned()),
        ("replay", format!("-D --language --dialect --heap --leaks --format --msc {view}")),
        ("simulate", format!("-D --language --dialect --heap --leaks --steps --interactive --seed --trail --until --from-trail {bounds}")),
        (
            "print",
            "-D --language --dialect --heap --leaks --ir --automaton --property --ltl --format --layout --symmetry --max-objects --max-threads --max-frames"
                .to_owned(),
        ),
        ("explore", format!("-D --language --dialect --heap --leaks --trail --port {bounds}")),
        (
            "graph",
            format!(
                "-D --language --dialect --heap --leaks --format --max-states --contents --marks --symmetry --ltl --property --around --radius --depth {bounds}"
            ),
        ),
    ] {
        let run = sandbox.run(&format!("{command} --help"));
        run.expect(0);
        assert_eq!(run.stderr, "");
        for option in options.split_whitespace() {
            let start = |line: &str| {
                let line = line.trim_start();
                let line = line.strip_prefix("-q, ").unwrap_or(line);
                line.strip_prefix(option).is_some_and(|rest| rest.is_empty() || rest.starts_with([' ', '[']))
            };
            assert!(run.stdout.lines().any(start), "{command} does not explain {option}:\n{}", run.stdout);
        }
        let undocumented = run.stdout.lines().filter(|line| {
            let line = line.trim();
            line.starts_with("--") && !options.split_whitespace().any(|option| line.starts_with(option))
        });
        assert_eq!(
            undocumented.count(),
            0,
            "{command} has options that are not in this list:\n{}",
            run.stdout
        );
        assert_eq!(run.stdout, sandbox.run(&format!("help {command}")).stdout);
        assert!(run.stdout.lines().all(|line| line.chars().count() <= 100), "{}", run.stdout);
    }
}

#[test]
fn the_command_itself() {
    let sandbox = Sandbox::new();
    let run = sandbox.run("--help");
    run.expect(0);
    for text in [
        "check",
        "resume",
        "replay",
        "simulate",
        "print",
        "graph",
        "Exit codes:",
        "130 interrupted",
        "Examples:",
    ] {
        assert!(run.stdout.contains(text), "no {text} in\n{}", run.stdout);
    }
    assert!(run.stdout.lines().all(|line| line.chars().count() <= 100), "{}", run.stdout);
    let version = sandbox.run("--version");
    version.expect(0);
    // The commit is there if the command was built from a checkout.
    let rest =
        version.stdout.strip_prefix(concat!("quotient ", env!("CARGO_PKG_VERSION"))).expect("a version");
    let commit = rest.trim_end().strip_prefix(" (").and_then(|rest| rest.strip_suffix(')'));
    let is_commit = |text: &str| text.len() >= 12 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
    assert!(rest == "\n" || commit.is_some_and(is_commit), "{}", version.stdout);
}

/// The examples of the help are commands that work.
#[test]
fn the_examples_work() {
    let sandbox = Sandbox::with("philosophers.bir");
    std::fs::create_dir(sandbox.path("models")).expect("a folder");
    let text = sandbox.read("philosophers.bir");
    sandbox.write("models/philosophers.bir", &text);
    sandbox.write("model.bir", &text);
    sandbox.write("ring.pml", "byte i = 1; active proctype P() { i++; assert(i < 2) }");
    sandbox.write("ring.pml.trail", "1:0:0\n2:0:1\n");
    let help = sandbox.run("--help").stdout;
    let examples: Vec<&str> = help.lines().filter_map(|line| line.strip_prefix("  quotient ")).collect();
    assert!(examples.len() >= 5, "{help}");
    for example in examples {
        let (line, explanation) = example.split_once("  ").expect("a command and what it does");
        assert!(!explanation.trim().is_empty());
        // There is no shell that would take quotes off.
        let run = sandbox.run(&line.replace('\'', ""));
        assert!(matches!(run.code, Some(0 | 1)), "{line}: {run:#?}");
    }
}
