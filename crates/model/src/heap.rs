//! Objects that refer to each other.

use std::any::TypeId;
use std::cmp::Ordering;
use std::fmt;
use std::marker::PhantomData;
use std::ops::{Index as Indexed, IndexMut};

use crate::collections::Map;
use crate::reader::Reader;
use crate::{Index, Shape, Sorts, Term, Visit};

/// Objects of one type. An object that nothing refers to any more is gone after the step. A state should have
/// one heap for each type of objects.
///
/// ```
/// use quotient_model::{Heap, Ref, Shape};
/// #[derive(Clone, Debug, Shape)]
/// struct Node { value: u8, next: Option<Ref<Node>> }
/// let mut heap = Heap::new();
/// let last = heap.add(Node { value: 1, next: None });
/// let first = heap.add(Node { value: 2, next: Some(last) });
/// heap[last].value = 3;
/// let next = heap[first].next.expect("it has one");
/// assert!(next == last && heap[next].value == 3 && heap.len() == 2 && !heap.is_empty());
/// assert!(heap.iter().any(|(at, _)| at == first));
/// ```
#[derive(Clone)]
pub struct Heap<T>(Map<Ref<T>, T>);

impl<T> Default for Heap<T> {
    fn default() -> Self {
        Self(Map::default())
    }
}

impl<T: 'static> Heap<T> {
    /// A heap without objects.
    pub fn new() -> Self {
        Self::default()
    }

    /// The number of objects.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there are no objects.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// All objects. Which one comes first says nothing.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (Ref<T>, &T)> {
        self.0.iter().map(|(key, object)| (*key, object))
    }
}

impl<T: Clone + 'static> Heap<T> {
    /// Makes an object.
    pub fn add(&mut self, object: T) -> Ref<T> {
        let free = self.0.keys().zip(0..).find(|(key, at)| key.0.0 != *at);
        let new = Ref(Index(free.map_or(self.0.len() as u32, |(_, at)| at)), PhantomData);
        self.0.insert(new, object);
        new
    }
}

impl<T: 'static> Indexed<Ref<T>> for Heap<T> {
    type Output = T;
    fn index(&self, at: Ref<T>) -> &T {
        &self.0[at]
    }
}

impl<T: Clone + 'static> IndexMut<Ref<T>> for Heap<T> {
    fn index_mut(&mut self, at: Ref<T>) -> &mut T {
        &mut self.0[at]
    }
}

impl<T: fmt::Debug> fmt::Debug for Heap<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl<T: Shape> Shape for Heap<T> {
    const SORTED: bool = true;
    fn sorts(to: &mut Sorts) {
        Ref::<T>::sorts(to);
        T::sorts(to);
    }
    fn walk<V: Visit>(&self, to: &mut V) {
        to.rows(&self.0.0, true);
    }
    fn read(from: &mut Reader<'_>) -> Self {
        let mut objects: Vec<(Ref<T>, T)> = from.rows(true);
        objects.sort_by(|a, b| a.0.order(&b.0));
        Self(Map(objects.into()))
    }
    fn term(&self) -> Term {
        self.0.term()
    }
    fn assign(&mut self, other: &Self) {
        self.0.assign(&other.0);
    }
    fn order(&self, other: &Self) -> Ordering {
        self.0.order(&other.0)
    }
}

/// A reference to an object of a [`Heap`]. It can be copied and compared for equality, and nothing else.
///
/// ```
/// use quotient_model::{Heap, Ref};
/// let mut heap: Heap<u8> = Heap::new();
/// let (a, b): (Ref<u8>, Ref<u8>) = (heap.add(1), heap.add(1));
/// assert!(a != b && heap[a] == heap[b]);
/// ```
pub struct Ref<T>(Index, PhantomData<fn() -> T>);

impl<T> Clone for Ref<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Ref<T> {}

impl<T> PartialEq for Ref<T> {
    fn eq(&self, other: &Self) -> bool {
        self.0 == other.0
    }
}

impl<T> Eq for Ref<T> {}

impl<T> fmt::Debug for Ref<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "#{}", self.0)
    }
}

impl<T: 'static> Shape for Ref<T> {
    const SORTED: bool = true;
    const IS_INDIVIDUAL: bool = true;
    fn sorts(to: &mut Sorts) {
        to.add_objects::<Self, T>();
    }
    fn walk<V: Visit>(&self, to: &mut V) {
        to.id(TypeId::of::<Self>(), self.0);
    }
    fn read(from: &mut Reader<'_>) -> Self {
        Self(from.id(TypeId::of::<Self>()), PhantomData)
    }
    fn term(&self) -> Term {
        Term::Individual { sort: crate::sorts::short_name::<T>().to_owned(), number: self.0.0 }
    }
    fn order(&self, other: &Self) -> Ordering {
        self.0.0.cmp(&other.0.0)
    }
    fn individual(&self) -> Option<(TypeId, Index)> {
        Some((TypeId::of::<Self>(), self.0))
    }
}
