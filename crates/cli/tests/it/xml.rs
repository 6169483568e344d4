//! A strict reader of the part of XML 1.0 that the command writes. What it does not know is an error.

use std::collections::BTreeMap;
use std::io::Write as _;
use std::process::{Command, Stdio};

use serde_json::{Value, json};

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Element {
    pub name: String,
    pub attributes: BTreeMap<String, String>,
    pub children: Vec<Element>,
    /// The text in front of the first child.
    pub text: String,
}

impl Element {
    /// Children of a name.
    pub fn all<'e>(&'e self, name: &str) -> impl Iterator<Item = &'e Self> {
        self.children.iter().filter(move |child| child.name == name)
    }

    pub fn only(&self, name: &str) -> &Self {
        let found: Vec<_> = self.all(name).collect();
        assert_eq!(found.len(), 1, "{name} in {self:#?}");
        found[0]
    }

    #[track_caller]
    pub fn get(&self, attribute: &str) -> &str {
        self.attributes.get(attribute).unwrap_or_else(|| panic!("no {attribute} in {self:#?}"))
    }

    pub fn count(&self, attribute: &str) -> usize {
        self.get(attribute).parse().expect("a number")
    }

    fn to_json(&self) -> Value {
        let children: Vec<Value> = self.children.iter().map(Self::to_json).collect();
        json!([self.name, self.attributes, self.text, children])
    }
}

/// Reads a document. If there is a `python3`, it has to read the same.
pub fn parse(document: &str) -> Element {
    let mut reader = Reader { rest: document };
    reader.expect("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    let root = reader.element();
    assert_eq!(reader.rest, "\n", "one element, and the end of its line");
    if let Some(read) = python(document) {
        assert_eq!(read, root.to_json());
    }
    root
}

struct Reader<'d> {
    rest: &'d str,
}

impl Reader<'_> {
    #[track_caller]
    fn expect(&mut self, text: &str) {
        let near: String = self.rest.chars().take(60).collect();
        self.rest = self.rest.strip_prefix(text).unwrap_or_else(|| panic!("expected {text:?} at {near:?}"));
    }

    fn skips(&mut self, text: &str) -> bool {
        let rest = self.rest.strip_prefix(text);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }

    fn name(&mut self) -> String {
        let end = self.rest.find(|c: char| !c.is_ascii_lowercase() && c != '-').expect("more text");
        let (name, rest) = self.rest.split_at(end);
        assert!(!name.is_empty(), "a name at {rest:.40}");
        self.rest = rest;
        name.to_owned()
    }

    /// Text up to one of these characters.
    fn text(&mut self, ends: &[char], is_attribute: bool) -> String {
        let end = self.rest.find(ends).expect("more text");
        let (raw, rest) = self.rest.split_at(end);
        self.rest = rest;
        let mut text = String::new();
        let mut raw = raw;
        while let Some(c) = raw.chars().next() {
            raw = &raw[c.len_utf8()..];
            if c != '&' {
                let is_plain = matches!(c, ' '..='\u{d7ff}' | '\u{e000}'..='\u{fffd}' | '\u{10000}'..);
                assert!(
                    is_plain || !is_attribute && matches!(c, '\n' | '\t'),
                    "{c:?} is not a character of XML"
                );
                assert!(c != '>', "> after ]] ends a section");
                text.push(c);
                continue;
            }
            let (entity, after) = raw.split_once(';').expect("the end of an entity");
            raw = after;
            text.push(match entity {
                "amp" => '&',
                "lt" => '<',
                "gt" => '>',
                "quot" => '"',
                number => {
                    let code = number.strip_prefix('#').and_then(|code| code.parse::<u32>().ok());
                    let c = code.and_then(char::from_u32).expect("a character");
                    assert!(matches!(c, '\t' | '\n' | '\r'), "{c:?} needs no number");
                    c
                }
            });
        }
        text
    }

    fn element(&mut self) -> Element {
        self.expect("<");
        let name = self.name();
        let mut attributes = BTreeMap::new();
        while self.skips(" ") {
            let key = self.name();
            self.expect("=\"");
            let value = self.text(&['"', '<'], true);
            self.expect("\"");
            assert!(attributes.insert(key.clone(), value).is_none(), "{key} twice");
        }
        let mut element = Element { name, attributes, children: Vec::new(), text: String::new() };
        if self.skips("/>") {
            return element;
        }
        self.expect(">");
        element.text = self.text(&['<'], false);
        loop {
            if self.skips("</") {
                assert_eq!(self.name(), element.name);
                self.expect(">");
                return element;
            }
            element.children.push(self.element());
            assert_eq!(self.text(&['<'], false).trim(), "", "text between elements");
        }
    }
}

/// The document as Python reads it. None if there is no Python.
fn python(document: &str) -> Option<Value> {
    let script = "import json, sys, xml.etree.ElementTree as tree\n\
                  def plain(e): return [e.tag, e.attrib, e.text or '', [plain(c) for c in e]]\n\
                  print(json.dumps(plain(tree.fromstring(sys.stdin.buffer.read()))))";
    let mut command = Command::new("python3");
    command.args(["-c", script]).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = command.spawn().ok()?;
    child.stdin.take().expect("a pipe").write_all(document.as_bytes()).expect("Python reads everything");
    let output = child.wait_with_output().expect("Python ends");
    assert!(output.status.success(), "Python does not read\n{document}");
    Some(serde_json::from_slice(&output.stdout).expect("JSON"))
}

#[test]
fn what_is_not_xml_is_not_read() {
    let wrong = |document: &str| {
        let whole = format!("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n{document}\n");
        std::panic::catch_unwind(|| parse(&whole)).is_err()
    };
    assert!(!wrong("<a b=\"1\">x<c/></a>"));
    for document in
        ["<a>", "<a></b>", "<a b=1/>", "<a b=\"1\" b=\"2\"/>", "<a>&x;</a>", "<a>\u{1}</a>", "<a/><b/>"]
    {
        assert!(wrong(document), "{document}");
    }
}
