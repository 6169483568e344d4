//! Models as text, and trees as text again.

mod accepts;
mod diagnostics;
mod examples;
mod print;
mod robustness;

use std::collections::BTreeMap;

use quotient_promela::ast::Model;
use source::{Diagnostics, SourceMap, Style};

pub use print::print;

pub type Files = BTreeMap<String, Vec<u8>>;

/// Parses the file `model.pml` of some files. Returns the diagnostics in any case.
pub fn parse_files(files: &Files, defines: &[(&str, &str)]) -> (Option<Model>, String) {
    let mut map = SourceMap::new();
    let file = map.load(files, "model.pml").expect("the model is there");
    let defines: Vec<_> = defines.iter().map(|&(name, value)| (name.to_owned(), value.to_owned())).collect();
    let mut diagnostics = Diagnostics::new();
    let model = quotient_promela::parse(&mut map, files, file, &defines, &mut diagnostics);
    assert_eq!(model.is_none(), diagnostics.has_errors(), "a refusal has its reason");
    (model, diagnostics.render(&map, Style::Plain))
}

pub fn parse(text: &str) -> (Option<Model>, String) {
    parse_files(&Files::from([("model.pml".to_owned(), text.as_bytes().to_vec())]), &[])
}

/// The tree of a model that is accepted, without a warning.
pub fn tree(text: &str) -> String {
    let (model, said) = parse(text);
    assert_eq!(said, "", "{text}");
    print(&model.expect("no errors"))
}
