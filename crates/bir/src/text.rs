//! Words for messages.

/// The largest number of names that a message lists.
const MOST_LISTED: usize = 10;

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

/// A list of names after some words, or other words if there is none. Long lists are cut.
pub fn listed<'a>(words: &str, without: &str, names: impl Iterator<Item = &'a str>) -> String {
    let mut names: Vec<_> = names.take(MOST_LISTED + 1).map(|name| format!("`{}`", clip(name))).collect();
    if names.is_empty() {
        return without.to_owned();
    }
    if names.len() > MOST_LISTED {
        names.truncate(MOST_LISTED);
        names.push("…".to_owned());
    }
    format!("{words} {}", names.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_names_are_cut() {
        assert_eq!(clip("abc"), "abc");
        assert_eq!(clip(&"ç".repeat(50)), format!("{}…", "ç".repeat(40)));
    }
}
