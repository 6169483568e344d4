//! `#[derive(Shape)]`: how a type is walked, read back and compared, field by field.

use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use syn::ext::IdentExt;
use syn::{Data, DeriveInput, Error, Fields, Ident, Index, Type};

/// The bodies of the functions of `Shape`.
struct Bodies {
    types: Vec<Type>,
    walk: TokenStream,
    /// With the value that was walked before.
    walk_after: TokenStream,
    read: TokenStream,
    /// Where it was read before, for a struct.
    read_again: Option<TokenStream>,
    most_bits: TokenStream,
    order: TokenStream,
    term: TokenStream,
    variant: TokenStream,
    assign: TokenStream,
    /// The names of the variants; that of a struct.
    names: Vec<String>,
}

pub fn derive(mut input: DeriveInput, library: &TokenStream) -> Result<TokenStream, Error> {
    let Bodies { types, walk, walk_after, read, read_again, most_bits, order, term, variant, assign, names } =
        match &input.data {
            Data::Struct(data) => of_struct(&input.ident, &data.fields, library),
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
            fn walk<ShapeVisitor: #library::Visit>(&self, to: &mut ShapeVisitor) { #walk }
            fn walk_after<ShapeVisitor: #library::Visit>(&self, last: ::core::option::Option<&Self>, to: &mut ShapeVisitor) {
                #walk_after
            }
            fn read(from: &mut #library::Reader<'_>) -> Self { #read }
            #read_again
            fn most_bits(sorts: &#library::Sorts) -> ::core::option::Option<u32> {
                let _ = sorts;
                ::core::option::Option::Some(#most_bits)
            }
            const VARIANTS: &'static [&'static str] = &[ #( #names ),* ];
            fn variant(&self) -> usize { #variant }
            fn term(&self) -> #library::Term { #term }
            fn assign(&mut self, other: &Self) { #assign }
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

/// The term of a struct or a variant whose fields are behind these expressions.
fn term(
    function: &Ident,
    name: &Ident,
    fields: &Fields,
    values: &[TokenStream],
    library: &TokenStream,
) -> TokenStream {
    let terms = values.iter().map(|value| quote!(#library::Shape::term(#value)));
    let name = name.unraw().to_string();
    if let Fields::Named(named) = fields {
        let names = named.named.iter().filter_map(|field| Some(field.ident.as_ref()?.unraw().to_string()));
        let function = format_ident!("{function}_with");
        quote!(#library::Term::#function(#name, vec![ #( (#names, #terms) ),* ]))
    } else {
        quote!(#library::Term::#function(#name, vec![ #( #terms ),* ]))
    }
}

fn of_struct(name: &Ident, fields: &Fields, library: &TokenStream) -> Bodies {
    let types: Vec<Type> = fields.iter().map(|field| field.ty.clone()).collect();
    let members = members(fields);
    let values: Vec<TokenStream> = members.iter().map(|member| quote!(&self.#member)).collect();
    Bodies {
        term: term(&format_ident!("tuple"), name, fields, &values, library),
        variant: quote!(0),
        assign: quote!( #( #library::Shape::assign(&mut self.#members, &other.#members); )* ),
        names: vec![name.unraw().to_string()],
        walk: quote! {
            #library::Shape::walk_after(self, ::core::option::Option::None, to);
        },
        walk_after: quote! {
            to.begin(1);
            #( to.field(&self.#members, last.map(|last| &last.#members)); )*
            to.end(1);
        },
        read: quote! {
            from.begin(1);
            let value = Self { #( #members: { from.cut(); #library::Shape::read(from) } ),* };
            from.end(1);
            value
        },
        read_again: Some(quote! {
            const IS_STRUCT: bool = true;
            fn read_again(&mut self, from: &mut #library::Reader<'_>) {
                from.begin(1);
                #( from.field(&mut self.#members); )*
                from.end(1);
            }
        }),
        most_bits: quote!(0 #( + <#types as #library::Shape>::most_bits(sorts)? )*),
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
    let (mut terms, mut assigns, mut widths) = (Vec::new(), Vec::new(), Vec::new());
    let mut types = Vec::new();
    for (number, variant) in data.variants.iter().enumerate() {
        let (number, name) = (number as u64, &variant.ident);
        types.extend(variant.fields.iter().map(|field| field.ty.clone()));
        let fields = variant.fields.iter().map(|field| &field.ty);
        widths.push(quote!(0 #( + <#fields as #library::Shape>::most_bits(sorts)? )*));
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
        let values: Vec<TokenStream> = ours.iter().map(|ours| quote!(#ours)).collect();
        let term = term(&format_ident!("variant"), name, &variant.fields, &values, library);
        terms.push(quote!(Self::#name { #( #members: #ours ),* } => #term,));
        assigns.push(quote! {
            (Self::#name { #( #members: #ours ),* }, Self::#name { #( #members: #theirs ),* }) => {
                #( #library::Shape::assign(#ours, #theirs); )*
            }
        });
        let rank = number as usize;
        ranks.push(quote!(Self::#name { .. } => #rank,));
    }
    Bodies {
        types,
        term: quote!(match self { #(#terms)* }),
        variant: quote!(match self { #(#ranks)* }),
        assign: quote! {
            match (&mut *self, other) {
                #(#assigns)*
                #[allow(unreachable_patterns)]
                _ => *self = ::std::clone::Clone::clone(other),
            }
        },
        names: data.variants.iter().map(|variant| variant.ident.unraw().to_string()).collect(),
        walk: quote!(match self { #(#walks)* }),
        walk_after: quote! {
            let _ = last;
            #library::Shape::walk(self, to);
        },
        read: quote! {
            match from.bits(#width) { #(#reads)* _ => unreachable!("no such variant was written") }
        },
        read_again: None,
        most_bits: quote!(#width + [ #( #widths ),* ].into_iter().max().unwrap_or(0)),
        order: quote! {
            match (self, other) {
                #(#orders)*
                #[allow(unreachable_patterns)]
                _ => #library::Shape::variant(self).cmp(&#library::Shape::variant(other)),
            }
        },
    }
}
