//! Systems of actors of several types.

use quotient_model::Shape;

use crate::{Actor, Addr, Draft, Out};

/// One of two kinds of actors, or the state of one. Kinds share the types of messages, timers, choices and
/// storage. Nest it for more kinds.
///
/// ```
/// use quotient_actors::Choice;
/// let number: Choice<u8, char> = Choice::L(1);
/// assert_eq!((number.l(), number.r()), (Some(&1), None));
/// ```
#[derive(Clone, PartialEq, Debug, Shape)]
pub enum Choice<L, R> {
    /// The first kind.
    L(L),
    /// The second kind.
    R(R),
}

impl<L, R> Choice<L, R> {
    /// The value of the first kind.
    pub const fn l(&self) -> Option<&L> {
        match self {
            Self::L(left) => Some(left),
            Self::R(_) => None,
        }
    }

    /// The value of the second kind.
    pub const fn r(&self) -> Option<&R> {
        match self {
            Self::R(right) => Some(right),
            Self::L(_) => None,
        }
    }
}

/// Lets an actor of one kind work on its part of a state.
fn delegate<A: Actor, B, S: Clone>(
    draft: &mut Draft<'_, S>,
    out: &mut Out<B>,
    part: impl FnOnce(&S) -> Option<&A::State>,
    whole: impl FnOnce(A::State) -> S,
    handle: impl FnOnce(&mut Draft<'_, A::State>, &mut Out<A>),
) where
    B: Actor<Msg = A::Msg, Timer = A::Timer, Random = A::Random, Storage = A::Storage>,
{
    let mut ours = Out::<A>(std::mem::take(&mut out.0));
    let mut inner = Draft::new(part(draft).expect("an actor keeps its kind"));
    handle(&mut inner, &mut ours);
    if let Some(changed) = inner.into_changed() {
        draft.set(whole(changed));
    }
    out.0 = ours.0;
}

impl<L, R> Actor for Choice<L, R>
where
    L: Actor,
    R: Actor<Msg = L::Msg, Timer = L::Timer, Random = L::Random, Storage = L::Storage>,
{
    type State = Choice<L::State, R::State>;
    type Msg = L::Msg;
    type Timer = L::Timer;
    type Random = L::Random;
    type Storage = L::Storage;

    fn on_start(&self, me: Addr, stored: Option<&L::Storage>, out: &mut Out<Self>) -> Self::State {
        match self {
            Self::L(actor) => {
                let mut ours = Out::<L>(std::mem::take(&mut out.0));
                let state = actor.on_start(me, stored, &mut ours);
                out.0 = ours.0;
                Choice::L(state)
            }
            Self::R(actor) => {
                let mut ours = Out::<R>(std::mem::take(&mut out.0));
                let state = actor.on_start(me, stored, &mut ours);
                out.0 = ours.0;
                Choice::R(state)
            }
        }
    }

    fn on_msg(
        &self,
        me: Addr,
        state: &mut Draft<'_, Self::State>,
        from: Addr,
        msg: &L::Msg,
        out: &mut Out<Self>,
    ) {
        match self {
            Self::L(actor) => delegate(state, out, Choice::l, Choice::L, |state, out| {
                actor.on_msg(me, state, from, msg, out);
            }),
            Self::R(actor) => delegate(state, out, Choice::r, Choice::R, |state, out| {
                actor.on_msg(me, state, from, msg, out);
            }),
        }
    }

    fn on_timeout(
        &self,
        me: Addr,
        state: &mut Draft<'_, Self::State>,
        timer: &L::Timer,
        out: &mut Out<Self>,
    ) {
        match self {
            Self::L(actor) => delegate(state, out, Choice::l, Choice::L, |state, out| {
                actor.on_timeout(me, state, timer, out);
            }),
            Self::R(actor) => delegate(state, out, Choice::r, Choice::R, |state, out| {
                actor.on_timeout(me, state, timer, out);
            }),
        }
    }

    fn on_random(
        &self,
        me: Addr,
        state: &mut Draft<'_, Self::State>,
        random: &L::Random,
        out: &mut Out<Self>,
    ) {
        match self {
            Self::L(actor) => delegate(state, out, Choice::l, Choice::L, |state, out| {
                actor.on_random(me, state, random, out);
            }),
            Self::R(actor) => delegate(state, out, Choice::r, Choice::R, |state, out| {
                actor.on_random(me, state, random, out);
            }),
        }
    }
}
