//! Functions for others to call.

use super::body::Body;
use super::{Function, Generator, put};

impl Generator {
    pub(super) fn add_functions(&mut self, out: &mut String) {
        // Each may call those before it.
        if self.chance(60) {
            let mut body = Body {
                repeats: true,
                ints: vec!["k".into()],
                params: vec!["k"],
                leave: "return k",
                ..Body::default()
            };
            let mut at = body.open();
            let statements = self.rng.below(3);
            at = self.block(&mut body, at, statements, 0);
            let result = format!("return {}", self.value_for(&body, "int (0, 3)"));
            self.finish(&mut body, at, &result);
            let range = self.pick(&["(0, 3)", "wrap (0, 2)"]);
            self.print(out, &format!("function work(int (0, 3) k) returns int {range}"), &body);
            self.functions.push(Function { name: "work", throws: false });
        }
        if self.exceptions {
            self.risky(out);
        }
        if self.chance(60) {
            self.climb(out);
        }
        if self.heap && self.chance(60) {
            self.visits(out);
        }
    }

    /// A function that throws, and one that catches some of it.
    pub(super) fn risky(&mut self, out: &mut String) {
        let mut body = Body { repeats: true, ints: vec!["k".into()], params: vec!["k"], ..Body::default() };
        body.local("e", "Failure", "");
        let at = body.open();
        let guard = self.condition(&body, 1);
        let to =
            body.then(at, &format!("when k > 1 || {guard} do {{ e := new Failure; e.code := k; throw e; }}"));
        body.step(at, "when k == 1 do { e := new Worse; e.code := 3; throw e; }", to);
        body.step(at, "else", to);
        self.finish(&mut body, to, "return k & 1");
        self.print(out, "function risky(int (0, 3) k) returns int (0, 3)", &body);
        self.functions.push(Function { name: "risky", throws: true });
        if self.chance(60) {
            let record = self.pick(&["Failure", "Worse"]);
            let rethrow = self.chance(30);
            let handler =
                if rethrow { "L2: do { y := y + 1; throw e; } return 0;" } else { "L2: return e.code;" };
            put(
                out,
                &format!(
                    "function shield(int (0, 3) k) returns int (0, 3) {{
  local int r;
  local Failure e;
  catch {record} e at L0 goto L2;
  loc L0:
    call risky(k) resume R0;
  resume R0 of L0 into r goto L1;
  loc L1:
    do {{ {} }} return r & 3;
  loc {handler}
}}",
                    self.assignment(&Body::default())
                ),
            );
            let throws = record == "Worse" || rethrow;
            self.functions.push(Function { name: "shield", throws });
        }
    }

    /// Recursion, with something to do on the way down or up.
    pub(super) fn climb(&mut self, out: &mut String) {
        let nobody = Body { ints: vec!["k".into()], ..Body::default() };
        let down =
            if self.chance(50) { format!("do {{ {} }} ", self.assignment(&nobody)) } else { String::new() };
        let throws = self.exceptions && self.chance(30);
        let bottom = if throws { "do { f := new Worse; throw f; } " } else { "" };
        let up = if self.chance(50) {
            "return r + 1 & 3;".to_owned()
        } else {
            format!("goto L1;\n  loc L1:\n    do {{ {} }} return r & 3;", self.assignment(&nobody))
        };
        put(
            out,
            &format!(
                "function climb(int (0, 3) k) returns int (0, 3) {{
  local int (0, 3) r;
  local Failure f;
  loc L0:
    when k > 0 {down}call climb(k - 1) resume R0;
    else {bottom}return 0;
  resume R0 of L0 into r {up}
}}"
            ),
        );
        self.functions.push(Function { name: "climb", throws });
    }

    /// Virtual functions.
    pub(super) fn visits(&mut self, out: &mut String) {
        for record in ["Node", "Leaf", "Twig"] {
            let mut body =
                Body { repeats: true, ints: vec!["k".into()], params: vec!["k"], ..Body::default() };
            body.nodes.push("self".into());
            body.kept.push("self".into());
            body.params.push("self");
            let mut at = body.open();
            if self.chance(50) {
                let value = self.value_for(&body, "int (0, 3)");
                at = body.then(at, &format!("do {{ self.value := {value}; }}"));
            }
            if record == "Leaf" && self.chance(50) {
                at = body.then(at, "do { self.mark := !self.mark; }");
            }
            let result = format!("return {}", self.value_for(&body, "int (0, 3)"));
            self.finish(&mut body, at, &result);
            let head = format!("function visit{record}({record} self, int (0, 3) k) returns int (0, 3)");
            self.print(out, &head, &body);
        }
        let node = if self.dangerous() || self.dangerous() { "" } else { "  Node -> visitNode;\n" };
        let leaf = self.pick(&["visitLeaf", "visitNode"]);
        let rest = format!("  Leaf -> {leaf};\n  Twig -> visitTwig;\n  Bush -> {leaf};\n");
        put(out, &format!("virtual visit {{\n{node}{rest}}}"));
        self.virtual_calls = true;
    }
}
