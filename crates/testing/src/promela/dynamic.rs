//! Random dynamic programs, as text: objects, pointers, recursive functions, values of type `ftype`, addresses of
//! variables, and in every other program `delete`; in some, several objects in a row, pointers to parts of objects, and
//! variables of inner scopes whose addresses are taken; in some, channels as objects, with messages that carry all of
//! these.
//!
//! Two processes walk a small graph of objects, change it and take it apart. Little is tested before it is done, so
//! that most kinds of faults occur; what follows a fault is not reached, so programs are short.

use crate::SplitMix64;

/// The text of a program; equal seeds give equal texts.
pub fn dynamic(seed: u64) -> String {
    let mut rng = SplitMix64::new(seed);
    let deletes = rng.chance(50);
    let addresses = rng.chance(50);
    let functions = rng.chance(40);
    let parts = rng.chance(50);
    let channels = rng.chance(50);
    Generator { rng, deletes, addresses, functions, parts, channels }.program()
}

struct Generator {
    rng: SplitMix64,
    deletes: bool,
    addresses: bool,
    functions: bool,
    /// Several objects in a row, and pointers to parts of objects.
    parts: bool,
    channels: bool,
}

impl Generator {
    fn pick<'t>(&mut self, from: &[&'t str]) -> &'t str {
        from[self.rng.below(from.len())]
    }

    fn pointer(&mut self) -> &'static str {
        self.pick(&["a", "b", "g", "h"])
    }

    fn path(&mut self) -> String {
        let base = self.pointer();
        if self.rng.chance(60) { base.to_owned() } else { format!("{base}.{}", self.pick(&["p", "q"])) }
    }

    fn condition(&mut self) -> String {
        if self.channels && self.rng.chance(25) {
            return self
                .pick(&[
                    "d == e",
                    "d != null && len(d) > 0",
                    "nempty(e)",
                    "m == null",
                    "e?[_, 1]",
                    "nfull(d)",
                ])
                .to_owned();
        }
        match self.rng.below(4) {
            0 => {
                let (left, right) = (self.path(), self.path());
                let op = self.pick(&["==", "!="]);
                if self.rng.chance(50) { format!("{left} {op} null") } else { format!("{left} {op} {right}") }
            }
            1 => format!("{} != null && c < 2", self.pointer()),
            2 => format!("c == {}", self.rng.below(3)),
            _ => format!("{} != null", self.pointer()),
        }
    }

    /// A statement about parts of objects.
    fn part(&mut self) -> String {
        let (a, b, path) = (self.pointer(), self.pointer(), self.path());
        let (i, j) = (self.pick(&["0", "1", "c", "2"]), self.pick(&["0", "1", "c - 1"]));
        match self.rng.below(17) {
            0 | 1 => format!("{a} = new N[{}]", self.pick(&["2", "2", "c", "c - 1", "3"])),
            2 => format!("{a} = &{b}[{i}]"),
            3 => format!("{a}[{i}].k = c"),
            4 => format!("c = {path}[{j}].k"),
            5 => format!("{a}[{i}].p = {path}"),
            6 => format!("u = &{path}.k"),
            7 => format!("u = &{a}.r[{i}]"),
            8 => format!("u = &pair[{i}]"),
            9 => self.pick(&["*u = c", "c = *u % 3", "u[1] = 1", "c = u[c] % 3", "(u != null)"]).to_owned(),
            10 => format!("{a}.r[{i}] = c"),
            11 => format!("c = {b}.r[{i}]"),
            12 => format!("s[{j}] = {path}"),
            13 => format!("{a} = s[{i}]"),
            14 => format!("y = &{path}.{}", self.pick(&["p", "q"])),
            15 => self.pick(&["*y = a", "a = *y", "*y = null", "y = null", "u = null"]).to_owned(),
            _ => format!("*{a} = *{path}"),
        }
    }

    /// A scope whose variable is pointed to, which may be left by a jump.
    fn scope(&mut self, label: usize) -> String {
        let pointer = self.pick(&["w", "x"]);
        let middle = self.simple();
        let leave = match self.rng.below(3) {
            0 => format!("if :: c == {} -> goto out{label} :: else fi; ", self.rng.below(3)),
            1 => format!("do :: c == {} -> goto out{label} :: else -> break od; ", self.rng.below(3)),
            _ => String::new(),
        };
        let after = if self.rng.chance(30) { format!("; *{pointer} = 0") } else { String::new() };
        format!("{{ byte o = 1; {pointer} = &o; {leave}{middle} }}{after};\n  out{label}: skip")
    }

    fn simple(&mut self) -> String {
        if self.parts && self.rng.chance(35) {
            return self.part();
        }
        if self.channels && self.rng.chance(25) {
            return match self.rng.below(8) {
                0 => "d = new chan(1) of { N&, byte }".to_owned(),
                1 => "d = new chan(1) of { chan }".to_owned(),
                2 => "m = new chan(0) of { N& }".to_owned(),
                3 => format!("{}.m = d", self.pointer()),
                4 => format!("d = {}.m", self.pointer()),
                5 => self.pick(&["d = m", "m = d", "d = e", "d = null", "m = own"]).to_owned(),
                6 if self.deletes => self.pick(&["delete d", "delete m", "delete e"]).to_owned(),
                _ => "m = new chan(2) of { byte, N& }".to_owned(),
            };
        }
        let kinds = 7 + 2 * usize::from(self.deletes) + 6 * usize::from(self.addresses);
        match self.rng.below(kinds) {
            0 => format!("{} = new N", self.path()),
            1 => format!("{} = new N", self.pointer()),
            2 => {
                let (to, from) = (self.path(), self.path());
                if self.rng.chance(30) { format!("{to} = null") } else { format!("{to} = {from}") }
            }
            3 => format!("{} = {}", self.pointer(), self.path()),
            4 => format!("{}.k = c", self.pointer()),
            5 => "c = (c + 1) % 3".to_owned(),
            6 => format!("c = {}.k", self.pointer()),
            7 | 8 if self.deletes => format!("delete {}", self.path()),
            _ => self
                .pick(&["x = &v", "*x = 1", "w = &v", "v = *w", "(x != null)", "w = x", "v = (v + 1) % 2"])
                .to_owned(),
        }
    }

    /// A statement that sends or receives. Messages need not fit their channel.
    fn message(&mut self) -> String {
        let text = self.pick(&[
            "e!a,c",
            "e!b,1",
            "e!null,c",
            "e?b,c",
            "e?a,_",
            "e?b,eval(c)",
            "e?<a,c>",
            "e??_,1",
            "d!a,c",
            "d?b,c",
            "d!m",
            "d!e",
            "d?m",
            "line!d",
            "line!m",
            "line?d",
            "line?m",
            "line?eval(d)",
            "m!a",
            "m?b",
            "hand!a",
            "hand?b",
            "hand?eval(b)",
            "m!!c,a",
            "m!!1,b",
            "m??1,b",
            "m?c,a",
            "both!!c,a",
            "both?c,b",
            "own!c",
            "own?c",
        ]);
        if self.functions && self.rng.chance(25) {
            return self.pick(&["z!t", "z!f", "z!other", "z?t", "z?null", "z!null"]).to_owned();
        }
        if self.rng.chance(30) { format!("if :: {text} :: else fi") } else { text.to_owned() }
    }

    fn statement(&mut self, in_function: bool) -> String {
        if self.channels && !in_function && self.rng.chance(35) {
            return self.message();
        }
        match self.rng.below(100) {
            0..62 => self.simple(),
            62..74 => format!("if :: {} -> {} :: else fi", self.condition(), self.simple()),
            74..84 if !in_function => match self.rng.below(3) {
                0 => format!("f({})", self.path()),
                1 => format!("{} = f({})", self.pointer(), self.path()),
                _ => format!("{} = f({})", self.path(), self.pointer()),
            },
            84..90 if self.functions && !in_function => match self.rng.below(5) {
                0 => "t = f".to_owned(),
                1 => "t = null".to_owned(),
                2 => "t = other".to_owned(),
                3 => format!("t({})", self.pointer()),
                _ => format!("if :: t != null -> t({}) :: else fi", self.pointer()),
            },
            90..94 => format!("atomic {{ {}; {} }}", self.simple(), self.simple()),
            94..97 => format!("{{ byte kept; kept = c; {}; c = kept }}", self.simple()),
            _ => format!("do :: {} -> {}; break :: else -> break od", self.condition(), self.simple()),
        }
    }

    fn body(&mut self, count: usize, in_function: bool) -> String {
        let mut lines = Vec::new();
        for label in 0..count {
            let is_scope = self.addresses && self.rng.chance(15);
            lines.push(if is_scope { self.scope(label) } else { self.statement(in_function) });
        }
        lines.join(";\n  ")
    }

    fn program(&mut self) -> String {
        let array = if self.parts { " byte r[2];" } else { "" };
        let channel = if self.channels { "; chan m" } else { "" };
        let mut out = format!("typedef N {{ byte k;{array} N& p; N& q{channel} }};\nN& g; N& h; byte c;\n");
        if self.channels {
            out += "chan e = [1] of { N&, byte };\nchan line = [1] of { chan }; chan hand = [0] of { N& };\n\
                    chan both = [2] of { byte, N& };\nchan d; chan m; chan own = [1] of { byte };\n";
        }
        if self.parts {
            out += "byte& u; byte pair[2]; N& s[2]; N&& y;\n";
        }
        if self.addresses {
            out += "byte& w;\n";
        }
        if self.functions {
            if self.channels {
                out += "chan z = [1] of { ftype };\n";
            }
            out += "ftype t;\nfunction other(N& b) : N& { h = b; return g }\n";
        }
        let locals = if self.addresses { "byte& x; byte v;" } else { "" };
        let count = 1 + self.rng.below(2);
        let body = self.body(count, true);
        let again = self.pick(&["if :: b != null && b.p != null -> a = f(b.p) :: else fi;\n  ", "", ""]);
        let result = self.pick(&["a", "b", "null", "g"]);
        let function =
            format!("function f(N& b) : N& {{\n  N& a; {locals}\n  {body};\n  {again}return {result}\n}}\n");
        out.push_str(&function);
        for process in ["P", "Q"] {
            let start = if self.addresses { "x = &v; " } else { "" };
            let count = 1 + self.rng.below(4);
            let body = self.body(count, false);
            let start = if self.channels && self.rng.chance(40) {
                format!("chan own = [1] of {{ byte }}; {start}")
            } else {
                start.to_owned()
            };
            let process = format!(
                "proctype {process}() {{\n  N& a; N& b; {locals}\n  {start}a = g; b = h;\n  {body}\n}}\n"
            );
            out.push_str(&process);
        }
        let second = self.pick(&["P", "Q"]);
        let init = format!(
            "init {{ atomic {{ g = new N; h = new N; g.p = h; g.q = new N; h.p = g.q; h.q = g; run P(); run {second}() }} }}\n"
        );
        out.push_str(&init);
        out
    }
}
