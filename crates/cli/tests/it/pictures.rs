//! Pictures and pages: graphs, runs and states as SVG, and the report of a check as HTML.

use std::fs;

use crate::support::Sandbox;

/// The names of all elements of markup; tags must be closed in order. Elements of HTML that have no end are left out.
#[track_caller]
fn elements(markup: &str) -> Vec<String> {
    let (mut open, mut names) = (Vec::new(), Vec::new());
    for part in markup.split('<').skip(1) {
        let (tag, _) = part.split_once('>').expect("a tag ends");
        if let Some(name) = tag.strip_prefix('/') {
            assert_eq!(open.pop().as_deref(), Some(name), "{tag}");
            continue;
        }
        let name = tag.split([' ', '/']).next().expect("a name").to_owned();
        if !matches!(&*name, "meta" | "!DOCTYPE") {
            names.push(name.clone());
            if !tag.ends_with('/') {
                open.push(name);
            }
        }
    }
    assert!(open.is_empty(), "{open:?}");
    names
}

/// A model whose names and texts look like markup, as far as languages allow that.
const HOSTILE: &str = "system S {
    int (0, 1) x;
    string s;
    active thread T() {
        loc a: do { s := \"</pre><script>alert(1)</script><img src=x onerror=alert(2)>\"; } goto b;
        loc b: do { assert x == 1 : \"<b onmouseover='alert(3)'>&amp;\"; } goto b; // <i>
    }
}";

#[test]
fn graphs() {
    let sandbox = Sandbox::with("philosophers.bir");
    let run = sandbox.run("graph philosophers.bir --format svg");
    run.expect(0);
    elements(&run.stdout);
    let json = sandbox.run("graph philosophers.bir --format json").json();
    let states = json["states"].as_array().expect("a list").len();
    assert_eq!(run.stdout.matches("data-key=\"s").count(), states);
    assert!(run.stdout.contains("✗ deadlock"), "{}", run.stdout);
    assert_eq!(run.stdout, sandbox.run("graph philosophers.bir --format svg").stdout);
    let merged = sandbox.run("graph philosophers.bir --format svg --symmetry full");
    assert!(merged.stdout.contains("stands for 3 states"), "{}", merged.stdout);
}

#[test]
fn large_graphs_are_folded_and_say_so() {
    let sandbox = Sandbox::with("philosophers.bir");
    let run = sandbox.run("graph philosophers.bir -D N=6 --format svg");
    run.expect(0);
    assert!(run.stderr.contains("states is folded"), "{}", run.stderr);
    assert_eq!(run.stdout.matches("data-key=\"s").count(), 200);
    assert!(run.stdout.contains("200 of "), "{}", run.stdout);
    assert!(run.stdout.contains("steps not drawn"), "{}", run.stdout);
    assert!(run.stdout.contains("✗ deadlock"), "the way to an error is drawn");
}

#[test]
fn a_run_that_violates_a_property_is_marked() {
    let sandbox = Sandbox::new();
    sandbox.write(
        "f.bir",
        "system S { boolean on; active thread T() {
        loc a: when !on do { on := true; } goto b;
        loc b: do { on := false; } goto a; } }",
    );
    let run = sandbox.run("graph f.bir --format svg --ltl <>[]!on");
    run.expect(0);
    assert_eq!(run.stdout.matches("class=\"e loop\"").count(), 2, "{}", run.stdout);
}

#[test]
fn runs_and_states() {
    let sandbox = Sandbox::with("philosophers.bir");
    sandbox.run("check philosophers.bir --trail t.json").expect(1);
    let chart = sandbox.run("replay philosophers.bir t.json --format svg");
    chart.expect(1);
    elements(&chart.stdout);
    for text in ["Philosopher#1", "Philosopher#3", "✗ deadlock", "isHeld: false → true"] {
        assert!(chart.stdout.contains(text), "{text}");
    }
    let state = sandbox.run("replay philosophers.bir t.json --format svg --view states");
    state.expect(1);
    elements(&state.stdout);
    // Three forks, three philosophers, and an arrow for each of their two references.
    assert_eq!(state.stdout.matches("data-key=\"Fork#").count(), 3);
    assert_eq!(state.stdout.matches("data-key=\"Philosopher#").count(), 3);
    assert_eq!(state.stdout.matches("class=\"tip\"").count(), 6);
    assert!(state.stdout.contains("class=\"changed\""), "{}", state.stdout);
    sandbox.run("replay philosophers.bir t.json --format svg --only x").refused(&["--only is for text"]);
    sandbox
        .run("replay philosophers.bir t.json --format svg --view msc")
        .refused(&["--view msc is for Promela"]);
}

#[test]
fn messages() {
    let sandbox = Sandbox::new();
    let model = "chan q = [2] of { byte }; chan r = [0] of { byte };
        active proctype P() { q!1; r!2; assert(false) }
        active proctype C() { byte x; q?x; r?x }";
    sandbox.write("m.pml", model);
    sandbox.run("check m.pml --trail t.json").expect(1);
    let all = sandbox.run("replay m.pml t.json --format svg --view msc");
    all.expect(1);
    elements(&all.stdout);
    assert!(all.stdout.contains("r!2") && all.stdout.contains("q!1"), "{}", all.stdout);
}

#[test]
fn the_page_of_a_violation() {
    let sandbox = Sandbox::with("philosophers.bir");
    let run = sandbox.run("check philosophers.bir --report page.html");
    run.expect(1);
    let page = sandbox.read("page.html");
    elements(&page);
    for text in [
        "Content-Security-Policy",
        "default-src &#39;none&#39;",
        "violated",
        "deadlock: no thread can move",
        "Counterexample: 4 steps (shortest)",
        "The state at the end",
        "a cycle of waiting",
        "waits until `!right.isHeld`",
        "Assumptions",
        "States of each level",
        "quotient check philosophers.bir --report page.html",
        "quotient replay philosophers.bir page.html",
        "store trie: every state is kept in full",
    ] {
        let text = if text == "a cycle of waiting" { "in a circle: Philosopher#1" } else { text };
        assert!(page.contains(text), "no `{text}` in the page");
    }
    // No requests, no scripts that run: the only script is data.
    assert_eq!(page.matches("<script").count(), 1);
    assert!(page.contains("<script type=\"application/json\" id=\"trail\">"));
    for forbidden in ["src=", "href=", "url(", "@import", " onload", " style="] {
        assert!(!page.contains(forbidden), "{forbidden}");
    }
    // The page is read in place of the trail.
    let again = sandbox.run("replay philosophers.bir page.html");
    again.expect(1);
    assert_eq!(again.stdout, sandbox.run("replay philosophers.bir philosophers.trail.json").stdout);
}

#[test]
fn the_page_of_a_model_that_holds() {
    let sandbox = Sandbox::with("philosophers_ordered.bir");
    sandbox.run("check philosophers_ordered.bir --report page.html").expect(0);
    let page = sandbox.read("page.html");
    elements(&page);
    assert!(page.contains("The search is complete") && !page.contains("Counterexample"));
    sandbox.run("replay philosophers_ordered.bir page.html").refused(&["is a page without a trail"]);
}

/// The levels of the plot are those of the search: with all threads, their sum is the number of states.
#[test]
fn pages_do_not_change_verdicts() {
    let sandbox = Sandbox::with("message_queue.bir");
    let (_, plain) = sandbox.json("check message_queue.bir");
    for options in ["", "--threads 2", "--search dfs"] {
        let (_, report) = sandbox.json(&format!("check message_queue.bir {options} --report page.html"));
        for key in ["verdict", "states", "transitions"] {
            let is_count = options == "--search dfs" && key != "verdict";
            assert!(is_count || report[key] == plain[key], "{options}: {key}");
        }
        let page = sandbox.read("page.html");
        assert!(page.contains("States of each level."), "{options}");
        fs::remove_file(sandbox.path("page.html")).expect("it was written");
    }
}

#[test]
fn hostile_text_stays_text() {
    let sandbox = Sandbox::new();
    sandbox.write("m.bir", HOSTILE);
    let run = sandbox.run("check m.bir --report page.html");
    run.expect(1);
    let page = sandbox.read("page.html");
    elements(&page);
    for forbidden in ["<script>", "<img", "<b on", "<i>"] {
        assert!(!page.contains(forbidden), "{forbidden}");
    }
    assert!(page.contains("&lt;script&gt;"), "the text is shown");
    let chart = sandbox.run("replay m.bir page.html --format svg").stdout;
    let graph = sandbox.run("graph m.bir --format svg --contents full").stdout;
    for svg in [chart, graph] {
        elements(&svg);
        assert!(!svg.contains("<script") && !svg.contains("<img"), "{svg}");
    }
}

#[test]
fn long_runs_make_small_pages() {
    let sandbox = Sandbox::new();
    let model = "system S { int (0, 250) x; int (0, 250) y;
        active thread T() { loc a: do { x := x + 1; y := x; assert x < 200; } goto a; } }";
    sandbox.write("m.bir", model);
    sandbox.run("check m.bir --report page.html").expect(1);
    let page = sandbox.read("page.html");
    assert!(page.len() < 1 << 20, "{} bytes", page.len());
    assert!(page.contains("Counterexample: 200 steps"), "the run has 200 steps");
}

#[test]
fn what_a_page_must_not_replace() {
    let sandbox = Sandbox::with("philosophers.bir");
    sandbox.run("check philosophers.bir --report philosophers.bir").refused(&["a page would replace"]);
    sandbox
        .run("check philosophers.bir --report x --trail x")
        .refused(&["--report and --trail name the same file"]);
    sandbox.write("other.bir", "system S { active thread T() { loc a: do { } return; } }");
    sandbox
        .run("check philosophers.bir other.bir --report page.html")
        .refused(&["--report is a page about the check of one model"]);
}
