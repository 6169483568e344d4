//! Collections whose order says nothing: sets, bags and maps of any values.
//!
//! Each is a sorted vector. Iteration is in that order, which depends on the numbers of individuals: a model
//! must not let it matter which entry comes first, and the equivariance check tests that it does not.
//!
//! Copies share the vector until one of them is changed. So a copy of a state costs little, and collections
//! that a step left alone are known to be equal without a look at their entries.

use std::cmp::Ordering;
use std::fmt;
use std::ops::{Deref, IndexMut};
use std::sync::Arc;

use crate::reader::Reader;
use crate::shape::{order_entries, read_entries};
use crate::{Shape, Sorts, Term, Visit};

/// Entries that copies share until one of them is changed, in one piece of memory. `None` for no entries.
#[derive(Clone)]
pub(crate) struct Entries<T>(Option<Arc<[T]>>);

impl<T> Default for Entries<T> {
    fn default() -> Self {
        Self(None)
    }
}

impl<T> Deref for Entries<T> {
    type Target = [T];
    #[inline]
    fn deref(&self) -> &[T] {
        self.0.as_deref().unwrap_or_default()
    }
}

impl<T> From<Vec<T>> for Entries<T> {
    fn from(entries: Vec<T>) -> Self {
        Self((!entries.is_empty()).then(|| entries.into()))
    }
}

impl<T: Clone> Entries<T> {
    /// The entries, to be changed. Copies keep theirs.
    #[inline]
    pub fn to_mut(&mut self) -> &mut [T] {
        self.0.as_mut().map_or(&mut [], |entries| Arc::make_mut(entries))
    }

    fn insert(&mut self, at: usize, entry: T) {
        let (before, after) = self.split_at(at);
        self.0 = Some(before.iter().cloned().chain([entry]).chain(after.iter().cloned()).collect());
    }

    fn remove(&mut self, at: usize) -> T {
        let removed = self[at].clone();
        let (before, after) = (&self[..at], &self[at + 1..]);
        let is_empty = before.len() + after.len() == 0;
        self.0 = (!is_empty).then(|| before.iter().cloned().chain(after.iter().cloned()).collect());
        removed
    }

    fn retain(&mut self, mut keep: impl FnMut(&T) -> bool) {
        let kept: Vec<T> = self.iter().filter(|entry| keep(entry)).cloned().collect();
        if kept.len() < self.len() {
            *self = kept.into();
        }
    }
}

impl<T: Shape> Entries<T> {
    pub fn order(&self, other: &Self) -> Ordering {
        match (&self.0, &other.0) {
            (Some(a), Some(b)) if Arc::ptr_eq(a, b) => Ordering::Equal,
            _ => order_entries(self.iter(), other.iter()),
        }
    }

    /// Becomes equal to `other`, and shares its entries even if they were equal before.
    fn assign(&mut self, other: &Self) {
        let is_shared = match (&self.0, &other.0) {
            (Some(a), Some(b)) => Arc::ptr_eq(a, b),
            (a, b) => a.is_none() && b.is_none(),
        };
        if !is_shared {
            self.0.clone_from(&other.0);
        }
    }
}

/// A sequence: its order matters.
///
/// ```
/// use quotient_model::Seq;
/// let mut line: Seq<char> = Seq::new();
/// line.push('a');
/// line.insert(0, 'b');
/// assert_eq!(line, ['b', 'a']);
/// ```
pub type Seq<T> = Vec<T>;

/// A set.
///
/// ```
/// use quotient_model::Set;
/// let mut primes = Set::from_iter([3_u8, 2, 5, 3]);
/// assert_eq!(primes.len(), 3);
/// assert!(primes.insert(7) && !primes.insert(7) && primes.remove(&2) && primes.contains(&5));
/// primes.retain(|prime| *prime != 5);
/// primes.extend([11]);
/// assert_eq!(primes.iter().copied().sum::<u8>(), 21);
/// assert!(Set::new().is_subset(&primes));
/// primes.clear();
/// assert!(primes.is_empty());
/// ```
#[derive(Clone)]
pub struct Set<T>(Entries<T>);

impl<T> Default for Set<T> {
    fn default() -> Self {
        Self(Entries::default())
    }
}

impl<T> Set<T> {
    /// The empty set.
    pub fn new() -> Self {
        Self::default()
    }

    /// The number of elements.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there are no elements.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The elements. Which one comes first says nothing.
    pub fn iter(&self) -> std::slice::Iter<'_, T> {
        self.0.iter()
    }

    /// Removes all elements.
    pub fn clear(&mut self) {
        *self = Self::new();
    }
}

impl<T: Shape> Set<T> {
    /// Removes the elements that do not satisfy a condition.
    pub fn retain(&mut self, keep: impl FnMut(&T) -> bool) {
        self.0.retain(keep);
    }

    fn find(&self, element: &T) -> Result<usize, usize> {
        self.0.binary_search_by(|other| other.order(element))
    }

    /// Adds an element. Returns whether it is new.
    pub fn insert(&mut self, element: T) -> bool {
        let place = self.find(&element);
        if let Err(at) = place {
            self.0.insert(at, element);
        }
        place.is_err()
    }

    /// Removes an element. Returns whether there was one.
    pub fn remove(&mut self, element: &T) -> bool {
        let place = self.find(element);
        if let Ok(at) = place {
            self.0.remove(at);
        }
        place.is_ok()
    }

    /// Whether it has an element.
    pub fn contains(&self, element: &T) -> bool {
        self.find(element).is_ok()
    }

    /// Whether all elements are in `other`.
    pub fn is_subset(&self, other: &Self) -> bool {
        self.0.iter().all(|element| other.contains(element))
    }
}

impl<T: fmt::Debug> fmt::Debug for Set<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.iter()).finish()
    }
}

impl<T: Shape> PartialEq for Set<T> {
    fn eq(&self, other: &Self) -> bool {
        self.order(other).is_eq()
    }
}

impl<T: Shape> Eq for Set<T> {}

impl<T: Shape> Extend<T> for Set<T> {
    fn extend<I: IntoIterator<Item = T>>(&mut self, elements: I) {
        let mut all = self.0.to_vec();
        all.extend(elements);
        all.sort_by(T::order);
        all.dedup_by(|a, b| a.order(b).is_eq());
        if all.len() > self.len() {
            self.0 = all.into();
        }
    }
}

impl<T: Shape> FromIterator<T> for Set<T> {
    fn from_iter<I: IntoIterator<Item = T>>(elements: I) -> Self {
        let mut set = Self::new();
        set.extend(elements);
        set
    }
}

impl<'a, T> IntoIterator for &'a Set<T> {
    type Item = &'a T;
    type IntoIter = std::slice::Iter<'a, T>;
    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl<T: Shape> Shape for Set<T> {
    const SORTED: bool = T::SORTED;
    fn sorts(to: &mut Sorts) {
        T::sorts(to);
    }
    fn walk<V: Visit>(&self, to: &mut V) {
        to.unordered(&self.0);
    }
    fn read(from: &mut Reader<'_>) -> Self {
        let mut elements = from.unordered();
        elements.sort_by(T::order);
        Self(elements.into())
    }
    fn term(&self) -> Term {
        Term::Set(self.0.iter().map(T::term).collect())
    }
    fn assign(&mut self, other: &Self) {
        self.0.assign(&other.0);
    }
    fn order(&self, other: &Self) -> Ordering {
        self.0.order(&other.0)
    }
}

/// A bag: a set whose elements occur any number of times.
///
/// ```
/// use quotient_model::Bag;
/// let mut coins = Bag::from_iter([1_u8, 2, 2]);
/// coins.insert(2);
/// assert_eq!((coins.len(), coins.times(&2)), (4, 3));
/// assert!(coins.remove(&2) && !coins.contains(&5));
/// assert_eq!(coins.iter().map(|(coin, times)| u32::from(*coin) * times).sum::<u32>(), 5);
/// assert!(Bag::<u8>::new().is_empty());
/// ```
#[derive(Clone)]
pub struct Bag<T>(Entries<(T, u32)>);

impl<T> Default for Bag<T> {
    fn default() -> Self {
        Self(Entries::default())
    }
}

impl<T> Bag<T> {
    /// The empty bag.
    pub fn new() -> Self {
        Self::default()
    }

    /// The number of elements, each as often as it occurs.
    pub fn len(&self) -> usize {
        self.0.iter().map(|&(_, times)| times as usize).sum()
    }

    /// Whether there are no elements.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The different elements, and how often each occurs. Which one comes first says nothing.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&T, u32)> {
        self.0.iter().map(|(element, times)| (element, *times))
    }
}

impl<T: Shape> Bag<T> {
    fn find(&self, element: &T) -> Result<usize, usize> {
        self.0.binary_search_by(|(other, _)| other.order(element))
    }

    /// Adds an element once more.
    pub fn insert(&mut self, element: T) {
        match self.find(&element) {
            Ok(at) => self.0.to_mut()[at].1 += 1,
            Err(at) => self.0.insert(at, (element, 1)),
        }
    }

    /// Removes an element once. Returns whether there was one.
    pub fn remove(&mut self, element: &T) -> bool {
        let Ok(at) = self.find(element) else { return false };
        if self.0[at].1 == 1 {
            self.0.remove(at);
        } else {
            self.0.to_mut()[at].1 -= 1;
        }
        true
    }

    /// How often it has an element.
    pub fn times(&self, element: &T) -> u32 {
        self.find(element).map_or(0, |at| self.0[at].1)
    }

    /// Whether it has an element.
    pub fn contains(&self, element: &T) -> bool {
        self.find(element).is_ok()
    }
}

impl<T: fmt::Debug> fmt::Debug for Bag<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.iter()).finish()
    }
}

impl<T: Shape> PartialEq for Bag<T> {
    fn eq(&self, other: &Self) -> bool {
        self.order(other).is_eq()
    }
}

impl<T: Shape> Eq for Bag<T> {}

impl<T: Shape> FromIterator<T> for Bag<T> {
    fn from_iter<I: IntoIterator<Item = T>>(elements: I) -> Self {
        let mut all: Vec<(T, u32)> = elements.into_iter().map(|element| (element, 1)).collect();
        all.sort_by(|a, b| a.0.order(&b.0));
        all.dedup_by(|later, (element, times)| {
            let is_same = later.0.order(element).is_eq();
            *times += if is_same { later.1 } else { 0 };
            is_same
        });
        Self(all.into())
    }
}

impl<T: Shape> Shape for Bag<T> {
    const SORTED: bool = T::SORTED;
    fn sorts(to: &mut Sorts) {
        T::sorts(to);
    }
    fn walk<V: Visit>(&self, to: &mut V) {
        to.unordered(&self.0);
    }
    fn read(from: &mut Reader<'_>) -> Self {
        let mut elements: Vec<(T, u32)> = from.unordered();
        elements.sort_by(|a, b| a.0.order(&b.0));
        Self(elements.into())
    }
    fn term(&self) -> Term {
        Term::Bag(self.iter().map(|(element, times)| (element.term(), times)).collect())
    }
    fn assign(&mut self, other: &Self) {
        self.0.assign(&other.0);
    }
    fn order(&self, other: &Self) -> Ordering {
        self.0.order(&other.0)
    }
}

/// A map from keys to values. `map[key]` is the value of a key; a key that the map does not have is a fault of
/// the model, reported with its run.
///
/// ```
/// use quotient_model::Map;
/// let mut ages = Map::from_iter([("Ann", 30_u8), ("Bob", 7)].map(|(name, age)| (name.to_owned(), age)));
/// let [ann, bob] = ["Ann", "Bob"].map(str::to_owned);
/// ages[bob.clone()] += 1;
/// assert_eq!((ages[bob.clone()], ages.get(&ann), ages.contains_key(&ann)), (8, Some(&30), true));
/// assert_eq!(ages.insert(ann.clone(), 31), Some(30));
/// *ages.entry_or_default("Cleo".to_owned()) += 2;
/// ages.iter_mut().for_each(|(_, age)| *age += 1);
/// ages.get_mut(&ann).into_iter().for_each(|age| *age = 18);
/// assert_eq!(ages.remove(&bob), Some(9));
/// ages.retain(|_, age| *age > 3);
/// assert_eq!((ages.len(), ages.keys().count(), ages.values().copied().max()), (1, 1, Some(18)));
/// assert!(Map::<u8, u8>::new().is_empty() && ages.iter().all(|(name, _)| *name == ann));
/// ```
#[derive(Clone)]
pub struct Map<K, T>(pub(crate) Entries<(K, T)>);

impl<K, T> Default for Map<K, T> {
    fn default() -> Self {
        Self(Entries::default())
    }
}

impl<K, T> Map<K, T> {
    /// The empty map.
    pub fn new() -> Self {
        Self::default()
    }

    /// The number of keys.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there are no keys.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The keys and their values. Which one comes first says nothing.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&K, &T)> {
        self.0.iter().map(|(key, value)| (key, value))
    }

    /// The keys.
    pub fn keys(&self) -> impl ExactSizeIterator<Item = &K> {
        self.0.iter().map(|(key, _)| key)
    }

    /// The values.
    pub fn values(&self) -> impl ExactSizeIterator<Item = &T> {
        self.0.iter().map(|(_, value)| value)
    }
}

impl<K: Shape, T> Map<K, T> {
    pub(crate) fn find(&self, key: &K) -> Result<usize, usize> {
        self.0.binary_search_by(|(other, _)| other.order(key))
    }

    /// The value of a key, if there is one.
    pub fn get(&self, key: &K) -> Option<&T> {
        self.find(key).ok().map(|at| &self.0[at].1)
    }

    /// Whether it has a key.
    pub fn contains_key(&self, key: &K) -> bool {
        self.find(key).is_ok()
    }
}

impl<K: Shape, T: Clone> Map<K, T> {
    /// The keys and their values, to be changed.
    pub fn iter_mut(&mut self) -> impl ExactSizeIterator<Item = (&K, &mut T)> {
        self.0.to_mut().iter_mut().map(|(key, value)| (&*key, value))
    }

    /// Removes the keys that do not satisfy a condition.
    pub fn retain(&mut self, mut keep: impl FnMut(&K, &T) -> bool) {
        self.0.retain(|(key, value)| keep(key, value));
    }

    /// Gives a key a value, and returns its old one.
    pub fn insert(&mut self, key: K, value: T) -> Option<T> {
        match self.find(&key) {
            Ok(at) => Some(std::mem::replace(&mut self.0.to_mut()[at].1, value)),
            Err(at) => {
                self.0.insert(at, (key, value));
                None
            }
        }
    }

    /// Removes a key, and returns its value.
    pub fn remove(&mut self, key: &K) -> Option<T> {
        self.find(key).ok().map(|at| self.0.remove(at).1)
    }

    /// The value of a key, to be changed, if there is one.
    pub fn get_mut(&mut self, key: &K) -> Option<&mut T> {
        self.find(key).ok().map(|at| &mut self.0.to_mut()[at].1)
    }

    /// The value of a key, which is made if there is none.
    pub fn entry_or_default(&mut self, key: K) -> &mut T
    where
        T: Default,
    {
        let at = match self.find(&key) {
            Ok(at) => at,
            Err(at) => {
                self.0.insert(at, (key, T::default()));
                at
            }
        };
        &mut self.0.to_mut()[at].1
    }
}

impl<K: Shape, T> std::ops::Index<K> for Map<K, T> {
    type Output = T;
    #[track_caller]
    fn index(&self, key: K) -> &T {
        self.get(&key).unwrap_or_else(|| panic!("the map has no key {key:?}"))
    }
}

impl<K: Shape, T: Clone> IndexMut<K> for Map<K, T> {
    #[track_caller]
    fn index_mut(&mut self, key: K) -> &mut T {
        self.get_mut(&key).unwrap_or_else(|| panic!("the map has no key {key:?}"))
    }
}

impl<K: fmt::Debug, T: fmt::Debug> fmt::Debug for Map<K, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.iter()).finish()
    }
}

impl<K: Shape, T: Shape> PartialEq for Map<K, T> {
    fn eq(&self, other: &Self) -> bool {
        self.order(other).is_eq()
    }
}

impl<K: Shape, T: Shape> Eq for Map<K, T> {}

impl<K: Shape, T: Clone> FromIterator<(K, T)> for Map<K, T> {
    fn from_iter<I: IntoIterator<Item = (K, T)>>(rows: I) -> Self {
        let mut all: Vec<(K, T)> = rows.into_iter().collect();
        all.sort_by(|a, b| a.0.order(&b.0));
        // The last value of a key is its value.
        all.dedup_by(|later, earlier| {
            let is_same = later.0.order(&earlier.0).is_eq();
            if is_same {
                std::mem::swap(later, earlier);
            }
            is_same
        });
        Self(all.into())
    }
}

impl<K: Shape, T: Shape> Shape for Map<K, T> {
    const SORTED: bool = K::SORTED || T::SORTED;
    fn sorts(to: &mut Sorts) {
        K::sorts(to);
        T::sorts(to);
    }
    fn walk<V: Visit>(&self, to: &mut V) {
        if K::IS_INDIVIDUAL {
            to.rows(&self.0, false);
        } else {
            to.pairs(&self.0);
        }
    }
    fn walk_after<V: Visit>(&self, last: Option<&Self>, to: &mut V) {
        match last {
            Some(last) if K::IS_INDIVIDUAL => to.rows_after(&self.0, &last.0),
            _ => self.walk(to),
        }
    }
    fn read_again(&mut self, from: &mut Reader<'_>) {
        if !K::IS_INDIVIDUAL || !from.rows_again(&mut self.0) {
            *self = Self::read(from);
        }
    }
    fn read(from: &mut Reader<'_>) -> Self {
        let mut rows = if K::IS_INDIVIDUAL { from.rows(false) } else { read_entries(from) };
        rows.sort_by(|a: &(K, T), b| a.0.order(&b.0));
        Self(rows.into())
    }
    fn term(&self) -> Term {
        Term::Map(self.iter().map(|(key, value)| (key.term(), value.term())).collect())
    }
    fn assign(&mut self, other: &Self) {
        self.0.assign(&other.0);
    }
    fn order(&self, other: &Self) -> Ordering {
        self.0.order(&other.0)
    }
}
