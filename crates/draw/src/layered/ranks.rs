//! The columns of boxes.

use super::Input;

/// The rank of each box: as it is given, without gaps, or the length of the longest path to it, where links that close a
/// cycle are taken for links in the other direction.
pub fn ranks(input: &Input<'_>) -> Vec<u32> {
    match input.columns {
        Some(columns) => without_gaps(columns),
        None => longest_paths(input),
    }
}

fn without_gaps(columns: &[u32]) -> Vec<u32> {
    let mut used: Vec<u32> = columns.to_vec();
    used.sort_unstable();
    used.dedup();
    let rank = |column: &u32| used.partition_point(|other| other < column) as u32;
    columns.iter().map(rank).collect()
}

fn longest_paths(input: &Input<'_>) -> Vec<u32> {
    let count = input.boxes.len();
    let mut next: Vec<Vec<usize>> = vec![Vec::new(); count];
    for link in input.links.iter().filter(|link| link.from != link.to) {
        next[link.from].push(link.to);
    }
    // Boxes in an order in which links that close no cycle go forwards.
    let mut has_link_to = vec![false; count];
    next.iter().flatten().for_each(|&to| has_link_to[to] = true);
    let first = (0..count).filter(|&index| !has_link_to[index]);
    let mut seen = vec![false; count];
    let mut done: Vec<usize> = Vec::with_capacity(count);
    for root in first.chain(0..count) {
        if seen[root] {
            continue;
        }
        seen[root] = true;
        let mut open = vec![(root, 0)];
        while let Some((at, index)) = open.last_mut() {
            if let Some(&to) = next[*at].get(*index) {
                *index += 1;
                if !seen[to] {
                    seen[to] = true;
                    open.push((to, 0));
                }
            } else {
                done.push(*at);
                open.pop();
            }
        }
    }
    let mut place = vec![0; count];
    done.iter().rev().enumerate().for_each(|(at, &index)| place[index] = at);
    let mut forwards: Vec<Vec<usize>> = vec![Vec::new(); count];
    for (from, targets) in next.iter().enumerate() {
        for &to in targets {
            let (from, to) = if place[from] < place[to] { (from, to) } else { (to, from) };
            forwards[from].push(to);
        }
    }
    let mut ranks = vec![0; count];
    for &at in done.iter().rev() {
        for &to in &forwards[at] {
            ranks[to] = ranks[to].max(ranks[at] + 1);
        }
    }
    ranks
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layered::{Link, Size};

    #[track_caller]
    fn check(count: usize, links: &[(usize, usize)], expect: &[u32]) {
        let links: Vec<Link> = links.iter().map(|&(from, to)| Link { from, to, ..Link::default() }).collect();
        let boxes = vec![Size::default(); count];
        assert_eq!(ranks(&Input { boxes: &boxes, links: &links, columns: None }), expect);
    }

    #[test]
    fn a_box_is_behind_all_that_lead_to_it() {
        check(4, &[(0, 1), (1, 2), (0, 2), (2, 3)], &[0, 1, 2, 3]);
        check(3, &[(2, 1), (1, 0)], &[2, 1, 0]);
        check(2, &[], &[0, 0]);
    }

    #[test]
    fn cycles_are_broken_where_they_close() {
        check(3, &[(0, 1), (1, 2), (2, 0)], &[0, 1, 2]);
        check(2, &[(0, 0), (1, 0)], &[1, 0]);
    }

    #[test]
    fn columns_without_boxes_are_left_out() {
        assert_eq!(without_gaps(&[7, 3, 7, 9]), [1, 0, 1, 2]);
    }
}
