//! The BIR front end on any bytes.
//!
//! Text is compiled or refused, with diagnostics that can be shown. What is compiled verifies, and comes back
//! from its text form as the same program.

#![no_main]

use libfuzzer_sys::fuzz_target;
use source::{SourceMap, Style};

fuzz_target!(|data: &[u8]| {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let mut map = SourceMap::new();
    let Ok(file) = map.add("model.bir", text) else { return };
    let constants = bir::constants(&map, file);
    match bir::compile(&map, file, &[]) {
        Ok((program, warnings)) => {
            assert!(constants.is_ok(), "the constants of a good model are good");
            warnings.render(&map, Style::Plain);
            ir::verify(&program).expect("what is compiled verifies");
            let printed = ir::text::print(&program);
            let again = ir::text::parse(&printed).expect("what is printed can be parsed");
            assert_eq!(again.without_spans(), program.without_spans());
        }
        Err(diagnostics) => {
            assert!(!diagnostics.render(&map, Style::Plain).is_empty(), "a refusal has its reason");
        }
    }
});
