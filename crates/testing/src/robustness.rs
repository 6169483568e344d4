//! Text that is not a model, for the tests of front ends.

use std::time::{Duration, Instant};

use crate::SplitMix64;

/// Pieces of text that are nonsense in every language when they are repeated.
pub const NONSENSE: [&str; 17] =
    ["\u{0}", "@", "ü", "{", "}", "(", ")", "[", ";", "a", "a ", "a.", "1", "\"", "'", "/*", "\\"];

/// Runs `work` on a small stack, like that of a thread, within a time that only a quadratic algorithm
/// exceeds.
pub fn frugally<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    let started = Instant::now();
    let result = bits::on_fresh_stack(1 << 21, work).expect("memory for a stack");
    assert!(started.elapsed() < Duration::from_secs(20), "too slow: {:?}", started.elapsed());
    result
}

/// The text with up to three random changes of words, numbers and single other characters.
pub fn mutant(text: &str, random: &mut SplitMix64) -> String {
    let mut pieces = pieces(text);
    for _ in 0..=random.below(3) {
        if pieces.is_empty() {
            break;
        }
        let (at, other) = (random.below(pieces.len()), random.below(pieces.len()));
        match random.below(6) {
            0 => drop(pieces.remove(at)),
            1 => pieces.insert(at, pieces[at].clone()),
            2 => pieces.swap(at, other),
            3 => {
                let copy = pieces[other].clone();
                pieces[at] = copy;
            }
            4 => pieces.insert(at, "\n".to_owned()),
            _ => pieces.truncate(at.max(1)),
        }
    }
    pieces.concat()
}

/// Words, numbers, and single other characters.
fn pieces(text: &str) -> Vec<String> {
    let mut pieces: Vec<String> = Vec::new();
    let mut word = false;
    for letter in text.chars() {
        let continues = letter.is_ascii_alphanumeric() || letter == '_';
        match pieces.last_mut() {
            Some(last) if word && continues => last.push(letter),
            _ => pieces.push(letter.to_string()),
        }
        word = continues;
    }
    pieces
}
