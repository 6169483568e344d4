//! Pages of the book as plain text: only what the book uses of Markdown.

use std::fmt::Write as _;

/// How far code is indented.
const INDENT: &str = "    ";

/// A text for a terminal of this width: paragraphs and items are filled, code and tables are indented.
pub fn plain(text: &str, width: usize) -> String {
    let mut out = String::new();
    let mut lines = text.lines().peekable();
    let mut after_item = false;
    while let Some(line) = lines.next() {
        if line.trim().is_empty() {
            continue;
        }
        // Items of one list follow each other without a gap.
        let is_item = line.trim_start().starts_with("- ");
        let continues_list = is_item && after_item;
        if !out.is_empty() && !continues_list {
            out.push('\n');
        }
        after_item = is_item;
        if line.starts_with("```") {
            for code in lines.by_ref().take_while(|line| !line.starts_with("```")) {
                let _ = writeln!(out, "{}", format!("{INDENT}{code}").trim_end());
            }
        } else if line.starts_with('|') {
            let mut rows = vec![line];
            while let Some(row) = lines.next_if(|line| line.starts_with('|')) {
                rows.push(row);
            }
            out += &table(&rows);
        } else {
            let mut paragraph = line.trim().to_owned();
            while let Some(more) = lines.next_if(|line| continues(line)) {
                paragraph = format!("{paragraph} {}", more.trim());
            }
            let hanging = if is_item { "  " } else { "" };
            out += &filled(&inline(&paragraph), width, hanging);
        }
    }
    out
}

/// Whether a line belongs to the paragraph or item before it.
fn continues(line: &str) -> bool {
    let start = line.trim_start();
    !start.is_empty() && !["```", "|", "- ", "#"].iter().any(|mark| start.starts_with(mark))
}

/// A text without the marks of links and emphasis. What is code stays as it is.
pub fn inline(text: &str) -> String {
    let mut out = String::new();
    for (at, part) in text.split('`').enumerate() {
        if at > 0 {
            out.push('`');
        }
        if at % 2 == 1 { out += &part.replace("\\|", "|") } else { out += &without_links(part) }
    }
    out
}

/// Replaces `[text](target)` by the text, and drops asterisks.
fn without_links(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, link)) = rest.split_once('[') {
        out += before;
        let found = link.split_once("](").and_then(|(text, more)| Some((text, more.split_once(')')?.1)));
        if let Some((text, after)) = found {
            out += text;
            rest = after;
        } else {
            out.push('[');
            rest = link;
        }
    }
    out += rest;
    out.replace('*', "")
}

/// Fills lines with the words of a text.
fn filled(text: &str, width: usize, hanging: &str) -> String {
    let mut out = String::new();
    let mut column = 0;
    for word in text.split_whitespace() {
        let length = word.chars().count();
        if column > 0 && column + 1 + length > width {
            out.push('\n');
            out += hanging;
            column = hanging.len();
        } else if column > 0 {
            out.push(' ');
            column += 1;
        }
        out += word;
        column += length;
    }
    out.push('\n');
    out
}

/// A table in columns, without its lines.
fn table(rows: &[&str]) -> String {
    let is_rule = |row: &&&str| !row.chars().all(|letter| "|-: ".contains(letter));
    let rows: Vec<Vec<String>> = rows.iter().filter(is_rule).map(|row| cells(row)).collect();
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let width = |column: usize| {
        rows.iter().filter_map(|row| row.get(column)).map(|cell| cell.chars().count()).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..columns).map(width).collect();
    let mut out = String::new();
    for row in &rows {
        let cells = row.iter().zip(&widths).map(|(cell, &width)| format!("{cell:<width$}"));
        let _ = writeln!(out, "{INDENT}{}", cells.collect::<Vec<_>>().join("  ").trim_end());
    }
    out
}

fn cells(row: &str) -> Vec<String> {
    // A bar with a backslash before it is part of a cell.
    let kept = row.trim().trim_matches('|').replace("\\|", "\0");
    kept.split('|').map(|cell| inline(cell.trim()).replace('\0', "|")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_book_uses() {
        let text = "\
A *first* [paragraph](page.md#here) with `a[0] * b`
that goes on.

```promela,holds
byte x;

  x = 1
```

- one item
  on two lines
- another

| instead of | write |
|---|---|
| `a \\|\\| b` | [b](c) |
";
        let expect = "\
A first paragraph with
`a[0] * b` that goes
on.

    byte x;

      x = 1

- one item on two
  lines
- another

    instead of  write
    `a || b`    b
";
        assert_eq!(plain(text, 22), expect);
    }
}
