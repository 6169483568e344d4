//! Models of several files.

use std::collections::BTreeMap;

use source::{SourceMap, Style};

/// The text of the compiled program with its warnings, or the errors.
fn compile(files: &[(&str, &str)]) -> Result<String, String> {
    let files: BTreeMap<_, _> =
        files.iter().map(|(name, text)| ((*name).to_owned(), text.as_bytes().to_vec())).collect();
    let mut map = SourceMap::new();
    let file = map.load(&files, "main.bir").unwrap();
    match quotient_bir::compile_with(&mut map, &files, file, &[], &[]) {
        Ok((program, warnings)) => {
            assert_eq!(ir::verify(&program), Ok(()));
            Ok(format!("{}{}", ir::text::print(&program), warnings.render(&map, Style::Plain)))
        }
        Err(errors) => Err(errors.render(&map, Style::Plain)),
    }
}

const MAIN: &str = "import \"lib/stack.bir\";
system Main {
  active thread T() { Node n; n := invoke push(n, Limits.MAX); assert n.value == 3; }
}";

#[test]
fn imported_declarations_are_part_of_the_model() {
    // The constants of the first one are used by the second one.
    let stack = "import \"limits.bir\";\nimport \"./limits.bir\";
record Node { int value := Limits.MAX; Node next; }
function push(Node top, int value) returns Node {
  Node node;
  node := new Node; node.value := value; node.next := top; return node;
}
function unused() { skip; }";
    let limits = "import \"../main.bir\";\nsystem Limits0 { const Limits { MAX = 3; } int shared; }";
    let files = [("main.bir", MAIN), ("lib/stack.bir", stack), ("lib/limits.bir", limits)];
    let whole = format!(
        "system Main {{ const Limits {{ MAX = 3; }} int shared; {} {}",
        stack.lines().skip(2).collect::<Vec<_>>().join("\n"),
        MAIN.lines().skip(2).collect::<Vec<_>>().join("\n")
    );
    let split = compile(&files).unwrap();
    let together = compile(&[("main.bir", &whole)]).unwrap();
    let without_lines = |text: &str| {
        let program = text.split("warning[").next().unwrap_or_default();
        let names = |word: &str| word.trim_end_matches([':', ';']).starts_with("line");
        program.split_whitespace().filter(|word| !names(word)).collect::<Vec<_>>().join(" ")
    };
    assert_eq!(without_lines(&split), without_lines(&together));
    // Models need not use all that they import; what they declare themselves, they should.
    assert!(!split.contains("warning"), "{split}");
    assert!(together.contains("the function `unused` is never used"), "{together}");
}

#[test]
fn errors_of_imports() {
    let errors = [
        compile(&[("main.bir", MAIN)]),
        compile(&[("main.bir", "import \"a.bir\"\nsystem s { active thread T() { skip; } }")]),
        compile(&[("main.bir", MAIN), ("lib/stack.bir", "record Node { int valu; }\nfunction push( { }")]),
        compile(&[
            ("main.bir", MAIN),
            (
                "lib/stack.bir",
                "record Node { int value; }\nconst Limits { MAX = 3; }
function push(Nod top, int v) returns Node { return null; }",
            ),
        ]),
        compile(&[
            ("main.bir", "import \"b.bir\";\nsystem s { int x; active thread T() { x := 1; } }"),
            ("b.bir", "int x;"),
        ]),
    ];
    let shown: Vec<_> = errors.into_iter().map(|outcome| outcome.unwrap_err()).collect();
    insta::assert_snapshot!(shown.join("\n--------\n\n"));
}

#[test]
fn without_files_nothing_is_imported() {
    let mut map = SourceMap::new();
    let file = map.add("main.bir", MAIN).unwrap();
    let errors = quotient_bir::compile(&map, file, &[]).unwrap_err();
    insta::assert_snapshot!(errors.render(&map, Style::Plain));
}
