//! Bodies that are made of statements.

use crate::SplitMix64;

use super::exprs::{Exp, atom};
use super::types::{BIT, DIGIT, Field, Fit, INTS, Ty};
use super::{Generator, Role, Scope, Variable};

/// The body of a procedure under construction.
pub(super) struct Body {
    pub scope: Scope,
    declarations: Vec<String>,
    lines: Vec<String>,
    indent: usize,
    function: bool,
    atomic: bool,
    /// Inside something that repeats: no threads are started here, and the heap does not grow.
    pub repeats: bool,
    /// Whether exceptions are caught, here or in a caller.
    pub caught: bool,
    /// Inside of `lock` and `unlock`: nothing may leave.
    holds: bool,
    /// Whether this thread sets the flag that others wait for.
    pub signals: bool,
    /// Where to put statements that do nothing.
    padding: Option<SplitMix64>,
}

impl Body {
    pub(super) fn new(scope: Scope, function: bool, padding: Option<SplitMix64>) -> Self {
        Self {
            scope,
            declarations: Vec::new(),
            lines: Vec::new(),
            indent: 1,
            function,
            atomic: false,
            repeats: function,
            caught: false,
            holds: false,
            signals: false,
            padding,
        }
    }

    fn raw(&mut self, text: &str) {
        self.lines.push(format!("{}{text}", "  ".repeat(self.indent)));
    }

    fn pad(&mut self, percent: usize) -> bool {
        self.padding.as_mut().is_some_and(|random| random.chance(percent))
    }

    /// A simple statement.
    pub(super) fn line(&mut self, text: impl AsRef<str>) {
        let text = text.as_ref();
        if self.pad(20) {
            self.raw("skip;");
        }
        let single = text.contains(" := ") && !text.contains("invoke");
        if single && self.pad(20) {
            self.raw("atomic");
            self.raw(&format!("  {text}"));
            self.raw("end");
        } else {
            self.raw(text);
        }
    }

    /// The start of a statement with a block.
    pub(super) fn open(&mut self, text: impl AsRef<str>) {
        if self.pad(20) {
            self.raw("skip;");
        }
        self.branch(text.as_ref());
        if text.as_ref() == "atomic" && self.pad(50) {
            self.raw("skip;");
        }
    }

    /// A line with a block behind it.
    pub(super) fn branch(&mut self, text: &str) {
        self.raw(text);
        self.indent += 1;
    }

    /// Ends a block without a line of its own.
    pub(super) fn shut(&mut self) {
        self.indent -= 1;
    }

    /// A line between two blocks.
    pub(super) fn between(&mut self, text: impl AsRef<str>) {
        self.shut();
        self.branch(text.as_ref());
    }

    /// A line behind a block.
    pub(super) fn close(&mut self, text: impl AsRef<str>) {
        self.shut();
        self.raw(text.as_ref());
    }

    pub(super) fn print(self, head: &str) -> Vec<String> {
        let Self { declarations, lines, .. } = self;
        let mut text = vec![format!("{head} {{")];
        text.extend(declarations);
        text.extend(lines);
        text.push("}".to_owned());
        text
    }

    pub(super) fn declarations(&self) -> Vec<String> {
        self.declarations.clone()
    }
}

impl Generator {
    /// Declares a local variable.
    pub(super) fn local(&mut self, body: &mut Body, prefix: &str, ty: Ty, role: Role) -> String {
        let name = format!("{prefix}{}", self.fresh());
        self.declare(body, name.clone(), ty, role);
        name
    }

    fn declare(&mut self, body: &mut Body, name: String, ty: Ty, role: Role) {
        let init = match ty {
            Ty::Bool => self.pick(&["", "", " := true"]),
            Ty::Int(0) if role == Role::Free => self.pick(&["", "", " := C.M"]),
            _ => "",
        };
        body.declarations.push(format!("  {} {name}{init};", self.type_text(ty)));
        body.scope.variables.push(Variable { name, ty, role });
    }

    /// Hides a global, perhaps, by a local of the same name. Only before the body mentions any.
    pub(super) fn hide_global(&mut self, body: &mut Body) {
        if self.chance(15) {
            let ty = if self.chance(50) { Ty::Enum } else { DIGIT };
            body.scope.variables.retain(|variable| variable.name != "x0");
            self.declare(body, "x0".to_owned(), ty, Role::Free);
        }
    }

    /// A free local variable of this type: an existing one, or a new one.
    pub(super) fn some_local(&mut self, body: &mut Body, prefix: &str, ty: Ty) -> String {
        let known = self.variable(&body.scope, |variable| {
            variable.ty == ty && variable.role == Role::Free && variable.name.starts_with(prefix)
        });
        match known {
            Some(variable) => variable.name,
            None => self.local(body, prefix, ty, Role::Free),
        }
    }

    pub(super) fn block(&mut self, body: &mut Body, statements: usize, depth: usize) {
        for _ in 0..statements {
            self.statement(body, depth);
        }
    }

    pub(super) fn statement(&mut self, body: &mut Body, depth: usize) {
        let before = body.lines.len();
        self.try_statement(body, depth);
        if body.lines.len() == before {
            self.assign(body);
        }
    }

    /// A statement, or nothing if the drawn one is not possible.
    fn try_statement(&mut self, body: &mut Body, depth: usize) {
        if self.dangerous() {
            return self.risk(body);
        }
        match self.rng.below(46) {
            _ if !self.collections.is_empty() && self.chance(30) => self.collect(body),
            0..=3 if depth > 0 => self.atomic(body, depth),
            4..=6 if depth > 0 => self.conditional(body, depth),
            7..=9 if depth > 0 => self.counted(body, depth),
            10..=13 if depth > 0 => self.choose(body, depth),
            14..=16 if self.locks && depth > 0 => self.section(body, depth),
            17..=18 if self.locks => self.monitor(body),
            19..=24 if self.heap => self.heap(body),
            25..=26 if self.arrays => self.array(body),
            27..=29 => self.invoke(body),
            30..=32 if self.exceptions && depth > 0 => self.attempt(body, depth),
            33..=34 if self.exceptions && body.caught => self.throw(body),
            35..=38 if self.may_block() => self.await_condition(body),
            37 if self.handles => self.join(body),
            36 => self.claim(body),
            38 => self.leave(body),
            39 if !body.atomic && !body.function => {
                let test = self.boolean(&body.scope, 1);
                body.open(format!("while {} do", test.text));
                self.assign(body);
                body.close("end");
            }
            40 => body.line("skip;"),
            _ => self.assign(body),
        }
    }

    /// A statement that may well fault.
    fn risk(&mut self, body: &mut Body) {
        let test = self.boolean(&body.scope, 1);
        match self.rng.below(8) {
            _ if !self.collections.is_empty() && self.chance(40) => {
                let line = self.collection_risk(&body.scope);
                body.line(line.unwrap_or_else(|| format!("assert {};", test.text)));
            }
            0 if self.locks => {
                let what =
                    self.pick(&["unlock(m);", "notify(m);", "notifyAll(n);", "wait(m);", "unwait(m);"]);
                body.line(what);
            }
            1 if self.locks => body.line(self.pick(&["lock(m);", "lock(n);", "lock(null);"])),
            2 if self.arrays => {
                let length = self.int(&body.scope, 1);
                body.line(format!("cells := new {}[{}];", INTS[BIT].text, length.text));
            }
            3 if self.exceptions => self.throw(body),
            4 if !self.children.is_empty() => {
                let (name, params) = self.rng.pick(&self.children).clone();
                self.start(body, &name, &params);
            }
            5 if self.heap && self.chance(50) => {
                let record = *self.rng.pick(&self.below(0));
                let local = self.some_local(body, "q", Ty::Record(record));
                let cast = self.cast(record, &atom("head"));
                body.line(format!("{local} := {};", cast.text));
            }
            5 if self.heap => body.line(self.pick(&["head := null;", "spare := null;"])),
            6 => {
                body.open(format!("if {} do", test.text));
                body.line("exit;");
                body.close("end");
            }
            _ => body.line(format!("assert {};", test.text)),
        }
    }

    /// An assignment to a free variable.
    pub(super) fn assign(&mut self, body: &mut Body) {
        let line = self.assignment(&body.scope);
        body.line(line);
    }

    pub(super) fn assignment(&mut self, scope: &Scope) -> String {
        if !self.collections.is_empty()
            && self.chance(25)
            && let Some(change) = self.change(scope)
        {
            return change;
        }
        let plain = |ty| matches!(ty, Ty::Bool | Ty::Int(_) | Ty::Enum | Ty::Text | Ty::Key);
        let variable = self.variable(scope, |variable| variable.role == Role::Free && plain(variable.ty));
        let Some(Variable { name, ty, .. }) = variable else { return "skip;".to_owned() };
        let value = self.value(scope, ty);
        format!("{name} := {};", value.text)
    }

    fn atomic(&mut self, body: &mut Body, depth: usize) {
        let outer = std::mem::replace(&mut body.atomic, true);
        body.open("atomic");
        // A loop at the start returns to the start of the block.
        if self.chance(15) {
            self.counted(body, depth);
        }
        let statements = 1 + self.rng.below(3);
        self.block(body, statements, depth - 1);
        body.close("end");
        body.atomic = outer;
    }

    fn conditional(&mut self, body: &mut Body, depth: usize) {
        let test = self.boolean(&body.scope, 1);
        body.open(format!("if {} do", test.text));
        self.block(body, 1, depth - 1);
        if self.chance(25) {
            let test = self.boolean(&body.scope, 1);
            body.between(format!("elseif {} do", test.text));
            self.block(body, 1, depth - 1);
        }
        if self.chance(50) {
            body.between("else do");
            self.block(body, 1, depth - 1);
        }
        body.close("end");
    }

    /// A loop over numbers, or over a collection.
    fn visiting(&mut self, body: &mut Body, depth: usize) {
        let name = format!("i{}", self.fresh());
        let fits = |v: &Variable| matches!(v.ty, Ty::Collection(_));
        let (over, ty) = match self.variable(&body.scope, fits) {
            Some(Variable { name, ty: Ty::Collection(index), .. }) if self.chance(50) => {
                (name, self.collections[index].element)
            }
            _ => (
                self.pick(&["0..2", "0..=0", "C.N..C.N", "0..(b ? 2 : 1)", "1..=(b ? 1 : 0)"]).to_owned(),
                DIGIT,
            ),
        };
        let outer = std::mem::replace(&mut body.repeats, true);
        body.open(format!("for {name} in {over} do"));
        body.scope.variables.push(Variable { name: name.clone(), ty, role: Role::Fixed });
        if self.chance(30) {
            let test = self.boolean(&body.scope, 1);
            let leave = self.pick(&["break;", "continue;"]);
            body.open(format!("if {} do", test.text));
            body.line(leave);
            body.close("end");
        }
        self.block(body, 1, depth - 1);
        body.scope.variables.retain(|variable| variable.name != name);
        body.close("end");
        body.repeats = outer;
    }

    /// A loop that ends.
    fn counted(&mut self, body: &mut Body, depth: usize) {
        if self.chance(40) {
            return self.visiting(body, depth);
        }
        let counter = self.local(body, "i", DIGIT, Role::Fixed);
        let outer = std::mem::replace(&mut body.repeats, true);
        let (early, rounds) = (self.chance(50), 1 + self.rng.below(2));
        body.open(format!("while {counter} < {rounds} do"));
        if early {
            body.line(format!("{counter} := {counter} + 1;"));
        }
        let statements = 1 + self.rng.below(2);
        self.block(body, statements, depth - 1);
        if !early {
            body.line(format!("{counter} := {counter} + 1;"));
        }
        body.close("end");
        body.line(format!("{counter} := 0;"));
        body.repeats = outer;
    }

    fn choose(&mut self, body: &mut Body, depth: usize) {
        body.open("choose");
        let mut heads = Vec::new();
        for _ in 0..=self.rng.below(3) {
            let guard = self.boolean(&body.scope, 1);
            heads.push(if self.chance(65) { format!("when <{}> do", guard.text) } else { "do".to_owned() });
        }
        // Without an `else` it can block.
        let blocks = !heads.iter().any(|head| head == "do") && !self.may_block();
        if blocks || self.chance(20) {
            heads.push("else do".to_owned());
        }
        for head in heads {
            body.branch(&head);
            let statements = 1 + self.rng.below(2);
            self.block(body, statements, depth - 1);
            body.shut();
        }
        body.close("end");
    }

    fn await_condition(&mut self, body: &mut Body) {
        let test = self.boolean(&body.scope, 1);
        if self.chance(50) {
            body.line(format!("assume {};", test.text));
        } else {
            body.open("choose");
            body.branch(&format!("when <{}> do", test.text));
            self.assign(body);
            body.shut();
            body.close("end");
        }
    }

    /// A part that holds a lock.
    fn section(&mut self, body: &mut Body, depth: usize) {
        let own = self.lock_of(body);
        let lock = match &own {
            Some(lock) => lock.clone(),
            None => self.pick(&["m", "m", "m", "n"]).to_owned(),
        };
        let twice = self.chance(15);
        let outer = (std::mem::replace(&mut body.holds, true), std::mem::replace(&mut body.caught, false));
        for _ in 0..=usize::from(twice) {
            body.line(format!("lock({lock});"));
        }
        let statements = 1 + self.rng.below(2);
        self.block(body, statements, depth - 1);
        for _ in 0..=usize::from(twice) {
            body.line(format!("unlock({lock});"));
        }
        (body.holds, body.caught) = outer;
        if own.is_some() {
            body.close("end");
        }
    }

    /// Opens a block in which a lock of an object is available.
    fn lock_of(&mut self, body: &mut Body) -> Option<String> {
        if !self.chance(30) {
            return None;
        }
        let (test, field, _) = self.field_of(&body.scope, |_| true, |field| field.ty == Ty::Lock)?;
        let local = self.local(body, "k", Ty::Lock, Role::Fixed);
        body.line(format!("{local} := {} ? {} : null;", test.text, field.text));
        body.open(format!("if {local} != null do"));
        Some(local)
    }

    /// Waits for the flag, or sets it.
    pub(super) fn monitor(&mut self, body: &mut Body) {
        if body.signals || body.function || body.holds {
            self.signal(body);
            return;
        }
        body.line("lock(m);");
        body.open("while !flag do");
        body.line("wait(m);");
        body.close("end");
        if self.dangerous() {
            body.line("flag := false;");
        }
        body.line("unlock(m);");
    }

    pub(super) fn signal(&mut self, body: &mut Body) {
        let atomic = self.chance(40);
        if atomic {
            body.open("atomic");
        }
        body.line("lock(m);");
        body.line("flag := true;");
        // A thread that is not notified would wait forever.
        let notify = if self.dangerous() { "notify(m);" } else { "notifyAll(m);" };
        for line in self.pick(&["", "notify(m);"]).lines().chain([notify]) {
            body.line(line);
        }
        body.line("unlock(m);");
        if atomic {
            body.close("end");
        }
    }

    fn heap(&mut self, body: &mut Body) {
        let record = *self.rng.pick(&self.below(0));
        let name = self.records[record].name.clone();
        match self.rng.below(10) {
            0..=1 => {
                let fits = |ty, below: &[usize]| matches!(ty, Ty::Record(to) if below.contains(&to));
                let above = self.records[record].ancestors.clone();
                let place = self.variable(&body.scope, |v| v.role == Role::Free && fits(v.ty, &above));
                let place = place.map_or_else(|| "head".to_owned(), |variable| variable.name);
                body.line(format!("{place} := new {name};"));
                self.keep(body, Ty::Record(0), &place);
            }
            2 if !body.repeats => {
                let local = self.some_local(body, "q", Ty::Record(0));
                body.line(format!("{local} := new {name};"));
                let next = self.fields(0).into_iter().find(|field| field.ty == Ty::Record(0));
                if let Some(next) = next {
                    body.line(format!("{local}.{} := head;", next.name));
                }
                body.line(format!("head := {local};"));
            }
            2..=4 => {
                let place = self.variable(&body.scope, |variable| {
                    variable.role == Role::Free && matches!(variable.ty, Ty::Record(_))
                });
                let Some(Variable { name, ty, .. }) = place else { return };
                let value = if self.chance(30) { atom("null") } else { self.value(&body.scope, ty) };
                body.line(format!("{name} := {};", value.text));
            }
            _ => self.write_field(body),
        }
    }

    /// Writes to a field of an object that no other thread removes in between.
    fn write_field(&mut self, body: &mut Body) {
        let atomic = self.chance(40);
        if !atomic && self.variable(&body.scope, |variable| variable.name.starts_with('q')).is_none() {
            let local = self.local(body, "q", Ty::Record(0), Role::Free);
            let value = self.reference(&body.scope, 0);
            body.line(format!("{local} := {};", value.text));
        }
        let owner = |variable: &Variable| atomic || variable.name.starts_with('q');
        let Some((test, field, Field { ty, .. })) = self.field_of(&body.scope, owner, |_| true) else {
            return;
        };
        let value = self.value(&body.scope, ty);
        let fresh = if ty == Ty::Lock && self.chance(60) { Some(atom("new lock")) } else { None };
        let line = format!("{} := {};", field.text, fresh.unwrap_or(value).text);
        if self.dangerous() {
            body.line(line);
            return;
        }
        if atomic {
            body.open("atomic");
        }
        body.open(format!("if {} do", test.text));
        body.line(line);
        body.close("end");
        if atomic {
            body.close("end");
        }
    }

    fn array(&mut self, body: &mut Body) {
        let number = self.int(&body.scope, 1);
        let index = self.index(&number);
        let (array, ty) =
            if self.chance(50) { ("cells", Ty::Int(BIT)) } else { ("table", Ty::Record(self.table_record)) };
        let value = self.value(&body.scope, ty);
        body.line(format!("{array}[{}] := {};", index.text, value.text));
    }

    /// A call, of a function or through a table.
    fn invoke(&mut self, body: &mut Body) {
        let place = self.result_place(&body.scope);
        if let Some(root) = self.table
            && self.chance(40)
        {
            let local = self.some_local(body, "q", Ty::Record(0));
            let (receiver, arg) = (self.reference(&body.scope, 0), self.value(&body.scope, DIGIT));
            body.line(format!("{local} := {};", receiver.text));
            let call = format!("{place}invoke virtual visit({local}, {});", arg.text);
            if self.dangerous() {
                body.line(call);
            } else {
                let test = self.instance_of(&atom(local), root);
                body.open(format!("if {} do", test.text));
                body.line(call);
                body.close("end");
            }
            return;
        }
        let Some((name, args, result)) = self.call(body) else { return };
        let place = if result { place } else { String::new() };
        body.line(format!("{place}invoke {name}({args});"));
    }

    /// A function with arguments, and whether it has a result.
    pub(super) fn call(&mut self, body: &Body) -> Option<(String, String, bool)> {
        let throws = body.caught || self.dangerous();
        let functions: Vec<_> = self.functions.iter().filter(|f| throws || !f.throws).cloned().collect();
        if functions.is_empty() {
            return None;
        }
        let function = self.rng.pick(&functions).clone();
        let args: Vec<_> = function.params.iter().map(|&ty| self.value(&body.scope, ty).text).collect();
        Some((function.name, args.join(", "), function.result))
    }

    /// Where a result of 0 to 3 goes: `x := `, or nowhere.
    pub(super) fn result_place(&mut self, scope: &Scope) -> String {
        let takes = |ty| matches!(ty, Ty::Int(int) if matches!(INTS[int].fit, Fit::Mask(3) | Fit::Wrap));
        let place = self.variable(scope, |variable| variable.role == Role::Free && takes(variable.ty));
        match place {
            Some(variable) if self.chance(80) => format!("{} := ", variable.name),
            _ => String::new(),
        }
    }

    /// The root of the throwable records.
    pub(super) fn failure(&self) -> usize {
        self.records.iter().position(|record| record.throwable).unwrap_or_default()
    }

    fn attempt(&mut self, body: &mut Body, depth: usize) {
        let failure = self.failure();
        let outer = std::mem::replace(&mut body.caught, true);
        body.open("try");
        let statements = self.rng.below(3);
        self.block(body, statements, depth - 1);
        if statements == 0 || self.chance(30) {
            self.throw_now(body);
        } else if self.chance(40) {
            self.throw(body);
        }
        body.caught = outer;
        let below = self.below(failure);
        let mut records = vec![*self.rng.pick(&below)];
        if records[0] != failure && !(outer || self.dangerous()) {
            records.push(failure);
        }
        for record in records {
            // The variable is a local of the body, or belongs to the handler.
            let ty = Ty::Record(failure);
            let declared = self.chance(40).then(|| self.some_local(body, "e", ty));
            // Handlers side by side can have variables of one name and several types.
            let taken = body.scope.variables.iter().any(|variable| variable.name == "v");
            let own = if taken { format!("v{}", self.fresh()) } else { "v".to_owned() };
            let name = declared.clone().unwrap_or(own);
            body.between(format!("catch ({} {name})", self.records[record].name));
            if declared.is_none() {
                let ty = Ty::Record(record);
                body.scope.variables.push(Variable { name: name.clone(), ty, role: Role::Fixed });
            }
            self.block(body, 1, depth - 1);
            if outer && self.chance(30) {
                body.line(format!("throw {name};"));
            } else if let Some(name) = &declared {
                body.line(format!("{name} := null;"));
            }
            if declared.is_none() {
                body.scope.variables.retain(|variable| variable.name != name);
            }
        }
        body.close("end");
    }

    /// Throws, perhaps.
    pub(super) fn throw(&mut self, body: &mut Body) {
        let test = self.boolean(&body.scope, 1);
        body.open(format!("if {} do", test.text));
        self.throw_now(body);
        body.close("end");
    }

    fn throw_now(&mut self, body: &mut Body) {
        let failure = self.failure();
        let record = *self.rng.pick(&self.below(failure));
        let local = self.some_local(body, "e", Ty::Record(failure));
        let whole = self.chance(40);
        if whole {
            body.open("atomic");
        }
        body.line(format!("{local} := new {};", self.records[record].name));
        if self.dangerous() {
            body.line(format!("{local} := null;"));
        } else if self.chance(50) {
            let code = self.fields(failure).into_iter().find(|field| field.ty == DIGIT);
            if let Some(code) = code {
                let value = self.value(&body.scope, DIGIT);
                body.line(format!("{local}.{} := {};", code.name, value.text));
            }
        }
        body.line(format!("throw {local};"));
        if whole {
            body.close("end");
        }
    }

    pub(super) fn start(&mut self, body: &mut Body, name: &str, params: &[Ty]) {
        let args: Vec<_> = params.iter().map(|&ty| self.value(&body.scope, ty).text).collect();
        let started = format!("start {name}({});", args.join(", "));
        if !(self.handles && self.chance(70)) {
            body.line(started);
            return;
        }
        let place = match self.rng.below(2) {
            0 => "who".to_owned(),
            _ => self.some_local(body, "t", Ty::Tid),
        };
        body.line(format!("{place} := {started}"));
        self.keep(body, Ty::Tid, &place);
    }

    /// Waits for the end of a thread.
    fn join(&mut self, body: &mut Body) {
        let local = self.variable(&body.scope, |v| v.ty == Ty::Tid && v.name.starts_with('t'));
        match local {
            Some(variable) if !body.function && !body.holds && self.chance(70) => {
                body.line(format!("assume {0} == null || threadTerminated({0});", variable.name));
            }
            _ => {
                let value = self.value(&body.scope, Ty::Tid);
                body.line(format!("who := {};", value.text));
            }
        }
    }

    /// Asserts or assumes something.
    fn claim(&mut self, body: &mut Body) {
        let test = self.boolean(&body.scope, 1);
        let (pin, word) = (self.named_element(&body.scope), self.pick(&["assert", "assume"]));
        let word = if pin.is_some() { "assert" } else { word };
        let test = pin.unwrap_or(test);
        let sure: Exp = self.binary(&test, "|", &self.not(&test));
        body.line(format!("{word} {};", sure.text));
    }

    /// Ends the procedure or the thread, perhaps.
    fn leave(&mut self, body: &mut Body) {
        if body.holds || body.signals || body.function {
            return;
        }
        let test = self.boolean(&body.scope, 1);
        body.open(format!("if {} do", test.text));
        body.line(self.pick(&["exit;", "return;"]));
        body.close("end");
    }
}
