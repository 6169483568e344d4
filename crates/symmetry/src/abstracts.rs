//! Names for the elements of abstract enums.

use state::{Entity, Layout};

use crate::namer::UNNAMED;

/// Names the elements of abstract enums, those of each enum in the given order, then those that are not in it.
/// Named constants keep their names, since properties mention them.
pub fn name_abstracts(
    layout: &Layout,
    order: &(impl Iterator<Item = Entity> + Clone),
    names: &mut Vec<Vec<u32>>,
) {
    names.resize(layout.abstracts.len(), Vec::new());
    for (names, (&count, of)) in names.iter_mut().zip(layout.abstracts.iter().zip(0..)) {
        names.clear();
        if count == 0 {
            continue;
        }
        names.resize(count as usize, UNNAMED);
        let is_constant = |&id: &u32| layout.named_constants.contains(&(of, id));
        (0..count).filter(is_constant).for_each(|id| names[id as usize] = id);
        let mut left = (0..count).filter(|id| !is_constant(id));
        let mut name = |id: u32| {
            let name = &mut names[id as usize];
            if *name == UNNAMED {
                *name = left.next().expect("a name for each element");
            }
        };
        for entity in order.clone() {
            if let Entity::Abstract(other, id) = entity
                && other == of
            {
                name(id);
            }
        }
        (0..count).for_each(name);
    }
}
