//! Hashes of the contents of units, under given names of the entities that they mention.

use state::{Content, Entity, Layout, NodeRef, State, TermKind};

use crate::mix::{mix, mix128};

/// A hash of the data of a unit, without references.
#[inline]
pub fn hash_data(layout: &Layout, state: &State, node: NodeRef) -> u64 {
    let mut hash = match node {
        NodeRef::Root => 1,
        NodeRef::Thread(_) => 2,
        NodeRef::Object(_) => 3,
    };
    state.data(layout, node, &mut |word| hash = mix(hash, word));
    hash
}

/// A hash of the contents of a unit. `name` gives the names of the entities that it mentions.
pub fn hash_unit(
    layout: &Layout,
    state: &State,
    node: NodeRef,
    name: &mut impl FnMut(Entity) -> u128,
) -> u128 {
    let mut hash = mix128(0, hash_data(layout, state, node));
    state.contents(layout, node, &mut |label, content| match content {
        Content::Name(entity) => hash = mix128(hash ^ name(entity), label),
        Content::Value(ty, words) => {
            hash = mix128(hash, label);
            layout.terms.scan(ty, words, 0, &mut |kind, word| {
                hash = match Entity::of_term(kind, word as i64) {
                    Some(entity) => mix128(hash ^ name(entity), 1),
                    None if kind == TermKind::Data => mix128(hash, word),
                    None => mix128(hash, 2),
                };
            });
        }
    });
    hash
}
