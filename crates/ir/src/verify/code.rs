//! Expressions, places and transitions.

use super::{MAX_EXPR_DEPTH, Verifier};
use crate::*;

impl Verifier<'_> {
    /// Checks an expression and returns its type, if it has one.
    pub(super) fn expr(&mut self, expr: &Expr, scope: Scope) -> Option<Type> {
        self.nested(expr, scope, MAX_EXPR_DEPTH)
    }

    pub(super) fn boolean(&mut self, expr: &Expr, scope: Scope, what: &str) {
        if let Some(ty) = self.expr(expr, scope) {
            self.demand(ty == Type::Bool, format_args!("{what} is not boolean"));
        }
    }

    fn nested(&mut self, expr: &Expr, scope: Scope, depth: usize) -> Option<Type> {
        let program = self.program;
        let Some(depth) = depth.checked_sub(1) else {
            self.error(format_args!("an expression is more than {MAX_EXPR_DEPTH} deep"));
            return None;
        };
        let errors = self.errors.len();
        let operands: Vec<_> =
            expr.operands().into_iter().map(|operand| self.nested(operand, scope, depth)).collect();
        let ty = self.ty(expr.ty)?;
        // Further messages would only repeat what is wrong with an operand.
        let operands = operands.into_iter().collect::<Option<Vec<_>>>()?;
        match &expr.kind {
            ExprKind::Const(Const::Enum(id, element)) => {
                let exists = self.element_exists(*id, *element);
                self.demand(exists, format_args!("{id} has no element {element}"));
                let is_abstract = program.enums.get(*id).is_some_and(|item| item.is_abstract);
                let allowed = !is_abstract || self.may_name_elements;
                self.demand(allowed, "a constant of an abstract enum is not in a property or assertion");
            }
            ExprKind::Const(Const::String(id)) => {
                self.demand(program.strings.get(*id).is_some(), format_args!("{id} does not exist"));
            }
            ExprKind::Field(_, field) | ExprKind::Address(_, field) => self.selected(operands[0], *field),
            ExprKind::Index(..) => {
                self.demand(matches!(operands[0], Type::Array(_)), "what is indexed is no array");
                self.demand(matches!(operands[1], Type::Int(_)), "the index is no integer");
            }
            ExprKind::Length(_) => {
                self.demand(matches!(operands[0], Type::Array(_)), "only arrays have a length");
            }
            ExprKind::Offset(..) => {
                self.demand(operands[0] == Type::Pointer, "an offset is from a pointer");
                self.demand(matches!(operands[1], Type::Int(_)), "an offset is no integer");
            }
            ExprKind::Load(_) => {
                self.demand(operands[0] == Type::Pointer, "what is followed is no pointer");
                self.demand(is_leaf(ty), "a pointer leads to no value of this type");
            }
            ExprKind::Within(..) => {
                self.demand(matches!(operands[0], Type::Int(_)), "only integers have bounds");
            }
            ExprKind::Unary(op, _) => {
                let fits = match op {
                    UnaryOp::Not => operands[0] == Type::Bool,
                    UnaryOp::Neg => matches!(operands[0], Type::Int(_)),
                };
                self.demand(fits, format_args!("the operand of {op:?} does not fit"));
            }
            ExprKind::Binary(op, ..) => {
                let fits = self.operands_fit(*op, operands[0], operands[1]);
                self.demand(fits, format_args!("the operands of {op:?} do not fit"));
            }
            ExprKind::Cond(..) => {
                self.demand(operands[0] == Type::Bool, "a condition is not boolean");
            }
            ExprKind::Cast(record, _) | ExprKind::InstanceOf(_, record) => {
                let exists = program.records.get(*record).is_some();
                self.demand(exists, format_args!("{record} does not exist"));
                let fits = matches!(operands[0], Type::Record(_) | Type::Null);
                self.demand(fits, "only records are cast or asked for their record");
            }
            ExprKind::LockAvailable(_) | ExprKind::HasLock(_) | ExprKind::WasNotified(_) => {
                self.demand(program.admits(Type::Lock, operands[0]), "the operand is no lock");
            }
            ExprKind::ThreadTerminated(_) => {
                self.demand(program.admits(Type::Tid, operands[0]), "the operand is no thread");
            }
            ExprKind::Call(id, args) => {
                let Some(fun) = program.funs.get(*id) else {
                    self.error(format_args!("{id} does not exist"));
                    return None;
                };
                let params: Vec<_> = fun.params.iter().map(|&(_, ty)| ty).collect();
                self.arguments(&fun.name, &params, args);
            }
            ExprKind::All(id) => {
                self.demand(program.enums.get(*id).is_some(), format_args!("{id} does not exist"));
            }
            ExprKind::Collection(op, _) => self.collection(*op, ty, &operands),
            ExprKind::Quantified { fun, captures, .. } => self.quantified(operands[0], *fun, captures),
            ExprKind::Wrap(_) => {
                self.demand(matches!(operands[0], Type::Int(_)), "only integers wrap");
            }
            ExprKind::Number(_) => self.demand(operands[0] == Type::Bool, "only booleans become numbers"),
            ExprKind::Element(array, indices) => self.element(*array, indices.len(), &operands, scope),
            ExprKind::ThreadLocal { procedure, local, indices, .. } => {
                let owner = program.procedures.get(*procedure).and_then(|owner| owner.locals.get(*local));
                let fits = owner.is_some_and(|variable| variable.dims.len() == indices.len());
                self.demand(fits, "a variable of a thread does not exist, or has other dimensions");
                self.integers(&operands);
            }
            ExprKind::ThreadAt { procedure, locations, .. } => {
                for &location in locations {
                    self.plain(location, *procedure, "location");
                }
                self.integers(&operands);
            }
            ExprKind::ThreadsAt { procedure, locations }
            | ExprKind::IndividualAt { procedure, locations } => {
                for &location in locations {
                    self.plain(location, *procedure, "location");
                }
                let is_counted = matches!(expr.kind, ExprKind::ThreadsAt { .. });
                let is_known = is_counted || self.individual == Some(*procedure);
                self.demand(is_known, "the individual is not one that the property is about");
                let ascends = locations.is_sorted_by(|a, b| a < b);
                self.demand(ascends, "locations to be counted are not in order, or one is there twice");
            }
            ExprKind::FirstThread(procedure) => {
                let exists = program.procedures.get(*procedure).is_some();
                self.demand(exists, format_args!("{procedure} does not exist"));
            }
            ExprKind::Channel(channel) => {
                let own = match scope {
                    Scope::Procedure(procedure) => program.procedures.get(procedure),
                    Scope::Program | Scope::Fun(_) => None,
                };
                let known = program.first_channels.contains(channel)
                    || own.is_some_and(|procedure| procedure.channels.contains(channel));
                self.demand(known, format_args!("{channel} is no channel that is there"));
            }
            ExprKind::ThreadEnabled(_) | ExprKind::ThreadLocation(_) | ExprKind::ThreadPriority(_) => {
                self.integers(&operands);
            }
            ExprKind::ChannelLength(_) | ExprKind::ChannelFull(_) => self.channel_operand(Some(operands[0])),
            ExprKind::ChannelHas { .. } => {
                self.channel_operand(Some(operands[0]));
                operands[1..].iter().for_each(|&field| self.message_field(Some(field)));
            }
            ExprKind::Global(id) => {
                let array = self.is_array(Array::Global(*id), scope);
                self.demand(!array, format_args!("{id} is an array and needs indices"));
            }
            ExprKind::Local(id) => {
                let array = self.is_array(Array::Local(*id), scope);
                self.demand(!array, format_args!("{id} is an array and needs indices"));
            }
            ExprKind::Const(_)
            | ExprKind::Param(_)
            | ExprKind::ThreadNumber
            | ExprKind::ThreadCount
            | ExprKind::LastThread
            | ExprKind::IsYoungest
            | ExprKind::Timeout => {}
        }
        self.needs_of_expr(&expr.kind);
        if self.errors.len() > errors {
            return None;
        }
        let natural = program.natural_type(&expr.kind, scope);
        let free = matches!(
            expr.kind,
            ExprKind::Cond(..)
                | ExprKind::Wrap(_)
                | ExprKind::Load(_)
                | ExprKind::Collection(CollectionOp::Create, _)
        );
        if natural.is_none() && !free {
            self.error(format_args!("{} is out of range or out of place", shallow(&expr.kind)));
            return None;
        }
        let fits = Some(ty) == natural || self.may_be(expr, natural, ty, &operands);
        self.demand(fits, format_args!("{} is not of type {}", shallow(&expr.kind), expr.ty));
        fits.then_some(ty)
    }

    /// Whether an expression may have a type other than the natural one.
    fn may_be(&self, expr: &Expr, natural: Option<Type>, ty: Type, operands: &[Type]) -> bool {
        match (&expr.kind, natural, ty) {
            (ExprKind::Const(Const::Int(value)), _, Type::Int(int)) => (int.lo..=int.hi).contains(value),
            (ExprKind::Unary(..) | ExprKind::Binary(..), Some(Type::Int(natural)), Type::Int(int)) => {
                natural.width == int.width
            }
            (ExprKind::Cond(..), _, Type::Int(int)) => operands[1..].iter().all(|&case| match case {
                Type::Int(case) => int.width == Width::Long || case.width == Width::Int,
                _ => false,
            }),
            (ExprKind::Wrap(_), _, Type::Int(int)) => int.wrap,
            (ExprKind::Load(_), ..) => is_leaf(ty),
            (ExprKind::Collection(CollectionOp::Create, _), ..) => ty.is_collection(),
            (ExprKind::Cond(..), ..) => operands[1..].iter().all(|&case| self.program.admits(ty, case)),
            _ => false,
        }
    }

    fn integers(&mut self, operands: &[Type]) {
        let fits = operands.iter().all(|operand| matches!(operand, Type::Int(_)));
        self.demand(fits, "an operand is no integer");
    }

    fn element(&mut self, array: Array, indices: usize, operands: &[Type], scope: Scope) {
        let variable = match (array, scope) {
            (Array::Global(id), _) => self.program.globals.get(id),
            (Array::Local(id), Scope::Procedure(procedure)) => {
                self.program.procedures.get(procedure).and_then(|procedure| procedure.locals.get(id))
            }
            (Array::Local(_), Scope::Program | Scope::Fun(_)) => None,
        };
        let fits = variable.is_some_and(|variable| variable.dims.len() == indices && indices > 0);
        self.demand(fits, "an array variable does not exist, or has other dimensions");
        self.integers(operands);
    }

    fn operands_fit(&self, op: BinaryOp, left: Type, right: Type) -> bool {
        let integers = matches!((left, right), (Type::Int(_), Type::Int(_)));
        let booleans = (left, right) == (Type::Bool, Type::Bool);
        match op {
            BinaryOp::And | BinaryOp::Or | BinaryOp::Implies => booleans,
            BinaryOp::BitAnd | BinaryOp::BitOr | BinaryOp::BitXor => integers || booleans,
            BinaryOp::Eq | BinaryOp::Ne => {
                let records = matches!((left, right), (Type::Record(_), Type::Record(_)));
                records || self.program.admits(left, right) || self.program.admits(right, left)
            }
            _ => integers,
        }
    }

    fn selected(&mut self, base: Type, field: FieldId) {
        let fits = match base {
            Type::Record(record) => {
                self.program.records.get(record).is_some_and(|record| record.fields.contains(&field))
            }
            _ => false,
        };
        self.demand(fits, format_args!("{field} is selected from what does not have it"));
    }

    /// Checks arguments, which were checked by themselves, against the types of parameters.
    pub(super) fn arguments(&mut self, callee: &str, params: &[TypeId], args: &[Expr]) {
        self.demand(
            params.len() == args.len(),
            format_args!("{callee} takes {} arguments, not {}", params.len(), args.len()),
        );
        for (&param, arg) in params.iter().zip(args) {
            let fits = match (self.program.types.get(param), self.program.types.get(arg.ty)) {
                (Some(param), Some(arg)) => self.program.admits(param, arg),
                _ => false,
            };
            self.demand(fits, format_args!("an argument of {callee} does not fit its parameter"));
        }
    }

    fn place(&mut self, place: &Place, scope: Scope) -> Option<Type> {
        let program = self.program;
        let ty = self.ty(place.ty)?;
        let array = match place.kind {
            PlaceKind::Global(id) => self.is_array(Array::Global(id), scope),
            PlaceKind::Local(id) => self.is_array(Array::Local(id), scope),
            PlaceKind::Field(..) | PlaceKind::Index(..) | PlaceKind::Through(_) | PlaceKind::Element(..) => {
                false
            }
        };
        self.demand(!array, "an array is assigned to without indices");
        let declared = match &place.kind {
            PlaceKind::Global(id) => program.globals.get(*id).map(|variable| variable.ty),
            PlaceKind::Local(id) => match scope {
                Scope::Procedure(procedure) => program
                    .procedures
                    .get(procedure)
                    .and_then(|procedure| procedure.locals.get(*id))
                    .map(|variable| variable.ty),
                Scope::Program | Scope::Fun(_) => None,
            },
            PlaceKind::Field(base, field) => {
                let base = self.expr(base, scope)?;
                self.selected(base, *field);
                program.fields.get(*field).map(|field| field.ty)
            }
            PlaceKind::Index(array, index) => {
                let (array, index) = (self.expr(array, scope), self.expr(index, scope));
                self.demand(matches!(index?, Type::Int(_)), "the index is no integer");
                match array? {
                    Type::Array(element) => Some(element),
                    _ => None,
                }
            }
            PlaceKind::Through(pointer) => {
                let pointer = self.expr(pointer, scope)?;
                self.demand(pointer == Type::Pointer, "what is followed is no pointer");
                self.demand(is_leaf(ty), "a pointer leads to no value of this type");
                Some(place.ty)
            }
            PlaceKind::Element(array, indices) => {
                let operands: Option<Vec<Type>> =
                    indices.iter().map(|index| self.expr(index, scope)).collect();
                self.element(*array, indices.len(), &operands?, scope);
                program.natural_type(&ExprKind::Element(*array, Vec::new()), scope).and(Some(place.ty))
            }
        };
        let fits = declared == Some(place.ty);
        self.demand(fits, "a place is out of range, out of scope or not of its declared type");
        fits.then_some(ty)
    }

    pub(super) fn locations(&mut self) {
        let program = self.program;
        for (id, location) in program.locations.iter() {
            let Some(procedure) = program.procedures.get(location.procedure) else {
                self.context = format!("{id}");
                self.error(format_args!("{} does not exist", location.procedure));
                continue;
            };
            self.context = format!("{}, location {} ({id})", procedure.name, location.name);
            for &transition in &location.transitions {
                let leaves = program.transitions.get(transition).is_some_and(|t| t.source == id);
                self.demand(leaves, format_args!("{transition} does not leave from here"));
            }
            let own =
                location.transitions.iter().filter_map(|&transition| program.transitions.get(transition));
            let elses = own.filter(|transition| transition.guard == Guard::Else);
            let mut ranks: Vec<u32> = elses.map(|transition| transition.rank).collect();
            ranks.sort_unstable();
            let ranked = !location.fused && ranks.is_sorted_by(|a, b| a < b);
            self.demand(ranks.len() <= 1 || ranked, "has more than one else");
            if let Some(live) = &location.live {
                for (at, local) in live.iter().enumerate() {
                    let exists = procedure.locals.get(*local).is_some();
                    self.demand(exists, format_args!("{local} does not exist"));
                    self.demand(!live[..at].contains(local), format_args!("{local} is live twice"));
                }
            }
            if let LocationKind::Resume { origin, result, then } = &location.kind {
                self.demand(location.transitions.is_empty(), "a resume location has transitions");
                self.demand(location.live.is_none(), "a resume location has a live set");
                self.plain(*origin, location.procedure, "origin");
                if let Some(place) = result {
                    self.place(place, Scope::Procedure(location.procedure));
                }
                self.jump(then, location.procedure);
            }
        }
    }

    pub(super) fn transitions(&mut self) {
        let program = self.program;
        for (id, transition) in program.transitions.iter() {
            self.context = format!("{id}");
            let Some(source) = program.locations.get(transition.source) else {
                self.error(format_args!("its source {} does not exist", transition.source));
                continue;
            };
            let Some(procedure) = program.procedures.get(source.procedure) else { continue };
            self.context = format!("{}, location {}, {id}", procedure.name, source.name);
            let listed = source.transitions.iter().filter(|&&listed| listed == id).count();
            self.demand(listed == 1, format_args!("its source lists it {listed} times"));
            let scope = Scope::Procedure(source.procedure);
            match &transition.guard {
                Guard::When(guard) => self.boolean(guard, scope, "the guard"),
                Guard::Ready(location) => self.ready(*location, source),
                Guard::Always | Guard::Else => {}
            }
            for action in &transition.body {
                self.action(action, scope);
            }
            match &transition.exit {
                Exit::Jump(jump) => self.jump(jump, source.procedure),
                Exit::Call { callee, args, resume } => self.call(*callee, args, *resume, source.procedure),
            }
        }
    }

    fn jump(&mut self, jump: &Jump, procedure: ProcedureId) {
        match jump {
            Jump::Goto(target) => self.plain(*target, procedure, "target"),
            Jump::Return(value) => {
                let value = value.as_ref().map(|value| self.expr(value, Scope::Procedure(procedure)));
                let result = self.program.procedures.get(procedure).and_then(|p| p.result);
                match (value, result.and_then(|result| self.program.types.get(result))) {
                    (None, None) | (Some(None), Some(_)) => {}
                    (Some(Some(value)), Some(result)) => {
                        let fits = self.program.admits(result, value);
                        self.demand(fits, "what is returned is not of the type of the result");
                    }
                    (Some(_), None) => self.error("returns a value without having a result"),
                    (None, Some(_)) => self.error("returns without a value"),
                }
            }
        }
    }

    fn call(&mut self, callee: Callee, args: &[Expr], resume: LocationId, procedure: ProcedureId) {
        let program = self.program;
        let scope = Scope::Procedure(procedure);
        let sound = args.iter().filter(|arg| self.expr(arg, scope).is_some()).count() == args.len();
        let targets = match callee {
            Callee::Static(target) => vec![target],
            Callee::Virtual(table) => {
                let Some(table) = program.virtuals.get(table) else {
                    self.error(format_args!("{table} does not exist"));
                    return;
                };
                let receiver = args.first().and_then(|receiver| program.types.get(receiver.ty));
                let fits = receiver.is_none_or(|ty| matches!(ty, Type::Record(_)));
                self.demand(fits && !args.is_empty(), "a virtual call needs a record first");
                table.targets.iter().map(|&(_, target)| target).collect()
            }
        };
        let place = match program.locations.get(resume) {
            Some(Location { kind: LocationKind::Resume { result, .. }, procedure: owner, .. })
                if *owner == procedure =>
            {
                result.as_ref()
            }
            _ => {
                self.error(format_args!("{resume} is no resume location of the procedure"));
                None
            }
        };
        for target in targets {
            let Some(target) = program.procedures.get(target) else {
                self.error(format_args!("{target} does not exist"));
                continue;
            };
            let fits = target.kind == ProcedureKind::Function;
            self.demand(fits, format_args!("{} is a thread and cannot be called", target.name));
            if sound {
                let params: Vec<_> = target.locals.values().take(target.params).map(|p| p.ty).collect();
                // The receiver was selected by its record, which is more precise than its static type.
                let known = usize::from(matches!(callee, Callee::Virtual(_)));
                self.demand(
                    params.len() == args.len(),
                    format_args!("{} takes {} arguments, not {}", target.name, params.len(), args.len()),
                );
                if params.len() == args.len() {
                    self.arguments(&target.name, &params[known..], &args[known..]);
                }
            }
            if let Some(place) = place {
                let fits = match (program.types.get(place.ty), target.result) {
                    (Some(place), Some(result)) => {
                        program.types.get(result).is_some_and(|result| program.admits(place, result))
                    }
                    _ => false,
                };
                self.demand(fits, format_args!("{} has no result that fits where it goes", target.name));
            }
        }
    }

    pub(super) fn action(&mut self, action: &Action, scope: Scope) {
        let program = self.program;
        self.needs_of_action(&action.kind);
        match &action.kind {
            ActionKind::Assign(place, value) => {
                let (place, value) = (self.place(place, scope), self.expr(value, scope));
                if let (Some(place), Some(value)) = (place, value) {
                    self.demand(program.admits(place, value), "what is assigned does not fit its place");
                }
            }
            ActionKind::New(place, new) => {
                let place = self.place(place, scope);
                let made = match new {
                    New::Record(record) => {
                        let exists = program.records.get(*record).is_some();
                        self.demand(exists, format_args!("{record} does not exist"));
                        Type::Record(*record)
                    }
                    New::Lock => Type::Lock,
                    New::Block { record, length } => {
                        let item = program.records.get(*record);
                        let field = |id: &FieldId| program.types.get(program.fields.get(*id)?.ty);
                        let fits = item.is_some_and(|item| {
                            !item.fields.is_empty()
                                && item.fields.iter().all(|id| field(id).is_some_and(is_leaf))
                        });
                        self.demand(fits, "a block is not made of a record of plain values");
                        if let Some(length) = self.expr(length, scope) {
                            self.demand(matches!(length, Type::Int(_)), "a length is no integer");
                        }
                        Type::Pointer
                    }
                    New::Channel(channel) => {
                        let exists = program.channels.get(*channel).is_some();
                        self.demand(exists, format_args!("{channel} does not exist"));
                        Type::Channel
                    }
                    New::Array { element, length } => {
                        self.place_type(*element);
                        if let Some(length) = self.expr(length, scope) {
                            self.demand(matches!(length, Type::Int(_)), "a length is no integer");
                        }
                        Type::Array(*element)
                    }
                };
                let is_record = matches!(made, Type::Record(_));
                let fits = place
                    .is_none_or(|place| program.admits(place, made) || is_record && place == Type::Pointer);
                self.demand(fits, "what is made does not fit its place");
            }
            ActionKind::Choose(place, collection) => {
                let (place, collection) = (self.place(place, scope), self.expr(collection, scope));
                if let (Some(place), Some(collection)) = (place, collection) {
                    match collection.element().and_then(|element| program.types.get(element)) {
                        Some(element) => {
                            let fits = program.admits(place, element);
                            self.demand(fits, "what is chosen does not fit its place");
                        }
                        None => self.error("what is chosen from is no collection"),
                    }
                }
            }
            ActionKind::Assert(condition, _) => {
                self.may_name_elements = true;
                self.boolean(condition, scope, "what is asserted");
                self.may_name_elements = false;
            }
            ActionKind::Assume(condition) => self.boolean(condition, scope, "what is assumed"),
            ActionKind::Lock(lock)
            | ActionKind::Unlock(lock)
            | ActionKind::Wait(lock)
            | ActionKind::Unwait(lock)
            | ActionKind::Notify(lock)
            | ActionKind::NotifyAll(lock) => {
                if let Some(ty) = self.expr(lock, scope) {
                    self.demand(program.admits(Type::Lock, ty), "the operand is no lock");
                }
            }
            ActionKind::Delete(object) => {
                let ty = self.expr(object, scope);
                let fits = ty.is_none_or(|ty| ty.is_reference() || ty == Type::Null);
                self.demand(fits, "what is deleted is no object");
            }
            ActionKind::Kill(object) => {
                let fits = match self.expr(object, scope) {
                    Some(Type::Record(record)) => program.records.get(record).is_some_and(|it| it.scoped),
                    Some(Type::Pointer | Type::Channel) | None => true,
                    Some(_) => false,
                };
                self.demand(fits, "what is killed has no scope");
            }
            ActionKind::Throw(exception) => {
                let fits = match self.expr(exception, scope) {
                    Some(Type::Record(record)) => program.records.get(record).is_some_and(|record| {
                        let mut ancestors = record.ancestors.iter();
                        ancestors.any(|&a| program.records.get(a).is_some_and(|a| a.throwable))
                    }),
                    Some(Type::Null) | None => true,
                    Some(_) => false,
                };
                self.demand(fits, "what is thrown is not throwable");
            }
            ActionKind::Start { result, procedure, args, priority: _ } => {
                let place = result.as_ref().and_then(|place| self.place(place, scope));
                let observable = program.features.thread_ids_observable;
                let fits = |ty: Type| if observable { matches!(ty, Type::Int(_)) } else { ty == Type::Tid };
                self.demand(place.is_none_or(fits), "the result of a start does not fit its place");
                let sound = args.iter().filter(|arg| self.expr(arg, scope).is_some()).count() == args.len();
                let Some(started) = program.procedures.get(*procedure) else {
                    self.error(format_args!("{procedure} does not exist"));
                    return;
                };
                let fits = started.kind == ProcedureKind::Thread;
                self.demand(fits, format_args!("{} is a function and cannot be started", started.name));
                if sound {
                    let params: Vec<_> = started.locals.values().take(started.params).map(|p| p.ty).collect();
                    self.arguments(&started.name, &params, args);
                }
            }
            ActionKind::Exit | ActionKind::BadCall(_) => {}
            ActionKind::Check(condition) => self.boolean(condition, scope, "what is checked"),
            ActionKind::Send { channel, message, .. } => {
                let channel = self.expr(channel, scope);
                self.channel_operand(channel);
                for field in message {
                    let ty = self.expr(field, scope);
                    self.message_field(ty);
                }
            }
            ActionKind::Receive { channel, pattern, .. } => {
                let channel = self.expr(channel, scope);
                self.channel_operand(channel);
                for field in pattern {
                    let ty = match field {
                        Pattern::Store(place) => self.place(place, scope),
                        Pattern::Match(value) => self.expr(value, scope),
                        Pattern::Any => continue,
                    };
                    self.message_field(ty);
                }
            }
            ActionKind::SetPriority(thread, priority) => {
                self.integer(thread, scope);
                self.integer(priority, scope);
            }
            ActionKind::Print { format, args } => {
                self.demand(program.strings.get(*format).is_some(), format_args!("{format} does not exist"));
                for arg in args {
                    self.expr(arg, scope);
                }
            }
        }
    }

    pub(super) fn integer(&mut self, expr: &Expr, scope: Scope) {
        if let Some(ty) = self.expr(expr, scope) {
            self.demand(matches!(ty, Type::Int(_)), "an operand is no integer");
        }
    }
}

/// Whether a pointer can lead to a value of this type.
fn is_leaf(ty: Type) -> bool {
    !ty.is_collection() && ty != Type::Null
}

/// An expression for messages, without its operands.
fn shallow(kind: &ExprKind) -> String {
    match kind {
        ExprKind::Const(value) => format!("{value:?}"),
        ExprKind::Global(id) => format!("{id}"),
        ExprKind::Local(id) => format!("{id}"),
        ExprKind::Param(index) => format!("parameter {index}"),
        ExprKind::Field(_, id) => format!("{id}"),
        ExprKind::Index(..) | ExprKind::Element(..) => "an element".to_owned(),
        ExprKind::Length(_) => "a length".to_owned(),
        ExprKind::Address(..) | ExprKind::Offset(..) => "a pointer".to_owned(),
        ExprKind::Load(_) => "what a pointer leads to".to_owned(),
        ExprKind::Within(..) => "a bounded index".to_owned(),
        ExprKind::Unary(op, _) => format!("{op:?}"),
        ExprKind::Binary(op, ..) => format!("{op:?}"),
        ExprKind::Cond(..) => "a conditional".to_owned(),
        ExprKind::Cast(id, _) => format!("a cast to {id}"),
        ExprKind::InstanceOf(..) => "instanceof".to_owned(),
        ExprKind::LockAvailable(_) => "lockAvailable".to_owned(),
        ExprKind::HasLock(_) => "hasLock".to_owned(),
        ExprKind::WasNotified(_) => "wasNotified".to_owned(),
        ExprKind::ThreadTerminated(_) => "threadTerminated".to_owned(),
        ExprKind::Call(id, _) => format!("a call of {id}"),
        ExprKind::All(id) => format!("the set of {id}"),
        ExprKind::Collection(op, _) => format!("{op:?}"),
        ExprKind::Quantified { fun, .. } => format!("a quantifier over {fun}"),
        ExprKind::Wrap(_) => "a wrapped value".to_owned(),
        ExprKind::Number(_) => "a number".to_owned(),
        ExprKind::ThreadNumber
        | ExprKind::ThreadCount
        | ExprKind::LastThread
        | ExprKind::IsYoungest
        | ExprKind::FirstThread(_)
        | ExprKind::ThreadsAt { .. }
        | ExprKind::IndividualAt { .. }
        | ExprKind::ThreadAt { .. }
        | ExprKind::ThreadLocal { .. }
        | ExprKind::ThreadEnabled(_)
        | ExprKind::ThreadLocation(_)
        | ExprKind::ThreadPriority(_) => "a question about threads".to_owned(),
        ExprKind::Timeout => "timeout".to_owned(),
        ExprKind::Channel(_)
        | ExprKind::ChannelLength(_)
        | ExprKind::ChannelFull(_)
        | ExprKind::ChannelHas { .. } => "a question about a channel".to_owned(),
    }
}

/// For each pure function, whether it, or one it calls, depends on the thread that evaluates it.
pub(super) fn asking_funs(program: &Program) -> Vec<bool> {
    let mut asking = vec![false; program.funs.len()];
    loop {
        let before = asking.clone();
        for (id, fun) in program.funs.iter() {
            asking[id.index()] |= asks_thread(&fun.body, &before);
        }
        if asking == before {
            return asking;
        }
    }
}

pub(super) fn asks_thread(expr: &Expr, asking: &[bool]) -> bool {
    let mut asks = false;
    expr.each(&mut |expr| {
        asks |= match &expr.kind {
            ExprKind::LockAvailable(_)
            | ExprKind::HasLock(_)
            | ExprKind::WasNotified(_)
            | ExprKind::ThreadNumber
            | ExprKind::IsYoungest => true,
            ExprKind::Call(fun, _) | ExprKind::Quantified { fun, .. } => {
                asking.get(fun.index()).copied().unwrap_or(false)
            }
            _ => false,
        };
    });
    asks
}
