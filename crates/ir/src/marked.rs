//! Properties about individuals, as properties of programs in which one thread is marked.
//!
//! Whether `forall P p: φ` holds of every thread of `P` is checked for one thread at a time, chosen when it
//! is started. The chosen thread runs a copy of `P`, so that its location distinguishes it. Nothing else
//! does: no state refers to it, so that nothing is kept alive or kept apart on its account, and when it has
//! ended it is gone; and no renaming of threads confuses it with another one, whatever names are made of.
//! `p@here` of the individual means that some thread is at the copy of `here`.
//!
//! A transition that starts threads of `P` gets a twin for each of them, which starts the copy in place of
//! `P` and can be taken once in a run. The threads of the initial state cannot be distinguished: either the
//! first one is chosen, or none of them. These are two programs, since a program has one initial state.
//!
//! If the copies are identified with their originals, the marked program has the runs of the original one.
//! Only atomic blocks are cut up: where a thread may be chosen, more than one step is possible. The states in
//! between are not observed; but garbage is collected there, which leads to other ids and may keep a step
//! within a bound.

use ltl::{Formula, Prop};
use source::Span;

use crate::ids::small;
use crate::*;

/// Where the marked individual comes from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Origin {
    /// It exists in the initial state.
    Initial,
    /// It is started by a step.
    Started,
}

/// A program with a marked individual.
#[derive(Clone, Debug)]
pub struct MarkedProgram {
    /// Has one property, about the marked individual.
    pub program: Program,
    /// The procedure that only the individual runs.
    pub procedure: ProcedureId,
    /// The number of globals of the original program; further ones are synthetic.
    pub globals: usize,
    /// For each location, the location of the original program.
    pub locations: Vec<LocationId>,
    /// For each transition, the transition of the original program.
    pub transitions: Vec<TransitionId>,
}

impl Program {
    /// Whether threads of this procedure can exist at all.
    pub fn has_any(&self, procedure: ProcedureId) -> bool {
        self.active.contains(&procedure) || self.starts(procedure)
    }

    fn starts(&self, procedure: ProcedureId) -> bool {
        let mut actions = self.transitions.values().flat_map(|transition| &transition.body);
        actions.any(|action| action.starts(procedure))
    }

    /// The possible origins of the individuals of a property; at least one.
    pub fn origins(&self, each: &Each) -> Vec<Origin> {
        let is_active = self.active.contains(&each.procedure);
        let is_started = self.starts(each.procedure);
        let mut origins = Vec::new();
        origins.extend(is_active.then_some(Origin::Initial));
        // There has to be a verdict also if no such thread can exist.
        origins.extend((is_started || !is_active).then_some(Origin::Started));
        origins
    }

    /// The program in which an individual of this origin is marked; `None` if the property is not about
    /// individuals.
    pub fn mark_thread(&self, property: &Property, origin: Origin) -> Option<MarkedProgram> {
        let each = property.each.as_ref()?;
        let PropertyKind::Formula(formula) = &property.kind else { return None };
        let mut marked = MarkedProgram {
            program: Self { properties: Vec::new(), ..self.clone() },
            procedure: ProcedureId::from_index(self.procedures.len()),
            globals: self.globals.len(),
            locations: self.locations.ids().collect(),
            transitions: self.transitions.ids().collect(),
        };
        marked.copy(each.procedure);
        let mut props = property.props.clone();
        for prop in &mut props {
            marked.translate(&mut prop.expr, each.procedure);
        }
        let mut kind = PropertyKind::Formula(formula.clone());
        match origin {
            Origin::Initial => {
                let first = marked.program.active.iter_mut().find(|active| **active == each.procedure);
                *first? = marked.procedure;
            }
            Origin::Started => {
                let chosen = marked.choose(each);
                let is_chosen = Formula::Prop(Prop(small(props.len())));
                let text = format!("there is {}", each.variable);
                props.push(Proposition { text, expr: chosen, span: each.span });
                let ever = Formula::Eventually(Box::new(is_chosen));
                kind = PropertyKind::Formula(Formula::Implies(Box::new(ever), Box::new(formula.clone())));
            }
        }
        marked.program.properties.push(Property { each: None, props, kind, ..property.clone() });
        Some(marked)
    }
}

impl MarkedProgram {
    /// Adds the procedure that the individual runs, a copy of `original`.
    fn copy(&mut self, original: ProcedureId) {
        let program = &mut self.program;
        let owned: Vec<LocationId> =
            program.locations.iter().filter(|(_, at)| at.procedure == original).map(|(id, _)| id).collect();
        let first = program.locations.len();
        let copy_of = |id: LocationId| match owned.binary_search(&id) {
            Ok(at) => LocationId::from_index(first + at),
            Err(_) => id,
        };
        let jump = |jump: &mut Jump| {
            if let Jump::Goto(target) = jump {
                *target = copy_of(*target);
            }
        };
        for &id in &owned {
            let mut location = program.locations[id].clone();
            location.procedure = self.procedure;
            if let LocationKind::Resume { origin, then, .. } = &mut location.kind {
                *origin = copy_of(*origin);
                jump(then);
            }
            for transition in &mut location.transitions {
                let mut copy = program.transitions[*transition].clone();
                copy.source = copy_of(id);
                match &mut copy.exit {
                    Exit::Jump(exit) => jump(exit),
                    Exit::Call { resume, .. } => *resume = copy_of(*resume),
                }
                self.transitions.push(*transition);
                *transition = program.transitions.push(copy);
            }
            self.locations.push(id);
            program.locations.push(location);
        }
        let mut procedure = program.procedures[original].clone();
        procedure.entry = copy_of(procedure.entry);
        for catch in &mut procedure.catches {
            catch.handler = copy_of(catch.handler);
            catch.covers.iter_mut().for_each(|id| *id = copy_of(*id));
        }
        // The text form refers to procedures by name.
        procedure.name += "'";
        program.procedures.push(procedure);
    }

    /// The copies of locations, in order.
    fn copies(&self, locations: &[LocationId]) -> Vec<LocationId> {
        let copies = self.program.locations.iter().filter(|(_, at)| at.procedure == self.procedure);
        copies.map(|(id, _)| id).filter(|id| locations.contains(&self.locations[id.index()])).collect()
    }

    /// Translates questions about the individual and about all threads into questions about copy and
    /// original.
    fn translate(&mut self, expr: &mut Expr, original: ProcedureId) {
        for operand in expr.operands_mut() {
            self.translate(operand, original);
        }
        let (ty, span) = (expr.ty, expr.span);
        let count = |locations, ty| {
            let procedure = self.procedure;
            Box::new(Expr { kind: ExprKind::ThreadsAt { procedure, locations }, ty, span })
        };
        match &expr.kind {
            ExprKind::IndividualAt { locations, .. } => {
                let count = count(self.copies(locations), self.program.types.intern(Type::Int(IntType::INT)));
                let zero = Expr { kind: ExprKind::Const(Const::Int(0)), ty: count.ty, span };
                expr.kind = ExprKind::Binary(BinaryOp::Gt, count, Box::new(zero));
            }
            ExprKind::ThreadsAt { procedure, locations } if *procedure == original => {
                let copies = count(self.copies(locations), ty);
                expr.kind = ExprKind::Binary(BinaryOp::Add, Box::new(expr.clone()), copies);
            }
            _ => {}
        }
    }

    /// Where an `else` starts individuals, a twin would be one of the transitions that it waits for, or a
    /// second `else`. So the `else` leads to a location in the same atomic block, and they are started from
    /// there.
    fn put_off(&mut self, procedure: ProcedureId) {
        let program = &mut self.program;
        for id in program.transitions.ids() {
            let transition = &program.transitions[id];
            if transition.guard != Guard::Else
                || !transition.body.iter().any(|action| action.starts(procedure))
            {
                continue;
            }
            let source = transition.source;
            let here = &program.locations[source];
            let mut between =
                Location::new(format!("{}'{}", here.name, id.index()), here.procedure, here.span);
            (between.atomic, between.synthetic) = (true, true);
            let between = program.locations.push(between);
            let mut rest = transition.clone();
            (rest.source, rest.guard) = (between, Guard::Always);
            let first = &mut program.transitions[id];
            first.body.clear();
            first.exit = Exit::Jump(Jump::Goto(between));
            let rest = program.transitions.push(rest);
            program.locations[between].transitions.push(rest);
            for procedure in program.procedures.values_mut() {
                let covers = procedure.catches.iter_mut().map(|catch| &mut catch.covers);
                covers.filter(|covers| covers.contains(&source)).for_each(|covers| covers.push(between));
            }
            self.locations.push(self.locations[source.index()]);
            self.transitions.push(self.transitions[id.index()]);
        }
    }

    /// Gives every start of an individual a twin that marks it, if none is marked yet. Returns the expression
    /// that is true if one is marked.
    fn choose(&mut self, each: &Each) -> Expr {
        self.put_off(each.procedure);
        let program = &mut self.program;
        let (ty, span) = (program.types.intern(Type::Bool), Span::default());
        let node = |kind| Expr { kind, ty, span };
        let mark =
            Variable { synthetic: true, ..Variable::new(format!("{}'", each.variable), ty, None, span) };
        let mark = program.globals.push(mark);
        let is_free = node(ExprKind::Unary(UnaryOp::Not, Box::new(node(ExprKind::Global(mark)))));
        let place = Place { kind: PlaceKind::Global(mark), ty, span };
        let truth = node(ExprKind::Const(Const::Bool(true)));
        let set = Action { kind: ActionKind::Assign(place, truth), span };
        for id in program.transitions.ids() {
            let transition = program.transitions[id].clone();
            for (at, action) in transition.body.iter().enumerate() {
                if !action.starts(each.procedure) {
                    continue;
                }
                let mut twin = transition.clone();
                if let ActionKind::Start { procedure, .. } = &mut twin.body[at].kind {
                    *procedure = self.procedure;
                }
                twin.body.insert(at + 1, set.clone());
                // This comes first: a fault of the original guard is a fault of the twin.
                twin.guard = Guard::When(match twin.guard {
                    Guard::When(guard) => {
                        node(ExprKind::Binary(BinaryOp::And, Box::new(is_free.clone()), Box::new(guard)))
                    }
                    _ => is_free.clone(),
                });
                self.transitions.push(self.transitions[id.index()]);
                let twin = program.transitions.push(twin);
                program.locations[transition.source].transitions.push(twin);
            }
        }
        node(ExprKind::Global(mark))
    }
}
