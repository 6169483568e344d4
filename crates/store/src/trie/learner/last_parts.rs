//! Joins the last parts of a tree so that states take as few bytes as possible.
//!
//! All trees of these parts are compared. The combinations of every subset of parts are counted in the
//! sample, which gives the number of inner nodes of every tree. Since most states are still to come, the
//! numbers are extrapolated: what has nearly as many combinations in half of the sample will hardly get more.
//!
//! The pair at the root is stored for each state, with as many bits as its two numbers have. The number of a
//! leaf is its bits, 32 of them, however few of its values occur. So a leaf just below the root may be
//! divided in two: then its values are interned, and have small numbers.

use super::{Counter, Part, add};
use crate::mix::mix;
use crate::trie::layout::{LEAF_BITS, Tree};

/// A layout is made for this number of times the states that there are: then the next one is due.
const KEPT_FOR: usize = 4;
/// The bytes of an inner node, and of a bit of the pair at the root, including the gaps in their tables.
const NODE_BYTES: f64 = 15.0;
const BIT_BYTES: f64 = 0.185;
/// What a bit of information costs for each inner node above it, in inner nodes per state: parts that vary
/// much should not be deep.
const DEPTH: f64 = 1.0 / 256.0;

/// What is known of the subsets of parts. A subset is a number whose bits are its parts.
struct Subsets {
    /// The number of subsets.
    len: usize,
    /// By part: its width, and the binary logarithm of the number of its combinations.
    widths: Vec<u32>,
    weights: Vec<f64>,
    /// By subset: its combinations per state, once there are as many states as are expected.
    combinations: Vec<f64>,
    expected: f64,
}

/// The best trees of all subsets but the whole.
struct Best {
    /// By subset: the inner nodes per state, and the same with what depth costs.
    nodes: Vec<f64>,
    costs: Vec<f64>,
    /// By subset: one of the halves it is divided into; 0 if it is a leaf or a single part.
    cuts: Vec<usize>,
}

/// A half of the tree at the root.
#[derive(Clone, Copy)]
struct Half {
    subset: usize,
    /// It is a leaf that is divided in two.
    is_numbered: bool,
}

/// Joins parts, and one that is constant, to a tree for `stored` states and those to come.
pub fn join(mut parts: Vec<Part>, constant: Part, stored: usize, effort: usize) -> Tree {
    let subsets = Subsets::new(&parts, &constant, stored, effort);
    parts.push(constant);
    let best = Best::new(&subsets);
    let halves = best.halves(&subsets);
    let mut parts: Vec<Option<Part>> = parts.into_iter().map(Some).collect();
    let Some(halves) = halves else { return best.assemble(&mut parts, subsets.len - 1).tree };
    let [left, right] = halves.map(|half| {
        let tree = best.assemble(&mut parts, half.subset).tree;
        if half.is_numbered { tree.numbered() } else { tree }
    });
    Tree::join(left, right)
}

impl Subsets {
    /// Counts combinations. The constant part comes last.
    fn new(parts: &[Part], constant: &Part, stored: usize, effort: usize) -> Self {
        let states = constant.values.len();
        // With the constant part a subset has as many combinations as without it.
        let counted = 1_usize << parts.len();
        let stride = (counted * states / effort).max(1);
        let examined = states.div_ceil(stride);
        let expected = (KEPT_FOR * stored.max(states)) as f64;
        // First one half of the states, at random, and then the other.
        let (mut order, others): (Vec<usize>, Vec<usize>) =
            (0..states).step_by(stride).partition(|&state| mix(state as u64 + 1) & 1 == 0);
        let half = order.len();
        order.extend(others);
        let values: Vec<Vec<u64>> =
            parts.iter().map(|part| order.iter().map(|&state| part.values[state]).collect()).collect();
        let mut counter = Counter::new(examined);
        let mut sums = vec![0_u64; examined];
        let mut counts = vec![1.0_f64; counted];
        let mut combinations = vec![1.0 / expected; 2 * counted];
        // Each subset differs from the one before it by one part.
        for step in 1..counted {
            let subset = step ^ step >> 1;
            let at = step.trailing_zeros() as usize;
            if subset >> at & 1 == 1 {
                add(&mut sums, &values[at]);
            } else {
                sums.iter_mut().zip(&values[at]).for_each(|(sum, value)| *sum = sum.wrapping_sub(*value));
            }
            let (first, all) = counter.growth(&sums, half);
            counts[subset] = all;
            for subset in [subset, subset | counted] {
                let growth = [(half as f64, first), (examined as f64, all)];
                combinations[subset] = extrapolate(growth, expected) / expected;
            }
        }
        let weights = (0..parts.len()).map(|at| counts[1 << at].max(1.0).log2()).chain([0.0]).collect();
        let widths = parts.iter().chain([constant]).map(|part| part.width).collect();
        Self { len: 2 * counted, widths, weights, combinations, expected }
    }

    fn parts(&self, subset: usize) -> impl Iterator<Item = usize> {
        (0..self.widths.len()).filter(move |at| subset >> at & 1 == 1)
    }

    fn fits_leaf(&self, subset: usize) -> bool {
        self.parts(subset).map(|at| self.widths[at]).sum::<u32>() <= LEAF_BITS
    }
}

impl Best {
    fn new(subsets: &Subsets) -> Self {
        let (mut nodes, mut costs) = (vec![0.0_f64; subsets.len], vec![0.0_f64; subsets.len]);
        let mut cuts = vec![0; subsets.len];
        for subset in 1..subsets.len - 1 {
            if subset.is_power_of_two() || subsets.fits_leaf(subset) {
                continue;
            }
            let depth = DEPTH * subsets.parts(subset).map(|at| subsets.weights[at]).sum::<f64>();
            let below = divisions(subset).map(|left| (costs[left] + costs[subset ^ left], left));
            let (below, left) = below.min_by(|a, b| a.0.total_cmp(&b.0)).expect("there are two parts");
            let own = subsets.combinations[subset];
            nodes[subset] = own + nodes[left] + nodes[subset ^ left];
            (costs[subset], cuts[subset]) = (own + depth + below, left);
        }
        Self { nodes, costs, cuts }
    }

    /// Divides the whole; `None` if it is a single part.
    fn halves(&self, subsets: &Subsets) -> Option<[Half; 2]> {
        let mut best = (f64::INFINITY, None);
        for left in divisions(subsets.len - 1) {
            for numbered in [[false, false], [false, true], [true, false], [true, true]] {
                let mut halves =
                    [left, (subsets.len - 1) ^ left].map(|subset| Half { subset, is_numbered: false });
                halves.iter_mut().zip(numbered).for_each(|(half, numbered)| half.is_numbered = numbered);
                if halves.iter().all(|half| !half.is_numbered || subsets.fits_leaf(half.subset)) {
                    let bytes = self.bytes(subsets, halves);
                    if bytes < best.0 {
                        best = (bytes, Some(halves));
                    }
                }
            }
        }
        best.1
    }

    /// The bytes per state of a tree with these halves.
    fn bytes(&self, subsets: &Subsets, halves: [Half; 2]) -> f64 {
        let interned = |half: &Half| if half.is_numbered { subsets.combinations[half.subset] } else { 0.0 };
        let nodes: f64 = halves.iter().map(|half| self.nodes[half.subset] + interned(half)).sum();
        let costs: f64 = halves.iter().map(|half| self.costs[half.subset] + interned(half)).sum();
        // All pairs have numbers in one table.
        let number_bits = (nodes * subsets.expected).max(2.0).log2();
        let bits = halves.map(|half| {
            let is_plain = subsets.fits_leaf(half.subset) && !half.is_numbered;
            if is_plain { f64::from(LEAF_BITS) } else { number_bits }
        });
        costs * NODE_BYTES + (bits[0] + bits[1]) * BIT_BYTES
    }

    /// The tree of a subset of parts.
    fn assemble(&self, parts: &mut [Option<Part>], subset: usize) -> Part {
        match self.cuts[subset] {
            0 => {
                let own = parts.iter_mut().enumerate().filter(|(at, _)| subset >> at & 1 == 1);
                let own = own.map(|(_, part)| part.take().expect("each is taken once"));
                own.reduce(Part::join).expect("there is one")
            }
            left => self.assemble(parts, left).join(self.assemble(parts, subset ^ left)),
        }
    }
}

/// The subsets that divide a set in two, one for each division: the one with the greater number.
fn divisions(set: usize) -> impl Iterator<Item = usize> {
    std::iter::successors(Some((set - 1) & set), move |left| Some(left.wrapping_sub(1) & set))
        .take_while(move |&left| left > set ^ left)
}

/// The number of combinations in `expected` states, from two numbers of states with their combinations: it
/// grows by the same factor whenever the number of states is doubled.
fn extrapolate([(few, first), (many, all)]: [(f64, f64); 2], expected: f64) -> f64 {
    let exponent = (all / first.max(1.0)).ln() / (many / few.max(1.0)).ln();
    // Of one state nothing is known.
    let exponent = if exponent.is_finite() { exponent.clamp(0.0, 1.0) } else { 1.0 };
    all * (expected / many).max(1.0).powf(exponent)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_division_once() {
        assert_eq!(divisions(0b1).count(), 0);
        assert_eq!(divisions(0b10010).collect::<Vec<_>>(), [0b10000]);
        assert_eq!(divisions(0b111).collect::<Vec<_>>(), [0b110, 0b101, 0b100]);
    }

    #[test]
    fn what_stops_growing_stays_as_it_is() {
        let grown = |few, many, expected| extrapolate([(50.0, few), (100.0, many)], expected);
        assert!((grown(10.0, 10.0, 6400.0) - 10.0).abs() < 1e-9);
        assert!((grown(50.0, 100.0, 6400.0) - 6400.0).abs() < 1e-9);
        assert!((grown(10.0, 10.0, 50.0) - 10.0).abs() < 1e-9);
        assert!((extrapolate([(0.0, 0.0), (1.0, 1.0)], 64.0) - 64.0).abs() < 1e-9);
    }
}
