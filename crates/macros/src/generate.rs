//! The code that `#[model]` generates from the rules of a block: the type of actions, `Type::program`, and an
//! implementation of `Ruled`, which the library takes as a model.

use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, format_ident, quote, quote_spanned};
use syn::ext::IdentExt;
use syn::spanned::Spanned;
use syn::{Error, Ident, ItemImpl, Type};

use crate::rules::{self, Action, Condition, Fair, Given, Mistakes, Rules};
use crate::{nest, text};

pub fn model(arguments: &TokenStream, item: &TokenStream, library: &TokenStream) -> TokenStream {
    let mut mistakes = Mistakes::default();
    if !arguments.is_empty() {
        mistakes.add(Error::new_spanned(arguments, "`#[model]` takes no arguments"));
    }
    let mut block: ItemImpl = match syn::parse2(item.clone()) {
        Ok(block) => block,
        Err(error) => {
            let is_impl = item.clone().into_iter().any(|token| token.to_string() == "impl");
            let text =
                "`#[model]` is for the `impl` block of the type of states: `#[model] impl State { … }`";
            let error = if is_impl { error } else { Error::new(Span::call_site(), text) };
            let error = error.into_compile_error();
            return quote!(#error #item);
        }
    };
    let rules = rules::read(&mut block, &mut mistakes);
    let name = state_name(&block.self_ty, &mut mistakes);
    if let Some(error) = mistakes.into_error() {
        // The functions stay, so that nothing else is reported as missing.
        let error = error.into_compile_error();
        return quote!(#error #block);
    }
    let Some(name) = name else { return quote!(#block) };
    let generated =
        Generator { library, block: &block, actions: format_ident!("{name}Action"), rules: &rules };
    let code = generated.code();
    quote!(#block #code)
}

/// What the type of states is called.
fn state_name(of: &Type, mistakes: &mut Mistakes) -> Option<Ident> {
    if let Type::Path(path) = of
        && let Some(last) = path.path.segments.last()
    {
        return Some(last.ident.clone());
    }
    mistakes.add(Error::new_spanned(of, "`#[model]` needs a named type of states"));
    None
}

/// `tm_commit` as `TmCommit`.
pub fn variant(name: &Ident) -> Ident {
    let mut camel = String::new();
    for part in name.unraw().to_string().split('_') {
        let mut letters = part.chars();
        camel.extend(letters.next().into_iter().flat_map(char::to_uppercase));
        camel.extend(letters);
    }
    Ident::new(&camel, name.span())
}

struct Generator<'a> {
    library: &'a TokenStream,
    block: &'a ItemImpl,
    actions: Ident,
    rules: &'a Rules,
}

impl Generator<'_> {
    fn code(&self) -> TokenStream {
        let Self { library, actions, rules, block } = self;
        let state = &block.self_ty;
        let (variants, table) = (self.variants(), self.table());
        let offers = rules
            .actions
            .iter()
            .enumerate()
            .map(|(rule, action)| nest::of(action, rule, actions, &variant(&action.name), library));
        let takes = rules.actions.iter().map(|action| self.take(action));
        let initial = rules.initial.iter().map(|initial| {
            let (name, given) = (&initial.name, given(&initial.given, &quote!(cx)));
            if initial.is_single {
                quote_spanned!(name.span()=> out.push(Self::#name(#( #given ),*));)
            } else {
                quote_spanned!(name.span()=> out.extend(Self::#name(#( #given ),*));)
            }
        });
        let offers_to = nest::offers();
        let (properties, functions, checks) = (self.properties(), self.functions(), self.checks());
        let about = format!("The program of this model. Its actions are [`{actions}`].");
        let about_actions = format!("The actions of [`{}`].", text::of(state.to_token_stream()));
        quote! {
            #[doc = #about_actions]
            #[allow(private_interfaces, missing_docs, clippy::all, clippy::pedantic)]
            #[derive(::std::clone::Clone, ::std::fmt::Debug, #library::Shape)]
            pub enum #actions { #variants }

            impl #state {
                #[doc = #about]
                pub fn program() -> #library::Program<#library::Rules<Self>> {
                    #library::Program::new(#library::Rules::new())
                }
            }

            #[automatically_derived]
            #[allow(unused_variables, unused_parens, unused_braces, for_loops_over_fallibles, clippy::all, clippy::pedantic)]
            impl #library::Ruled for #state {
                type Action = #actions;
                const RULES: &'static [#library::Rule] = &[#table];
                fn initial(cx: &#library::Cx<'_>, out: &mut ::std::vec::Vec<Self>) { #( #initial )* }
                fn offer<Q: #library::Offers<#actions>>(&self, cx: &#library::Cx<'_>, #offers_to: &mut Q) {
                    #( #offers )*
                }
                fn take(&mut self, doing: &mut #library::Doing<'_>, action: &#actions) {
                    match action { #( #takes )* }
                }
                fn properties(to: &mut #library::Properties<Self>) { #properties }
                #functions
            }

            #checks
        }
    }

    /// What the compiler is to check of the types of parameters.
    fn checks(&self) -> TokenStream {
        let library = self.library;
        let parameters = self.rules.actions.iter().flat_map(|action| &action.parameters);
        let fresh = parameters.filter(|parameter| matches!(parameter.source, rules::Source::Fresh));
        let check = |rules::Parameter { of, .. }: &rules::Parameter| {
            quote_spanned! {of.span()=>
                const _: () = ::std::assert!(
                    <#of as #library::Individual>::DYNAMIC,
                    "only a dynamic sort has new individuals: `sort! {{ struct Name: dynamic; }}`"
                );
            }
        };
        fresh.map(check).collect()
    }

    fn variants(&self) -> TokenStream {
        let of = |action: &Action| {
            let variant = variant(&action.name);
            let about = format!("`{}`", action.name);
            let names = action.parameters.iter().map(|parameter| &parameter.name);
            let types = action.parameters.iter().map(|parameter| &parameter.of);
            let fields = (!action.parameters.is_empty()).then(|| quote!({ #( #names: #types ),* }));
            quote!(#[doc = #about] #variant #fields,)
        };
        self.rules.actions.iter().map(of).collect()
    }

    /// The names of actions, with the texts and places of their conditions.
    fn table(&self) -> TokenStream {
        let library = self.library;
        let of = |action: &Action| {
            let name = variant(&action.name).to_string();
            let conditions = action.when.iter().map(|operand| {
                let text = text::of(operand.to_token_stream());
                let place = quote_spanned! {operand.span()=>
                    ::std::concat!(::std::file!(), ":", ::std::line!(), ":", ::std::column!())
                };
                quote!(#library::When { text: #text, place: #place })
            });
            quote!(#library::Rule { name: #name, when: &[#( #conditions ),*] },)
        };
        self.rules.actions.iter().map(of).collect()
    }

    fn take(&self, action: &Action) -> TokenStream {
        let (actions, name, variant) = (&self.actions, &action.name, variant(&action.name));
        let names: Vec<&Ident> = action.parameters.iter().map(|parameter| &parameter.name).collect();
        let given = action.given.iter().map(|given| match *given {
            Given::Cx => quote!(doing.cx()),
            Given::Doing => quote!(doing),
            Given::Parameter(at) => {
                let name = format_ident!("parameter_{at}");
                if action.parameters[at].is_reference {
                    quote!(#name)
                } else {
                    quote!(::std::clone::Clone::clone(#name))
                }
            }
        });
        let bound = (0..names.len()).map(|at| format_ident!("parameter_{at}"));
        let call = quote_spanned!(name.span()=> Self::#name(self, #( #given ),*));
        let call = if let Some(answer) = &action.answer {
            let output = quote_spanned!(answer.span()=> doing.output(&answer););
            quote!({ let answer = #call; #output })
        } else {
            quote!({ #call; })
        };
        quote!(#actions::#variant { #( #names: #bound ),* } => #call)
    }

    fn properties(&self) -> TokenStream {
        let Self { library, rules, .. } = self;
        let mut all = TokenStream::new();
        for (function, conditions) in [
            (quote!(invariant), &rules.invariants),
            (quote!(reachable), &rules.reachable),
            (quote!(proposition), &rules.propositions),
        ] {
            for condition in conditions {
                let (text, call) = (condition.name.unraw().to_string(), self.call(condition));
                all.extend(match &condition.of {
                    None => quote!(to.#function(#text, |cx, state| { let holds: bool = #call; holds });),
                    Some(of) => quote! {
                        to.proposition_of::<#of>(#text, |cx, state, parameter_0| { let holds: bool = #call; holds });
                    },
                });
            }
        }
        for view in &rules.views {
            let (text, call) = (view.name.unraw().to_string(), self.call(view));
            all.extend(quote! {
                to.view(#text, |cx, state| #library::AsIs(::std::format!("{:?}", #call)));
            });
        }
        for rules::Formula { name, text, each } in &rules.formulas {
            let name = name.unraw().to_string();
            all.extend(match each {
                None => quote!(to.ltl(#name, #text);),
                Some(each) => quote!(to.forall::<#each>(#name, #text);),
            });
        }
        for action in &rules.actions {
            let name = variant(&action.name).to_string();
            all.extend(action.fair.map(|fair| match fair {
                Fair::Weakly => quote!(to.weakly_fair(#name);),
                Fair::Strongly => quote!(to.strongly_fair(#name);),
            }));
        }
        all
    }

    /// A call of a function of `state`.
    #[allow(clippy::unused_self, reason = "like the others")]
    fn call(&self, condition: &Condition) -> TokenStream {
        let (name, given) = (&condition.name, given(&condition.given, &quote!(cx)));
        quote_spanned!(name.span()=> Self::#name(state, #( #given ),*))
    }

    /// The functions that have defaults.
    fn functions(&self) -> TokenStream {
        let Self { library, actions, rules, .. } = self;
        let mut all = TokenStream::new();
        for (function, condition) in [(quote!(accepting), &rules.accepting), (quote!(within), &rules.within)]
        {
            all.extend(condition.as_ref().map(|condition| {
                let call = self.call(condition);
                quote! {
                    fn #function(&self, cx: &#library::Cx<'_>) -> bool {
                        let state = self;
                        #call
                    }
                }
            }));
        }
        let processes: Vec<TokenStream> = rules
            .actions
            .iter()
            .filter_map(|action| {
                let (process, variant) = (action.process.as_ref()?, variant(&action.name));
                let names: Vec<&Ident> = action.parameters.iter().map(|parameter| &parameter.name).collect();
                let owned = action.parameters.iter().filter(|parameter| !parameter.is_reference);
                let owned: Vec<&Ident> = owned.map(|parameter| &parameter.name).collect();
                let converted = quote_spanned! {process.span()=>
                    ::std::convert::Into::<#library::Process>::into(#process)
                };
                Some(quote! {
                    #actions::#variant { #( #names ),* } => {
                        #( let #owned = ::std::clone::Clone::clone(#owned); )*
                        #converted
                    }
                })
            })
            .collect();
        if !processes.is_empty() {
            all.extend(quote! {
                fn process(cx: &#library::Cx<'_>, action: &#actions) -> #library::Process {
                    #[allow(unreachable_patterns)]
                    match action { #( #processes )* _ => #library::Process::Whole }
                }
            });
        }
        let roles: Vec<TokenStream> = rules
            .actions
            .iter()
            .filter_map(|action| {
                let (role, name) = (variant(action.kind.as_ref()?), variant(&action.name));
                Some(quote!(#actions::#name { .. } => #library::Role::#role,))
            })
            .collect();
        if !roles.is_empty() {
            all.extend(quote! {
                fn role(action: &#actions) -> #library::Role {
                    #[allow(unreachable_patterns)]
                    match action { #( #roles )* _ => #library::Role::Input }
                }
            });
        }
        all
    }
}

fn given(given: &[Given], cx: &TokenStream) -> Vec<TokenStream> {
    let of = |given: &Given| match given {
        Given::Parameter(at) => format_ident!("parameter_{at}").into_token_stream(),
        Given::Cx | Given::Doing => cx.clone(),
    };
    given.iter().map(of).collect()
}
