//! Aligned tables, for terminals and for Markdown.

/// Rows of cells; the columns named by `right` are aligned to the right.
pub struct Table {
    headings: Vec<String>,
    right: Vec<bool>,
    rows: Vec<Vec<String>>,
}

impl Table {
    /// Headings that begin with `>` are aligned to the right.
    pub fn new<S: AsRef<str>>(headings: &[S]) -> Self {
        Self {
            headings: headings.iter().map(|text| text.as_ref().trim_start_matches('>').to_owned()).collect(),
            right: headings.iter().map(|text| text.as_ref().starts_with('>')).collect(),
            rows: Vec::new(),
        }
    }

    pub fn push(&mut self, row: Vec<String>) {
        debug_assert_eq!(row.len(), self.headings.len());
        self.rows.push(row);
    }

    pub fn plain(&self) -> String {
        self.lines(std::iter::once(&self.headings).chain(&self.rows), "  ", "")
    }

    pub fn markdown(&self) -> String {
        let widths = self.widths();
        let rule = widths.iter().zip(&self.right).map(|(&width, &right)| {
            if right { format!("{}:", "-".repeat(width - 1)) } else { "-".repeat(width) }
        });
        let rule = rule.collect();
        self.lines([&self.headings, &rule].into_iter().chain(&self.rows), " | ", "|")
    }

    fn widths(&self) -> Vec<usize> {
        let width = |column: usize| {
            let cells = self.rows.iter().map(|row| row[column].chars().count());
            cells.chain([self.headings[column].chars().count(), 3]).max().unwrap_or(3)
        };
        (0..self.headings.len()).map(width).collect()
    }

    fn lines<'a>(&'a self, rows: impl Iterator<Item = &'a Vec<String>>, between: &str, edge: &str) -> String {
        let widths = self.widths();
        let mut text = String::new();
        for row in rows {
            let cells = row.iter().enumerate().map(|(column, cell)| {
                let width = widths[column];
                if self.right[column] { format!("{cell:>width$}") } else { format!("{cell:<width$}") }
            });
            let line = cells.collect::<Vec<_>>().join(between);
            let line =
                if edge.is_empty() { line.trim_end().to_owned() } else { format!("{edge} {line} {edge}") };
            text.push_str(&line);
            text.push('\n');
        }
        text
    }
}

/// `1234567` as `1,234,567`.
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_digits() {
        assert_eq!(grouped(0), "0");
        assert_eq!(grouped(123), "123");
        assert_eq!(grouped(1_234_567), "1,234,567");
    }

    #[test]
    fn aligns() {
        let mut table = Table::new(&["model", ">states"]);
        table.push(vec!["a".to_owned(), "10".to_owned()]);
        assert_eq!(table.plain(), "model  states\na          10\n");
        assert_eq!(table.markdown(), "| model | states |\n| ----- | -----: |\n| a     |     10 |\n");
    }
}
