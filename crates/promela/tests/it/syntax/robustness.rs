//! Text that is not a model: it has to be refused, quickly, and without a panic.

use std::time::{Duration, Instant};

use testing::SplitMix64;
use testing::robustness::{NONSENSE, frugally, mutant};

use super::{Files, parse, parse_files};

/// A model with nearly every construct.
const SAMPLE: &str = include_str!("sample.pml");

/// Parses with little stack and time. Returns the diagnostics if the text is refused.
fn survives(text: &str) -> Result<(), String> {
    frugally(|| {
        let (model, said) = parse(text);
        model.map(|_| ()).ok_or(said)
    })
}

fn body(statement: &str) -> String {
    format!("inline f(a) {{ a }}\nactive proctype P() {{ {statement} }}")
}

fn nested(count: usize, open: &str, inner: &str, close: &str) -> String {
    format!("{}{inner}{}", open.repeat(count), close.repeat(count))
}

#[test]
fn deep_nesting_is_refused() {
    let texts = |count: usize| {
        [
            body(&nested(count, "(", "1", ")")),
            body(&nested(count, "x + (", "1", ")")),
            body(&nested(count, "! ", "b", "")),
            body(&nested(count, "- ", "x", "")),
            body(&nested(count, "(b -> ", "1", " : 2)")),
            body(&nested(count, "(b -> 1 : ", "2", ")")),
            body(&nested(count, "a[", "1", "]")),
            body(&nested(count, "len(a[", "1", "])")),
            body(&nested(count, "P[", "1", "]@l")),
            body(&nested(count, "q?[eval(", "1", ")]")),
            body(&nested(count, "run P(", "1", ")")),
            body(&nested(count, "enabled(", "1", ")")),
            body(&nested(count, "{ ", "skip", " }")),
            body(&nested(count, "atomic { ", "skip", " }")),
            body(&nested(count, "if :: ", "skip", " fi")),
            body(&nested(count, "do :: x -> ", "skip", " od")),
            body(&nested(count, "for (i : 1 .. 2) { ", "skip", " }")),
            body(&nested(count, "{ x } unless { ", "skip", " }")),
            format!("ltl {{ {} }}", nested(count, "(", "p", ")")),
            format!("ltl {{ {} }}", nested(count, "[] ", "p", "")),
            format!("ltl {{ {} }}", nested(count, "! X (p U ", "p", ")")),
            format!("#if {}\n#endif", nested(count, "(", "1", ")")),
            format!("#if {}\n#endif", nested(count, "1 ? 1 : ", "1", "")),
        ]
    };
    for text in texts(100_000) {
        let errors = survives(&text).unwrap_err();
        assert!(errors.contains("E1202") || errors.contains("E1103"), "{errors}");
    }
    for text in texts(35) {
        survives(&text).unwrap();
    }
}

#[test]
fn nesting_below_the_limit_fits_a_small_stack() {
    let deepest = |open: &str, inner: &str, close: &str| {
        let count = (1..200).rev().find(|&count| survives(&body(&nested(count, open, inner, close))).is_ok());
        count.unwrap_or(0)
    };
    // All levels of precedence at each level of nesting.
    assert!(deepest("b || b && b | b ^ b & b == 1 < 1 << 1 + 1 * (", "b", ")") > 30);
    assert!(deepest("x = 1; if :: b -> do :: b -> { atomic { ", "skip", " } } od fi") > 20);
}

#[test]
fn long_chains() {
    for (operand, operator) in [("1", " + "), ("b", " && "), ("b", " || "), ("x", " < ")] {
        survives(&body(&[operand; 300].join(operator))).unwrap();
        let errors = survives(&body(&vec![operand; 100_000].join(operator))).unwrap_err();
        assert!(errors.contains("E1202"), "{errors}");
    }
    for operator in [" U ", " -> ", " && "] {
        let formula = vec!["[]p"; 100_000].join(operator);
        assert!(survives(&format!("ltl {{ {formula} }}")).unwrap_err().contains("E1202"));
    }
    // Lists are not nested.
    survives(&body(&"x = 1;\n".repeat(100_000))).unwrap();
    survives(&body(&"l: ".repeat(100_000))).unwrap();
    survives(&body(&format!("if {} fi", ":: x ".repeat(100_000)))).unwrap();
    survives(&body(&format!("q ! {}", vec!["1"; 100_000].join(",")))).unwrap();
    survives(&body(&format!("q ? {}x{}", "x(".repeat(100_000), ")".repeat(100_000)))).unwrap();
    survives(&body(&format!("x{} = 1", ".x".repeat(100_000)))).unwrap();
    survives(&format!("byte x{};", ", y".repeat(100_000))).unwrap();
    survives(&format!("#if {}1\n#endif", "1 + ".repeat(100_000))).unwrap();
    survives(&"#if 1\n".repeat(100_000)).unwrap_err();
    survives(&format!("{}{}", "#if 0\n".repeat(100_000), "#endif\n".repeat(100_000))).unwrap();
}

#[test]
fn macros_and_inlines_do_not_run_away() {
    let levels = |line: &dyn Fn(usize) -> String, count: usize| (0..count).map(line).collect::<String>();
    // Each stands for two of the next one.
    let plain = levels(&|at| format!("#define m{} m{at} m{at}\n", at + 1), 60);
    assert!(survives(&format!("{plain}m60")).unwrap_err().contains("E1110"));
    let called = levels(&|at| format!("#define m{}(x) m{at}(x x)\n", at + 1), 60);
    assert!(survives(&format!("#define m0(x) x\n{called}m60(1)")).unwrap_err().contains("E1110"));
    let empty = levels(&|at| format!("#define m{} m{at} m{at}\n", at + 1), 60);
    assert!(survives(&format!("#define m0\n{empty}m60")).unwrap_err().contains("E1110"));
    let twice = "#define d(x) x x\n";
    assert!(survives(&format!("{twice}{}", nested(90, "d(", "1", ")"))).unwrap_err().contains("E1110"));
    assert!(survives(&format!("#define f(x) x\n{}", nested(100_000, "f(", "1", ")"))).is_err());
    // Long spellings.
    let pasted = format!("#define p(x) {}x\np({})", "x ## ".repeat(2000), "y".repeat(1 << 20));
    assert!(survives(&pasted).unwrap_err().contains("E1110"));
    let quoted = format!("#define s(x) {}\ns({})", "#x ".repeat(20_000), "y".repeat(1 << 20));
    assert!(survives(&quoted).unwrap_err().contains("E1110"));
    // Recursive macros.
    survives("#define a b\n#define b a\n#define f(x) f(x)\nbyte x = a;").unwrap();
    // Inlines stop at a depth; before it, they produce too much.
    let wide = "f0(); ".repeat(20);
    let deep =
        levels(&|at| format!("inline f{}() {{ {} }}\n", at + 1, wide.replace("f0", &format!("f{at}"))), 15);
    let inlines = format!("inline f0() {{ skip }}\n{deep}init {{ f15() }}");
    assert!(survives(&inlines).unwrap_err().contains("E1202"));
}

#[test]
fn includes_do_not_run_away() {
    let mut files = Files::from([("model.pml".to_owned(), b"#include \"0\"\n".to_vec())]);
    for at in 0..30 {
        files.insert(at.to_string(), format!("#include \"{0}\"\n#include \"{0}\"\n", at + 1).into_bytes());
    }
    files.insert("30".to_owned(), Vec::new());
    assert!(parse_files(&files, &[]).1.contains("E1104"));
}

#[test]
fn large_files_are_parsed_or_refused() {
    let megabytes = |piece: &str| piece.repeat((10 << 20) / piece.len());
    assert!(survives(&body(&megabytes("x = 1; "))).unwrap_err().contains("E1202"));
    survives(&megabytes("#define N 1\n")).unwrap();
    survives(&megabytes("// a comment\n")).unwrap();
    survives(&format!("/*{}*/ byte x;", megabytes("a comment * / "))).unwrap();
    survives(&body(&megabytes(
        "printf(\"a long string that says nothing at all, and goes on and on\\n\");\n",
    )))
    .unwrap();
}

#[test]
fn nonsense_is_refused_quickly() {
    let size = 1 << 17;
    let pieces = [
        "/",
        "#",
        "#if 1\n",
        "# \n",
        "#define f(x) f\nf(",
        "\n#else\n",
        "a\n",
        "if ",
        ":: ",
        "do :: ",
        "fi ",
        "atomic { ",
        "init { ",
        "proctype P() {",
        "inline f() { ",
        "inline f(a) { f(a) } ",
        "ltl { [] ",
        "typedef T { ",
        "mtype = { a ",
        "q ? [",
        "q ! ",
        "(a -> b : ",
        "a[",
        "l: ",
        "unless ",
        "run P(",
        "c_code { ",
        "c_code [",
        "f(",
        "f(1) ",
        "select (i : 1 .. 2) ",
        "byte x ",
        "hidden ",
        "for (i : 1 .. 2) ",
        "P[1]@",
        "printf(\"",
        "-",
        "! ",
        "#include \"gone\"\n",
        "__LINE__ ",
        "x = f(1) ",
        "return 1 ",
        "d_step { skip } unless { ",
    ];
    for piece in NONSENSE.into_iter().chain(pieces) {
        let text = piece.repeat(size / piece.len());
        for text in [body(&text), text] {
            let started = Instant::now();
            let _ = survives(&text);
            assert!(started.elapsed() < Duration::from_secs(5), "{piece:?} takes {:?}", started.elapsed());
        }
    }
}

/// The sample, and the models of the repository.
fn originals() -> Vec<String> {
    let files =
        ["promela", "dynamic"].map(|folder| testing::files_below(&testing::models().join(folder), "pml"));
    let mut texts = vec![SAMPLE.to_owned()];
    texts.extend(files.into_iter().flatten().map(|file| file.text));
    texts
}

#[test]
fn mutants_are_parsed_or_refused() {
    let originals = originals();
    let mut random = SplitMix64::new(1);
    let (mut accepted, count) = (0, testing::effort(1000) as usize);
    for round in 0..count {
        let original = &originals[round % originals.len()];
        accepted += usize::from(parse(&mutant(original, &mut random)).0.is_some());
    }
    assert!((count / 20..count * 9 / 10).contains(&accepted), "{accepted}");
}

#[test]
fn mutants_of_bytes_are_parsed_or_refused() {
    let originals = originals();
    let mut random = SplitMix64::new(2);
    for round in 0..testing::effort(1000) as usize {
        let mut bytes = originals[round % originals.len()].as_bytes().to_vec();
        for _ in 0..=random.below(5) {
            let at = random.below(bytes.len());
            match random.below(4) {
                0 if bytes.len() > 1 => drop(bytes.remove(at)),
                1 => bytes.insert(at, random.below(128) as u8),
                2 => bytes[at] ^= 1 << random.below(7),
                _ => bytes.truncate(at.max(1)),
            }
        }
        if let Ok(text) = String::from_utf8(bytes) {
            parse(&text);
        }
    }
}

/// What only dynamic programs have is limited in depth like the rest, also where it is no deeper in the text.
#[test]
fn deep_paths_are_refused() {
    let head = "typedef N { byte k; N& n; N& a[2] }; N& p; byte& b;\n";
    let texts = |count: usize| {
        [
            format!("{head}init {{ p = p{} }}", ".n".repeat(count)),
            format!("{head}init {{ b = {}b }}", "*".repeat(count)),
            format!("{head}byte{} c; init {{ skip }}", "&".repeat(count)),
            format!("{head}init {{ p = {} }}", nested(count, "p.a[", "0", "]")),
            format!(
                "{head}function f(byte x) : byte = x;\ninit {{ *b = {} }}",
                nested(count, "f(", "1", ")")
            ),
        ]
    };
    for text in texts(100_000) {
        let errors = survives(&text).unwrap_err();
        assert!(errors.contains("E1202"), "{errors}");
    }
}
