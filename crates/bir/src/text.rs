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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_names_are_cut() {
        assert_eq!(clip("abc"), "abc");
        assert_eq!(clip(&"ç".repeat(50)), format!("{}…", "ç".repeat(40)));
    }
}
