//! Isomorphism of states by brute force.
//!
//! The least encoding over all names. Only those names are left out of which it is plain that they lead to
//! other encodings: an isomorphism preserves what kind of object something is, and where threads are.

use state::{Layout, Names, NodeRef, ObjectId, State, ThreadId};
use system::Encoding;

use crate::forms::{Form, compact, flat};

/// Who may be exchanged for one another, and the first of the names that are theirs.
struct Group {
    of: Of,
    ids: Vec<u32>,
    first: u32,
}

#[derive(Clone, Copy)]
enum Of {
    Threads,
    Objects,
    Abstract(usize),
}

/// The least encoding of the state under any names, unless there are more than `most` to try.
pub fn least_form(layout: &Layout, state: &State, most: u64) -> Option<Form> {
    let groups = groups(layout, state);
    let ways = groups.iter().flat_map(|group| 1..=group.ids.len() as u64).product::<u64>();
    if ways > most {
        return None;
    }
    let mut search = Search {
        layout,
        state: state.clone(),
        names: compact(layout, state),
        encoding: Encoding::new(),
        least: None,
    };
    search.permute(&groups, 0, &mut Vec::new());
    search.least
}

fn groups(layout: &Layout, state: &State) -> Vec<Group> {
    let mut groups = Vec::new();
    let running = |id: ThreadId| -> Vec<i64> {
        state.frames(layout, id).map(|frame| state.read(frame, layout.location)).collect()
    };
    let threads = (0..state.thread_limit()).map(ThreadId).filter(|&id| state.thread_exists(id));
    add_groups(&mut groups, Of::Threads, threads.map(|id| (running(id), id.0)).collect());
    let kind = |id: ObjectId| {
        let base = state.object(id);
        (state.read(base, layout.tag), state.words_of(NodeRef::Object(id)).map(<[u64]>::len))
    };
    let objects = (0..state.object_limit()).map(ObjectId).filter(|&id| state.exists(NodeRef::Object(id)));
    add_groups(&mut groups, Of::Objects, objects.map(|id| (kind(id), id.0)).collect());
    for (of, &count) in layout.abstracts.iter().enumerate() {
        let is_pinned = |id| layout.named_constants.contains(&(of as u32, id));
        // Named constants keep their names, so those of the others are not consecutive.
        let free: Vec<u32> = (0..count).filter(|&id| !is_pinned(id)).collect();
        groups.push(Group { of: Of::Abstract(of), ids: free, first: 0 });
    }
    groups
}

/// Those with equal keys may be exchanged.
fn add_groups<K: Ord>(groups: &mut Vec<Group>, of: Of, mut keyed: Vec<(K, u32)>) {
    keyed.sort();
    let mut first = 0;
    for group in keyed.chunk_by(|a, b| a.0 == b.0) {
        let ids: Vec<u32> = group.iter().map(|&(_, id)| id).collect();
        groups.push(Group { of, ids, first });
        first += group.len() as u32;
    }
}

struct Search<'l> {
    layout: &'l Layout,
    state: State,
    names: Names,
    encoding: Encoding,
    least: Option<Form>,
}

impl Search<'_> {
    /// Gives all names to the groups, of which those in `used` of the first have theirs.
    fn permute(&mut self, groups: &[Group], given: usize, used: &mut Vec<bool>) {
        let Some(group) = groups.first() else { return self.look() };
        used.resize(group.ids.len(), false);
        if given == group.ids.len() {
            return self.permute(&groups[1..], 0, &mut Vec::new());
        }
        for at in 0..group.ids.len() {
            if !std::mem::replace(&mut used[at], true) {
                let id = group.ids[given] as usize;
                match group.of {
                    Of::Threads => self.names.threads[id] = group.first + at as u32,
                    Of::Objects => self.names.objects[id] = group.first + at as u32,
                    Of::Abstract(of) => self.names.abstracts[of][id] = group.ids[at],
                }
                self.permute(groups, given + 1, used);
                used[at] = false;
            }
        }
    }

    fn look(&mut self) {
        self.state.encode_all(self.layout, &self.names, &mut self.encoding);
        let (head, words) = self.encoding.flat();
        let less = self.least.as_ref().is_none_or(|least| head.iter().chain(words).lt(least));
        if less {
            self.least = Some(flat(&self.encoding));
        }
    }
}
