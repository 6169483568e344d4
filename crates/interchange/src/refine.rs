//! Colour refinement of the text, exactly: nodes have one colour if nothing that their neighbours are tells them
//! apart.

use rustc_hash::FxHashMap;

use crate::text::{Edge, Text};

/// The colour of a node, and its edges: whether each enters the node, its label, and the colour at the other end.
type Row = (u32, Vec<(bool, u32, u32)>);

/// The colours of the nodes, as small numbers that mean nothing; and how many nodes have each.
#[derive(Debug)]
pub struct Colours {
    of: Vec<u32>,
    counts: Vec<u32>,
}

impl Colours {
    pub fn new(text: &Text) -> Self {
        let mut of = number(text.labels.iter().map(|&label| (label, Vec::new())).collect());
        let mut count = distinct(&of);
        loop {
            let mut rows: Vec<Row> = of.iter().map(|&colour| (colour, Vec::new())).collect();
            for &Edge { source, label, target } in &text.edges {
                rows[source as usize].1.push((false, label, of[target as usize]));
                rows[target as usize].1.push((true, label, of[source as usize]));
            }
            for (_, row) in &mut rows {
                row.sort_unstable();
            }
            of = number(rows);
            let after = distinct(&of);
            if after == count {
                break;
            }
            count = after;
        }
        let mut counts = vec![0; count];
        for &colour in &of {
            counts[colour as usize] += 1;
        }
        Self { of, counts }
    }

    pub fn of(&self, node: u32) -> u32 {
        self.of[node as usize]
    }

    /// Whether other nodes have the colour of this one.
    pub fn is_shared(&self, node: u32) -> bool {
        self.counts[self.of(node) as usize] > 1
    }
}

fn number(rows: Vec<Row>) -> Vec<u32> {
    let mut numbers = FxHashMap::default();
    rows.into_iter()
        .map(|row| {
            let next = numbers.len() as u32;
            *numbers.entry(row).or_insert(next)
        })
        .collect()
}

fn distinct(colours: &[u32]) -> usize {
    colours.iter().max().map_or(0, |&most| most as usize + 1)
}
