//! The macros of model programs: `#[derive(Shape)]` for values of states.
//!
//! Each macro has two names. What it generates mentions the library by an absolute path, and that is
//! `quotient_model` for crates that depend on the library itself, and `quotient::model` for those that depend
//! on the façade, which renames the second one.

#![warn(missing_docs)]

mod shape;

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
#[proc_macro_derive(Shape)]
pub fn shape(input: proc_macro::TokenStream) -> proc_macro::TokenStream {
    let input = parse_macro_input!(input as DeriveInput);
    shape::derive(input, &library()).unwrap_or_else(Error::into_compile_error).into()
}

/// Derives `quotient::model::Shape`: the same for crates that depend on the façade.
#[proc_macro_derive(QuotientShape)]
pub fn quotient_shape(input: proc_macro::TokenStream) -> proc_macro::TokenStream {
    let input = parse_macro_input!(input as DeriveInput);
    shape::derive(input, &facade()).unwrap_or_else(Error::into_compile_error).into()
}
