//! Smaller models that show the same mistake.
//!
//! Text is divided by lines: indented lines belong to the line above them, and so do lines that can only end
//! or continue something. A part is dropped, or replaced by its contents, as long as the mistake remains; a
//! text that does not compile does not show it. Groups of lines are tried first.

/// Words that continue or end what started on an earlier line of the same indentation.
const CONTINUATIONS: [&str; 5] = ["end", "else", "elseif", "catch (", "}"];

/// Makes `text` as small as possible, while it `shows` the mistake.
pub fn shrink(text: &str, mut shows: impl FnMut(&str) -> bool) -> String {
    let mut lines: Vec<&str> = text.lines().collect();
    loop {
        let before = lines.len();
        let mut size = lines.len() / 2;
        while size > 0 {
            let mut start = 0;
            while start < lines.len() {
                let end = (start + size).min(lines.len());
                if !replace(&mut lines, start..end, &[], &mut shows) {
                    start += size;
                }
            }
            size /= 2;
        }
        let mut start = 0;
        while start < lines.len() {
            let end = element(&lines, start);
            let inner: Vec<_> = (start + 1..end)
                .map(|line| lines[line])
                .filter(|line| indentation(line) > indentation(lines[start]))
                .collect();
            let smaller = replace(&mut lines, start..end, &[], &mut shows)
                || !inner.is_empty() && replace(&mut lines, start..end, &inner, &mut shows);
            start += usize::from(!smaller);
        }
        if lines.len() == before {
            return join(&lines);
        }
    }
}

/// Replaces some lines, if the mistake remains.
fn replace<'t>(
    lines: &mut Vec<&'t str>,
    range: std::ops::Range<usize>,
    by: &[&'t str],
    shows: &mut impl FnMut(&str) -> bool,
) -> bool {
    let mut smaller = lines.clone();
    smaller.splice(range, by.iter().copied());
    let better = shows(&join(&smaller));
    if better {
        *lines = smaller;
    }
    better
}

/// The end of the part that starts at a line.
fn element(lines: &[&str], start: usize) -> usize {
    let outer = indentation(lines[start]);
    let belongs = |line: &str| {
        let inner = indentation(line);
        let continues = CONTINUATIONS.iter().any(|word| line.trim_start().starts_with(word));
        inner > outer || inner == outer && continues
    };
    let rest = lines[start + 1..].iter().take_while(|line| belongs(line));
    start + 1 + rest.count()
}

fn indentation(line: &str) -> usize {
    line.len() - line.trim_start().len()
}

fn join(lines: &[&str]) -> String {
    lines.iter().flat_map(|line| [line, "\n"]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const MODEL: &str = "\
system S {
  int x;
  thread T() {
    atomic
      choose
        when <x > 1> do
          x := 1;
          assert false;
        else do
          skip;
      end
    end
  }
}
";

    fn balanced(text: &str) -> bool {
        let count = |word: &str| text.split_whitespace().filter(|&found| found == word).count();
        count("{") == count("}") && count("atomic") + count("choose") == count("end")
    }

    #[test]
    fn what_is_left_shows_the_mistake() {
        let small = shrink(MODEL, |text| balanced(text) && text.contains("assert"));
        assert_eq!(small, "          assert false;\n");
        let small =
            shrink(MODEL, |text| balanced(text) && text.contains("assert") && text.contains("atomic"));
        assert_eq!(small, "    atomic\n          assert false;\n    end\n");
        assert_eq!(shrink(MODEL, |_| false), MODEL);
        assert_eq!(shrink(MODEL, |_| true), "");
    }
}
