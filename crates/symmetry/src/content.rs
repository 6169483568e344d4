//! What a unit says, as a hash, given what to call those whom it mentions.

use state::{Content, Entity, Layout, NodeRef, State, TermKind};

use crate::mix::{mix, mix128};

/// A hash of the data of a unit: of everything but names.
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

/// A hash of all that a unit says, with whom it mentions as `name` calls them.
pub fn hash_unit(
    layout: &Layout,
    state: &State,
    node: NodeRef,
    name: &mut impl FnMut(Entity) -> u128,
) -> u128 {
    let mut hash = mix128(0, hash_data(layout, state, node));
    state.contents(layout, node, &mut |label, content| match content {
        Content::Name(whom) => hash = mix128(hash ^ name(whom), label),
        Content::Value(ty, words) => {
            hash = mix128(hash, label);
            layout.terms.scan(ty, words, 0, &mut |kind, word| {
                hash = match Entity::of_term(kind, word as i64) {
                    Some(whom) => mix128(hash ^ name(whom), 1),
                    None if kind == TermKind::Data => mix128(hash, word),
                    None => mix128(hash, 2),
                };
            });
        }
    });
    hash
}
