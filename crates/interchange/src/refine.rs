//! Colour refinement of the text, exactly: nodes have one colour if nothing that their neighbours are tells them
//! apart.

use rustc_hash::FxHashMap;

use crate::text::{Edge, Text};

/// The edges of a node: whether each enters the node, its label, and the colour at the other end.
type Row = Vec<(bool, u32, u32)>;

/// The colours of the nodes, as small numbers that mean nothing; and how many nodes have each.
#[derive(Debug)]
pub struct Colours {
    of: Vec<u32>,
    counts: Vec<u32>,
}

impl Colours {
    /// Nodes of one colour whose rows differ get different colours, until there are none. Only the rows of nodes whose
    /// neighbours have got another colour are looked at again: a new colour has not been in any row before, so these
    /// rows differ from those of all others.
    pub fn new(text: &Text) -> Self {
        let mut numbers: FxHashMap<u32, u32> = FxHashMap::default();
        let mut of: Vec<u32> = Vec::with_capacity(text.labels.len());
        let mut counts: Vec<u32> = Vec::new();
        for label in &text.labels {
            let colour = *numbers.entry(*label).or_insert(counts.len() as u32);
            if colour as usize == counts.len() {
                counts.push(0);
            }
            counts[colour as usize] += 1;
            of.push(colour);
        }
        let mut links: Vec<Row> = vec![Vec::new(); of.len()];
        for &Edge { source, label, target } in &text.edges {
            links[source as usize].push((false, label, target));
            links[target as usize].push((true, label, source));
        }
        let mut touched: Vec<u32> = (0..of.len() as u32).collect();
        while !touched.is_empty() {
            let mut rows: Vec<(u32, Row, u32)> = Vec::with_capacity(touched.len());
            for &node in &touched {
                let coloured =
                    |&(enters, label, other): &(bool, u32, u32)| (enters, label, of[other as usize]);
                let mut row: Row = links[node as usize].iter().map(coloured).collect();
                row.sort_unstable();
                rows.push((of[node as usize], row, node));
            }
            rows.sort_unstable();
            touched.clear();
            for class in rows.chunk_by(|a, b| a.0 == b.0) {
                let colour = class[0].0;
                let parts = || class.chunk_by(|a, b| a.1 == b.1);
                // Who keeps the colour: those that were not looked at, or else the most that have one row.
                let is_whole = counts[colour as usize] as usize == class.len();
                let keeps =
                    parts().map(<[_]>::len).enumerate().max_by_key(|&(_, len)| len).filter(|_| is_whole);
                for (at, part) in parts().enumerate() {
                    if keeps.is_some_and(|(kept, _)| kept == at) {
                        continue;
                    }
                    counts[colour as usize] -= part.len() as u32;
                    for &(_, _, node) in part {
                        of[node as usize] = counts.len() as u32;
                        touched.extend(links[node as usize].iter().map(|&(_, _, other)| other));
                    }
                    counts.push(part.len() as u32);
                }
            }
            touched.sort_unstable();
            touched.dedup();
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

#[cfg(test)]
mod tests {
    use bits::SplitMix64;

    use super::*;

    /// All rows again and again, until there are no more colours.
    fn plain(text: &Text) -> Vec<u32> {
        let number = |rows: Vec<(u32, Row)>| -> Vec<u32> {
            let mut numbers = FxHashMap::default();
            let colours = rows.into_iter().map(|row| {
                let next = numbers.len() as u32;
                *numbers.entry(row).or_insert(next)
            });
            colours.collect()
        };
        let mut of = number(text.labels.iter().map(|&label| (label, Vec::new())).collect());
        loop {
            let mut rows: Vec<(u32, Row)> = of.iter().map(|&colour| (colour, Vec::new())).collect();
            for &Edge { source, label, target } in &text.edges {
                rows[source as usize].1.push((false, label, of[target as usize]));
                rows[target as usize].1.push((true, label, of[source as usize]));
            }
            for (_, row) in &mut rows {
                row.sort_unstable();
            }
            let next = number(rows);
            if next.iter().max() == of.iter().max() {
                return of;
            }
            of = next;
        }
    }

    #[test]
    fn colours_are_those_of_plain_refinement() {
        let mut random = SplitMix64::new(5);
        for case in 0..400 {
            let mut below = |most: u64| (random.next_u64() % most) as u32;
            let nodes = 1 + below(30);
            let labels = (0..nodes).map(|_| below(2)).collect();
            // Chains, which take many rounds, and other edges.
            let chain = (1..nodes).map(|node| Edge { source: node - 1, label: 0, target: node });
            let mut edges: Vec<Edge> = chain.filter(|_| case % 2 == 0).collect();
            for _ in 0..below(20) {
                edges.push(Edge {
                    source: below(nodes.into()),
                    label: below(2),
                    target: below(nodes.into()),
                });
            }
            let text = Text { labels, edges, ..Text::default() };
            let (found, expected) = (Colours::new(&text), plain(&text));
            for a in 0..nodes {
                for b in 0..nodes {
                    let is_one = expected[a as usize] == expected[b as usize];
                    assert_eq!(found.of(a) == found.of(b), is_one, "{text:?}");
                }
                let count = expected.iter().filter(|&&colour| colour == expected[a as usize]).count();
                assert_eq!(found.is_shared(a), count > 1, "{text:?}");
            }
        }
    }
}
