//! The order of vertices in their columns, with few crossings: barycentres, then transpositions of neighbours (Gansner,
//! Koutsofios, North and Vo 1993, section 3). The best order met so far is kept, so more rounds never make it worse.

use super::Web;

/// The vertices of each column from top to bottom, and the place of each.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Order {
    pub columns: Vec<Vec<usize>>,
    pub place: Vec<usize>,
}

/// A search ends after this many rounds, or this many without a better order.
const ROUNDS: usize = 24;
const PATIENCE: usize = 4;
/// With more vertices than this, neighbours are not transposed.
const MOST_TRANSPOSED: usize = 20_000;

impl Order {
    pub fn new(web: &Web) -> Self {
        let mut order = Self::initial(web);
        let mut best = order.clone();
        let mut least = order.crossings(web);
        let mut waited = 0;
        for round in 0..ROUNDS {
            if least == 0 || waited == PATIENCE {
                break;
            }
            order.sweep(web, round % 2 == 0);
            if web.vertices.len() <= MOST_TRANSPOSED {
                order.transpose(web);
            }
            let crossings = order.crossings(web);
            waited += 1;
            if crossings < least {
                (best, least, waited) = (order.clone(), crossings, 0);
            }
        }
        best
    }

    /// Vertices in the order in which a traversal from the left meets them.
    fn initial(web: &Web) -> Self {
        let mut columns = vec![Vec::new(); web.columns];
        let mut seen = vec![false; web.vertices.len()];
        let mut roots: Vec<usize> = (0..web.vertices.len()).collect();
        roots.sort_by_key(|&vertex| web.vertices[vertex].column);
        for root in roots {
            let mut open = vec![root];
            while let Some(at) = open.pop() {
                if std::mem::replace(&mut seen[at], true) {
                    continue;
                }
                columns[web.vertices[at].column].push(at);
                open.extend(web.right[at].iter().rev().filter(|&&other| !seen[other]));
            }
        }
        let mut order = Self { columns, place: vec![0; web.vertices.len()] };
        (0..web.columns).for_each(|column| order.number(column));
        order
    }

    fn number(&mut self, column: usize) {
        for (at, &vertex) in self.columns[column].iter().enumerate() {
            self.place[vertex] = at;
        }
    }

    /// Sorts each column by the middle of what its vertices are connected to in the column before. What is connected to
    /// nothing there stays where it is.
    fn sweep(&mut self, web: &Web, from_left: bool) {
        let last = web.columns.saturating_sub(1);
        for step in 1..web.columns {
            let column = if from_left { step } else { last - step };
            let near = if from_left { &web.left } else { &web.right };
            let mut vertices = std::mem::take(&mut self.columns[column]);
            let middle = |vertex: &usize| {
                let near = &near[*vertex];
                let sum: usize = near.iter().map(|&other| self.place[other]).sum();
                (!near.is_empty()).then(|| sum as f64 / near.len() as f64)
            };
            let middles: Vec<Option<f64>> = vertices.iter().map(middle).collect();
            let mut movable: Vec<(f64, usize)> = vertices
                .iter()
                .zip(&middles)
                .filter_map(|(&vertex, middle)| Some(((*middle)?, vertex)))
                .collect();
            movable.sort_by(|a, b| a.0.total_cmp(&b.0));
            let mut sorted = movable.into_iter().map(|(_, vertex)| vertex);
            for (vertex, middle) in vertices.iter_mut().zip(&middles) {
                if middle.is_some() {
                    *vertex = sorted.next().expect("as many as were taken out");
                }
            }
            self.columns[column] = vertices;
            self.number(column);
        }
    }

    /// Exchanges neighbours as long as that takes crossings away.
    fn transpose(&mut self, web: &Web) {
        for _ in 0..4 {
            let mut better = false;
            for column in 0..web.columns {
                for at in 1..self.columns[column].len() {
                    let (above, below) = (self.columns[column][at - 1], self.columns[column][at]);
                    let now = self.crossings_of(web, above, below);
                    if now > 0 && self.crossings_of(web, below, above) < now {
                        self.columns[column].swap(at - 1, at);
                        (self.place[above], self.place[below]) = (at, at - 1);
                        better = true;
                    }
                }
            }
            if !better {
                break;
            }
        }
    }

    /// The crossings of the links of two vertices of a column, if the first is above the second.
    fn crossings_of(&self, web: &Web, above: usize, below: usize) -> usize {
        let of = |near: &[Vec<usize>]| {
            let crosses = |&a: &usize| near[below].iter().filter(|&&b| self.place[b] < self.place[a]).count();
            near[above].iter().map(crosses).sum::<usize>()
        };
        of(&web.left) + of(&web.right)
    }

    /// The number of all crossings.
    pub fn crossings(&self, web: &Web) -> usize {
        (0..web.columns.saturating_sub(1)).map(|column| self.crossings_behind(web, column)).sum()
    }

    /// The number of crossings between a column and the next: of inversions, counted with a binary indexed tree (Barth,
    /// Jünger and Mutzel 2002).
    fn crossings_behind(&self, web: &Web, column: usize) -> usize {
        let mut tree = vec![0_usize; self.columns[column + 1].len() + 1];
        let (mut crossings, mut inserted) = (0, 0);
        for &vertex in &self.columns[column] {
            let mut ends: Vec<usize> = web.right[vertex].iter().map(|&other| self.place[other]).collect();
            ends.sort_unstable();
            for &end in &ends {
                let (mut index, mut up_to) = (end + 1, 0);
                while index > 0 {
                    up_to += tree[index];
                    index &= index - 1;
                }
                crossings += inserted - up_to;
            }
            for &end in &ends {
                let mut index = end + 1;
                while index < tree.len() {
                    tree[index] += 1;
                    index += index & index.wrapping_neg();
                }
                inserted += 1;
            }
        }
        crossings
    }
}

#[cfg(test)]
mod tests {
    use bits::SplitMix64;

    use super::*;
    use crate::layered::{Input, Link, Size, ranks, web};

    fn random_web(random: &mut SplitMix64) -> Web {
        let count = 2 + random.below(12);
        let links: Vec<Link> = (0..random.below(2 * count))
            .map(|_| Link { from: random.below(count), to: random.below(count), ..Link::default() })
            .collect();
        let boxes = vec![Size { width: 10.0, height: 10.0 }; count];
        let input = Input { boxes: &boxes, links: &links, columns: None };
        web(&input, &ranks::ranks(&input)).0
    }

    /// All pairs of links between neighbouring columns.
    fn crossings_by_pairs(web: &Web, order: &Order) -> usize {
        let links: Vec<(usize, usize)> = (0..web.vertices.len())
            .flat_map(|from| web.right[from].iter().map(move |&to| (from, to)))
            .collect();
        let mut crossings = 0;
        for (index, &(a, b)) in links.iter().enumerate() {
            for &(c, d) in &links[index + 1..] {
                let same = web.vertices[a].column == web.vertices[c].column;
                let place = |vertex: usize| order.place[vertex];
                let (start, end) = (place(a).cmp(&place(c)), place(b).cmp(&place(d)));
                crossings += usize::from(same && start != end && start.is_ne() && end.is_ne());
            }
        }
        crossings
    }

    #[test]
    fn crossings_are_counted_as_by_pairs() {
        let mut random = SplitMix64::new(5);
        for _ in 0..500 {
            let web = random_web(&mut random);
            for order in [Order::initial(&web), Order::new(&web)] {
                assert_eq!(order.crossings(&web), crossings_by_pairs(&web, &order));
            }
        }
    }

    #[test]
    fn sorting_never_adds_crossings_and_keeps_all_vertices() {
        let mut random = SplitMix64::new(6);
        for _ in 0..500 {
            let web = random_web(&mut random);
            let (initial, order) = (Order::initial(&web), Order::new(&web));
            assert!(order.crossings(&web) <= initial.crossings(&web));
            let mut all: Vec<usize> = order.columns.iter().flatten().copied().collect();
            all.sort_unstable();
            assert!(all.iter().copied().eq(0..web.vertices.len()));
            for (column, vertices) in order.columns.iter().enumerate() {
                for (at, &vertex) in vertices.iter().enumerate() {
                    assert_eq!((web.vertices[vertex].column, order.place[vertex]), (column, at));
                }
            }
        }
    }

    /// The search is worth its time: of what the first order has, little is left.
    #[test]
    fn most_crossings_go() {
        let mut random = SplitMix64::new(8);
        let (mut before, mut after) = (0, 0);
        for _ in 0..500 {
            let web = random_web(&mut random);
            before += Order::initial(&web).crossings(&web);
            after += Order::new(&web).crossings(&web);
        }
        assert!(100 * after < 40 * before, "{after} of {before}");
    }

    /// A tree has an order without crossings, and it is found whatever the order of its links is.
    #[test]
    fn trees_have_no_crossings() {
        let mut random = SplitMix64::new(7);
        for _ in 0..200 {
            let count = 2 + random.below(30);
            let mut links: Vec<Link> =
                (1..count).map(|to| Link { from: random.below(to), to, ..Link::default() }).collect();
            let shuffled = random.permutation(links.len());
            links = shuffled.iter().map(|&at| links[at as usize]).collect();
            let boxes = vec![Size { width: 10.0, height: 10.0 }; count];
            let input = Input { boxes: &boxes, links: &links, columns: None };
            let web = web(&input, &ranks::ranks(&input)).0;
            assert_eq!(Order::new(&web).crossings(&web), 0);
        }
    }
}
