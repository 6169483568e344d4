//! Names that are similar: for "did you mean …?" in diagnostics.

/// Names longer than this are not compared: the effort grows with the square of their length.
const LONGEST: usize = 40;

/// The known name that was probably meant, if one is close to what is written. The nearest one wins, then the
/// first in the alphabet.
pub fn similar<'a>(wanted: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let limit = match wanted.len() {
        0..=1 => 0,
        2..=3 => 1,
        4..=5 => 2,
        6..=LONGEST => 3,
        _ => return None,
    };
    known
        .into_iter()
        .filter(|candidate| candidate.len() <= LONGEST)
        .map(|candidate| (distance(wanted, candidate), candidate))
        .filter(|&(distance, candidate)| distance <= limit && distance < candidate.len())
        .min()
        .map(|(_, candidate)| candidate)
}

/// The number of characters to insert, delete, replace or swap with their neighbours; a change of case is
/// free.
fn distance(a: &str, b: &str) -> usize {
    let a: Vec<_> = a.chars().map(|letter| letter.to_ascii_lowercase()).collect();
    let b: Vec<_> = b.chars().map(|letter| letter.to_ascii_lowercase()).collect();
    let mut before = Vec::new();
    let mut last: Vec<usize> = (0..=b.len()).collect();
    for i in 0..a.len() {
        let mut row = vec![i + 1];
        for j in 0..b.len() {
            let mut best = (last[j] + usize::from(a[i] != b[j])).min(last[j + 1] + 1).min(row[j] + 1);
            if i > 0 && j > 0 && a[i] == b[j - 1] && a[i - 1] == b[j] {
                let before: &[usize] = &before;
                best = best.min(before[j - 1] + 1);
            }
            row.push(best);
        }
        before = std::mem::replace(&mut last, row);
    }
    last[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn close_names_are_suggested() {
        let names = ["left", "right", "Fork", "isHeld"];
        assert_eq!(similar("lfet", names), Some("left"));
        assert_eq!(similar("fork", names), Some("Fork"));
        assert_eq!(similar("isheld", names), Some("isHeld"));
        assert_eq!(similar("rigth", names), Some("right"));
        assert_eq!(similar("philosopher", names), None);
        assert_eq!(similar(&"x".repeat(100), names), None);
        assert_eq!(similar("x", ["y"]), None);
        assert_eq!(similar("x", ["X"]), Some("X"));
        assert_eq!(similar("ab", ["cd"]), None);
        assert_eq!(similar("ab", ["a"]), None);
    }
}
