//! Random models of threads that can move only now and then, because others take turns at what they wait for:
//! there it matters whether schedules are strongly fair.
//!
//! Every transition is a line of its own: `shrink` relies on that.

use testing::SplitMix64;

/// What a thread waits for, and what it does then.
const WAITS: &[(&str, &str)] = &[
    ("x == 0", "x := 1;"),
    ("x == 1", "x := 0;"),
    ("x == 0", "skip;"),
    ("x == 1", "skip;"),
    ("x == y", "y := 1 - y;"),
    ("y == 1", "skip;"),
];

/// What a thread does at any time.
const CHANGES: &[&str] = &["x := 1 - x;", "x := 0;", "x := 1;", "y := 1 - y;", "y := x;", "skip;"];

/// The model of this seed.
pub fn random_contention(seed: u64) -> String {
    let mut rng = SplitMix64::new(seed);
    let ends = rng.chance(25);
    let mut lines = vec!["  int (0, 1) x;".to_owned(), "  int (0, 1) y;".to_owned()];
    lines.push("  int (0, 2) gone;".to_owned());
    lines.push("  thread Worker() {".to_owned());
    let places = 2 + rng.below(2);
    // Up to two transitions are fair.
    let is_marked = rng.chance(40);
    let mut fair = if is_marked { 2 } else { 0 };
    let mut mark = |rng: &mut SplitMix64| {
        let is_fair = fair > 0 && rng.chance(60);
        fair -= u32::from(is_fair);
        if is_fair { "fair " } else { "" }
    };
    // The first one is never come back to, in some.
    let first = usize::from(rng.chance(60));
    for place in 0..places {
        let next = if place + 1 < places { place + 1 } else { first };
        lines.push(format!("    loc L{place}:"));
        if place == 0 || rng.chance(40) {
            let (guard, body) = *rng.pick(WAITS);
            lines.push(format!("      when {guard} do {}{{ {body} }} goto L{next};", mark(&mut rng)));
        } else {
            let body = rng.pick(CHANGES);
            lines.push(format!("      when true do {}{{ {body} }} goto L{next};", mark(&mut rng)));
        }
        // Without a mark, a thread need not leave.
        if is_marked && rng.chance(60) {
            lines.push(format!(
                "      when true do {{ {} }} goto L{place};",
                rng.pick(&["skip;", "x := 1 - x;"])
            ));
        } else if rng.chance(20) {
            lines.push(format!("      when x == {} do {{ }} goto L{place};", rng.below(2)));
        }
        if ends && rng.chance(40) {
            let mark = mark(&mut rng);
            lines.push(format!("      when gone < 2 do {mark}{{ gone := gone + 1; }} return;"));
        }
    }
    lines.push("  }".to_owned());
    if ends {
        lines.push("  thread Boss() {".to_owned());
        lines.push("    loc B0:".to_owned());
        lines.push("      when gone > 0 do { gone := gone - 1; start Worker(); } goto B0;".to_owned());
        lines.push("  }".to_owned());
    }
    // Some take turns by themselves.
    let has_toggler = rng.chance(50);
    if has_toggler {
        lines.push("  thread Toggler() {".to_owned());
        lines.push("    loc T0:".to_owned());
        lines.push(format!(
            "      when true do {{ {} }} goto T1;",
            rng.pick(&["x := 1;", "x := 0;", "y := 1;"])
        ));
        lines.push("    loc T1:".to_owned());
        let back = rng.pick(&["x := 0;", "x := 1;", "y := 0;", "x := 1 - x;"]);
        lines.push(format!("      when true do {{ {back} }} goto T0;"));
        lines.push("  }".to_owned());
    }
    lines.push("  main thread Main() {".to_owned());
    lines.push("    atomic".to_owned());
    lines.extend((0..2 + rng.below(2)).map(|_| "      start Worker();".to_owned()));
    for (is_there, other) in [(ends, "Boss"), (has_toggler, "Toggler")] {
        lines.extend(is_there.then(|| format!("      start {other}();")));
    }
    lines.push("    end".to_owned());
    lines.push("  }".to_owned());
    format!("system Contention{seed} {{\n{}\n}}\n", lines.join("\n"))
}
