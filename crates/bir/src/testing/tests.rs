use source::{SourceMap, Style};

use super::*;

const MODELS: u64 = 1500;

fn compiled(text: &str) -> ir::Program {
    let mut map = SourceMap::new();
    let file = map.add("model.bir", text).expect("not too long");
    match crate::compile(&map, file, &[]) {
        Ok((program, _)) => program,
        Err(errors) => panic!("{}\n{text}", errors.render(&map, Style::Plain)),
    }
}

#[test]
fn models_compile_verify_and_come_back() {
    for seed in 0..MODELS {
        let text = random_model(seed);
        let program = compiled(&text);
        assert_eq!(ir::verify(&program), Ok(()), "{text}");
        let printed = ir::text::print(&program);
        let again = ir::text::parse(&printed).unwrap_or_else(|error| panic!("{error}\n{printed}\n{text}"));
        assert_eq!(again.without_spans(), program.without_spans(), "{text}");
    }
}

#[test]
fn parentheses_make_no_difference() {
    for seed in 0..MODELS {
        let (few, many) = (random_model(seed), random_model_in_parentheses(seed));
        assert_eq!(ir::text::print(&compiled(&few)), ir::text::print(&compiled(&many)), "{few}{many}");
    }
}
