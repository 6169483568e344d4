//! Text that is not a model: it has to be refused, quickly, and without a panic.

use testing::SplitMix64;
use testing::robustness::{NONSENSE, frugally, mutant};

use crate::common::{compile, repeated};

/// A model with nearly every construct.
const SAMPLE: &str = include_str!("sample.bir");

/// Compiles with little stack and time.
fn survives(text: &str) -> Result<(), String> {
    frugally(|| compile(text).map(|_| ()))
}

fn body(statement: &str) -> String {
    format!("system s {{ int x; boolean b; active thread T() {{ {statement} }} }}")
}

#[test]
fn the_sample_is_a_model() {
    survives(SAMPLE).unwrap();
}

#[test]
fn deep_nesting_is_refused() {
    let nested = |count: usize, open: &str, inner: &str, close: &str| {
        format!("{}{inner}{}", open.repeat(count), close.repeat(count))
    };
    let texts = |count: usize| {
        [
            body(&format!("x := {};", nested(count, "(", "1", ")"))),
            body(&format!("x := {};", nested(count, "x + (", "1", ")"))),
            body(&format!("b := {};", nested(count, "!", "b", ""))),
            body(&format!("x := {};", nested(count, "- ", "x", ""))),
            body(&format!("b := {};", nested(count, "b => ", "b", ""))),
            body(&format!("x := {};", nested(count, "b ? 1 : ", "2", ""))),
            body(&format!("x := {};", nested(count, "b ? ", "2", " : 1"))),
            body(&format!("b := {};", nested(count, "forall y in Set.create<int>(1) : ", "b", ""))),
            body(&nested(count, "while b do ", "x := 1;", " end")),
            body(&nested(count, "if b do ", "x := 1;", " end")),
            body(&nested(count, "atomic ", "x := 1;", " end")),
            body(&nested(count, "for i in 0..x do ", "x := 1;", " end").replacen("for i", "for j", 1)),
            body(&nested(count, "choose do ", "x := 1;", " end")),
            body(&nested(count, "try ", "x := 1;", " catch (E e) skip; end")),
            body(&nested(count, "b := b || b && b | b ^ b & b == b || 1 < 1 shl 1 + 1 * (", "1", ");")),
        ]
    };
    for text in texts(100_000) {
        let errors = survives(&text).unwrap_err();
        assert!(errors.contains("E0202") || errors.contains("E0201"), "{errors}");
    }
    for (index, text) in texts(150).into_iter().enumerate() {
        let outcome = survives(&text);
        // Loops declare the same variable, and the last ones have other errors.
        assert!(outcome.is_ok() || index == 11 || index >= 13, "{}", outcome.unwrap_err());
    }
}

#[test]
fn large_collections_are_refused() {
    let nested = |count: usize, open: &str, inner: &str, close: &str| {
        format!("{}{inner}{}", open.repeat(count), close.repeat(count))
    };
    let texts = |count: usize| {
        [
            body(&format!("b := {};", nested(count, "exists y in Set.create<boolean>(", "b", ") : y"))),
            body(&format!("b := {};", nested(count, "Set.isEmpty<boolean>(Set.create(", "b", "))"))),
            body(&format!("b := {};", nested(count, "Queue.isFull(Queue.create<boolean>(1, ", "b", "))"))),
            body(&format!("b := {};", nested(count, "Queue.isFull(", "b", " ? Queue.create<int>(1) : q)"))),
            format!(
                "system s {{ {} x; active thread T() {{ Set.add(x, Set.create()); }} }}",
                nested(count, "Set.type<", "int[]", ">")
            ),
            format!(
                "system s {{ {} x; active thread T() {{ Map.remove(x, 1); }} }}",
                nested(count, "Map.type<int, ", "int", "[]>")
            ),
        ]
        .map(|text| text.replace("int x;", "int x; Queue.type<int> q;"))
    };
    for text in texts(100_000) {
        assert!(survives(&text).unwrap_err().contains("E0202"));
    }
    for text in texts(30) {
        survives(&text).unwrap();
    }
    // Expressions of maximal height: lowering must not exceed the limit of the verifier.
    let lists = "Set.isEmpty<boolean>(b ? s : Set.create(";
    let deepest = (1..100).rev().find(|&count| {
        let text = body(&format!("b := {};", nested(count, lists, "b", "))")));
        survives(&text.replace("int x;", "int x; Set.type<boolean> s;")).is_ok()
    });
    assert!(deepest.is_some_and(|count| count > 50), "{deepest:?}");
}

#[test]
fn aliases_do_not_grow_without_bounds() {
    let model = |count: usize, alias: &dyn Fn(usize) -> String| {
        let aliases = repeated(count, alias);
        format!("system s {{ typealias T0 int; {aliases} T{count} x; active thread T() {{ x := x; }} }}")
    };
    let doubled = |index: usize| format!("typealias T{} Map.type<T{index}, T{index}>;\n", index + 1);
    let wrapped = |index: usize| format!("typealias T{} Set.type<T{index}[]>;\n", index + 1);
    let deep = |index: usize| {
        let (open, close) = ("Set.type<".repeat(90), ">".repeat(90));
        format!("typealias T{} {open}T{index}{close};\n", index + 1)
    };
    survives(&model(5, &doubled)).unwrap();
    survives(&model(40, &wrapped)).unwrap();
    survives(&model(1, &deep)).unwrap();
    for text in [model(60, &doubled), model(100, &wrapped), model(180, &deep)] {
        assert!(survives(&text).unwrap_err().contains("E0202"));
        // In the other order, the last one is resolved first.
        let (start, end) = (text.find("typealias T1").unwrap(), text.rfind('\n').unwrap());
        let backwards: Vec<_> = text[start..end].lines().rev().collect();
        let text = format!("{}{}{}", &text[..start], backwards.join("\n"), &text[end..]);
        assert!(survives(&text).unwrap_err().contains("E0202"));
    }
}

#[test]
fn nesting_below_the_limit_fits_a_small_stack() {
    // All levels of precedence at each level of nesting.
    let open = "b => b || b && b | b ^ b & b == (1 < 1 shl 1 + 1 * (b ? 1 : 2)) == (";
    let text = body(&format!("b := {}b{};", open.repeat(25), ")".repeat(25)));
    survives(&text).unwrap();
}

#[test]
fn long_chains_are_refused() {
    for (operand, operator) in [("1", " + "), ("x", " * "), ("b", " && "), ("x", " < "), ("b", " == ")] {
        let short = [operand; 300].join(operator);
        let target = if operand == "b" { "b" } else { "x" };
        let outcome = survives(&body(&format!("{target} := {short};")));
        assert!(outcome.is_ok() || operator == " < ", "{}", outcome.unwrap_err());
        let long = vec![operand; 100_000].join(operator);
        let errors = survives(&body(&format!("{target} := {long};"))).unwrap_err();
        assert!(errors.contains("E0202"), "{errors}");
    }
    for suffix in [".f", "[0]", ".f[1]", " instanceof R"] {
        assert!(survives(&body(&format!("b := x{};", suffix.repeat(100_000)))).is_err());
    }
    assert!(survives(&format!("system s {{ int{} x; }}", "[]".repeat(100_000))).is_err());
    assert!(survives(&body(&format!("x := new int{}[1];", "[]".repeat(100_000)))).is_err());
    // Elements of elements, and operations of results.
    let map = |suffix: &str| {
        body(&format!("m{suffix} := 1; b := s{}.contains(1);", ".add(1)".repeat(100)))
            .replace("int x;", "int x; Map<int, int> m; Set<int> s;")
    };
    survives(&map("[1]")).unwrap();
    assert!(survives(&map(&"[1]".repeat(300))).is_err());
    let sets = |count: usize| body(&format!("b := {}1{} == s;", "Set{".repeat(count), "}".repeat(count)));
    for count in [5, 60, 199, 100_000] {
        assert!(survives(&sets(count)).is_err());
    }
    // Lists are not nested.
    let arms = "elseif b do x := 1; ".repeat(20_000);
    survives(&body(&format!("if b do x := 0; {arms} end"))).unwrap();
    survives(&body(&"x := 1;\n".repeat(20_000))).unwrap();
    survives(&body(&"for i in 0..x do x += i; end\n".repeat(20_000))).unwrap();
    survives(
        &body(&"start U(new int[1]);\n".repeat(10_000)).replace("int x;", "thread U(int[] a) {} int x;"),
    )
    .unwrap();
}

#[test]
fn long_chains_of_declarations_are_refused() {
    let aliases = repeated(50_000, |index| format!("typealias T{index} T{};\n", index + 1));
    assert!(survives(&format!("system s {{ {aliases} T0 x; active thread T() {{}} }}")).is_err());
    let records =
        repeated(20_000, |index| format!("record R{} extends R{index} {{ int f{index}; }}\n", index + 1));
    let errors = survives(&format!("system s {{ record R0 {{}} {records} active thread T() {{}} }}"));
    assert!(errors.unwrap_err().contains("E0202"));
    let cycles = repeated(20_000, |index| format!("record R{index} extends R{index} {{}}\n"));
    assert!(survives(&format!("system s {{ {cycles} active thread T() {{}} }}")).is_err());
    let unknown = repeated(50_000, |index| format!("T{index} x{index};\n"));
    assert!(survives(&format!("system s {{ {unknown} active thread T() {{}} }}")).is_err());
}

#[test]
fn nonsense_is_refused_quickly() {
    let size = 5 << 20;
    let pieces = [
        "//",
        "/",
        "system s { ",
        "thread T() { ",
        "x := 1; ",
        "loc a: ",
        "end ",
        "do ",
        "int x; ",
        "enum E { A } ",
        "ltl ",
        "ltl P = ",
        "active ",
        "active[",
        "(a) b[",
        "top ",
        "\n",
        "while b do ",
        "extension Set ",
        "record R { int x; ",
        "Set.type<",
        "Set.create<",
        "forall y in ",
        "abstract enum E { A } ",
        "Set.add(s, ",
        "for i in 0..3 do ",
        "for (i = 0; ",
        "for (i) do ",
        "a: ",
        "a end: ",
        "when b; ",
        "when b do ",
        "Set{",
        "Map{1: ",
        "import \"a\"; ",
        "if b { ",
        "if :: b -> ",
        "do :: b -> ",
        "break; ",
        "loop { ",
        "class A { ",
        "let x = ",
        "x++; ",
        "s.add(",
        "not ",
        "b and ",
        "#define ",
        "[1, ",
        "elif b do ",
    ];
    for piece in NONSENSE.into_iter().chain(pieces) {
        let text = piece.repeat(size / piece.len());
        assert!(survives(&text).is_err(), "{piece}");
        assert!(survives(&format!("system s {{ {text} }}")).is_err(), "{piece}");
        let inside = survives(&body(&text));
        assert!(
            inside.is_err() || matches!(piece, "//" | "\n" | "x := 1; " | "int x; " | "when b; "),
            "{piece}"
        );
    }
}

#[test]
fn mutants_are_compiled_or_refused() {
    let mut random = SplitMix64::new(1);
    let mut accepted = 0;
    for _ in 0..600 {
        // Accepted models are verified.
        accepted += usize::from(compile(&mutant(SAMPLE, &mut random)).is_ok());
    }
    assert!((10..500).contains(&accepted), "{accepted}");
}
