//! The formatter.
//!
//! It changes white space only. Where a line ends is up to the author, as far as it makes sense: a block that has
//! several lines has each of its items on a line of its own, and a long expression may continue on further lines.
//! Indentation (`layout`), the blanks between tokens (`spacing`), empty lines and the columns of comments at the ends
//! of lines are then given.
//!
//! A text that does not parse is left alone. That the tokens and comments of the result are those of the text is
//! checked for each result, so the meaning cannot change.

mod layout;
mod pieces;
mod spacing;

use source::{Diagnostics, FileId, SourceMap};

use crate::lexer::{Lexer, Token};
use crate::parser;
use layout::Layout;
use pieces::{Piece, Pieces};

/// The number of blanks of one step of indentation.
const STEP: usize = 2;

/// The text of a file as it is to be written. Fails if it has syntax errors.
pub fn format(map: &SourceMap, file: FileId) -> Result<String, Diagnostics> {
    let text = map.file(file).text();
    check_syntax(map, file)?;
    let pieces = Pieces::of(text);
    let end = if text.find('\n').is_some_and(|at| text[..at].ends_with('\r')) { "\r\n" } else { "\n" };
    let formatted = write(&layout(&pieces), end);
    // The meaning is in the tokens alone.
    let same = tokens(text) == tokens(&formatted);
    debug_assert!(same, "the formatter changed a token");
    Ok(if same { formatted } else { text.to_owned() })
}

/// Whether the text is a model, or what another one can import, as far as the grammar goes.
fn check_syntax(map: &SourceMap, file: FileId) -> Result<(), Diagnostics> {
    let (mut of_model, mut of_fragment) = (Diagnostics::new(), Diagnostics::new());
    if parser::parse_all(map, file, &[], &mut of_model).1
        || parser::is_fragment(map, file, &mut of_fragment) && !of_fragment.has_errors()
    {
        return Ok(());
    }
    let has_system = lexemes(map.file(file).text()).iter().any(|lexeme| lexeme.token == Token::System);
    Err(if has_system || !of_fragment.has_errors() { of_model } else { of_fragment })
}

/// The tokens of a text, and its comments without the blanks at the starts of their lines.
fn tokens(text: &str) -> Vec<String> {
    let plain = |piece: &Piece<'_>| match piece.token {
        Some(_) => piece.text.to_owned(),
        None => piece.text.lines().map(str::trim).collect::<Vec<_>>().join("\n"),
    };
    Pieces::of(text).all.iter().map(plain).collect()
}

/// A line of the result.
struct Line {
    indent: usize,
    text: String,
    /// Where the code ends and its comment begins, if there is one. A comment on its own has no code.
    code: usize,
    /// Whether there is an empty line before it.
    apart: bool,
}

fn layout(pieces: &Pieces<'_>) -> Vec<Line> {
    let mut layout = Layout::new(pieces);
    let mut lines: Vec<Line> = Vec::new();
    for (at, piece) in pieces.all.iter().enumerate() {
        let place = layout.place(at);
        let is_first = lines.is_empty();
        if place.breaks || is_first {
            let apart = piece.empty_line && !is_first && place.may_be_apart;
            lines.push(Line { indent: place.indent, text: String::new(), code: 0, apart });
        }
        let Some(line) = lines.last_mut() else { continue };
        let blank = !line.text.is_empty() && spacing::gap(&layout, pieces, at);
        if blank {
            line.text.push(' ');
        }
        if piece.token.is_some() {
            line.text.push_str(piece.text);
            line.code = line.text.len();
        } else {
            // Only the last of several comments is moved to the others.
            line.code = if blank { line.text.len() - 1 } else { line.text.len() };
            line.text.push_str(&shifted(piece, place.indent));
        }
        layout.pass(at);
    }
    lines
}

/// A comment whose further lines move with its first one.
fn shifted(piece: &Piece<'_>, indent: usize) -> String {
    let mut lines = piece.text.lines();
    let mut text = lines.next().unwrap_or_default().trim_end().to_owned();
    for line in lines {
        let blanks = line.len() - line.trim_start().len();
        let content = line.trim();
        text.push('\n');
        if !content.is_empty() {
            let wanted = (blanks + indent).saturating_sub(piece.column);
            text.push_str(&" ".repeat(wanted));
            text.push_str(content);
        }
    }
    text
}

/// Writes lines. Comments behind lines that follow each other begin in the same column.
fn write(lines: &[Line], end: &str) -> String {
    let width = |line: &Line| line.indent + line.text[..line.code].chars().count();
    let has_comment = |line: &Line| 0 < line.code && line.code < line.text.len();
    let mut text = String::new();
    let mut at = 0;
    while at < lines.len() {
        let mut run = 1;
        if has_comment(&lines[at]) {
            let follows = |line: &Line| has_comment(line) && !line.apart && line.indent == lines[at].indent;
            run += lines[at + 1..].iter().take_while(|line| follows(line)).count();
        }
        let column = lines[at..at + run].iter().map(width).max().unwrap_or(0);
        for line in &lines[at..at + run] {
            if line.apart {
                text.push('\n');
            }
            text.push_str(&" ".repeat(line.indent));
            let (code, comment) = line.text.split_at(line.code);
            text.push_str(code);
            if has_comment(line) {
                text.push_str(&" ".repeat(column - width(line) + 1));
            }
            text.push_str(comment.trim_start());
            text.push('\n');
        }
        at += run;
    }
    if end == "\n" { text } else { text.replace('\n', end) }
}

/// All tokens of a text with their places, for `pieces`.
fn lexemes(text: &str) -> Vec<crate::lexer::Lexeme> {
    let mut lexer = Lexer::new(text, 0);
    let mut all = Vec::new();
    loop {
        let lexeme = lexer.next();
        if lexeme.token == Token::Eof {
            return all;
        }
        all.push(lexeme);
    }
}
