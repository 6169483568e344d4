//! Diagnostics as text, in the style of rustc.
//!
//! The renderer only receives what it will show: lines near a label, and only the surroundings of the label
//! if the line is very long. So the cost of a message depends neither on the size of the file nor on the
//! length of a line. A label that spans several lines is shown on its first one.

use annotate_snippets::{Annotation, AnnotationKind, Group, Level, Origin as PathLine, Renderer, Snippet};

use crate::map::Origin;
use crate::{Diagnostic, Label, Severity, SourceFile, SourceMap, Span};

/// How diagnostics look.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Style {
    #[default]
    Plain,
    /// With escape sequences for terminals.
    Coloured,
}

/// Lines that have more bytes are shown in part.
const LONG_LINE: usize = 2000;
/// How much of a long line is shown before and after the start of a label.
const BEFORE: u32 = 60;
const AFTER: u32 = 160;
/// Labels that are further apart than this many lines get a frame each.
const NEAR: u32 = 6;
const WIDTH: usize = 140;
/// How many steps of the path from derived text to the user's text are shown.
const MAX_ORIGINS: usize = 8;

/// A label, cut to one line.
struct Mark<'a> {
    file: &'a SourceFile,
    span: Span,
    line: u32,
    text: &'a str,
    primary: bool,
}

pub fn render(diagnostic: &Diagnostic, map: &SourceMap, style: Style) -> String {
    let level = match diagnostic.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
    };
    let mut group = Group::with_title(level.primary_title(&diagnostic.message).id(diagnostic.code));
    let primary = diagnostic.primary.iter().map(|label| mark(label, map, true));
    let mut marks: Vec<_> = primary.collect();
    let definition = definition(diagnostic, map);
    let mut others: Vec<_> =
        diagnostic.secondary.iter().chain(&definition).map(|label| mark(label, map, false)).collect();
    others.sort_by_key(|mark| mark.span);
    marks.extend(others);
    for frame in frames(marks) {
        group = add_frame(group, &frame);
    }
    for note in diagnostic.notes.iter().cloned().chain(origins(diagnostic, map)) {
        group = group.element(Level::NOTE.message(note));
    }
    for help in &diagnostic.help {
        group = group.element(Level::HELP.message(help));
    }
    let renderer = match style {
        Style::Plain => Renderer::plain(),
        Style::Coloured => Renderer::styled(),
    };
    renderer.term_width(WIDTH).render(&[group])
}

/// The definition of the macro that is at fault, unless a label already shows a part of it.
pub fn definition(diagnostic: &Diagnostic, map: &SourceMap) -> Option<Label> {
    let span = map.expansion(diagnostic.primary.as_ref()?.span)?;
    let near = |other: Span| other.file == span.file && map.line(other) == map.line(span);
    let shown = diagnostic.secondary.iter().any(|label| near(label.span));
    (!shown).then(|| Label { span, text: "in this macro".to_owned() })
}

fn mark<'a>(label: &'a Label, map: &'a SourceMap, primary: bool) -> Mark<'a> {
    let file = map.file(label.span.file);
    let start = file.floor_char(label.span.start);
    let line = file.line(start);
    let (_, line_end) = file.line_range(line);
    let start = start.min(line_end);
    let end = file.floor_char(label.span.end).min(line_end).max(start);
    Mark { file, span: Span::new(label.span.file, start, end), line, text: &label.text, primary }
}

/// Puts marks together that are shown in one frame: near each other, and not on a long line.
fn frames(marks: Vec<Mark<'_>>) -> Vec<Vec<Mark<'_>>> {
    let mut frames: Vec<Vec<Mark<'_>>> = Vec::new();
    for mark in marks {
        let long = |mark: &Mark<'_>| mark.file.line_text(mark.line).len() > LONG_LINE;
        let near = |other: &Mark<'_>| {
            other.span.file == mark.span.file && other.line.abs_diff(mark.line) <= NEAR && !long(other)
        };
        match frames.iter_mut().find(|frame| !long(&mark) && frame.iter().any(near)) {
            Some(frame) => frame.push(mark),
            None => frames.push(vec![mark]),
        }
    }
    frames
}

fn add_frame<'a>(group: Group<'a>, frame: &[Mark<'a>]) -> Group<'a> {
    let first = frame.iter().map(|mark| mark.line).min().unwrap_or(1);
    let last = frame.iter().map(|mark| mark.line).max().unwrap_or(1);
    let [mark] = frame else { return group.element(lines(frame, first, last)) };
    if mark.file.line_text(mark.line).len() <= LONG_LINE {
        return group.element(lines(frame, first, last));
    }
    // The window does not start at the beginning of the line, so the position is given separately.
    let position = mark.file.position(mark.span.start);
    let (line_start, line_end) = mark.file.line_range(mark.line);
    let start = mark.file.floor_char(mark.span.start.saturating_sub(BEFORE)).max(line_start);
    let end = mark.file.floor_char(mark.span.start.saturating_add(AFTER)).min(line_end);
    let left = if start > line_start { "…" } else { "" };
    let right = if end < line_end { "…" } else { "" };
    let text = format!("{left}{}{right}", &mark.file.text()[start as usize..end as usize]);
    let shift = |byte: u32| (byte.min(end) - start) as usize + left.len();
    let snippet = Snippet::source(text).line_start(mark.line as usize).annotation(annotation(
        mark,
        shift(mark.span.start),
        shift(mark.span.end),
    ));
    let place =
        PathLine::path(mark.file.name()).line(position.line as usize).char_column(position.column as usize);
    group.element(place).element(snippet)
}

/// A frame of whole lines. Those between the marks are folded, so their contents do not matter.
fn lines<'a>(frame: &[Mark<'a>], first: u32, last: u32) -> Snippet<'a, Annotation<'a>> {
    let file = frame[0].file;
    let mut text = String::new();
    let mut starts = Vec::new();
    for line in first..=last {
        starts.push(text.len());
        let content = file.line_text(line);
        if content.len() <= LONG_LINE {
            text.push_str(content);
        }
        text.push('\n');
    }
    let mut snippet = Snippet::source(text).path(file.name()).line_start(first as usize);
    for mark in frame {
        let (line_start, _) = file.line_range(mark.line);
        let shift = |byte: u32| starts[(mark.line - first) as usize] + (byte - line_start.min(byte)) as usize;
        snippet = snippet.annotation(annotation(mark, shift(mark.span.start), shift(mark.span.end)));
    }
    snippet
}

fn annotation<'a>(mark: &Mark<'a>, start: usize, end: usize) -> Annotation<'a> {
    let kind = if mark.primary { AnnotationKind::Primary } else { AnnotationKind::Context };
    let annotation = kind.span(start..end);
    if mark.text.is_empty() { annotation } else { annotation.label(mark.text) }
}

/// The path from derived text back to text that the user wrote.
pub fn origins(diagnostic: &Diagnostic, map: &SourceMap) -> Vec<String> {
    let mut notes = Vec::new();
    let mut next = diagnostic.primary.as_ref().map(|label| label.span);
    while let Some(span) = next {
        let (note, from) = match map.file(span.file).origin() {
            Origin::Given => break,
            Origin::Included { by } => (format!("included at {}", map.describe(by)), by),
            Origin::Expanded { at } => (format!("in the macro used at {}", map.describe(at)), at),
        };
        if notes.len() == MAX_ORIGINS {
            notes.push("and so on".to_owned());
            break;
        }
        notes.push(note);
        next = Some(from);
    }
    notes
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::FileId;

    fn span(start: usize, end: usize) -> Span {
        Span::new(FileId(0), start as u32, end as u32)
    }

    fn find(text: &str, part: &str) -> Span {
        let start = text.find(part).unwrap();
        span(start, start + part.len())
    }

    fn check(text: &str, diagnostic: &Diagnostic, expect: impl FnOnce(String)) {
        let mut map = SourceMap::new();
        map.add("model.bir", text).unwrap();
        expect(diagnostic.render(&map, Style::Plain));
    }

    #[test]
    fn near_and_far_labels() {
        let filler = "  // a line\n".repeat(40);
        let text = format!("int a;\n  a := true;\n{filler}  far;\n");
        let diagnostic = Diagnostic::error("E0401", "types do not match")
            .at(find(&text, "true"), "expected `int`, found `boolean`")
            .label(find(&text, "int"), "because of this type")
            .label(find(&text, "far"), "and far from here")
            .note("a note")
            .help("some help");
        check(&text, &diagnostic, |text| insta::assert_snapshot!(text));
    }

    #[test]
    fn no_place_at_all() {
        let diagnostic = Diagnostic::error("E0308", "there is no constant `M`").help("there is: N");
        check("", &diagnostic, |text| insta::assert_snapshot!(text));
    }

    #[test]
    fn the_end_of_the_file_and_spans_outside() {
        let text = "system a {";
        check(text, &Diagnostic::error("E0201", "unexpected end").at(span(10, 10), "here"), |text| {
            insta::assert_snapshot!(text);
        });
        for (start, end) in [(10, 99), (99, 100), (5, 2), (0, 10)] {
            check(text, &Diagnostic::error("E0", "bad").at(span(start, end), "here"), |_| ());
        }
    }

    #[test]
    fn several_lines_and_odd_characters() {
        let text = "a := (1 +\r\n\t2);\0\n\u{202e}ç := 1;";
        let diagnostic = Diagnostic::warning("W0", "odd")
            .at(find(text, "(1 +\r\n\t2)"), "all of this")
            .label(find(text, "\0"), "this one")
            .label(find(text, "ç"), "and this");
        check(text, &diagnostic, |text| insta::assert_snapshot!(text));
    }

    #[test]
    fn a_long_line_is_shown_in_part() {
        let text = format!("x\n{}é bad {}\n", "ä".repeat(3_000_000), "ö".repeat(3_000_000));
        let diagnostic = Diagnostic::error("E0101", "bad word")
            .at(find(&text, "bad"), "this one")
            .label(find(&text, "x"), "near, in another frame")
            .label(span(2, text.len()), "all of the line");
        check(&text, &diagnostic, |text| insta::assert_snapshot!(text));
    }

    #[test]
    fn no_span_is_too_odd() {
        let text = "a\r\n\u{feff}ç\t\0\n\n\u{1f600}x\r\n";
        let mut map = SourceMap::new();
        map.add("a", text).unwrap();
        for start in 0..text.len() + 3 {
            for end in 0..text.len() + 3 {
                let diagnostic = Diagnostic::error("E0", "odd")
                    .at(span(start, end), "here")
                    .label(span(end, start), "there")
                    .label(span(start / 2, end), "");
                assert!(diagnostic.render(&map, Style::Plain).starts_with("error[E0]: odd"));
            }
        }
    }

    #[test]
    fn derived_text_leads_back() {
        let mut map = SourceMap::new();
        let main = map.add("a.pml", "x = MAX + 1;").unwrap();
        let at = Span::new(main, 4, 7);
        let made = map.add_derived("MAX", "(1 +)".to_owned(), Origin::Expanded { at }).unwrap();
        let text = Diagnostic::error("E0201", "unexpected `)`")
            .at(Span::new(made, 4, 5), "expected an operand")
            .render(&map, Style::Plain);
        insta::assert_snapshot!(text);
    }

    #[test]
    fn macros_are_shown() {
        let mut map = SourceMap::new();
        let text = "#define MAX (1 + x)\n\ny = MAX;";
        let main = map.add("a.pml", text).unwrap();
        let at = |part: &str, from: usize| {
            let start = from + text[from..].find(part).unwrap();
            Span::new(main, start as u32, (start + part.len()) as u32)
        };
        map.add_expansion(at("MAX", 20), at("MAX", 0));
        let diagnostic = Diagnostic::error("E0301", "there is no `x`").at(at("MAX", 20), "not declared");
        insta::assert_snapshot!(diagnostic.render(&map, Style::Plain));
        // The line is there already.
        let diagnostic = diagnostic.label(at("x", 0), "it is written here");
        assert!(!diagnostic.render(&map, Style::Plain).contains("in this macro"));
    }

    #[test]
    fn colours_are_escape_sequences() {
        let mut map = SourceMap::new();
        map.add("a", "x").unwrap();
        let diagnostic = Diagnostic::error("E0", "bad").at(span(0, 1), "");
        assert!(diagnostic.render(&map, Style::Coloured).contains("\u{1b}["));
        assert!(!diagnostic.render(&map, Style::Plain).contains('\u{1b}'));
    }
}
