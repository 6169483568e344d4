//! `#[derive(Shape)]`: how a type is walked, read back and compared, field by field.

use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use syn::{Data, DeriveInput, Error, Fields, Ident, Index, Type};

/// The bodies of the functions of `Shape`.
struct Bodies {
    types: Vec<Type>,
    walk: TokenStream,
    read: TokenStream,
    order: TokenStream,
}

pub fn derive(mut input: DeriveInput, library: &TokenStream) -> Result<TokenStream, Error> {
    let Bodies { types, walk, read, order } = match &input.data {
        Data::Struct(data) => of_struct(&data.fields, library),
        Data::Enum(data) if data.variants.is_empty() => {
            return Err(Error::new_spanned(
                &input.ident,
                "an enum without variants has no values, so it has no shape",
            ));
        }
        Data::Enum(data) => of_enum(data, library),
        Data::Union(_) => {
            return Err(Error::new_spanned(
                &input.ident,
                "a union has no shape: nothing says which of its fields is meant. Use an enum",
            ));
        }
    };
    for parameter in input.generics.type_params_mut() {
        parameter.bounds.push(syn::parse_quote!(#library::Shape));
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
        impl #generics #library::Shape for #name #arguments #conditions {
            const SORTED: bool = false #( || <#types as #library::Shape>::SORTED )*;
            fn sorts(to: &mut #library::Sorts) {
                if to.enters::<Self>() {
                    #( <#types as #library::Shape>::sorts(to); )*
                }
            }
            fn walk<V: #library::Visit>(&self, to: &mut V) { #walk }
            fn read(from: &mut #library::Reader<'_>) -> Self { #read }
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

fn of_struct(fields: &Fields, library: &TokenStream) -> Bodies {
    let types: Vec<Type> = fields.iter().map(|field| field.ty.clone()).collect();
    let members = members(fields);
    Bodies {
        walk: quote! {
            to.begin(1);
            #( to.cut(); #library::Shape::walk(&self.#members, to); )*
            to.end(1);
        },
        read: quote! {
            from.begin(1);
            let value = Self { #( #members: { from.cut(); #library::Shape::read(from) } ),* };
            from.end(1);
            value
        },
        order: quote! {
            ::std::cmp::Ordering::Equal
                #( .then_with(|| #library::Shape::order(&self.#members, &other.#members)) )*
        },
        types,
    }
}

fn of_enum(data: &syn::DataEnum, library: &TokenStream) -> Bodies {
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
                #( #library::Shape::walk(#ours, to); )*
            }
        });
        reads.push(quote!(#number => Self::#name { #( #members: #library::Shape::read(from) ),* },));
        orders.push(quote! {
            (Self::#name { #( #members: #ours ),* }, Self::#name { #( #members: #theirs ),* }) =>
                ::std::cmp::Ordering::Equal
                    #( .then_with(|| #library::Shape::order(#ours, #theirs)) )*,
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
