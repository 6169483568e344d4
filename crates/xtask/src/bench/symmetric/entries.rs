//! The models: most have 10^4 to 10^6 orbits, and differ in what makes names expensive.

use std::path::{Path, PathBuf};

use anyhow::Result;

use crate::model::Model;

/// A model at a size.
pub struct Entry {
    name: &'static str,
    /// From the root of the repository.
    path: &'static str,
    /// Name and value of the constants that give the size.
    size: &'static [(&'static str, u32)],
    /// More options of a check.
    options: &'static [&'static str],
    /// Where every search is to end, if there are many more states than that.
    most_states: Option<u64>,
    /// Whether it has very many threads or objects.
    about_size: bool,
    murphi: Option<Murphi>,
}

/// The same model for Murphi. Its constants have the names of those of the BIR text.
#[derive(Clone, Copy, Debug)]
pub struct Murphi {
    /// From the root of the repository.
    pub path: &'static str,
    /// Steps of the BIR text before the start state of the Murphi text: 1 if MAIN sets up.
    pub set_up: u64,
}

/// A model that is measured.
pub struct Subject {
    pub model: Model,
    pub options: &'static [&'static str],
    pub most_states: Option<u64>,
    /// Whether it is about very many threads or objects.
    pub about_size: bool,
    pub murphi: Option<Murphi>,
}

const fn entry(name: &'static str, path: &'static str, size: &'static [(&'static str, u32)]) -> Entry {
    Entry { name, path, size, options: &[], most_states: None, about_size: false, murphi: None }
}

impl Entry {
    const fn murphi(self, path: &'static str, set_up: u64) -> Self {
        Self { murphi: Some(Murphi { path, set_up }), ..self }
    }

    const fn options(self, options: &'static [&'static str]) -> Self {
        Self { options, ..self }
    }

    const fn about_size(self) -> Self {
        Self { about_size: true, ..self }
    }

    const fn most_states(self, states: u64) -> Self {
        Self { most_states: Some(states), ..self }
    }
}

/// The states of a heap of 100 objects or more: enough to measure a step.
const HEAP_STATES: u64 = 100_000;

pub const ENTRIES: &[Entry] = &[
    entry("mcs_lock", "benches/symmetric/mcs_lock.bir", &[("N", 5)])
        .murphi("benches/symmetric/mcs_lock.m", 1),
    entry("peterson", "benches/symmetric/peterson.bir", &[("N", 7)])
        .murphi("benches/symmetric/peterson.m", 1),
    entry("german", "benches/symmetric/german.bir", &[("N", 5)]).murphi("benches/symmetric/german.m", 1),
    entry("philosophers", "benches/symmetric/philosophers.bir", &[("N", 8)])
        .murphi("benches/symmetric/philosophers.m", 1),
    entry("philosophers", "benches/symmetric/philosophers.bir", &[("N", 12)])
        .murphi("benches/symmetric/philosophers.m", 1),
    entry("token_ring", "benches/symmetric/token_ring.bir", &[("N", 9), ("T", 4)])
        .murphi("benches/symmetric/token_ring.m", 1),
    entry("two_phase_commit", "models/two_phase_commit.bir", &[("N", 7)])
        .murphi("benches/symmetric/two_phase_commit.m", 0),
    entry("two_phase_commit", "models/two_phase_commit.bir", &[("N", 16)])
        .murphi("benches/symmetric/two_phase_commit.m", 0),
    entry("ordered_list", "models/ordered_list.bir", &[("N", 4), ("MAX", 3), ("KEYS", 2)]),
    entry("bounded_buffer", "models/bounded_buffer.bir", &[("N", 4)]),
    entry("bounded_buffer", "models/bounded_buffer.bir", &[("N", 5)]),
    entry("treiber_stack", "models/treiber_stack.bir", &[("N", 3), ("OPS", 2)]),
    entry("message_queue", "models/message_queue.bir", &[("CLIENTS", 4)]),
    entry("readers_writers", "models/readers_writers.bir", &[("READERS", 4), ("WRITERS", 3)]),
    entry("thread_pool", "models/thread_pool.bir", &[("TASKS", 6), ("WORKERS", 4)]),
    entry("barrier", "models/barrier.bir", &[("N", 8)]),
    entry("actors", "models/actors.bir", &[("NUMBER", 4)]),
    entry("work_stealing", "benches/symmetric/work_stealing.bir", &[("TASKS", 5), ("THIEVES", 4)]),
    entry("set_of_sets", "models/set_of_sets.bir", &[("PROCESSES", 5), ("MAX", 5)]),
    entry("teams", "benches/symmetric/teams.bir", &[("N", 4), ("MAX", 3)]),
    entry("crowd", "benches/symmetric/crowd.bir", &[("N", 1000), ("SEATS", 2)])
        .options(&["--max-threads", "1000"])
        .about_size(),
    entry("heap", "benches/symmetric/heap.bir", &[("N", 10)]).most_states(HEAP_STATES).about_size(),
    entry("heap", "benches/symmetric/heap.bir", &[("N", 100)]).most_states(HEAP_STATES).about_size(),
    entry("heap", "benches/symmetric/heap.bir", &[("N", 1000)]).most_states(HEAP_STATES).about_size(),
    entry("heap", "benches/symmetric/heap.bir", &[("N", 10_000)]).most_states(HEAP_STATES).about_size(),
    entry("heap", "benches/symmetric/heap.bir", &[("N", 10), ("ANCHORED", 0)]).about_size(),
    entry("heap", "benches/symmetric/heap.bir", &[("N", 100), ("ANCHORED", 0)])
        .most_states(HEAP_STATES)
        .about_size(),
];

pub fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

impl Entry {
    /// Its name with its size.
    pub fn title(&self) -> String {
        let size: Vec<_> = self.size.iter().map(|(name, value)| format!("{name} = {value}")).collect();
        format!("{} ({})", self.name, size.join(", "))
    }

    pub fn open(&self) -> Result<Subject> {
        let defines: Vec<_> = self.size.iter().map(|(name, value)| format!("{name}={value}")).collect();
        let model = Model::open(&repository().join(self.path), self.title(), &defines)?;
        Ok(Subject {
            model,
            options: self.options,
            most_states: self.most_states,
            about_size: self.about_size,
            murphi: self.murphi,
        })
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::super::murphi::resized;
    use super::*;

    #[test]
    fn there_are_texts_at_these_sizes() {
        assert!(ENTRIES.len() >= 15);
        for entry in ENTRIES {
            let subject = entry.open().unwrap();
            if let Some(murphi) = entry.murphi {
                let text = fs::read_to_string(repository().join(murphi.path)).unwrap();
                resized(&text, &subject.model.defines).unwrap();
            }
        }
    }
}
