//! Words for messages.

/// The longest part of a name that a message shows.
const SHOWN: usize = 40;

/// The text, clipped if it is long: names can be as long as the file.
pub fn clip(text: &str) -> String {
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// `1 argument`, `2 arguments`.
pub fn count(number: usize, noun: &str) -> String {
    format!("{number} {noun}{}", if number == 1 { "" } else { "s" })
}

/// The name that was probably meant, if one of the candidates is close.
pub fn suggest<'a>(wrong: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let limit = match wrong.len() {
        0..=1 => 0,
        2..=3 => 1,
        4..=5 => 2,
        6..=SHOWN => 3,
        _ => return None,
    };
    candidates
        .into_iter()
        .filter(|candidate| candidate.len() <= SHOWN)
        .map(|candidate| (distance(wrong, candidate), candidate))
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
        assert_eq!(suggest("lfet", names), Some("left"));
        assert_eq!(suggest("fork", names), Some("Fork"));
        assert_eq!(suggest("isheld", names), Some("isHeld"));
        assert_eq!(suggest("rigth", names), Some("right"));
        assert_eq!(suggest("philosopher", names), None);
        assert_eq!(suggest(&"x".repeat(100), names), None);
        assert_eq!(suggest("x", ["y"]), None);
        assert_eq!(suggest("x", ["X"]), Some("X"));
        assert_eq!(suggest("ab", ["cd"]), None);
        assert_eq!(suggest("ab", ["a"]), None);
    }

    #[test]
    fn long_names_are_cut() {
        assert_eq!(clip("abc"), "abc");
        assert_eq!(clip(&"ç".repeat(50)), format!("{}…", "ç".repeat(40)));
    }
}
