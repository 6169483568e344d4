//! The Promela preprocessor and parser on any bytes.
//!
//! Text is parsed or refused, with diagnostics that can be shown. A NUL byte separates files: the first one
//! is the model, the others are `1`, `2`, … for it to include.

#![no_main]

use std::collections::BTreeMap;

use libfuzzer_sys::fuzz_target;
use source::{Diagnostics, SourceMap, Style};

fuzz_target!(|data: &[u8]| {
    let files: BTreeMap<_, _> =
        data.split(|&byte| byte == 0).enumerate().map(|(at, text)| (at.to_string(), text.to_vec())).collect();
    let mut map = SourceMap::new();
    let Ok(file) = map.load(&files, "0") else { return };
    let mut diagnostics = Diagnostics::new();
    let defines = [("D".to_owned(), "1".to_owned())];
    let model = promela::parse(&mut map, &files, file, &defines, &mut diagnostics);
    assert_eq!(model.is_none(), diagnostics.has_errors(), "a refusal has its reason");
    let said = diagnostics.render(&map, Style::Plain);
    assert_eq!(said.is_empty(), diagnostics.is_empty());
});
