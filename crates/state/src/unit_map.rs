//! A map from positions in memory to the units there.
//!
//! The map keeps, per word, the unit that was last put there. Where a unit exists, that is the unit.
//! Elsewhere it is a unit that has gone or has moved, and the unit's own node says so. Hence nothing has to
//! be done when units go.

use crate::NodeRef;
use crate::memory::{Memory, Node};

#[derive(Clone, Default, Debug)]
pub(crate) struct UnitMap {
    is_on: bool,
    /// By word: the index of a thread or object, or 0 if none was ever put there.
    units: Vec<u32>,
}

impl UnitMap {
    #[inline]
    pub fn put(&mut self, unit: NodeRef, node: Node) {
        if self.is_on && node.exists() {
            let (start, end) = (node.offset as usize, (node.offset + node.len) as usize);
            if self.units.len() < end {
                self.units.resize(end, 0);
            }
            self.units[start..end].fill(unit.index());
        }
    }
}

impl Memory {
    /// Keeps the map from now on.
    pub fn map_units(&mut self) {
        if self.unit_map.is_on {
            return;
        }
        self.unit_map.is_on = true;
        let units: Vec<NodeRef> = self.units().collect();
        for unit in units {
            self.unit_map.put(unit, self.node(unit));
        }
    }

    pub fn unit_at(&self, at: usize) -> Option<NodeRef> {
        if at < self.root_len {
            return Some(NodeRef::Root);
        }
        let unit = self.unit_map.units.get(at).filter(|&&index| index != 0)?;
        let unit = NodeRef::from_index(*unit);
        let node = self.node(unit);
        let is_there =
            node.exists() && (node.offset as usize..(node.offset + node.len) as usize).contains(&at);
        is_there.then_some(unit)
    }
}
