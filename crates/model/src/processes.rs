//! The numbers of processes, as searches see them: threads.
//!
//! A process gets its number when it first acts, and keeps it. Individuals of a sort have consecutive
//! numbers. A search for fair cycles must know all numbers from its beginning: where a new one turns up, it
//! starts again.

use crate::mentions::Mentions;
use crate::sorts::Size;
use crate::{Cx, Model, Process, Program, Sorts};

/// Objects have no greatest number. Beyond this many, fairness is refused.
const OBJECTS: u32 = 64;

/// The processes that acted so far.
#[derive(Debug)]
pub(crate) struct Processes {
    known: Vec<Known>,
    /// The number of the next process.
    next: u32,
    has_grown: bool,
}

#[derive(Debug)]
struct Known {
    /// The number of the first of them.
    first: u32,
    of: Of,
}

#[derive(PartialEq, Eq, Debug)]
enum Of {
    One(Process),
    /// The individuals of the sort with this number, and how many there may be.
    Sort(usize, u32),
}

impl Default for Processes {
    fn default() -> Self {
        let whole = Known { first: 0, of: Of::One(Process::Whole) };
        Self { known: vec![whole], next: 1, has_grown: false }
    }
}

/// Where a process is among the threads of a state.
pub(crate) enum Thread {
    One,
    Individual { sort: usize, index: u32, first: u32 },
}

impl Processes {
    /// The number of the process that takes an action.
    pub fn thread<M: Model>(&mut self, program: &Program<M>, action: &M::Action) -> u32 {
        let process = program.model.process(&Cx::new(&program.sorts), action);
        if process == Process::Whole { 0 } else { self.number(&program.sorts, process) }
    }

    fn number(&mut self, sorts: &Sorts, process: Process) -> u32 {
        let (of, offset) = match process {
            Process::Individual(who) => {
                let sort = sorts.number(who.sort);
                let count = match sorts.all[sort].size {
                    Size::Given(count) => count,
                    Size::Open | Size::Unknown => OBJECTS,
                };
                // More than searches can tell apart.
                if who.index.0 >= count {
                    return u32::MAX;
                }
                (Of::Sort(sort, count), who.index.0)
            }
            process => (Of::One(process), 0),
        };
        if let Some(known) = self.known.iter().find(|known| known.of == of) {
            return known.first + offset;
        }
        let first = self.next;
        self.next += match of {
            Of::One(_) => 1,
            Of::Sort(_, count) => count,
        };
        self.known.push(Known { first, of });
        self.has_grown = true;
        first + offset
    }

    /// Whether a process acted for the first time since this was last asked.
    pub fn take_grown(&mut self) -> bool {
        std::mem::take(&mut self.has_grown)
    }

    /// How many processes there are numbers for.
    pub const fn count(&self) -> u32 {
        self.next
    }

    /// All numbers in order.
    pub fn threads(&self) -> impl Iterator<Item = Thread> {
        self.known.iter().flat_map(|known| {
            let (sort, count) = match known.of {
                Of::One(_) => (None, 1),
                Of::Sort(sort, count) => (Some(sort), count),
            };
            (0..count).map(move |index| match sort {
                None => Thread::One,
                Some(sort) => Thread::Individual { sort, index, first: known.first },
            })
        })
    }

    /// Whether there are more objects of a kind than numbers for them.
    pub fn outgrown(&self, sorts: &Sorts, mentions: Option<&Mentions<'_>>) -> bool {
        let Some(mentions) = mentions else { return false };
        self.known.iter().any(|known| match known.of {
            Of::Sort(sort, count) => {
                sorts.all[sort].size == Size::Open && mentions.found[sort].len() > count as usize
            }
            Of::One(_) => false,
        })
    }

    /// Whether some processes are individuals.
    pub fn has_individuals(&self) -> bool {
        self.known.iter().any(|known| matches!(known.of, Of::Sort(..)))
    }
}
