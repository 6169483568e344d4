//! Shapes: how values are walked, and what values a state may consist of.

use std::any::TypeId;
use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::fmt::Debug;
use std::rc::Rc;
use std::sync::Arc;

use crate::reader::Reader;
use crate::{Index, Sorts, Term};

/// A value that can be part of a state. Derive it.
///
/// Two values are the same exactly if they are walked in the same way. So a type that hides something, such
/// as a hash map with its order or a cell with its contents, has no shape.
///
/// ```
/// use quotient_model::{Shape, sort};
/// sort! { struct Train; }
/// #[derive(Clone, Debug, Shape)]
/// enum Track { Free, Taken { by: Train, since: u32 } }
/// #[derive(Clone, Debug, Shape)]
/// struct Station { name: String, tracks: [Track; 2] }
/// let station = Station { name: "Hill".to_owned(), tracks: [Track::Free, Track::Free] };
/// assert_eq!(station.term().json(), r#"{"name":"Hill","tracks":["Free","Free"]}"#);
/// assert_eq!((Track::VARIANTS, Track::Free.variant()), (&["Free", "Taken"][..], 0));
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no shape, so it cannot be part of a state or an action",
    label = "not a value that can be stored and compared",
    note = "derive it: `#[derive(Clone, Debug, Shape)]`",
    note = "use `Map` and `Set` instead of `HashMap` and `HashSet`, whose order is not a function of the state",
    note = "use `Heap<T>` and `Ref<T>` instead of `RefCell`, `Cell`, `Mutex` and pointers, which copies of a \
            state would share",
    note = "use `Bounded<LO, HI>` or an integer instead of a floating-point number"
)]
pub trait Shape: Clone + Debug + 'static {
    /// Values may mention individuals.
    const SORTED: bool;
    /// Values are individuals.
    const IS_INDIVIDUAL: bool = false;
    /// Collects the sorts of individuals that values may mention.
    fn sorts(to: &mut Sorts);
    /// Shows all of the value, in order.
    fn walk<V: Visit>(&self, to: &mut V);
    /// Shows the value like [`Shape::walk`]. `last` is the value that was shown before.
    #[doc(hidden)]
    fn walk_after<V: Visit>(&self, _last: Option<&Self>, to: &mut V) {
        self.walk(to);
    }
    /// The value that was written.
    fn read(from: &mut Reader<'_>) -> Self;
    /// Becomes the value that was written. The value must be what was read in its place before.
    #[doc(hidden)]
    fn read_again(&mut self, from: &mut Reader<'_>) {
        *self = Self::read(from);
    }
    /// A struct is walked field by field, and nothing else.
    #[doc(hidden)]
    const IS_STRUCT: bool = false;
    /// The greatest number of bits of a value, if that is small and known.
    #[doc(hidden)]
    fn most_bits(_sorts: &Sorts) -> Option<u32> {
        None
    }
    /// The value as people and other programs read it.
    fn term(&self) -> Term;
    /// The names of the variants of an enum, in the order of [`Shape::variant`]; the name of a struct.
    const VARIANTS: &'static [&'static str] = &[];
    /// The number of the variant that the value is.
    fn variant(&self) -> usize {
        0
    }
    /// Becomes equal to `other`, and keeps the memory that it has.
    #[doc(hidden)]
    fn assign(&mut self, other: &Self) {
        *self = other.clone();
    }
    /// An order of values for collections. It depends on the numbers of individuals: not for models.
    #[doc(hidden)]
    fn order(&self, other: &Self) -> Ordering;
    /// The individual that the value is.
    #[doc(hidden)]
    fn individual(&self) -> Option<(TypeId, Index)> {
        None
    }
}

/// What walks values.
///
/// ```
/// use std::any::TypeId;
/// use quotient_model::{Index, Shape, Visit};
/// /// Counts bits.
/// struct Size(u32);
/// impl Visit for Size {
///     fn bits(&mut self, _: u64, width: u32) { self.0 += width; }
///     fn id(&mut self, _: TypeId, _: Index) {}
///     fn unordered<T: Shape>(&mut self, entries: &[T]) { entries.iter().for_each(|entry| entry.walk(self)); }
///     fn rows<K: Shape, T: Shape>(&mut self, rows: &[(K, T)], _: bool) { rows.iter().for_each(|row| row.walk(self)); }
/// }
/// let mut size = Size(0);
/// (1_u8, true, 'x').walk(&mut size);
/// assert_eq!(size.0, 8 + 1 + 21);
/// ```
pub trait Visit: Sized {
    /// A number below 2^`width`.
    fn bits(&mut self, value: u64, width: u32);
    /// An individual.
    fn id(&mut self, sort: TypeId, index: Index);
    /// Entries whose order says nothing.
    fn unordered<T: Shape>(&mut self, entries: &[T]);
    /// Like [`Visit::unordered`], of a map whose keys are not individuals. As a rule the keys stay and the values
    /// change.
    #[doc(hidden)]
    fn pairs<K: Shape, T: Shape>(&mut self, rows: &[(K, T)]) {
        self.unordered(rows);
    }
    /// Entries under keys that are individuals. Rows of a `heap` are there only as long as something else
    /// mentions the key.
    fn rows<K: Shape, T: Shape>(&mut self, rows: &[(K, T)], heap: bool);
    /// Like [`Visit::rows`], not of a heap. `last` are the rows that were shown in their place before.
    #[doc(hidden)]
    fn rows_after<K: Shape, T: Shape>(&mut self, rows: &[(K, T)], _last: &[(K, T)]) {
        self.rows(rows, false);
    }
    /// The following is `depth` levels deeper, until the corresponding `end`.
    fn begin(&mut self, _depth: u32) {}
    /// See [`Visit::begin`].
    fn end(&mut self, _depth: u32) {}
    /// A good place for a component to begin.
    fn cut(&mut self) {}
    /// A field of a struct. It begins a component. `last` is what was shown in its place before.
    #[doc(hidden)]
    fn field<T: Shape>(&mut self, value: &T, _last: Option<&T>) {
        self.cut();
        value.walk(self);
    }
    /// A number of entries.
    fn count(&mut self, count: usize) {
        self.bits(count.min(SMALL) as u64, 8);
        if count >= SMALL {
            self.bits(count as u64, 64);
        }
    }
}

/// How much deeper the entries of collections are: deeper than structs are nested.
pub(crate) const ENTRY: u32 = 1 << 16;

/// Counts below this take a byte.
pub(crate) const SMALL: usize = 255;

/// Entries one after the other, in an order that matters.
pub(crate) fn walk_in_order<'a, T: Shape, V: Visit>(
    entries: impl ExactSizeIterator<Item = &'a T>,
    to: &mut V,
) {
    to.count(entries.len());
    for entry in entries {
        to.cut();
        to.begin(ENTRY);
        entry.walk(to);
        to.end(ENTRY);
    }
}

/// What [`walk_in_order`] or a visit of unordered entries wrote.
pub(crate) fn read_entries<T: Shape>(from: &mut Reader<'_>) -> Vec<T> {
    (0..from.count()).map(|_| read_entry(from)).collect()
}

pub(crate) fn read_entry<T: Shape>(from: &mut Reader<'_>) -> T {
    from.cut();
    from.begin(ENTRY);
    let entry = T::read(from);
    from.end(ENTRY);
    entry
}

pub(crate) fn order_entries<'a, T: Shape>(
    mut a: impl ExactSizeIterator<Item = &'a T>,
    mut b: impl ExactSizeIterator<Item = &'a T>,
) -> Ordering {
    let by_length = a.len().cmp(&b.len());
    by_length.then_with(|| {
        a.by_ref()
            .zip(b.by_ref())
            .map(|(a, b)| a.order(b))
            .find(|order| order.is_ne())
            .unwrap_or(Ordering::Equal)
    })
}

macro_rules! integers {
    ($($type:ty: $unsigned:ty, $width:literal;)*) => { $(
        impl Shape for $type {
            const SORTED: bool = false;
            fn sorts(_: &mut Sorts) {}
            #[allow(clippy::cast_lossless)]
            fn walk<V: Visit>(&self, to: &mut V) {
                to.bits(*self as $unsigned as u64, $width);
            }
            fn read(from: &mut Reader<'_>) -> Self {
                from.bits($width) as $unsigned as Self
            }
            fn most_bits(_: &Sorts) -> Option<u32> {
                Some($width)
            }
            #[allow(clippy::cast_lossless)]
            fn term(&self) -> Term {
                Term::Number(*self as i128)
            }
            fn order(&self, other: &Self) -> Ordering {
                self.cmp(other)
            }
        }
    )* };
}

integers! {
    u8: u8, 8; u16: u16, 16; u32: u32, 32; u64: u64, 64; usize: u64, 64;
    i8: u8, 8; i16: u16, 16; i32: u32, 32; i64: u64, 64; isize: u64, 64;
}

impl Shape for bool {
    const SORTED: bool = false;
    fn sorts(_: &mut Sorts) {}
    fn walk<V: Visit>(&self, to: &mut V) {
        to.bits((*self).into(), 1);
    }
    fn read(from: &mut Reader<'_>) -> Self {
        from.bits(1) == 1
    }
    fn most_bits(_: &Sorts) -> Option<u32> {
        Some(1)
    }
    fn term(&self) -> Term {
        Term::Bool(*self)
    }
    fn order(&self, other: &Self) -> Ordering {
        self.cmp(other)
    }
}

impl Shape for char {
    const SORTED: bool = false;
    fn sorts(_: &mut Sorts) {}
    fn walk<V: Visit>(&self, to: &mut V) {
        to.bits(u32::from(*self).into(), 21);
    }
    fn read(from: &mut Reader<'_>) -> Self {
        char::from_u32(from.bits(21) as u32).expect("a character was written")
    }
    fn most_bits(_: &Sorts) -> Option<u32> {
        Some(21)
    }
    fn term(&self) -> Term {
        Term::Char(*self)
    }
    fn order(&self, other: &Self) -> Ordering {
        self.cmp(other)
    }
}

impl Shape for String {
    const SORTED: bool = false;
    fn sorts(_: &mut Sorts) {}
    fn walk<V: Visit>(&self, to: &mut V) {
        to.count(self.len());
        self.bytes().for_each(|byte| to.bits(byte.into(), 8));
    }
    fn read(from: &mut Reader<'_>) -> Self {
        let bytes = (0..from.count()).map(|_| from.bits(8) as u8).collect();
        Self::from_utf8(bytes).expect("a string was written")
    }
    fn term(&self) -> Term {
        Term::Text(self.clone())
    }
    fn order(&self, other: &Self) -> Ordering {
        self.cmp(other)
    }
}

impl Shape for () {
    const SORTED: bool = false;
    fn sorts(_: &mut Sorts) {}
    fn walk<V: Visit>(&self, _: &mut V) {}
    fn read(_: &mut Reader<'_>) -> Self {}
    fn most_bits(_: &Sorts) -> Option<u32> {
        Some(0)
    }
    fn term(&self) -> Term {
        Term::tuple("", Vec::new())
    }
    fn order(&self, (): &Self) -> Ordering {
        Ordering::Equal
    }
}

impl<T: Shape> Shape for Option<T> {
    const SORTED: bool = T::SORTED;
    fn sorts(to: &mut Sorts) {
        T::sorts(to);
    }
    fn walk<V: Visit>(&self, to: &mut V) {
        to.bits(self.is_some().into(), 1);
        if let Some(value) = self {
            value.walk(to);
        }
    }
    fn read(from: &mut Reader<'_>) -> Self {
        (from.bits(1) == 1).then(|| T::read(from))
    }
    fn most_bits(sorts: &Sorts) -> Option<u32> {
        Some(1 + T::most_bits(sorts)?)
    }
    fn term(&self) -> Term {
        match self {
            None => Term::variant("None", Vec::new()),
            Some(value) => Term::variant("Some", vec![value.term()]),
        }
    }
    fn order(&self, other: &Self) -> Ordering {
        match (self, other) {
            (Some(a), Some(b)) => a.order(b),
            _ => self.is_some().cmp(&other.is_some()),
        }
    }
}

macro_rules! tuples {
    ($(($($type:ident $at:tt),+))*) => { $(
        impl<$($type: Shape),+> Shape for ($($type,)+) {
            const SORTED: bool = false $(|| $type::SORTED)+;
            fn sorts(to: &mut Sorts) {
                $($type::sorts(to);)+
            }
            fn walk<Visitor: Visit>(&self, to: &mut Visitor) {
                $(self.$at.walk(to);)+
            }
            fn read(from: &mut Reader<'_>) -> Self {
                ($($type::read(from),)+)
            }
            fn most_bits(sorts: &Sorts) -> Option<u32> {
                Some(0 $(+ $type::most_bits(sorts)?)+)
            }
            fn term(&self) -> Term {
                Term::tuple("", vec![$(self.$at.term()),+])
            }
            fn assign(&mut self, other: &Self) {
                $(self.$at.assign(&other.$at);)+
            }
            fn order(&self, other: &Self) -> Ordering {
                Ordering::Equal $(.then_with(|| self.$at.order(&other.$at)))+
            }
        }
    )* };
}

tuples! {
    (A 0) (A 0, B 1) (A 0, B 1, C 2) (A 0, B 1, C 2, D 3) (A 0, B 1, C 2, D 3, E 4)
    (A 0, B 1, C 2, D 3, E 4, F 5)
}

impl<T: Shape, const N: usize> Shape for [T; N] {
    const SORTED: bool = T::SORTED;
    fn sorts(to: &mut Sorts) {
        T::sorts(to);
    }
    fn walk<V: Visit>(&self, to: &mut V) {
        for value in self {
            to.cut();
            to.begin(ENTRY);
            value.walk(to);
            to.end(ENTRY);
        }
    }
    fn read(from: &mut Reader<'_>) -> Self {
        std::array::from_fn(|_| {
            from.cut();
            from.begin(ENTRY);
            let value = T::read(from);
            from.end(ENTRY);
            value
        })
    }
    fn term(&self) -> Term {
        Term::Sequence(self.iter().map(T::term).collect())
    }
    fn assign(&mut self, other: &Self) {
        self.iter_mut().zip(other).for_each(|(to, from)| to.assign(from));
    }
    fn order(&self, other: &Self) -> Ordering {
        order_entries(self.iter(), other.iter())
    }
}

macro_rules! sequences {
    ($($type:ident)*) => { $(
        impl<T: Shape> Shape for $type<T> {
            const SORTED: bool = T::SORTED;
            fn sorts(to: &mut Sorts) {
                T::sorts(to);
            }
            fn walk<V: Visit>(&self, to: &mut V) {
                walk_in_order(self.iter(), to);
            }
            fn read(from: &mut Reader<'_>) -> Self {
                read_entries(from).into()
            }
            fn term(&self) -> Term {
                Term::Sequence(self.iter().map(T::term).collect())
            }
            fn assign(&mut self, other: &Self) {
                self.truncate(other.len());
                let kept = self.len();
                self.iter_mut().zip(other).for_each(|(to, from)| to.assign(from));
                self.extend(other.iter().skip(kept).cloned());
            }
            fn order(&self, other: &Self) -> Ordering {
                order_entries(self.iter(), other.iter())
            }
        }
    )* };
}

sequences! { Vec VecDeque }

// Behind a pointer a type may contain itself, so whether it is sorted cannot be asked here.
macro_rules! pointers {
    ($($type:ident)*) => { $(
        impl<T: Shape> Shape for $type<T> {
            const SORTED: bool = true;
            fn sorts(to: &mut Sorts) {
                T::sorts(to);
            }
            fn walk<V: Visit>(&self, to: &mut V) {
                T::walk(self, to);
            }
            fn read(from: &mut Reader<'_>) -> Self {
                Self::new(T::read(from))
            }
            fn term(&self) -> Term {
                T::term(self)
            }
            fn order(&self, other: &Self) -> Ordering {
                T::order(self, other)
            }
        }
    )* };
}

pointers! { Box Rc Arc }

/// A type whose order can be observed, so it must not mention individuals.
const fn without_individuals<T: Shape>() {
    assert!(!T::SORTED, "the order of individuals cannot be observed: use `Set` or `Map`");
}

impl<T: Shape + Ord> Shape for BTreeSet<T> {
    const SORTED: bool = {
        without_individuals::<T>();
        false
    };
    fn sorts(_: &mut Sorts) {}
    fn walk<V: Visit>(&self, to: &mut V) {
        const { without_individuals::<T>() };
        walk_in_order(self.iter(), to);
    }
    fn read(from: &mut Reader<'_>) -> Self {
        read_entries(from).into_iter().collect()
    }
    fn term(&self) -> Term {
        Term::Set(self.iter().map(T::term).collect())
    }
    fn order(&self, other: &Self) -> Ordering {
        order_entries(self.iter(), other.iter())
    }
}

impl<K: Shape + Ord, T: Shape> Shape for BTreeMap<K, T> {
    const SORTED: bool = {
        without_individuals::<K>();
        T::SORTED
    };
    fn sorts(to: &mut Sorts) {
        T::sorts(to);
    }
    fn walk<V: Visit>(&self, to: &mut V) {
        const { without_individuals::<K>() };
        to.count(self.len());
        for (key, value) in self {
            to.cut();
            to.begin(ENTRY);
            key.walk(to);
            value.walk(to);
            to.end(ENTRY);
        }
    }
    fn read(from: &mut Reader<'_>) -> Self {
        read_entries::<(K, T)>(from).into_iter().collect()
    }
    fn term(&self) -> Term {
        Term::Map(self.iter().map(|(key, value)| (key.term(), value.term())).collect())
    }
    fn order(&self, other: &Self) -> Ordering {
        self.len().cmp(&other.len()).then_with(|| {
            let pairs = self.iter().zip(other);
            let mut orders = pairs.map(|(a, b)| a.0.order(b.0).then_with(|| a.1.order(b.1)));
            orders.find(|order| order.is_ne()).unwrap_or(Ordering::Equal)
        })
    }
}
