//! Several models in one call.

use std::collections::BTreeSet;
use std::fs;

use serde_json::Value;

use crate::support::{Sandbox, finish, models};

const HOLDS: &str = "system S { active thread T() { skip; } }\n";
const FAILS: &str = "system S {\n  active thread T() {\n    assert false;\n  }\n}\n";
const BAD: &str = "system S { active thread T() { y := 1; } }\n";
/// Exceeds `--max-objects 1`.
const LARGE: &str =
    "system S { record R { int x; } active thread T() { R r; R s; r := new R; s := new R; r.x := s.x; } }\n";

/// A folder with a model for each outcome.
fn sandbox() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.write("holds.bir", HOLDS);
    sandbox.write("fails.bir", FAILS);
    sandbox.write("bad.bir", BAD);
    sandbox.write("large.bir", LARGE);
    sandbox
}

#[test]
fn the_exit_code_is_the_worst() {
    let sandbox = sandbox();
    for (models, code) in [
        ("holds.bir holds.bir", 0),
        ("holds.bir large.bir", 3),
        ("large.bir fails.bir holds.bir", 1),
        ("fails.bir large.bir", 1),
        ("fails.bir bad.bir", 2),
        ("bad.bir large.bir holds.bir", 2),
        ("holds.bir missing.bir", 2),
    ] {
        for format in ["human", "json", "junit", "sarif"] {
            let line = format!("check {models} --max-objects 1 --format {format} --quiet");
            sandbox.run(&line).expect(code);
        }
    }
}

/// A bad model does not keep the others from being checked, and its errors are on standard error.
#[test]
fn reports_in_turn_and_a_table() {
    let sandbox = sandbox();
    let run = sandbox.run("check holds.bir bad.bir fails.bir --max-objects 1 large.bir");
    run.expect(2);
    assert!(run.stderr.contains("error[E0301]: there is no variable `y`"), "{}", run.stderr);
    let out = &run.stdout;
    // One that holds is one line, and the others are as they are alone.
    assert!(out.starts_with("holds.bir: holds\nbad.bir: error\n\nfails.bir: violated\nassertion:"), "{out}");
    assert!(out.contains("\n\nlarge.bir: holds up to bounds\n"), "{out}");
    assert!(out.contains("quotient replay fails.bir fails.trail.json\n"), "{out}");
    let table: Vec<&str> = out.lines().skip_while(|line| !line.starts_with("  model ")).collect();
    let words: Vec<Vec<&str>> = table.iter().map(|line| line.split_whitespace().collect()).collect();
    assert_eq!(words[0], ["model", "verdict", "states", "time", "remark"]);
    assert_eq!(words[1][..2], ["holds.bir", "holds"]);
    assert_eq!(words[2], ["bad.bir", "error", "there", "is", "no", "variable", "`y`", "at", "bad.bir:1:32"]);
    assert_eq!(words[3][..2], ["fails.bir", "violated"]);
    assert!(table[3].ends_with("  assertion at fails.bir:3:5"), "{}", table[3]);
    assert_eq!(words[4][..5], ["large.bir", "holds", "up", "to", "bounds"]);
    assert!(table[4].ends_with("1 step was not taken because it exceeds --max-objects 1"), "{}", table[4]);
    assert_eq!(table[6], "4 models: 1 holds, 1 violated, 1 holds up to bounds, 1 with errors");
    assert_eq!(table.len(), 7);

    let quiet = sandbox.run("check holds.bir bad.bir fails.bir --quiet");
    quiet.expect(2);
    assert_eq!(quiet.stdout, "holds.bir: holds\nbad.bir: error\nfails.bir: violated\n");
}

/// What is strange about a model that holds is said although its report is one line.
#[test]
fn properties_that_hold_vacuously_are_mentioned() {
    let sandbox = sandbox();
    sandbox.write(
        "vacuous.bir",
        "system S { boolean a; boolean b; ltl P = [] (a -> <> b); active thread T() { b := true; } }\n",
    );
    let run = sandbox.run("check holds.bir vacuous.bir");
    run.expect(0);
    assert!(run.stdout.contains("vacuous.bir: holds\n  warning: "), "{}", run.stdout);
    let quiet = sandbox.run("check holds.bir vacuous.bir --quiet");
    assert_eq!(quiet.stdout, "holds.bir: holds\nvacuous.bir: holds\n");
}

#[test]
fn one_model_is_as_ever() {
    let sandbox = sandbox();
    let once = sandbox.run("check fails.bir --quiet");
    assert_eq!(once.stdout, "fails.bir: violated\n");
    // Named twice, a model is checked once.
    assert_eq!(sandbox.run("check fails.bir fails.bir --quiet"), once);
    let (_, alone) = sandbox.json("check fails.bir fails.bir");
    assert_eq!(alone["model"], "fails.bir");
    let (_, bad) = sandbox.json("check bad.bir bad.bir");
    assert_eq!(bad["model"], "bad.bir");
}

/// Without what differs from run to run.
fn steady(mut report: Value) -> Value {
    let object = report.as_object_mut().expect("an object");
    for key in [
        "seconds",
        "minimise_seconds",
        "states_per_second",
        "transitions_per_second",
        "peak_memory_bytes",
        "memory_limit_bytes",
    ] {
        object.remove(key);
    }
    for property in object.get_mut("properties").and_then(Value::as_array_mut).into_iter().flatten() {
        property.as_object_mut().expect("an object").remove("seconds");
    }
    report
}

#[test]
fn json_has_the_object_of_each_model() {
    let sandbox = sandbox();
    sandbox.write("workers.bir", fs::read(models().join("temporal/starvation.bir")).expect("a model"));
    let names = ["holds.bir", "bad.bir", "fails.bir", "large.bir", "workers.bir"];
    let (run, all) = sandbox.json(&format!("check {} --max-objects 9", names.join(" ")));
    run.expect(2);
    assert_eq!(
        (&all["version"], &all["tool"].as_str().map(|tool| tool.starts_with("quotient "))),
        (&1.into(), &Some(true))
    );
    let reports = all["reports"].as_array().expect("a list");
    assert_eq!(reports.len(), names.len());
    for (name, report) in names.iter().zip(reports) {
        let (_, alone) = sandbox.json(&format!("check {name} --max-objects 9"));
        assert_eq!(steady(report.clone()), steady(alone));
    }
    let summary = &all["summary"];
    assert_eq!((&summary["exit_code"], &summary["interrupted"]), (&2.into(), &false.into()));
    assert_eq!(summary["counts"]["holds"], 2);
    assert_eq!(summary["counts"]["violated"], 2);
    assert_eq!(summary["counts"]["error"], 1);
    assert_eq!(summary["counts"]["not_checked"], 0);
    let rows = summary["models"].as_array().expect("a list");
    for (index, (name, code)) in names.iter().zip([0, 2, 1, 0, 1]).enumerate() {
        assert_eq!((&rows[index]["model"], &rows[index]["exit_code"]), (&(*name).into(), &code.into()));
        for key in ["verdict", "states", "seconds"] {
            assert_eq!(rows[index].get(key), reports[index].get(key).or(Some(&Value::Null)), "{name} {key}");
        }
    }
    assert_eq!(rows[1]["error"], "there is no variable `y`");
    assert_eq!(rows[2]["violation"]["kind"], "assertion");
    assert_eq!(rows[2]["violation"]["location"], reports[2]["violation"]["location"]);
    assert_eq!(rows[2]["trail"], "fails.trail.json");
    assert_eq!(rows[4]["violation"]["property"], "Served");
    assert_eq!(reports[4]["safety_verdict"], "holds");
    assert_eq!(reports[4]["unchecked"], serde_json::json!(["Somebody", "Tried"]));
}

#[test]
fn trails_of_models_of_one_name_are_different_files() {
    let sandbox = Sandbox::new();
    for folder in ["a", "b"] {
        fs::create_dir(sandbox.path(folder)).expect("a folder");
        sandbox.write(&format!("{folder}/m.bir"), FAILS);
    }
    sandbox.write("m.pml", "active proctype P() { assert(false) }\n");
    sandbox.write("other.bir", FAILS);
    let line = "check a/m.bir b/m.bir m.pml other.bir";
    let run = sandbox.run(line);
    run.expect(1);
    let trails = ["a_m.bir.trail.json", "b_m.bir.trail.json", "m.pml.trail.json", "other.trail.json"];
    assert_eq!(
        sandbox.files(),
        [
            ["a", "a_m.bir.trail.json", "b", "b_m.bir.trail.json"],
            ["m.pml", "m.pml.trail.json", "other.bir", "other.trail.json"]
        ]
        .concat()
    );
    for (model, trail) in ["a/m.bir", "b/m.bir", "m.pml", "other.bir"].iter().zip(trails) {
        assert!(run.stdout.contains(&format!("quotient replay {model} {trail}\n")), "{}", run.stdout);
        sandbox.run(&format!("replay {model} {trail}")).expect(1);
    }
    // All of them in a folder.
    for trail in trails {
        fs::remove_file(sandbox.path(trail)).expect("it is there");
    }
    fs::create_dir(sandbox.path("trails")).expect("a folder");
    sandbox.run(&format!("{line} --trail trails --quiet")).expect(1);
    assert_eq!(sandbox.files(), ["a", "b", "m.pml", "other.bir", "trails"]);
    for trail in trails {
        assert!(sandbox.path("trails").join(trail).exists(), "{trail}");
    }
    // And of one model.
    sandbox.run("check a/m.bir --trail trails --quiet").expect(1);
    sandbox.run("replay a/m.bir trails/m.trail.json").expect(1);
}

#[test]
fn one_file_is_not_for_several_trails() {
    let sandbox = sandbox();
    for trail in ["t.json", "-", "/dev/stdout", "missing/"] {
        let run = sandbox.run(&format!("check holds.bir fails.bir --trail {trail}"));
        run.refused(&[&format!("--trail {trail} is one file"), "2 models", "name a folder"]);
    }
    for format in ["junit", "sarif"] {
        let run = sandbox.run(&format!("check fails.bir --format {format} --trail -"));
        run.expect(2);
        assert!(
            run.stderr.contains("a trail on standard output would be part of the report"),
            "{}",
            run.stderr
        );
    }
}

/// No trail replaces a model that is read later, nor a file that one includes.
#[test]
fn what_later_models_read_is_not_replaced() {
    let sandbox = sandbox();
    sandbox.write("inner.pml", "#include \"fails.trail.json\"\nactive proctype P() { x++ }\n");
    sandbox.write("fails.trail.json", "byte x;\n");
    let run = sandbox.run("check fails.bir inner.pml");
    run.expect(2);
    assert!(
        run.stderr.starts_with("fails.bir: error: a trail would replace `fails.trail.json`"),
        "{}",
        run.stderr
    );
    assert!(run.stdout.contains("\ninner.pml: holds\n"), "{}", run.stdout);
    assert_eq!(sandbox.read("fails.trail.json"), "byte x;\n");
}

/// Options that no model can have are refused once; others concern the models that cannot have them.
#[test]
fn options_are_for_all_models() {
    let sandbox = sandbox();
    sandbox.write("p.pml", "byte n = N; active proctype P() { n++ }\n");
    sandbox.write("n.bir", "system S { const P { N = 1; } active thread T() { assert P.N == 4; } }\n");
    let run = sandbox.run("check holds.bir fails.bir --threads 0");
    run.refused(&["--threads 0 would not get far; use --threads 1"]);
    assert_eq!(run.stderr.matches("--threads").count(), 2, "{}", run.stderr);
    let run = sandbox.run("check n.bir p.pml holds.bir -D N=4 --quiet");
    run.expect(2);
    assert_eq!(run.stdout, "n.bir: holds\np.pml: holds\nholds.bir: error\n");
    assert!(run.stderr.contains("there is no constant `N`"), "{}", run.stderr);
    let run = sandbox.run("check p.pml holds.bir -D N=4 --max-frames 3 --quiet");
    assert_eq!(run.stdout, "p.pml: error\nholds.bir: error\n");
    assert!(run.stderr.starts_with("p.pml: error: --max-frames 3 has no meaning"), "{}", run.stderr);
    let run = sandbox.run("check p.pml holds.bir --trail-format spin -D N=4 --quiet");
    assert!(
        run.stderr.starts_with("holds.bir: error: --trail-format spin is for Promela models"),
        "{}",
        run.stderr
    );
}

#[test]
fn paths_that_are_no_models() {
    let sandbox = sandbox();
    fs::create_dir(sandbox.path("folder")).expect("a folder");
    for models in ["folder/", "holds.bir folder/"] {
        let run = sandbox.run(&format!("check {models}"));
        run.expect(2);
        assert!(run.stderr.contains("it is a directory"), "{}", run.stderr);
        assert!(
            run.stderr.contains("help: name the models in the folder, for example folder/*.bir"),
            "{}",
            run.stderr
        );
    }
    let run = sandbox.run("check holds.bir folder/*.bir");
    run.expect(2);
    assert!(run.stderr.contains("a pattern that the shell did not expand"), "{}", run.stderr);
    let (_, all) = sandbox.json("check folder/*.bir");
    assert!(all["diagnostics"][0]["help"][0].as_str().is_some_and(|help| help.contains("pattern")), "{all}");
}

#[cfg(unix)]
#[test]
fn files_that_may_not_be_read() {
    use std::os::unix::fs::PermissionsExt as _;

    let sandbox = sandbox();
    sandbox.write("closed.bir", HOLDS);
    fs::set_permissions(sandbox.path("closed.bir"), fs::Permissions::from_mode(0o000)).expect("permissions");
    // Some users may read everything.
    let is_open = fs::read(sandbox.path("closed.bir")).is_ok();
    let run = sandbox.run("check closed.bir holds.bir --quiet");
    run.expect(if is_open { 0 } else { 2 });
    assert!(run.stdout.ends_with("holds.bir: holds\n"), "{}", run.stdout);
    let run = sandbox.run("check missing.bir holds.bir --quiet");
    run.expect(2);
    assert_eq!(run.stdout, "missing.bir: error\nholds.bir: holds\n");
}

/// As with `| head -1`: the models that are left are not checked, since there is no reader.
#[test]
fn output_that_is_not_read_ends_the_call() {
    let sandbox = sandbox();
    for format in ["human", "json", "junit", "sarif"] {
        let (reader, writer) = std::io::pipe().expect("a pipe");
        drop(reader);
        let mut command = sandbox.command(&format!("check holds.bir fails.bir --format {format}"));
        let run = finish(command.stdout(writer).spawn().expect("quotient starts"));
        assert_eq!((run.code, run.stderr.as_str()), (Some(141), ""), "{format}");
        // For people, each report is printed at once.
        let is_checked = sandbox.path("fails.trail.json").exists();
        assert_eq!(is_checked, format != "human", "{format}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn output_that_does_not_fit_ends_the_call() {
    let sandbox = sandbox();
    for format in ["human", "json", "junit", "sarif"] {
        let full = fs::File::create("/dev/full").expect("the device that is always full");
        let mut command = sandbox.command(&format!("check holds.bir fails.bir --format {format}"));
        let run = finish(command.stdout(full).spawn().expect("quotient starts"));
        run.expect(2);
        assert!(run.stderr.contains("error: failed printing to stdout: No space left"), "{}", run.stderr);
    }
}

/// The paths of the keys of an object, with `[]` for the elements of lists.
fn keys(value: &Value, prefix: &str, found: &mut BTreeSet<String>) {
    for (key, value) in value.as_object().into_iter().flatten() {
        let path = if prefix.is_empty() { key.clone() } else { format!("{prefix}.{key}") };
        found.insert(path.clone());
        // A report and a violation have tables of their own.
        if key != "violation" && key != "reports" {
            keys(value, &path, found);
            let elements = value.as_array().into_iter().flatten();
            elements.for_each(|element| keys(element, &format!("{path}[]"), found));
        }
    }
}

#[test]
fn the_book_explains_the_keys() {
    let (_, all) = sandbox().json("check holds.bir bad.bir fails.bir");
    let mut found = BTreeSet::new();
    keys(&all, "", &mut found);
    let pages = testing::book::pages();
    let page = pages.iter().find(|page| page.name == "book/src/checking/json.md").expect("the page");
    let (_, section) = page.text.split_once("\n## Several models\n").expect("the section");
    let (section, _) = section.split_once("\n## ").expect("its end");
    let rows = section.lines().filter_map(|line| line.strip_prefix("| `"));
    let explained: BTreeSet<String> =
        rows.filter_map(|row| Some(row.split_once('`')?.0.to_owned())).collect();
    assert_eq!(explained, found);
}
