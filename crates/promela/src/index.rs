//! What editors ask for: the definitions of a model, and what its names stand for.
//!
//! Mentions are recorded where names are resolved; macros and inlines where they are read. Everything else is defined
//! in one walk over the tree. The body of an inline that nothing calls is not parsed, so its names are not known.

use std::rc::Rc;

use rustc_hash::FxHashMap;
use source::{Definition, Index, NameKind, SourceMap, Span};

use crate::ast::{self, Block, Item, Name, Stmt, StmtKind};
use crate::build::Builder;
use crate::elements::Destination;
use crate::lexer::join;

/// What mentions need to know during the walk over a model.
#[derive(Debug, Default)]
pub struct Names {
    /// The places of types and of elements of `mtype`s.
    tops: FxHashMap<Rc<str>, Span>,
    /// Jumps of the current process, with the scopes around them.
    jumps: Vec<(Name, Vec<u32>)>,
    /// Labels and variables of other processes: the process, and the name in it.
    remote: Vec<(Name, Name)>,
}

impl Builder<'_> {
    /// Defines all names, if an editor asks.
    pub fn define(&mut self, model: &ast::Model) {
        if !self.index.is_on() {
            return;
        }
        let mut definer =
            Definer { map: self.map, index: &mut self.index, owner: None, scope: None, unnamed: 0 };
        for item in &model.items {
            definer.item(item);
            let tops = &mut self.indexed.tops;
            match item {
                Item::Mtype(mtype) => {
                    tops.extend(mtype.elements.iter().map(|name| (name.text.clone(), name.span)));
                }
                Item::Typedef(typedef) => {
                    tops.insert(typedef.name.text.clone(), typedef.name.span);
                }
                _ => {}
            }
        }
    }

    /// Records that a name is that of something that is defined at a place.
    pub fn mention(&mut self, name: &Name, definition: Span) {
        self.index.mention_name(self.map, &name.text, name.span, definition);
    }

    /// Records the mention of a type, or of an element of an `mtype`.
    pub fn mention_top(&mut self, name: &Name) {
        if let Some(&definition) = self.indexed.tops.get(&name.text) {
            self.mention(name, definition);
        }
    }

    pub fn mention_process(&mut self, name: &Name) {
        if let Some(&definition) = self.process_names.get(&name.text) {
            self.mention(name, definition);
        }
    }

    /// Records a jump, whose label may come later.
    pub fn mention_label(&mut self, name: &Name) {
        if self.index.is_on() {
            self.indexed.jumps.push((name.clone(), self.scopes.path()));
        }
    }

    /// Records that a label or variable of another process is mentioned.
    pub fn mention_remote(&mut self, process: &Name, name: &Name) {
        if self.index.is_on() {
            self.mention_process(process);
            self.indexed.remote.push((process.clone(), name.clone()));
        }
    }

    /// Looks up the labels of the jumps of a process.
    pub fn mention_jumps(&mut self, process: usize) {
        for (name, scopes) in std::mem::take(&mut self.indexed.jumps) {
            let destination = Destination::Label { name: name.text.clone(), scopes };
            if let Some(found) = self.elements.find_label(&destination, process) {
                self.mention(&name, self.elements.labels[found].span);
            }
        }
    }

    /// Looks up the labels and variables that were mentioned from outside of their processes.
    pub fn mention_remotes(&mut self) {
        for (process, name) in std::mem::take(&mut self.indexed.remote) {
            let Some(at) = self.processes.iter().position(|known| known.name == process.text) else {
                continue;
            };
            let destination = Destination::Label { name: name.text.clone(), scopes: Vec::new() };
            let label =
                self.elements.find_label(&destination, at).map(|found| self.elements.labels[found].span);
            let mut variables = self.symbols.iter();
            let variable = variables.find(|symbol| symbol.owner == Some(at) && symbol.name == name.text);
            if let Some(definition) = label.or(variable.map(|symbol| symbol.span)) {
                self.mention(&name, definition);
            }
        }
    }
}

/// Defines the names of a tree.
struct Definer<'a> {
    map: &'a SourceMap,
    index: &'a mut Index,
    /// The name of the process or function that is walked over.
    owner: Option<Span>,
    /// The block around the current statement.
    scope: Option<Span>,
    /// The number of formulas without a name.
    unnamed: u32,
}

impl Definer<'_> {
    fn item(&mut self, item: &Item) {
        match item {
            Item::Variables(declaration) => self.declaration(declaration, NameKind::Global),
            Item::Mtype(mtype) => {
                let kind =
                    mtype.subtype.as_ref().map_or("mtype".to_owned(), |name| format!("mtype:{}", name.text));
                for name in &mtype.elements {
                    let text = format!("{kind} {}", name.text);
                    self.index.define(Definition::new(NameKind::Element, &name.text, name.span).text(text));
                }
            }
            Item::Typedef(typedef) => {
                let name = &typedef.name;
                let definition = Definition::new(NameKind::Record, &name.text, name.span);
                let text = format!("typedef {}", name.text);
                self.index.define(definition.text(text).extent(typedef.span));
                self.owner = Some(name.span);
                for declaration in &typedef.fields {
                    self.declaration(declaration, NameKind::Field);
                }
                self.owner = None;
            }
            Item::Proctype(item) => {
                self.process(NameKind::Thread, &item.name, item.span, &item.params, Some(&item.body));
            }
            Item::Init(init) => {
                let name = Name { text: "init".into(), span: init.span };
                self.process(NameKind::Thread, &name, init.span, &[], Some(&init.body));
            }
            Item::Never(claim) => {
                let text = Rc::from("never");
                let name = claim.name.clone().unwrap_or(Name { text, span: claim.span });
                let head = join(claim.span, name.span);
                self.process(NameKind::Property, &name, head, &[], Some(&claim.body));
            }
            Item::Trace(trace) => {
                let text = if trace.negated { "notrace" } else { "trace" };
                let name = Name { text: text.into(), span: trace.span };
                self.process(NameKind::Property, &name, trace.span, &[], Some(&trace.body));
            }
            Item::Function(function) => {
                let body = match &function.body {
                    ast::FunctionBody::Block(body) => Some(body),
                    ast::FunctionBody::Expr(_) => None,
                };
                self.process(NameKind::Function, &function.name, function.span, &function.params, body);
                if let ast::FunctionBody::Expr(value) = &function.body {
                    let scope = join(function.span, value.span);
                    self.scope = Some(scope);
                    self.owner = Some(function.name.span);
                    for declaration in &function.params {
                        self.declaration(declaration, NameKind::Parameter);
                    }
                    (self.owner, self.scope) = (None, None);
                }
            }
            Item::Ltl(ltl) => {
                let name = ltl.name.clone().unwrap_or_else(|| {
                    self.unnamed += 1;
                    Name { text: format!("ltl_{}", self.unnamed - 1).into(), span: ltl.span }
                });
                let extent = join(ltl.span, ltl.formula.span);
                let definition = Definition::new(NameKind::Property, &name.text, name.span);
                self.index.define(definition.text(self.written(extent)).extent(extent));
            }
            Item::Automaton(_) | Item::Forward(_) => {}
        }
    }

    fn process(
        &mut self,
        kind: NameKind,
        name: &Name,
        head: Span,
        params: &[ast::Declaration],
        body: Option<&Block>,
    ) {
        let definition = Definition::new(kind, &name.text, name.span).text(self.written(head));
        let Some(body) = body else { return self.index.define(definition.extent(head)) };
        let whole = join(head, body.span);
        self.index.define(definition.extent(whole));
        self.owner = Some(name.span);
        self.scope = Some(whole);
        for declaration in params {
            self.declaration(declaration, NameKind::Parameter);
        }
        self.block(body);
        (self.owner, self.scope) = (None, None);
    }

    fn declaration(&mut self, declaration: &ast::Declaration, kind: NameKind) {
        for variable in &declaration.variables {
            let name = &variable.name;
            let text = format!("{} {}", self.written(declaration.ty.span), self.written(variable.span));
            let mut definition =
                Definition::new(kind, &name.text, name.span).text(text).extent(variable.span);
            definition.owner = self.owner;
            definition.scope = self.scope;
            self.index.define(definition);
        }
    }

    fn block(&mut self, block: &Block) {
        let outer = self.scope;
        // The text of an inline is elsewhere: its names are known there.
        if !block.is_option() {
            self.scope = Some(block.span);
        }
        for stmt in &block.steps {
            self.statement(stmt);
        }
        self.scope = outer;
    }

    fn statement(&mut self, stmt: &Stmt) {
        for label in &stmt.labels {
            let mut definition = Definition::new(NameKind::Label, &label.text, label.span);
            definition.owner = self.owner;
            // A label is known in the whole process.
            let owner = self.owner.and_then(|owner| self.index.definition(owner));
            definition.scope = owner.map(|owner| owner.extent);
            self.index.define(definition.text(format!("{}:", label.text)));
        }
        match &stmt.kind {
            StmtKind::Declaration(declaration) => self.declaration(declaration, NameKind::Local),
            StmtKind::If(options) | StmtKind::Do(options) => {
                for option in options {
                    self.block(option);
                }
            }
            StmtKind::For { body, .. }
            | StmtKind::ForIn { body, .. }
            | StmtKind::Block(body)
            | StmtKind::Atomic(body)
            | StmtKind::DStep(body) => self.block(body),
            StmtKind::Unless { main, escape } => {
                self.statement(main);
                self.statement(escape);
            }
            _ => {}
        }
    }

    fn written(&self, span: Span) -> String {
        one_line(self.map.text(span))
    }
}

/// The longest text that is shown of a definition.
const LONGEST: usize = 200;

/// A text on one line, cut if it is long.
pub fn one_line(text: &str) -> String {
    let text = text.get(..text.floor_char_boundary(10 * LONGEST)).unwrap_or(text);
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line,
    }
}
