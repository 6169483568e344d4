//! Mistakes that newcomers make, each with the diagnostic that they see.
//!
//! A diagnostic should say what is wrong where it is wrong, how it is written here, and nothing that only
//! follows from the mistake. The grades are those of a reader who knows the other language and not BIR:
//!
//! - A: says what to write instead, at the right place, once.
//! - B: names the mistake at the right place, without the exact words to write.
//! - C: the right place, but the reader has to look the rest up. D: the wrong place, or several messages for
//!   one mistake. None of these is left.

use std::fmt::Write as _;

use crate::common::compile;

/// What is around the text.
#[derive(Clone, Copy)]
enum Around {
    /// The text is a body of a thread.
    Body,
    /// The text is a member of a system.
    Member,
    /// The text is a file.
    File,
}

use Around::{Body, File, Member};

struct Mistake {
    grade: char,
    from: &'static str,
    around: Around,
    text: &'static str,
}

const fn mistake(grade: char, from: &'static str, around: Around, text: &'static str) -> Mistake {
    Mistake { grade, from, around, text }
}

#[rustfmt::skip]
const MISTAKES: &[Mistake] = &[
    // Statements of C and Java.
    mistake('A', "C", Body, "count++;"),
    mistake('A', "C", Body, "--count;"),
    mistake('A', "C", Body, "count = count + 1;"),
    mistake('A', "C", Body, "if (count == 1) {\n  count := 2;\n}"),
    mistake('A', "C", Body, "if (count == 1) {\n  count := 2;\n} else {\n  count := 3;\n}\nok := true;"),
    mistake('A', "C", Body, "while (count < 3) {\n  count := count + 1;\n}\nok := true;"),
    mistake('A', "C", Body, "if count = 1 do\n  ok := true;\nend"),
    mistake('A', "C", Body, "for (i = 0; i < 3; i++) {\n  count := count + i;\n}\nok := true;"),
    mistake('A', "C", Body, "for (int i = 0; i < 3; i = i + 1) {\n  count := count + i;\n}"),
    mistake('A', "C", Body, "int state[3];\nstate[0] := 1;"),
    mistake('A', "C", Member, "int state[3];"),
    mistake('A', "C", Member, "bool done;"),
    mistake('A', "C", Member, "int first, second;"),
    mistake('A', "C", Body, "printf(\"count is %d\", count);"),
    mistake('A', "C", Body, "free(helper);"),
    mistake('A', "C", Body, "helper(3);"),
    mistake('A', "C", Body, "count := helper(3);"),
    mistake('A', "C", Body, "switch (count) {\n  case 1: count := 2; break;\n}"),
    mistake('A', "C", Member, "#define N 3"),
    mistake('A', "C", Member, "const int N = 3;"),
    mistake('A', "C", Member, "void work() {\n  skip;\n}"),
    mistake('A', "C", Body, "count == 3;"),
    mistake('A', "C", Body, "count := 3\ncount := 4;"),
    mistake('A', "C", Body, "count := 'a';"),
    mistake('A', "C", Body, "do {\n  count := 1;\n} while (count < 3);"),
    mistake('A', "Java", Member, "String name;"),
    mistake('A', "Java", Member, "class Counter {\n  int value;\n}"),
    mistake('A', "Java", Body, "cell := new Cell();"),
    mistake('A', "Java", Body, "synchronized (guard) {\n  count := 1;\n}"),
    mistake('A', "Java", Body, "int[] a := new int[3];\na[0] := 1;"),
    mistake('A', "Java", Member, "List<int> seen;"),
    mistake('A', "Java", Body, "cell.valeu := 3;"),
    mistake('A', "Java", Body, "cell.size := 3;"),
    mistake('A', "Java", Body, "worker();"),
    mistake('A', "Java", Body, "numbers.push(3);"),
    mistake('A', "Java", Body, "count := numbers.length();"),
    // Rust.
    mistake('A', "Rust", Body, "let x = 3;"),
    mistake('A', "Rust", Member, "fn work() {\n  skip;\n}"),
    mistake('A', "Rust", Body, "loop {\n  count := 1;\n}"),
    mistake('A', "Rust", Body, "while count < 3 {\n  count += 1;\n}"),
    mistake('A', "Rust", Body, "for i in 0..3 {\n  count += i;\n}"),
    mistake('A', "Rust", Member, "struct Counter {\n  value: i32,\n}"),
    // Promela.
    mistake('A', "Promela", Member, "active proctype P() {\n  skip\n}"),
    mistake('A', "Promela", Member, "byte x;"),
    mistake('A', "Promela", Member, "mtype = { red, green };"),
    mistake('A', "Promela", Member, "chan c = [1] of { int };"),
    mistake('A', "Promela", Body, "do\n:: count < 3 -> count := count + 1\n:: else -> break\nod;"),
    mistake('A', "Promela", Body, "if\n:: count < 3 -> skip\nfi;"),
    mistake('A', "Promela", Body, "atomic {\n  count := 1;\n  count := 2;\n}"),
    mistake('A', "Promela", Body, "run worker();"),
    mistake('A', "Promela", Member, "init {\n  skip\n}"),
    // TLA+.
    mistake('B', "TLA+", Body, "assert count = 1;"),
    mistake('A', "TLA+", Body, "count' := count + 1;"),
    mistake('A', "TLA+", Member, "ltl live = G (ok -> F (count == 0));"),
    mistake('A', "TLA+", Body, "assert ok /\\ count == 1;"),
    mistake('A', "TLA+", Body, "items := {1, 2};"),
    mistake('A', "TLA+", Body, "assert \\A x \\in items : x > 0;"),
    mistake('A', "TLA+", Body, "assert 3 \\in items;"),
    // Python.
    mistake('A', "Python", Body, "if count == 1:\n  count := 2;\nend"),
    mistake('A', "Python", Body, "if ok and count == 1 do\n  skip;\nend"),
    mistake('A', "Python", Body, "if not ok do\n  skip;\nend"),
    mistake('A', "Python", Body, "if ok or count == 1 do\n  skip;\nend"),
    mistake('A', "Python", Body, "if ok do\n  skip;\nelif count == 1 do\n  skip;\nend"),
    mistake('A', "Python", Body, "for i in range(3) do\n  count += i;\nend"),
    mistake('A', "Python", Body, "ok := True;"),
    mistake('A', "Python", Body, "cell := None;"),
    mistake('A', "Python", Body, "numbers := [1, 2];"),
    mistake('A', "Python", Body, "assert 3 in items;"),
    mistake('A', "Python", Body, "pass;"),
    // Of all.
    mistake('A', "all", Body, "if count == 1 then\n  skip;\nend"),
    mistake('A', "all", Body, "if count == 1\n  count := 2;\nend"),
    mistake('A', "all", Body, "while count < 3\n  count := count + 1;\nend"),
    mistake('A', "all", Body, "while count < 3 do\n  if ok do\n    count := 1;\n  count := 2;\nend"),
    mistake('A', "all", Body, "count := 1;\nend"),
    mistake('A', "all", Body, "if ok do\n  count := 1;\nelse\n  count := 2;\nend"),
    mistake('A', "all", Body, "cout := 1;"),
    mistake('A', "all", Body, "count := Limits.MAXIMUM;"),
    mistake('A', "all", Body, "start wroker();"),
    mistake('A', "all", Body, "count := count <> 3;"),
    mistake('A', "all", Body, "goto begin;"),
    mistake('A', "all", Body, "int x;\nx := 1;\nint y;\ny := 2;"),
    mistake('A', "all", Body, "asert ok;"),
    mistake('A', "all", Body, "break;"),
    mistake('A', "all", Body, "for i in 0..3 do\n  i := i + 1;\nend"),
    mistake('A', "all", Body, "for i in count do\n  skip;\nend"),
    mistake('A', "all", Body, "atomic\n  count := 1;\n  inner: count := 2;\nend"),
    mistake('A', "all", Body, "x: count := 1;\nx: count := 2;"),
    mistake('A', "all", Body, "done:"),
    mistake('A', "all", Body, "when count == 1 do\n  ok := true;\nend"),
    mistake('A', "all", Body, "assert ok, \"not ok\";"),
    mistake('A', "all", Body, "items[0] := 1;"),
    mistake('A', "all", Body, "if (cell != null && new Cell == cell) do\n  skip;\nend"),
    mistake('A', "all", Member, "invariant small: count < 3;"),
    mistake('A', "all", Member, "thread lonely {\n  skip;\n}"),
    mistake('A', "all", Member, "active thread two()\n  skip;\nend"),
    mistake('A', "all", Member, "ltl p = <> worker@start;"),
    mistake('A', "all", Member, "ltl p = [] (exists worker w: w@readdy);"),
    mistake('A', "all", Member, "record Point { x: int; }"),
    mistake('A', "all", Member, "function f(int x) : int { return x; }"),
    mistake('A', "all", Member, "function f(x) returns int { return x; }"),
    mistake('A', "all", File, "int x;\nactive thread main() {\n  x := 1;\n}"),
    mistake('A', "all", File, "system s {\n  active thread main() {\n    skip;\n  }\n"),
    mistake('A', "all", File, "import locks;\nsystem s {\n  active thread main() { skip; }\n}"),
    mistake('A', "all", File, "system s {\n  thread main() {\n    skip;\n  }\n}"),
];

fn model(mistake: &Mistake) -> String {
    let members = "\
  int count; boolean ok; lock guard; Cell cell;
  Set.type<int> items; Seq.type<int> numbers;
  const Limits { MAX = 3; }
  record Cell { int value; Cell next; }
  function helper(int x) returns int { return x; }
  thread worker() { ready: when ok; }
";
    let uses = "
  active thread uses() {
    int y; y := invoke helper(Limits.MAX); start worker();
    guard := new lock; cell := new Cell; items := Set{count}; numbers := Seq{y}; ok := true;
  }
}
";
    match mistake.around {
        File => mistake.text.to_owned(),
        Member => format!("system s {{\n{}\n{members}{uses}", mistake.text),
        Body => format!("system s {{\nactive thread main() {{\n{}\n}}\n{members}{uses}", mistake.text),
    }
}

#[test]
fn mistakes() {
    let mut all = String::new();
    for mistake in MISTAKES {
        let shown = match compile(&model(mistake)) {
            Ok((_, warnings)) => format!("accepted\n{warnings}"),
            Err(errors) => errors,
        };
        let _ = write!(all, "{} ({})\n\n{shown}\n--------\n\n", mistake.grade, mistake.from);
    }
    insta::assert_snapshot!(all);
}

#[test]
fn one_mistake_has_one_message() {
    let mut bad = String::new();
    for mistake in MISTAKES {
        let text = model(mistake);
        let Err(errors) = compile(&text) else { panic!("accepted:\n{text}") };
        let count = errors.lines().filter(|line| line.starts_with("error")).count();
        if count != 1 {
            let _ = writeln!(bad, "{}\n{errors}", mistake.text);
        }
    }
    assert!(bad.is_empty(), "{bad}");
}

#[test]
fn a_macro_of_rust_is_warned_of() {
    let text = mistake('A', "Rust", Body, "assert!(count == 3);");
    let (_, warnings) = compile(&model(&text)).unwrap();
    insta::assert_snapshot!(warnings);
    let (_, warnings) = compile(&model(&Mistake { text: "assert !(count == 3);", ..text })).unwrap();
    assert_eq!(warnings, "");
}

#[test]
fn the_rest_of_the_model_is_right() {
    let nothing = mistake('A', "", Body, "skip;");
    let (_, warnings) = compile(&model(&nothing)).unwrap();
    assert_eq!(warnings, "");
}

#[test]
fn no_grade_is_bad() {
    assert!(MISTAKES.len() >= 40);
    assert!(MISTAKES.iter().all(|mistake| matches!(mistake.grade, 'A' | 'B')));
}
