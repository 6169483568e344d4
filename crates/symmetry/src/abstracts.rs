//! What the elements of abstract enums are called.

use state::Layout;

use crate::namer::UNNAMED;

/// Gives names to elements of abstract enums. MarkedProgram ones keep theirs: the model knows them by it.
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
                let is_pinned = |&id: &u32| layout.named_constants.contains(&(of, id));
                for id in (0..count).filter(is_pinned) {
                    names[id as usize] = id;
                }
                left.push((0..count).rev().filter(|id| !is_pinned(id)).collect());
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

    /// Those that nobody mentions get what is left.
    pub fn finish(mut self) {
        for of in 0..self.left.len() as u32 {
            for id in 0..self.names[of as usize].len() as u32 {
                self.name(of, id);
            }
        }
    }
}
