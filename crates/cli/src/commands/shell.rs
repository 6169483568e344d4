//! Words of command lines, as a shell takes them.

/// Constants as they are given on the command line.
pub fn definitions(defines: &[(String, String)]) -> impl Iterator<Item = String> {
    defines.iter().map(|(name, value)| format!("-D {}", quoted(&format!("{name}={value}"))))
}

/// As a shell takes it for one word.
pub fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "/._-+=:,@".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_for_shells() {
        assert_eq!(quoted("models/a-b_c.bir"), "models/a-b_c.bir");
        assert_eq!(quoted("a b"), "'a b'");
        assert_eq!(quoted("it's"), r"'it'\''s'");
        assert_eq!(quoted(""), "''");
        assert_eq!(quoted("$(x)"), "'$(x)'");
    }
}
