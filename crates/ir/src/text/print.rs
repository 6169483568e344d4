//! A program as text.
//!
//! Out-of-range ids, which no verified program has, are printed as they display, so that a broken program can
//! be inspected too.

mod processes;
mod property;

use std::fmt::{self, Display, Write};

use super::names::{Labels, plain, quote};
use super::parse::{BINARY, METHODS, TESTS};
use super::resolve::inherited_fields;
use crate::ids::small;
use crate::*;

/// The whole program.
pub fn print(program: &Program) -> String {
    let printer = Printer { program, labels: Some(Labels::new(program)) };
    let mut out = String::new();
    printer.program(&mut out).expect("a String takes everything");
    out
}

/// An expression for users: without the types and indices that [`print()`] adds.
pub fn expr(program: &Program, scope: Scope, expr: &Expr) -> String {
    Printer { program, labels: None }.expr(expr, scope, 0)
}

/// A place for users.
pub fn place(program: &Program, scope: Scope, place: &Place) -> String {
    Printer { program, labels: None }.place(place, scope)
}

/// The precedences of unary operators and of operands of selections.
const UNARY: u8 = 12;
const POSTFIX: u8 = 13;

struct Printer<'p> {
    program: &'p Program,
    /// Without labels the text is for users.
    labels: Option<Labels>,
}

/// The label of `id`, or its name where there are no labels.
fn label<I: Id + Display, T>(
    labels: Option<&Table<I, String>>,
    table: &Table<I, T>,
    id: I,
    name: impl Fn(&T) -> &str,
) -> String {
    let label = match labels {
        Some(labels) => labels.get(id).cloned(),
        None => table.get(id).map(|item| name(item).to_owned()),
    };
    label.unwrap_or_else(|| id.to_string())
}

fn join(items: impl IntoIterator<Item = String>) -> String {
    items.into_iter().collect::<Vec<_>>().join(", ")
}

impl Printer<'_> {
    fn enum_name(&self, id: EnumId) -> String {
        label(self.labels.as_ref().map(|l| &l.enums), &self.program.enums, id, |item| &item.name)
    }

    fn record(&self, id: RecordId) -> String {
        label(self.labels.as_ref().map(|l| &l.records), &self.program.records, id, |item| &item.name)
    }

    fn global(&self, id: GlobalId) -> String {
        label(self.labels.as_ref().map(|l| &l.globals), &self.program.globals, id, |item| &item.name)
    }

    fn fun(&self, id: FunId) -> String {
        label(self.labels.as_ref().map(|l| &l.funs), &self.program.funs, id, |item| &item.name)
    }

    fn procedure(&self, id: ProcedureId) -> String {
        label(self.labels.as_ref().map(|l| &l.procedures), &self.program.procedures, id, |item| &item.name)
    }

    fn virtual_table(&self, id: VirtualId) -> String {
        label(self.labels.as_ref().map(|l| &l.virtuals), &self.program.virtuals, id, |item| &item.name)
    }

    fn location(&self, id: LocationId) -> String {
        label(self.labels.as_ref().map(|l| &l.locations), &self.program.locations, id, |item| &item.name)
    }

    fn local(&self, procedure: ProcedureId, id: LocalId) -> String {
        let Some(owner) = self.program.procedures.get(procedure) else { return id.to_string() };
        let labels = self.labels.as_ref().map(|l| &l.locals[procedure]);
        label(labels, &owner.locals, id, |item| &item.name)
    }

    fn param(&self, fun: FunId, index: u32) -> String {
        let index = index as usize;
        let param = if let Some(labels) = &self.labels {
            labels.params.get(fun).and_then(|params| params.get(index)).cloned()
        } else {
            self.program.funs.get(fun).and_then(|fun| fun.params.get(index)).map(|(name, _)| name.clone())
        };
        param.unwrap_or_else(|| format!("param{index}"))
    }

    /// A field among those of `fields`.
    fn field(&self, id: FieldId, fields: &[FieldId]) -> String {
        let name = label(self.labels.as_ref().map(|l| &l.fields), &self.program.fields, id, |f| &f.name);
        let same = |&&other: &&FieldId| {
            self.program.fields.get(other).map(|f| &f.name) == self.program.fields.get(id).map(|f| &f.name)
        };
        if self.labels.is_none() || fields.iter().filter(same).count() == 1 {
            name
        } else {
            format!("{name}#{}", id.0)
        }
    }

    fn selected(&self, base: &Expr, field: FieldId, scope: Scope) -> String {
        let fields = match self.program.types.get(base.ty) {
            Some(Type::Record(record)) => self.program.records.get(record).map(|record| &record.fields[..]),
            _ => None,
        };
        format!("{}.{}", self.expr(base, scope, POSTFIX), self.field(field, fields.unwrap_or_default()))
    }

    fn ty(&self, id: TypeId) -> String {
        let Some(ty) = self.program.types.get(id) else { return id.to_string() };
        if self.labels.is_none() {
            return self.program.type_name(id);
        }
        match ty {
            // The name alone has to distinguish enums and records.
            Type::Enum(id) | Type::Abstract(id) => {
                let name = self.program.enums.get(id).map(|item| &item.name);
                let shared = self.program.records.values().any(|record| Some(&record.name) == name);
                format!("{}{}", if shared { "enum " } else { "" }, self.enum_name(id))
            }
            Type::Record(id) => {
                let name = self.program.records.get(id).map(|item| &item.name);
                let shared = self.program.enums.values().any(|item| Some(&item.name) == name);
                format!("{}{}", if shared { "record " } else { "" }, self.record(id))
            }
            Type::Array(element) => format!("{}[]", self.part(element, id)),
            Type::Set(element) => format!("Set<{}>", self.part(element, id)),
            Type::Bag(element) => format!("Bag<{}>", self.part(element, id)),
            Type::Map(key, value) => format!("Map<{}, {}>", self.part(key, id), self.part(value, id)),
            Type::Seq(element) => format!("Seq<{}>", self.part(element, id)),
            Type::Queue(element) => format!("Queue<{}>", self.part(element, id)),
            Type::Bool
            | Type::Int(_)
            | Type::Tid
            | Type::String
            | Type::Lock
            | Type::Pointer
            | Type::Channel
            | Type::Null => self.program.type_name(id),
        }
    }

    /// A type that `of` is made of; by its id if it comes in the wrong order.
    fn part(&self, id: TypeId, of: TypeId) -> String {
        if id < of { self.ty(id) } else { id.to_string() }
    }

    fn constant(&self, value: Const) -> String {
        match value {
            Const::Bool(value) => value.to_string(),
            Const::Int(value) => value.to_string(),
            Const::Enum(id, element) => {
                let name = self.program.enums.get(id).and_then(|item| item.elements.get(element as usize));
                match (name, &self.labels) {
                    (Some(name), Some(_)) => format!("{}::{}", self.enum_name(id), plain(name)),
                    (Some(name), None) => name.clone(),
                    (None, _) => format!("{id}::{element}"),
                }
            }
            Const::Null => "null".to_owned(),
            Const::String(id) => {
                self.program.strings.get(id).map_or_else(|| id.to_string(), |text| quote(text, '"'))
            }
        }
    }

    fn expr(&self, expr: &Expr, scope: Scope, least: u8) -> String {
        let (strength, text) = self.kind(expr, scope);
        // The text of a new collection contains its type.
        if self.labels.is_some()
            && !matches!(expr.kind, ExprKind::Collection(CollectionOp::Create, _))
            && self.program.types.get(expr.ty) != self.program.natural_type(&expr.kind, scope)
        {
            return format!("({text} : {})", self.ty(expr.ty));
        }
        if strength < least { format!("({text})") } else { text }
    }

    /// The text of an expression and its precedence.
    fn kind(&self, expr: &Expr, scope: Scope) -> (u8, String) {
        let ask = |question: &str, operand: &Expr| {
            (POSTFIX, format!("{question}({})", self.expr(operand, scope, 0)))
        };
        match &expr.kind {
            ExprKind::Const(value) => {
                let sign = matches!(value, Const::Int(..0));
                (if sign { UNARY } else { POSTFIX }, self.constant(*value))
            }
            ExprKind::Global(id) => (POSTFIX, self.global_in(*id, scope)),
            ExprKind::Local(id) => match scope {
                Scope::Procedure(procedure) => (POSTFIX, self.local(procedure, *id)),
                Scope::Program | Scope::Fun(_) => (POSTFIX, id.to_string()),
            },
            ExprKind::Param(index) => match scope {
                Scope::Fun(fun) => (POSTFIX, self.param(fun, *index)),
                Scope::Program | Scope::Procedure(_) => (POSTFIX, format!("param{index}")),
            },
            ExprKind::Field(base, field) => (POSTFIX, self.selected(base, *field, scope)),
            ExprKind::Index(array, index) => {
                let (array, index) = (self.expr(array, scope, POSTFIX), self.expr(index, scope, 0));
                (POSTFIX, format!("{array}[{index}]"))
            }
            ExprKind::Address(base, field) => {
                (POSTFIX, format!("address({})", self.selected(base, *field, scope)))
            }
            ExprKind::Offset(pointer, distance) => {
                let (pointer, distance) = (self.expr(pointer, scope, 0), self.expr(distance, scope, 0));
                (POSTFIX, format!("offset({pointer}, {distance})"))
            }
            ExprKind::Load(pointer) => ask("load", pointer),
            ExprKind::Within(index, bound) => {
                (POSTFIX, format!("within({}, {bound})", self.expr(index, scope, 0)))
            }
            ExprKind::Length(array) => (POSTFIX, format!("{}.length", self.expr(array, scope, POSTFIX))),
            ExprKind::Unary(UnaryOp::Not, operand) => {
                (UNARY, format!("!{}", self.expr(operand, scope, UNARY)))
            }
            ExprKind::Unary(UnaryOp::Neg, operand) => {
                // `-5` is a constant.
                let number = matches!(operand.kind, ExprKind::Const(_));
                let operand = self.expr(operand, scope, if number { 0 } else { UNARY });
                let bare = number && !operand.starts_with('(');
                (UNARY, if bare { format!("-({operand})") } else { format!("-{operand}") })
            }
            ExprKind::Binary(op, left, right) => {
                let &(symbol, _, strength) =
                    BINARY.iter().find(|(_, other, _)| other == op).expect("all operators are listed");
                let (l, r) = match op {
                    BinaryOp::Implies => (strength + 1, strength),
                    _ => (strength, strength + 1),
                };
                (strength, format!("{} {symbol} {}", self.expr(left, scope, l), self.expr(right, scope, r)))
            }
            ExprKind::Cond(condition, then, otherwise) => {
                let condition = self.expr(condition, scope, 1);
                let (then, otherwise) = (self.expr(then, scope, 0), self.expr(otherwise, scope, 0));
                (0, format!("{condition} ? {then} : {otherwise}"))
            }
            ExprKind::Cast(record, operand) => {
                (TESTS, format!("{} as {}", self.expr(operand, scope, TESTS), self.record(*record)))
            }
            ExprKind::InstanceOf(operand, record) => {
                (TESTS, format!("{} instanceof {}", self.expr(operand, scope, TESTS), self.record(*record)))
            }
            ExprKind::LockAvailable(operand) => ask("lockAvailable", operand),
            ExprKind::HasLock(operand) => ask("hasLock", operand),
            ExprKind::WasNotified(operand) => ask("wasNotified", operand),
            ExprKind::ThreadTerminated(operand) => ask("threadTerminated", operand),
            ExprKind::Call(fun, args) => {
                (POSTFIX, format!("{}({})", self.fun(*fun), self.exprs(args, scope)))
            }
            ExprKind::All(id) => (UNARY, format!("all {}", self.enum_name(*id))),
            ExprKind::Collection(op, operands) => (POSTFIX, self.collection(*op, operands, expr.ty, scope)),
            ExprKind::Quantified { all, over, fun, captures } => {
                let word = if *all { "forall" } else { "exists" };
                let operands = [self.expr(over, scope, 0), self.fun(*fun)];
                let captures = captures.iter().map(|capture| self.expr(capture, scope, 0));
                (POSTFIX, format!("{word}({})", join(operands.into_iter().chain(captures))))
            }
            ExprKind::Element(array, indices) => (POSTFIX, self.element(*array, indices, scope)),
            ExprKind::Wrap(operand) => ask("wrap", operand),
            ExprKind::Number(operand) => ask("number", operand),
            ExprKind::ThreadNumber => (POSTFIX, "thread()".to_owned()),
            ExprKind::ThreadCount => (POSTFIX, "threads()".to_owned()),
            ExprKind::LastThread => (POSTFIX, "last()".to_owned()),
            ExprKind::IsYoungest => (POSTFIX, "youngest()".to_owned()),
            ExprKind::Timeout => (POSTFIX, "timeout()".to_owned()),
            ExprKind::FirstThread(procedure) => (POSTFIX, format!("first({})", self.procedure(*procedure))),
            ExprKind::ThreadsAt { procedure, locations } => {
                let locations = locations.iter().map(|&location| self.location(location));
                let all = join(std::iter::once(self.procedure(*procedure)).chain(locations));
                (POSTFIX, format!("threadsAt({all})"))
            }
            ExprKind::IndividualAt { procedure, locations } => {
                let locations = locations.iter().map(|&location| self.location(location));
                let all = join(std::iter::once(self.procedure(*procedure)).chain(locations));
                (POSTFIX, format!("individualAt({all})"))
            }
            ExprKind::ThreadAt { thread, procedure, locations } => {
                let thread = self.expr(thread, scope, 0);
                let locations = join(locations.iter().map(|&location| self.location(location)));
                (POSTFIX, format!("at({thread}, {}, {locations})", self.procedure(*procedure)))
            }
            ExprKind::ThreadLocal { thread, procedure, local, indices } => {
                let thread = self.expr(thread, scope, 0);
                let local = self.local(*procedure, *local);
                let indices = self.indices(indices, scope);
                (POSTFIX, format!("of({thread}, {}, {local}{indices})", self.procedure(*procedure)))
            }
            ExprKind::ThreadEnabled(thread) => ask("enabled", thread),
            ExprKind::ThreadLocation(thread) => ask("location", thread),
            ExprKind::ThreadPriority(thread) => ask("priority", thread),
            // Users need only the name.
            ExprKind::Channel(id) if self.labels.is_none() => (POSTFIX, self.channel(*id)),
            ExprKind::Channel(id) => (POSTFIX, format!("channel({})", self.channel(*id))),
            ExprKind::ChannelLength(channel) => ask("length", channel),
            ExprKind::ChannelFull(channel) => ask("full", channel),
            ExprKind::ChannelHas { channel, anywhere, pattern } => {
                let word = if *anywhere { "has" } else { "heads" };
                (POSTFIX, format!("{word}({})", self.wanted(channel, pattern, scope)))
            }
        }
    }

    fn element(&self, array: Array, indices: &[Expr], scope: Scope) -> String {
        let name = match (array, scope) {
            (Array::Global(id), _) => self.global_in(id, scope),
            (Array::Local(id), Scope::Procedure(procedure)) => self.local(procedure, id),
            (Array::Local(id), Scope::Program | Scope::Fun(_)) => id.to_string(),
        };
        format!("{name}{}", self.indices(indices, scope))
    }

    fn channel(&self, id: ChannelId) -> String {
        label(self.labels.as_ref().map(|l| &l.channels), &self.program.channels, id, |item| &item.name)
    }

    fn collection(&self, op: CollectionOp, operands: &[Expr], ty: TypeId, scope: Scope) -> String {
        let method = METHODS.iter().find(|(_, other)| *other == op).map(|&(word, _)| word);
        let text = match (method, operands) {
            (Some(method), [of, operands @ ..]) if self.labels.is_some() => {
                let of = self.expr(of, scope, POSTFIX);
                return format!("{of}.{method}({})", self.exprs(operands, scope));
            }
            // In BIR the names of types begin with their kind: `Set.type<int>`.
            (Some(method), [of, ..]) => {
                let ty = self.ty(of.ty);
                format!("{}.{method}", ty.split('.').next().unwrap_or(&ty))
            }
            _ => self.ty(ty).replacen(".type<", ".create<", 1),
        };
        format!("{text}({})", self.exprs(operands, scope))
    }

    fn exprs(&self, exprs: &[Expr], scope: Scope) -> String {
        join(exprs.iter().map(|expr| self.expr(expr, scope, 0)))
    }

    fn global_in(&self, id: GlobalId, scope: Scope) -> String {
        let Some(global) = self.program.globals.get(id) else { return id.to_string() };
        let synthetic = match scope {
            Scope::Program => false,
            Scope::Fun(fun) => {
                let fun = self.program.funs.get(fun);
                fun.is_some_and(|fun| fun.params.iter().any(|(name, _)| *name == global.name))
            }
            Scope::Procedure(procedure) => {
                let procedure = self.program.procedures.get(procedure);
                procedure.is_some_and(|p| p.locals.values().any(|local| local.name == global.name))
            }
        };
        let exact = self.labels.is_some();
        format!("{}{}", if synthetic && exact { "::" } else { "" }, self.global(id))
    }

    fn place(&self, place: &Place, scope: Scope) -> String {
        match &place.kind {
            PlaceKind::Global(id) => self.global_in(*id, scope),
            PlaceKind::Local(id) => match scope {
                Scope::Procedure(procedure) => self.local(procedure, *id),
                Scope::Program | Scope::Fun(_) => id.to_string(),
            },
            PlaceKind::Field(base, field) => self.selected(base, *field, scope),
            PlaceKind::Index(array, index) => {
                format!("{}[{}]", self.expr(array, scope, POSTFIX), self.expr(index, scope, 0))
            }
            PlaceKind::Through(pointer) => {
                let text = format!("load({})", self.expr(pointer, scope, 0));
                if self.labels.is_some() { format!("({text} : {})", self.ty(place.ty)) } else { text }
            }
            PlaceKind::Element(array, indices) => self.element(*array, indices, scope),
        }
    }

    fn action(&self, action: &Action, scope: Scope) -> String {
        let verb = |verb: &str, operand: &Expr| format!("{verb}({})", self.expr(operand, scope, 0));
        match &action.kind {
            ActionKind::Assign(place, value) => {
                format!("{} := {}", self.place(place, scope), self.expr(value, scope, 0))
            }
            ActionKind::New(place, new) => {
                let made = match new {
                    New::Record(record) => self.record(*record),
                    New::Lock => "lock".to_owned(),
                    New::Block { record, length } => {
                        format!("block {}[{}]", self.record(*record), self.expr(length, scope, 0))
                    }
                    New::Channel(channel) => format!("chan({})", self.channel(*channel)),
                    New::Array { element, length } => {
                        format!("{}[{}]", self.ty(*element), self.expr(length, scope, 0))
                    }
                };
                format!("{} := new {made}", self.place(place, scope))
            }
            ActionKind::Choose(place, from) => {
                format!("{} := choose {}", self.place(place, scope), self.expr(from, scope, 0))
            }
            ActionKind::Assert(condition, message) => {
                let condition = self.expr(condition, scope, 0);
                match message {
                    Some(message) => format!("assert {condition} : {}", quote(message, '"')),
                    None => format!("assert {condition}"),
                }
            }
            ActionKind::Assume(condition) => format!("assume {}", self.expr(condition, scope, 0)),
            ActionKind::Lock(lock) => verb("lock", lock),
            ActionKind::Unlock(lock) => verb("unlock", lock),
            ActionKind::Wait(lock) => verb("wait", lock),
            ActionKind::Unwait(lock) => verb("unwait", lock),
            ActionKind::Notify(lock) => verb("notify", lock),
            ActionKind::NotifyAll(lock) => verb("notifyAll", lock),
            ActionKind::Throw(exception) => format!("throw {}", self.expr(exception, scope, 0)),
            ActionKind::Start { result, procedure, args, priority } => {
                let mut start = format!("start {}({})", self.procedure(*procedure), self.exprs(args, scope));
                if let Some(priority) = priority {
                    let _ = write!(start, " priority {priority}");
                }
                match result {
                    Some(place) => format!("{} := {start}", self.place(place, scope)),
                    None => start,
                }
            }
            ActionKind::Exit => "exit".to_owned(),
            ActionKind::BadCall(message) => format!("badcall {}", quote(message, '"')),
            ActionKind::Delete(object) => format!("delete {}", self.expr(object, scope, 0)),
            ActionKind::Kill(object) => format!("kill {}", self.expr(object, scope, 0)),
            ActionKind::Check(condition) => verb("check", condition),
            ActionKind::Send { channel, sorted, message } => {
                let word = if *sorted { "insert" } else { "send" };
                let operands =
                    std::iter::once(channel).chain(message).map(|operand| self.expr(operand, scope, 0));
                format!("{word}({})", join(operands))
            }
            ActionKind::Receive { channel, anywhere, keep, pattern } => {
                let word = match (anywhere, keep) {
                    (false, false) => "receive",
                    (true, false) => "extract",
                    (false, true) => "peek",
                    (true, true) => "find",
                };
                let pattern = pattern.iter().map(|field| match field {
                    Pattern::Store(place) => format!("{} :=", self.place(place, scope)),
                    Pattern::Match(value) => self.expr(value, scope, 0),
                    Pattern::Any => "*".to_owned(),
                });
                let channel = self.expr(channel, scope, 0);
                format!("{word}({})", join(std::iter::once(channel).chain(pattern)))
            }
            ActionKind::SetPriority(thread, priority) => {
                format!("priority({}, {})", self.expr(thread, scope, 0), self.expr(priority, scope, 0))
            }
            ActionKind::Print { format, args } => {
                let text =
                    self.program.strings.get(*format).map_or_else(String::new, |text| quote(text, '"'));
                let args = args.iter().map(|arg| self.expr(arg, scope, 0));
                format!("print({})", join(std::iter::once(text).chain(args)))
            }
        }
    }

    fn jump(&self, jump: &Jump, scope: Scope) -> String {
        match jump {
            Jump::Goto(target) => format!("goto {}", self.location(*target)),
            Jump::Return(None) => "return".to_owned(),
            Jump::Return(Some(value)) => format!("return {}", self.expr(value, scope, 0)),
        }
    }

    fn program(&self, out: &mut String) -> fmt::Result {
        let program = self.program;
        writeln!(out, "program {};", plain(&program.name))?;
        let Features { thread_ids_observable, remembers_last } = program.features;
        let features = [(thread_ids_observable, "thread_ids"), (remembers_last, "last")];
        if features.iter().any(|&(is_there, _)| is_there) {
            let words = features.iter().filter(|(is_there, _)| *is_there).map(|(_, word)| (*word).to_owned());
            writeln!(out, "\nfeatures {};", join(words))?;
        }
        let leaks = match program.memory {
            Memory::Collected => None,
            Memory::Explicit(Leaks::Off) => Some("off"),
            Memory::Explicit(Leaks::Unreachable) => Some("unreachable"),
            Memory::Explicit(Leaks::End) => Some("end"),
        };
        if let Some(leaks) = leaks {
            writeln!(out, "\nmemory explicit leaks {leaks};")?;
        }
        if !program.types.is_empty() {
            writeln!(out, "\ntypes {};", join(program.types.iter().map(|(id, _)| self.ty(id))))?;
        }
        if !program.strings.is_empty() {
            writeln!(out, "\nstrings {};", join(program.strings.values().map(|text| quote(text, '"'))))?;
        }
        for (id, item) in program.enums.iter() {
            let elements = join(item.elements.iter().map(|element| plain(element)));
            let kind = if item.is_abstract { "abstract enum" } else { "enum" };
            writeln!(out, "\n{kind} {} {{ {elements} }}", self.enum_name(id))?;
        }
        self.records(out)?;
        self.channels(out)?;
        if !program.globals.is_empty() {
            writeln!(out)?;
        }
        for (id, global) in program.globals.iter() {
            self.variable(out, "global", global, &self.global(id))?;
        }
        self.prologue(out, &program.prologue, Scope::Program, "")?;
        for (id, fun) in program.funs.iter() {
            let params = fun.params.iter().enumerate();
            let params =
                params.map(|(at, (_, ty))| format!("{} {}", self.ty(*ty), self.param(id, small(at))));
            let (params, result) = (join(params), self.ty(fun.result));
            let body = self.expr(&fun.body, Scope::Fun(id), 0);
            writeln!(out, "\nfun {}({params}) returns {result} = {body};", self.fun(id))?;
        }
        for (id, table) in program.virtuals.iter() {
            writeln!(out, "\nvirtual {} {{", self.virtual_table(id))?;
            for &(record, procedure) in &table.targets {
                writeln!(out, "  {} -> {};", self.record(record), self.procedure(procedure))?;
            }
            writeln!(out, "}}")?;
        }
        let mut next_location = 0;
        for (id, procedure) in program.procedures.iter() {
            self.procedure_text(out, id, procedure, &mut next_location)?;
        }
        if !program.active.is_empty() {
            writeln!(out, "\nactive {};", join(program.active.iter().map(|&id| self.procedure(id))))?;
        }
        if let Some(monitor) = &program.monitor {
            self.monitor(out, monitor)?;
        }
        for invariant in &program.invariants {
            let expr = self.expr(&invariant.expr, Scope::Program, 0);
            writeln!(out, "\ninvariant {} = {expr};", plain(&invariant.name))?;
        }
        self.properties(out)
    }

    fn records(&self, out: &mut String) -> fmt::Result {
        let program = self.program;
        let mut next = 0;
        for (id, record) in program.records.iter() {
            let throwable = if record.throwable { "throwable " } else { "" };
            let scoped = if record.scoped { "scoped " } else { "" };
            write!(out, "\n{throwable}{scoped}record {}", self.record(id))?;
            if !record.parents.is_empty() {
                write!(out, " extends {}", join(record.parents.iter().map(|&parent| self.record(parent))))?;
            }
            let declares = |&field: &FieldId| program.fields.get(field).is_some_and(|f| f.owner == id);
            let own: Vec<_> = record.fields.iter().copied().filter(declares).collect();
            let expected = [inherited_fields(program, id), own.clone()].concat();
            if own.is_empty() && record.fields == expected {
                writeln!(out, " {{}}")?;
                continue;
            }
            writeln!(out, " {{")?;
            for field in own {
                let declared = &program.fields[field];
                let at = explicit(field.0, &mut next);
                writeln!(out, "  {} {}{at};", self.ty(declared.ty), plain(&declared.name))?;
            }
            if record.fields != expected {
                let fields = record.fields.iter().map(|&field| self.field(field, &record.fields));
                writeln!(out, "  fields {};", join(fields))?;
            }
            writeln!(out, "}}")?;
        }
        Ok(())
    }

    fn variable(&self, out: &mut String, word: &str, variable: &Variable, name: &str) -> fmt::Result {
        let synthetic = if variable.synthetic { "synthetic " } else { "" };
        let untracked = if variable.untracked { "untracked " } else { "" };
        let (ty, shape) = (self.ty(variable.ty), self.shape(variable));
        write!(out, "{synthetic}{untracked}{word} {ty} {name}{shape}")?;
        if let Some(init) = variable.init {
            write!(out, " = {}", self.constant(init))?;
        }
        writeln!(out, ";")
    }

    fn procedure_text(
        &self,
        out: &mut String,
        id: ProcedureId,
        procedure: &Procedure,
        next_location: &mut u32,
    ) -> fmt::Result {
        let program = self.program;
        let kind = match procedure.kind {
            ProcedureKind::Thread => "thread",
            ProcedureKind::Function => "function",
        };
        let params = procedure.locals.iter().take(procedure.params).map(|(local, param)| {
            let synthetic = if param.synthetic { "synthetic " } else { "" };
            format!("{synthetic}{} {}{}", self.ty(param.ty), self.local(id, local), self.shape(param))
        });
        write!(out, "\n{kind} {}({})", self.procedure(id), join(params))?;
        if let Some(result) = procedure.result {
            write!(out, " returns {}", self.ty(result))?;
        }
        let own: Vec<_> = program.locations.iter().filter(|(_, location)| location.procedure == id).collect();
        if own.first().is_none_or(|&(first, _)| first != procedure.entry) {
            write!(out, " entry {}", self.location(procedure.entry))?;
        }
        if procedure.priority != 1 {
            write!(out, " priority {}", procedure.priority)?;
        }
        let scope = Scope::Procedure(id);
        if let Some(provided) = &procedure.provided {
            write!(out, " provided {}", self.expr(provided, scope, 0))?;
        }
        writeln!(out, " {{")?;
        for (local, variable) in procedure.locals.iter().skip(procedure.params) {
            write!(out, "  ")?;
            self.variable(out, "local", variable, &self.local(id, local))?;
        }
        if !procedure.channels.is_empty() {
            writeln!(out, "  channels {};", join(procedure.channels.iter().map(|&id| self.channel(id))))?;
        }
        for claim in &procedure.claims {
            let what = if claim.receive { "receive" } else { "send" };
            writeln!(out, "  claim {what} {};", self.expr(&claim.channel, scope, 0))?;
        }
        self.prologue(out, &procedure.prologue, scope, "  ")?;
        for catch in &procedure.catches {
            write!(out, "  catch {} {}", self.record(catch.record), self.local(id, catch.variable))?;
            if !catch.covers.is_empty() {
                write!(out, " at {}", join(catch.covers.iter().map(|&location| self.location(location))))?;
            }
            writeln!(out, " goto {};", self.location(catch.handler))?;
        }
        for (location_id, location) in own {
            let mut flags = explicit(location_id.0, next_location);
            if location.atomic {
                flags.push_str(" atomic");
            }
            if location.fused {
                flags.push_str(" fused");
            }
            if location.end {
                flags.push_str(" end");
            }
            if location.accept {
                flags.push_str(" accept");
            }
            if location.progress {
                flags.push_str(" progress");
            }
            if location.number != 0 {
                write!(flags, " number {}", location.number)?;
            }
            if location.synthetic {
                flags.push_str(" synthetic");
            }
            if let Some(live) = &location.live {
                let live = join(live.iter().map(|&local| self.local(id, local)));
                write!(flags, " live {{{live}}}")?;
            }
            let name = self.location(location_id);
            match &location.kind {
                LocationKind::Plain => writeln!(out, "  loc {name}{flags}:")?,
                LocationKind::Resume { origin, result, then } => {
                    write!(out, "  resume {name}{flags} of {}", self.location(*origin))?;
                    if let Some(place) = result {
                        write!(out, " into {}", self.place(place, scope))?;
                    }
                    writeln!(out, " {};", self.jump(then, scope))?;
                }
            }
            for &transition in &location.transitions {
                match program.transitions.get(transition) {
                    Some(item) => self.transition(out, transition, item, scope)?,
                    None => writeln!(out, "    {transition}:")?,
                }
            }
        }
        writeln!(out, "}}")
    }

    fn transition(
        &self,
        out: &mut String,
        id: TransitionId,
        transition: &Transition,
        scope: Scope,
    ) -> fmt::Result {
        write!(out, "    {id}:")?;
        match &transition.guard {
            Guard::Always => {}
            Guard::When(guard) => write!(out, " when {}", self.expr(guard, scope, 0))?,
            Guard::Else => write!(out, " else")?,
            Guard::Ready(location) => write!(out, " ready {}", self.location(*location))?,
        }
        if transition.rank > 0 {
            write!(out, " rank {}", transition.rank)?;
        }
        if transition.exclusive {
            write!(out, " exclusive")?;
        }
        if transition.number != 0 {
            write!(out, " number {}", transition.number)?;
        }
        if transition.invisible {
            write!(out, " invisible")?;
        }
        if transition.fair {
            write!(out, " fair")?;
        }
        match &transition.body[..] {
            [] => {}
            [action] => write!(out, " do {{ {}; }}", self.action(action, scope))?,
            actions => {
                writeln!(out, " do {{")?;
                for action in actions {
                    writeln!(out, "      {};", self.action(action, scope))?;
                }
                write!(out, "    }}")?;
            }
        }
        match &transition.exit {
            Exit::Jump(jump) => writeln!(out, " {};", self.jump(jump, scope)),
            Exit::Call { callee, args, resume } => {
                let callee = match callee {
                    Callee::Static(procedure) => self.procedure(*procedure),
                    Callee::Virtual(table) => format!("virtual {}", self.virtual_table(*table)),
                };
                let (args, resume) = (self.exprs(args, scope), self.location(*resume));
                writeln!(out, " call {callee}({args}) resume {resume};")
            }
        }
    }
}

/// The mark of an index that is not the next one.
fn explicit(index: u32, next: &mut u32) -> String {
    let mark = if index == *next { String::new() } else { format!(" @{index}") };
    *next = index.saturating_add(1);
    mark
}
