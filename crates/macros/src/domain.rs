//! `#[derive(Domain)]`: all values of a type, variant by variant and field by field.

use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use syn::{Data, DeriveInput, Error, Fields, Index};

pub fn derive(mut input: DeriveInput, library: &TokenStream) -> Result<TokenStream, Error> {
    let variants = match &input.data {
        Data::Struct(data) => vec![values(&quote!(Self), &data.fields, library)],
        Data::Enum(data) => {
            let of = |variant: &syn::Variant| {
                let name = &variant.ident;
                values(&quote!(Self::#name), &variant.fields, library)
            };
            data.variants.iter().map(of).collect()
        }
        Data::Union(_) => {
            return Err(Error::new_spanned(&input.ident, "a union has no domain. Use an enum"));
        }
    };
    for parameter in input.generics.type_params_mut() {
        parameter.bounds.push(syn::parse_quote!(#library::Domain));
    }
    let name = &input.ident;
    let (generics, arguments, conditions) = input.generics.split_for_impl();
    Ok(quote! {
        #[automatically_derived]
        impl #generics #library::Domain for #name #arguments #conditions {
            fn values<Q: #library::Shape>(
                cx: &#library::Cx<'_>,
                state: &Q,
            ) -> impl ::std::iter::Iterator<Item = Self> + ::std::clone::Clone {
                let mut all = ::std::vec::Vec::new();
                #( #variants )*
                ::std::iter::IntoIterator::into_iter(all)
            }
        }
    })
}

/// A loop for each field.
fn values(constructor: &TokenStream, fields: &Fields, library: &TokenStream) -> TokenStream {
    let names: Vec<_> = (0..fields.len()).map(|at| format_ident!("field_{at}")).collect();
    let members = fields.iter().enumerate().map(|(at, field)| {
        let at = Index::from(at);
        field.ident.as_ref().map_or_else(|| quote!(#at), |name| quote!(#name))
    });
    let innermost = quote! {
        all.push(#constructor { #( #members: ::std::clone::Clone::clone(&#names) ),* });
    };
    fields.iter().zip(&names).rev().fold(innermost, |inner, (field, name)| {
        let field_type = &field.ty;
        quote! {
            for #name in <#field_type as #library::Domain>::values(cx, state) { #inner }
        }
    })
}
