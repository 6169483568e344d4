//! From types as written, including aliases, to types of the IR.

use ir::{EnumId, Type, TypeId};
use source::{Diagnostic, Span, similar};

use super::{AliasState, Model, Symbol};
use crate::ast;
use crate::codes;
use crate::collections::Kind;
use crate::foreign;
use crate::parser::{MAX_TYPE_SIZE, STATEMENT_WORDS};
use crate::text::{clip, count};

/// The longest chain of aliases, counting the types around them.
const MAX_ALIASES: u32 = 200;

impl<'s> Model<'s> {
    pub fn resolve_type(&mut self, ty: &ast::Type<'s>) -> Option<TypeId> {
        self.resolve_type_within(ty, 0)
    }

    fn resolve_type_within(&mut self, ty: &ast::Type<'s>, depth: u32) -> Option<TypeId> {
        let resolved = match &ty.kind {
            ast::TypeKind::Boolean => Type::Bool,
            ast::TypeKind::Tid => Type::Tid,
            ast::TypeKind::String => Type::String,
            ast::TypeKind::Lock => Type::Lock,
            ast::TypeKind::Int { long, range } => Type::Int(self.int_type(*long, range.as_deref())?),
            ast::TypeKind::Array(element) => Type::Array(self.resolve_type_within(element, depth + 1)?),
            ast::TypeKind::Extension { name, args } => {
                let args: Vec<_> = args.iter().map(|arg| self.resolve_type_within(arg, depth + 1)).collect();
                let kind = self.extension_named(*name)?;
                self.collection_type(kind, "type", &args, ty.span)?
            }
            ast::TypeKind::Named(name) => match self.symbol_at(ast::Name { text: name, span: ty.span }) {
                Some(Symbol::Enum(id)) => self.enum_type(id),
                Some(Symbol::Record(id)) => Type::Record(id),
                Some(Symbol::Alias(alias)) => return self.resolve_alias(alias, depth + 1),
                _ => {
                    self.unknown_type(ast::Name { text: name, span: ty.span });
                    return None;
                }
            },
        };
        if self.size(resolved) > MAX_TYPE_SIZE {
            self.report(
                Diagnostic::error(codes::TOO_DEEP, "this type has too many parts")
                    .at(ty.span, "with what its aliases stand for")
                    .note(format!("the limit is {MAX_TYPE_SIZE}")),
            );
            return None;
        }
        Some(self.intern(resolved))
    }

    fn unknown_type(&mut self, name: ast::Name<'s>) {
        if let (Some(kind), None) = (Kind::named(name.text), self.symbol(name.text)) {
            let (text, params) = (kind.name(), kind.type_params().join(", "));
            self.report(
                Diagnostic::error(codes::UNKNOWN_TYPE, format!("there is no type `{text}`"))
                    .at(name.span, "this is an extension")
                    .help(format!("its type is written `{text}.type<{params}>`")),
            );
            return;
        }
        if self.symbol(name.text).is_none() {
            let statement = similar(name.text, STATEMENT_WORDS);
            let hint = match (foreign::type_hint(name.text), statement) {
                (Some(hint), _) => Some(hint.to_owned()),
                (None, Some(word)) => Some(format!("did you mean the statement `{word}`?")),
                (None, None) => None,
            };
            if let Some(hint) = hint {
                let message = format!("there is no type `{}`", clip(name.text));
                let diagnostic =
                    Diagnostic::error(codes::UNKNOWN_TYPE, message).at(name.span, "not declared");
                self.report(diagnostic.help(hint));
                return;
            }
        }
        self.wrong_name(name, codes::UNKNOWN_TYPE, "a type", |_, symbol| {
            matches!(symbol, Symbol::Enum(_) | Symbol::Record(_) | Symbol::Alias(_))
        });
    }

    /// The number of types that a type is made of. Those in the table are known to be small.
    fn size(&self, ty: Type) -> u32 {
        let part = |id| self.size(self.ty(id));
        match ty {
            Type::Array(element)
            | Type::Set(element)
            | Type::Bag(element)
            | Type::Seq(element)
            | Type::Queue(element) => 1 + part(element),
            Type::Map(key, value) => 1 + part(key) + part(value),
            _ => 1,
        }
    }

    pub fn extension_named(&mut self, name: ast::Name<'s>) -> Option<Kind> {
        let kind = Kind::named(name.text);
        if kind.is_none() {
            let message = format!("there is no extension `{}`", clip(name.text));
            let mut diagnostic = Diagnostic::error(codes::UNSUPPORTED, message).at(name.span, "not built in");
            if let Some(similar) = similar(name.text, Kind::ALL.map(Kind::name)) {
                diagnostic = diagnostic.help(format!("did you mean `{similar}`?"));
            }
            self.report(diagnostic.note("`Set`, `Bag`, `Map`, `Seq` and `Queue` are built in"));
        }
        kind
    }

    /// The type of a collection with these arguments, which are written after `word`.
    pub fn collection_type(
        &mut self,
        kind: Kind,
        word: &str,
        args: &[Option<TypeId>],
        span: Span,
    ) -> Option<Type> {
        let wanted = kind.type_params();
        if args.len() != wanted.len() {
            let (name, found) = (kind.name(), args.len());
            self.report(
                Diagnostic::error(
                    codes::ARGUMENT_COUNT,
                    format!("`{name}.{word}` takes {}, not {found}", count(wanted.len(), "type")),
                )
                .at(span, "")
                .help(format!("write `{name}.{word}<{}>`", wanted.join(", "))),
            );
            return None;
        }
        kind.applied(&args.iter().copied().collect::<Option<Vec<_>>>()?)
    }

    pub(super) fn resolve_alias(&mut self, alias: usize, depth: u32) -> Option<TypeId> {
        let ast::Alias { name, ty } = &self.system.aliases[alias];
        match self.aliases[alias] {
            AliasState::Done(ty) => return ty,
            AliasState::Open if depth < MAX_ALIASES => {}
            AliasState::Open | AliasState::Busy => {
                let (code, message) = match self.aliases[alias] {
                    AliasState::Busy => {
                        (codes::CYCLE, format!("the type `{}` stands for itself", clip(name.text)))
                    }
                    _ => (codes::TOO_DEEP, "too many types stand for each other in a row".to_owned()),
                };
                self.report(
                    Diagnostic::error(code, message).at(name.span, "").label(ty.span, "because of this type"),
                );
                self.aliases[alias] = AliasState::Done(None);
                return None;
            }
        }
        self.aliases[alias] = AliasState::Busy;
        let resolved = self.resolve_type_within(ty, depth);
        self.aliases[alias] = AliasState::Done(resolved);
        resolved
    }

    /// The type of the elements of an enum.
    pub fn enum_type(&self, id: EnumId) -> Type {
        if self.program.enums[id].is_abstract { Type::Abstract(id) } else { Type::Enum(id) }
    }

    pub fn ty(&self, id: TypeId) -> Type {
        self.program.types[id]
    }

    pub fn intern(&mut self, ty: Type) -> TypeId {
        self.program.types.intern(ty)
    }
}
