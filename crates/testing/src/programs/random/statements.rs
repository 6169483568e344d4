//! Statements: each continues from a place and returns the place it leads to.

use super::Generator;
use super::body::{Body, Place};

impl Generator {
    pub(super) fn block(&mut self, body: &mut Body, mut at: usize, statements: usize, depth: usize) -> usize {
        for _ in 0..statements {
            at = self.statement(body, at, depth);
        }
        at
    }

    pub(super) fn statement(&mut self, body: &mut Body, at: usize, depth: usize) -> usize {
        if self.dangerous() {
            return self.mistake(body, at);
        }
        if self.collections.is_some() && self.chance(35) {
            return self.collection_statement(body, at);
        }
        match self.rng.below(100) {
            0..=9 => {
                let actions = self.actions(body);
                body.then(at, &format!("do {{ {actions} }}"))
            }
            10..=18 => {
                let (guard, actions) = (self.condition(body, 2), self.actions(body));
                let what = format!("when {guard} do {{ {actions} }}");
                let to = body.then(at, &what);
                if self.chance(70) {
                    body.step(at, "else", to);
                }
                to
            }
            19..=29 => self.critical(body, at, depth),
            30..=36 if self.monitor => {
                let waits = self.chance(50);
                self.monitor(body, at, waits)
            }
            30..=42 => self.choice(body, at),
            43..=55 if self.heap => self.heap(body, at),
            56..=68 if !self.functions.is_empty() => self.call(body, at),
            69..=75 if depth > 0 && self.exceptions => self.attempt(body, at, depth),
            76..=81 if depth > 0 => self.atomic(body, at, depth),
            82..=84 if depth > 0 => self.counted(body, at, depth),
            85..=90 if self.children && !body.repeats => self.start(body, at),
            91..=93 if self.handles => {
                let handle = self.handle(body);
                let join = format!("when {handle} == null || threadTerminated({handle})");
                body.then(at, &join)
            }
            94..=95 => {
                let condition = self.condition(body, 2);
                let actions = self.actions(body);
                body.then(at, &format!("do {{ {actions} assume {condition}; {} }}", self.assignment(body)))
            }
            96 => {
                let guard = self.condition(body, 1);
                let leave = if self.chance(50) { "do { exit; }" } else { "do { b := !b; exit; }" };
                let to = body.then(at, &format!("when {guard} {leave}"));
                body.step(at, "else", to);
                to
            }
            97 if !body.leave.is_empty() => {
                let guard = self.condition(body, 1);
                let leave = format!("when {guard} {};", body.leave);
                body.places[at].transitions.push(leave);
                body.then(at, "else")
            }
            _ => {
                let actions = self.actions(body);
                body.then(at, &format!("invisible do {{ {actions} }}"))
            }
        }
    }

    /// Something that may be wrong, sometimes.
    pub(super) fn mistake(&mut self, body: &mut Body, at: usize) -> usize {
        let lock = self.pick(&["m", "n"]);
        let node = if self.heap { self.node(body) } else { "head".into() };
        let mistake = match self.rng.below(13) {
            _ if self.collections.is_some() && self.chance(40) => self.collection_mistake(body),
            0 => format!("unlock({lock});"),
            1 => format!("wait({lock});"),
            2 => format!("unwait({lock});"),
            3 => format!("{}({lock});", self.pick(&["notify", "notifyAll"])),
            4 => format!("assert {};", self.condition(body, 2)),
            5..=6 => format!("b := ({node} as {}).mark;", self.pick(&["Leaf", "Bush"])),
            7 => format!("x := {node}.next.value;"),
            8 => format!("z := {};", self.int(body, 1)),
            9 => format!("cells[{}] := 1;", self.int(body, 1)),
            10 => format!("cells := new int (0, 1)[{}];", self.pick(&["z", "x", "2", "-1", "1 + z"])),
            11 => {
                let record = self.pick(&["Failure", "Worse"]);
                let variable = body.local("e", "Failure", "");
                format!("{variable} := new {record}; throw {variable};")
            }
            _ => "lock(m); unlock(m); unlock(m);".to_owned(),
        };
        let guard = self.condition(body, 1);
        let to = body.then(at, &format!("when {guard} do {{ {mistake} }}"));
        body.step(at, "else", to);
        to
    }

    /// Several transitions, with an alternative in case none is enabled.
    pub(super) fn choice(&mut self, body: &mut Body, at: usize) -> usize {
        let to = body.open();
        for _ in 0..2 + self.rng.below(2) {
            let actions = self.actions(body);
            if self.chance(70) {
                let guard = self.condition(body, 2);
                body.step(at, &format!("when {guard} do {{ {actions} }}"), to);
            } else {
                body.step(at, &format!("do {{ {actions} }}"), to);
            }
        }
        if self.danger > 0 && self.chance(if body.atomic { 30 } else { 12 }) {
            body.step(at, "when 2 / z > x", to);
        }
        if self.chance(60) {
            body.step(at, "else", to);
        }
        to
    }

    /// A critical section: in one transition, or over several.
    pub(super) fn critical(&mut self, body: &mut Body, at: usize, depth: usize) -> usize {
        let lock = if self.chance(70) { "m" } else { "n" };
        if self.chance(20) {
            let actions = self.actions(body);
            return body.then(at, &format!("do {{ lock({lock}); {actions} unlock({lock}); }}"));
        }
        let at = body.then(at, &format!("do {{ lock({lock}); }}"));
        let statements = 1 + usize::from(self.chance(30));
        let at = self.block(body, at, statements, depth.saturating_sub(1));
        if self.dangerous() {
            return at;
        }
        if self.chance(8) {
            // A thread that ends keeps its locks.
            let guard = self.condition(body, 1);
            let exit = format!("when {guard} do {{ b := true; exit; }}");
            body.step(at, &exit, at);
        }
        let actions = if self.chance(30) { self.assignment(body) } else { String::new() };
        body.then(at, &format!("do {{ {actions} unlock({lock}); }}"))
    }

    /// Waiting for `flag`, or setting it.
    pub(super) fn monitor(&mut self, body: &mut Body, at: usize, waits: bool) -> usize {
        let twice = self.pick(&["", "", "", "lock(m); "]);
        let at = body.then(at, &format!("do {{ {twice}lock(m); }}"));
        let leave = if twice.is_empty() { "unlock(m);" } else { "unlock(m); unlock(m);" };
        if waits {
            let back = body.open();
            let done = body.open();
            body.step(at, "when flag", done);
            body.step(at, "when !flag do { wait(m); }", back);
            if self.chance(25) && !body.atomic {
                // Waiting does not block: a thread may end, or do something else, while it waits.
                let guard = match self.rng.below(3) {
                    0 => "wasNotified(n)".to_owned(),
                    1 => "wasNotified(m)".to_owned(),
                    _ => self.condition(body, 1),
                };
                let other = if self.danger > 0 { "lock(m); wait(m);" } else { "exit;" };
                let leave = self.pick(&["exit;", "b := !b;", other]);
                body.step(back, &format!("when {guard} do {{ {leave} }}"), back);
            }
            if self.chance(60) {
                body.step(back, "do { unwait(m); }", at);
            } else {
                let notified = if self.chance(30) { "when wasNotified(m) " } else { "" };
                body.step(back, &format!("{notified}do {{ unwait(m); }}"), done);
            }
            let reset = self.pick(&["flag := false; ", "", ""]);
            return body.then(done, &format!("do {{ {reset}{leave} }}"));
        }
        let notify = self.pick(&["notify(m);", "notify(m);", "notifyAll(m);", "notify(m); notify(m);"]);
        match self.rng.below(3) {
            0 => body.then(at, &format!("do {{ flag := true; {notify} {leave} }}")),
            1 => {
                let at = body.then(at, &format!("do {{ flag := true; {notify} }}"));
                body.then(at, &format!("do {{ {leave} }}"))
            }
            _ => {
                let at = body.then(at, "do { flag := !flag; }");
                body.then(at, &format!("do {{ {notify} {leave} }}"))
            }
        }
    }

    /// Making, linking, walking and dropping nodes.
    pub(super) fn heap(&mut self, body: &mut Body, at: usize) -> usize {
        let local = body.local("p", "Node", "");
        if !body.nodes.contains(&local) {
            body.nodes.push(local);
        }
        let record = self.pick(&["Node", "Leaf", "Twig"]);
        match self.rng.below(11) {
            0 => {
                let place = self.pick(&["head", "spare", "p"]);
                body.then(at, &format!("do {{ {place} := new {record}; }}"))
            }
            // A longer list, or a cycle without other references.
            1 if !body.repeats => {
                body.then(at, &format!("do {{ p := new {record}; p.next := head; head := p; }}"))
            }
            1..=2 => {
                let rest = self.pick(&["p := null;", "head := p;", "spare := p; p := null;", ""]);
                let cycle = format!("p := new {record}; p.next := new {record}; p.next.next := p; {rest}");
                body.then(at, &format!("do {{ {cycle} }}"))
            }
            3 => {
                let (to, from) = (self.pick(&["head", "spare", "p"]), self.node(body));
                body.then(at, &format!("do {{ {to} := {from}; }}"))
            }
            4 => {
                let to = self.pick(&["head", "spare", "p"]);
                body.then(at, &format!("do {{ {to} := null; }}"))
            }
            5 => {
                let guard = if self.dangerous() { "" } else { "when head != null " };
                let to = body.then(at, &format!("{guard}do {{ head := head.next; }}"));
                body.step(at, "else", to);
                to
            }
            6..=7 => {
                let node = self.node(body);
                let guard = if self.dangerous() { String::new() } else { format!("when {node} != null ") };
                let value = self.value_for(body, "int (0, 3)");
                let to = body.then(at, &format!("{guard}do {{ {node}.value := {value}; }}"));
                body.step(at, "else", to);
                to
            }
            8 => {
                let (node, value) = (self.node(body), self.condition(body, 1));
                let guard =
                    if self.dangerous() { String::new() } else { format!("when {node} instanceof Leaf ") };
                let to = body.then(at, &format!("{guard}do {{ ({node} as Leaf).mark := {value}; }}"));
                body.step(at, "else", to);
                to
            }
            9 => {
                let node = self.node(body);
                let link = format!("when {node} != null do {{ {node}.next := {}; }}", self.node(body));
                let to = body.then(at, &link);
                body.step(at, "else", to);
                to
            }
            _ => self.node_lock(body, at),
        }
    }

    /// The lock that a node has.
    pub(super) fn node_lock(&mut self, body: &mut Body, at: usize) -> usize {
        if self.chance(50) {
            let twig = body.local("twig", "Twig", "");
            let plant =
                format!("{twig} := new Twig; {twig}.guard := new lock; head := {twig}; {twig} := null;");
            return body.then(at, &format!("do {{ {plant} }}"));
        }
        let local = body.fresh("k", "lock", "");
        let to = body.open();
        let take = format!("when head instanceof Twig do {{ {local} := (head as Twig).guard; }}");
        let holds = body.then(at, &take);
        body.step(at, "else", to);
        let inside = body.then(holds, &format!("when {local} != null do {{ lock({local}); }}"));
        body.step(holds, &format!("when {local} == null"), to);
        let actions = self.actions(body);
        body.step(inside, &format!("do {{ {actions} unlock({local}); }}"), to);
        to
    }

    pub(super) fn call(&mut self, body: &mut Body, at: usize) -> usize {
        let to = body.open();
        let resume = format!("R{}", body.places.len());
        let local = body.local("r", "int", "");
        if !body.ints.contains(&local) {
            body.ints.push(local);
        }
        let place = self.pick(&["r", "r", "y", "x"]);
        let mut functions = self.functions.clone();
        if !body.caught && !self.dangerous() {
            functions.retain(|function| !function.throws);
        }
        let before =
            if self.chance(30) { format!("do {{ {} }} ", self.assignment(body)) } else { String::new() };
        let call = if self.virtual_calls && self.chance(45) {
            let node = self.node(body);
            let guard = if self.dangerous() { String::new() } else { format!("when {node} != null ") };
            body.step(at, "else", to);
            format!("{guard}{before}call virtual visit({node}, {}) resume {resume};", self.int_arg(body))
        } else if functions.is_empty() {
            body.step(at, "do { y := y + 1; }", to);
            return to;
        } else {
            let function = self.rng.pick(&functions).name;
            format!("{before}call {function}({}) resume {resume};", self.int_arg(body))
        };
        let target = body.places[to].name.clone();
        // All functions return a result of 0 to 3.
        let into = if self.chance(80) { format!("into {place} ") } else { String::new() };
        let text = format!("of {} {into}goto {target};", body.places[at].name);
        body.places[at].transitions.push(call);
        // An atomic block covers the functions it calls, unless the front end arranges otherwise.
        let atomic = body.atomic && self.chance(80);
        body.places.push(Place { name: resume, resume: Some(text), atomic, ..Place::default() });
        to
    }

    /// Statements with handlers for their exceptions.
    pub(super) fn attempt(&mut self, body: &mut Body, at: usize, depth: usize) -> usize {
        let variable = body.local("e", "Failure", "");
        body.kept.push(variable);
        let outer = std::mem::replace(&mut body.caught, true);
        // A `throw` at `at` is covered there, so it has to be a place of its own.
        let at = body.then(at, "");
        let first = body.places.len();
        let mut end = at;
        if self.chance(70) && !self.functions.is_empty() {
            end = self.call(body, end);
        }
        if self.chance(60) {
            let guard = self.condition(body, 1);
            let (record, code) = (self.pick(&["Failure", "Worse"]), self.rng.below(3));
            let change = if self.chance(50) { "y := y + 1; " } else { "" };
            let throw = format!("e := new {record}; e.code := {code}; {change}throw e;");
            let to = body.then(end, &format!("when {guard} do {{ {throw} }}"));
            body.step(end, "else", to);
            end = to;
        }
        let statements = 1 + self.rng.below(2);
        end = self.block(body, end, statements, depth - 1);
        body.caught = outer;
        let places = std::iter::once(at).chain(first..body.places.len());
        let covered: Vec<_> = places
            .filter(|&place| place != end && body.places[place].resume.is_none())
            .map(|place| body.places[place].name.clone())
            .collect();
        let covered = covered.join(", ");
        let records = if outer || self.dangerous() {
            self.pick(&["Failure", "Worse", "Worse+Failure"])
        } else {
            self.pick(&["Failure", "Worse+Failure", "Failure+Worse"])
        };
        for record in records.split('+') {
            let handler = body.open();
            body.places[handler].handles = true;
            let target = &body.places[handler].name;
            body.catches.push(format!("catch {record} e at {covered} goto {target};"));
            if outer && self.chance(25) {
                body.step(handler, "do { throw e; }", end);
            } else {
                let forget = self.pick(&["e := null; ", "", "x := e.code; ", "y := y + 1; "]);
                body.step(handler, &format!("do {{ {forget} }}"), end);
            }
        }
        end
    }

    pub(super) fn atomic(&mut self, body: &mut Body, at: usize, depth: usize) -> usize {
        let outer = std::mem::replace(&mut body.atomic, true);
        let mut at = at;
        if self.danger > 0 && self.chance(15) {
            let from = body.then(at, "");
            at = body.then(from, "do { y := y + 1; }");
            body.step(from, "when 1 / z == 1", at);
        } else if self.chance(50) {
            at = body.then(at, "");
            at = self.choice(body, at);
        } else if self.heap && self.chance(50) {
            // Garbage of an atomic block remains until its end.
            for _ in 0..3 {
                at = body.then(at, "do { spare := new Node; spare.next := new Leaf; }");
            }
        }
        let statements = 1 + self.rng.below(2);
        at = self.block(body, at, statements, depth - 1);
        body.atomic = outer;
        body.then(at, "")
    }

    /// A loop that ends.
    pub(super) fn counted(&mut self, body: &mut Body, at: usize, depth: usize) -> usize {
        let counter = body.fresh("i", "int (0, 3)", "");
        body.kept.push(counter.clone());
        let rounds = 1 + self.rng.below(2);
        let outer = std::mem::replace(&mut body.repeats, true);
        let to = body.open();
        let inside =
            body.then(at, &format!("when {counter} < {rounds} do {{ {counter} := {counter} + 1; }}"));
        body.step(at, &format!("when {counter} >= {rounds} do {{ {counter} := 0; }}"), to);
        let end = self.block(body, inside, 1, depth - 1);
        body.step(end, "", at);
        body.repeats = outer;
        to
    }

    pub(super) fn start(&mut self, body: &mut Body, at: usize) -> usize {
        let (node, value) = (if self.heap { self.node(body) } else { "null".into() }, self.int_arg(body));
        let carried = self.carried(body);
        let start = format!("start Child({node}, {value}{carried});");
        if self.heap && self.handles && self.chance(25) {
            // Handles are in the heap, too.
            let to =
                body.then(at, &format!("when head instanceof Leaf do {{ (head as Leaf).owner := {start} }}"));
            body.step(at, "else", to);
            return to;
        }
        let place = match self.rng.below(4) {
            0 if self.handles => "who := ",
            1 | 2 if self.handles => {
                let local = body.local("t", "tid", "");
                if !body.tids.contains(&local) {
                    body.tids.push(local);
                }
                "t := "
            }
            _ => "",
        };
        body.then(at, &format!("do {{ {place}{start} }}"))
    }
}
