//! Functions for others to call. Each calls only those before it, or itself with a smaller number.

use super::statements::Body;
use super::types::{DIGIT, Ty};
use super::{Generator, Role, Variable};

/// A function that bodies can call.
#[derive(Clone)]
pub(super) struct Function {
    pub name: String,
    pub params: Vec<Ty>,
    /// Whether there is a result, from 0 to 3.
    pub result: bool,
    pub throws: bool,
}

impl Generator {
    pub(super) fn make_functions(&mut self) {
        if self.chance(50) {
            self.work();
        }
        if self.exceptions {
            self.risky();
            if self.chance(50) {
                self.shield();
            }
        }
        if self.chance(45) {
            self.climb();
        }
        if self.chance(20) {
            self.ping_and_pong();
        }
        if self.heap && self.chance(60) {
            self.visits();
        }
        self.collection_function();
    }

    fn body_of(&mut self, params: &[Ty]) -> (Body, String) {
        let mut body = self.body(true);
        self.hide_global(&mut body);
        let params = self.params(&mut body, params);
        (body, params)
    }

    fn add(&mut self, name: &str, params: &[Ty], result: bool, throws: bool) {
        let (name, params) = (name.to_owned(), params.to_vec());
        self.functions.push(Function { name, params, result, throws });
    }

    /// Some statements.
    fn work(&mut self) {
        let mut types = vec![DIGIT];
        if self.heap && self.chance(50) {
            types.push(Ty::Record(0));
        }
        if self.chance(30) {
            types.extend(self.some_collection());
        }
        let (mut body, params) = self.body_of(&types);
        let result = self.chance(60);
        let returns = if result { " returns int (0, 3)" } else { "" };
        let head = format!("function work({params}){returns}");
        let statements = 1 + self.rng.below(2);
        let lines = if self.chance(40) {
            let value = result.then(|| self.value(&body.scope, DIGIT).text);
            self.locations(&head, body, statements, false, value)
        } else {
            self.block(&mut body, statements, 1);
            if result {
                let value = self.value(&body.scope, DIGIT);
                body.line(format!("return {};", value.text));
            }
            body.print(&head)
        };
        self.members.push(lines);
        self.add("work", &types, result, false);
    }

    /// Throws, or gives a result.
    fn risky(&mut self) {
        let (mut body, params) = self.body_of(&[DIGIT]);
        body.caught = true;
        self.throw(&mut body);
        if self.chance(40) {
            self.statement(&mut body, 1);
        }
        let value = self.value(&body.scope, DIGIT);
        body.line(format!("return {};", value.text));
        let lines = body.print(&format!("function risky({params}) returns int (0, 3)"));
        self.members.push(lines);
        self.add("risky", &[DIGIT], true, true);
    }

    /// Catches all or some of what `risky` throws.
    fn shield(&mut self) {
        let (mut body, params) = self.body_of(&[DIGIT]);
        let failure = self.failure();
        let caught = *self.rng.pick(&self.below(failure));
        let (name, rethrow) = (self.records[caught].name.clone(), self.chance(20));
        let result = self.local(&mut body, "r", DIGIT, Role::Free);
        let head = format!("function shield({params}) returns int (0, 3)");
        if self.chance(50) {
            let local = self.local(&mut body, "e", Ty::Record(failure), Role::Fixed);
            let handler = if rethrow { format!("throw {local};") } else { self.assignment(&body.scope) };
            let live = self.pick(&["", " live { a0 }"]);
            let mut lines = vec![format!("{head} {{")];
            lines.extend(body.declarations());
            lines.push(format!("  loc L0:{live}"));
            lines.push(format!("    {result} := invoke risky(a0) goto L1;"));
            lines.push("  loc L1:".to_owned());
            lines.push(format!("    do {{ }} return {result};"));
            lines.push("  loc L2:".to_owned());
            lines.push(format!("    do {{ {handler} }} return 1;"));
            lines.push(format!("  catch {name} {local} at L0, L1 goto L2;"));
            lines.push("}".to_owned());
            self.members.push(lines);
        } else {
            body.open("try");
            body.line(format!("{result} := invoke risky(a0);"));
            body.line(format!("return {result};"));
            body.between(format!("catch ({name} problem)"));
            body.line(if rethrow { "throw problem;" } else { "return 2;" });
            body.close("end");
            self.members.push(body.print(&head));
        }
        let throws = rethrow || caught != failure;
        self.add("shield", &[DIGIT], true, throws);
    }

    /// Recursion, with something to do on the way down or up.
    fn climb(&mut self) {
        let (mut body, params) = self.body_of(&[DIGIT]);
        let result = self.local(&mut body, "r", DIGIT, Role::Free);
        body.open("if a0 > 0 do");
        if self.chance(50) {
            self.assign(&mut body);
        }
        // Assignments may have changed the number.
        let atomic = self.chance(30);
        if atomic {
            body.open("atomic");
        }
        body.line(format!("{result} := invoke climb(a0 > 2 ? 1 : a0 > 0 ? a0 - 1 : 0);"));
        if self.chance(40) {
            self.assign(&mut body);
        }
        if atomic {
            body.close("end");
        }
        body.between("else do");
        self.assign(&mut body);
        body.close("end");
        body.line(format!("return {result} + 1 & 3;"));
        let lines = body.print(&format!("function climb({params}) returns int (0, 3)"));
        self.members.push(lines);
        self.add("climb", &[DIGIT], true, false);
    }

    /// Two functions that call each other.
    fn ping_and_pong(&mut self) {
        for (name, other) in [("ping", "pong"), ("pong", "ping")] {
            let (mut body, params) = self.body_of(&[DIGIT]);
            let result = self.local(&mut body, "r", DIGIT, Role::Free);
            let change = self.assignment(&body.scope);
            let mut lines = vec![format!("function {name}({params}) returns int (0, 3) {{")];
            lines.extend(body.declarations());
            lines.push("  loc L0:".to_owned());
            lines.push(format!("    when a0 > 0 {result} := invoke {other}(a0 - 1) goto L1;"));
            lines.push(format!("    when a0 <= 0 do {{ {change} }} return 1;"));
            lines.push("  loc L1:".to_owned());
            lines.push(format!("    do {{ }} return 3 - {result};"));
            lines.push("}".to_owned());
            self.members.push(lines);
        }
        self.add("ping", &[DIGIT], true, false);
    }

    /// A table of functions for a record and its descendants.
    fn visits(&mut self) {
        let root = if self.chance(70) { 0 } else { *self.rng.pick(&self.below(0)) };
        let mut lines = vec!["virtual visit {".to_owned()];
        let mut entries: Vec<usize> = Vec::new();
        for record in self.below(root) {
            let inherited: Vec<_> =
                entries.iter().copied().filter(|&other| self.descends(record, other)).collect();
            let nearest = (inherited.iter()).filter(|&&entry| {
                !inherited.iter().any(|&other| other != entry && self.descends(other, entry))
            });
            // A record that would inherit several functions needs one of its own.
            if nearest.count() != 1 || self.chance(30) {
                entries.push(record);
                let name = self.records[record].name.clone();
                lines.push(format!("  {name} -> visit{name}"));
                self.visit(record);
            }
        }
        lines.push("}".to_owned());
        self.members.push(lines);
        self.table = Some(root);
    }

    fn visit(&mut self, record: usize) {
        let mut body = self.body(true);
        let this = Variable { name: "this".to_owned(), ty: Ty::Record(record), role: Role::Fixed };
        body.scope.variables.push(this);
        let params = self.params(&mut body, &[DIGIT]);
        let name = self.records[record].name.clone();
        let fields: Vec<_> = self
            .fields(record)
            .into_iter()
            .filter(|field| matches!(field.ty, Ty::Int(_) | Ty::Bool))
            .collect();
        if !fields.is_empty() {
            let field = self.rng.pick(&fields).clone();
            let value = self.value(&body.scope, field.ty);
            body.line(format!("this.{} := {};", field.name, value.text));
        }
        let value = self.value(&body.scope, DIGIT);
        body.line(format!("return {};", value.text));
        let head = format!("function visit{name}({name} this, {params}) returns int (0, 3)");
        self.members.push(body.print(&head));
    }
}
