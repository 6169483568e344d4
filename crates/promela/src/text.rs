//! Words for messages.

/// The longest part of a name that a message shows.
const SHOWN: usize = 40;

/// The text, cut if it is long: names can be as long as the file. Control characters are escaped.
pub fn clip(text: &str) -> String {
    let mut shown = String::new();
    for letter in text.chars().take(SHOWN) {
        if letter.is_control() { shown.extend(letter.escape_default()) } else { shown.push(letter) }
    }
    if text.chars().nth(SHOWN).is_some() {
        shown.push('…');
    }
    shown
}

/// `1 argument`, `2 arguments`.
pub fn count(number: usize, noun: &str) -> String {
    if number == 1 { format!("1 {noun}") } else { format!("{number} {noun}s") }
}
