//! Random models that go on for ever: threads of one kind that go round in circles, pass something on, start
//! helpers that end, make objects that no thread keeps.
//!
//! Every transition is a line of its own: `shrink` relies on that.

use testing::SplitMix64;

/// What a thread does when it can.
type Change = (&'static str, &'static str);

const NUMBERS: &[Change] = &[("x < 2", "x := x + 1;"), ("x > 0", "x := x - 1;"), ("true", "x := 0;")];
const KEYS: &[Change] = &[
    ("true", "k := Set.choose(Key.all);"),
    ("true", "id := k;"),
    ("id == k", "k := null;"),
    ("id != k", "id := k; k := null;"),
    ("true", "id := Set.choose(Key.all);"),
    ("id != null", "k := id; id := null;"),
];
const NODES: &[Change] = &[
    ("true", "g := mine;"),
    ("mine != null", "mine := mine.a;"),
    ("g != mine", "h := g; g := mine;"),
    ("mine != null && mine.v == 0", "mine.v := 1;"),
    ("mine != null && mine.v == 1", "mine.v := 0;"),
    ("g != null", "g.v := 1 - g.v;"),
    ("true", "h := g;"),
    ("h != null", "h := null;"),
];
/// Who has it passes it on.
const TOKEN: &[Change] = &[
    ("mine != null && g == mine", "g := mine.a;"),
    ("mine != null && g == mine.a", "g := mine;"),
    ("g == null", "g := mine;"),
    ("mine != null && g == mine", "g := mine.a; mine := g;"),
];
const CREATION: &[Change] = &[
    ("true", "g := new Node;"),
    ("h == null", "h := new Node; h.a := mine;"),
    ("true", "mine := new Node;"),
    ("g != null", "g := null; h := null;"),
];
const STARTS: &[Change] = &[("x == 0", "x := 1; start Helper(mine);"), ("x == 1", "x := 2;")];
const LOCKS: &[Change] =
    &[("lockAvailable(m)", "lock(m);"), ("hasLock(m)", "unlock(m);"), ("!hasLock(m)", "x := 0;")];

/// The model of this seed.
pub fn random_rounds(seed: u64) -> String {
    rounds(seed, &[NUMBERS, KEYS, NODES, TOKEN, CREATION, STARTS, LOCKS])
}

/// A model that chooses and passes on elements of an abstract enum.
pub fn random_keys(seed: u64) -> String {
    rounds(seed, &[KEYS, KEYS, KEYS, NUMBERS, STARTS])
}

fn rounds(seed: u64, all: &[&[Change]]) -> String {
    let mut rng = SplitMix64::new(seed);
    let kinds = 1 + rng.below(3);
    let mut changes: Vec<Change> = (0..kinds).flat_map(|_| *rng.pick(all)).copied().collect();
    changes.push(("true", "skip;"));
    let mut lines = vec![
        "  abstract enum Key { K0, K1, K2 }".to_owned(),
        "  record Node { Node a; int (0, 1) v; }".to_owned(),
        "  Node g;".to_owned(),
        "  Node h;".to_owned(),
        "  Key id;".to_owned(),
        "  int (0, 2) x;".to_owned(),
        "  lock m;".to_owned(),
        "  thread Helper(Node mine) {".to_owned(),
        format!("    {}", rng.pick(&["x := 0;", "g := mine;", "skip;"])),
        "  }".to_owned(),
        "  thread Worker(Node mine) {".to_owned(),
        "    Key k;".to_owned(),
    ];
    let places = 1 + rng.below(3);
    for place in 0..places {
        lines.push(format!("    loc L{place}:"));
        for _ in 0..=rng.below(5) / 2 {
            let (guard, body) = *rng.pick(&changes);
            let guard = if rng.chance(20) && !guard.contains("null") && !body.contains("lock") {
                "true"
            } else {
                guard
            };
            let to = if rng.chance(60) { (place + 1) % places } else { rng.below(places) };
            let exit = if rng.chance(4) { "return".to_owned() } else { format!("goto L{to}") };
            lines.push(format!("      when {guard} do {{ {body} }} {exit};"));
        }
    }
    lines.push("  }".to_owned());
    // A thread that is always there, and need not leave anything to others.
    let has_idler = rng.chance(50);
    if has_idler {
        lines.push("  thread Idler() {".to_owned());
        lines.push("    loc I0:".to_owned());
        lines.push("      when true do { skip; } goto I0;".to_owned());
        lines.push("  }".to_owned());
    }
    // Some who are there from the beginning.
    if rng.chance(25) {
        lines.push(format!("  active [{}] thread Walker() {{", 1 + rng.below(2)));
        lines.push("    loc W0:".to_owned());
        lines.push(format!("      when {} do {{ }} goto W1;", rng.pick(&["true", "x == 0", "g == h"])));
        lines.push("    loc W1:".to_owned());
        lines.push(format!("      when {} do {{ }} goto W0;", rng.pick(&["true", "x != 1", "g != null"])));
        if rng.chance(30) {
            lines.push("      when true do { start Helper(g); } return;".to_owned());
        }
        lines.push("  }".to_owned());
    }
    let workers = 1 + rng.below(3);
    lines.push("  main thread Main() {".to_owned());
    lines.extend((0..workers).map(|worker| format!("    Node n{worker};")));
    lines.push("    atomic".to_owned());
    lines.push("      m := new lock;".to_owned());
    lines.extend((0..workers).map(|worker| format!("      n{worker} := new Node;")));
    if rng.chance(75) {
        lines.extend((0..workers).map(|worker| format!("      n{worker}.a := n{};", (worker + 1) % workers)));
    }
    if rng.chance(50) {
        lines.push("      g := n0;".to_owned());
    }
    // What is dropped in the middle of a block has an id until its end.
    let (drops, keeps) = (rng.chance(30), rng.chance(30));
    for worker in 0..workers {
        lines.extend(drops.then(|| "      h := new Node; h := null;".to_owned()));
        lines.push(format!("      start Worker(n{worker});"));
        lines.extend(keeps.then(|| "      h := new Node;".to_owned()));
    }
    if has_idler {
        lines.push("      start Idler();".to_owned());
    }
    lines.push("    end".to_owned());
    lines.push("  }".to_owned());
    format!("system Rounds{seed} {{\n{}\n}}\n", lines.join("\n"))
}
