//! Sorts: kinds of individuals that nothing tells apart but what a state says about them.

use std::any::{TypeId, type_name};
use std::cell::RefCell;
use std::fmt;
use std::sync::Arc;

use crate::Shape;

/// The number behind an individual. Nothing can be learnt from it but whether two are equal: it has no order,
/// no hash and no conversion.
///
/// ```
/// use quotient_model::{Individual, sort};
/// sort! { struct Card; }
/// fn is_same(a: Card, b: Card) -> bool { a.index() == b.index() }
/// assert_eq!(Card::NAME, "Card");
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Index(pub(crate) u32);

/// Shown in traces, so that people can tell individuals apart.
impl fmt::Display for Index {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// An individual of a sort. Made by [`sort!`](crate::sort).
///
/// ```
/// use quotient_model::{Individual, sort};
/// sort! { struct Card; struct Guess: dynamic; }
/// fn copy<I: Individual>(individual: I) -> I { I::at(individual.index()) }
/// assert!(!Card::DYNAMIC && Guess::DYNAMIC);
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a sort",
    label = "not a sort of individuals",
    note = "declare one: `sort! {{ struct Client; }}`, or `sort! {{ struct Ticket: dynamic; }}` for individuals that come \
            into being"
)]
pub trait Individual: Shape + Copy + Eq {
    /// What the sort is called in traces and messages.
    const NAME: &'static str;
    /// Individuals come into being while the model runs. If not, all of them exist from the beginning.
    const DYNAMIC: bool;
    /// The individual with this number.
    fn at(index: Index) -> Self;
    /// The number of the individual.
    fn index(&self) -> Index;
}

/// The name of a type without its path.
pub(crate) fn short_name<T>() -> &'static str {
    let name = type_name::<T>();
    let path = name.split('<').next().unwrap_or(name);
    let start = path.rfind("::").map_or(0, |at| at + 2);
    &name[start..]
}

/// How many individuals a sort has.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Size {
    /// This many, or at most this many at a time.
    Given(u32),
    /// The objects of a heap: as many as there are.
    Open,
    /// Nobody said it yet.
    Unknown,
}

/// One sort of a program.
#[derive(Clone, Debug)]
pub(crate) struct Sort {
    pub id: TypeId,
    pub name: String,
    pub dynamic: bool,
    pub size: Size,
    /// Its individuals are interchangeable.
    pub symmetric: bool,
    /// By number: the first number of the class of an individual. Empty if all are of one class.
    pub classes: Vec<u32>,
    /// By number: what an individual is called, if not by the name of the sort and its number.
    pub labels: Vec<Label>,
}

/// A name and a number, which are shown together.
pub(crate) type Label = (String, u32);

/// What individuals are called where runs are shown: see [`Program::labels`](crate::Program::labels).
///
/// ```
/// # use quotient_model::{Shape, model, sort};
/// # sort! { pub struct Client; }
/// # #[derive(Clone, Debug, Default, Shape)]
/// # pub struct Lock { holder: Option<Client> }
/// # #[model]
/// # impl Lock {
/// #     #[initial]
/// #     fn free() -> Self { Self::default() }
/// #     #[action(when = self.holder.is_none(), process = client)]
/// #     fn acquire(&mut self, client: Client) { self.holder = Some(client); }
/// #     #[action(when = self.holder == Some(client), process = client)]
/// #     fn release(&mut self, client: Client) { self.holder = None; }
/// #     #[proposition]
/// #     fn is_held(&self) -> bool { self.holder.is_some() }
/// #     #[ltl("[] <> is_held")]
/// #     const HELD_AGAIN: () = ();
/// #     #[view]
/// #     fn holders(&self) -> usize { usize::from(self.holder.is_some()) }
/// # }
/// let lock = Lock::program().sort::<Client>(2).label::<Client>(vec![("reader".to_owned(), 0), ("writer".to_owned(), 0)]);
/// let free = lock.initial_states().expect("it has one").remove(0);
/// let steps = lock.successors(&free).expect("it does not fail");
/// let shown = lock.labels().show(|| format!("{:?}", steps[1].action));
/// assert_eq!(shown, "Acquire { client: writer0 }");
/// ```
#[derive(Clone, Default, Debug)]
pub struct Labels(Arc<Vec<(TypeId, Vec<Label>)>>);

thread_local! {
    /// The labels in use, see [`Labels::show`].
    static SHOWN: RefCell<Labels> = RefCell::default();
}

impl Labels {
    /// While this runs, individuals are shown by their labels.
    pub fn show<T>(&self, shown: impl FnOnce() -> T) -> T {
        let before = SHOWN.replace(self.clone());
        let result = shown();
        SHOWN.set(before);
        result
    }
}

/// The label of an individual.
pub(crate) fn label_of(sort: TypeId, index: Index) -> Option<Label> {
    SHOWN.with_borrow(|labels| {
        let of_sort = labels.0.iter().find(|(other, _)| *other == sort);
        of_sort.and_then(|(_, labels)| labels.get(index.0 as usize)).cloned()
    })
}

/// Shows an individual. For [`sort!`](crate::sort).
#[doc(hidden)]
pub fn show_individual<I: Individual>(individual: I, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    let index = individual.index();
    match label_of(TypeId::of::<I>(), index) {
        Some((name, number)) => write!(f, "{name}{number}"),
        None => write!(f, "{}{index}", I::NAME),
    }
}

impl Sort {
    /// The first number of the class of an individual. Only individuals of one class are interchangeable.
    pub fn class(&self, index: u32) -> u32 {
        self.classes.get(index as usize).copied().unwrap_or(0)
    }

    /// The number of bits of the names of its individuals; `None` for names of any size.
    #[inline]
    pub fn bits(&self) -> Option<u32> {
        match self.size {
            Size::Given(count) => Some(u32::BITS - count.saturating_sub(1).leading_zeros()),
            Size::Open | Size::Unknown => None,
        }
    }

    /// Some individuals may be exchanged.
    pub fn has_exchanges(&self) -> bool {
        self.classes.is_empty() || self.classes.windows(2).any(|pair| pair[0] == pair[1])
    }
}

/// The sorts of a program, collected from the type of its states.
///
/// ```
/// use quotient_model::{Shape, Sorts, sort};
/// sort! { struct Card; }
/// let mut sorts = Sorts::default();
/// assert!(sorts.enters::<Option<Card>>() && !sorts.enters::<Option<Card>>());
/// <Option<Card>>::sorts(&mut sorts);
/// sorts.add::<Card>();
/// ```
#[derive(Clone, Default, Debug)]
pub struct Sorts {
    pub(crate) all: Vec<Sort>,
    entered: Vec<TypeId>,
}

impl Sorts {
    /// Whether the fields of `T` are still to be visited. Types may be recursive.
    pub fn enters<T: 'static>(&mut self) -> bool {
        let is_new = !self.entered.contains(&TypeId::of::<T>());
        if is_new {
            self.entered.push(TypeId::of::<T>());
        }
        is_new
    }

    /// Adds a sort.
    pub fn add<I: Individual>(&mut self) {
        if self.find(TypeId::of::<I>()).is_none() {
            self.all.push(Sort {
                id: TypeId::of::<I>(),
                name: I::NAME.to_owned(),
                dynamic: I::DYNAMIC,
                size: Size::Unknown,
                symmetric: true,
                classes: Vec::new(),
                labels: Vec::new(),
            });
        }
    }

    /// Adds the sort of the objects of a heap.
    pub(crate) fn add_objects<I: 'static, T>(&mut self) {
        if self.find(TypeId::of::<I>()).is_none() {
            self.all.push(Sort {
                id: TypeId::of::<I>(),
                name: short_name::<T>().to_owned(),
                dynamic: true,
                size: Size::Open,
                symmetric: true,
                classes: Vec::new(),
                labels: Vec::new(),
            });
        }
    }

    pub(crate) fn labels(&self) -> Labels {
        let labelled = self.all.iter().filter(|sort| !sort.labels.is_empty());
        Labels(Arc::new(labelled.map(|sort| (sort.id, sort.labels.clone())).collect()))
    }

    /// The number of bits of the names of a sort, if its size is known.
    #[doc(hidden)]
    pub fn bits<I: 'static>(&self) -> Option<u32> {
        self.all[self.find(TypeId::of::<I>())?].bits()
    }

    #[inline]
    pub(crate) fn find(&self, id: TypeId) -> Option<usize> {
        self.all.iter().position(|sort| sort.id == id)
    }

    #[inline]
    pub(crate) fn number(&self, id: TypeId) -> usize {
        self.find(id).expect("the type of states mentions its sorts")
    }
}

/// Declares sorts of individuals.
///
/// `struct Side;` is a sort whose individuals all exist from the beginning. `struct Client: dynamic;` is one
/// whose individuals are made by [`Cx::fresh`](crate::Cx::fresh) and are gone when the state does not mention
/// them. Individuals can be copied and compared for equality. They have no order, no hash and no number, so
/// that a model cannot ask what would tell them apart.
///
/// ```
/// quotient_model::sort! {
///     /// A side of a triangle.
///     pub struct Side;
///     struct Client: dynamic;
/// }
/// ```
#[macro_export]
macro_rules! sort {
    () => {};
    ($(#[$attribute:meta])* $visibility:vis struct $name:ident; $($rest:tt)*) => {
        $crate::sort!(@one [$(#[$attribute])*] [$visibility] $name false);
        $crate::sort!($($rest)*);
    };
    ($(#[$attribute:meta])* $visibility:vis struct $name:ident: dynamic; $($rest:tt)*) => {
        $crate::sort!(@one [$(#[$attribute])*] [$visibility] $name true);
        $crate::sort!($($rest)*);
    };
    (@one [$($attribute:tt)*] [$visibility:vis] $name:ident $dynamic:literal) => {
        $($attribute)*
        #[derive(Clone, Copy, PartialEq, Eq)]
        $visibility struct $name($crate::Index);

        impl ::std::fmt::Debug for $name {
            fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                $crate::show_individual(*self, f)
            }
        }

        impl $crate::Individual for $name {
            const NAME: &'static str = stringify!($name);
            const DYNAMIC: bool = $dynamic;
            fn at(index: $crate::Index) -> Self {
                Self(index)
            }
            fn index(&self) -> $crate::Index {
                self.0
            }
        }

        impl $crate::Domain for $name {
            fn values<S: $crate::Shape>(cx: &$crate::Cx<'_>, state: &S) -> impl Iterator<Item = Self> {
                $crate::individuals::<Self, S>(cx, state)
            }
        }

        impl $crate::Shape for $name {
            const SORTED: bool = true;
            const IS_INDIVIDUAL: bool = true;
            fn sorts(to: &mut $crate::Sorts) {
                to.add::<Self>();
            }
            fn walk<V: $crate::Visit>(&self, to: &mut V) {
                to.id(::std::any::TypeId::of::<Self>(), self.0);
            }
            fn read(from: &mut $crate::Reader<'_>) -> Self {
                Self(from.id(::std::any::TypeId::of::<Self>()))
            }
            fn most_bits(sorts: &$crate::Sorts) -> Option<u32> {
                sorts.bits::<Self>()
            }
            fn term(&self) -> $crate::Term {
                $crate::Term::individual(*self)
            }
            fn order(&self, other: &Self) -> ::std::cmp::Ordering {
                $crate::order_of_numbers(self.0, other.0)
            }
            fn individual(&self) -> Option<(::std::any::TypeId, $crate::Index)> {
                Some((::std::any::TypeId::of::<Self>(), self.0))
            }
        }
    };
}

/// For the collections of this library, which keep their entries in some order. Not for models.
#[doc(hidden)]
pub fn order_of_numbers(a: Index, b: Index) -> std::cmp::Ordering {
    a.0.cmp(&b.0)
}

/// For libraries that know a behaviour by its individual. Not for models, which it would let tell individuals
/// apart.
#[doc(hidden)]
pub const fn number_of(index: Index) -> u32 {
    index.0
}

/// The inverse of [`number_of`].
#[doc(hidden)]
pub const fn index_of(number: u32) -> Index {
    Index(number)
}
