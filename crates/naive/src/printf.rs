//! What a model prints, as SPIN's simulator formats it.

use ir::{Meaning, Program};

/// Fills in the arguments. What cannot be evaluated is a question mark.
pub fn format(program: &Program, format: &str, args: &[(Option<i64>, Meaning)]) -> String {
    let mut out = String::new();
    let mut args = args.iter();
    let mut chars = format.chars();
    while let Some(c) = chars.next() {
        match c {
            '%' => match chars.next() {
                Some('%') | None => out.push('%'),
                Some(conversion) => match args.next() {
                    Some(&(Some(value), meaning)) => out += &converted(program, conversion, value, meaning),
                    _ => out.push('?'),
                },
            },
            '\\' => match chars.next() {
                Some('n') => out.push('\n'),
                Some('t') => out.push('\t'),
                Some(other) => out.push(other),
                None => out.push('\\'),
            },
            c => out.push(c),
        }
    }
    out
}

fn converted(program: &Program, conversion: char, value: i64, meaning: Meaning) -> String {
    let int = value as i32;
    match conversion {
        'c' => char::from(int as u8).to_string(),
        'x' => format!("{int:x}"),
        'o' => format!("{int:o}"),
        'u' => (int as u32).to_string(),
        'e' => symbol(program, value, meaning).unwrap_or_else(|| value.to_string()),
        _ => value.to_string(),
    }
}

/// The name of a symbol. The variable that it came from knows its kind; otherwise it is of the first kind
/// that has enough symbols.
fn symbol(program: &Program, value: i64, meaning: Meaning) -> Option<String> {
    let position = usize::try_from(value).ok()?.checked_sub(1)?;
    let known = match meaning {
        Meaning::Symbol(id) => program.enums.get(id).and_then(|of| of.elements.get(position)),
        Meaning::Number | Meaning::Channel => None,
    };
    known.or_else(|| program.enums.values().find_map(|of| of.elements.get(position))).cloned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conversions() {
        let program =
            testing::program("program p; enum colour { red, green } enum fruit { apple, pear, plum }");
        let fruit = Meaning::Symbol(ir::EnumId(1));
        let check = |text: &str, args: &[(Option<i64>, Meaning)], expect: &str| {
            assert_eq!(format(&program, text, args), expect);
        };
        let plain = |value: i64| (Some(value), Meaning::Number);
        check("%d is %x is %o, %c", &[plain(255), plain(255), plain(8), plain(65)], "255 is ff is 10, A");
        check("%u %d", &[plain(-1), plain(-1)], "4294967295 -1");
        check("%e %e %e %e", &[plain(2), (Some(2), fruit), plain(3), plain(0)], "green pear plum 0");
        check("100%% %d %d\\n\\t\\\"%", &[(None, Meaning::Number)], "100% ? ?\n\t\"%");
    }
}
