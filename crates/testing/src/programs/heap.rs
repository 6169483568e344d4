//! Random programs of a few threads that make objects, pass them on, and mostly lock shared ones.

use std::fmt::Write;

use crate::SplitMix64;

struct Generator {
    rng: SplitMix64,
    /// In percent: how often a thread uses shared objects without a lock.
    sloppy: usize,
    /// In percent: how often a thread asks whether a lock is free.
    curious: usize,
    /// Whether collections have objects.
    sets: bool,
    /// Whether objects are deleted explicitly.
    deletes: bool,
    /// Whether there are blocks, and pointers to parts of objects.
    pointers: bool,
    /// Whether there are channels, which are objects, and what goes with them: ranks and fused locations.
    channels: bool,
}

/// The text of a program. Each thread procedure has one thread at most.
pub fn text(seed: u64) -> String {
    let mut rng = SplitMix64::new(seed);
    let sloppy = [0, 4, 30][rng.below(3)];
    let curious = [0, 0, 15][rng.below(3)];
    let sets = rng.chance(30);
    Generator { rng, sloppy, curious, sets, deletes: false, pointers: false, channels: false }.program()
}

/// The text of such a program with explicit memory.
pub fn explicit_text(seed: u64) -> String {
    let mut rng = SplitMix64::new(seed);
    let (sloppy, curious) = ([0, 4, 30][rng.below(3)], [0, 0, 15][rng.below(3)]);
    let sets = rng.chance(15);
    Generator { rng, sloppy, curious, sets, deletes: true, pointers: false, channels: false }.program()
}

/// The text of such a program with blocks, and pointers to parts of objects; in every other one, memory is
/// explicit.
pub fn pointer_text(seed: u64) -> String {
    let mut rng = SplitMix64::new(seed);
    let (sloppy, curious) = ([0, 4, 30][rng.below(3)], [0, 0, 15][rng.below(3)]);
    let deletes = rng.chance(50);
    Generator { rng, sloppy, curious, sets: false, deletes, pointers: true, channels: false }.program()
}

/// The text of such a program with channels as objects, ranks and fused locations; in every other one, memory is
/// explicit.
pub fn channel_text(seed: u64) -> String {
    let mut rng = SplitMix64::new(seed);
    let (sloppy, curious) = ([0, 4, 30][rng.below(3)], [0, 0, 15][rng.below(3)]);
    let (deletes, pointers) = (rng.chance(50), rng.chance(15));
    Generator { rng, sloppy, curious, sets: false, deletes, pointers, channels: true }.program()
}

impl Generator {
    fn chance(&mut self, percent: usize) -> bool {
        self.rng.chance(percent)
    }

    fn pick<'a>(&mut self, items: &[&'a str]) -> &'a str {
        items[self.rng.below(items.len())]
    }

    fn program(&mut self) -> String {
        let mut out = "program random;\nrecord Object {}\n".to_owned();
        if self.deletes {
            let leaks = self.pick(&["unreachable", "unreachable", "unreachable", "end", "off"]);
            _ = writeln!(out, "memory explicit leaks {leaks};");
        }
        let channel = if self.channels { " chan o;" } else { "" };
        _ = writeln!(
            out,
            "record Cell extends Object {{ lock m; Cell next; int wrap (0, 2) v; int wrap (0, 2) k; Cell[] r;{channel} }}"
        );
        if self.deletes {
            out += "scoped record Box extends Cell {}\n";
        }
        if self.pointers {
            out += "record Pair { Cell c; int wrap (0, 4) v; pointer t; }\nglobal pointer z;\n";
        }
        out += "global Cell g;\nglobal Cell h;\nglobal int wrap (0, 2) x;\n";
        if self.sets {
            out += "global Set<Cell> s;\n";
        }
        if self.channels {
            out += "channel post [2] { record Cell, int wrap (0, 2) };\nchannel hand [0] { record Cell };\n\
                    channel line [1] { chan };\nchannel sorted [2] { int wrap (0, 2), record Cell };\n\
                    global chan e;\nglobal chan w;\nprologue { e := new chan(post); w := new chan(hand); }\n";
        }
        let threads = if self.chance(25) { 3 } else { 2 };
        for name in &["A", "B", "C"][..threads] {
            out += &self.thread(name);
        }
        out += "thread MAIN() {\n  local Cell a;\n  local Cell b;\n  loc s0: do { g := new Cell; g.m := new lock;";
        out += " a := new Cell; a.m := new lock; b := new Cell; b.m := new lock;";
        out += self.pick(&[" g.next := a;", " g.r := new Cell[1]; g.r[0] := a;", ""]);
        out += self.pick(&[" h := b;", ""]);
        // The argument is the thread's own, or shared with another one.
        _ = write!(out, " start A({});", self.rng.pick(&["a", "g", "null", "b"]));
        _ = write!(out, " start B({});", self.rng.pick(&["b", "g", "null", "a"]));
        if threads > 2 {
            _ = write!(out, " start C({});", self.rng.pick(&["b", "g", "a"]));
        }
        out += if self.chance(80) { " } return;\n}\n" } else { " } goto s1;\n  loc s1 end:\n}\n" };
        out += "active MAIN;\n";
        if self.chance(25) {
            let invariant = self.pick(&[
                "g == null || g.v != 2",
                "g == null || g.next == null || g.next.v == 0",
                "h == null || h.v < 2",
                "x != 2",
            ]);
            _ = writeln!(out, "invariant calm = {invariant};");
        }
        out
    }

    fn thread(&mut self, name: &str) -> String {
        let mut out = format!(
            "thread {name}(Cell p) {{\n  local Cell a;\n  local Cell b;\n  local Cell[] r;\n  local int wrap (0, 2) v;\n"
        );
        if self.deletes {
            out += "  local Box k;\n";
        }
        if self.pointers {
            out += "  local pointer q;\n  local pointer n;\n";
        }
        let mut lines = Vec::new();
        if self.channels {
            out += "  local chan c;\n  local chan d;\n";
            let kind = self.pick(&["post", "post", "line", "hand", "sorted"]);
            lines.push(format!("do {{ c := new chan({kind}); a := new Cell; }}"));
        }
        if self.pointers && self.chance(75) {
            lines.push("do { a := g; b := g; q := new block Pair[2]; n := offset(q, 1); }".to_owned());
            if self.chance(60) {
                lines.push("do { z := offset(q, 4); }".to_owned());
            }
        }
        for _ in 0..2 + self.rng.below(3) {
            self.idiom(&mut lines);
        }
        lines.truncate(7);
        let last = lines.len();
        let mut atomic = false;
        for (at, line) in lines.iter().enumerate() {
            let target = if self.chance(6) { self.rng.below(last + 1) } else { at + 1 };
            _ = writeln!(out, "  loc l{at}{}:", if atomic { " atomic" } else { "" });
            // No endless loops in atomic blocks.
            atomic = target == at + 1 && target < last && self.chance(15);
            let target = if atomic { at + 1 } else { target };
            if self.channels && self.chance(10) {
                let more = self.statement();
                _ = writeln!(out, "    {line} goto f{at};");
                _ = writeln!(out, "  loc f{at} fused:\n    do {{ {more}; }} goto l{target};");
                continue;
            }
            _ = writeln!(out, "    {line} goto l{target};");
            match self.rng.below(12) {
                2 | 3 if self.channels => {
                    let (rank, more) = (1 + self.rng.below(2), self.channel_line());
                    let more = more.replace("do {", &format!("rank {rank} do {{"));
                    _ = writeln!(out, "    {more} goto l{};", at + 1);
                }
                0 => _ = writeln!(out, "    else goto l{last};"),
                1 => {
                    let more = self.statement();
                    _ = writeln!(out, "    do {{ {more}; }} goto l{};", at + 1);
                }
                _ => {}
            }
        }
        let end = self.rng.below(10);
        match end {
            0..5 => _ = writeln!(out, "  loc l{last} end:"),
            5..7 => _ = writeln!(out, "  loc l{last}: return;"),
            _ => _ = writeln!(out, "  loc l{last}: goto l{};", self.rng.below(last)),
        }
        out + "}\n"
    }

    /// Some lines that belong together: guards and bodies of transitions.
    fn idiom(&mut self, lines: &mut Vec<String>) {
        if self.deletes && self.chance(45) {
            return self.memory(lines);
        }
        if self.pointers && self.chance(55) {
            return self.pointer(lines);
        }
        if self.channels && self.chance(60) {
            for _ in 0..=self.rng.below(2) {
                let line = self.channel_line();
                lines.push(line);
            }
            return;
        }
        match self.rng.below(9) {
            0 | 1 => {
                lines.push("do { a := new Cell; }".to_owned());
                if self.chance(40) {
                    lines.push("do { a.m := new lock; }".to_owned());
                }
                for _ in 0..=self.rng.below(2) {
                    let statement = self.private("a");
                    lines.push(format!("do {{ {statement}; }}"));
                }
            }
            2..=4 => {
                let what = self.pick(&["g", "g", "p", "a"]).to_owned();
                let first = if self.chance(20) { self.statement() + "; " } else { String::new() };
                lines.push(format!("do {{ {first}lock({what}.m); }}"));
                for _ in 0..=self.rng.below(2) {
                    let statement = self.critical(&what);
                    lines.push(format!("do {{ {statement}; }}"));
                }
                if self.chance(12) {
                    lines.push(format!("do {{ wait({what}.m); }}"));
                    lines.push(format!("do {{ unwait({what}.m); }}"));
                }
                if self.chance(15) {
                    let word = self.pick(&["notify", "notifyAll"]);
                    lines.push(format!("do {{ {word}({what}.m); }}"));
                }
                if self.chance(90) {
                    lines.push(format!("do {{ unlock({what}.m); }}"));
                }
            }
            5 => {
                let statement = self.pick(&["h := a", "h := b", "a := h", "b := h"]);
                lines.push(format!("do {{ {statement}; }}"));
            }
            6 if self.sets => {
                let line = self.pick(&[
                    "when a != null do { s := s.add(a); }",
                    "when s.size() > 0 do { a := choose s; }",
                    "when a != null do { s := s.remove(a); }",
                ]);
                lines.push(line.to_owned());
            }
            7 if self.chance(self.curious) => {
                let line = self.pick(&[
                    "when lockAvailable(g.m) do { v := 1; }",
                    "when !lockAvailable(g.m) do { x := 2; }",
                    "do { assert lockAvailable(g.m); }",
                ]);
                lines.push(line.to_owned());
            }
            _ => {
                let guard = if self.chance(20) { self.condition() } else { String::new() };
                let statement = self.statement();
                lines.push(format!("{guard}do {{ {statement}; }}"));
            }
        }
    }

    /// Some lines about pointers to parts of objects.
    fn pointer(&mut self, lines: &mut Vec<String>) {
        let q = self.pick(&["q", "q", "n", "z"]).to_owned();
        let length = self.pick(&["2", "2", "1", "v", "v - 1"]);
        let target = |rng: &mut SplitMix64| {
            *rng.pick(&["address(a.v)", "address(g.v)", "address(h.next)", "address(a.next)", "address(b.k)"])
        };
        match self.rng.below(12) {
            0 | 1 => {
                lines.push(format!("do {{ {q} := new block Pair[{length}]; }}"));
                let to = self.pick(&["1", "3", "4", "v", "within(v, 2) * 3"]);
                lines.push(format!("do {{ n := offset({q}, {to}); }}"));
            }
            2 => {
                let place = target(&mut self.rng);
                lines.push(format!("do {{ {q} := {place}; }}"));
                lines.push(format!("do {{ (load({q}) : int) := {}; }}", self.number()));
            }
            3 => lines.push(format!("do {{ v := (load({q}) : int); }}")),
            4 => lines.push(format!("do {{ (load(offset({q}, 1)) : int) := v + 1; }}")),
            5 => {
                lines.push(format!("do {{ (load({q}) : Cell) := {}; }}", self.rng.pick(&["a", "b", "null"])));
            }
            6 => lines.push(format!("do {{ a := (load({q}) : Cell); }}")),
            7 => lines.push(format!("when {q} == n do {{ v := 1; }}")),
            8 => lines.push(format!("do {{ (load(offset({q}, 2)) : pointer) := n; }}")),
            9 => lines.push(format!("do {{ q := (load(offset({q}, 2)) : pointer); }}")),
            10 if self.deletes => lines.push(format!("do {{ delete {q}; }}")),
            _ => {
                let line =
                    self.pick(&["z := q", "q := z", "n := q", "z := null", "q := null", "q := new Cell"]);
                lines.push(format!("do {{ {line}; }}"));
            }
        }
    }

    /// Some lines about objects that are deleted, lost or go out of scope.
    fn memory(&mut self, lines: &mut Vec<String>) {
        match self.rng.below(7) {
            0 => {
                lines.push("do { a := new Cell; }".to_owned());
                let between = self.pick(&["b := a", "h := a", "a.next := b", "a.next := a", "v := 1"]);
                lines.push(format!("do {{ {between}; }}"));
                lines.push("do { delete a; }".to_owned());
            }
            1 => {
                lines.push("do { k := new Box; }".to_owned());
                let between = self.pick(&["h := k", "a := k", "k.next := a", "v := 1"]);
                lines.push(format!("do {{ {between}; }}"));
                lines.push(self.pick(&["do { kill k; }", "do { kill k; k := null; }"]).to_owned());
            }
            2 => {
                let line = self.pick(&[
                    "do { delete h; h := null; }",
                    "do { a := h; h := null; delete a; }",
                    "when h != null do { delete h; }",
                    "do { delete p; p := null; }",
                ]);
                lines.push(line.to_owned());
            }
            3 => {
                let line = self.pick(&[
                    "do { delete g.m; }",
                    "do { delete r; }",
                    "do { delete a.next; }",
                    "do { delete b.m; delete b; }",
                    "do { delete k; }",
                ]);
                lines.push(line.to_owned());
            }
            4 => {
                let line = self.pick(&[
                    "do { check(v != 1); a := null; }",
                    "do { a := null; assert v != 1; }",
                    "do { a := new Cell; a := null; check(x != 1); }",
                ]);
                lines.push(line.to_owned());
            }
            5 => {
                let line = self.pick(&[
                    "when a instanceof Box do { x := 1; }",
                    "do { b := (h as Cell); }",
                    "when h == a do { v := 1; }",
                    "do { v := h.v; }",
                ]);
                lines.push(line.to_owned());
            }
            _ => {
                let statement =
                    self.pick(&["a := null", "b := null", "h := null", "g.next := null", "p := a"]);
                lines.push(format!("do {{ {statement}; }}"));
            }
        }
    }

    /// A guard and a body about channels: mostly those that the thread has made itself.
    fn channel_line(&mut self) -> String {
        let c = self.pick(&["c", "c", "c", "d", "e", "g.o", "a.o"]);
        let a = self.pick(&["a", "b", "g", "null"]);
        match self.rng.below(22) {
            0 | 1 => format!("do {{ send({c}, {a}, v); }}"),
            2 | 3 => format!("do {{ receive({c}, b :=, v :=); }}"),
            4 => format!("do {{ receive({c}, a :=, *); }}"),
            5 => format!("do {{ extract({c}, *, 1); }}"),
            6 => format!("do {{ peek({c}, b :=, *); }}"),
            7 => format!("when length({c}) < 2 do {{ send({c}, {a}, 1); }}"),
            8 => format!("when has({c}, *, 1) > 0 do {{ v := 1; }}"),
            9 => format!("when full({c}) do {{ x := 1; }}"),
            10 => self
                .pick(&["do { send(d, c); }", "do { receive(d, c :=); }", "do { send(c, d); }"])
                .to_owned(),
            11 => self
                .pick(&["do { send(c, a); }", "do { receive(c, b :=); }", "do { receive(c, b :=); v := 1; }"])
                .to_owned(),
            12 => self.pick(&["do { send(w, a); }", "do { send(w, a); a := null; }"]).to_owned(),
            13 => self.pick(&["do { receive(w, b :=); }", "do { receive(w, a.next :=); }"]).to_owned(),
            14 => format!("do {{ insert({c}, v, {a}); }}"),
            15 => format!("do {{ receive({c}, v :=, b :=); }}"),
            16 => {
                let kind = self.pick(&["post", "line", "hand", "sorted"]);
                format!("do {{ {} := new chan({kind}); }}", self.pick(&["c", "d", "d"]))
            }
            17 => self
                .pick(&["do { d := c; }", "do { a.o := c; }", "do { d := a.o; }", "do { c := null; }"])
                .to_owned(),
            18 => self.pick(&["do { g.o := c; }", "do { d := g.o; }", "do { e := c; }"]).to_owned(),
            19 if self.deletes => {
                self.pick(&["do { delete c; }", "do { delete d; }", "do { delete e; }"]).to_owned()
            }
            20 => "do { check(v != 2); }".to_owned(),
            _ => format!("when c != d do {{ {}; }}", self.private("a")),
        }
    }

    fn number(&mut self) -> &'static str {
        self.pick(&["0", "1", "2", "v", "v + 1", "x"])
    }

    fn condition(&mut self) -> String {
        let guarded = if self.chance(self.sloppy) { "when g.v == 1 " } else { "when v < 2 " };
        self.pick(&["when v == 0 ", "when h != null ", "when a != null && a.v == 0 ", "when x < 2 ", guarded])
            .to_owned()
    }

    fn private(&mut self, cell: &str) -> String {
        match self.rng.below(7) {
            0 => format!("{cell}.v := {}", self.number()),
            1 => format!("{cell}.next := b"),
            2 => format!("v := {cell}.v"),
            3 => format!("b := {cell}"),
            4 => format!("{cell}.k := {}", self.number()),
            5 => format!("{cell}.r := new Cell[2]; {cell}.r[1] := b"),
            _ => format!("{cell}.next := new Cell"),
        }
    }

    /// An access to a cell whose lock is held.
    fn critical(&mut self, cell: &str) -> String {
        match self.rng.below(10) {
            0 => format!("{cell}.v := {}", self.number()),
            1 => format!("v := {cell}.v"),
            2 => format!("{cell}.next := a"),
            3 => format!("a := {cell}.next"),
            4 => format!("b := {cell}.next; {cell}.next := null"),
            5 => format!("{cell}.next.v := {}", self.number()),
            6 => format!("assert {cell}.v != 2"),
            7 => format!("v := {cell}.k"),
            8 => format!("{cell}.r[0] := b"),
            _ => "v := a.v".to_owned(),
        }
    }

    fn statement(&mut self) -> String {
        if self.chance(self.sloppy) {
            let cell = self.pick(&["g", "h", "p", "b"]);
            return self.critical(cell);
        }
        match self.rng.below(12) {
            0 => "a := null".to_owned(),
            1 => "b := a".to_owned(),
            2 => format!("x := {}", self.number()),
            3 => format!("v := {}", self.number()),
            4 => "assert v != 2".to_owned(),
            5 => "r := new Cell[2]".to_owned(),
            6 => "r[v] := a".to_owned(),
            7 => "b := r[0]".to_owned(),
            8 => "a := p".to_owned(),
            9 => "v := r.length".to_owned(),
            _ => {
                let cell = self.pick(&["a", "b"]);
                self.private(cell)
            }
        }
    }
}
