//! What an `impl` block says: its functions by their roles.
//!
//! Every mistake is told at the tokens that are wrong, and all mistakes of a block at once.

use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, quote};
use syn::parse::{Parse, ParseStream};
use syn::punctuated::Punctuated;
use syn::spanned::Spanned;
use syn::{
    Attribute, BinOp, Error, Expr, ExprBinary, FnArg, Ident, ImplItem, ImplItemFn, ItemImpl, LitStr, Pat,
    ReceiverKind, ReturnType, Token, Type,
};

/// What the attributes of one `impl` block say.
#[derive(Default)]
pub struct Rules {
    pub initial: Vec<Initial>,
    pub actions: Vec<Action>,
    pub invariants: Vec<Condition>,
    pub reachable: Vec<Condition>,
    pub propositions: Vec<Condition>,
    pub views: Vec<Condition>,
    pub accepting: Option<Condition>,
    pub within: Option<Condition>,
    pub formulas: Vec<Formula>,
}

/// What a function is given besides the parameters of the model.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Given {
    Cx,
    Doing,
    /// The parameter with this number.
    Parameter(usize),
}

/// A function that makes initial states.
pub struct Initial {
    pub name: Ident,
    pub given: Vec<Given>,
    /// It makes one state, not several.
    pub is_single: bool,
}

/// A function of a state.
pub struct Condition {
    pub name: Ident,
    pub given: Vec<Given>,
    /// The individual that it is about.
    pub of: Option<Type>,
}

/// A temporal property.
pub struct Formula {
    pub name: Ident,
    pub text: LitStr,
    pub each: Option<Type>,
}

/// An action.
pub struct Action {
    pub name: Ident,
    pub given: Vec<Given>,
    pub parameters: Vec<Parameter>,
    /// The operands of `when`.
    pub when: Vec<Expr>,
    pub process: Option<Expr>,
    pub kind: Option<Ident>,
    pub fair: Option<Fair>,
    /// The type of what an implementation must answer.
    pub answer: Option<Type>,
    /// What the function calls its `Cx`.
    pub cx: Option<Ident>,
}

#[derive(Clone, Copy)]
pub enum Fair {
    Weakly,
    Strongly,
}

/// A parameter of an action.
pub struct Parameter {
    pub name: Ident,
    /// Without the `&` in front of it.
    pub of: Type,
    pub is_reference: bool,
    pub source: Source,
}

impl Parameter {
    /// A copy of its value.
    pub fn copied(&self) -> TokenStream {
        let name = &self.name;
        let borrow = (!self.is_reference).then(|| quote!(&));
        quote!(::std::clone::Clone::clone(#borrow #name))
    }
}

/// Where the values of a parameter come from.
pub enum Source {
    Domain,
    From(Box<Expr>),
    Fresh,
}

/// The attributes that give a function its role.
const ROLES: [&str; 9] =
    ["initial", "action", "invariant", "reachable", "proposition", "view", "accepting", "within", "ltl"];

/// Several mistakes as one.
#[derive(Default)]
pub struct Mistakes(Option<Error>);

impl Mistakes {
    pub fn add(&mut self, error: Error) {
        match &mut self.0 {
            Some(all) => all.combine(error),
            None => self.0 = Some(error),
        }
    }

    fn at(&mut self, place: impl ToTokens, text: impl std::fmt::Display) {
        self.add(Error::new_spanned(place, text));
    }

    pub fn into_error(self) -> Option<Error> {
        self.0
    }
}

/// Takes the attributes of this library off the block, and says what they mean.
pub fn read(block: &mut ItemImpl, mistakes: &mut Mistakes) -> Rules {
    let mut rules = Rules::default();
    if let Some((path, _)) = &block.trait_ {
        mistakes.at(path, "`#[model]` is for the functions of the type of states itself: `impl State { … }`, without a trait");
    }
    if !block.generics.params.is_empty() {
        mistakes.at(
            &block.generics,
            "a model has no generic parameters: its states are of one type. Write `impl State<Concrete> { … }`",
        );
    }
    let mut kept = Vec::new();
    for mut item in std::mem::take(&mut block.items) {
        match &mut item {
            ImplItem::Fn(function) => function_role(function, &mut rules, mistakes),
            ImplItem::Const(constant) => {
                if let Some(attribute) = role(&mut constant.attrs, mistakes) {
                    if attribute.path().is_ident("ltl") {
                        rules.formulas.extend(formula(&attribute, constant.ident.clone(), mistakes));
                        continue;
                    }
                    mistakes.at(&attribute, "only `#[ltl(\"…\")]` is for constants; this is for functions");
                }
            }
            _ => {}
        }
        kept.push(item);
    }
    block.items = kept;
    for (number, action) in rules.actions.iter().enumerate() {
        let variant = crate::generate::variant(&action.name);
        if rules.actions[..number].iter().any(|other| crate::generate::variant(&other.name) == variant) {
            mistakes.at(&action.name, format!("another action is called `{variant}`, too"));
        }
    }
    if rules.initial.is_empty() {
        mistakes.at(
            &block.self_ty,
            "a model needs an initial state: mark the function that makes it with `#[initial]`, as in\n    \
             #[initial]\n    fn start() -> Self { … }",
        );
    }
    if rules.actions.is_empty() {
        mistakes.at(
            &block.self_ty,
            "a model needs an action: mark a function that changes the state with `#[action]`, as in\n    \
             #[action(when = self.count < 3)]\n    fn increment(&mut self) { self.count += 1; }",
        );
    }
    rules
}

/// The only attribute of an item that gives it a role, which is taken off.
fn role(attributes: &mut Vec<Attribute>, mistakes: &mut Mistakes) -> Option<Attribute> {
    let is_role = |attribute: &Attribute| ROLES.iter().any(|role| attribute.path().is_ident(role));
    let roles: Vec<Attribute> = attributes.extract_if(.., |attribute| is_role(attribute)).collect();
    for second in roles.iter().skip(1) {
        mistakes.at(second, "a function has one role: write a second function that calls this one");
    }
    roles.into_iter().next()
}

fn function_role(function: &mut ImplItemFn, rules: &mut Rules, mistakes: &mut Mistakes) {
    let Some(attribute) = role(&mut function.attrs, mistakes) else {
        return stray(function, mistakes);
    };
    // The role decides what a function takes, whether it needs it or not.
    function.attrs.push(syn::parse_quote!(
        #[allow(unused_variables, clippy::unused_self, clippy::trivially_copy_pass_by_ref, clippy::needless_pass_by_value)]
    ));
    let signature = &function.sig;
    let refused = [
        signature.asyncness.map(|token| token.span),
        (!matches!(signature.safety, syn::Safety::Default)).then(|| signature.safety.span()),
        (!signature.generics.params.is_empty()).then(|| signature.generics.span()),
    ];
    for span in refused.into_iter().flatten() {
        mistakes
            .add(Error::new(span, "a function of a model is a plain function, without generic parameters"));
    }
    let name = attribute.path().get_ident().map(ToString::to_string).unwrap_or_default();
    if !["action", "ltl"].contains(&name.as_str())
        && let syn::Meta::List(list) = &attribute.meta
    {
        mistakes.at(&list.tokens, format!("`#[{name}]` takes no arguments"));
    }
    match name.as_str() {
        "initial" => rules.initial.extend(initial(function, mistakes)),
        "action" => rules.actions.push(action(function, &attribute, mistakes)),
        "invariant" => rules.invariants.extend(condition(function, &name, mistakes)),
        "reachable" => rules.reachable.extend(condition(function, &name, mistakes)),
        "proposition" => rules.propositions.extend(condition(function, &name, mistakes)),
        "view" => rules.views.extend(condition(function, &name, mistakes)),
        "accepting" => only(&mut rules.accepting, condition(function, &name, mistakes), &attribute, mistakes),
        "within" => only(&mut rules.within, condition(function, &name, mistakes), &attribute, mistakes),
        _ => mistakes.at(
            &attribute,
            "a formula belongs to a constant: `#[ltl(\"[] (a -> <> b)\")] const NAME: () = ();`",
        ),
    }
}

/// A function without a role has no attributes of parameters.
fn stray(function: &ImplItemFn, mistakes: &mut Mistakes) {
    for argument in &function.sig.inputs {
        let FnArg::Typed(typed) = argument else { continue };
        for attribute in &typed.attrs {
            if attribute.path().is_ident("from") || attribute.path().is_ident("fresh") {
                mistakes.at(attribute, "this is for parameters of actions: the function lacks `#[action]`");
            }
        }
    }
}

fn only(place: &mut Option<Condition>, new: Option<Condition>, at: &Attribute, mistakes: &mut Mistakes) {
    if place.is_some() {
        mistakes.at(at, "there is one already: join the two conditions by `&&`");
    }
    if new.is_some() {
        *place = new;
    }
}

/// The last part of the path of a type behind `&` or `&mut`.
fn referred(of: &Type) -> Option<(&Ident, bool)> {
    let Type::Reference(reference) = of else { return None };
    let Type::Path(path) = &*reference.elem else { return None };
    Some((&path.path.segments.last()?.ident, reference.mutability.is_some()))
}

fn is_cx(of: &Type) -> bool {
    referred(of).is_some_and(|(name, mutable)| name == "Cx" && !mutable)
}

fn is_doing(of: &Type) -> bool {
    referred(of).is_some_and(|(name, mutable)| name == "Doing" && mutable)
}

fn initial(function: &ImplItemFn, mistakes: &mut Mistakes) -> Option<Initial> {
    let name = function.sig.ident.clone();
    let mut given = Vec::new();
    for argument in &function.sig.inputs {
        match argument {
            FnArg::Receiver(receiver) => {
                mistakes.at(
                    receiver,
                    "there is no state yet: an `#[initial]` function makes it, and takes no `self`",
                );
                return None;
            }
            FnArg::Typed(typed) if is_cx(&typed.ty) => given.push(Given::Cx),
            FnArg::Typed(typed) => {
                mistakes.at(
                    typed,
                    "an `#[initial]` function may ask for `cx: &Cx<'_>`, and for nothing else. To begin in several \
                     states, return an iterator of them",
                );
                return None;
            }
        }
    }
    let ReturnType::Type(_, returned) = &function.sig.output else {
        mistakes
            .at(&function.sig, "an `#[initial]` function returns `Self`, or an iterator of initial states");
        return None;
    };
    let is_single = matches!(&**returned, Type::Path(path) if path.path.is_ident("Self"));
    Some(Initial { name, given, is_single })
}

fn condition(function: &ImplItemFn, role: &str, mistakes: &mut Mistakes) -> Option<Condition> {
    let signature = &function.sig;
    let mut arguments = signature.inputs.iter();
    let wanted = format!("`#[{role}]` is for functions of a state: `fn {}(&self) -> …`", signature.ident);
    match arguments.next() {
        Some(FnArg::Receiver(receiver)) if is_shared(receiver) => {}
        Some(first) => {
            mistakes.at(first, wanted);
            return None;
        }
        None => {
            mistakes.at(&signature.ident, wanted);
            return None;
        }
    }
    if let ReturnType::Default = signature.output {
        let returned = if role == "view" { "what is to be shown" } else { "`bool`" };
        mistakes.at(signature, format!("a function with `#[{role}]` returns {returned}"));
        return None;
    }
    let (mut given, mut of) = (Vec::new(), None);
    for argument in arguments {
        let FnArg::Typed(typed) = argument else { continue };
        if is_cx(&typed.ty) {
            given.push(Given::Cx);
        } else if role == "proposition" && of.is_none() {
            given.push(Given::Parameter(0));
            of = Some((*typed.ty).clone());
        } else {
            let more = if role == "proposition" { ", and for one individual" } else { "" };
            mistakes.at(
                typed,
                format!("a function with `#[{role}]` may ask for `cx: &Cx<'_>`{more}, and for nothing else"),
            );
            return None;
        }
    }
    Some(Condition { name: signature.ident.clone(), given, of })
}

fn is_shared(receiver: &syn::Receiver) -> bool {
    matches!(receiver.kind, ReceiverKind::Reference(_, _, None))
}

fn is_exclusive(receiver: &syn::Receiver) -> bool {
    matches!(receiver.kind, ReceiverKind::Reference(_, _, Some(_)))
}

/// `#[ltl("formula")]`, `#[ltl("formula", each = Sort)]`.
fn formula(attribute: &Attribute, name: Ident, mistakes: &mut Mistakes) -> Option<Formula> {
    let parse = |input: ParseStream<'_>| {
        let text = input.parse::<LitStr>().map_err(|error| {
            Error::new(error.span(), "a formula is a text over propositions: `#[ltl(\"[] (a -> <> b)\")]`")
        })?;
        let mut each = None;
        if input.parse::<Option<Token![,]>>()?.is_some() && !input.is_empty() {
            let key: Ident = input.parse()?;
            if key != "each" {
                return Err(Error::new(
                    key.span(),
                    "expected `each = Sort`: a formula about each of its individuals",
                ));
            }
            input.parse::<Token![=]>()?;
            each = Some(input.parse()?);
            input.parse::<Option<Token![,]>>()?;
        }
        Ok((text, each))
    };
    match attribute.parse_args_with(parse) {
        Ok((text, each)) => Some(Formula { name, text, each }),
        Err(error) => {
            mistakes.add(error);
            None
        }
    }
}

/// One argument of `#[action(…)]`.
enum Argument {
    When(Expr),
    Process(Expr),
    Kind(Ident),
    Fair(Fair),
}

impl Parse for Argument {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let key: Ident = input.call(syn::ext::IdentExt::parse_any)?;
        let value = |input: ParseStream<'_>| {
            if input.peek(Token![=]) && !input.peek(Token![==]) {
                input.parse::<Token![=]>().map(drop)
            } else {
                Err(Error::new(key.span(), format!("`{key}` needs a value: `{key} = …`")))
            }
        };
        match key.to_string().as_str() {
            "when" => value(input).and_then(|()| input.parse().map(Self::When)),
            "process" => value(input).and_then(|()| input.parse().map(Self::Process)),
            "kind" => {
                value(input)?;
                let kind: Ident = input.parse()?;
                match kind.to_string().as_str() {
                    "input" | "output" | "hidden" | "cleanup" => Ok(Self::Kind(kind)),
                    _ => Err(Error::new(
                        kind.span(),
                        "the kinds are `input`, `output`, `hidden` and `cleanup`",
                    )),
                }
            }
            "fair" if input.peek(Token![=]) => {
                value(input)?;
                let which: Ident = input.parse()?;
                match which.to_string().as_str() {
                    "weak" => Ok(Self::Fair(Fair::Weakly)),
                    "strong" => Ok(Self::Fair(Fair::Strongly)),
                    _ => Err(Error::new(
                        which.span(),
                        "fairness is `weak` or `strong`; `fair` alone means `weak`",
                    )),
                }
            }
            "fair" => Ok(Self::Fair(Fair::Weakly)),
            "if" | "guard" | "requires" | "enabled" | "pre" => Err(Error::new(
                key.span(),
                format!("an action says when it is possible by `when = …`, not by `{key}`"),
            )),
            _ => Err(Error::new(
                key.span(),
                format!(
                    "`{key}` is unknown here: an action may say `when = …`, `process = …`, `kind = …` and `fair`"
                ),
            )),
        }
    }
}

fn action(function: &mut ImplItemFn, attribute: &Attribute, mistakes: &mut Mistakes) -> Action {
    let mut action = Action {
        name: function.sig.ident.clone(),
        given: Vec::new(),
        parameters: Vec::new(),
        when: Vec::new(),
        process: None,
        kind: None,
        fair: None,
        answer: match &function.sig.output {
            ReturnType::Type(_, of) if !matches!(&**of, Type::Tuple(tuple) if tuple.elems.is_empty()) => {
                Some((**of).clone())
            }
            _ => None,
        },
        cx: None,
    };
    if matches!(attribute.meta, syn::Meta::List(_)) {
        match attribute.parse_args_with(Punctuated::<Argument, Token![,]>::parse_terminated) {
            Ok(arguments) => arguments.into_iter().for_each(|argument| action.say(argument, mistakes)),
            Err(error) => mistakes.add(error),
        }
    }
    let mut arguments = function.sig.inputs.iter_mut();
    let wanted = "an action changes the state: its first parameter is `&mut self`";
    match arguments.next() {
        Some(FnArg::Receiver(receiver)) if is_exclusive(receiver) => {}
        Some(first) => mistakes.at(first, wanted),
        None => mistakes.at(&action.name, wanted),
    }
    for argument in arguments {
        let FnArg::Typed(typed) = argument else { continue };
        if is_doing(&typed.ty) {
            action.given.push(Given::Doing);
        } else if is_cx(&typed.ty) {
            action.given.push(Given::Cx);
            if let Pat::Ident(name) = &*typed.pat {
                action.cx = Some(name.ident.clone());
            }
        } else {
            action.given.push(Given::Parameter(action.parameters.len()));
            action.parameters.extend(parameter(typed, mistakes));
        }
    }
    action
}

fn parameter(typed: &mut syn::PatType, mistakes: &mut Mistakes) -> Option<Parameter> {
    let of_us =
        |attribute: &Attribute| attribute.path().is_ident("from") || attribute.path().is_ident("fresh");
    let attributes: Vec<Attribute> = typed.attrs.extract_if(.., |attribute| of_us(attribute)).collect();
    for second in attributes.iter().skip(1) {
        mistakes.at(second, "the values of a parameter come from one place");
    }
    let source = match attributes.first() {
        None => Source::Domain,
        Some(attribute) if attribute.path().is_ident("fresh") => {
            if let syn::Meta::List(list) = &attribute.meta {
                mistakes.at(&list.tokens, "`#[fresh]` takes no arguments");
            }
            Source::Fresh
        }
        Some(attribute) => {
            let Ok(values) = attribute.parse_args() else {
                mistakes.at(
                    attribute,
                    "the values are missing: `#[from(EXPR)]`, where EXPR is an iterator or a collection",
                );
                return None;
            };
            Source::From(values)
        }
    };
    let Pat::Ident(name) = &*typed.pat else {
        mistakes.at(&typed.pat, "a parameter of an action has a name, by which traces call it");
        return None;
    };
    let (of, is_reference) = match &*typed.ty {
        Type::Reference(reference) if reference.mutability.is_some() => {
            mistakes.at(
                &typed.ty,
                "a parameter of an action is a value: nothing else sees what the action does to it",
            );
            return None;
        }
        Type::Reference(reference) => ((*reference.elem).clone(), true),
        Type::ImplTrait(_) => {
            mistakes.at(&typed.ty, "a parameter of an action has one type: it is stored in trails");
            return None;
        }
        of => (of.clone(), false),
    };
    Some(Parameter { name: name.ident.clone(), of, is_reference, source })
}

impl Action {
    fn say(&mut self, argument: Argument, mistakes: &mut Mistakes) {
        let is_second = match argument {
            Argument::When(when) if self.when.is_empty() => {
                operands(when, &mut self.when);
                None
            }
            Argument::When(when) => Some((when.span(), "join the conditions by `&&`")),
            Argument::Process(process)
                if mentions(process.to_token_stream(), &Token![self](process.span()).into()) =>
            {
                Some((process.span(), "who acts is known from the action alone: name one of its parameters"))
            }
            Argument::Process(process) if self.process.is_none() => {
                self.process = Some(process);
                None
            }
            Argument::Process(process) => Some((process.span(), "one process takes an action")),
            Argument::Kind(kind) if self.kind.is_none() => {
                self.kind = Some(kind);
                None
            }
            Argument::Kind(kind) => Some((kind.span(), "an action is of one kind")),
            Argument::Fair(fair) if self.fair.is_none() => {
                self.fair = Some(fair);
                None
            }
            Argument::Fair(_) => Some((Span::call_site(), "`fair` is said twice")),
        };
        if let Some((span, text)) = is_second {
            mistakes.add(Error::new(span, text));
        }
    }
}

/// The operands of the outermost `&&`s.
fn operands(condition: Expr, to: &mut Vec<Expr>) {
    match condition {
        Expr::Binary(ExprBinary { left, op: BinOp::And(_), right, .. }) => {
            operands(*left, to);
            operands(*right, to);
        }
        Expr::Paren(inner) if inner.attrs.is_empty() => operands(*inner.expr, to),
        other => to.push(other),
    }
}

/// Whether tokens mention a name. Fields of that name do not count.
pub fn mentions(tokens: TokenStream, name: &Ident) -> bool {
    let mut after_point = false;
    for token in tokens {
        match token {
            proc_macro2::TokenTree::Ident(ident) if ident == *name && !after_point => return true,
            proc_macro2::TokenTree::Group(group) if mentions(group.stream(), name) => return true,
            // A text may be a format.
            proc_macro2::TokenTree::Literal(text) if text.to_string().contains(&format!("{{{name}")) => {
                return true;
            }
            proc_macro2::TokenTree::Punct(punct) => {
                after_point = punct.as_char() == '.' && !after_point;
                continue;
            }
            _ => {}
        }
        after_point = false;
    }
    false
}
