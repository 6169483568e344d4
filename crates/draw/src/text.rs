//! How much room text takes.
//!
//! Pictures are made without a browser, so text is set in a font in which all characters are equally wide. Such fonts
//! are at most 0.61 of their size wide per character; East Asian characters and emoji take two columns.

use crate::markup::visible;

/// The width of a column, as a part of the size of the font.
const ADVANCE: f64 = 0.61;

/// The number of columns that a text takes.
pub fn columns(text: &str) -> usize {
    text.chars().map(width_of).sum()
}

/// The width of a text in a size.
pub fn width(text: &str, size: f64) -> f64 {
    columns(text) as f64 * size * ADVANCE
}

const fn width_of(c: char) -> usize {
    match c {
        '\u{1100}'..='\u{115f}'
        | '\u{2e80}'..='\u{303e}'
        | '\u{3041}'..='\u{33ff}'
        | '\u{3400}'..='\u{4dbf}'
        | '\u{4e00}'..='\u{9fff}'
        | '\u{a000}'..='\u{a4cf}'
        | '\u{ac00}'..='\u{d7a3}'
        | '\u{f900}'..='\u{faff}'
        | '\u{fe30}'..='\u{fe6f}'
        | '\u{ff00}'..='\u{ff60}'
        | '\u{ffe0}'..='\u{ffe6}'
        | '\u{1f300}'..='\u{1faff}'
        | '\u{20000}'..='\u{3fffd}' => 2,
        _ => 1,
    }
}

/// A text on one line, of at most this many columns. What is cut off is marked by dots.
pub fn cut(text: &str, room: usize) -> String {
    let line = |c: char| if matches!(c, '\n' | '\t') { ' ' } else { visible(c) };
    let mut taken = 0;
    let mut kept = String::new();
    for c in text.chars().map(line) {
        taken += width_of(c);
        kept.push(c);
        if taken > room {
            while columns(&kept) >= room.max(1) {
                kept.pop();
            }
            kept.truncate(kept.trim_end().len());
            kept.push('…');
            break;
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_cut_fits() {
        for (text, room, expect) in [
            ("abcdef", 6, "abcdef"),
            ("abcdefg", 6, "abcde…"),
            ("abc  defg", 6, "abc…"),
            ("日本語", 6, "日本語"),
            ("日本語文", 6, "日本…"),
            ("a\nb\tc", 9, "a b c"),
            ("xyz", 1, "…"),
        ] {
            let short = cut(text, room);
            assert_eq!(short, expect);
            assert!(columns(&short) <= room, "{short}");
        }
    }
}
