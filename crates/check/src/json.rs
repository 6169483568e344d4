//! JSON objects that are written piece by piece, as they come: a long list in them is never in memory as a
//! whole.
//!
//! They look as `serde_json::to_string_pretty` would write them.

use std::io::{self, Write};

use serde::Serialize;

/// An object that is being written.
pub struct ObjectWriter<W> {
    out: W,
    is_empty: bool,
    /// How many elements the list that is open has so far.
    elements: Option<u64>,
}

impl<W: Write> ObjectWriter<W> {
    pub fn new(mut out: W) -> io::Result<Self> {
        out.write_all(b"{")?;
        Ok(Self { out, is_empty: true, elements: None })
    }

    fn name(&mut self, key: &str) -> io::Result<()> {
        let comma = if std::mem::take(&mut self.is_empty) { "" } else { "," };
        write!(self.out, "{comma}\n  {}: ", serde_json::to_string(key)?)
    }

    /// Writes a key with its value.
    pub fn key(&mut self, key: &str, value: &(impl Serialize + ?Sized)) -> io::Result<()> {
        self.name(key)?;
        self.out.write_all(indented(value, "\n  ")?.as_bytes())
    }

    /// Writes a key with a list.
    pub fn list<T: Serialize>(&mut self, key: &str, list: impl IntoIterator<Item = T>) -> io::Result<()> {
        self.open_list(key)?;
        for element in list {
            self.element(&element)?;
        }
        self.close_list()
    }

    /// Begins a list, of which the elements come next.
    pub fn open_list(&mut self, key: &str) -> io::Result<()> {
        self.name(key)?;
        self.elements = Some(0);
        self.out.write_all(b"[")
    }

    /// Writes an element of the list that is open.
    pub fn element(&mut self, element: &impl Serialize) -> io::Result<()> {
        let elements = self.elements.get_or_insert(0);
        let comma = if *elements == 0 { "" } else { "," };
        *elements += 1;
        write!(self.out, "{comma}\n    {}", indented(element, "\n    ")?)
    }

    /// Ends the list that is open.
    pub fn close_list(&mut self) -> io::Result<()> {
        let is_empty = self.elements.take() == Some(0);
        self.out.write_all(if is_empty { b"]" } else { b"\n  ]" })
    }

    /// Ends the object, with a line end. Everything is written then.
    pub fn end(mut self) -> io::Result<()> {
        self.out.write_all(if self.is_empty { b"}\n" } else { b"\n}\n" })?;
        self.out.flush()
    }
}

/// A value as text whose lines begin as `line` says. Strings in JSON have no line ends.
fn indented(value: &(impl Serialize + ?Sized), line: &str) -> io::Result<String> {
    Ok(serde_json::to_string_pretty(value)?.replace('\n', line))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn objects_look_like_those_that_are_written_at_once() {
        let steps = [json!({ "a": 1, "b": ["x\ny", {}] }), json!([]), json!(null)];
        for count in 0..=steps.len() {
            let mut bytes = Vec::new();
            let mut object = ObjectWriter::new(&mut bytes).unwrap();
            object.key("first", &json!({ "k": [1, 2] })).unwrap();
            object.list("steps", &steps[..count]).unwrap();
            object.key("z", "last").unwrap();
            object.end().unwrap();
            let whole = json!({ "first": { "k": [1, 2] }, "steps": steps[..count], "z": "last" });
            assert_eq!(
                String::from_utf8(bytes).unwrap(),
                serde_json::to_string_pretty(&whole).unwrap() + "\n"
            );
        }
        let mut bytes = Vec::new();
        ObjectWriter::new(&mut bytes).unwrap().end().unwrap();
        assert_eq!(bytes, b"{}\n");
    }
}
