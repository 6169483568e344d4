//! The meaning of the names of a model.
//!
//! Everything that is declared at the top level shares one namespace, in any order of declaration: procedures
//! may call each other, records refer to each other. Only constants refer to earlier ones alone. Properties
//! have a namespace of their own.
//!
//! [`declare`] fills a [`Model`] in this order: names, constants, records and aliases, globals, signatures,
//! tables of functions. Declarations with errors are reported and left out; their names stay known, without a
//! type, so that uses are not reported again.

mod constants;
mod records;
mod types;
mod virtuals;

use ir::{
    Const, EnumId, FieldId, Fun, FunId, GlobalId, Id, ProcedureId, Program, RecordId, StringId, Type, TypeId,
    VirtualId,
};
use rustc_hash::{FxHashMap, FxHashSet};
use source::{Diagnostic, Diagnostics, Index, SourceMap, Span, similar};

pub use constants::{Constant, Defines, Value};

use crate::ast;
use crate::codes;
use crate::text::clip;

/// The largest number of elements of an enum whose elements have no names.
const MAX_ELEMENTS: i64 = 1 << 12;

/// The meaning of a name of the top level.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Symbol {
    Consts(usize),
    Enum(EnumId),
    Record(RecordId),
    Alias(usize),
    Global(GlobalId),
    Procedure(ProcedureId),
    Virtual(VirtualId),
    Fun(FunId),
}

#[derive(Clone, Copy, Debug)]
pub struct Declared {
    pub symbol: Symbol,
    pub span: Span,
}

/// The parameters and result of a procedure or pure function. A type with errors is missing.
#[derive(Clone, Debug)]
pub struct Signature {
    pub params: Vec<Option<TypeId>>,
    pub result: Outcome,
    pub thread: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Outcome {
    Nothing,
    Value(TypeId),
    /// A value of a type with errors.
    Unknown,
}

/// A model on its way into the IR.
pub struct Model<'s> {
    pub map: &'s SourceMap,
    pub system: &'s ast::System<'s>,
    pub program: Program,
    pub diagnostics: Diagnostics,
    pub names: FxHashMap<&'s str, Declared>,
    /// By group and element.
    pub constants: FxHashMap<(usize, &'s str), Constant>,
    aliases: Vec<AliasState>,
    /// By global; missing if it has errors.
    pub global_types: Vec<Option<TypeId>>,
    /// By procedure.
    pub signatures: Vec<Signature>,
    /// By pure function.
    pub fun_signatures: Vec<Signature>,
    /// By table of functions, if it is well formed: the signature that all of its targets share.
    pub virtual_signatures: Vec<Option<Signature>>,
    strings: FxHashMap<String, StringId>,
    /// The initial values of fields that differ from the default.
    pub field_values: FxHashMap<FieldId, Const>,
    /// The variable whose initial value is being evaluated.
    initialised: Option<&'s str>,
    /// Names of fields whose types have errors: uses of them are not reported.
    pub broken_fields: FxHashSet<&'s str>,
    /// Symbols that something other than themselves mentions.
    pub used: FxHashSet<Symbol>,
    /// What names stand for, if an editor asks.
    pub index: Index,
}

#[derive(Clone, Copy)]
enum AliasState {
    Open,
    Busy,
    Done(Option<TypeId>),
}

/// Declares everything but the bodies.
pub fn declare<'s>(
    map: &'s SourceMap,
    system: &'s ast::System<'s>,
    defines: &Defines,
    diagnostics: Diagnostics,
    index: Index,
) -> Model<'s> {
    let mut model = Model {
        map,
        system,
        program: Program { name: system.name.text.to_owned(), ..Program::default() },
        diagnostics,
        names: FxHashMap::default(),
        constants: FxHashMap::default(),
        aliases: vec![AliasState::Open; system.aliases.len()],
        global_types: Vec::new(),
        signatures: Vec::new(),
        fun_signatures: Vec::new(),
        virtual_signatures: Vec::new(),
        strings: FxHashMap::default(),
        field_values: FxHashMap::default(),
        initialised: None,
        broken_fields: FxHashSet::default(),
        used: FxHashSet::default(),
        index,
    };
    model.declare_names();
    model.declare_enums();
    model.evaluate_constants(defines);
    model.size_enums();
    model.declare_records();
    for alias in 0..system.aliases.len() {
        model.resolve_alias(alias, 0);
    }
    model.declare_globals();
    model.declare_signatures();
    model.declare_virtuals();
    model
}

impl<'s> Model<'s> {
    pub fn report(&mut self, diagnostic: Diagnostic) {
        self.diagnostics.push(diagnostic);
    }

    /// Whether no further error would be shown.
    pub fn has_enough(&mut self) -> bool {
        let full = self.diagnostics.is_full();
        if full {
            self.diagnostics.stop();
        }
        full
    }

    fn declare_names(&mut self) {
        let system = self.system;
        for (index, item) in system.consts.iter().enumerate() {
            self.declare_name(item.name, Symbol::Consts(index));
        }
        for (index, item) in system.enums.iter().enumerate() {
            self.declare_name(item.name, Symbol::Enum(EnumId::from_index(index)));
        }
        for (index, item) in system.records.iter().enumerate() {
            self.declare_name(item.name, Symbol::Record(RecordId::from_index(index)));
        }
        for (index, item) in system.aliases.iter().enumerate() {
            self.declare_name(item.name, Symbol::Alias(index));
        }
        for (index, item) in system.globals.iter().enumerate() {
            self.declare_name(item.name, Symbol::Global(GlobalId::from_index(index)));
        }
        for (index, item) in system.procedures.iter().enumerate() {
            self.declare_name(item.name, Symbol::Procedure(ProcedureId::from_index(index)));
        }
        for (index, item) in system.virtuals.iter().enumerate() {
            self.declare_name(item.name, Symbol::Virtual(VirtualId::from_index(index)));
        }
        for (index, item) in system.funs.iter().enumerate() {
            self.declare_name(item.name, Symbol::Fun(FunId::from_index(index)));
        }
        let invariants = system.invariants.iter().map(|item| item.name);
        let names: Vec<_> = invariants.chain(system.temporal.iter().map(|item| item.name)).collect();
        self.check_distinct(&names, "property");
    }

    fn declare_name(&mut self, name: ast::Name<'s>, symbol: Symbol) {
        if self.has_enough() {
            return;
        }
        let declared = Declared { symbol, span: name.span };
        if let Some(&first) = self.names.get(name.text) {
            // Kinds are declared one after the other, so the order of the text has to be compared.
            let (first, second) = if first.span <= name.span { (first, declared) } else { (declared, first) };
            self.names.insert(name.text, first);
            self.duplicate(name.text, second.span, first.span);
        } else {
            self.names.insert(name.text, declared);
        }
    }

    pub fn duplicate(&mut self, name: &str, second: Span, first: Span) {
        let message = format!("`{}` is declared twice", clip(name));
        self.report(
            Diagnostic::error(codes::DUPLICATE, message)
                .at(second, "the second declaration")
                .label(first, "the first declaration"),
        );
    }

    /// Reports names that occur twice.
    pub fn check_distinct(&mut self, names: &[ast::Name<'s>], noun: &str) {
        let mut seen: FxHashMap<&str, Span> = FxHashMap::default();
        for name in names {
            if self.has_enough() {
                return;
            }
            if let Some(&first) = seen.get(name.text) {
                let message = format!("the {noun} `{}` is declared twice", clip(name.text));
                self.report(
                    Diagnostic::error(codes::DUPLICATE, message)
                        .at(name.span, "the second declaration")
                        .label(first, "the first declaration"),
                );
            } else {
                seen.insert(name.text, name.span);
            }
        }
    }

    fn declare_enums(&mut self) {
        let system = self.system;
        for item in &system.enums {
            self.check_distinct(&item.elements, "element");
            self.program.enums.push(ir::Enum {
                name: item.name.text.to_owned(),
                elements: item.elements.iter().map(|element| element.text.to_owned()).collect(),
                is_abstract: item.is_abstract,
                span: item.name.span,
            });
        }
    }

    /// Gives enums with a size their elements, whose names are the enum's name and a number.
    fn size_enums(&mut self) {
        let system = self.system;
        for (item, id) in system.enums.iter().zip(0..) {
            let Some(size) = &item.size else { continue };
            let count = self.constant_int(size).unwrap_or(1);
            if !(1..=MAX_ELEMENTS).contains(&count) {
                self.report(
                    Diagnostic::error(codes::BAD_RANGE, "this number of elements is not possible")
                        .at(size.span, format!("this is {count}"))
                        .note(format!("there can be 1 to {MAX_ELEMENTS}")),
                );
            }
            let elements = &mut self.program.enums[EnumId(id)].elements;
            elements.extend((1..=count.clamp(1, MAX_ELEMENTS)).map(|n| format!("{}{n}", item.name.text)));
        }
    }

    // Names.

    pub fn symbol(&self, name: &str) -> Option<Symbol> {
        self.names.get(name).map(|declared| declared.symbol)
    }

    /// The noun for a name in messages.
    pub fn kind_of(&self, symbol: Symbol) -> &'static str {
        match symbol {
            Symbol::Consts(_) => "a group of constants",
            Symbol::Enum(_) => "an enum",
            Symbol::Record(_) => "a record",
            Symbol::Alias(_) => "a type",
            Symbol::Global(_) => "a variable",
            Symbol::Procedure(id) if self.is_thread(id) => "a thread",
            Symbol::Procedure(_) => "a function",
            Symbol::Virtual(_) => "a table of functions",
            Symbol::Fun(_) => "a pure function",
        }
    }

    pub fn is_thread(&self, id: ProcedureId) -> bool {
        let procedure = &self.system.procedures[id.index()];
        matches!(procedure.kind, ast::ProcedureKind::Thread { .. })
    }

    /// Reports a name that is unknown, or that means something else than what is needed.
    pub fn wrong_name(
        &mut self,
        name: ast::Name<'s>,
        code: &'static str,
        wanted: &str,
        fits: impl Fn(&Self, Symbol) -> bool,
    ) {
        let shown = clip(name.text);
        if self.diagnostics.is_full() {
            // The error is only counted, not shown: no need for hints.
            self.report(Diagnostic::error(code, shown));
            return;
        }
        if let Some(&declared) = self.names.get(name.text) {
            let kind = self.kind_of(declared.symbol);
            self.report(
                Diagnostic::error(codes::WRONG_KIND, format!("`{shown}` is {kind}, not {wanted}"))
                    .at(name.span, format!("expected {wanted}"))
                    .label(declared.span, format!("`{shown}` is declared here")),
            );
            return;
        }
        let candidates =
            self.names.iter().filter(|(_, declared)| fits(self, declared.symbol)).map(|(&name, _)| name);
        let similar = similar(name.text, candidates);
        let mut diagnostic =
            Diagnostic::error(code, format!("there is no {} `{shown}`", without_article(wanted)))
                .at(name.span, "not declared");
        if let Some(similar) = similar {
            diagnostic = diagnostic.help(format!("did you mean `{similar}`?"));
        }
        self.report(diagnostic);
    }

    pub fn record_named(&mut self, name: ast::Name<'s>) -> Option<RecordId> {
        let mut symbol = self.symbol(name.text);
        self.mention(name);
        if let Some(Symbol::Alias(alias)) = symbol
            && let Some(ty) = self.resolve_alias(alias, 0)
            && let Type::Record(record) = self.program.types[ty]
        {
            symbol = Some(Symbol::Record(record));
        }
        if let Some(Symbol::Record(record)) = symbol {
            return Some(record);
        }
        self.wrong_name(name, codes::UNKNOWN_TYPE, "a record", |_, symbol| {
            matches!(symbol, Symbol::Record(_))
        });
        None
    }

    pub fn string(&mut self, text: &str) -> StringId {
        if let Some(&id) = self.strings.get(text) {
            return id;
        }
        let id = self.program.strings.push(text.to_owned());
        self.strings.insert(text.to_owned(), id);
        id
    }

    // Globals and signatures.

    fn declare_globals(&mut self) {
        let system = self.system;
        for item in &system.globals {
            if self.has_enough() {
                return;
            }
            let ty = self.resolve_type(&item.ty);
            self.global_types.push(ty);
            let init = self.initial_value(item, ty);
            // A variable whose type has errors only keeps its place.
            let ty = ty.unwrap_or_else(|| self.intern(Type::Bool));
            self.program.globals.push(ir::Variable::new(item.name.text, ty, init, item.name.span));
        }
    }

    fn declare_signatures(&mut self) {
        let system = self.system;
        for item in &system.procedures {
            let params = item.params.iter().map(|param| self.resolve_type(&param.ty)).collect();
            let (thread, result) = match &item.kind {
                ast::ProcedureKind::Thread { .. } => (true, None),
                ast::ProcedureKind::Function { result } => (false, result.as_ref()),
            };
            let result = match result {
                None => Outcome::Nothing,
                Some(ty) => self.resolve_type(ty).map_or(Outcome::Unknown, Outcome::Value),
            };
            self.signatures.push(Signature { params, result, thread });
        }
        for item in &system.funs {
            let null = self.intern(Type::Null);
            let names: Vec<_> = item.params.iter().map(|param| param.name).collect();
            self.check_distinct(&names, "parameter");
            let params: Vec<_> = item.params.iter().map(|param| self.resolve_type(&param.ty)).collect();
            let result = self.resolve_type(&item.result);
            self.program.funs.push(Fun {
                name: item.name.text.to_owned(),
                params: (names.iter().zip(&params))
                    .map(|(name, ty)| (name.text.to_owned(), ty.unwrap_or(null)))
                    .collect(),
                result: result.unwrap_or(null),
                // Replaced when bodies are lowered.
                body: ir::Expr { kind: ir::ExprKind::Const(ir::Const::Null), ty: null, span: item.name.span },
                span: item.name.span,
            });
            let result = result.map_or(Outcome::Unknown, Outcome::Value);
            self.fun_signatures.push(Signature { params, result, thread: false });
        }
    }
}

fn without_article(noun: &str) -> &str {
    noun.strip_prefix("a ").or_else(|| noun.strip_prefix("an ")).unwrap_or(noun)
}
