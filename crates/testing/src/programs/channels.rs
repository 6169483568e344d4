//! Random programs of processes that mostly work on their own.
//!
//! Threads work on variables of their own, on channels that mostly one thread sends to and one receives from,
//! and occasionally on shared data. There are loops of all kinds, atomic blocks, fused locations, `else`,
//! ranks, ends.

use std::fmt::Write;

use crate::SplitMix64;

pub struct Generator {
    rng: SplitMix64,
    /// In percent: how often a thread uses shared data.
    sociable: usize,
    rendezvous: bool,
    /// Whether threads have channels of their own, which they pass to threads that they start.
    own: bool,
    /// Whether there are loops that count, and guards that wait for messages.
    counts: bool,
    /// The current thread.
    name: &'static str,
}

/// The text of a program.
pub fn text(seed: u64) -> String {
    let mut rng = SplitMix64::new(seed);
    let sociable = [5, 15, 40][rng.below(3)];
    let rendezvous = rng.chance(30);
    Generator { rng, sociable, rendezvous, own: false, counts: false, name: "" }.program()
}

/// The text of a program whose threads have channels of their own.
pub fn text_with_own_channels(seed: u64) -> String {
    let mut rng = SplitMix64::new(seed);
    let sociable = [5, 15, 40][rng.below(3)];
    Generator { rng, sociable, rendezvous: false, own: true, counts: false, name: "" }.program()
}

/// The text of a program whose threads count, and wait for conditions on channels.
pub fn text_with_counters(seed: u64) -> String {
    let mut rng = SplitMix64::new(seed);
    let sociable = [5, 15, 40][rng.below(3)];
    let rendezvous = rng.chance(10);
    Generator { rng, sociable, rendezvous, own: false, counts: true, name: "" }.program()
}

impl Generator {
    fn chance(&mut self, percent: usize) -> bool {
        self.rng.chance(percent)
    }

    fn pick<'a>(&mut self, items: &[&'a str]) -> &'a str {
        items[self.rng.below(items.len())]
    }

    fn program(&mut self) -> String {
        let mut out = "program random;\nfeatures thread_ids;\n".to_owned();
        let capacity = [1 + self.rng.below(2), usize::from(!self.rendezvous)];
        // Messages may be channels.
        let most = if self.own { 7 } else { 3 };
        for (name, capacity) in ["k0", "k1", "k2"].iter().zip([1, capacity[0], capacity[1]]) {
            _ = writeln!(out, "channel {name} [{capacity}] {{ int wrap (0, {most}) }};");
        }
        if self.own {
            _ = writeln!(out, "channel m [1] {{ int wrap (0, {most}) }};");
        }
        out += "channels k0, k1, k2;\nglobal int wrap (0, 3) x;\nglobal int wrap (0, 3) y;\n";
        out += "global int wrap (0, 3) own_A;\nglobal int wrap (0, 3) own_B;\n";
        out += "global int wrap (0, 3) z[2];\nglobal int wrap (0, 7) q[3] means channel;\n";
        out += "prologue { q[0] := channel(k0); q[1] := channel(k1); q[2] := channel(k2); }\n";
        let starts = self.chance(40);
        for name in ["A", "B"] {
            out += &self.thread(name);
        }
        if starts {
            out += "thread S() {\n  loc s0 number 0: exclusive do { start A(q[0], q[1]); } goto s1;\n";
            let then = self.pick(&["exclusive ", ""]);
            _ = writeln!(out, "  loc s1 number 1: {then}do {{ start B(q[1], q[2]); }} goto s2;");
            if self.chance(50) {
                out += "  loc s2 number 2: do { start A(q[2], q[0]); } goto s3;\n";
            } else {
                out += "  loc s2 number 2: goto s3;\n";
            }
            out += "  loc s3 end number 3: when youngest() return;\n}\nactive S;\n";
        } else {
            out += "active A, B";
            out += if self.chance(40) { ", B;\n" } else { ";\n" };
        }
        if self.chance(25) {
            let condition = self.shared_condition();
            let condition =
                if self.chance(70) { "own_A >= own_B || own_A == 1".to_owned() } else { condition };
            _ = writeln!(out, "invariant calm = {condition};");
        }
        out
    }

    fn thread(&mut self, name: &'static str) -> String {
        self.name = name;
        let mut out = format!(
            "thread {name}(int wrap (0, 7) in means channel, int wrap (0, 7) out means channel) {{\n"
        );
        out += "  local int wrap (0, 3) v = 1;\n  local int wrap (0, 1) w;\n";
        let mut prologue = String::new();
        let has_own = self.own && self.chance(60);
        if self.own {
            out +=
                "  local int wrap (0, 7) mine means channel;\n  local int wrap (0, 7) peer means channel;\n";
        }
        if has_own {
            out += "  channels m;\n";
            prologue += "mine := channel(m); ";
        }
        let starts = self.own && name == "A" && self.chance(70);
        if self.chance(30) {
            out += "  claim receive in;\n";
        }
        if self.chance(30) {
            out += "  claim send out;\n";
        }
        // Active threads get no arguments: they choose their channels.
        let (k, l) = if name == "A" { (0, 1) } else { (1, 0) };
        if self.chance(if self.own && name == "B" { 30 } else { 85 }) {
            _ = write!(prologue, "in := q[{k}]; out := q[{l}]; ");
        }
        if !prologue.is_empty() {
            _ = writeln!(out, "  prologue {{ {prologue}}}");
        }
        if starts {
            let args = self.pick(&["in, mine", "mine, in", "mine, mine", "out, mine"]);
            _ = writeln!(out, "  loc b0 number 20: do {{ start B({args}); }} goto l0;");
        }
        let locations = 3 + self.rng.below(3);
        let fused = self.rng.below(3);
        for at in 0..locations {
            let end = if self.chance(30) { " end" } else { "" };
            _ = writeln!(out, "  loc l{at}{end} number {at}:");
            if at + 1 == locations && self.chance(70) {
                out += "    when youngest() return;\n";
                continue;
            }
            let mut has_else = false;
            if self.counts && self.chance(30) {
                let target = self.rng.below(at + 1);
                let guard = self.pick(&["when v < 3 ", "when v < 2 ", "when v <= 3 ", "when v > 0 ", ""]);
                let count = self.pick(&["v := v + 1", "v := v + 1", "v := v - 1"]);
                _ = writeln!(out, "    {guard}do {{ {count}; }} goto l{target};");
            }
            if self.counts && at + 1 < locations && self.chance(15) {
                let asked = self.awaited();
                _ = writeln!(out, "    when {asked} exclusive goto l{};", at + 1);
            }
            for _ in 0..=self.rng.below(2) {
                let exclusive = at + 1 < locations && self.chance(15);
                let back = !exclusive && self.chance(25);
                let target = if back {
                    self.rng.below(at + 1)
                } else {
                    (at + 1 + self.rng.below(2)).min(locations - 1)
                };
                let target = if exclusive && target <= at { at + 1 } else { target };
                let mut target = format!("l{target}");
                let mut body = Vec::new();
                let rank = if self.chance(5) { " rank 1" } else { "" };
                let guard = if fused > 0 && self.chance(12) {
                    target = String::from("i0");
                    "ready i0".to_owned()
                } else if !has_else && self.chance(8) {
                    has_else = true;
                    "else".to_owned()
                } else {
                    let guard =
                        if self.chance(25) { format!("when {}", self.condition()) } else { String::new() };
                    if self.chance(45) {
                        body.push(self.message());
                    }
                    guard
                };
                // An `else` belongs to a rank.
                let rank = if guard == "else" { "" } else { rank };
                self.actions(&mut body);
                if guard.starts_with("ready") && self.chance(70) {
                    body.clear();
                }
                let exclusive = if exclusive { " exclusive" } else { "" };
                let body =
                    if body.is_empty() { String::new() } else { format!(" do {{ {}; }}", body.join("; ")) };
                _ = writeln!(out, "    {guard}{rank}{exclusive}{body} goto {target};");
            }
        }
        for at in 0..fused {
            _ = writeln!(out, "  loc i{at} fused:");
            let target = if at + 1 < fused { format!("i{}", at + 1) } else { format!("l{}", locations - 1) };
            let mut body = Vec::new();
            if self.chance(40) {
                body.push(self.message());
            }
            self.actions(&mut body);
            let body =
                if body.is_empty() { String::new() } else { format!(" do {{ {}; }}", body.join("; ")) };
            let guard = if self.chance(30) { format!("when {}", self.condition()) } else { String::new() };
            _ = writeln!(out, "    {guard}{body} goto {target};");
            if self.chance(70) {
                _ = writeln!(out, "    else goto l{};", locations - 1);
            }
        }
        out + "}\n"
    }

    fn message(&mut self) -> String {
        let channel = |this: &mut Self, own: &'static str| {
            if this.own && this.chance(40) {
                this.pick(&["mine", "peer"])
            } else if this.chance(this.sociable) {
                this.pick(&["channel(k0)", "q[w]", "in", "out", "q[2]"])
            } else {
                own
            }
        };
        if self.chance(50) {
            let word = if self.chance(6) { "insert" } else { "send" };
            if self.own && self.chance(25) {
                return format!("{word}({}, mine)", channel(self, "out"));
            }
            return format!("{word}({}, {})", channel(self, "out"), self.number());
        }
        let words: &[&str] =
            if self.rendezvous { &["receive"] } else { &["receive", "receive", "extract", "peek"] };
        let word = if self.chance(80) { "receive" } else { self.pick(words) };
        let field = match self.rng.below(5) {
            _ if self.own && self.chance(25) => "peer :=",
            0 => "*",
            1 => "1",
            2 if self.chance(self.sociable) => "x :=",
            _ => "v :=",
        };
        format!("{word}({}, {field})", channel(self, "in"))
    }

    fn actions(&mut self, body: &mut Vec<String>) {
        let name = self.name;
        for _ in 0..self.rng.below(3) {
            let action = match self.rng.below(12) {
                0 => format!("check({})", self.condition()),
                1 => format!("assert {}", self.condition()),
                2 => "w := 1 - w".to_owned(),
                3 => "v := 3 / w".to_owned(),
                4 if self.chance(self.sociable) => format!("x := {}", self.number()),
                5 if self.chance(self.sociable) => format!("y := {}", self.number()),
                6 if self.chance(self.sociable) => format!("z[w] := {}", self.number()),
                7 if self.chance(self.sociable) => "in := 0".to_owned(),
                8 if self.chance(self.sociable) => "out := in".to_owned(),
                9 => format!("own_{name} := {}", self.number()),
                _ => format!("v := {}", self.number()),
            };
            body.push(action);
        }
    }

    fn number(&mut self) -> String {
        match self.rng.below(7) {
            0 | 1 => "v + 1".to_owned(),
            2 => "w".to_owned(),
            3 if self.chance(self.sociable) => "x".to_owned(),
            4 if self.chance(self.sociable) => "y + v".to_owned(),
            _ => self.rng.below(4).to_string(),
        }
    }

    fn shared_condition(&mut self) -> String {
        match self.rng.below(5) {
            0 | 1 => format!("x {} {}", self.pick(&["==", "<", ">="]), self.rng.below(4)),
            2 => format!("y < {}", 1 + self.rng.below(3)),
            3 => format!("z[0] == {}", self.rng.below(4)),
            _ => format!("length(channel(k{})) < {}", self.rng.below(2), 1 + self.rng.below(2)),
        }
    }

    /// A question about a channel, mostly one of the thread's own.
    fn awaited(&mut self) -> String {
        let channel = if self.chance(self.sociable) { "channel(k0)" } else { self.pick(&["in", "out"]) };
        match self.rng.below(7) {
            0 => format!("length({channel}) > 0"),
            1 => format!("!full({channel})"),
            2 => "length(in) > 0 && !full(out)".to_owned(),
            3 => format!("length({channel}) == 0"),
            4 => format!("full({channel})"),
            5 => format!("heads({channel}, 1) != 0"),
            _ => format!("v < 2 && length({channel}) < 1"),
        }
    }

    fn condition(&mut self) -> String {
        if self.counts && self.chance(30) {
            return self.awaited();
        }
        if !self.chance(self.sociable) {
            return match self.rng.below(3) {
                0 => format!("v < {}", 1 + self.rng.below(3)),
                1 => "w == 1".to_owned(),
                _ => format!("v == {}", self.rng.below(4)),
            };
        }
        match self.rng.below(9) {
            0 => "timeout()".to_owned(),
            1 => format!("at({}, A, l1)", self.rng.below(3)),
            2 => format!("of({}, B, v) == 1", self.rng.below(3)),
            3 => format!("threads() {} 2", self.pick(&["<", ">="])),
            4 => "full(channel(k0))".to_owned(),
            5 => "heads(channel(k1), 1) > 0".to_owned(),
            _ => self.shared_condition(),
        }
    }
}
