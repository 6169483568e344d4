//! Which channels a place may hold, at any time: inclusion-based, over the whole program, whatever its order
//! (Andersen, "Program analysis and specialization for the C programming language", 1994).

use std::collections::BTreeMap;

use crate::{
    Action, ActionKind, Array, BinaryOp, ChannelId, Const, Expr, ExprKind, GlobalId, Id, LocalId, Pattern,
    Place, PlaceKind, ProcedureId, Program,
};

/// A set of channels, as declared.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Channels(Vec<bool>);

impl Channels {
    fn none(program: &Program) -> Self {
        Self(vec![false; program.channels.len()])
    }

    fn all(program: &Program) -> Self {
        Self(vec![true; program.channels.len()])
    }

    fn one(program: &Program, id: ChannelId) -> Self {
        let mut set = Self::none(program);
        set.0[id.index()] = true;
        set
    }

    /// Whether that made it larger.
    fn add(&mut self, others: &Self) -> bool {
        let before = self.0.clone();
        self.0.iter_mut().zip(&others.0).for_each(|(own, &other)| *own |= other);
        *self != Self(before)
    }

    pub fn contains(&self, id: ChannelId) -> bool {
        self.0[id.index()]
    }

    pub fn ids(&self) -> impl Iterator<Item = ChannelId> {
        self.0.iter().enumerate().filter(|&(_, &is_in)| is_in).map(|(at, _)| ChannelId::from_index(at))
    }
}

/// Something that holds numbers.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Holder {
    Global(GlobalId),
    Local(ProcedureId, LocalId),
    Field(ChannelId, usize),
}

/// What each holder may hold.
#[derive(Debug)]
pub struct Flow {
    held: BTreeMap<Holder, Channels>,
    none: Channels,
}

impl Flow {
    pub fn new(program: &Program) -> Self {
        let mut flow = Self { held: BTreeMap::new(), none: Channels::none(program) };
        for (id, global) in program.globals.iter() {
            flow.initial(program, Holder::Global(id), global.init);
        }
        for (procedure, declared) in program.procedures.iter() {
            for (id, local) in declared.locals.iter() {
                flow.initial(program, Holder::Local(procedure, id), local.init);
            }
        }
        loop {
            let mut has_changed = false;
            for action in &program.prologue {
                has_changed |= flow.action(program, None, action);
            }
            for (id, procedure) in program.procedures.iter() {
                for action in &procedure.prologue {
                    has_changed |= flow.action(program, Some(id), action);
                }
            }
            for transition in program.transitions.values() {
                let scope = program.locations[transition.source].procedure;
                for action in &transition.body {
                    has_changed |= flow.action(program, Some(scope), action);
                }
            }
            if !has_changed {
                return flow;
            }
        }
    }

    fn initial(&mut self, program: &Program, holder: Holder, value: Option<Const>) {
        if let Some(Const::Int(value)) = value {
            self.put(holder, &numbered(program, value));
        }
    }

    fn put(&mut self, holder: Holder, channels: &Channels) -> bool {
        self.held.entry(holder).or_insert_with(|| self.none.clone()).add(channels)
    }

    fn held(&self, holder: Holder) -> Channels {
        self.held.get(&holder).unwrap_or(&self.none).clone()
    }

    /// The channels whose numbers an expression may yield.
    pub fn of(&self, program: &Program, scope: Option<ProcedureId>, expr: &Expr) -> Channels {
        let of = |expr: &Expr| self.of(program, scope, expr);
        let local = |id| scope.map_or_else(|| self.none.clone(), |scope| self.held(Holder::Local(scope, id)));
        match &expr.kind {
            ExprKind::Const(Const::Int(value)) => numbered(program, *value),
            ExprKind::Const(_) => self.none.clone(),
            ExprKind::Global(id) | ExprKind::Element(Array::Global(id), _) => self.held(Holder::Global(*id)),
            ExprKind::Local(id) | ExprKind::Element(Array::Local(id), _) => local(*id),
            ExprKind::ThreadLocal { procedure, local, .. } => self.held(Holder::Local(*procedure, *local)),
            ExprKind::Channel(id) => Channels::one(program, *id),
            ExprKind::Wrap(operand) => of(operand),
            ExprKind::Cond(_, then, otherwise) => {
                let mut both = of(then);
                both.add(&of(otherwise));
                both
            }
            // To add nothing changes nothing; other numbers may be those of any channel.
            ExprKind::Binary(BinaryOp::Add | BinaryOp::Sub, left, right)
                if right.kind == ExprKind::Const(Const::Int(0)) =>
            {
                of(left)
            }
            _ => Channels::all(program),
        }
    }

    fn place(&mut self, scope: Option<ProcedureId>, place: &Place, channels: &Channels) -> bool {
        match (&place.kind, scope) {
            (PlaceKind::Global(id) | PlaceKind::Element(Array::Global(id), _), _) => {
                self.put(Holder::Global(*id), channels)
            }
            (PlaceKind::Local(id) | PlaceKind::Element(Array::Local(id), _), Some(scope)) => {
                self.put(Holder::Local(scope, *id), channels)
            }
            _ => false,
        }
    }

    fn action(&mut self, program: &Program, scope: Option<ProcedureId>, action: &Action) -> bool {
        let mut has_changed = false;
        match &action.kind {
            ActionKind::Assign(place, value) => {
                let channels = self.of(program, scope, value);
                has_changed |= self.place(scope, place, &channels);
            }
            ActionKind::Start { result, procedure, args, .. } => {
                for (arg, (id, _)) in args.iter().zip(program.procedures[*procedure].locals.iter()) {
                    let channels = self.of(program, scope, arg);
                    has_changed |= self.put(Holder::Local(*procedure, id), &channels);
                }
                if let Some(place) = result {
                    has_changed |= self.place(scope, place, &Channels::all(program));
                }
            }
            ActionKind::Send { channel, message, .. } => {
                for to in self.of(program, scope, channel).ids() {
                    for (at, field) in message.iter().enumerate() {
                        let channels = self.of(program, scope, field);
                        has_changed |= self.put(Holder::Field(to, at), &channels);
                    }
                }
            }
            ActionKind::Receive { channel, pattern, .. } => {
                for from in self.of(program, scope, channel).ids() {
                    for (at, field) in pattern.iter().enumerate() {
                        if let Pattern::Store(place) = field {
                            let channels = self.held(Holder::Field(from, at));
                            has_changed |= self.place(scope, place, &channels);
                        }
                    }
                }
            }
            _ => {}
        }
        has_changed
    }
}

/// The channel of a number. Numbers of channels that come with threads are not known here.
fn numbered(program: &Program, value: i64) -> Channels {
    let Some(position) = value.checked_sub(1).and_then(|at| usize::try_from(at).ok()) else {
        return Channels::none(program);
    };
    if let Some(&id) = program.first_channels.get(position) {
        return Channels::one(program, id);
    }
    let mut own = Channels::none(program);
    for &id in program.procedures.values().flat_map(|procedure| &procedure.channels) {
        own.0[id.index()] = true;
    }
    own
}
