//! The macros of model programs: `#[derive(Shape)]` for values of states, `#[derive(Domain)]` for values that
//! actions range over, and `#[model]` for the rules of a model.
//!
//! Each macro has two names. What it generates mentions the library by an absolute path, and that is
//! `quotient_model` for crates that depend on the library itself, and `quotient::model` for those that depend
//! on the façade, which renames the second one.
//!
//! Not here: the meaning of anything. Generated code consists of calls of the library, loops and matches.

#![warn(missing_docs)]

mod domain;
mod generate;
mod nest;
mod rules;
mod shape;
mod text;

use proc_macro2::TokenStream;
use quote::quote;
use syn::{DeriveInput, Error, parse_macro_input};

fn library() -> TokenStream {
    quote!(::quotient_model)
}

fn facade() -> TokenStream {
    quote!(::quotient::model)
}

/// Derives `quotient_model::Shape` for a struct or an enum whose fields have shapes.
///
/// ```
/// use quotient_model::Shape;
/// #[derive(Clone, Debug, Shape)]
/// enum Door { Open, Closed { locked: bool } }
/// assert_eq!(Door::Closed { locked: true }.term().json(), r#"{"Closed":{"locked":true}}"#);
/// ```
#[proc_macro_derive(Shape)]
pub fn shape(input: proc_macro::TokenStream) -> proc_macro::TokenStream {
    let input = parse_macro_input!(input as DeriveInput);
    shape::derive(input, &library()).unwrap_or_else(Error::into_compile_error).into()
}

/// Derives `quotient::model::Shape`: the same for crates that depend on the façade.
///
/// ```
/// use quotient::model::Shape;
/// #[derive(Clone, Debug, Shape)]
/// struct Lamp { is_on: bool }
/// assert_eq!(Lamp { is_on: true }.term().json(), r#"{"is_on":true}"#);
/// ```
#[proc_macro_derive(QuotientShape)]
pub fn quotient_shape(input: proc_macro::TokenStream) -> proc_macro::TokenStream {
    let input = parse_macro_input!(input as DeriveInput);
    shape::derive(input, &facade()).unwrap_or_else(Error::into_compile_error).into()
}

/// Derives `quotient_model::Domain` for a struct or an enum whose fields have domains: all its values, one
/// after the other.
///
/// ```
/// use quotient_model::{Domain, Shape, model};
/// #[derive(Clone, Copy, PartialEq, Debug, Shape, Domain)]
/// enum Colour { Red, Green, Blue }
/// #[derive(Clone, Debug, Shape)]
/// struct Lamp { colour: Colour }
/// #[model]
/// impl Lamp {
///     #[initial]
///     fn red() -> Self { Self { colour: Colour::Red } }
///     #[action(when = self.colour != colour)]
///     fn turn(&mut self, colour: Colour) { self.colour = colour; }
/// }
/// Lamp::program().check().assert_counts(3, 6);
/// ```
#[proc_macro_derive(Domain)]
pub fn domain(input: proc_macro::TokenStream) -> proc_macro::TokenStream {
    let input = parse_macro_input!(input as DeriveInput);
    domain::derive(input, &library()).unwrap_or_else(Error::into_compile_error).into()
}

/// Derives `quotient::model::Domain`: the same for crates that depend on the façade.
///
/// ```
/// use quotient::model::{Domain, Shape};
/// #[derive(Clone, Debug, Shape, Domain)]
/// enum Colour { Red, Green }
/// assert_eq!(Colour::Green.variant(), 1);
/// ```
#[proc_macro_derive(QuotientDomain)]
pub fn quotient_domain(input: proc_macro::TokenStream) -> proc_macro::TokenStream {
    let input = parse_macro_input!(input as DeriveInput);
    domain::derive(input, &facade()).unwrap_or_else(Error::into_compile_error).into()
}

/// Makes the functions of an `impl` block the rules of a model whose states are of that type. It generates the
/// type of actions, `TypeAction`, and the function `Type::program`.
///
/// | attribute | on | meaning |
/// |---|---|---|
/// | `#[initial]` | `fn(cx?) -> Self`, or an iterator of them | initial states |
/// | `#[action]` | `fn(&mut self, cx?, parameters…)` | an action, for each value of its parameters |
/// | `#[invariant]` | `fn(&self, cx?) -> bool` | holds in every state |
/// | `#[reachable]` | `fn(&self, cx?) -> bool` | holds in some state |
/// | `#[accepting]` | `fn(&self, cx?) -> bool` | a run may end here; other states without actions are deadlocks |
/// | `#[within]` | `fn(&self, cx?) -> bool` | states outside are not explored |
/// | `#[proposition]` | `fn(&self, cx?) -> bool` | what formulas are about |
/// | `#[ltl("[] (a -> <> b)")]` | `const NAME: () = ();` | a temporal property |
/// | `#[view]` | `fn(&self, cx?) -> impl Debug` | shown in traces, no part of the state |
///
/// `cx` is a parameter of type `&Cx<'_>`, and in actions also `&mut Doing<'_>`. An action may say:
///
/// | | meaning |
/// |---|---|
/// | `when = EXPR` | it is possible only then. Operands of `&&` are evaluated as soon as the parameters that they mention are known, and kept with their text |
/// | `process = EXPR` | who acts: an individual, or a text |
/// | `kind = input` | or `output`, `hidden`, `cleanup`: for tests |
/// | `fair` | under weak fairness it does not wait for ever while it is possible |
///
/// A parameter `x: T` takes all values of `T: Domain`, `#[from(EXPR)] x: T` those of an iterator that may
/// mention `self` and earlier parameters, and `#[fresh] x: T` is a new individual of a dynamic sort.
///
/// ```
/// use quotient_model::{Shape, model};
/// #[derive(Clone, Debug, Default, Shape)]
/// struct Jug { litres: u8 }
/// #[model]
/// impl Jug {
///     #[initial]
///     fn empty() -> Self { Self::default() }
///     #[action(when = self.litres + more <= 5)]
///     fn fill(&mut self, #[from([2, 3])] more: u8) { self.litres += more; }
///     #[reachable]
///     fn is_full(&self) -> bool { self.litres == 5 }
/// }
/// Jug::program().check().assert_counts(5, 5);
/// ```
#[proc_macro_attribute]
pub fn model(arguments: proc_macro::TokenStream, item: proc_macro::TokenStream) -> proc_macro::TokenStream {
    generate::model(&arguments.into(), &item.into(), &library()).into()
}

/// `#[model]` for crates that depend on the façade.
///
/// ```
/// use quotient::model::{Shape, model};
/// #[derive(Clone, Debug, Default, Shape)]
/// struct Lamp { is_on: bool }
/// #[model]
/// impl Lamp {
///     #[initial]
///     fn off() -> Self { Self::default() }
///     #[action]
///     fn switch(&mut self) { self.is_on = !self.is_on; }
/// }
/// Lamp::program().check().assert_counts(2, 2);
/// ```
#[proc_macro_attribute]
pub fn quotient_model(
    arguments: proc_macro::TokenStream,
    item: proc_macro::TokenStream,
) -> proc_macro::TokenStream {
    generate::model(&arguments.into(), &item.into(), &facade()).into()
}
