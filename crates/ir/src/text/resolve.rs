//! From a tree to a program: ids are assigned and names looked up.

mod processes;

use std::collections::{BTreeMap, BTreeSet};

use super::Error;
use super::syntax::*;
use crate::ids::small;
use crate::*;

type Resolved<T> = Result<T, Error>;

pub(super) fn resolve(tree: &ProgramTree) -> Resolved<Program> {
    let names = Names::new(tree)?;
    let program = Program {
        name: tree.name.clone(),
        features: tree.features,
        memory: tree.memory,
        ..Program::default()
    };
    let mut resolver = Resolver { program, names };
    resolver.declarations(tree)?;
    resolver.code(tree)?;
    Ok(resolver.program)
}

/// The names of one scope and the indices behind them.
#[derive(Default)]
struct Index {
    by_name: BTreeMap<String, Vec<u32>>,
}

impl Index {
    fn new<'a>(names: impl Iterator<Item = (u32, &'a str)>) -> Self {
        let mut index = Self::default();
        for (number, name) in names {
            index.by_name.entry(name.to_owned()).or_default().push(number);
        }
        index
    }

    fn of<'a>(names: impl Iterator<Item = &'a Name>) -> Self {
        Self::new(names.enumerate().map(|(at, name)| (small(at), name.text.as_str())))
    }

    fn get(&self, name: &Name) -> Option<&[u32]> {
        let found = self.by_name.get(&name.text)?;
        match name.number {
            None => Some(found),
            Some(number) => {
                let at = found.iter().position(|&other| other == number)?;
                Some(&found[at..=at])
            }
        }
    }

    fn find<I: Id>(&self, name: &Name, what: &str) -> Resolved<I> {
        match self.get(name) {
            Some(&[number]) => Ok(I::from_index(number as usize)),
            Some(_) => Err(Error::new(name.at, format!("`{}` can mean more than one {what}", name.text))),
            None => Err(Error::new(name.at, format!("there is no {what} `{}`", name.text))),
        }
    }
}

struct Names {
    enums: Index,
    records: Index,
    globals: Index,
    funs: Index,
    procedures: Index,
    virtuals: Index,
    channels: Index,
    /// By procedure.
    locals: Vec<Index>,
    locations: Vec<Index>,
    /// By fun.
    params: Vec<Index>,
    /// In the order of the text.
    location_ids: Vec<u32>,
    transition_ids: Vec<u32>,
    field_ids: Vec<u32>,
}

impl Names {
    fn new(tree: &ProgramTree) -> Resolved<Self> {
        let all_locations = || tree.procedures.iter().flat_map(|procedure| &procedure.locations);
        let fields = || tree.records.iter().flat_map(|record| &record.declared);
        let transitions = || all_locations().flat_map(|location| &location.transitions);
        let location_ids = numbers(all_locations().map(|location| (location.number, location.name.at)))?;
        let mut ids = location_ids.iter().copied();
        let mut locations = Vec::new();
        for procedure in &tree.procedures {
            let names = procedure.locations.iter().map(|location| location.name.text.as_str());
            // The names come first in the `zip`, so that no id is consumed beyond them.
            locations.push(Index::new(names.zip(ids.by_ref()).map(|(name, id)| (id, name))));
        }
        Ok(Self {
            enums: Index::of(tree.enums.iter().map(|item| &item.name)),
            records: Index::of(tree.records.iter().map(|record| &record.name)),
            globals: Index::of(tree.globals.iter().map(|global| &global.name)),
            funs: Index::of(tree.funs.iter().map(|fun| &fun.name)),
            procedures: Index::of(tree.procedures.iter().map(|procedure| &procedure.name)),
            virtuals: Index::of(tree.virtuals.iter().map(|table| &table.name)),
            channels: Index::of(tree.channels.iter().map(|channel| &channel.name)),
            locals: tree
                .procedures
                .iter()
                .map(|p| Index::of(p.params.iter().chain(&p.locals).map(|local| &local.name)))
                .collect(),
            locations,
            params: tree.funs.iter().map(|f| Index::of(f.params.iter().map(|(name, _)| name))).collect(),
            location_ids,
            transition_ids: numbers(transitions().map(|t| (t.number, t.span.start)))?,
            field_ids: numbers(fields().map(|field| (field.number, field.name.at)))?,
        })
    }
}

/// The ids of items in the order of the text: each has its own or the one after its predecessor's. Together
/// they must be all ids of a table.
fn numbers(items: impl Iterator<Item = (Option<u32>, u32)>) -> Resolved<Vec<u32>> {
    let mut numbers = Vec::new();
    let mut places = Vec::new();
    for (number, at) in items {
        let following = numbers.last().map_or(Some(0), |&last: &u32| last.checked_add(1));
        let Some(number) = number.or(following) else {
            return Err(Error::new(at, "the index is too large"));
        };
        numbers.push(number);
        places.push(at);
    }
    let mut seen = BTreeSet::new();
    for (&number, at) in numbers.iter().zip(places) {
        if number as usize >= numbers.len() {
            return Err(Error::new(at, format!("index {number} leaves a gap")));
        }
        if !seen.insert(number) {
            return Err(Error::new(at, format!("index {number} is given twice")));
        }
    }
    Ok(numbers)
}

/// Puts items into a table in the order of their ids.
fn place_by_id<I: Id, T>(ids: &[u32], items: Vec<T>) -> Table<I, T> {
    let mut items: Vec<_> = ids.iter().zip(items).collect();
    items.sort_by_key(|&(&id, _)| id);
    items.into_iter().map(|(_, item)| item).collect()
}

struct Resolver {
    program: Program,
    names: Names,
}

impl Resolver {
    fn declarations(&mut self, tree: &ProgramTree) -> Resolved<()> {
        for item in &tree.enums {
            self.program.enums.push(Enum {
                name: item.name.text.clone(),
                elements: item.elements.iter().map(|element| element.text.clone()).collect(),
                is_abstract: item.is_abstract,
                span: item.span,
            });
        }
        for text in &tree.strings {
            self.program.strings.push(text.clone());
        }
        for ty in &tree.types {
            self.ty(ty)?;
        }
        self.records(tree)?;
        self.channels(tree)?;
        for global in &tree.globals {
            let global = self.variable(global)?;
            self.program.globals.push(global);
        }
        for fun in &tree.funs {
            let mut params = Vec::new();
            for (name, ty) in &fun.params {
                params.push((name.text.clone(), self.ty(ty)?));
            }
            let result = self.ty(&fun.result)?;
            // The body is resolved when all names it can use are known.
            let body = Expr { kind: ExprKind::Const(Const::Null), ty: result, span: fun.span };
            let name = fun.name.text.clone();
            self.program.funs.push(Fun { name, params, result, body, span: fun.span });
        }
        for procedure in &tree.procedures {
            let mut locals = Table::new();
            for local in procedure.params.iter().chain(&procedure.locals) {
                locals.push(self.variable(local)?);
            }
            let result = procedure.result.as_ref().map(|ty| self.ty(ty)).transpose()?;
            let channels = self.channel_ids(&procedure.channels)?;
            self.program.procedures.push(Procedure {
                name: procedure.name.text.clone(),
                kind: procedure.kind,
                locals,
                params: procedure.params.len(),
                result,
                channels,
                prologue: Vec::new(),
                provided: None,
                claims: Vec::new(),
                priority: procedure.priority,
                entry: LocationId(0),
                catches: Vec::new(),
                span: procedure.span,
            });
        }
        for table in &tree.virtuals {
            let mut targets = Vec::new();
            for (record, procedure) in &table.targets {
                let record = self.names.records.find(record, "record")?;
                targets.push((record, self.names.procedures.find(procedure, "procedure")?));
            }
            let name = table.name.text.clone();
            self.program.virtuals.push(Virtual { name, targets, span: table.span });
        }
        for name in &tree.active {
            self.program.active.push(self.names.procedures.find(name, "procedure")?);
        }
        Ok(())
    }

    fn records(&mut self, tree: &ProgramTree) -> Resolved<()> {
        let mut fields = Vec::new();
        let mut own: Vec<Vec<FieldId>> = Vec::new();
        for (record, tree) in tree.records.iter().enumerate() {
            let mut ids = Vec::new();
            for field in &tree.declared {
                ids.push(FieldId(self.names.field_ids[fields.len()]));
                let ty = self.ty(&field.ty)?;
                let owner = RecordId::from_index(record);
                fields.push(Field { name: field.name.text.clone(), ty, owner, span: field.span });
            }
            own.push(ids);
        }
        self.program.fields = place_by_id(&self.names.field_ids, fields);
        for tree in &tree.records {
            let mut parents = Vec::new();
            for parent in &tree.parents {
                parents.push(self.names.records.find(parent, "record")?);
            }
            let (ancestors, fields) = (Vec::new(), Vec::new());
            let (name, throwable, scoped) = (tree.name.text.clone(), tree.throwable, tree.scoped);
            let span = tree.span;
            self.program.records.push(Record { name, parents, ancestors, fields, throwable, scoped, span });
        }
        // Parents first, whatever the order of the text.
        let mut done = BTreeSet::new();
        while done.len() < tree.records.len() {
            let ready = |id: &RecordId| {
                !done.contains(id) && self.program.records[*id].parents.iter().all(|p| done.contains(p))
            };
            let Some(id) = self.program.records.ids().find(ready) else {
                return Err(Error::new(0, "a record extends itself"));
            };
            let tree = &tree.records[id.index()];
            let mut ancestors = BTreeSet::from([id]);
            for &parent in &self.program.records[id].parents {
                ancestors.extend(&self.program.records[parent].ancestors);
            }
            let mut fields = inherited_fields(&self.program, id);
            fields.extend(&own[id.index()]);
            if let Some(listed) = &tree.fields {
                let names = fields.iter().map(|&field| (field.0, self.program.fields[field].name.as_str()));
                let names = Index::new(names);
                fields = listed.iter().map(|name| names.find(name, "field")).collect::<Resolved<_>>()?;
            }
            let record = &mut self.program.records[id];
            record.ancestors = ancestors.into_iter().collect();
            record.fields = fields;
            done.insert(id);
        }
        Ok(())
    }

    fn variable(&mut self, tree: &VariableTree) -> Resolved<Variable> {
        let ty = self.ty(&tree.ty)?;
        let init = tree.init.as_ref().map(|init| self.constant(init)).transpose()?;
        Ok(Variable {
            dims: tree.dims.clone(),
            untracked: tree.flags.untracked,
            meaning: self.meaning(&tree.meaning)?,
            synthetic: tree.flags.synthetic,
            ..Variable::new(&tree.name.text, ty, init, tree.span)
        })
    }

    fn constant(&mut self, tree: &Tree) -> Resolved<Const> {
        let kind = match tree.kind {
            TreeKind::Bool(_)
            | TreeKind::Int(_)
            | TreeKind::Null
            | TreeKind::String(_)
            | TreeKind::Element(..) => self.kind(tree, Scope::Program)?,
            _ => return Err(Error::new(tree.span.start, "an initial value must be a constant")),
        };
        match kind {
            ExprKind::Const(value) => Ok(value),
            _ => Err(Error::new(tree.span.start, "an initial value must be a constant")),
        }
    }

    fn ty(&mut self, tree: &TypeTree) -> Resolved<TypeId> {
        let ty = match &tree.kind {
            TypeKind::Boolean => Type::Bool,
            TypeKind::Int { long, range } => {
                let width = if *long { Width::Long } else { Width::Int };
                let whole = width.whole();
                let (lo, hi, wrap) = range.unwrap_or((whole.lo, whole.hi, false));
                Type::Int(IntType { width, lo, hi, wrap })
            }
            TypeKind::Tid => Type::Tid,
            TypeKind::String => Type::String,
            TypeKind::Lock => Type::Lock,
            TypeKind::Pointer => Type::Pointer,
            TypeKind::Channel => Type::Channel,
            TypeKind::Null => Type::Null,
            TypeKind::Enum(name) => self.enum_type(name)?,
            TypeKind::Record(name) => Type::Record(self.names.records.find(name, "record")?),
            TypeKind::Named(name) => {
                match (self.names.enums.get(name).is_some(), self.names.records.get(name).is_some()) {
                    (true, true) => {
                        return Err(Error::new(name.at, "this can be an enum and a record: say which"));
                    }
                    (true, false) => self.enum_type(name)?,
                    (false, _) => Type::Record(self.names.records.find(name, "type")?),
                }
            }
            TypeKind::Array(element) => Type::Array(self.ty(element)?),
            TypeKind::Set(element) => Type::Set(self.ty(element)?),
            TypeKind::Bag(element) => Type::Bag(self.ty(element)?),
            TypeKind::Map(key, value) => Type::Map(self.ty(key)?, self.ty(value)?),
            TypeKind::Seq(element) => Type::Seq(self.ty(element)?),
            TypeKind::Queue(element) => Type::Queue(self.ty(element)?),
        };
        Ok(self.program.types.intern(ty))
    }

    fn enum_type(&self, name: &Name) -> Resolved<Type> {
        let id: EnumId = self.names.enums.find(name, "enum")?;
        let item = &self.program.enums[id];
        Ok(if item.is_abstract { Type::Abstract(id) } else { Type::Enum(id) })
    }

    fn code(&mut self, tree: &ProgramTree) -> Resolved<()> {
        for (index, fun) in tree.funs.iter().enumerate() {
            let id = FunId::from_index(index);
            self.program.funs[id].body = self.expr(&fun.body, Scope::Fun(id))?;
        }
        let (mut locations, mut transitions) = (Vec::new(), Vec::new());
        for (index, tree) in tree.procedures.iter().enumerate() {
            let id = ProcedureId::from_index(index);
            let first = self.names.location_ids.get(locations.len()).copied();
            for location in &tree.locations {
                let source = LocationId(self.names.location_ids[locations.len()]);
                let mut own = Vec::new();
                for transition in &location.transitions {
                    own.push(TransitionId(self.names.transition_ids[transitions.len()]));
                    transitions.push(self.transition(transition, source, id)?);
                }
                locations.push(self.location(location, own, id)?);
            }
            let entry = match &tree.entry {
                Some(name) => self.location_id(name, id)?,
                None if tree.locations.is_empty() => {
                    return Err(Error::new(tree.name.at, "a procedure needs a location"));
                }
                None => LocationId(first.unwrap_or_default()),
            };
            self.program.procedures[id].entry = entry;
            let scope = Scope::Procedure(id);
            let provided = tree.provided.as_ref().map(|provided| self.expr(provided, scope)).transpose()?;
            self.program.procedures[id].provided = provided;
            for claim in &tree.claims {
                let channel = self.expr(&claim.channel, scope)?;
                let claim = Claim { receive: claim.receive, channel, span: claim.span };
                self.program.procedures[id].claims.push(claim);
            }
            self.program.procedures[id].prologue = self.actions(&tree.prologue, scope)?;
            for catch in &tree.catches {
                let mut covers = Vec::new();
                for name in &catch.covers {
                    covers.push(self.location_id(name, id)?);
                }
                let catch = Catch {
                    record: self.names.records.find(&catch.record, "record")?,
                    variable: self.names.locals[index].find(&catch.variable, "local")?,
                    covers,
                    handler: self.location_id(&catch.handler, id)?,
                    span: catch.span,
                };
                self.program.procedures[id].catches.push(catch);
            }
        }
        self.program.locations = place_by_id(&self.names.location_ids, locations);
        self.program.transitions = place_by_id(&self.names.transition_ids, transitions);
        for (name, expr, span) in &tree.invariants {
            let expr = self.expr(expr, Scope::Program)?;
            self.program.invariants.push(Invariant { name: name.text.clone(), expr, span: *span });
        }
        for tree in &tree.properties {
            let mut props = Vec::new();
            for (text, expr, span) in &tree.props {
                let expr = self.expr(expr, Scope::Program)?;
                props.push(Proposition { text: text.clone(), expr, span: *span });
            }
            let each = match &tree.each {
                None => None,
                Some((procedure, variable, span)) => Some(Each {
                    procedure: self.names.procedures.find(procedure, "procedure")?,
                    variable: variable.text.clone(),
                    span: *span,
                }),
            };
            let (name, kind, span) = (tree.name.text.clone(), tree.kind.clone(), tree.span);
            self.program.properties.push(Property { name, each, props, kind, span });
        }
        self.program.prologue = self.actions(&tree.prologue, Scope::Program)?;
        self.program.monitor = tree.monitor.as_ref().map(|monitor| self.monitor(monitor)).transpose()?;
        Ok(())
    }

    fn location_id(&self, name: &Name, procedure: ProcedureId) -> Resolved<LocationId> {
        self.names.locations[procedure.index()].find(name, "location")
    }

    fn location(
        &mut self,
        tree: &LocationTree,
        transitions: Vec<TransitionId>,
        procedure: ProcedureId,
    ) -> Resolved<Location> {
        let kind = match &tree.resume {
            None => LocationKind::Plain,
            Some(resume) => LocationKind::Resume {
                origin: self.location_id(&resume.origin, procedure)?,
                result: match &resume.result {
                    Some(place) => Some(self.place(place, Scope::Procedure(procedure))?),
                    None => None,
                },
                then: self.jump(&resume.then, procedure)?,
            },
        };
        let live = match &tree.live {
            None => None,
            Some(names) => {
                let scope = &self.names.locals[procedure.index()];
                Some(names.iter().map(|name| scope.find(name, "local")).collect::<Resolved<_>>()?)
            }
        };
        Ok(Location {
            name: tree.name.text.clone(),
            procedure,
            kind,
            transitions,
            atomic: tree.atomic,
            fused: tree.fused,
            end: tree.end,
            accept: tree.accept,
            progress: tree.progress,
            number: tree.value,
            live,
            synthetic: tree.synthetic,
            span: tree.span,
        })
    }

    fn transition(
        &mut self,
        tree: &TransitionTree,
        source: LocationId,
        procedure: ProcedureId,
    ) -> Resolved<Transition> {
        let scope = Scope::Procedure(procedure);
        let guard = match &tree.guard {
            GuardTree::Always => Guard::Always,
            GuardTree::When(guard) => Guard::When(self.expr(guard, scope)?),
            GuardTree::Else => Guard::Else,
            GuardTree::Ready(name) => Guard::Ready(self.location_id(name, procedure)?),
        };
        let body = self.actions(&tree.body, scope)?;
        let exit = match &tree.exit {
            ExitTree::Jump(jump) => Exit::Jump(self.jump(jump, procedure)?),
            ExitTree::Call { dispatched, callee, args, resume } => Exit::Call {
                callee: if *dispatched {
                    Callee::Virtual(self.names.virtuals.find(callee, "virtual table")?)
                } else {
                    Callee::Static(self.names.procedures.find(callee, "procedure")?)
                },
                args: self.exprs(args, scope)?,
                resume: self.location_id(resume, procedure)?,
            },
        };
        Ok(Transition {
            source,
            guard,
            body,
            exit,
            rank: tree.rank,
            exclusive: tree.exclusive,
            number: tree.trail_number,
            invisible: tree.invisible,
            fair: tree.fair,
            span: tree.span,
        })
    }

    fn jump(&mut self, tree: &JumpTree, procedure: ProcedureId) -> Resolved<Jump> {
        Ok(match tree {
            JumpTree::Goto(name) => Jump::Goto(self.location_id(name, procedure)?),
            JumpTree::Return(None) => Jump::Return(None),
            JumpTree::Return(Some(value)) => {
                Jump::Return(Some(self.expr(value, Scope::Procedure(procedure))?))
            }
        })
    }

    fn actions(&mut self, trees: &[ActionTree], scope: Scope) -> Resolved<Vec<Action>> {
        trees.iter().map(|action| self.action(action, scope)).collect()
    }

    fn action(&mut self, tree: &ActionTree, scope: Scope) -> Resolved<Action> {
        let kind = match &tree.kind {
            ActionTreeKind::Assign(place, value) => {
                ActionKind::Assign(self.place(place, scope)?, self.expr(value, scope)?)
            }
            ActionTreeKind::New(place, new) => {
                let place = self.place(place, scope)?;
                let new = match new {
                    NewTree::Record(name) => New::Record(self.names.records.find(name, "record")?),
                    NewTree::Lock => New::Lock,
                    NewTree::Block(name, length) => New::Block {
                        record: self.names.records.find(name, "record")?,
                        length: self.expr(length, scope)?,
                    },
                    NewTree::Channel(name) => New::Channel(self.names.channels.find(name, "channel")?),
                    NewTree::Array(element, length) => {
                        New::Array { element: self.ty(element)?, length: self.expr(length, scope)? }
                    }
                };
                ActionKind::New(place, new)
            }
            ActionTreeKind::Choose(place, from) => {
                ActionKind::Choose(self.place(place, scope)?, self.expr(from, scope)?)
            }
            ActionTreeKind::Assert(condition, message) => {
                ActionKind::Assert(self.expr(condition, scope)?, message.clone())
            }
            ActionTreeKind::Do(verb, operand) => verb(self.expr(operand, scope)?),
            ActionTreeKind::Start { result, procedure, args, priority } => ActionKind::Start {
                priority: *priority,
                result: match result {
                    Some(place) => Some(self.place(place, scope)?),
                    None => None,
                },
                procedure: self.names.procedures.find(procedure, "procedure")?,
                args: self.exprs(args, scope)?,
            },
            ActionTreeKind::Exit => ActionKind::Exit,
            ActionTreeKind::BadCall(message) => ActionKind::BadCall(message.clone()),
            ActionTreeKind::Send { .. }
            | ActionTreeKind::Receive { .. }
            | ActionTreeKind::SetPriority(..)
            | ActionTreeKind::Print(..) => self.process_action(&tree.kind, scope)?,
        };
        Ok(Action { kind, span: tree.span })
    }

    fn place(&mut self, tree: &Tree, scope: Scope) -> Resolved<Place> {
        let expr = self.expr(tree, scope)?;
        let kind = match expr.kind {
            ExprKind::Global(id) => PlaceKind::Global(id),
            ExprKind::Local(id) => PlaceKind::Local(id),
            ExprKind::Field(base, field) => PlaceKind::Field(*base, field),
            ExprKind::Index(array, index) => PlaceKind::Index(*array, *index),
            ExprKind::Element(array, indices) => PlaceKind::Element(array, indices),
            ExprKind::Load(pointer) => PlaceKind::Through(*pointer),
            _ => return Err(Error::new(tree.span.start, "this cannot be assigned to")),
        };
        Ok(Place { kind, ty: expr.ty, span: expr.span })
    }

    fn exprs(&mut self, trees: &[Tree], scope: Scope) -> Resolved<Vec<Expr>> {
        self.exprs_of(trees, scope)
    }

    fn exprs_of<'t>(
        &mut self,
        trees: impl IntoIterator<Item = &'t Tree>,
        scope: Scope,
    ) -> Resolved<Vec<Expr>> {
        trees.into_iter().map(|tree| self.expr(tree, scope)).collect()
    }

    /// The id of the string constant with this text.
    fn string(&mut self, text: &str) -> StringId {
        let known = self.program.strings.iter().find(|(_, other)| *other == text).map(|(id, _)| id);
        known.unwrap_or_else(|| self.program.strings.push(text.to_owned()))
    }

    fn boxed(&mut self, tree: &Tree, scope: Scope) -> Resolved<Box<Expr>> {
        self.expr(tree, scope).map(Box::new)
    }

    fn expr(&mut self, tree: &Tree, scope: Scope) -> Resolved<Expr> {
        if let TreeKind::Typed(tree, ty) = &tree.kind {
            let kind = self.kind(tree, scope)?;
            return Ok(Expr { kind, ty: self.ty(ty)?, span: tree.span });
        }
        if let TreeKind::Create(ty, elements) = &tree.kind {
            let kind = ExprKind::Collection(CollectionOp::Create, self.exprs(elements, scope)?);
            return Ok(Expr { kind, ty: self.ty(ty)?, span: tree.span });
        }
        let kind = self.kind(tree, scope)?;
        let Some(ty) = self.program.natural_type(&kind, scope) else {
            return Err(Error::new(tree.span.start, "the operands do not fit"));
        };
        Ok(Expr { kind, ty: self.program.types.intern(ty), span: tree.span })
    }

    fn kind(&mut self, tree: &Tree, scope: Scope) -> Resolved<ExprKind> {
        Ok(match &tree.kind {
            TreeKind::Bool(value) => ExprKind::Const(Const::Bool(*value)),
            TreeKind::Int(value) => ExprKind::Const(Const::Int(*value)),
            TreeKind::Null => ExprKind::Const(Const::Null),
            TreeKind::String(text) => ExprKind::Const(Const::String(self.string(text))),
            TreeKind::Element(name, element) => {
                let id: EnumId = self.names.enums.find(name, "enum")?;
                let elements = &self.program.enums[id].elements;
                let Some(index) = elements.iter().position(|other| *other == element.text) else {
                    return Err(Error::new(element.at, format!("there is no element `{}`", element.text)));
                };
                ExprKind::Const(Const::Enum(id, small(index)))
            }
            TreeKind::Name(name) => match scope {
                Scope::Procedure(id) if self.names.locals[id.index()].get(name).is_some() => {
                    ExprKind::Local(self.names.locals[id.index()].find(name, "local")?)
                }
                Scope::Fun(id) if self.names.params[id.index()].get(name).is_some() => {
                    let param: LocalId = self.names.params[id.index()].find(name, "parameter")?;
                    ExprKind::Param(param.0)
                }
                _ => ExprKind::Global(self.names.globals.find(name, "variable")?),
            },
            TreeKind::Global(name) => ExprKind::Global(self.names.globals.find(name, "global")?),
            TreeKind::Field(base, name) => {
                let base = self.boxed(base, scope)?;
                let Type::Record(record) = self.program.types[base.ty] else {
                    return Err(Error::new(name.at, "only records have fields"));
                };
                let fields = self.program.records[record].fields.iter();
                let names = fields.map(|&field| (field.0, self.program.fields[field].name.as_str()));
                let field = Index::new(names).find(name, "field")?;
                ExprKind::Field(base, field)
            }
            TreeKind::Address(operand) => match self.kind(operand, scope)? {
                ExprKind::Field(base, field) => ExprKind::Address(base, field),
                _ => return Err(Error::new(operand.span.start, "this is no field")),
            },
            TreeKind::Offset(pointer, distance) => {
                ExprKind::Offset(self.boxed(pointer, scope)?, self.boxed(distance, scope)?)
            }
            TreeKind::Within(index, bound) => ExprKind::Within(self.boxed(index, scope)?, *bound),
            TreeKind::Length(array) => ExprKind::Length(self.boxed(array, scope)?),
            TreeKind::Index(array, index) => {
                if let Some((array, indices)) = self.element(tree, scope) {
                    return Ok(ExprKind::Element(array, self.exprs_of(indices, scope)?));
                }
                ExprKind::Index(self.boxed(array, scope)?, self.boxed(index, scope)?)
            }
            TreeKind::Unary(op, operand) => ExprKind::Unary(*op, self.boxed(operand, scope)?),
            TreeKind::Binary(op, left, right) => {
                ExprKind::Binary(*op, self.boxed(left, scope)?, self.boxed(right, scope)?)
            }
            TreeKind::Cond(condition, then, otherwise) => ExprKind::Cond(
                self.boxed(condition, scope)?,
                self.boxed(then, scope)?,
                self.boxed(otherwise, scope)?,
            ),
            TreeKind::As(operand, record) => {
                let operand = self.boxed(operand, scope)?;
                ExprKind::Cast(self.names.records.find(record, "record")?, operand)
            }
            TreeKind::InstanceOf(operand, record) => {
                let operand = self.boxed(operand, scope)?;
                ExprKind::InstanceOf(operand, self.names.records.find(record, "record")?)
            }
            TreeKind::Ask(question, operand) => question(self.boxed(operand, scope)?),
            TreeKind::Call(name, args) => {
                let fun = self.names.funs.find(name, "fun")?;
                ExprKind::Call(fun, self.exprs(args, scope)?)
            }
            TreeKind::All(name) => {
                // A set type needs the type of its elements.
                let element = self.enum_type(name)?;
                self.program.types.intern(element);
                ExprKind::All(self.names.enums.find(name, "enum")?)
            }
            TreeKind::Method(op, operands) => ExprKind::Collection(*op, self.exprs(operands, scope)?),
            TreeKind::Quantified { all, over, fun, captures } => ExprKind::Quantified {
                all: *all,
                over: self.boxed(over, scope)?,
                fun: self.names.funs.find(fun, "fun")?,
                captures: self.exprs(captures, scope)?,
            },
            TreeKind::Fact(_)
            | TreeKind::FirstThread(_)
            | TreeKind::ThreadsAt { .. }
            | TreeKind::Channel(_)
            | TreeKind::ThreadAt { .. }
            | TreeKind::ThreadLocal { .. }
            | TreeKind::ChannelHas { .. } => self.process_kind(&tree.kind, scope)?,
            TreeKind::Typed(..) | TreeKind::Create(..) => {
                return Err(Error::new(tree.span.start, "one type is enough"));
            }
        })
    }
}

/// The fields of a record's parents, each once.
pub(super) fn inherited_fields(program: &Program, record: RecordId) -> Vec<FieldId> {
    let mut fields = Vec::new();
    for &parent in &program.records[record].parents {
        for &field in program.records.get(parent).map_or(&[][..], |parent| &parent.fields) {
            if !fields.contains(&field) {
                fields.push(field);
            }
        }
    }
    fields
}
