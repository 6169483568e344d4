//! What editors ask for: the definitions of a model, and what its names stand for.
//!
//! Mentions are recorded where names are resolved, by the functions below. Variables and labels are defined where
//! bodies are lowered, everything else in one pass over the tree ([`define`]).

use ir::{Id, ProcedureId};
use source::{Definition, NameKind, Span};

use crate::ast;
use crate::lower::Exprs;
use crate::resolve::{Model, Symbol, Value};

impl<'s> Model<'s> {
    /// The symbol of a name, whose place is recorded.
    pub fn symbol_at(&mut self, name: ast::Name<'s>) -> Option<Symbol> {
        let declared = *self.names.get(name.text)?;
        self.index.mention(name.span, declared.span);
        Some(declared.symbol)
    }

    /// Records what a name of the top level stands for.
    pub fn mention(&mut self, name: ast::Name<'s>) {
        self.symbol_at(name);
    }

    pub fn mention_constant(&mut self, group: usize, member: ast::Name<'s>) {
        let mut elements = self.system.consts[group].elements.iter();
        if let Some((name, _)) = elements.find(|(name, _)| name.text == member.text) {
            self.index.mention(member.span, name.span);
        }
    }

    /// Records that a property mentions a location of a procedure.
    pub fn mention_label(&mut self, location: ast::Name<'s>, procedure: ProcedureId) {
        if !self.index.is_on() {
            return;
        }
        let owner = self.system.procedures[procedure.index()].name.span;
        let is_it = |known: &&Definition| {
            known.kind == NameKind::Label && known.owner == Some(owner) && known.name == location.text
        };
        let found = self.index.definitions().find(is_it).map(|found| found.at);
        if let Some(at) = found {
            self.index.mention(location.span, at);
        }
    }

    /// Defines the variable of a quantifier over threads.
    pub fn define_thread(&mut self, name: ast::Name<'s>, procedure: ast::Name<'s>, scope: Span) {
        if self.index.is_on() {
            let definition = Definition::new(NameKind::Bound, name.text, name.span);
            self.index.define(definition.text(format!("{} {}", procedure.text, name.text)).scope(scope));
        }
    }

    /// The member of the system that a place is inside of, as a whole.
    pub fn extent(&self, at: Span) -> Span {
        let mut all = self.system.extents.iter();
        all.find(|extent| extent.contains(at)).copied().unwrap_or(at)
    }

    fn written(&self, span: Span) -> String {
        one_line(self.map.text(span))
    }

    fn value_of(&self, value: &Value) -> String {
        match value {
            Value::Int(number, _) => number.to_string(),
            Value::Bool(value) => value.to_string(),
            Value::Str(text) => format!("{text:?}"),
            Value::Enum(id, element) => {
                let item = &self.program.enums[*id];
                format!("{}.{}", item.name, item.elements[*element as usize])
            }
            Value::Null => "null".to_owned(),
        }
    }

    /// The type of a variable, and what it stands for if that is something else.
    fn typed(&self, ty: &ast::Type<'s>, resolved: Option<ir::TypeId>, name: &str) -> String {
        let written = self.written(ty.span);
        match resolved.map(|ty| self.program.type_name(ty)) {
            Some(meant) if without_blanks(&meant) != without_blanks(&written) => {
                format!("{written} {name} // {meant}")
            }
            _ => format!("{written} {name}"),
        }
    }
}

impl<'s> Exprs<'_, 's> {
    /// Defines a variable that is known in `scope`.
    pub fn define(&mut self, name: ast::Name<'s>, kind: NameKind, ty: Option<ir::TypeId>, scope: Span) {
        if !self.model.index.is_on() {
            return;
        }
        let text = match ty {
            Some(ty) => format!("{} {}", self.model.program.type_name(ty), name.text),
            None => name.text.to_owned(),
        };
        let definition = Definition::new(kind, name.text, name.span).text(text).scope(scope);
        let definition = match self.this_name() {
            Some(owner) => definition.owner(owner),
            None => definition,
        };
        self.model.index.define(definition);
    }

    /// Defines a location or label of the procedure.
    pub fn define_label(&mut self, name: ast::Name<'s>) {
        let Some(Symbol::Procedure(id)) = self.this.filter(|_| self.model.index.is_on()) else { return };
        let item = &self.model.system.procedures[id.index()];
        let definition = Definition::new(NameKind::Label, name.text, name.span)
            .text(format!("{}@{}", item.name.text, name.text))
            .owner(item.name.span)
            .scope(item.extent());
        self.model.index.define(definition);
    }

    /// The name of the procedure or function that is being lowered.
    fn this_name(&self) -> Option<Span> {
        match self.this? {
            Symbol::Procedure(id) => Some(self.model.system.procedures[id.index()].name.span),
            Symbol::Fun(id) => Some(self.model.system.funs[id.index()].name.span),
            _ => None,
        }
    }
}

/// Defines everything but variables and labels of procedures.
pub fn define(model: &mut Model<'_>) {
    if !model.index.is_on() {
        return;
    }
    let system = model.system;
    let mut all = Vec::new();
    if !system.name.text.is_empty() {
        let text = model.map.file(system.name.span.file).text();
        let whole = Span::new(system.name.span.file, 0, text.len() as u32);
        let name = system.name;
        all.push(
            Definition::new(NameKind::System, name.text, name.span)
                .text(format!("system {}", name.text))
                .extent(whole),
        );
    }
    let extent = |name: ast::Name<'_>| model.extent(name.span);
    for (index, group) in system.consts.iter().enumerate() {
        all.push(named(NameKind::ConstantGroup, "const", group.name).extent(extent(group.name)));
        for (name, expr) in &group.elements {
            let constant = model.constants.get(&(index, name.text));
            let value = constant.and_then(|constant| constant.value.as_ref());
            let text = format!("{}.{} = {}", group.name.text, name.text, model.written(expr.span));
            let definition = Definition::new(NameKind::Constant, name.text, name.span);
            let value = value.map(|value| model.value_of(value));
            all.push(
                definition.text(text).value(value).owner(group.name.span).extent(name.span.to(expr.span)),
            );
        }
    }
    for item in &system.enums {
        let word = if item.is_abstract { "abstract enum" } else { "enum" };
        all.push(named(NameKind::Enum, word, item.name).extent(extent(item.name)));
        for element in &item.elements {
            let text = format!("{}.{}", item.name.text, element.text);
            let definition = Definition::new(NameKind::Element, element.text, element.span);
            all.push(definition.text(text).owner(item.name.span));
        }
    }
    for item in &system.records {
        let parents: Vec<_> = item.parents.iter().map(|parent| parent.text).collect();
        let extends =
            if parents.is_empty() { String::new() } else { format!(" extends {}", parents.join(", ")) };
        let text = format!("record {}{extends}", item.name.text);
        let definition = Definition::new(NameKind::Record, item.name.text, item.name.span);
        all.push(definition.text(text).extent(extent(item.name)));
        for field in &item.fields {
            let fields = model.program.fields.values();
            let mut known = fields.filter(|known| known.span == field.name.span);
            let ty = known.next().map(|known| known.ty);
            let text = model.typed(&field.ty, ty, field.name.text);
            let definition = Definition::new(NameKind::Field, field.name.text, field.name.span).text(text);
            all.push(definition.owner(item.name.span).extent(field.ty.span.to(field.name.span)));
        }
    }
    for item in &system.aliases {
        let text = format!("typealias {} {}", item.name.text, model.written(item.ty.span));
        let definition = Definition::new(NameKind::Type, item.name.text, item.name.span);
        all.push(definition.text(text).extent(extent(item.name)));
    }
    for (index, item) in system.globals.iter().enumerate() {
        let ty = model.global_types.get(index).copied().flatten();
        let text = model.typed(&item.ty, ty, item.name.text);
        let init =
            item.init.as_ref().map_or(String::new(), |init| format!(" := {}", model.written(init.span)));
        let definition = Definition::new(NameKind::Global, item.name.text, item.name.span);
        all.push(definition.text(format!("{text}{init}")).extent(extent(item.name)));
    }
    for item in &system.procedures {
        let params = params(model, &item.params);
        let (kind, word, result) = match &item.kind {
            ast::ProcedureKind::Thread { active: None } => {
                (NameKind::Thread, "thread".to_owned(), String::new())
            }
            ast::ProcedureKind::Thread { active: Some(active) } => {
                let word = if active.main {
                    "main thread".to_owned()
                } else {
                    model.written(active.span) + " thread"
                };
                (NameKind::Thread, word, String::new())
            }
            ast::ProcedureKind::Function { result } => {
                let result = result.as_ref();
                let result =
                    result.map_or(String::new(), |ty| format!(" returns {}", model.written(ty.span)));
                (NameKind::Function, "function".to_owned(), result)
            }
        };
        let text = format!("{word} {}({params}){result}", item.name.text);
        all.push(Definition::new(kind, item.name.text, item.name.span).text(text).extent(extent(item.name)));
    }
    for item in &system.virtuals {
        all.push(named(NameKind::Table, "virtual", item.name).extent(extent(item.name)));
    }
    for item in &system.funs {
        let (params, result) = (params(model, &item.params), model.written(item.result.span));
        let text = format!("fun {}({params}) returns {result}", item.name.text);
        let definition = Definition::new(NameKind::PureFunction, item.name.text, item.name.span);
        all.push(definition.text(text).extent(extent(item.name)));
    }
    for item in &system.invariants {
        let text = format!("invariant {} = {}", item.name.text, model.written(item.expr.span));
        let definition = Definition::new(NameKind::Invariant, item.name.text, item.name.span);
        all.push(definition.text(text).extent(extent(item.name)));
    }
    for item in &system.temporal {
        let whole = extent(item.name);
        let definition = Definition::new(NameKind::Property, item.name.text, item.name.span);
        all.push(definition.text(model.written(whole).trim_end_matches(';')).extent(whole));
    }
    for definition in all {
        model.index.define(definition);
    }
}

fn named(kind: NameKind, word: &str, name: ast::Name<'_>) -> Definition {
    Definition::new(kind, name.text, name.span).text(format!("{word} {}", name.text))
}

fn params(model: &Model<'_>, params: &[ast::Param<'_>]) -> String {
    let shown = params.iter().map(|param| format!("{} {}", model.written(param.ty.span), param.name.text));
    shown.collect::<Vec<_>>().join(", ")
}

/// The longest text that is shown of an expression.
const LONGEST: usize = 200;

fn one_line(text: &str) -> String {
    let text = text.get(..text.floor_char_boundary(10 * LONGEST)).unwrap_or(text);
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line,
    }
}

fn without_blanks(text: &str) -> String {
    text.chars().filter(|letter| !letter.is_whitespace()).collect()
}
