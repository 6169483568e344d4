//! Random programs with observable ids of threads: processes and channels.
//!
//! Threads walk between a few locations, by transitions that test, send, receive and assign at random. Each
//! program has some of the features that such programs can have, so that they occur in all combinations.
//! Exclusive transitions and fused locations lead forward only, since a loop of them would never end. The
//! thread that asks whether others are enabled is one about which nothing is asked.

use std::fmt::Write;

use ir::Program;

use crate::SplitMix64;

/// A program that verifies. Most have fewer than 600 states; equal seeds give equal programs.
pub fn random_processes(seed: u64) -> Program {
    super::program(&random_processes_text(seed))
}

/// The text of [`random_processes`].
pub fn random_processes_text(seed: u64) -> String {
    let mut rng = SplitMix64::new(seed);
    let mut has = |percent| rng.chance(percent);
    let features = Features {
        danger: has(35),
        exclusive: has(60),
        ranks: has(40),
        fused: has(50),
        timeout: has(30),
        last: has(15),
        questions: has(40),
        provided: has(20),
        priorities: has(20),
        starts: has(40),
        monitor: has(25),
        claims: has(25),
    };
    Generator { features, rng }.program()
}

/// The features of the program.
#[derive(Clone, Copy)]
struct Features {
    /// Faults are possible.
    danger: bool,
    exclusive: bool,
    ranks: bool,
    fused: bool,
    timeout: bool,
    last: bool,
    questions: bool,
    provided: bool,
    priorities: bool,
    starts: bool,
    monitor: bool,
    claims: bool,
}

struct Generator {
    features: Features,
    rng: SplitMix64,
}

/// Channels that may be sent to and received from; `r` is one of rendezvous, and `c` may hold any number.
const CHANNELS: &[&str] = &["channel(q)", "channel(s)", "channel(r)", "c"];

/// Channels with a capacity.
const BUFFERS: &[&str] = &["channel(q)", "channel(s)"];

const DECLARATIONS: &str = "enum Kind { red, green }
channel q [2] { int wrap (0, 3) means enum Kind, int wrap (0, 3) };
channel s [1] { int wrap (0, 3), int wrap (0, 1) };
channel r [0] { int wrap (0, 3), int wrap (0, 3) };
channel own [1] { int wrap (0, 3), int wrap (0, 3) };
channels q, s, r;
global int wrap (0, 3) x;
global int wrap (0, 1) y = 1;
global int wrap (0, 7) c means channel;
global boolean b;
global int wrap (0, 1) a[2][2];
untracked global int wrap (0, 3) t;
";

impl Generator {
    fn chance(&mut self, percent: usize) -> bool {
        self.rng.chance(percent)
    }

    /// Whether to use a feature here, if the program has it.
    fn maybe(&mut self, feature: bool, percent: usize) -> bool {
        self.rng.chance(percent) && feature
    }

    fn pick<'a>(&mut self, items: &[&'a str]) -> &'a str {
        items[self.rng.below(items.len())]
    }

    fn digit(&mut self) -> usize {
        self.rng.below(4)
    }

    fn program(&mut self) -> String {
        let last = if self.features.last { ", last" } else { "" };
        let mut out = format!("program random;\nfeatures thread_ids{last};\n");
        out += DECLARATIONS;
        let first = self.pick(CHANNELS);
        _ = writeln!(out, "prologue {{ c := {}; a[1][0] := 1; }}", if first == "c" { "0" } else { first });
        // The first thread asks whether others are enabled; they do not ask back.
        let mut active = vec!["P0"];
        for name in ["P0", "P1"] {
            out += &self.thread(name, false);
        }
        out += &self.thread("C", true);
        active.extend(["P1", "P1"].iter().take(1 + self.rng.below(2)));
        _ = writeln!(out, "active {};", active.join(", "));
        if self.features.monitor {
            out += &self.monitor();
        }
        if self.chance(20) {
            let condition = self.comparison();
            _ = writeln!(out, "invariant calm = {condition};");
        }
        out
    }

    fn thread(&mut self, name: &str, ends: bool) -> String {
        let param = if ends { "int wrap (0, 3) v" } else { "" };
        let mut out = format!("thread {name}({param})");
        if self.maybe(self.features.priorities, 50) {
            _ = write!(out, " priority {}", 1 + self.rng.below(2));
        }
        if self.maybe(self.features.provided, 50) {
            _ = write!(out, " provided {}", self.condition(name));
        }
        out += " {\n";
        out += if ends { "  local int wrap (0, 3) w;\n" } else { "  local int wrap (0, 3) v = 1;\n" };
        if self.chance(50) {
            out += "  channels own;\n  prologue { v := channel(own); }\n";
        }
        while self.maybe(self.features.claims, 50) {
            let word = self.pick(&["send", "receive"]);
            // A claim that cannot be evaluated claims nothing.
            let channel = self.pick(&["channel(q)", "channel(s)", "channel(r)", "c", "v", "x", "a[x][0]"]);
            _ = writeln!(out, "  claim {word} {channel};");
        }
        let locations = 2 + self.rng.below(2);
        let fused = if self.features.fused { self.rng.below(3) } else { 0 };
        for at in 0..locations {
            _ = write!(out, "  loc l{at}");
            out += if self.chance(30) { " end" } else { "" };
            _ = writeln!(out, " number {}:", 2 * at);
            out += &self.transitions(name, at, locations, fused);
            if ends && at + 1 == locations {
                out += "    when youngest() return;\n";
            }
        }
        for at in 0..fused {
            out += &self.fused(at, locations, fused);
        }
        out + "}\n"
    }

    fn transitions(&mut self, name: &str, at: usize, locations: usize, fused: usize) -> String {
        let mut out = String::new();
        let mut elses = Vec::new();
        for _ in 0..=self.rng.below(3) {
            let rank = if self.features.ranks { self.rng.below(2) } else { 0 };
            let exclusive = at + 1 < locations && self.maybe(self.features.exclusive, 40);
            let target = if exclusive {
                at + 1 + self.rng.below(locations - at - 1)
            } else {
                self.rng.below(locations)
            };
            let mut target = format!("l{target}");
            let mut body = Vec::new();
            let guard = if fused > 0 && self.chance(20) {
                target = format!("i{}", self.rng.below(fused));
                if self.chance(80) { format!("ready {target}") } else { String::new() }
            } else if !elses.contains(&rank) && self.chance(15) {
                elses.push(rank);
                "else".to_owned()
            } else {
                let guard =
                    if self.chance(40) { format!("when {}", self.condition(name)) } else { String::new() };
                if self.chance(60) {
                    let channel = self.pick(CHANNELS);
                    body.push(self.message(channel));
                }
                guard
            };
            self.actions(&mut body);
            out += &transition(&guard, rank, exclusive, &body, &target);
        }
        out
    }

    /// A fused location, which mostly does not block.
    fn fused(&mut self, at: usize, locations: usize, fused: usize) -> String {
        let mut out = format!("  loc i{at} fused:\n");
        for _ in 0..=self.rng.below(2) {
            let target = if at + 1 < fused && self.chance(50) {
                format!("i{}", at + 1)
            } else {
                format!("l{}", self.rng.below(locations))
            };
            let mut body = Vec::new();
            if self.chance(40) {
                // An impossible rendezvous there must not fault either.
                let meets = self.chance(10) && !self.features.danger;
                let channel = if meets { "channel(r)" } else { self.pick(BUFFERS) };
                body.push(self.message(channel));
            }
            self.actions(&mut body);
            let guard = if self.chance(60) { format!("when {}", self.comparison()) } else { String::new() };
            out += &transition(&guard, 0, false, &body, &target);
        }
        if self.chance(80) {
            let (mut body, target) = (Vec::new(), self.rng.below(locations));
            self.actions(&mut body);
            out += &transition("else", 0, false, &body, &format!("l{target}"));
        }
        out
    }

    fn message(&mut self, channel: &str) -> String {
        if self.chance(50) {
            let word = self.pick(&["send", "send", "insert"]);
            return format!("{word}({channel}, {}, {})", self.number(), self.number());
        }
        // Only channels with a capacity can be asked whether there is a message to keep.
        let keeps = BUFFERS.contains(&channel) || self.features.danger;
        let words = if keeps { &["receive", "receive", "extract", "peek", "find"][..] } else { &["receive"] };
        let word = self.pick(words);
        let mut fields = vec![channel.to_owned()];
        for _ in 0..2 {
            let field = match self.rng.below(6) {
                0 => "x :=".to_owned(),
                1 => "v :=".to_owned(),
                2 => "a[y][y] :=".to_owned(),
                3 => self.digit().to_string(),
                4 => "y".to_owned(),
                _ => "*".to_owned(),
            };
            fields.push(field);
        }
        if BUFFERS.contains(&channel) && self.maybe(self.features.danger, 3) {
            fields.pop();
        }
        format!("{word}({})", fields.join(", "))
    }

    fn actions(&mut self, body: &mut Vec<String>) {
        for _ in 0..self.rng.below(3) {
            let features = self.features;
            let action = if self.maybe(features.starts, 30) {
                let priority = if self.maybe(features.priorities, 50) { " priority 2" } else { "" };
                format!("v := start C({}){priority}", self.number())
            } else if self.maybe(features.priorities, 20) {
                format!("priority({}, {})", self.digit(), if features.danger { self.digit() } else { 2 })
            } else if self.maybe(features.danger, 8) {
                let condition = self.comparison();
                if self.chance(50) { format!("check({condition})") } else { format!("assert {condition}") }
            } else {
                self.assignment()
            };
            body.push(action);
        }
    }

    fn assignment(&mut self) -> String {
        match self.rng.below(8) {
            0..=2 => format!("x := {}", self.number()),
            3 => format!("y := {}", self.number()),
            4 => format!("v := {}", self.number()),
            5 => format!("a[y][{}] := {}", self.index(), self.number()),
            6 => format!("t := {}", self.number()),
            _ if self.chance(50) => format!("b := {}", self.comparison()),
            _ => {
                let channel =
                    if self.features.danger { self.pick(&["v", "0", "x"]) } else { self.pick(CHANNELS) };
                format!("c := {channel}")
            }
        }
    }

    /// An index of an array of two elements, possibly out of range.
    fn index(&mut self) -> &'static str {
        if self.maybe(self.features.danger, 20) { "x" } else { self.pick(&["0", "1", "y"]) }
    }

    fn number(&mut self) -> String {
        match self.rng.below(12) {
            0 => "x".to_owned(),
            1 => "v".to_owned(),
            2 => "x + 1".to_owned(),
            3 => format!("a[{}][y]", self.index()),
            4 => "thread()".to_owned(),
            5 => format!("number({})", self.comparison()),
            6 => "(wrap(x + 3) : int wrap (0, 3))".to_owned(),
            7 if self.features.last => "last()".to_owned(),
            8 if self.features.danger => "1 / x".to_owned(),
            _ => self.digit().to_string(),
        }
    }

    /// A comparison over globals.
    fn comparison(&mut self) -> String {
        match self.rng.below(8) {
            0..=2 => format!("x {} {}", self.pick(&["==", "!=", "<", ">="]), self.digit()),
            3 => format!("y == {}", self.rng.below(2)),
            4 => "b".to_owned(),
            5 => format!("length({}) {} 1", self.pick(BUFFERS), self.pick(&["<", ">=", "=="])),
            6 => format!(
                "{}full({})",
                self.pick(&["", "!"]),
                self.pick(&["channel(q)", "channel(s)", "channel(r)"])
            ),
            _ => format!("{}({}, *, {}) > 0", self.pick(&["has", "heads"]), self.pick(BUFFERS), self.digit()),
        }
    }

    fn condition(&mut self, name: &str) -> String {
        let features = self.features;
        let thread = self.digit();
        if self.maybe(features.timeout, 25) {
            return self.pick(&["timeout()", "timeout() && x < 2", "!timeout()"]).to_owned();
        }
        if self.maybe(features.last, 25) {
            return format!("last() == {thread}");
        }
        if self.maybe(features.questions, 40) {
            return match self.rng.below(9) {
                0 if name == "P0" => format!("enabled({})", 1 + thread),
                1 => format!("at({thread}, P1, l0, l1)"),
                2 => format!("of({thread}, P1, v) == 1"),
                3 => format!("location({thread}) < 3"),
                4 => format!("threads() {} 3", self.pick(&["<", ">="])),
                5 => format!("first({}) == {thread}", self.pick(&["P1", "C"])),
                6 => format!("thread() == {thread}"),
                7 => "youngest()".to_owned(),
                _ => format!("v == {}", self.digit()),
            };
        }
        if self.maybe(features.priorities, 20) {
            return format!("priority({thread}) == 1");
        }
        if self.maybe(features.danger, 8) {
            return self.pick(&["1 / x == 1", "length(c) == 0", "heads(c, *, *) == 1"]).to_owned();
        }
        self.comparison()
    }

    fn monitor(&mut self) -> String {
        let negated = self.chance(40);
        let mut out = format!("monitor {}{{\n", if negated { "negated " } else { "" });
        let states = 2 + self.rng.below(2);
        for at in 0..states {
            out += if self.chance(60) { "  state end {\n" } else { "  state {\n" };
            let events = if negated && at + 1 == states { 0 } else { 1 + self.rng.below(3) };
            for _ in 0..events {
                let word = self.pick(&["send", "receive"]);
                let channel = self.pick(&["channel(q)", "channel(r)"]);
                let field = match self.rng.below(5) {
                    0..=2 => "*".to_owned(),
                    3 => self.digit().to_string(),
                    _ => "x".to_owned(),
                };
                _ = writeln!(out, "    {word}({channel}, {field}, *) goto {};", self.rng.below(states));
            }
            out += "  }\n";
        }
        out + "}\n"
    }
}

fn transition(guard: &str, rank: usize, exclusive: bool, body: &[String], target: &str) -> String {
    let rank = if rank > 0 { format!(" rank {rank}") } else { String::new() };
    let exclusive = if exclusive { " exclusive" } else { "" };
    let body = if body.is_empty() { String::new() } else { format!(" do {{ {}; }}", body.join("; ")) };
    format!("    {guard}{rank}{exclusive}{body} goto {target};\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use ir::text;

    #[test]
    fn random_programs_come_back_from_their_text() {
        for seed in 0..300 {
            let program = random_processes(seed);
            let again = text::parse(&text::print(&program)).unwrap();
            assert_eq!(again.without_spans(), program.without_spans(), "{seed}");
        }
    }
}
