//! Random dynamic programs, as text: objects, pointers, recursive functions, values of type `ftype`, addresses of
//! variables, channels as objects, with messages that carry all of these, and in every other program `delete`.
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
    let channels = rng.chance(50);
    Generator { rng, deletes, addresses, functions, channels }.program()
}

struct Generator {
    rng: SplitMix64,
    deletes: bool,
    addresses: bool,
    functions: bool,
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

    fn simple(&mut self) -> String {
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
            94..97 => format!("{{ byte s; s = c; {}; c = s }}", self.simple()),
            _ => format!("do :: {} -> {}; break :: else -> break od", self.condition(), self.simple()),
        }
    }

    fn body(&mut self, count: usize, in_function: bool) -> String {
        (0..count).map(|_| self.statement(in_function)).collect::<Vec<_>>().join(";\n  ")
    }

    fn program(&mut self) -> String {
        let mut out = if self.channels {
            "typedef N { byte k; N& p; N& q; chan m };\nN& g; N& h; byte c;\nchan e = [1] of { N&, byte };\n\
             chan line = [1] of { chan }; chan hand = [0] of { N& }; chan both = [2] of { byte, N& };\nchan d; chan m; chan own = [1] of { byte };\n"
                .to_owned()
        } else {
            "typedef N { byte k; N& p; N& q };\nN& g; N& h; byte c;\n".to_owned()
        };
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
