//! The names that an encoding shows, and how the encoding follows when names change.
//!
//! Names by chains are brought up to date in place. The objects of each origin are listed in the order of
//! their chains, and it is known from where on the list changed; so objects before that are not looked at,
//! unless the names of their origin start elsewhere. Renamed units are collected until the encoding is
//! brought up to date: then these units are written again, and those that mention them.

use state::{Layout, Names, NodeRef, ObjectId, State, ThreadId};
use system::Encoding;

use crate::chains::Chains;
use crate::namer::UNNAMED;

/// If more than one in this number of units is renamed, everything is encoded anew.
const FEW: usize = 4;

#[derive(Debug)]
pub struct EncodedNames {
    names: Names,
    /// How these names differ from those that the encoding shows.
    renaming: Renaming,
    /// For names by chains: each origin, and the first name of its objects.
    starts: Vec<(u32, usize)>,
    /// Some object may have a name that is not its id.
    has_strays: bool,
}

/// There is no encoding yet.
impl Default for EncodedNames {
    fn default() -> Self {
        Self { names: Names::default(), renaming: Renaming::Everything, starts: Vec::new(), has_strays: true }
    }
}

/// How names differ from those that an encoding shows.
#[derive(Debug)]
enum Renaming {
    /// In the names of these units, some of which may be gone.
    Of(Vec<NodeRef>),
    Everything,
}

impl Renaming {
    const NOTHING: Self = Self::Of(Vec::new());

    fn is_nothing(&self) -> bool {
        matches!(self, Self::Of(units) if units.is_empty())
    }

    /// The encoding shows the names.
    fn clear(&mut self) {
        match self {
            Self::Of(units) => units.clear(),
            Self::Everything => *self = Self::NOTHING,
        }
    }

    fn push(&mut self, unit: NodeRef) {
        if let Self::Of(units) = self {
            units.push(unit);
        }
    }
}

impl EncodedNames {
    pub fn names(&self) -> &Names {
        &self.names
    }

    /// Whether the encoding shows exactly these names.
    pub fn is_encoded(&self) -> bool {
        self.renaming.is_nothing()
    }

    /// The encoding is the one from which the state was decoded: ids are names. Where they were names all along, since a
    /// state with the same units was decoded, only threads are looked at.
    pub fn set_to_ids(&mut self, layout: &Layout, state: &State) {
        self.renaming.clear();
        if state.has_kept_units()
            && !self.has_strays
            && self.names.objects.len() == state.object_limit() as usize
        {
            return set_threads_to_ids(&mut self.names.threads, state);
        }
        self.starts.clear();
        self.has_strays = false;
        set_to_ids(&mut self.names, layout, state);
    }

    /// The encoding shows other names, which are not known.
    pub fn forget(&mut self) {
        self.renaming = Renaming::Everything;
        self.starts.clear();
        self.has_strays = true;
    }

    /// The encoding shows these names of threads, by id.
    pub fn set_threads(&mut self, names: Vec<u32>) {
        self.names.threads = names;
    }

    /// Takes names that were not found by chains, in exchange for the old ones.
    pub fn replace(&mut self, names: &mut Names) {
        std::mem::swap(&mut self.names, names);
        self.starts.clear();
        self.has_strays = true;
        let Self { names: new, renaming, .. } = self;
        if let Renaming::Of(units) = renaming {
            let changes = |new: &[u32], old: &[u32]| {
                new.len().abs_diff(old.len()) + new.iter().zip(old).filter(|(new, old)| new != old).count()
            };
            let count = changes(&new.threads, &names.threads) + changes(&new.objects, &names.objects);
            if count * FEW > new.threads.len() + new.objects.len() || new.abstracts != names.abstracts {
                *renaming = Renaming::Everything;
            } else if count > 0 {
                let mut list = |new: &[u32], old: &[u32], unit: fn(u32) -> NodeRef| {
                    let id_of = |list: &[u32], id: usize| list.get(id).copied().unwrap_or(UNNAMED);
                    let ids = 0..new.len().max(old.len());
                    let changed = ids.filter(|&id| id_of(new, id) != id_of(old, id));
                    units.extend(changed.map(|id| unit(id as u32)));
                };
                list(&new.threads, &names.threads, |id| NodeRef::Thread(ThreadId(id)));
                list(&new.objects, &names.objects, |id| NodeRef::Object(ObjectId(id)));
            }
        }
    }

    /// Gives threads the names in `threads`, by id, and names objects in the order of their chains: those
    /// from the globals, then those from each running thread in turn. There must be no abstract ids.
    pub fn follow(&mut self, state: &State, chains: &mut Chains, running: &[ThreadId], threads: &[u32]) {
        let Self { names, renaming, starts, has_strays } = self;
        names.threads.resize(threads.len(), UNNAMED);
        for ((old, &new), id) in names.threads.iter_mut().zip(threads).zip(0..) {
            if std::mem::replace(old, new) != new {
                renaming.push(NodeRef::Thread(ThreadId(id)));
            }
        }
        let relisted = chains.take_relisted();
        names.objects.resize(state.object_limit() as usize, UNNAMED);
        for id in relisted.delisted {
            names.objects[id.0 as usize] = UNNAMED;
            renaming.push(NodeRef::Object(id));
        }
        if starts.is_empty() {
            // An object with a name that is not by chains may be gone without ever having been listed.
            for (name, id) in names.objects.iter_mut().zip(0..) {
                let unit = NodeRef::Object(ObjectId(id));
                if *name != UNNAMED && !state.exists(unit) {
                    *name = UNNAMED;
                    renaming.push(unit);
                }
            }
        }
        let mut start = 0;
        let origins = std::iter::once(0).chain(running.iter().map(|id| id.0 + 1));
        for (origin, at) in origins.zip(0..) {
            let range = chains.range_from(origin);
            // Objects at the same places in a list that starts with the same name keep their names.
            let same = match starts.get(at) {
                Some(&before) if before == (origin, start) => {
                    relisted.unchanged.clamp(range.start, range.end) - range.start
                }
                _ => 0,
            };
            let others = range.start + same..range.end;
            for (id, name) in chains.objects_in(others).zip((start + same) as u32..) {
                if std::mem::replace(&mut names.objects[id.0 as usize], name) != name {
                    renaming.push(NodeRef::Object(id));
                }
            }
            match starts.get_mut(at) {
                Some(before) => *before = (origin, start),
                None => starts.push((origin, start)),
            }
            start += range.len();
        }
        starts.truncate(running.len() + 1);
        *has_strays |= match renaming {
            Renaming::Of(units) => units.iter().any(|unit| match *unit {
                NodeRef::Object(ObjectId(id)) => names.objects.get(id as usize) != Some(&id),
                NodeRef::Root | NodeRef::Thread(_) => false,
            }),
            Renaming::Everything => true,
        };
    }

    /// Brings an encoding up to date. `mentioning` adds the units that mention a unit to a list, if it is known
    /// which do.
    pub fn encode(
        &mut self,
        layout: &Layout,
        state: &mut State,
        mentioning: Option<impl Fn(NodeRef, &mut Vec<NodeRef>)>,
        into: &mut Encoding,
    ) {
        let units = match &mut self.renaming {
            Renaming::Of(units) => {
                units.retain(|&unit| state.exists(unit));
                (units.len() * FEW <= state.unit_count()).then_some(units)
            }
            Renaming::Everything => None,
        };
        match (units, mentioning) {
            (Some(units), Some(mentioning)) => {
                for at in 0..units.len() {
                    mentioning(units[at], units);
                }
                state.encode_renamed(layout, &self.names, units.iter().copied(), into);
            }
            _ => state.encode_all(layout, &self.names, into),
        }
        self.renaming.clear();
    }
}

/// Gives every entity its id as its name.
pub fn set_to_ids(Names { threads, objects, abstracts }: &mut Names, layout: &Layout, state: &State) {
    set_threads_to_ids(threads, state);
    objects.clear();
    objects.extend(
        (0..state.object_limit())
            .map(|id| if state.exists(NodeRef::Object(ObjectId(id))) { id } else { UNNAMED }),
    );
    abstracts.resize(layout.abstracts.len(), Vec::new());
    for (names, &count) in abstracts.iter_mut().zip(&layout.abstracts) {
        names.clear();
        names.extend(0..count);
    }
}

fn set_threads_to_ids(threads: &mut Vec<u32>, state: &State) {
    threads.clear();
    let name = |id: u32| if state.exists(NodeRef::Thread(ThreadId(id))) { id } else { UNNAMED };
    threads.extend((0..state.thread_limit()).map(name));
}
