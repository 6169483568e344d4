//! The rules that a claim of interchangeability must satisfy, checked against the program.
//!
//! An [`Exchange`] claims that some permutations of threads and channels leave a program as it is, where the numbers in
//! its places have given [sorts](crate::Sorts). Who makes the claim infers it; here it is checked by other means.
//! The sorts are taken as given, and each expression is checked to be *equivariant*: evaluated by the image of a thread
//! in the image of a state, it yields the image of its value. Each generator is then applied to the text, and what
//! comes out is compared with the text. Generators that pass generate a group that passes.
//!
//! That texts are permuted, brought into a normal form and compared is from Donaldson and Miller, "Automatic symmetry
//! detection for model checking using computational group theory" (2005).
//!
//! *Individuals*
//! - Generators are bijections. Threads go to threads of their procedure, channels to channels of their shape (those of
//!   a thread to that of its image), locations to locations of their procedure with the same flags.
//! - A place that can hold the number of an individual can hold that of its image, and an array that has an element for
//!   it has one for its image.
//!
//! *Expressions*
//! - What is compared, stored, passed, sent, received or used as an index has the sort of what it meets. Numbers of
//!   individuals are otherwise shifted by constants only.
//! - An expression about nothing but the number of its thread has, for the image of a thread, the image of the value.
//! - A coded variable is used only where an expression about nothing but the number of its thread is stored there or
//!   compared with it, at an index that is such an expression. The image of the thread names the image of what the
//!   thread names.
//! - No number that is brought into the range of a place becomes or was that of an individual that moves.
//! - Where a number is used as a thread or channel, those that it may stand for do not move. Which channels a place may
//!   hold follows from the whole program (`flow`).
//! - Whether a thread is the youngest, or the first of its procedure, is asked where these threads do not move.
//!
//! *Text*
//! - The image of the transitions of a location are those of its image, in any order, or in the same order where the
//!   first one is taken. Operands of operators that commute have no order, unless one may fault.
//! - Conditions and claims of procedures, initial values of threads that are started, and the expressions that
//!   properties ask for are their own images.
//! - The text contains what can be got to from it.

mod flow;
mod images;
mod values;

use source::Span;

use self::flow::Flow;
use self::images::Images;
use crate::{
    Action, ActionKind, ChannelId, Const, Exit, Expr, ExprKind, GlobalId, Guard, Id, Jump, Location,
    LocationId, Permutation, ProcedureId, Program, Recoded, Sort, Sorts, Table, Type, Variable, VariableSort,
};

/// A claim: what can be exchanged in states with these threads and channels.
pub struct Exchange<'a> {
    pub sorts: &'a Sorts,
    /// By number: what the thread runs.
    pub threads: &'a [ProcedureId],
    /// By number, from 1 on: how the channel was declared, and the thread that it came with.
    pub channels: &'a [(ChannelId, Option<u32>)],
    /// The locations that threads can still get to.
    pub text: &'a [LocationId],
    /// What properties ask for.
    pub observed: &'a [&'a Expr],
    pub generators: &'a [Permutation],
}

/// Why a claim is wrong, or at least not seen to be right.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Refuted {
    pub what: &'static str,
    pub span: Span,
}

type Checked<T = ()> = Result<T, Refuted>;

const fn refuted<T>(what: &'static str, span: Span) -> Checked<T> {
    Err(Refuted { what, span })
}

/// Checks a claim by the rules above.
pub fn verify_exchange(program: &Program, exchange: &Exchange<'_>) -> Result<(), Refuted> {
    if !program.is_flat() || program.monitor.is_some() {
        return refuted("the program has objects, functions or a monitor", Span::default());
    }
    let context = Context::new(program, exchange);
    let identity = Permutation::identity(exchange.threads.len(), exchange.channels.len());
    let text = Images::new(&context, &identity);
    text.is_closed()?;
    for generator in exchange.generators {
        let images = Images::new(&context, generator);
        context.individuals(generator)?;
        context.ranges(&images)?;
        for &id in exchange.text {
            let to = generator.location(id);
            if images.location(id)? != text.location(to)? {
                return refuted("the image of a location is not in the text", program.locations[id].span);
            }
        }
        for (id, procedure) in program.procedures.iter() {
            if context.is_run(id) && images.declarations(id)? != text.declarations(id)? {
                return refuted("a condition of a procedure is not its own image", procedure.span);
            }
        }
        let invariants = program.invariants.iter().map(|invariant| &invariant.expr);
        for expr in exchange.observed.iter().copied().chain(invariants) {
            if images.property(expr)? != text.property(expr)? {
                return refuted("what a property asks for is not its own image", expr.span);
            }
        }
    }
    Ok(())
}

/// What is known of a claim, whatever the generator.
struct Context<'a> {
    program: &'a Program,
    exchange: &'a Exchange<'a>,
    flow: Flow,
    /// The channels in globals that the claim calls constant, by element.
    constants: Table<GlobalId, Option<Vec<i64>>>,
    /// By procedure: whether the text starts threads of it.
    started: Table<ProcedureId, bool>,
    /// By location: whether it is part of the text.
    is_text: Vec<bool>,
    /// Whether something asks for the numbers of locations.
    asks_numbers: bool,
}

impl<'a> Context<'a> {
    fn new(program: &'a Program, exchange: &'a Exchange<'a>) -> Self {
        let mut is_text = vec![false; program.locations.len()];
        exchange.text.iter().for_each(|&id| is_text[id.index()] = true);
        let bodies = exchange.text.iter().flat_map(|&id| &program.locations[id].transitions);
        let actions: Vec<&Action> = bodies.flat_map(|&id| &program.transitions[id].body).collect();
        let is_started = |id| actions.iter().any(|action| action.starts(id));
        Self {
            program,
            exchange,
            flow: Flow::new(program),
            constants: program.globals.ids().map(|id| constant(program, exchange.sorts, id)).collect(),
            started: program.procedures.ids().map(is_started).collect(),
            is_text,
            asks_numbers: program.asks(|kind| matches!(kind, ExprKind::ThreadLocation(_))),
        }
    }

    /// Whether threads run a procedure, or will.
    fn is_run(&self, id: ProcedureId) -> bool {
        self.started[id] || self.exchange.threads.contains(&id)
    }

    /// Checks that individuals go to individuals of their kind.
    fn individuals(&self, by: &Permutation) -> Checked {
        let Exchange { threads, channels, sorts, .. } = *self.exchange;
        let nowhere = Span::default();
        let is_bijection = |list: &[u32], len: usize| is_bijection_of(&mut list.to_vec(), len);
        if !is_bijection(&by.threads, threads.len()) || !is_bijection(&by.channels, channels.len() + 1) {
            return refuted("a generator is no bijection", nowhere);
        }
        let mut images: Vec<LocationId> = by.locations.values().copied().collect();
        images.sort_unstable();
        if !images.iter().eq(by.locations.keys()) {
            return refuted("locations are not permuted", nowhere);
        }
        for (&id, recoding) in &by.coded {
            let global = &self.program.globals[id];
            let Type::Int(int) = self.program.types[global.ty] else {
                return refuted("what is coded is no number", global.span);
            };
            let mut elements: Vec<u32> = recoding.elements.iter().map(|element| element.to).collect();
            let is_right = |element: &Recoded| {
                let (mut from, mut to): (Vec<i64>, Vec<i64>) = element.values.iter().copied().unzip();
                to.sort_unstable();
                let is_list = |list: &[i64]| {
                    list.windows(2).all(|pair| pair[0] < pair[1])
                        && list.iter().all(|value| (int.lo..=int.hi).contains(value))
                };
                from.dedup();
                from.len() == to.len() && is_list(&from) && is_list(&to)
            };
            let is_whole = is_bijection_of(&mut elements, global.size());
            if !sorts.coded[id] || !is_whole || !recoding.elements.iter().all(is_right) {
                return refuted("a coded variable is not permuted", global.span);
            }
        }
        for (&procedure, &to) in threads.iter().zip(&by.threads) {
            if threads[to as usize] != procedure {
                return refuted("a thread goes to one of another procedure", nowhere);
            }
        }
        if by.channels[0] != 0 {
            return refuted("the number of no channel moves", nowhere);
        }
        for (&(from, owner), &to) in channels.iter().zip(&by.channels[1..]) {
            let (to, of_image) = channels[to as usize - 1];
            let (a, b) = (&self.program.channels[from], &self.program.channels[to]);
            let is_alike = a.capacity == b.capacity
                && a.fields.iter().map(|field| field.ty).eq(b.fields.iter().map(|field| field.ty))
                && sorts.fields[from] == sorts.fields[to];
            let goes_along = match owner {
                Some(owner) => from == to && of_image == by.threads.get(owner as usize).copied(),
                None => of_image.is_none(),
            };
            if !is_alike || !goes_along {
                return refuted("a channel goes to one of another kind", a.span);
            }
        }
        Ok(())
    }

    /// Checks that places and arrays have room for the images of what they have room for.
    fn ranges(&self, images: &Images<'_>) -> Checked {
        let program = self.program;
        let variable = |variable: &Variable, sorts: &VariableSort| {
            let Type::Int(int) = program.types[variable.ty] else { return Ok(()) };
            let mut is_kept = images.keeps(sorts.value, int.lo, int.hi);
            for (&sort, &len) in sorts.indices.iter().zip(&variable.dims) {
                is_kept &= images.keeps(sort, 0, i64::from(len) - 1);
            }
            if is_kept { Ok(()) } else { refuted("a place has no room for an image", variable.span) }
        };
        for (id, global) in program.globals.iter() {
            variable(global, &self.exchange.sorts.globals[id])?;
        }
        for (procedure, declared) in program.procedures.iter() {
            for (id, local) in declared.locals.iter() {
                variable(local, &self.exchange.sorts.locals[procedure][id])?;
            }
        }
        for (id, channel) in program.channels.iter() {
            for (field, &sort) in channel.fields.iter().zip(&self.exchange.sorts.fields[id]) {
                if let Type::Int(int) = program.types[field.ty]
                    && !images.keeps(sort, int.lo, int.hi)
                {
                    return refuted("a message has no room for an image", channel.span);
                }
            }
        }
        Ok(())
    }
}

impl Images<'_> {
    /// Checks that the text contains everything that can be got to from it.
    fn is_closed(&self) -> Checked {
        let Context { program, exchange, is_text, .. } = self.context;
        let has = |id: LocationId, span| {
            if is_text[id.index()] { Ok(()) } else { refuted("the text leaves itself", span) }
        };
        for transition in exchange.text.iter().flat_map(|&id| &program.locations[id].transitions) {
            let transition = &program.transitions[*transition];
            if let Exit::Jump(Jump::Goto(to)) = transition.exit {
                has(to, transition.span)?;
            }
            if let Guard::Ready(first) = transition.guard {
                has(first, transition.span)?;
            }
            for action in &transition.body {
                if let ActionKind::Start { procedure, .. } = action.kind {
                    has(program.procedures[procedure].entry, action.span)?;
                }
            }
        }
        Ok(())
    }

    /// The image of everything about a location.
    fn location(&self, id: LocationId) -> Checked<(String, Vec<String>)> {
        let program = self.context.program;
        let location = &program.locations[id];
        let Location { procedure, atomic, fused, end, accept, progress, live, .. } = location;
        if live.is_some() {
            return refuted("a location forgets variables", location.span);
        }
        let number = if self.context.asks_numbers { location.number } else { 0 };
        let is_entry = program.procedures[*procedure].entry == id;
        let head = format!("{procedure} {atomic} {fused} {end} {accept} {progress} {number} {is_entry}");
        let mut transitions = Vec::new();
        for &transition in &location.transitions {
            transitions.push(self.transition(*procedure, &program.transitions[transition])?);
        }
        if !location.fused {
            transitions.sort_unstable();
        }
        Ok((head, transitions))
    }
}

/// Whether a list has each of the first numbers once; sorts it.
fn is_bijection_of(list: &mut [u32], len: usize) -> bool {
    list.sort_unstable();
    list.len() == len && list.iter().zip(0..).all(|(&at, number)| at == number)
}

/// The channels in a global that is claimed never to change, if that is so.
fn constant(program: &Program, sorts: &Sorts, id: GlobalId) -> Option<Vec<i64>> {
    let global = &program.globals[id];
    if !sorts.constants[id] || global.dims.len() > 1 {
        return None;
    }
    let is_stored = |action: &Action| action.places().iter().any(|place| place.kind.global() == Some(id));
    let bodies = program.transitions.values().flat_map(|transition| &transition.body);
    let prologues = program.procedures.values().flat_map(|procedure| &procedure.prologue);
    if bodies.chain(prologues).any(is_stored) {
        return None;
    }
    let initial = if let Some(Const::Int(value)) = global.init { value } else { 0 };
    let mut values = vec![initial; global.size()];
    for action in program.prologue.iter().filter(|action| is_stored(action)) {
        let ActionKind::Assign(place, value) = &action.kind else { return None };
        let at = match place.operands()[..] {
            [] => 0,
            [Expr { kind: ExprKind::Const(Const::Int(at)), .. }] => usize::try_from(*at).ok()?,
            _ => return None,
        };
        let ExprKind::Const(Const::Int(value)) = value.kind else { return None };
        *values.get_mut(at)? = value;
    }
    Some(values)
}

/// Numbers that stand for nothing but themselves.
const PLAIN: Sort = Sort::Number;
