//! What the book and the README say about models is true.
//!
//! Every block that is marked `bir` or `promela` says what becomes of it, in its info string:
//!
//! | attribute | meaning |
//! |---|---|
//! | `holds`, `bounded` (up to bounds), `inconclusive`, `violated=KIND` | a model, with its verdict |
//! | `error=CODE` | a model that is refused, with these codes and no others (several are joined by `+`) |
//! | `members`, `body` | members of a system, or the body of a thread: only compiled |
//! | `warning=CODE` | compiles with these warnings; without it there must be none |
//! | `define=NAME=VALUE` | as `-D` |
//! | `max-objects=N`, `max-threads=N`, `max-frames=N`, `on-bound=error` | as the options |
//! | `search=dfs`, `continue` | as the options |
//! | `states=N`, `steps=N` | number of states, length of the counterexample |
//! | `file=NAME` | the name under which the console examples of the page find it |

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

use quotient_check::config::{Config, StoreKind, StoreOptions};
use quotient_check::report::{Alternative, Checkpoint, Report, Verdict};
use quotient_check::{Model, Quiet};
use testing::book::{Block, pages};

/// All that may stand in the info string of a model.
const ATTRIBUTES: [&str; 17] = [
    "holds",
    "inconclusive",
    "bounded",
    "violated",
    "error",
    "members",
    "body",
    "warning",
    "define",
    "max-objects",
    "max-threads",
    "max-frames",
    "on-bound",
    "search",
    "continue",
    "states",
    "steps",
];

fn load(block: &Block, text: &str) -> Result<Model, String> {
    let unnamed = if block.language == "bir" { "model.bir" } else { "model.pml" };
    let name = block.get("file").unwrap_or(unnamed).to_owned();
    let defines: Vec<(String, String)> = (block.attributes.iter())
        .filter(|(key, _)| key == "define")
        .map(|(_, value)| value.split_once('=').expect("define=NAME=VALUE"))
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .collect();
    let files = BTreeMap::from([(name.clone(), text.as_bytes().to_vec())]);
    Model::load(&files, &name, &defines).map_err(|rejected| rejected.to_string())
}

fn config(block: &Block) -> Config {
    let number = |name: &str, default: u32| {
        block
            .get(name)
            .map_or(default, |text| text.parse().unwrap_or_else(|_| panic!("{}: {name}", block.place)))
    };
    let mut config = Config::unreduced();
    let sizes = &mut config.bounds.sizes;
    sizes.objects = number("max-objects", sizes.objects);
    sizes.threads = number("max-threads", sizes.threads);
    sizes.frames = number("max-frames", sizes.frames);
    if let Some(what) = block.get("on-bound") {
        config.bounds.on_bound = what.parse().expect("a choice of --on-bound");
    }
    if let Some(search) = block.get("search") {
        config.search = Some(search.parse().expect("a choice of --search"));
    }
    config.keep_going = block.get("continue").is_some();
    config
}

fn check(model: &Model, config: &Config) -> Report {
    quotient_check::check(model, config, 0, &Arc::default(), &mut Quiet).expect("a check ends").report
}

/// What is wrong with an example, if anything is.
fn examine(block: &Block) -> Result<(), String> {
    for (key, _) in &block.attributes {
        if !ATTRIBUTES.contains(&key.as_str()) && key != "file" {
            return Err(format!("there is no attribute `{key}`"));
        }
    }
    let text = match (block.get("members"), block.get("body")) {
        (Some(_), _) => format!("system Fragment {{\n{}\nactive thread _Main() {{ skip; }} }}", block.text),
        (_, Some(_)) => format!("system Fragment {{ active thread _Main() {{\n{}\n}} }}", block.text),
        _ => block.text.clone(),
    };
    let is_part = text != block.text;
    let loaded = load(block, &text);
    if let Some(expected) = block.get("error") {
        let Err(errors) = loaded else { return Err("it is accepted".to_owned()) };
        let expected: BTreeSet<&str> = expected.split('+').collect();
        let found = codes(&errors);
        return if found == expected { Ok(()) } else { Err(format!("found {found:?}:\n{errors}")) };
    }
    let model = loaded?;
    let warnings: BTreeSet<&str> = model.warnings.iter().map(|warning| warning.code).collect();
    let expected: BTreeSet<&str> =
        block.get("warning").map(|codes| codes.split('+').collect()).unwrap_or_default();
    if warnings != expected && !is_part {
        return Err(format!(
            "the warnings are {warnings:?}:\n{}",
            model.warnings.render(&model.map, quotient_check::Style::Plain)
        ));
    }
    if is_part {
        return Ok(());
    }
    let report = check(&model, &config(block));
    let kind = report.violation.as_ref().map(|violation| violation.kind.as_str());
    let fits = match report.verdict {
        Verdict::Holds => block.get("holds").is_some(),
        Verdict::HoldsUpToBounds => block.get("bounded").is_some(),
        Verdict::Violated => kind.is_some() && block.get("violated") == kind,
        Verdict::NoErrorFound | Verdict::Inconclusive => block.get("inconclusive").is_some(),
    };
    if !fits {
        return Err(format!("the verdict is {} {}", report.verdict.as_str(), kind.unwrap_or_default()));
    }
    same(block, "states", report.states)?;
    same(block, "steps", report.violation.map_or(0, |violation| violation.steps))
}

fn same(block: &Block, name: &str, found: u64) -> Result<(), String> {
    match block.get(name) {
        Some(expected) if expected != found.to_string() => Err(format!("{name} is {found}, not {expected}")),
        _ => Ok(()),
    }
}

/// The codes in rendered diagnostics.
fn codes(text: &str) -> BTreeSet<&str> {
    let heads = text.lines().filter_map(|line| line.strip_prefix("error[").or(line.strip_prefix("warning[")));
    heads.filter_map(|head| head.split(']').next()).collect()
}

fn report_all(failures: &[String]) {
    assert!(failures.is_empty(), "{} of the book is wrong:\n\n{}", failures.len(), failures.join("\n\n"));
}

#[test]
fn models_are_what_the_book_says() {
    let mut failures = Vec::new();
    let mut seen = 0;
    for page in pages() {
        let models = page.blocks.iter().filter(|block| ["bir", "promela"].contains(&&*block.language));
        for block in models {
            seen += 1;
            let examined = std::panic::catch_unwind(|| examine(block));
            let examined = examined.unwrap_or_else(|_| Err("there is a panic".to_owned()));
            if let Err(reason) = examined {
                failures.push(format!("{}: {reason}", block.place));
            }
        }
    }
    report_all(&failures);
    assert!(seen > 100, "only {seen} models were found: is the book there?");
}

#[test]
fn every_kind_of_violation_has_an_example() {
    let pages = pages();
    let blocks = pages.iter().flat_map(|page| &page.blocks);
    let shown: BTreeSet<&str> = blocks.filter_map(|block| block.get("violated")).collect();
    let all = [
        "assertion",
        "invariant",
        "deadlock",
        "null-dereference",
        "bad-cast",
        "index",
        "range",
        "division-by-zero",
        "unlock",
        "wait",
        "notify",
        "uncaught-exception",
        "empty-collection",
        "missing-key",
        "overflow",
        "use-after-free",
        "double-delete",
        "bad-delete",
        "leak",
        "channel",
        "exclusive-channel",
        "d-step",
        "trace",
        "use-after-free",
        "dangling-local",
        "thread-bound",
        "stack-bound",
        "heap-bound",
        "acceptance-cycle",
    ];
    assert_eq!(shown, BTreeSet::from(all));
}

/// The sections of a page that start with a heading of the second or third level, by their titles.
fn sections(name: &str) -> Vec<(String, String)> {
    let pages = pages();
    let page = pages.iter().find(|page| page.name == name).unwrap_or_else(|| panic!("there is no {name}"));
    let mut sections: Vec<(String, String)> = Vec::new();
    for line in page.text.lines() {
        if let Some(title) = line.strip_prefix("### ").or(line.strip_prefix("## ")) {
            sections.push((title.to_owned(), String::new()));
        } else if let Some((_, text)) = sections.last_mut() {
            text.push_str(line);
            text.push('\n');
        }
    }
    sections
}

#[test]
fn every_code_of_a_diagnostic_is_explained() {
    let mut of_bir = vec!["E0001", "E0002", "E0003"];
    of_bir.extend(bir::codes::ALL);
    explains_codes("book/src/diagnostics.md", &of_bir);
    explains_codes("book/src/promela/diagnostics.md", promela::codes::ALL);
}

/// A page explains exactly these codes, in this order, and has an example of each.
fn explains_codes(page: &str, all: &[&str]) {
    let sections = sections(page);
    let explained: Vec<&str> = (sections.iter())
        .filter_map(|(title, _)| title.split_once(": ").map(|(code, _)| code))
        .filter(|code| code.len() == 5 && code[1..].bytes().all(|byte| byte.is_ascii_digit()))
        .collect();
    assert_eq!(explained, all);
    for (title, text) in &sections {
        let Some((code, _)) = title.split_once(": ") else { continue };
        // Files that cannot be read are shown on the console, or not at all; and so is the command line.
        let is_given = code == promela::codes::BAD_MACRO_DEFINE
            || code == promela::codes::BAD_AUTOMATON
            || code == promela::codes::EXTENSION
            || code == bir::codes::BAD_AUTOMATON;
        if code.starts_with("E000") || is_given {
            continue;
        }
        let (error, warning) = (format!("error={code}"), format!("warning={code}"));
        assert!(text.contains(&error) || text.contains(&warning), "{code} has no example");
    }
}

/// The operations of a collection, by the note on one that it does not have.
fn operations(kind: &str) -> BTreeSet<String> {
    let text = format!("system S {{ int x; active thread T() {{ x := {kind}.nonsense(1); }} }}");
    let files = BTreeMap::from([("m.bir".to_owned(), text.into_bytes())]);
    let Err(rejected) = Model::load(&files, "m.bir", &[]) else { panic!("{kind}.nonsense exists") };
    let text = rejected.to_string();
    let note = text.lines().find_map(|line| line.split_once("= note: there are "));
    let (_, names) = note.unwrap_or_else(|| panic!("no note in {text}"));
    names.split(", ").map(|name| name.trim_matches('`').to_owned()).collect()
}

#[test]
fn every_operation_on_collections_is_explained() {
    let pages = pages();
    let page =
        pages.iter().find(|page| page.name == "book/src/guide/collections.md").expect("the collections");
    let explained = |kind: &str| -> BTreeSet<String> {
        let rows = page.text.lines().filter_map(|line| line.strip_prefix("| `"));
        let operations = rows.filter_map(|row| row.split_once('.').filter(|&(of, _)| of == kind));
        let names = operations.filter_map(|(_, operation)| operation.split(['(', '<']).next());
        names.map(str::to_owned).filter(|name| name != "type").collect()
    };
    for (kind, inherited) in
        [("Set", None), ("Bag", None), ("Map", None), ("Seq", None), ("Queue", Some("Seq"))]
    {
        let mut all = explained(kind);
        all.extend(explained("C"));
        all.extend(inherited.map(explained).unwrap_or_default());
        assert_eq!(all, operations(kind), "{kind}");
    }
}

/// The keys of an object as paths: `violation.trace.steps[].thread`.
fn keys(value: &serde_json::Value, path: &str, out: &mut BTreeSet<String>) {
    match value {
        serde_json::Value::Object(map) => {
            for (key, value) in map {
                let path = if path.is_empty() { key.clone() } else { format!("{path}.{key}") };
                keys(value, &path, out);
                out.insert(path);
            }
        }
        serde_json::Value::Array(list) => {
            for value in list {
                keys(value, &format!("{path}[]"), out);
            }
        }
        _ => {}
    }
}

/// Paths in the first column of the tables of a section.
fn documented(text: &str) -> BTreeSet<String> {
    let rows = text.lines().filter_map(|line| line.strip_prefix("| `"));
    rows.filter_map(|row| row.split('`').next()).map(str::to_owned).collect()
}

#[test]
fn every_key_of_the_report_is_explained() {
    let model = |name: &str, text: &str| {
        let files = BTreeMap::from([(name.to_owned(), text.as_bytes().to_vec())]);
        Model::load(&files, name, &[]).expect("a model")
    };
    let mut found = BTreeSet::new();
    for (name, text) in [
        ("m.bir", "system S { active thread T() { assert false; } }"),
        ("m.bir", "system S { active thread T() { assume false; } }"),
        ("m.bir", "system S { int _x; active thread T() { if false do skip; end } thread U() { skip; } }"),
        (
            "m.pml",
            "chan c = [0] of { bit }; active proctype P() { c!1 } \
             active proctype Q() { c?1; printf(\"got it\\n\"); assert(false) }",
        ),
        ("m.bir", "system S { boolean b; ltl P = <> b; active thread T() { while true do skip; end } }"),
        ("m.bir", "system S { ltl P = forall T t: <> !t@a; active thread T() { loc a: do {} goto a; } }"),
        // Values that decide and values that are stored; statements of a block; why threads wait.
        (
            "m.bir",
            "system S { int x; boolean a; boolean b; active thread T() { atomic x := 0; b := true; end \
             when x == 0; assert x == 1; } }",
        ),
        (
            "m.bir",
            "system S { boolean a; boolean b; active thread T() { a := true; when !b; } \
             active thread U() { b := true; when !a; } }",
        ),
        (
            "m.pml",
            "byte x; inline more(n) { x = x + n } \
             active proctype P() { atomic { x = 1; x = 2 }; more(1); \
             d_step { do :: x < 250 -> x++; x = x; x = x; x = x; x = x :: else -> break od }; \
             if :: goto last fi; last: assert(false) }",
        ),
        ("m.pml", "active [2] proctype P() { do :: skip; skip; skip od }"),
        (
            "m.bir",
            "system S { lock l; active thread T() { l := new lock; lock(l); notify(l); assert false; } }",
        ),
    ] {
        let report = check(&model(name, text), &Config::default());
        keys(&serde_json::to_value(report).expect("a report is plain data"), "", &mut found);
    }
    // What stores say about themselves, and about others.
    let bitstate = StoreKind::Bitstate;
    let of_all = StoreKind::ALL.iter().map(|&store| (store, store == bitstate, false, None));
    for (store, refine, coverage, swarm) in
        of_all.chain([(bitstate, false, true, None), (bitstate, false, false, Some(2))])
    {
        let store_options = StoreOptions { refine, coverage, swarm, ..StoreOptions::default() };
        let config =
            Config { store, store_options, search: Some(store.default_search()), ..Config::default() };
        let mut report = check(&model("m.bir", "system S { active [2] thread T() { skip; } }"), &config);
        report.checkpoint = Some(Checkpoint { folder: String::new(), states: Some(1), trouble: None });
        report.store.alternatives.push(Alternative {
            kind: store,
            bytes: 1,
            bytes_per_state: 1.0,
            times_more: 1.0,
            lossy: store.is_lossy(),
        });
        keys(&serde_json::to_value(report).expect("a report is plain data"), "", &mut found);
    }
    let sections = sections("book/src/checking/json.md");
    let of = |title: &str| {
        let section = sections.iter().find(|(name, _)| name == title);
        documented(&section.unwrap_or_else(|| panic!("no section {title}")).1)
    };
    let (report, violation, trace, place) =
        (of("The report"), of("A violation"), of("A trace"), of("A place"));
    let of_reduction: Vec<String> =
        report.iter().filter(|key| key.starts_with("reduction.")).cloned().collect();
    let mut explained = report;
    explained.extend(of_reduction.iter().map(|key| format!("properties[].{key}")));
    let nested = |prefix: &str, keys: &BTreeSet<String>| -> Vec<String> {
        keys.iter().map(|key| format!("{prefix}.{key}")).collect()
    };
    explained.extend(nested("violation", &violation));
    // Only a replay that is asked for states has them.
    let of_report: BTreeSet<String> = trace.iter().filter(|key| *key != "steps[].state").cloned().collect();
    explained.extend(nested("violation.trace", &of_report));
    // Only steps come from inlines.
    explained.insert("violation.trace.steps[].location.via".to_owned());
    let place: BTreeSet<String> = place.into_iter().filter(|key| key != "via").collect();
    for holder in [
        "violation.location",
        "violations[].location",
        "violation.trace.steps[].location",
        "violation.trace.steps[].partner.location",
        "violation.trace.ends_in.location",
        "violation.trace.ends_in.blocked[].location",
        "violation.trace.ends_in.blocked[].waits[].location",
        "violation.trace.steps[].statements[].location",
        "dead_code[].location",
    ] {
        explained.extend(nested(holder, &place));
    }
    // What is inside of these is explained by its form: names of the model are keys there.
    let inside = [
        ".initial_state.",
        ".last_state.",
        ".effects[].",
        ".value.",
        ".reads[].",
        ".values[].",
        "location.via[].",
    ];
    found.retain(|key| !inside.iter().any(|part| key.contains(part)));
    explained.retain(|key| !inside.iter().any(|part| key.contains(part)));
    assert_eq!(found, explained);
}

#[test]
fn keywords_cannot_be_names_and_other_words_can() {
    let pages = pages();
    let grammar =
        pages.iter().find(|page| page.name == "book/src/reference/grammar.md").expect("the grammar");
    let words = |attribute: &str| -> Vec<String> {
        let block = grammar.blocks.iter().find(|block| block.get(attribute).is_some());
        let block = block.unwrap_or_else(|| panic!("no block is marked {attribute}"));
        block.text.split_whitespace().map(str::to_owned).collect()
    };
    let accepted = |word: &str| {
        let text = format!("system S {{ boolean {word}; active thread T() {{ {word} := true; }} }}");
        let files = BTreeMap::from([("m.bir".to_owned(), text.into_bytes())]);
        Model::load(&files, "m.bir", &[]).is_ok()
    };
    let keywords = words("keywords");
    assert!(keywords.is_sorted(), "{keywords:?}");
    assert!(keywords.len() > 50, "{keywords:?}");
    for word in keywords {
        assert!(!accepted(&word), "`{word}` can be a name");
    }
    for word in words("words") {
        assert!(accepted(&word), "`{word}` cannot be a name");
    }
}

#[test]
fn the_summary_lists_every_page_and_links_lead_somewhere() {
    let pages = pages();
    let summary = pages.iter().find(|page| page.name == "book/src/SUMMARY.md").expect("a summary");
    let listed: BTreeSet<&str> = links(&summary.text).collect();
    for page in &pages {
        if let Some(name) = page.name.strip_prefix("book/src/")
            && name != "SUMMARY.md"
        {
            assert!(listed.contains(name), "{name} is not in the summary");
        }
        for link in links(&page.text) {
            let (file, anchor) = link.split_once('#').unwrap_or((link, ""));
            if file.contains("://") {
                continue;
            }
            let folder = page.path.parent().expect("a file is in a folder");
            let target = if file.is_empty() { page.path.clone() } else { folder.join(file) };
            assert!(target.exists(), "{}: {link} leads nowhere", page.name);
            assert!(
                anchor.is_empty() || has_anchor(&target, anchor),
                "{}: {link} has no such heading",
                page.name
            );
        }
    }
}

/// The targets of `[text](target)`, outside of code.
fn links(text: &str) -> impl Iterator<Item = &str> {
    let mut code = false;
    let lines = text.lines().filter(move |line| {
        code ^= line.starts_with("```");
        !code
    });
    lines.flat_map(|line| line.split("](").skip(1)).filter_map(|rest| rest.split(')').next())
}

/// Whether a heading of the file has this anchor, as mdBook makes it.
fn has_anchor(file: &Path, anchor: &str) -> bool {
    let text = std::fs::read_to_string(file).expect("a page is text");
    let slug = |title: &str| -> String {
        let kept = title.trim().to_lowercase();
        let kept = kept.chars().filter(|c| c.is_alphanumeric() || " -_".contains(*c));
        kept.map(|c| if c == ' ' { '-' } else { c }).collect()
    };
    text.lines().filter(|line| line.starts_with('#')).any(|line| slug(line.trim_start_matches('#')) == anchor)
}
