//! Random models with loops inside of atomic blocks, of which some go on for ever.

use testing::SplitMix64;

const CONDITIONS: &[&str] = &["true", "x == 0", "x == 1", "a", "!a", "a || x == 0", "v == 0"];
const CHANGES: &[&str] =
    &["skip;", "x := 1 - x;", "x := 0;", "a := !a;", "a := true;", "v := 1 - v;", "v := x;", "x := v;"];

/// The model of this seed.
pub fn random_divergence(seed: u64) -> String {
    let mut rng = SplitMix64::new(seed);
    let mut lines = vec!["  int (0, 1) x;".to_owned(), "  boolean a;".to_owned()];
    for thread in 0..=rng.below(2) {
        let count = 1 + rng.below(2);
        lines.push(format!("  active [{count}] thread T{thread}() {{"));
        lines.push("    int (0, 1) v;".to_owned());
        let is_round = rng.chance(60);
        if is_round {
            lines.push("    while true do".to_owned());
        }
        for _ in 0..=rng.below(2) {
            statement(&mut rng, &mut lines);
        }
        if is_round {
            lines.push("    end".to_owned());
        }
        lines.push("  }".to_owned());
    }
    format!("system Divergence{seed} {{\n{}\n}}\n", lines.join("\n"))
}

fn statement(rng: &mut SplitMix64, lines: &mut Vec<String>) {
    if rng.chance(40) {
        return lines.push(format!("      {}", rng.pick(CHANGES)));
    }
    let atomic = rng.chance(80);
    if atomic {
        lines.push("      atomic".to_owned());
    }
    if rng.chance(30) {
        lines.push(format!("      {}", rng.pick(CHANGES)));
    }
    lines.push(format!("      while {} do", rng.pick(CONDITIONS)));
    // A loop that goes one way only is a long way for the plain interpreter.
    if rng.chance(if atomic { 2 } else { 50 }) {
        lines.push(format!("        {}", rng.pick(CHANGES)));
    } else {
        lines.push("        choose".to_owned());
        for _ in 0..2 + rng.below(2) {
            let guard = if rng.chance(50) { "true" } else { *rng.pick(CONDITIONS) };
            lines.push(format!("          when <{guard}> do {}", rng.pick(CHANGES)));
        }
        if rng.chance(30) {
            lines.push("          else do x := 0;".to_owned());
        }
        lines.push("        end".to_owned());
    }
    lines.push("      end".to_owned());
    if atomic {
        lines.push("      end".to_owned());
    }
}
