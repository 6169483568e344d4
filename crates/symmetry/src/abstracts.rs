//! Names for the elements of abstract enums.

use state::Layout;

use crate::namer::UNNAMED;

/// Gives names to elements of abstract enums. Named constants keep theirs, since properties mention them.
pub struct AbstractNames<'n> {
    names: &'n mut Vec<Vec<u32>>,
    /// By enum: the names that are left, the next one last.
    left: Vec<Vec<u32>>,
}

impl<'n> AbstractNames<'n> {
    pub fn new(layout: &Layout, names: &'n mut Vec<Vec<u32>>) -> Self {
        let needed = layout.abstracts.iter().any(|&count| count > 0);
        names.resize(layout.abstracts.len(), Vec::new());
        let mut left = Vec::new();
        if needed {
            for (names, (&count, of)) in names.iter_mut().zip(layout.abstracts.iter().zip(0..)) {
                names.clear();
                names.resize(count as usize, UNNAMED);
                let is_constant = |&id: &u32| layout.named_constants.contains(&(of, id));
                for id in (0..count).filter(is_constant) {
                    names[id as usize] = id;
                }
                left.push((0..count).rev().filter(|id| !is_constant(id)).collect());
            }
        }
        Self { names, left }
    }

    pub fn name(&mut self, of: u32, id: u32) {
        let name = &mut self.names[of as usize][id as usize];
        if *name == UNNAMED {
            *name = self.left[of as usize].pop().expect("a name for each element");
        }
    }

    /// Gives the names that are left to the elements that no unit mentions.
    pub fn finish(mut self) {
        for of in 0..self.left.len() as u32 {
            for id in 0..self.names[of as usize].len() as u32 {
                self.name(of, id);
            }
        }
    }
}
