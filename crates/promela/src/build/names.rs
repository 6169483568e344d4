//! What is declared and set anywhere in the model: for messages about names that are not known at a place.

use std::rc::Rc;

use rustc_hash::{FxHashMap, FxHashSet};
use source::{Diagnostic, Span, similar};

use super::Builder;
use crate::ast::{self, Block, Item, Name, ReceiveArgKind, Stmt, StmtKind, VarRef};
use crate::codes;
use crate::elements::Destination;
use crate::foreign;
use crate::symbols::Ty;

/// Words of the language that are values or statements.
const WORDS: [&str; 8] = ["true", "false", "skip", "break", "else", "timeout", "_pid", "_nr_pr"];

/// A declaration, wherever it is.
#[derive(Debug)]
pub struct Declared {
    span: Span,
    /// The process that it is inside of.
    process: Option<Rc<str>>,
}

#[derive(Debug, Default)]
pub struct Names {
    declared: FxHashMap<Rc<str>, Vec<Declared>>,
    /// Names of variables that some statement sets, and of parameters.
    set: FxHashSet<Rc<str>>,
}

impl Names {
    pub fn of(model: &ast::Model) -> Self {
        let mut names = Self::default();
        for item in &model.items {
            match item {
                Item::Variables(declaration) => names.declare(declaration, None),
                Item::Proctype(proctype) => {
                    let process = Some(&proctype.name.text);
                    for declaration in &proctype.params {
                        names.declare(declaration, process);
                        names.set.extend(declaration.variables.iter().map(|param| param.name.text.clone()));
                    }
                    names.block(&proctype.body, process);
                }
                Item::Init(init) => names.block(&init.body, Some(&"init".into())),
                Item::Never(claim) => names.block(&claim.body, None),
                Item::Function(function) => {
                    let owner = Some(&function.name.text);
                    for declaration in &function.params {
                        names.declare(declaration, owner);
                        names.set.extend(declaration.variables.iter().map(|param| param.name.text.clone()));
                    }
                    if let ast::FunctionBody::Block(body) = &function.body {
                        names.block(body, owner);
                    }
                }
                Item::Mtype(_)
                | Item::Typedef(_)
                | Item::Trace(_)
                | Item::Ltl(_)
                | Item::Automaton(_)
                | Item::Forward(_) => {}
            }
        }
        names
    }

    fn declare(&mut self, declaration: &ast::Declaration, process: Option<&Rc<str>>) {
        for variable in &declaration.variables {
            let declared = Declared { span: variable.name.span, process: process.cloned() };
            self.declared.entry(variable.name.text.clone()).or_default().push(declared);
        }
    }

    fn block(&mut self, block: &Block, process: Option<&Rc<str>>) {
        for stmt in &block.steps {
            self.statement(stmt, process);
        }
    }

    fn statement(&mut self, stmt: &Stmt, process: Option<&Rc<str>>) {
        match &stmt.kind {
            StmtKind::Declaration(declaration) => self.declare(declaration, process),
            StmtKind::Assign { target, .. } | StmtKind::Increment(target) | StmtKind::Decrement(target) => {
                self.set(target);
            }
            StmtKind::New { target, .. } => self.set(target),
            StmtKind::Call { target, .. } => target.iter().for_each(|target| self.set(target)),
            StmtKind::Receive { args, .. } => {
                for arg in args {
                    if let ReceiveArgKind::Var(variable) = &arg.kind {
                        self.set(variable);
                    }
                }
            }
            StmtKind::If(options) | StmtKind::Do(options) => {
                for option in options {
                    self.block(option, process);
                }
            }
            StmtKind::For { variable, body, .. } | StmtKind::ForIn { variable, body, .. } => {
                self.set(variable);
                self.block(body, process);
            }
            StmtKind::Select { variable, .. } => self.set(variable),
            StmtKind::Block(body) | StmtKind::Atomic(body) | StmtKind::DStep(body) => {
                self.block(body, process);
            }
            StmtKind::Unless { main, escape } => {
                self.statement(main, process);
                self.statement(escape, process);
            }
            _ => {}
        }
    }

    fn set(&mut self, variable: &VarRef) {
        self.set.extend(variable.parts.first().map(|part| part.name.text.clone()));
    }

    /// Whether some statement may set a variable of this name.
    pub fn is_set(&self, name: &str) -> bool {
        self.set.contains(name)
    }
}

impl Builder<'_> {
    pub fn undeclared(&mut self, name: &Name) {
        if !self.unknown.insert(name.text.clone()) {
            return;
        }
        let message = format!("`{}` is not declared", name.text);
        let diagnostic = Diagnostic::error(codes::UNDECLARED, message).at(name.span, "not known here");
        let diagnostic = self.declared_elsewhere(name, diagnostic);
        self.diagnostics.push(diagnostic);
    }

    /// Adds what is known about a name, or which name is similar.
    fn declared_elsewhere(&self, name: &Name, diagnostic: Diagnostic) -> Diagnostic {
        if self.process_names.contains_key(&name.text) {
            return diagnostic
                .note("there is a process of this name")
                .help(format!("`run {}()` starts it", name.text));
        }
        let here = self.process.map(|_| &self.process_name);
        let places = self.names.declared.get(&name.text).map_or(&[][..], Vec::as_slice);
        let own = |place: &&Declared| place.process.is_none() || place.process.as_ref() == here;
        if let Some(place) = places.iter().find(own) {
            let earlier = place.span.file == name.span.file && place.span.start < name.span.start;
            return if earlier {
                diagnostic
                    .label(place.span, "declared here, inside of a block")
                    .help("declare it before the block, so that it is known after it")
            } else {
                diagnostic
                    .label(place.span, "declared here, after its use")
                    .help("a variable is declared before it is used")
            };
        }
        if let Some(Declared { span, process: Some(process) }) = places.first() {
            return diagnostic
                .label(*span, format!("a local variable of `{process}`"))
                .help("declare it at the top level, so that all processes know it");
        }
        let known = self.scopes.names().chain(self.constants.keys().map(|name| &**name));
        match (similar(&name.text, known), foreign::value(&name.text)) {
            (None, Some(help)) => diagnostic.help(help),
            (Some(meant), _) => diagnostic.help(format!("did you mean `{meant}`?")),
            (None, None) => match similar(&name.text, WORDS) {
                Some(meant) => diagnostic.help(format!("did you mean `{meant}`?")),
                None => diagnostic,
            },
        }
    }

    /// Reports a process that there is not.
    pub fn no_process(&mut self, name: &Name) {
        let message = format!("there is no process `{}`", name.text);
        let diagnostic = Diagnostic::error(codes::UNDECLARED, message).at(name.span, "not declared anywhere");
        let meant = similar(&name.text, self.process_names.keys().map(|name| &**name));
        let diagnostic = match meant {
            Some(meant) => diagnostic.help(format!("did you mean `{meant}`?")),
            None => diagnostic,
        };
        self.diagnostics.push(diagnostic);
    }

    /// Reports a field that a variable does not have.
    pub fn no_field(&mut self, variable: &Name, ty: Ty, field: &Name) {
        let message = format!("`{}` has no field `{}`", variable.text, field.text);
        let diagnostic = Diagnostic::error(codes::NO_FIELD, message).at(field.span, "no such field");
        let diagnostic = match ty {
            Ty::Scalar(_) if matches!(&*field.text, "length" | "size" | "len") => diagnostic
                .note("it is not a record")
                .help("`len(q)` is the number of messages in a channel `q`"),
            Ty::Scalar(_) => diagnostic.note("it is not a record, so that it has no fields"),
            Ty::Record(record) => {
                let record = &self.typedefs[record];
                let fields = || record.fields.iter().map(|field| &*field.name);
                let list = fields().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
                let diagnostic = diagnostic
                    .label(record.span, "the type of the record")
                    .note(format!("the fields of `{}` are {list}", record.name));
                match similar(&field.text, fields()) {
                    Some(meant) => diagnostic.help(format!("did you mean `{meant}`?")),
                    None => diagnostic,
                }
            }
        };
        self.diagnostics.push(diagnostic);
    }

    /// The label of a process that is similar to this one, as a hint.
    pub fn similar_label(&self, process: usize, wanted: &str) -> Option<String> {
        let labels = self.elements.labels.iter().filter(|label| label.process == process);
        let names = labels.filter_map(|label| match &label.destination {
            Destination::Label { name, .. } => Some(&**name),
            Destination::Exit(_) => None,
        });
        similar(wanted, names).map(|meant| format!("did you mean `{meant}`?"))
    }
}
