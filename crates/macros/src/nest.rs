//! An action as loops over the values of its parameters. Each operand of `when` is evaluated as soon as the
//! parameters that it mentions are known: outside of the loops that do not matter to it.

use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, quote, quote_spanned};
use syn::Ident;
use syn::spanned::Spanned;

use crate::rules::{Action, Parameter, Source, mentions};

/// What actions are offered to. Parameters may have the same name.
pub fn offers() -> Ident {
    Ident::new("offers", Span::mixed_site())
}

/// The statements that offer an action with all arguments for which it is possible, and that say of others
/// which condition is false.
pub fn of(
    action: &Action,
    rule: usize,
    actions: &Ident,
    variant: &Ident,
    library: &TokenStream,
) -> TokenStream {
    let names: Vec<&Ident> = action.parameters.iter().map(|parameter| &parameter.name).collect();
    let arguments = action.parameters.iter().map(Parameter::copied);
    let offers = offers();
    let offer = quote! {
        #offers.offer(#actions::#variant { #( #names: #arguments ),* });
    };
    let cx = action.cx.as_ref().filter(|cx| *cx != "cx").map(|name| quote!(let #name = cx;));
    // How many parameters are known where an operand is evaluated.
    let depth = |at: usize| {
        let tokens = action.when[at].to_token_stream();
        names.iter().rposition(|name| mentions(tokens.clone(), name)).map_or(0, |last| last + 1)
    };
    let depths: Vec<usize> = (0..action.when.len()).map(depth).collect();
    let mut inner = offer;
    for known in (0..=action.parameters.len()).rev() {
        for at in (0..action.when.len()).rev().filter(|&at| depths[at] == known) {
            inner = condition(action, rule, at, known, &inner);
        }
        if known > 0 {
            inner = each(action, known - 1, &inner, library);
        }
    }
    quote!({ #cx #inner })
}

fn condition(action: &Action, rule: usize, at: usize, known: usize, inner: &TokenStream) -> TokenStream {
    let operand = &action.when[at];
    let bound = action.parameters[..known].iter().map(|Parameter { name, .. }| {
        let text = name.to_string();
        quote!((#text, &#name as &dyn ::std::fmt::Debug))
    });
    let (is_possible, offers) = (Ident::new("is_possible", Span::mixed_site()), offers());
    let evaluated = quote_spanned!(operand.span()=> let #is_possible: bool = #operand;);
    quote! {
        #evaluated
        if #is_possible {
            #inner
        } else {
            #offers.refuse(&Self::RULES[#rule], #at, &[#( #bound ),*]);
        }
    }
}

/// A loop over the values of a parameter.
fn each(action: &Action, at: usize, inner: &TokenStream, library: &TokenStream) -> TokenStream {
    let Parameter { name, of, source, is_reference } = &action.parameters[at];
    let values = match source {
        Source::Domain => quote_spanned!(of.span()=> <#of as #library::Domain>::values(cx, self)),
        Source::From(values) => values.to_token_stream(),
        Source::Fresh => {
            // Not one of those before it.
            let before = action.parameters[..at].iter().filter(|other| matches!(other.source, Source::Fresh));
            let before: Vec<TokenStream> = before.map(Parameter::copied).collect();
            if before.is_empty() {
                quote_spanned!(of.span()=> cx.fresh::<#of>(self))
            } else {
                quote_spanned! {of.span()=>
                    cx.fresh::<#of>(&(::std::clone::Clone::clone(self), #( #before ),*))
                }
            }
        }
    };
    let referred = is_reference.then(|| quote!(let #name: &#of = &#name;));
    quote! {
        for #name in #values {
            let #name: #of = #name;
            #referred
            #inner
        }
    }
}
