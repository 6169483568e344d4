//! The text of tokens as the author wrote it, on one line.

use proc_macro2::{Delimiter, LineColumn, TokenStream, TokenTree};

/// The source text of an expression: a space wherever there was some space.
pub fn of(tokens: TokenStream) -> String {
    let mut text = Text::default();
    text.stream(tokens);
    text.out
}

#[derive(Default)]
struct Text {
    out: String,
    end: Option<LineColumn>,
}

impl Text {
    fn leaf(&mut self, text: &str, start: LineColumn, end: LineColumn) {
        if text.is_empty() {
            return;
        }
        if self.end.is_some_and(|end| end != start) && !self.out.is_empty() {
            self.out.push(' ');
        }
        self.out.push_str(text);
        self.end = Some(end);
    }

    fn stream(&mut self, tokens: TokenStream) {
        for token in tokens {
            let TokenTree::Group(group) = token else {
                let span = token.span();
                self.leaf(&token.to_string(), span.start(), span.end());
                continue;
            };
            let (open, close) = match group.delimiter() {
                Delimiter::Parenthesis => ("(", ")"),
                Delimiter::Brace => ("{", "}"),
                Delimiter::Bracket => ("[", "]"),
                Delimiter::None => ("", ""),
            };
            // A parser may have set one span for both delimiters. They are one column wide.
            let (start, end) = (group.span().start(), group.span().end());
            let after = LineColumn { column: start.column + open.len(), ..start };
            let before = LineColumn { column: end.column.saturating_sub(close.len()), ..end };
            self.leaf(open, start, after);
            self.stream(group.stream());
            self.leaf(close, before, end);
        }
    }
}
