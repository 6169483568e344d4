//! Markup that text cannot become a part of.
//!
//! Names of elements and attributes are written in the source; everything else is text, and is escaped where it is
//! written. There is no function that takes markup as a string, so text of a model cannot be taken for markup.

use std::borrow::Cow;
use std::fmt::Write as _;

/// A piece of SVG or HTML.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct Markup {
    out: String,
}

/// The value of an attribute.
#[derive(Clone, PartialEq, Debug)]
pub enum Value<'a> {
    /// Text from anywhere.
    Text(Cow<'a, str>),
    /// A number, which is written with one digit after the point at most.
    Number(f64),
}

impl<'a> From<&'a str> for Value<'a> {
    fn from(text: &'a str) -> Self {
        Self::Text(Cow::Borrowed(text))
    }
}

impl<'a> From<&'a String> for Value<'a> {
    fn from(text: &'a String) -> Self {
        Self::Text(Cow::Borrowed(text))
    }
}

impl From<String> for Value<'_> {
    fn from(text: String) -> Self {
        Self::Text(Cow::Owned(text))
    }
}

impl From<f64> for Value<'_> {
    fn from(number: f64) -> Self {
        Self::Number(number)
    }
}

impl From<usize> for Value<'_> {
    fn from(number: usize) -> Self {
        Self::Number(number as f64)
    }
}

/// The attributes of an element, with their names.
pub type Attributes<'a, 'b> = &'b [(&'static str, Value<'a>)];

impl Markup {
    /// An element with what is inside of it.
    pub fn element(
        &mut self,
        name: &'static str,
        attributes: Attributes<'_, '_>,
        inside: impl FnOnce(&mut Self),
    ) {
        self.tag(name, attributes);
        self.out.push('>');
        inside(self);
        _ = write!(self.out, "</{name}>");
    }

    /// An element that contains nothing, in XML.
    pub fn empty(&mut self, name: &'static str, attributes: Attributes<'_, '_>) {
        self.tag(name, attributes);
        self.out.push_str("/>");
    }

    /// An element of HTML that has no end.
    pub fn void(&mut self, name: &'static str, attributes: Attributes<'_, '_>) {
        self.tag(name, attributes);
        self.out.push('>');
    }

    /// An element with a text.
    pub fn words(&mut self, name: &'static str, attributes: Attributes<'_, '_>, text: &str) {
        self.element(name, attributes, |inside| inside.text(text));
    }

    pub fn text(&mut self, text: &str) {
        escape(text, &mut self.out);
    }

    /// What was written elsewhere, in the same way.
    pub fn add(&mut self, other: &Self) {
        self.out.push_str(&other.out);
    }

    /// The end of a line, for people who read the source.
    pub fn newline(&mut self) {
        self.out.push('\n');
    }

    /// A style sheet, which is part of the program.
    pub fn style(&mut self, sheet: &Sheet) {
        _ = write!(self.out, "<style>{}</style>", sheet.0);
    }

    /// What every page of HTML begins with.
    pub fn doctype(&mut self) {
        self.out.push_str("<!DOCTYPE html>\n");
    }

    /// Data that a program reads again, in an element that no browser runs. A `<` can only be inside of a string of
    /// JSON, where it may as well be written by its number.
    pub fn json(&mut self, id: &'static str, json: &str) {
        self.tag("script", &[("type", "application/json".into()), ("id", id.into())]);
        self.out.push('>');
        self.out.push_str(&json.replace('<', "\\u003c"));
        self.out.push_str("</script>");
    }

    fn tag(&mut self, name: &'static str, attributes: Attributes<'_, '_>) {
        _ = write!(self.out, "<{name}");
        for (attribute, value) in attributes {
            _ = write!(self.out, " {attribute}=\"");
            match value {
                Value::Text(text) => escape(text, &mut self.out),
                Value::Number(number) => number_into(*number, &mut self.out),
            }
            self.out.push('"');
        }
    }

    pub fn as_str(&self) -> &str {
        &self.out
    }

    pub fn into_string(self) -> String {
        self.out
    }
}

/// A style sheet: text of the program only.
#[derive(Clone, Debug)]
pub struct Sheet(pub(crate) String);

impl Sheet {
    /// The sheet with further rules.
    pub fn with(mut self, rules: &'static str) -> Self {
        self.0.push_str(rules);
        self
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// Text in markup. What XML has no place for, and what changes the direction of text, becomes visible.
fn escape(text: &str, out: &mut String) {
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            c => out.push(visible(c)),
        }
    }
}

/// A character as it may be shown.
pub(crate) const fn visible(c: char) -> char {
    match c {
        '\n' | '\t' => c,
        '\0'..='\u{1f}' => match char::from_u32(0x2400 + c as u32) {
            Some(picture) => picture,
            None => '\u{fffd}',
        },
        '\u{7f}' => '␡',
        '\u{80}'..='\u{9f}'
        | '\u{200e}'
        | '\u{200f}'
        | '\u{202a}'..='\u{202e}'
        | '\u{2066}'..='\u{2069}'
        | '\u{fdd0}'..='\u{fdef}'
        | '\u{fffe}'
        | '\u{ffff}' => '\u{fffd}',
        c => c,
    }
}

/// A number with one digit after the point, if that is not 0.
pub(crate) fn number_into(number: f64, out: &mut String) {
    let tenths = (number * 10.0).round();
    if tenths % 10.0 == 0.0 {
        _ = write!(out, "{}", (tenths / 10.0) as i64);
    } else {
        _ = write!(out, "{:.1}", tenths / 10.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(write: impl FnOnce(&mut Markup)) -> String {
        let mut markup = Markup::default();
        write(&mut markup);
        markup.into_string()
    }

    #[test]
    fn text_stays_text() {
        let hostile = "</text><script>alert('1')</script>&amp;\"";
        let text = written(|m| m.words("text", &[("title", hostile.into())], hostile));
        let escaped = "&lt;/text&gt;&lt;script&gt;alert(&#39;1&#39;)&lt;/script&gt;&amp;amp;&quot;";
        assert_eq!(text, format!("<text title=\"{escaped}\">{escaped}</text>"));
    }

    #[test]
    fn what_xml_cannot_hold_becomes_visible() {
        assert_eq!(written(|m| m.text("a\0b\u{7f}\u{202e}c\u{ffff}\n")), "a␀b␡\u{fffd}c\u{fffd}\n");
    }

    #[test]
    fn data_cannot_end_its_element() {
        let text = written(|m| m.json("trail", r#"{"a":"</script><!--"}"#));
        let open = r#"<script type="application/json" id="trail">"#;
        assert_eq!(text, format!(r#"{open}{{"a":"\u003c/script>\u003c!--"}}</script>"#));
    }

    #[test]
    fn numbers_are_short() {
        let of = |number| written(|m| m.empty("r", &[("x", Value::Number(number))]));
        assert_eq!(
            [1.0, 1.26, -0.04, -0.26].map(of),
            [r#"<r x="1"/>"#, r#"<r x="1.3"/>"#, r#"<r x="0"/>"#, r#"<r x="-0.3"/>"#]
        );
    }
}
