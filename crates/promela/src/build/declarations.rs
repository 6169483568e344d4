//! Declarations of variables, types and names.

use std::rc::Rc;

use source::{Diagnostic, Span};

use super::{Builder, Mtype};
use crate::ast::{self, Name, TypeKind, Visibility};
use crate::codes;
use crate::symbols::{ChannelType, Field, Init, Scalar, Symbol, Ty, Typedef, leaf_count, leaves};
use crate::tree::{Basic, Ex, ExKind, Ref, SymbolId, Target};

/// The largest number of elements of one dimension of an array. The sum over all variables is checked later.
const MAX_ARRAY: i64 = ir::MAX_ARRAY_SIZE as i64 - 1;
/// The largest number of fields of a record, including those of nested records.
const MAX_LEAVES: usize = 10_000;

impl Builder<'_> {
    pub(super) fn mtype(&mut self, item: &ast::Mtype) {
        let list = self.mtype_list(item.subtype.as_ref(), item.span);
        // SPIN builds the list from its end.
        for name in item.elements.iter().rev() {
            let clash = self.scopes.find(&name.text).map(|id| self.symbols[id.index()].span);
            if let Some(first) = clash {
                self.duplicate(name, first);
                continue;
            }
            let names = &mut self.mtypes[list].names;
            names.push(name.text.clone());
            let number = names.len() as i32;
            if self.constants.insert(name.text.clone(), (list, number)).is_some() {
                let message = format!("`{}` is already an element of an mtype", name.text);
                self.error(codes::DUPLICATE, message, name.span, "declared again");
            }
        }
        if self.mtypes[list].names.len() > 255 {
            self.error(codes::BAD_SIZE, "an mtype has at most 255 elements", item.span, "too many");
        }
    }

    fn mtype_list(&mut self, subtype: Option<&Name>, span: Span) -> usize {
        let subtype: Option<Rc<str>> = subtype.map(|name| name.text.clone());
        if let Some(at) = self.mtypes.iter().position(|known| known.subtype == subtype) {
            return at;
        }
        self.mtypes.push(Mtype { subtype, names: Vec::new(), span });
        self.mtypes.len() - 1
    }

    pub(super) fn typedef(&mut self, item: &ast::Typedef) {
        if let Some(first) = self.typedefs.iter().find(|known| known.name == item.name.text) {
            let first = first.span;
            self.duplicate(&item.name, first);
            return;
        }
        let mut fields: Vec<Field> = Vec::new();
        let mut count = 0;
        for declaration in &item.fields {
            for variable in &declaration.variables {
                let Some(ty) = self.ty(&declaration.ty, variable) else { continue };
                if let Some(first) = fields.iter().find(|field| field.name == variable.name.text) {
                    let first = first.span;
                    self.duplicate(&variable.name, first);
                    continue;
                }
                let inner = leaf_count(&self.typedefs, ty);
                if count + inner > MAX_LEAVES {
                    self.diagnostics.push(
                        Diagnostic::error(
                            codes::TOO_LARGE,
                            format!("`{}` has more than {MAX_LEAVES} fields", item.name.text),
                        )
                        .at(variable.span, format!("{inner} more, with those of its type"))
                        .help("a record in a record counts with all its fields; an array counts once"),
                    );
                    continue;
                }
                count += inner;
                let size = self.size(variable);
                let init = variable.init.as_ref().and_then(|init| self.initializer(init, ty, size, variable));
                let name = &variable.name;
                fields.push(Field { name: name.text.clone(), ty, size, init, span: name.span });
            }
        }
        let name = &item.name;
        self.typedefs.push(Typedef { name: name.text.clone(), fields, leaves: count, span: name.span });
    }

    /// A type that needs neither a width nor a declaration.
    pub(super) fn simple_type(&mut self, ty: &ast::Type) -> Option<Scalar> {
        Some(match &ty.kind {
            TypeKind::Bit | TypeKind::Bool => Scalar::Bit,
            TypeKind::Pid if self.is_dynamic => Scalar::Process,
            TypeKind::Byte | TypeKind::Pid => Scalar::Byte,
            TypeKind::Short => Scalar::Short,
            TypeKind::Int => Scalar::Int,
            TypeKind::Chan => Scalar::Chan,
            TypeKind::Mtype(subtype) => Scalar::Mtype(self.mtype_list(subtype.as_ref(), ty.span)),
            TypeKind::Function => Scalar::Function,
            TypeKind::Unsigned | TypeKind::Named(_) => return None,
        })
    }

    pub(super) fn ty(&mut self, ty: &ast::Type, variable: &ast::Variable) -> Option<Ty> {
        if ty.pointers > 0 {
            return self.pointer(ty).map(Ty::Scalar);
        }
        let scalar = match &ty.kind {
            TypeKind::Unsigned => match &variable.width {
                None => {
                    self.error(
                        codes::BAD_SIZE,
                        "an `unsigned` needs a width",
                        variable.span,
                        "as in `x : 4`",
                    );
                    return None;
                }
                Some(width) if (1..32).contains(&width.value) => Scalar::Unsigned(width.value as u32),
                Some(width) => {
                    self.error(codes::BAD_SIZE, "a width is between 1 and 31", width.span, "not a width");
                    return None;
                }
            },
            TypeKind::Named(name) => return self.named(name),
            _ => self.simple_type(ty)?,
        };
        if let (Some(width), false) = (&variable.width, matches!(scalar, Scalar::Unsigned(_))) {
            self.error(codes::BAD_SIZE, "only an `unsigned` has a width", width.span, "a width");
        }
        Some(Ty::Scalar(scalar))
    }

    pub(super) fn named(&mut self, name: &Name) -> Option<Ty> {
        let found = self.typedefs.iter().position(|known| known.name == name.text);
        self.mention_top(name);
        if found.is_none() && self.record_names.contains(&name.text) {
            self.incomplete(name);
        } else if found.is_none() {
            let message = format!("there is no type `{}`", name.text);
            self.error(codes::UNDECLARED, message, name.span, "not known here");
        }
        found.map(Ty::Record)
    }

    pub(super) fn size(&mut self, variable: &ast::Variable) -> Option<u32> {
        let expr = variable.size.as_ref()?;
        match self.constant(expr) {
            Some(value) if (1..=MAX_ARRAY).contains(&value) => Some(value as u32),
            Some(_) => {
                let message = format!("`{}` has a size that makes no sense", variable.name.text);
                self.error(codes::BAD_SIZE, message, expr.span, format!("between 1 and {MAX_ARRAY}"));
                Some(1)
            }
            None => Some(1),
        }
    }

    pub(super) fn initializer(
        &mut self,
        init: &ast::Initializer,
        ty: Ty,
        size: Option<u32>,
        variable: &ast::Variable,
    ) -> Option<Init> {
        match init {
            ast::Initializer::New(_) => {
                self.diagnostics.push(
                    Diagnostic::error(codes::BAD_INITIALIZER, "an object is made by a process")
                        .at(variable.span, "this is made before any process runs")
                        .help(format!("write `{} = new …` as a statement", variable.name.text)),
                );
                None
            }
            ast::Initializer::Expr(expr) => {
                let value = self.expr(expr)?;
                if matches!(ty, Ty::Record(_)) {
                    self.diagnostics.push(
                        Diagnostic::warning(codes::IGNORED_INITIALIZER, "a record has no initial value")
                            .at(expr.span, "this has no effect, as in SPIN")
                            .help("give the fields initial values, in the `typedef`"),
                    );
                    return None;
                }
                if value.any(|kind| matches!(kind, ExKind::Run(_))) {
                    self.error(codes::BAD_RUN, "`run` in an initial value", expr.span, "not here");
                    return None;
                }
                if ty == Ty::Scalar(Scalar::Chan) && value.literal().is_some() {
                    self.error(
                        codes::NOT_A_CHANNEL,
                        "a number is no channel",
                        expr.span,
                        "a channel is needed",
                    );
                    return None;
                }
                Some(Init::Value(value))
            }
            ast::Initializer::List(values, span) => {
                if size.is_none() {
                    let message = format!("`{}` is no array", variable.name.text);
                    self.error(codes::BAD_INITIALIZER, message, *span, "a list is for arrays");
                    return None;
                }
                let values = values.iter().map(|value| self.expr(value)).collect::<Option<Vec<_>>>()?;
                Some(Init::List(values))
            }
            ast::Initializer::Channel(channel) => {
                if ty != Ty::Scalar(Scalar::Chan) {
                    let message = format!("`{}` is not declared as a `chan`", variable.name.text);
                    self.error(codes::BAD_INITIALIZER, message, channel.span, "this makes a channel");
                    return None;
                }
                self.channel_type(channel).map(Init::Channel)
            }
        }
    }

    pub(super) fn channel_type(&mut self, channel: &ast::ChannelInit) -> Option<ChannelType> {
        let capacity = self.constant(&channel.capacity)?;
        if !(0..=255).contains(&capacity) {
            self.error(
                codes::BAD_SIZE,
                "a channel holds at most 255 messages",
                channel.capacity.span,
                "capacity",
            );
            return None;
        }
        let mut fields = Vec::new();
        let mut records = Vec::new();
        for ty in &channel.fields {
            let scalar = match &ty.kind {
                _ if ty.pointers > 0 => self.pointer(ty)?,
                TypeKind::Unsigned => {
                    self.error(codes::BAD_SIZE, "a message has no `unsigned` fields", ty.span, "not here");
                    return None;
                }
                TypeKind::Named(name) => {
                    let named = self.named(name)?;
                    if let Ty::Record(record) = named {
                        records.push(record);
                    }
                    for leaf in leaves(&self.typedefs, "", named, None, None) {
                        let count = usize::try_from(leaf.count()).unwrap_or(usize::MAX);
                        if fields.len().saturating_add(count) > ir::MAX_MESSAGE_FIELDS {
                            return self.long_message(channel, ty.span);
                        }
                        fields.extend(std::iter::repeat_n((leaf.scalar, false), count));
                    }
                    continue;
                }
                _ => self.simple_type(ty)?,
            };
            fields.push((scalar, false));
        }
        if fields.len() > ir::MAX_MESSAGE_FIELDS {
            return self.long_message(channel, channel.span);
        }
        if let [(Scalar::Bit, packed)] = fields.as_mut_slice() {
            *packed = true;
        }
        let record = match records.as_slice() {
            &[record] if channel.fields.len() == 1 => Some(record),
            _ => None,
        };
        Some(ChannelType { capacity: capacity as u32, fields, record, span: channel.span })
    }

    fn long_message(&mut self, channel: &ast::ChannelInit, span: Span) -> Option<ChannelType> {
        let message = format!("messages with more than {} fields", ir::MAX_MESSAGE_FIELDS);
        self.diagnostics.push(
            Diagnostic::error(codes::TOO_LARGE, message)
                .at(span, "too many with this")
                .label(channel.span, "the channel")
                .help("a field of a record is a field of the message, and so is every element of an array in it"),
        );
        None
    }

    /// Refuses a model whose variables are too large together, before they are built.
    pub fn check_sizes(&mut self) {
        let limit = ir::MAX_ARRAY_SIZE as u64 - 1;
        // Variables of a process that is not active are counted once: the process may be started.
        let times = |symbol: &Symbol| {
            let owner = symbol.owner.and_then(|at| self.processes.get(at));
            owner.map_or(1, |process| u64::from(process.active.max(1)))
        };
        let sizes: Vec<u64> =
            self.symbols.iter().map(|symbol| symbol.elements().saturating_mul(times(symbol))).collect();
        let total = sizes.iter().copied().fold(0, u64::saturating_add);
        let largest =
            sizes.iter().copied().enumerate().max_by_key(|&(at, size)| (size, std::cmp::Reverse(at)));
        let Some((at, size)) = largest.filter(|_| total > limit) else { return };
        let symbol = &self.symbols[at];
        let times = match times(symbol) {
            1 => String::new(),
            times => format!(", in {times} processes"),
        };
        let shown =
            |count: u64| if count == u64::MAX { "too many to count".to_owned() } else { count.to_string() };
        let label = format!("`{}` alone has {}{times}", symbol.name, shown(size));
        let message = format!("the variables of this model have {} elements together", shown(total));
        self.diagnostics.push(
            Diagnostic::error(codes::TOO_LARGE, message)
                .at(symbol.span, label)
                .note(format!(
                    "the limit is {limit}; a channel counts as many times as the fields of all messages that it holds"
                ))
                .help("every state has all of them: make arrays and channels as small as what is checked admits"),
        );
    }

    pub(super) fn globals(&mut self, declaration: &ast::Declaration) {
        for variable in &declaration.variables {
            let Some(ty) = self.ty(&declaration.ty, variable) else { continue };
            let size = self.size(variable);
            let init = variable.init.as_ref().and_then(|init| self.initializer(init, ty, size, variable));
            let hidden = declaration.visibility == Visibility::Hidden;
            if hidden && ty == Ty::Scalar(Scalar::Chan) {
                self.error(codes::NOT_A_CHANNEL, "a channel cannot be hidden", variable.span, "hidden");
            }
            if hidden && ty == Ty::Scalar(Scalar::Bit) {
                self.error(codes::BAD_INITIALIZER, "a bit cannot be hidden", variable.span, "hidden");
            }
            if let Some(id) = self.declare(&variable.name, ty, size, init.as_ref()) {
                self.symbols[id.index()].hidden = hidden;
            }
        }
    }

    pub(super) fn parameters(&mut self, declaration: &ast::Declaration) {
        for variable in &declaration.variables {
            let Some(ty) = self.ty(&declaration.ty, variable) else { continue };
            if variable.init.is_some() {
                self.error(
                    codes::BAD_INITIALIZER,
                    "a parameter has no initial value",
                    variable.span,
                    "not here",
                );
            }
            let size = self.size(variable);
            let Some(id) = self.declare(&variable.name, ty, size, None) else { continue };
            let symbol = &mut self.symbols[id.index()];
            symbol.param = true;
            if symbol.leaves.iter().any(|leaf| !leaf.dims.is_empty()) {
                self.error(codes::NOT_AN_ARRAY, "an array cannot be a parameter", variable.span, "an array");
            }
            self.params.push(id);
        }
    }

    /// A declaration inside a process: part of its start, or statements if it comes after others.
    pub(super) fn locals(&mut self, declaration: &ast::Declaration) {
        for variable in &declaration.variables {
            let Some(ty) = self.ty(&declaration.ty, variable) else { continue };
            if self.in_claim || self.in_trace {
                self.error(
                    codes::BAD_INITIALIZER,
                    "no variables can be declared here",
                    variable.span,
                    "a variable",
                );
                // Its uses need not be reported as well.
                self.unknown.insert(variable.name.text.clone());
                continue;
            }
            if declaration.visibility == Visibility::Hidden {
                self.error(codes::BAD_INITIALIZER, "only globals can be hidden", variable.span, "hidden");
            }
            let size = self.size(variable);
            let is_statement = match &variable.init {
                Some(ast::Initializer::New(_)) => true,
                // There is no other place where a function could compute it.
                Some(ast::Initializer::Expr(value)) => {
                    self.function.is_some() && !matches!(value.kind, ast::ExprKind::Int(_))
                }
                Some(_) => self.function.is_some(),
                None => false,
            };
            if self.is_dynamic && (!self.early || is_statement) {
                self.scoped_local(variable, ty, size);
                continue;
            }
            let init = variable.init.as_ref().and_then(|init| self.initializer(init, ty, size, variable));
            let early = self.early;
            let (kept, value) = match init {
                _ if early => (init, None),
                Some(Init::Value(value)) => (None, Some(value)),
                // As in SPIN: all elements have the value from the start, and the first one is set here.
                Some(Init::List(ref values)) if values.len() == 1 => {
                    let value = values[0].clone();
                    (init, Some(value))
                }
                Some(Init::Channel(_) | Init::List(_)) => {
                    let message =
                        format!("`{}` must be declared before the first statement", variable.name.text);
                    self.diagnostics.push(
                        Diagnostic::error(codes::BAD_INITIALIZER, message)
                            .at(variable.span, "for the sake of its initial value")
                            .help("it is made when the process starts: declare it there"),
                    );
                    continue;
                }
                None => (None, None),
            };
            let Some(id) = self.declare(&variable.name, ty, size, kept.as_ref()) else { continue };
            self.locals.push(id);
            if !early {
                let span = variable.span;
                let basic = match ty {
                    Ty::Record(_) => Basic::Nothing,
                    // An array without an index: only its first element is set.
                    Ty::Scalar(_) => {
                        let place = Ref { symbol: id, leaf: 0, indices: Vec::new(), span };
                        Basic::Assign(Target::Var(place), value.unwrap_or_else(|| Ex::int(0, span)))
                    }
                };
                self.add_basic(basic, span);
            }
        }
    }

    /// Adds a variable to the scope.
    pub(super) fn declare(
        &mut self,
        name: &Name,
        ty: Ty,
        size: Option<u32>,
        init: Option<&Init>,
    ) -> Option<SymbolId> {
        let clash =
            if self.is_dynamic { self.scopes.here(&name.text) } else { self.scopes.clash(&name.text) };
        let clash = clash.map(|id| self.symbols[id.index()].span);
        let clash = clash.or_else(|| self.process_names.get(&name.text).copied());
        if let Some(first) = clash {
            self.duplicate(name, first);
            return None;
        }
        if let Some(&(list, _)) = self.constants.get(&name.text) {
            let message = format!("`{}` is an element of an mtype", name.text);
            self.diagnostics.push(
                Diagnostic::error(codes::DUPLICATE, message)
                    .at(name.span, "declared again")
                    .label(self.mtypes[list].span, "the mtype"),
            );
            return None;
        }
        let leaves = leaves(&self.typedefs, &name.text, ty, size, init);
        self.symbols.push(Symbol {
            name: name.text.clone(),
            owner: self.process,
            ty,
            size,
            leaves,
            param: false,
            hidden: false,
            read: false,
            used: false,
            made: false,
            scope: self.scopes.id(),
            boxed: None,
            span: name.span,
        });
        let id = SymbolId(self.symbols.len() as u32 - 1);
        self.scopes.declare(&name.text, id);
        Some(id)
    }
}
