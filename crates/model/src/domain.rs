//! Domains: the values that a parameter of an action takes.

use crate::{Bounded, Cx, Individual, Shape};

/// A type with few values, all of which a parameter of an action takes. Derive it for enums and structs.
///
/// ```
/// use quotient_model::{Domain, Shape};
///
/// #[derive(Clone, Copy, PartialEq, Debug, Shape, Domain)]
/// enum Colour { Red, Green }
/// ```
///
/// The domain of a sort is all of its individuals; that of a dynamic sort those that the state mentions.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no domain: it is not known which values this parameter takes",
    label = "not a type with few values",
    note = "name the values: `#[from(0..3)] name: {Self}`, where any iterator or collection of values may stand",
    note = "or use a type with few values: a sort, `bool`, `Bounded<LO, HI>`, options and tuples of these",
    note = "for an enum or a struct of such types, derive it: `#[derive(Clone, Debug, Shape, Domain)]`"
)]
pub trait Domain: Sized {
    /// All values, each once.
    fn values<S: Shape>(cx: &Cx<'_>, state: &S) -> impl Iterator<Item = Self>;
}

/// The domain of a sort.
#[doc(hidden)]
pub fn individuals<I: Individual, S: Shape>(cx: &Cx<'_>, state: &S) -> impl Iterator<Item = I> + use<I, S> {
    let mentioned = if I::DYNAMIC { cx.mentioned(state) } else { Vec::new() };
    mentioned.into_iter().chain((!I::DYNAMIC).then(|| cx.all::<I>()).into_iter().flatten())
}

impl Domain for bool {
    fn values<S: Shape>(_: &Cx<'_>, _: &S) -> impl Iterator<Item = Self> {
        [false, true].into_iter()
    }
}

impl Domain for () {
    fn values<S: Shape>(_: &Cx<'_>, _: &S) -> impl Iterator<Item = Self> {
        std::iter::once(())
    }
}

impl<const LOW: i64, const HIGH: i64> Domain for Bounded<LOW, HIGH> {
    fn values<S: Shape>(_: &Cx<'_>, _: &S) -> impl Iterator<Item = Self> {
        (LOW..=HIGH).map(Self::new)
    }
}

impl<T: Domain> Domain for Option<T> {
    fn values<S: Shape>(cx: &Cx<'_>, state: &S) -> impl Iterator<Item = Self> {
        std::iter::once(None).chain(T::values(cx, state).map(Some))
    }
}

impl<A: Domain + Clone, B: Domain> Domain for (A, B) {
    fn values<S: Shape>(cx: &Cx<'_>, state: &S) -> impl Iterator<Item = Self> {
        A::values(cx, state).flat_map(move |a| B::values(cx, state).map(move |b| (a.clone(), b)))
    }
}

impl<A: Domain + Clone, B: Domain + Clone, C: Domain> Domain for (A, B, C) {
    fn values<S: Shape>(cx: &Cx<'_>, state: &S) -> impl Iterator<Item = Self> {
        <((A, B), C)>::values(cx, state).map(|((a, b), c)| (a, b, c))
    }
}

impl<A: Domain + Clone, B: Domain + Clone, C: Domain + Clone, D: Domain> Domain for (A, B, C, D) {
    fn values<S: Shape>(cx: &Cx<'_>, state: &S) -> impl Iterator<Item = Self> {
        <((A, B, C), D)>::values(cx, state).map(|((a, b, c), d)| (a, b, c, d))
    }
}
