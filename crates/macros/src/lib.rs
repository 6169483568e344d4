//! `#[derive(Shape)]`: how a type of a model program is walked, read back and compared, field by field.

#![warn(missing_docs)]

use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use syn::{Data, DeriveInput, Error, Fields, Ident, Index, Type, parse_macro_input};

/// Derives `quotient_model::Shape` for a struct or an enum whose fields have shapes.
#[proc_macro_derive(Shape)]
pub fn shape(input: proc_macro::TokenStream) -> proc_macro::TokenStream {
    let input = parse_macro_input!(input as DeriveInput);
    derive(input).unwrap_or_else(Error::into_compile_error).into()
}

/// The bodies of the functions of `Shape`.
struct Bodies {
    types: Vec<Type>,
    walk: TokenStream,
    read: TokenStream,
    order: TokenStream,
}

fn derive(mut input: DeriveInput) -> Result<TokenStream, Error> {
    let Bodies { types, walk, read, order } = match &input.data {
        Data::Struct(data) => of_struct(&data.fields),
        Data::Enum(data) if data.variants.is_empty() => {
            return Err(Error::new_spanned(
                &input.ident,
                "an enum without variants has no values, so it has no shape",
            ));
        }
        Data::Enum(data) => of_enum(data),
        Data::Union(_) => {
            return Err(Error::new_spanned(
                &input.ident,
                "a union has no shape: nothing says which of its fields is meant. Use an enum",
            ));
        }
    };
    for parameter in input.generics.type_params_mut() {
        parameter.bounds.push(syn::parse_quote!(::quotient_model::Shape));
    }
    if let Some(lifetime) = input.generics.lifetimes().next() {
        return Err(Error::new_spanned(
            lifetime,
            "a state owns its values: a type that borrows has no shape",
        ));
    }
    let name = &input.ident;
    let (generics, arguments, conditions) = input.generics.split_for_impl();
    Ok(quote! {
        impl #generics ::quotient_model::Shape for #name #arguments #conditions {
            const SORTED: bool = false #( || <#types as ::quotient_model::Shape>::SORTED )*;
            fn sorts(to: &mut ::quotient_model::Sorts) {
                if to.enters::<Self>() {
                    #( <#types as ::quotient_model::Shape>::sorts(to); )*
                }
            }
            fn walk<V: ::quotient_model::Visit>(&self, to: &mut V) { #walk }
            fn read(from: &mut ::quotient_model::Reader<'_>) -> Self { #read }
            fn order(&self, other: &Self) -> ::std::cmp::Ordering { #order }
        }
    })
}

/// The fields by name, or by number if they have no names.
fn members(fields: &Fields) -> Vec<TokenStream> {
    let member = |(at, field): (usize, &syn::Field)| {
        let at = Index::from(at);
        field.ident.as_ref().map_or_else(|| quote!(#at), |name| quote!(#name))
    };
    fields.iter().enumerate().map(member).collect()
}

fn of_struct(fields: &Fields) -> Bodies {
    let types: Vec<Type> = fields.iter().map(|field| field.ty.clone()).collect();
    let members = members(fields);
    Bodies {
        walk: quote! {
            to.begin(1);
            #( to.cut(); ::quotient_model::Shape::walk(&self.#members, to); )*
            to.end(1);
        },
        read: quote! {
            from.begin(1);
            let value = Self { #( #members: { from.cut(); ::quotient_model::Shape::read(from) } ),* };
            from.end(1);
            value
        },
        order: quote! {
            ::std::cmp::Ordering::Equal
                #( .then_with(|| ::quotient_model::Shape::order(&self.#members, &other.#members)) )*
        },
        types,
    }
}

fn of_enum(data: &syn::DataEnum) -> Bodies {
    let width = u64::BITS - (data.variants.len() as u64 - 1).leading_zeros();
    let (mut walks, mut reads, mut orders, mut ranks) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    let mut types = Vec::new();
    for (number, variant) in data.variants.iter().enumerate() {
        let (number, name) = (number as u64, &variant.ident);
        types.extend(variant.fields.iter().map(|field| field.ty.clone()));
        let members = members(&variant.fields);
        let ours: Vec<Ident> = (0..members.len()).map(|at| format_ident!("ours_{at}")).collect();
        let theirs: Vec<Ident> = (0..members.len()).map(|at| format_ident!("theirs_{at}")).collect();
        walks.push(quote! {
            Self::#name { #( #members: #ours ),* } => {
                to.bits(#number, #width);
                #( ::quotient_model::Shape::walk(#ours, to); )*
            }
        });
        reads.push(quote!(#number => Self::#name { #( #members: ::quotient_model::Shape::read(from) ),* },));
        orders.push(quote! {
            (Self::#name { #( #members: #ours ),* }, Self::#name { #( #members: #theirs ),* }) =>
                ::std::cmp::Ordering::Equal
                    #( .then_with(|| ::quotient_model::Shape::order(#ours, #theirs)) )*,
        });
        ranks.push(quote!(Self::#name { .. } => #number,));
    }
    Bodies {
        types,
        walk: quote!(match self { #(#walks)* }),
        read: quote! {
            match from.bits(#width) { #(#reads)* _ => unreachable!("no such variant was written") }
        },
        order: quote! {
            let rank = |value: &Self| -> u64 { match value { #(#ranks)* } };
            match (self, other) {
                #(#orders)*
                #[allow(unreachable_patterns)]
                _ => rank(self).cmp(&rank(other)),
            }
        },
    }
}
