//! The memory of a model: whether its objects are deleted explicitly, and which leaks are violations.
//!
//! A front end decides by the text: a model that deletes objects has explicit memory. Options override that.
//! They are a part of the model rather than of a check, since a run means something else under others.

use ir::Memory;
use serde::{Deserialize, Serialize};

use crate::config::{Heap, Leaks};
use crate::model::Model;

/// What is asked for; the text of the model decides where nothing is.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct MemoryOptions {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<String>"))]
    pub heap: Option<Heap>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<String>"))]
    pub leaks: Option<Leaks>,
}

impl MemoryOptions {
    /// Whether nothing is asked for.
    pub fn is_default(&self) -> bool {
        *self == Self::default()
    }

    /// The options as they are typed.
    pub fn words(self) -> Vec<String> {
        let heap = self.heap.map(|heap| format!("--heap {heap}"));
        heap.into_iter().chain(self.leaks.map(|leaks| format!("--leaks {leaks}"))).collect()
    }
}

impl Model {
    /// Sets how objects come to their end. The error says why an option would mean nothing.
    pub fn set_memory(&mut self, options: MemoryOptions) -> Result<(), String> {
        let MemoryOptions { heap, leaks } = options;
        if !self.program.has_objects() {
            return match options.words().first() {
                Some(option) => Err(format!("{option} has no meaning for a model without objects")),
                None => Ok(()),
            };
        }
        let explicit = match heap {
            Some(heap) => heap == Heap::Explicit,
            None => matches!(self.program.memory, Memory::Explicit(_)),
        };
        if let Some(leaks) = leaks.filter(|_| !explicit) {
            let why = match heap {
                Some(_) => "with --heap gc, where objects are gone when nothing refers to them",
                None => {
                    "for a model that deletes nothing: --heap explicit says that objects are to be deleted"
                }
            };
            return Err(format!("--leaks {leaks} has no meaning {why}"));
        }
        self.program.memory = if explicit {
            Memory::Explicit(match leaks.unwrap_or_default() {
                Leaks::Unreachable => ir::Leaks::Unreachable,
                Leaks::End => ir::Leaks::End,
                Leaks::Off => ir::Leaks::Off,
            })
        } else {
            Memory::Collected
        };
        self.memory = options;
        Ok(())
    }
}
