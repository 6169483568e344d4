//! The only module of the tests that uses the API.

use source::{SourceMap, Style};

/// The program and its warnings, or the errors.
pub fn compile_with(text: &str, defines: &[(&str, &str)]) -> Result<(ir::Program, String), String> {
    let mut map = SourceMap::new();
    let file = map.add("model.bir", text).unwrap();
    let defines: Vec<_> =
        defines.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    match quotient_bir::compile(&map, file, &defines) {
        Ok((program, warnings)) => {
            if let Err(errors) = ir::verify(&program) {
                panic!(
                    "the verifier refuses the program: {errors:#?}\n{text}\n{}",
                    ir::text::print(&program)
                );
            }
            Ok((program, warnings.render(&map, Style::Plain)))
        }
        Err(errors) => Err(errors.render(&map, Style::Plain)),
    }
}

pub fn compile(text: &str) -> Result<(ir::Program, String), String> {
    compile_with(text, &[])
}

/// `count` pieces of text, one after the other.
pub fn repeated(count: usize, piece: impl Fn(usize) -> String) -> String {
    (0..count).map(piece).collect::<Vec<_>>().concat()
}
