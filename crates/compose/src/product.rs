//! Two models side by side.
//!
//! | an action of one part                     | in the product                                             |
//! |-------------------------------------------|------------------------------------------------------------|
//! | is not shared                             | is taken alone                                             |
//! | is shared under a [`Key`]                 | is taken with one of the other part that has the same key  |
//! | is shared, and the other part has no such | is not possible                                            |
//!
//! A key names the values that both actions mention. A value that only one of them mentions is not restricted by the
//! other. Individuals of a sort are the same in both parts. An individual is new to a part only if the whole state
//! does not mention it, so a part that makes one never takes one of the other part.

use quotient_model::{Cx, Doing, Model, Obstacle, Process, Properties, Role, Shape};

use crate::Key;

/// What part of a product a key of an action is for.
type Shared<A> = Box<dyn Fn(&A) -> Option<Key>>;

/// Two models, which take shared actions together. A state is a pair of states.
///
/// ```
/// use quotient_compose::{Key, Product};
/// use quotient_model::{Program, Rules, Shape, model};
///
/// #[derive(Clone, Debug, Default, Shape)]
/// struct Seller { sold: u8 }
///
/// #[model]
/// impl Seller {
///     #[initial]
///     fn nothing() -> Self { Self::default() }
///     #[action(when = self.sold < 3)]
///     fn sell(&mut self, #[from(1..=2)] price: u8) { self.sold += 1; }
/// }
///
/// #[derive(Clone, Debug, Default, Shape)]
/// struct Buyer { left: u8 }
///
/// #[model]
/// impl Buyer {
///     #[initial]
///     fn rich() -> Self { Self { left: 3 } }
///     #[action(when = self.left >= price)]
///     fn buy(&mut self, #[from(1..=3)] price: u8) { self.left -= price; }
/// }
///
/// let trade = Product::new(Rules::<Seller>::new(), Rules::<Buyer>::new()).share(
///     |SellerAction::Sell { price }| Some(Key::new("trade", price)),
///     |BuyerAction::Buy { price }| Some(Key::new("trade", price)),
/// );
/// // 3, 2, 1 and nothing left, and for the last two, two ways to get there.
/// assert_eq!(Program::new(trade).check().assert_holds().states, 6);
/// ```
pub struct Product<A: Model, B: Model> {
    left: A,
    right: B,
    left_shared: Shared<A::Action>,
    right_shared: Shared<B::Action>,
    names: [&'static str; 2],
}

/// An action of a [`Product`].
#[derive(Clone, Debug, Shape)]
pub enum Together<A, B> {
    /// Of the left part alone.
    Left(A),
    /// Of the right part alone.
    Right(B),
    /// Of both.
    Both(A, B),
}

impl<A: Model, B: Model> Product<A, B> {
    /// Two models that share no actions.
    pub fn new(left: A, right: B) -> Self {
        let names = ["left", "right"];
        Self { left, right, left_shared: Box::new(|_| None), right_shared: Box::new(|_| None), names }
    }

    /// Says which actions are shared: those that have a key.
    pub fn share(
        self,
        left: impl Fn(&A::Action) -> Option<Key> + 'static,
        right: impl Fn(&B::Action) -> Option<Key> + 'static,
    ) -> Self {
        Self { left_shared: Box::new(left), right_shared: Box::new(right), ..self }
    }

    /// What the parts are called: the names of their properties begin with that. Without it, `left` and `right`.
    pub fn named(self, left: &'static str, right: &'static str) -> Self {
        Self { names: [left, right], ..self }
    }
}

/// Composes two models by the actions that they share: see [`Product`].
///
/// Each line names two patterns of actions, and the variables of both that must be equal.
///
/// ```
/// # use quotient_compose::compose;
/// # use quotient_model::{Program, Rules, Shape, model};
/// # #[derive(Clone, Debug, Default, Shape)]
/// # struct Credits { left: u8 }
/// # #[model]
/// # impl Credits {
/// #     #[initial]
/// #     fn some() -> Self { Self { left: 2 } }
/// #     #[action(when = self.left > 0)]
/// #     fn send(&mut self, #[from(0..3)] id: u8) { self.left -= 1; }
/// # }
/// # #[derive(Clone, Debug, Default, Shape)]
/// # struct Commands { next: u8 }
/// # #[model]
/// # impl Commands {
/// #     #[initial]
/// #     fn none() -> Self { Self::default() }
/// #     #[action(when = id == self.next)]
/// #     fn request(&mut self, #[from(0..3)] id: u8) { self.next += 1; }
/// # }
/// let model = compose! {
///     credits: Rules::<Credits>::new(), commands: Rules::<Commands>::new();
///     CreditsAction::Send { id } = CommandsAction::Request { id } => (id);
/// };
/// assert_eq!(Program::new(model).check().assert_holds().states, 3);
/// ```
#[macro_export]
macro_rules! compose {
    ($left:ident: $left_model:expr, $right:ident: $right_model:expr $(,)?;
     $($left_action:pat = $right_action:pat => ($($value:ident),* $(,)?));* $(;)?) => {
        $crate::Product::new($left_model, $right_model)
            .named(::core::stringify!($left), ::core::stringify!($right))
            .share(
                |action| {
                    $(
                        match action {
                            $left_action => {
                                let name = ::core::stringify!($left_action = $right_action);
                                let values = ($(::core::clone::Clone::clone($value),)*);
                                return ::core::option::Option::Some($crate::Key::new(name, &values));
                            }
                            #[allow(unreachable_patterns)]
                            _ => {}
                        }
                    )*
                    #[allow(unreachable_code)]
                    ::core::option::Option::None
                },
                |action| {
                    $(
                        match action {
                            $right_action => {
                                let name = ::core::stringify!($left_action = $right_action);
                                let values = ($(::core::clone::Clone::clone($value),)*);
                                return ::core::option::Option::Some($crate::Key::new(name, &values));
                            }
                            #[allow(unreachable_patterns)]
                            _ => {}
                        }
                    )*
                    #[allow(unreachable_code)]
                    ::core::option::Option::None
                },
            )
    };
}

impl<A: Model, B: Model> Product<A, B> {
    /// The actions of both parts.
    fn parts(&self, cx: &Cx<'_>, state: &(A::State, B::State)) -> (Vec<A::Action>, Vec<B::Action>) {
        let (mut left, mut right) = (Vec::new(), Vec::new());
        cx.beside(&state.1, |cx| self.left.actions(cx, &state.0, &mut left));
        cx.beside(&state.0, |cx| self.right.actions(cx, &state.1, &mut right));
        (left, right)
    }
}

impl<A: Model, B: Model> Model for Product<A, B> {
    type State = (A::State, B::State);
    type Action = Together<A::Action, B::Action>;

    fn initial(&self, cx: &Cx<'_>, out: &mut Vec<Self::State>) {
        let mut left = Vec::new();
        self.left.initial(cx, &mut left);
        for left in left {
            let mut right = Vec::new();
            cx.beside(&left, |cx| self.right.initial(cx, &mut right));
            out.extend(right.into_iter().map(|right| (left.clone(), right)));
        }
    }

    fn actions(&self, cx: &Cx<'_>, state: &Self::State, out: &mut Vec<Self::Action>) {
        let (left, right) = self.parts(cx, state);
        let keys: Vec<Option<Key>> = right.iter().map(&self.right_shared).collect();
        for action in left {
            match (self.left_shared)(&action) {
                None => out.push(Together::Left(action)),
                Some(key) => {
                    let others = right.iter().zip(&keys).filter(|(_, other)| other.as_ref() == Some(&key));
                    out.extend(others.map(|(other, _)| Together::Both(action.clone(), other.clone())));
                }
            }
        }
        let alone = right.into_iter().zip(keys).filter(|(_, key)| key.is_none());
        out.extend(alone.map(|(action, _)| Together::Right(action)));
    }

    fn apply(&self, doing: &mut Doing<'_>, state: &mut Self::State, action: &Self::Action) {
        let (left, right) = state;
        if let Together::Left(action) | Together::Both(action, _) = action {
            doing.beside(right, |doing| self.left.apply(doing, left, action));
        }
        if let Together::Right(action) | Together::Both(_, action) = action {
            doing.beside(left, |doing| self.right.apply(doing, right, action));
        }
    }

    fn properties(&self, to: &mut Properties<Self::State>) {
        let (mut left, mut right) = (Properties::default(), Properties::default());
        self.left.properties(&mut left);
        self.right.properties(&mut right);
        to.of_part(self.names[0], left, |state| &state.0);
        to.of_part(self.names[1], right, |state| &state.1);
    }

    fn accepting(&self, cx: &Cx<'_>, state: &Self::State) -> bool {
        self.left.accepting(cx, &state.0) && self.right.accepting(cx, &state.1)
    }

    fn within(&self, cx: &Cx<'_>, state: &Self::State) -> bool {
        self.left.within(cx, &state.0) && self.right.within(cx, &state.1)
    }

    /// The process of the left part's action, unless that is the left part as a whole.
    fn process(&self, cx: &Cx<'_>, action: &Self::Action) -> Process {
        match action {
            Together::Left(action) => self.left.process(cx, action),
            Together::Right(action) => self.right.process(cx, action),
            Together::Both(left, right) => match self.left.process(cx, left) {
                Process::Whole => self.right.process(cx, right),
                process => process,
            },
        }
    }

    /// The role of the left part's action, unless that is an input.
    fn role(&self, action: &Self::Action) -> Role {
        match action {
            Together::Left(action) => self.left.role(action),
            Together::Right(action) => self.right.role(action),
            Together::Both(left, right) => match self.left.role(left) {
                Role::Input => self.right.role(right),
                role => role,
            },
        }
    }

    fn obstacles(&self, cx: &Cx<'_>, state: &Self::State, out: &mut Vec<Obstacle>) {
        cx.beside(&state.1, |cx| self.left.obstacles(cx, &state.0, out));
        cx.beside(&state.0, |cx| self.right.obstacles(cx, &state.1, out));
        let (left, right) = self.parts(cx, state);
        let left_keys: Vec<Option<Key>> = left.iter().map(&self.left_shared).collect();
        let right_keys: Vec<Option<Key>> = right.iter().map(&self.right_shared).collect();
        let mut alone =
            |action: &dyn std::fmt::Debug, key: &Option<Key>, others: &[Option<Key>], other: &str| {
                if key.is_some() && !others.contains(key) {
                    let condition = format!("`{other}` shares it, and takes no such action");
                    out.push(Obstacle { action: format!("{action:?}"), condition, place: String::new() });
                }
            };
        for (action, key) in left.iter().zip(&left_keys) {
            alone(action, key, &right_keys, self.names[1]);
        }
        for (action, key) in right.iter().zip(&right_keys) {
            alone(action, key, &left_keys, self.names[0]);
        }
    }
}
