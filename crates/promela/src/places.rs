//! Names and places in dynamic programs, where a path of fields may lead through pointers.

use source::{Diagnostic, Span};

use crate::ast;
use crate::build::Builder;
use crate::codes;
use crate::objects::{Access, Address, Dynamic, Pointee, PointeeId};
use crate::resolve::{Resolved, combinations};
use crate::symbols::{Leaf, Scalar, Ty, leaves};
use crate::tree::{Ex, ExKind, Ref, SymbolId};

/// What a path starts from.
enum Base {
    Variable(SymbolId),
    Object { pointer: Ex, pointee: PointeeId, element: Option<Box<Ex>> },
}

/// A path that is being followed.
struct Path {
    base: Base,
    /// The fields, as positions in their records.
    fields: Vec<usize>,
    indices: Vec<Ex>,
    ty: Ty,
    size: Option<u32>,
}

impl Builder<'_> {
    /// The leaves of what a pointer leads to. `None`, with a report, if it is not known.
    fn leaves_of(&mut self, pointee: PointeeId, span: Span) -> Option<(Vec<Leaf>, Ty)> {
        let ty = match self.pointees[pointee.index()].clone() {
            Pointee::Scalar(scalar) => Ty::Scalar(scalar),
            Pointee::Record(name) => {
                let found = self.typedefs.iter().position(|known| known.name == name);
                let Some(found) = found else {
                    self.incomplete_pointee(&name, span);
                    return None;
                };
                Ty::Record(found)
            }
        };
        Some((leaves(&self.typedefs, "", ty, None, None), ty))
    }

    fn incomplete_pointee(&mut self, name: &str, span: Span) {
        self.diagnostics.push(
            Diagnostic::error(codes::INCOMPLETE_TYPE, format!("the type `{name}` is not complete here"))
                .at(span, "its fields are not known here")
                .help("move the `typedef` up, before the first use of its fields"),
        );
    }

    /// The meaning of a name or path. `read` says whether its value is read.
    pub(crate) fn place(&mut self, var: &ast::VarRef, read: bool) -> Option<Resolved> {
        let base = var.parts.first()?;
        if let (Some(name), None) = (var.as_name(), self.scopes.find(&base.name.text)) {
            let predefined = match &*name.text {
                "_" => return Some(Resolved::Nothing),
                "_pid" => Some(ExKind::Pid),
                "_nr_pr" => Some(ExKind::Count),
                "_last" => {
                    self.asks_for_last = true;
                    Some(ExKind::Last)
                }
                "_priority" => {
                    self.has_priorities = true;
                    Some(ExKind::Priority)
                }
                "null" => Some(ExKind::Dynamic(Dynamic::Null)),
                text => self.function_ids.get(text).map(|&id| ExKind::Dynamic(Dynamic::Function(id))),
            };
            if let Some(kind) = predefined {
                if let Some(&id) = self.function_ids.get(&name.text) {
                    self.mention(name, self.functions[id.0].name.span);
                }
                return Some(Resolved::Predefined(kind));
            }
            if let Some(&(_, value)) = self.constants.get(&name.text) {
                self.mention_top(name);
                return Some(Resolved::Constant(value));
            }
        }
        let Some(id) = self.scopes.find(&base.name.text) else {
            self.undeclared(&base.name);
            return None;
        };
        self.mention(&base.name, self.symbols[id.index()].span);
        let symbol = &mut self.symbols[id.index()];
        symbol.used = true;
        symbol.read |= read && !self.in_print;
        let (ty, size) = (symbol.ty, symbol.size);
        let mut path = Path { base: Base::Variable(id), fields: Vec::new(), indices: Vec::new(), ty, size };
        for (at, part) in var.parts.iter().enumerate() {
            if at > 0 {
                self.field(&mut path, &var.parts[at - 1].name, &part.name)?;
            }
            self.index(&mut path, part, var.span)?;
        }
        for _ in 0..var.stars {
            let Ty::Scalar(Scalar::Pointer(pointee)) = path.ty else {
                let label = "this is not a pointer";
                self.error(codes::NOT_A_POINTER, "`*` needs a pointer", var.span, label);
                return None;
            };
            self.follow(&mut path, pointee, None, var.span)?;
        }
        self.resolved(path, var.span)
    }

    /// Goes on to what a pointer leads to.
    fn follow(
        &mut self,
        path: &mut Path,
        pointee: PointeeId,
        element: Option<Box<Ex>>,
        span: Span,
    ) -> Option<()> {
        let (_, ty) = self.leaves_of(pointee, span)?;
        let next = Path {
            base: Base::Variable(SymbolId(0)),
            fields: Vec::new(),
            indices: Vec::new(),
            ty,
            size: None,
        };
        let from = std::mem::replace(path, next);
        let pointer = match self.resolved(from, span)? {
            Resolved::Place(place) => Ex::var(place),
            Resolved::Through(access) => Ex::through(access),
            _ => return None,
        };
        path.base = Base::Object { pointer, pointee, element };
        Some(())
    }

    /// Goes on to a field, through a pointer if need be.
    fn field(&mut self, path: &mut Path, owner: &ast::Name, name: &ast::Name) -> Option<()> {
        if let (Ty::Scalar(Scalar::Pointer(pointee)), None) = (path.ty, path.size) {
            self.follow(path, pointee, None, owner.span)?;
        }
        let found = match path.ty {
            Ty::Record(record) => {
                let fields = &self.typedefs[record].fields;
                fields.iter().position(|field| field.name == name.text).map(|at| (record, at))
            }
            Ty::Scalar(_) => None,
        };
        let Some((record, at)) = found else {
            self.no_field(owner, path.ty, name);
            return None;
        };
        path.fields.push(at);
        self.mention(name, self.typedefs[record].fields[at].span);
        let field = &self.typedefs[record].fields[at];
        (path.ty, path.size) = (field.ty, field.size);
        Some(())
    }

    /// Goes on to an element of an array, or of what a pointer leads to.
    fn index(&mut self, path: &mut Path, part: &ast::Part, span: Span) -> Option<()> {
        let name = &part.name;
        let Some(index) = part.index.as_deref() else {
            if path.size.is_some() {
                let message = format!("`{}` is an array and needs an index", name.text);
                self.error(codes::MISSING_INDEX, message, name.span, "no index");
                return None;
            }
            return Some(());
        };
        let value = self.expr(index)?;
        if path.size.take().is_some() {
            path.indices.push(value);
            return Some(());
        }
        match path.ty {
            Ty::Scalar(Scalar::Pointer(pointee)) => self.follow(path, pointee, Some(Box::new(value)), span),
            // SPIN admits the index 0 on a variable that is not an array.
            _ if value.literal() == Some(0) => Some(()),
            _ => {
                let message = format!("`{}` is neither an array nor a pointer", name.text);
                self.error(codes::NOT_AN_ARRAY, message, index.span, "an index");
                None
            }
        }
    }

    /// The places that a path leads to.
    fn resolved(&mut self, path: Path, span: Span) -> Option<Resolved> {
        let Path { base, fields, indices, ty, .. } = path;
        match base {
            Base::Variable(id) => {
                let leaves = &self.symbols[id.index()].leaves;
                let Ty::Record(record) = ty else {
                    let leaf = leaves.iter().position(|leaf| leaf.path == fields)?;
                    return Some(Resolved::Place(Ref { symbol: id, leaf, indices, span }));
                };
                let found = all_places(leaves, &fields, &indices, span);
                let places = found.map(|(leaf, indices)| Ref { symbol: id, leaf, indices, span });
                Some(Resolved::Record(id, places.collect(), record))
            }
            Base::Object { pointer, pointee, element } => {
                let (leaves, _) = self.leaves_of(pointee, span)?;
                let access = |leaf: usize, indices: Vec<Ex>| Access {
                    base: Box::new(pointer.clone()),
                    pointee,
                    element: element.clone(),
                    leaf,
                    scalar: leaves[leaf].scalar,
                    indices,
                    span,
                };
                let Ty::Record(record) = ty else {
                    let leaf = leaves.iter().position(|leaf| leaf.path == fields)?;
                    return Some(Resolved::Through(access(leaf, indices)));
                };
                let found = all_places(&leaves, &fields, &indices, span);
                Some(Resolved::Object(found.map(|(leaf, indices)| access(leaf, indices)).collect(), record))
            }
        }
    }

    pub(crate) fn whole_object<T>(&mut self, span: Span) -> Option<T> {
        self.diagnostics.push(
            Diagnostic::error(codes::WHOLE_RECORD, "a record as a whole is no value")
                .at(span, "name one of its fields"),
        );
        None
    }

    /// `&x`.
    pub(crate) fn address_of(&mut self, var: &ast::VarRef) -> Option<Ex> {
        let span = var.span;
        let (address, target) = match self.place(var, true)? {
            Resolved::Place(place) => {
                let scalar = self.scalar_of(&place);
                (self.part(place, var), Pointee::Scalar(scalar))
            }
            Resolved::Record(_, places, record) => {
                let first = places.into_iter().next()?;
                (self.part(first, var), Pointee::Record(self.typedefs[record].name.clone()))
            }
            Resolved::Through(access) => {
                let scalar = access.scalar;
                (Address::Through(access), Pointee::Scalar(scalar))
            }
            Resolved::Object(accesses, record) => {
                let first = accesses.into_iter().next()?;
                (Address::Through(first), Pointee::Record(self.typedefs[record].name.clone()))
            }
            Resolved::Constant(_) | Resolved::Predefined(_) | Resolved::Nothing => {
                let message = "this is no variable, and has no address";
                self.error(codes::CONSTANT_TARGET, message, span, "not a variable");
                return None;
            }
        };
        if let Address::Variable(id) | Address::Part(Ref { symbol: id, .. }) = &address {
            let id = *id;
            if self.function.is_some_and(|function| self.functions[function.0].is_expression)
                && self.symbols[id.index()].param
            {
                let message = "the address of the parameter of an expression";
                let refused = Diagnostic::error(codes::UNSUPPORTED_DYNAMIC, message);
                let help = "give the function a body in braces, where a parameter is a variable";
                self.diagnostics.push(refused.at(span, "this is a value").help(help));
                return None;
            }
            self.put_in_object(id);
        }
        let pointee = self.pointee(target);
        self.wide[pointee.index()] |= !matches!(address, Address::Variable(_));
        Some(Ex { kind: ExKind::Dynamic(Dynamic::AddressOf(address, pointee)), span })
    }

    /// A variable, or a part of one that begins with this place.
    fn part(&self, first: Ref, var: &ast::VarRef) -> Address {
        let is_whole = var.as_name().is_some() && self.symbols[first.symbol.index()].size.is_none();
        if is_whole { Address::Variable(first.symbol) } else { Address::Part(first) }
    }

    /// Makes a variable live in an object of its own.
    pub(crate) fn put_in_object(&mut self, id: SymbolId) {
        let target = match self.symbols[id.index()].ty {
            Ty::Scalar(scalar) => Pointee::Scalar(scalar),
            Ty::Record(record) => Pointee::Record(self.typedefs[record].name.clone()),
        };
        self.symbols[id.index()].boxed = Some(self.pointee(target));
    }
}

/// All places of a record, in order, each as a leaf and its indices.
fn all_places<'l>(
    leaves: &'l [Leaf],
    fields: &'l [usize],
    indices: &'l [Ex],
    span: Span,
) -> impl Iterator<Item = (usize, Vec<Ex>)> + 'l {
    let inside = leaves.iter().enumerate().filter(|(_, leaf)| leaf.path.starts_with(fields));
    inside.flat_map(move |(at, leaf)| {
        let rest = combinations(leaf.dims.get(indices.len()..).unwrap_or_default());
        rest.into_iter().map(move |rest| {
            let rest = rest.into_iter().map(|index| Ex::int(index as i32, span));
            (at, indices.iter().cloned().chain(rest).collect())
        })
    })
}
