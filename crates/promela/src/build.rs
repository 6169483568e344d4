//! A walk over the model in the order of its text, as SPIN reads it: declarations become symbols, statements
//! become [elements](crate::elements).

mod checks;
mod declarations;
mod dynamic;
mod jumps;
mod loops;
mod names;
mod statements;

use std::collections::BTreeSet;
use std::rc::Rc;

use rustc_hash::{FxHashMap, FxHashSet};
use source::{Diagnostic, Diagnostics, Index, SourceMap, Span};

use crate::ast::{self, Name};
use crate::codes;
use crate::elements::{Destination, ElementId, Elements, Node, SequenceId};
use crate::index;
use crate::objects::{Function, FunctionId, Pointee};
use crate::symbols::{ChannelType, Scopes, Symbol, Typedef};
use crate::tree::{Ex, SymbolId};

/// Something with a body.
#[derive(Debug)]
pub struct Process {
    pub name: Rc<str>,
    pub kind: ProcessKind,
    pub params: Vec<SymbolId>,
    /// Without the parameters, in the order in which they are declared.
    pub locals: Vec<SymbolId>,
    pub body: SequenceId,
    /// The next number of an element.
    pub count: u32,
    /// The number of processes of this type in the initial state.
    pub active: u32,
    pub priority: u8,
    pub provided: Option<Ex>,
    pub claims: Vec<Claim>,
    pub span: Span,
}

/// A channel that only one process receives from, or sends to.
#[derive(Clone, Debug)]
pub struct Claim {
    pub receive: bool,
    pub channel: Ex,
    pub span: Span,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ProcessKind {
    Proctype,
    Init,
    Never,
    Trace {
        negated: bool,
    },
    /// A function with a body of statements.
    Function(FunctionId),
}

/// One kind of `mtype`.
#[derive(Debug)]
pub struct Mtype {
    pub subtype: Option<Rc<str>>,
    /// In the order of their numbers, from 1.
    pub names: Vec<Rc<str>>,
    pub span: Span,
}

/// A temporal property.
#[derive(Debug)]
pub struct Property {
    pub name: String,
    pub kind: PropertyKind,
    pub span: Span,
}

#[derive(Debug)]
pub enum PropertyKind {
    /// The expressions are its propositions.
    Formula(ltl::Formula, Vec<Ex>),
    /// The claim with this position in the table of processes.
    Never(usize),
    Automaton(ltl::Automaton, Vec<Ex>),
}

/// The result of the walk, and the state that is needed during it.
pub struct Builder<'a> {
    pub map: &'a SourceMap,
    pub diagnostics: &'a mut Diagnostics,
    pub symbols: Vec<Symbol>,
    pub typedefs: Vec<Typedef>,
    /// Whether the program uses the dynamic extension.
    pub is_dynamic: bool,
    /// The names of all records, wherever they are declared.
    pub record_names: FxHashSet<Rc<str>>,
    /// What pointers lead to.
    pub pointees: Vec<Pointee>,
    /// By what they lead to: whether pointers can lead to a part of an object, and so have an offset.
    pub wide: Vec<bool>,
    /// The channels that variables of functions and inner scopes are declared with.
    pub scoped_channels: FxHashMap<SymbolId, ChannelType>,
    pub functions: Vec<Function>,
    pub function_ids: FxHashMap<Rc<str>, FunctionId>,
    /// The function whose body is read.
    pub function: Option<FunctionId>,
    pub mtypes: Vec<Mtype>,
    /// Elements of `mtype`s: their list, and their number.
    pub constants: FxHashMap<Rc<str>, (usize, i32)>,
    pub processes: Vec<Process>,
    pub properties: Vec<Property>,
    /// The number of formulas without a name.
    unnamed: u32,
    pub elements: Elements,
    pub scopes: Scopes,
    /// All processes of the model, with the places of their names.
    pub process_names: FxHashMap<Rc<str>, Span>,
    /// The names of processes that are active or that a `run` starts.
    pub started: BTreeSet<Rc<str>>,
    /// The index that the current process will have.
    pub process: Option<usize>,
    pub params: Vec<SymbolId>,
    pub locals: Vec<SymbolId>,
    pub claims: Vec<Claim>,
    pub in_claim: bool,
    pub in_trace: bool,
    pub in_print: bool,
    /// Some process reads a variable of another, so that no variable is ever dead.
    pub has_remote_variables: bool,
    /// `_last` occurs somewhere, reachable or not: SPIN then keeps it in the state.
    pub asks_for_last: bool,
    /// `_last` occurs in a process, not only in a claim or a formula.
    pub last_is_in_process: bool,
    /// Some expression asks which steps of a process are enabled, or for the number of its state.
    pub observes_scheduling: bool,
    pub has_priorities: bool,
    /// All processes and labels in remote references.
    pub labels_asked_for: BTreeSet<(Rc<str>, Rc<str>)>,
    /// Remote references to labels that were not processed yet.
    pub remote_labels: Vec<(Name, Name)>,
    /// The name of the current process, or of the last one.
    pub(crate) process_name: Rc<str>,
    /// What is declared and set anywhere.
    pub names: names::Names,
    /// Names that were reported as undeclared.
    pub unknown: FxHashSet<Rc<str>>,
    /// Whether declarations are initialized when their process starts.
    early: bool,
    /// The numbers of the enclosing loops.
    loops: Vec<u32>,
    next_loop: u32,
    dsteps: u32,
    /// What names stand for, if an editor asks.
    pub index: Index,
    pub(crate) indexed: index::Names,
}

impl<'a> Builder<'a> {
    pub fn new(map: &'a SourceMap, diagnostics: &'a mut Diagnostics) -> Self {
        Self {
            map,
            diagnostics,
            symbols: Vec::new(),
            typedefs: Vec::new(),
            is_dynamic: false,
            record_names: FxHashSet::default(),
            pointees: Vec::new(),
            wide: Vec::new(),
            scoped_channels: FxHashMap::default(),
            functions: Vec::new(),
            function_ids: FxHashMap::default(),
            function: None,
            mtypes: Vec::new(),
            constants: FxHashMap::default(),
            processes: Vec::new(),
            properties: Vec::new(),
            unnamed: 0,
            elements: Elements::default(),
            scopes: Scopes::new(),
            process_names: FxHashMap::default(),
            started: BTreeSet::new(),
            process: None,
            params: Vec::new(),
            locals: Vec::new(),
            claims: Vec::new(),
            in_claim: false,
            in_trace: false,
            in_print: false,
            has_remote_variables: false,
            asks_for_last: false,
            last_is_in_process: false,
            observes_scheduling: false,
            has_priorities: false,
            labels_asked_for: BTreeSet::new(),
            remote_labels: Vec::new(),
            process_name: "".into(),
            names: names::Names::default(),
            unknown: FxHashSet::default(),
            early: true,
            loops: Vec::new(),
            next_loop: 0,
            dsteps: 0,
            index: Index::default(),
            indexed: index::Names::default(),
        }
    }

    pub fn error(
        &mut self,
        code: &'static str,
        message: impl Into<String>,
        span: Span,
        label: impl Into<String>,
    ) {
        self.diagnostics.push(Diagnostic::error(code, message).at(span, label));
    }

    pub fn model(&mut self, model: &ast::Model) {
        self.names = names::Names::of(model);
        self.is_dynamic = model.extension.is_some();
        self.define(model);
        self.declare_functions(model);
        for item in &model.items {
            if let ast::Item::Proctype(proctype) = item {
                let name = &proctype.name;
                if let Some(first) = self.process_names.insert(name.text.clone(), name.span) {
                    self.duplicate(name, first);
                }
            }
        }
        for item in &model.items {
            if self.diagnostics.is_full() {
                self.diagnostics.stop();
                return;
            }
            match item {
                ast::Item::Variables(declaration) => self.globals(declaration),
                ast::Item::Mtype(mtype) => self.mtype(mtype),
                ast::Item::Typedef(typedef) => self.typedef(typedef),
                ast::Item::Proctype(proctype) => self.proctype(proctype),
                ast::Item::Init(init) => self.init(init),
                ast::Item::Never(claim) => self.never(claim),
                ast::Item::Trace(trace) => self.trace(trace),
                ast::Item::Function(function) => self.function(function),
                ast::Item::Forward(_) | ast::Item::Ltl(_) | ast::Item::Automaton(_) => {}
            }
        }
        // SPIN parses formulas after it has read the whole model.
        for item in &model.items {
            match item {
                ast::Item::Ltl(ltl) => self.ltl(ltl),
                ast::Item::Automaton(automaton) => self.automaton(automaton),
                _ => {}
            }
        }
        self.mention_remotes();
    }

    pub fn duplicate(&mut self, name: &Name, first: Span) {
        let message = format!("`{}` is declared twice", name.text);
        self.diagnostics.push(
            Diagnostic::error(codes::DUPLICATE, message)
                .at(name.span, "declared again")
                .label(first, "declared here first"),
        );
    }

    fn proctype(&mut self, item: &ast::Proctype) {
        self.begin(ProcessKind::Proctype);
        self.process_name = item.name.text.clone();
        for declaration in &item.params {
            self.parameters(declaration);
        }
        let priority = item.priority.as_ref().and_then(|literal| self.priority(literal));
        let provided = item.provided.as_ref().and_then(|expr| self.expr(expr));
        let active = match &item.active {
            None => 0,
            Some(active) => match &active.count {
                None => 1,
                Some(count) => match self.constant(count) {
                    Some(value @ 0..=255) => value as u32,
                    Some(_) => {
                        self.error(codes::BAD_SIZE, "at most 255 processes", count.span, "too many");
                        0
                    }
                    None => 0,
                },
            },
        };
        if active > 0 {
            self.started.insert(item.name.text.clone());
        }
        if item.deterministic {
            self.diagnostics.push(
                Diagnostic::warning(codes::NOT_CHECKED, "a `D_proctype` is treated like a `proctype`")
                    .at(item.span, "not checked for being deterministic"),
            );
        }
        let process = Process {
            name: item.name.text.clone(),
            kind: ProcessKind::Proctype,
            params: Vec::new(),
            locals: Vec::new(),
            body: SequenceId(0),
            count: 0,
            active,
            priority: priority.unwrap_or(1),
            provided,
            claims: Vec::new(),
            span: item.name.span,
        };
        self.finish(process, &item.body);
    }

    fn init(&mut self, item: &ast::Init) {
        self.begin(ProcessKind::Init);
        self.process_name = "init".into();
        let priority = item.priority.as_ref().and_then(|literal| self.priority(literal));
        let process = Process {
            active: 1,
            priority: priority.unwrap_or(1),
            ..plain("init", ProcessKind::Init, item.span)
        };
        self.finish(process, &item.body);
    }

    fn never(&mut self, item: &ast::Claim) {
        self.begin(ProcessKind::Never);
        let name = item.name.as_ref().map_or_else(|| "never".into(), |name| name.text.clone());
        self.finish(plain(&name, ProcessKind::Never, item.span), &item.body);
        let kind = PropertyKind::Never(self.processes.len() - 1);
        self.properties.push(Property { name: name.to_string(), kind, span: item.span });
    }

    fn trace(&mut self, item: &ast::Trace) {
        let kind = ProcessKind::Trace { negated: item.negated };
        if let Some(first) =
            self.processes.iter().find(|process| matches!(process.kind, ProcessKind::Trace { .. }))
        {
            let first = first.span;
            self.diagnostics.push(
                Diagnostic::error(codes::DUPLICATE, "there is more than one `trace`")
                    .at(item.span, "another one")
                    .label(first, "the first one"),
            );
        }
        self.begin(kind);
        let name = if item.negated { "notrace" } else { "trace" };
        self.finish(plain(name, kind, item.span), &item.body);
    }

    fn ltl(&mut self, item: &ast::Ltl) {
        self.in_claim = true;
        let mut atoms = Vec::new();
        let formula = self.formula(&item.formula, &mut atoms);
        self.in_claim = false;
        let name = if let Some(name) = &item.name {
            name.text.to_string()
        } else {
            // Formulas with a name do not count.
            self.unnamed += 1;
            format!("ltl_{}", self.unnamed - 1)
        };
        let kind = PropertyKind::Formula(formula, atoms);
        self.properties.push(Property { name, kind, span: item.span });
    }

    fn automaton(&mut self, item: &ast::Automaton) {
        self.in_claim = true;
        let props: Option<Vec<Ex>> = item.props.iter().map(|prop| self.expr(prop)).collect();
        self.detach_remote();
        self.in_claim = false;
        if let Some(props) = props {
            let kind = PropertyKind::Automaton(item.automaton.clone(), props);
            self.properties.push(Property { name: item.name.text.to_string(), kind, span: item.name.span });
        }
    }

    /// The formula, with its conditions as propositions. Errors in a condition are reported.
    fn formula(&mut self, formula: &ast::Formula, atoms: &mut Vec<Ex>) -> ltl::Formula {
        use ast::FormulaKind::{
            Always, And, Atom, Equivalent, Eventually, Implies, Next, Not, Or, Release, Until, WeakUntil,
        };
        let mut one = |a: &ast::Formula| Box::new(self.formula(a, atoms));
        match &formula.kind {
            Atom(expr) => {
                let prop = ltl::Prop(atoms.len() as u32);
                atoms.extend(self.expr(expr));
                self.detach_remote();
                ltl::Formula::Prop(prop)
            }
            Not(a) => ltl::Formula::Not(one(a)),
            Next(a) => ltl::Formula::Next(one(a)),
            Always(a) => ltl::Formula::Always(one(a)),
            Eventually(a) => ltl::Formula::Eventually(one(a)),
            And(a, b) => ltl::Formula::And(one(a), one(b)),
            Or(a, b) => ltl::Formula::Or(one(a), one(b)),
            Implies(a, b) => ltl::Formula::Implies(one(a), one(b)),
            Equivalent(a, b) => ltl::Formula::Equivalent(one(a), one(b)),
            Until(a, b) => ltl::Formula::Until(one(a), one(b)),
            WeakUntil(a, b) => ltl::Formula::WeakUntil(one(a), one(b)),
            Release(a, b) => ltl::Formula::Release(one(a), one(b)),
        }
    }

    pub(crate) fn begin(&mut self, kind: ProcessKind) {
        self.process = Some(self.processes.len());
        self.elements.process = self.processes.len();
        self.elements.count = 1;
        self.params.clear();
        self.locals.clear();
        self.claims.clear();
        self.early = true;
        self.in_claim = kind == ProcessKind::Never;
        self.in_trace = matches!(kind, ProcessKind::Trace { .. });
        self.scopes.open();
    }

    pub(crate) fn finish(&mut self, mut process: Process, body: &ast::Block) {
        self.elements.open();
        self.elements.scopes = self.scopes.path();
        // The body of a process may be empty. A claim or a trace has no declarations.
        if self.in_claim || self.in_trace {
            self.sequence(body);
        } else {
            self.steps(body);
        }
        self.elements.add_node(Node::End, body.end);
        process.body = self.elements.close();
        process.count = self.elements.count;
        process.params = std::mem::take(&mut self.params);
        process.locals = std::mem::take(&mut self.locals);
        process.claims = std::mem::take(&mut self.claims);
        self.scopes.close();
        self.process = None;
        self.in_claim = false;
        self.in_trace = false;
        self.processes.push(process);
        self.check_jumps();
    }

    /// Whether some expression asks if a process is at this element.
    pub fn is_asked_for(&self, process: usize, element: ElementId) -> bool {
        let name = &self.processes[process].name;
        self.elements.labels.iter().filter(|label| label.element == element).any(|label| {
            matches!(&label.destination, Destination::Label { name: label, .. }
                if self.labels_asked_for.contains(&(name.clone(), label.clone())))
        })
    }

    /// Gives the labels of remote references states of their own, where they are at jumps.
    pub fn detach_remote(&mut self) {
        for (process, label) in std::mem::take(&mut self.remote_labels) {
            let Some(at) = self.processes.iter().position(|known| known.name == process.text) else {
                // The process is not complete yet: then its labels stay as they are.
                if !self.process_names.contains_key(&process.text) {
                    self.no_process(&process);
                }
                continue;
            };
            let destination = Destination::Label { name: label.text.clone(), scopes: Vec::new() };
            if let Some(found) = self.elements.find_label(&destination, at) {
                self.elements.labels[found].used = true;
                let element = self.elements.labels[found].element;
                let mut count = self.processes[at].count;
                self.elements.detach(element, &mut count);
                self.processes[at].count = count;
            }
        }
    }
}

pub(crate) fn plain(name: &str, kind: ProcessKind, span: Span) -> Process {
    Process {
        name: name.into(),
        kind,
        params: Vec::new(),
        locals: Vec::new(),
        body: SequenceId(0),
        count: 0,
        active: 0,
        priority: 1,
        provided: None,
        claims: Vec::new(),
        span,
    }
}
