//! Random programs that combine objects, recursive functions and channels.
//!
//! Messages carry objects, channels and threads; channels are objects that come and go, and any variable can
//! refer to any of them, so that messages need not fit. With observable ids of threads there are exclusive
//! transitions and timeouts, otherwise atomic locations and locks. In every third program memory is explicit.
//! Small domains, so that states recur.

use std::fmt::Write;

use ir::Program;

use crate::SplitMix64;

/// A program that verifies; equal seeds give equal programs. Every other one has observable ids of threads.
pub fn random_mixed(seed: u64) -> Program {
    super::program(&random_mixed_text(seed))
}

/// The text of [`random_mixed`].
pub fn random_mixed_text(seed: u64) -> String {
    let (observable, explicit) = (seed.is_multiple_of(2), seed.is_multiple_of(3));
    Generator { rng: SplitMix64::new(seed), observable, explicit }.program()
}

struct Generator {
    rng: SplitMix64,
    observable: bool,
    explicit: bool,
}

/// Locations of a thread; one more is fused.
const LOCATIONS: usize = 3;

const DECLARATIONS: &str = "
record Node { int wrap (0, 3) value; Node next; }
channel post [2] { record Node, int wrap (0, 3) } scoped;
channel hand [0] { record Node };
channel line [2] { chan };
channel sorted [2] { int wrap (0, 3), record Node };
global chan post;
global chan hand;
global chan c;
global chan row[2];
global Node g;
global int wrap (0, 3) n;
";

impl Generator {
    fn pick<'t>(&mut self, from: &[&'t str]) -> &'t str {
        from[self.rng.below(from.len())]
    }

    fn program(&mut self) -> String {
        let mut out = "program random;\n".to_owned();
        if self.observable {
            out += "features thread_ids;\n";
        }
        if self.explicit {
            out += self.pick(&["", "memory explicit leaks unreachable;\n", "memory explicit leaks off;\n"]);
        }
        out += DECLARATIONS;
        if !self.observable {
            out += "channel who [1] { tid };\nglobal lock l;\nglobal tid t;\n";
        }
        let more = self.pick(&["", "n := 1;", "c := new chan(line);", "c := new chan(sorted);"]);
        let _ = writeln!(out, "prologue {{ post := new chan(post); hand := new chan(hand); {more} }}");
        out += &self.function();
        out += &self.thread("T");
        out += &self.thread("U");
        out += self.pick(&["active T, T;", "active T, U;", "active T, U, T;", "active U, U;"]);
        out
    }

    /// A function that goes down a list, and does something on the way back.
    fn function(&mut self) -> String {
        let down = self.pick(&["p.value := d;", "p.next := g;", "g := p;", ""]);
        let back = self.pick(&["do { send(post, r, d); }", "do { g := r; }", "when n != 2", ""]);
        format!(
            "function rec(Node p, int wrap (0, 3) d) returns record Node {{
              local Node r;
              loc begin:
                when p == null || d == 0 return p;
                when p != null && d != 0 do {{ {down} }} call rec(p.next, d - 1) resume back;
              resume back of begin into r goto end;
              loc end: {back} return r;
            }}\n"
        )
    }

    fn thread(&mut self, name: &str) -> String {
        let provided = if self.rng.chance(20) { " provided n != 3" } else { "" };
        let mut out = format!(
            "thread {name}(){provided} {{\n  local Node a;\n  local Node b;\n  local chan d;\n  local Node s[2];\n"
        );
        for at in 0..LOCATIONS {
            let atomic = if !self.observable && self.rng.chance(33) { " atomic" } else { "" };
            let live =
                if self.rng.chance(15) { self.pick(&[" live { a, b, d }", " live { d }"]) } else { "" };
            let _ = writeln!(out, "  loc l{at}{atomic}{live}:");
            let mut elses = Vec::new();
            for _ in 0..=self.rng.below(3) {
                out += &self.transition(at, &mut elses);
            }
            let live = self.rng.below(LOCATIONS);
            let _ = writeln!(out, "  resume r{at}{atomic} of l{at} into b goto l{live};");
        }
        let (action, target) = (self.simple_action(), self.rng.below(LOCATIONS));
        let _ = write!(out, "  loc inside fused:\n    when n < 2 do {{ {action} }} goto l{target};\n");
        let _ = write!(out, "    else do {{ n := 0; }} goto l{target};\n}}\n");
        out
    }

    fn transition(&mut self, at: usize, elses: &mut Vec<usize>) -> String {
        let rank = usize::from(self.rng.chance(25));
        let exclusive = if self.observable && self.rng.chance(25) { " exclusive" } else { "" };
        let is_else = !elses.contains(&rank) && self.rng.chance(16);
        let guard = if is_else {
            elses.push(rank);
            "else"
        } else {
            self.guard()
        };
        let body = if !is_else && self.rng.chance(40) {
            self.message().to_owned()
        } else {
            (0..=self.rng.below(2)).map(|_| self.action()).collect::<Vec<_>>().join(" ")
        };
        let exit = match self.rng.below(8) {
            0 | 1 => format!("call rec({}, n) resume r{at}", self.pick(&["a", "b", "g"])),
            2 => "goto inside".to_owned(),
            3 if !self.observable => "return".to_owned(),
            _ => format!("goto l{}", self.rng.below(LOCATIONS)),
        };
        format!("    {guard} rank {rank}{exclusive} do {{ {body} }} {exit};\n")
    }

    fn guard(&mut self) -> &'static str {
        if self.observable && self.rng.chance(12) {
            return self.pick(&["when timeout()", "when thread() == n"]);
        }
        self.pick(&[
            "",
            "",
            "",
            "when n < 2",
            "when a == null",
            "when a != b",
            "when g != null && g.next == a",
            "when has(post, a, *) > 0",
            "when heads(post, *, 1) > 0 || full(post)",
            "when length(post) < 2",
            "when c != null && length(c) < 2",
            "when c == d",
            "when d != null && full(d)",
            "when row[0] == null",
        ])
    }

    fn message(&mut self) -> &'static str {
        if !self.observable && self.rng.chance(8) {
            return self.pick(&["send(d, t); t := null;", "receive(d, t :=);"]);
        }
        self.pick(&[
            "send(post, a, n);",
            "send(post, b, 1); b := null;",
            "send(post, g, 5);",
            "receive(post, a :=, n :=);",
            "receive(post, b :=, 1);",
            "receive(post, g :=, *); n := n + 1;",
            "extract(post, a, n :=); a := null;",
            "peek(post, b :=, *);",
            "find(post, a, *);",
            "send(hand, a);",
            "send(hand, g); g := null;",
            "receive(hand, b :=);",
            "receive(hand, a :=); a.next := null;",
            "receive(hand, a); n := 1;",
            "send(c, d); d := null;",
            "send(c, post);",
            "receive(c, d :=);",
            "receive(c, c :=);",
            "extract(c, d);",
            "receive(c, d); c := null;",
            "send(d, a, n); a := null;",
            "receive(d, a :=, n :=);",
            "receive(d, *, n :=);",
            "insert(c, n, a);",
            "insert(d, 1, null);",
            "receive(c, n :=, a :=);",
            "peek(c, 1);",
            "send(d, a);",
            "receive(d, b :=);",
            "send(row[1], row[0]);",
            "receive(row[n], row[0] :=);",
        ])
    }

    fn simple_action(&mut self) -> &'static str {
        self.pick(&[
            "a := b;",
            "g := a;",
            "n := n + 1;",
            "b := new Node;",
            "check(n < 3);",
            "b := null;",
            "d := c;",
            "c := new chan(line);",
        ])
    }

    fn action(&mut self) -> &'static str {
        if !self.observable && self.rng.chance(16) {
            return self.pick(&["l := new lock;", "lock(l);", "unlock(l);", "assume g != a;"]);
        }
        if !self.observable && self.rng.chance(8) {
            return self.pick(&["d := new chan(who);", "t := start T();", "t := start U();"]);
        }
        if self.explicit && self.rng.chance(20) {
            return self.pick(&[
                "delete c; c := null;",
                "delete d;",
                "delete a; a := null;",
                "delete g;",
                "kill post;",
            ]);
        }
        if self.rng.chance(33) {
            return self.pick(&[
                "c := new chan(line);",
                "d := new chan(post);",
                "c := new chan(sorted);",
                "d := new chan(hand);",
                "d := c;",
                "c := d;",
                "d := post;",
                "d := null;",
                "s[0] := a;",
                "s[n] := b;",
                "a := s[n];",
                "row[0] := d;",
                "row[n] := c;",
                "d := row[n];",
                "badcall \"nothing\";",
            ]);
        }
        self.pick(&[
            "a := new Node;",
            "a := new Node; a.value := n; a.next := b;",
            "b := a;",
            "b := g;",
            "a.next := b;",
            "a := a.next;",
            "g := a;",
            "g := null;",
            "a := null;",
            "n := n + 1;",
            "a.value := n;",
            "check(n < 3);",
        ])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_verify_and_mix() {
        for seed in 0..300 {
            let program = random_mixed(seed);
            assert_eq!(ir::verify(&program), Ok(()), "{}", random_mixed_text(seed));
            assert!(program.is_mixed());
        }
    }
}
