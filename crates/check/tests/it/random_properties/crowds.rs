//! Random models of threads that are like each other, with little else: who is who matters to fairness alone.
//! Some wait, some can be kept from moving by the others, some end and are started again.
//!
//! Every transition is a line of its own: `shrink` relies on that.

use testing::SplitMix64;

/// What a thread does when it can.
type Change = (&'static str, &'static str);

const CHANGES: &[Change] = &[
    ("true", "skip;"),
    ("true", "skip;"),
    ("x == 0", "x := 1;"),
    ("x == 1", "x := 0;"),
    ("x == 0", "skip;"),
    ("true", "x := 1 - x;"),
    ("v == 0", "v := 1;"),
    ("v == 1", "v := 0;"),
    ("true", "v := 1 - v;"),
    ("x == v", "x := 1 - v;"),
    ("x != v", "skip;"),
];

/// The model of this seed.
pub fn random_crowd(seed: u64) -> String {
    let mut rng = SplitMix64::new(seed);
    // Some have no variable of their own, and differ only in where they are.
    let has_own = rng.chance(40);
    let is_allowed = |change: &&Change| has_own || !change.0.contains('v') && !change.1.contains('v');
    let changes: Vec<Change> = CHANGES.iter().filter(is_allowed).copied().collect();
    let (ends, has_idler) = (rng.chance(35), rng.chance(70));
    let workers = 2 + rng.below(3);
    let mut lines = vec!["  int (0, 1) x;".to_owned(), "  int (0, 2) gone;".to_owned()];
    lines.push("  thread Worker() {".to_owned());
    if has_own {
        lines.push("    int (0, 1) v;".to_owned());
    }
    let places = 1 + rng.below(3);
    // The first one is never come back to, in some.
    let first = usize::from(places > 1 && rng.chance(60));
    for place in 0..places {
        lines.push(format!("    loc L{place}:"));
        for _ in 0..=rng.below(5) / 2 {
            let (guard, body) = *rng.pick(&changes);
            let guard = if first > place && rng.chance(50) { "true" } else { guard };
            let next = if place + 1 < places { place + 1 } else { first };
            let to = if rng.chance(60) { next } else { first + rng.below(places - first) };
            lines.push(format!("      when {guard} do {{ {body} }} goto L{to};"));
        }
        if ends && rng.chance(40) {
            lines.push("      when gone < 2 do { gone := gone + 1; } return;".to_owned());
        }
    }
    lines.push("  }".to_owned());
    if ends {
        lines.push("  thread Boss() {".to_owned());
        lines.push("    loc B0:".to_owned());
        lines.push("      when gone > 0 do { gone := gone - 1; start Worker(); } goto B0;".to_owned());
        lines.push("  }".to_owned());
    }
    if has_idler {
        lines.push("  thread Idler() {".to_owned());
        lines.push("    loc I0:".to_owned());
        lines.push("      when true do { skip; } goto I0;".to_owned());
        lines.push("  }".to_owned());
    }
    lines.push("  main thread Main() {".to_owned());
    lines.push("    atomic".to_owned());
    lines.extend((0..workers).map(|_| "      start Worker();".to_owned()));
    for (is_there, other) in [(ends, "Boss"), (has_idler, "Idler")] {
        lines.extend(is_there.then(|| format!("      start {other}();")));
    }
    lines.push("    end".to_owned());
    lines.push("  }".to_owned());
    format!("system Crowd{seed} {{\n{}\n}}\n", lines.join("\n"))
}
