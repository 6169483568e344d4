//! The heights of vertices (Brandes and Köpf, "Fast and Simple Horizontal Coordinate Assignment", 2001), with columns for
//! the layers of the paper.
//!
//! Each vertex is aligned with the middle one of its neighbours in one of the two columns beside it, where no alignment
//! crosses another one. Aligned vertices form *blocks*, which get one height. There are four ways to do that: neighbours
//! to the left or to the right, and from above or from below. Each vertex gets the mean of the two middle ones of its
//! four heights. The links of one long line are aligned first: what would cross them is not (conflicts of type 1).
//!
//! Where we differ: blocks are put in place by longest paths in the graph of blocks, there and back, instead of the
//! classes of the paper, whose shifts are wrong in some cases (Brandes, Walter and Zink 2020).
//!
//! Any mean of the middle heights keeps what is above another vertex above it, with at least the same distance: if that
//! holds in each of four lists, it holds for the second least and the third least of each.

use std::collections::HashSet;

use super::order::Order;
use super::{GAP, Web};

/// The height of each vertex at which links meet it.
pub fn lines(web: &Web, order: &Order) -> Vec<f64> {
    let conflicts = conflicts(web, order);
    let mut all: Vec<Vec<f64>> = Vec::with_capacity(4);
    for from_left in [true, false] {
        for from_above in [true, false] {
            all.push(Alignment::new(web, order, &conflicts, from_left, from_above).heights());
        }
    }
    level(web, &mut all);
    (0..web.vertices.len())
        .map(|vertex| {
            let mut four = [all[0][vertex], all[1][vertex], all[2][vertex], all[3][vertex]];
            four.sort_by(f64::total_cmp);
            f64::midpoint(four[1], four[2])
        })
        .collect()
}

/// Moves all four to the one that is the least high: those from above to its upper border, the others to its lower one.
fn level(web: &Web, all: &mut [Vec<f64>]) {
    let borders = |heights: &Vec<f64>| {
        let each = web.vertices.iter().zip(heights);
        each.fold((f64::INFINITY, f64::NEG_INFINITY), |(top, bottom), (vertex, at)| {
            (top.min(at - vertex.above), bottom.max(at + vertex.below))
        })
    };
    let bounds: Vec<(f64, f64)> = all.iter().map(borders).collect();
    let least = bounds.iter().copied().min_by(|a, b| (a.1 - a.0).total_cmp(&(b.1 - b.0)));
    let Some((top, bottom)) = least.filter(|(top, _)| top.is_finite()) else { return };
    for (index, (heights, (own_top, own_bottom))) in all.iter_mut().zip(bounds).enumerate() {
        let shift = if index % 2 == 0 { top - own_top } else { bottom - own_bottom };
        for height in heights {
            *height += shift;
        }
    }
}

/// Parts of links that cross a part of a long line, and are not part of one themselves.
fn conflicts(web: &Web, order: &Order) -> HashSet<(usize, usize)> {
    let mut conflicts = HashSet::new();
    let is_room = |vertex: usize| !web.vertices[vertex].is_box;
    for column in 1..web.columns {
        let vertices = &order.columns[column];
        let before = order.columns[column - 1].len();
        let (mut least, mut scanned) = (0, 0);
        for (at, &vertex) in vertices.iter().enumerate() {
            let inner = web.left[vertex].iter().find(|&&other| is_room(other) && is_room(vertex));
            if inner.is_none() && at + 1 < vertices.len() {
                continue;
            }
            let greatest = inner.map_or(before, |&other| order.place[other]);
            for &scan in &vertices[scanned..=at] {
                for &other in &web.left[scan] {
                    let place = order.place[other];
                    let crosses = place < least || place > greatest;
                    if crosses && !(is_room(other) && is_room(scan)) {
                        conflicts.insert((other, scan));
                    }
                }
            }
            (scanned, least) = (at + 1, greatest);
        }
    }
    conflicts
}

/// Vertices in blocks.
struct Alignment<'a> {
    web: &'a Web,
    /// The vertices of each column, in the order in which they are put in place.
    columns: Vec<Vec<usize>>,
    /// The first vertex of the block of each vertex.
    root: Vec<usize>,
    from_above: bool,
}

impl<'a> Alignment<'a> {
    fn new(
        web: &'a Web,
        order: &Order,
        conflicts: &HashSet<(usize, usize)>,
        from_left: bool,
        from_above: bool,
    ) -> Self {
        let mut columns = order.columns.clone();
        let mut place = order.place.clone();
        if !from_above {
            for column in &mut columns {
                column.reverse();
            }
            for column in &columns {
                column.iter().enumerate().for_each(|(at, &vertex)| place[vertex] = at);
            }
        }
        let mut root: Vec<usize> = (0..web.vertices.len()).collect();
        // Whether a vertex has another one of its block behind it.
        let mut is_continued = vec![false; web.vertices.len()];
        let each: Box<dyn Iterator<Item = usize>> =
            if from_left { Box::new(0..web.columns) } else { Box::new((0..web.columns).rev()) };
        for column in each {
            let mut last: Option<usize> = None;
            for &vertex in &columns[column] {
                let mut near = if from_left { web.left[vertex].clone() } else { web.right[vertex].clone() };
                if near.is_empty() {
                    continue;
                }
                near.sort_unstable_by_key(|&other| place[other]);
                for middle in [(near.len() - 1) / 2, near.len() / 2] {
                    let other = near[middle];
                    let pair = if from_left { (other, vertex) } else { (vertex, other) };
                    let is_free = !is_continued[other] && last.is_none_or(|last| last < place[other]);
                    if root[vertex] == vertex && is_free && !conflicts.contains(&pair) {
                        root[vertex] = root[other];
                        is_continued[other] = true;
                        last = Some(place[other]);
                    }
                }
            }
        }
        Self { web, columns, root, from_above }
    }

    /// The least distance of two neighbours of a column.
    fn distance(&self, first: usize, second: usize) -> f64 {
        let (first, second) = (&self.web.vertices[first], &self.web.vertices[second]);
        if self.from_above { first.below + GAP + second.above } else { first.above + GAP + second.below }
    }

    /// The heights of all vertices: blocks as close as possible to the first ones, and then to what is behind them.
    fn heights(&self) -> Vec<f64> {
        let count = self.web.vertices.len();
        let mut behind: Vec<Vec<(usize, f64)>> = vec![Vec::new(); count];
        let mut before = vec![0_usize; count];
        for column in &self.columns {
            for pair in column.windows(2) {
                let distance = self.distance(pair[0], pair[1]);
                behind[self.root[pair[0]]].push((self.root[pair[1]], distance));
                before[self.root[pair[1]]] += 1;
            }
        }
        let mut at = vec![0.0_f64; count];
        let mut blocks: Vec<usize> =
            (0..count).filter(|&vertex| self.root[vertex] == vertex && before[vertex] == 0).collect();
        let mut next = 0;
        while let Some(&block) = blocks.get(next) {
            next += 1;
            for &(other, distance) in &behind[block] {
                at[other] = at[other].max(at[block] + distance);
                before[other] -= 1;
                if before[other] == 0 {
                    blocks.push(other);
                }
            }
        }
        for &block in blocks.iter().rev() {
            let room = behind[block].iter().map(|&(other, distance)| at[other] - distance);
            let room = room.fold(f64::INFINITY, f64::min);
            if room.is_finite() {
                at[block] = at[block].max(room);
            }
        }
        let sign = if self.from_above { 1.0 } else { -1.0 };
        (0..count).map(|vertex| sign * at[self.root[vertex]]).collect()
    }
}
