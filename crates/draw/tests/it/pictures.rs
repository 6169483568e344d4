//! Pictures as they are written: well-formed, the same each time, and without what text could do to them.

use quotient_draw::chart::{Chart, Lane, Message, Overview, Row};
use quotient_draw::diagram::{Diagram, Look, Tone};
use quotient_draw::graph::{Component, State, StateGraph, Step};
use quotient_draw::plot::Plot;
use quotient_draw::scene::{Claim, Fate, Field, Part, Role, Scene};

const HOSTILE: &str = "</text><script>alert(1)</script>\"'&<!--]]>\0\u{202e}";

/// Makes sure that tags are closed in order, and returns the names of all elements.
#[track_caller]
fn elements(svg: &str) -> Vec<String> {
    let (mut open, mut names) = (Vec::new(), Vec::new());
    for part in svg.split('<').skip(1) {
        let (tag, _) = part.split_once('>').expect("a tag ends");
        if let Some(name) = tag.strip_prefix('/') {
            assert_eq!(open.pop().as_deref(), Some(name), "{svg}");
            continue;
        }
        let name = tag.split([' ', '/']).next().expect("a name").to_owned();
        assert!(tag.matches('"').count() % 2 == 0, "{tag}");
        names.push(name.clone());
        if !tag.ends_with('/') {
            open.push(name);
        }
    }
    assert!(open.is_empty(), "{open:?}");
    names
}

fn graph(text: &str) -> StateGraph {
    let state = |name: &str, level| State { name: name.to_owned(), level, ..State::default() };
    let states = vec![
        State { is_initial: true, lines: vec![format!("x = {text}")], ..state("s0", 0) },
        State { component: Some(Component { number: 1, is_final: true }), ..state("s1", 1) },
        State { is_deadlock: true, violations: vec![text.to_owned()], ..state("s2", 1) },
        State { is_end: true, members: Some(6), ..state("s3", 2) },
    ];
    let step = |from, to, text: &str, look| Step { from, to, text: text.to_owned(), look };
    let steps = vec![
        step(0, 1, text, Look::Stem),
        step(0, 2, "b", Look::Plain),
        step(1, 1, "again", Look::Cycle),
        step(1, 3, "c", Look::Plain),
        step(2, 0, "back", Look::Plain),
        step(2, 1, "beside", Look::Plain),
    ];
    StateGraph { title: "a graph".to_owned(), states, steps, components: 2 }
}

fn scene(text: &str) -> Scene {
    let field = |text: &str, target: &str, is_changed| Field {
        text: text.to_owned(),
        targets: vec![target.to_owned()],
        is_changed,
        tone: Tone::Plain,
    };
    let part = |name: &str, role, fate, fields| Part {
        name: name.to_owned(),
        kind: "Node".to_owned(),
        role,
        fields,
        fate,
    };
    let claim = |what: &str, is_held| Claim {
        thread: "T#1".to_owned(),
        what: what.to_owned(),
        is_held,
        label: if is_held { "holds" } else { "wants" }.to_owned(),
    };
    Scene {
        title: "a state".to_owned(),
        parts: vec![
            part("variables", Role::Globals, Fate::Stays, vec![field(text, "Node#1", false)]),
            part("T#1", Role::Thread, Fate::Stays, vec![field("at a", "", true)]),
            part("Node#1", Role::Object, Fate::Stays, vec![field("next", "Node#2", true)]),
            part("Node#2", Role::Object, Fate::Made, vec![field("next", "Node#1", false)]),
            part("lock#1", Role::Object, Fate::Stays, Vec::new()),
            part("lock#2", Role::Object, Fate::Ended, Vec::new()),
        ],
        claims: vec![claim("lock#1", true), claim("lock#2", false)],
    }
}

fn chart(text: &str) -> Chart {
    let lane = |name: &str, starts, ends| Lane { name: name.to_owned(), starts, ends };
    let row = |at: usize, lane, text: &str| Row {
        number: (at + 1).to_string(),
        lane,
        text: text.to_owned(),
        notes: vec![format!("{text}: 0 → 1")],
        ..Row::default()
    };
    Chart {
        title: "a run".to_owned(),
        lanes: vec![lane("A", None, None), lane("B", None, Some(3)), lane("C", Some(1), None)],
        rows: vec![
            row(0, 0, "q!1"),
            row(1, 1, "run C()"),
            Row { partner: Some((0, text.to_owned())), ..row(2, 2, "") },
            Row { is_bad: true, ..row(3, 1, text) },
        ],
        messages: vec![Message { from: 0, to: 3, text: text.to_owned() }],
        cycle: Some(1),
        ending: Some(text.to_owned()),
        stuck: vec![(0, "line 3".to_owned())],
    }
}

fn overview(text: &str) -> Overview {
    let lanes = vec!["A".to_owned(), text.to_owned()];
    Overview { title: "steps".to_owned(), lanes, steps: vec![0, 0, 1, 0, 1], cycle: Some(2), is_bad: true }
}

fn plot(text: &str) -> Plot {
    let points = vec![(0.0, 1.0), (1.0, 7.0), (2.0, 3.0)];
    Plot { title: text.to_owned(), across: "level".to_owned(), up: text.to_owned(), points }
}

fn all(text: &str) -> Vec<(&'static str, String)> {
    let graph: Diagram = graph(text).diagram(100);
    vec![
        ("graph", graph.svg().into_string()),
        ("scene", scene(text).diagram().svg().into_string()),
        ("chart", chart(text).svg().into_string()),
        ("overview", overview(text).svg().into_string()),
        ("plot", plot(text).svg().into_string()),
    ]
}

#[test]
fn pictures_are_as_they_were() {
    for (name, svg) in all("x := 1") {
        // The style is the same for all.
        let (before, rest) = svg.split_once("<style>").expect("a style");
        let (_, after) = rest.split_once("</style>").expect("a style");
        insta::assert_snapshot!(name, format!("{before}{after}"));
    }
}

#[test]
fn text_becomes_no_markup() {
    for ((name, plain), (_, hostile)) in all("plain").into_iter().zip(all(HOSTILE)) {
        let (mut expect, mut found) = (elements(&plain), elements(&hostile));
        // Text that is cut has a title.
        expect.retain(|element| element != "title");
        found.retain(|element| element != "title");
        assert_eq!(found, expect, "{name}");
        assert!(!hostile.contains(['\0', '\u{202e}']), "{name}");
    }
}

#[test]
fn pictures_do_not_change_from_call_to_call() {
    assert_eq!(all("x"), all("x"));
}

#[test]
fn long_runs_are_folded_and_say_so() {
    let rows = (0..10_000).map(|at| Row { number: (at + 1).to_string(), lane: at % 2, ..Row::default() });
    let lanes = vec![Lane::default(), Lane::default()];
    let chart = Chart { lanes, rows: rows.collect(), ..Chart::default() };
    let svg = chart.svg().into_string();
    assert!(svg.contains("… 9600 rows are not drawn"), "{svg}");
    assert_eq!(svg.matches("<circle").count(), 400);
    assert!(svg.len() < 200_000, "{}", svg.len());
}
