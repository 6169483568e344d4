//! Mistakes of newcomers, and what they are told: one snapshot for each origin.
//!
//! Each mistake has a grade. A: the message names the mistake, its place and what to write instead. B: names
//! the mistake and its place, and the hint is general. C: points at the place without naming the mistake. D:
//! points elsewhere, or says nothing. There must be none below B.

use std::collections::BTreeMap;

use source::{Severity, SourceMap, Style};

type Files = BTreeMap<String, Vec<u8>>;

/// A grade, what is wrong, and the text.
type Mistake = (char, &'static str, &'static str);

/// What is said about a model: the text, and the number of errors and of warnings.
fn said(text: &str) -> (String, usize, usize) {
    let mut map = SourceMap::new();
    let file = map.add("model.pml", text).expect("a short text");
    let diagnostics = match quotient_promela::compile(&mut map, &Files::new(), file, &[]) {
        Ok(compiled) => compiled.warnings,
        Err(diagnostics) => diagnostics,
    };
    let errors = diagnostics.iter().filter(|item| item.severity == Severity::Error).count();
    let warnings = diagnostics.iter().count() - errors;
    (diagnostics.render(&map, Style::Plain), errors, warnings)
}

/// Renders what is said about each mistake, which is one thing.
fn check(mistakes: &[Mistake]) -> String {
    let each = |(grade, name, text): &Mistake| {
        assert!(matches!(grade, 'A' | 'B'), "{name}: the message is not good enough");
        let (said, errors, warnings) = said(text);
        assert_eq!(errors + warnings, 1, "{name}: one mistake, one message:\n{said}");
        format!("## {name} ({grade})\n\n{said}\n")
    };
    mistakes.iter().map(each).collect()
}

/// Habits from C and Java.
#[rustfmt::skip]
const FROM_C: &[Mistake] = &[
    ('A', "while", "byte x;\nactive proctype P() {\n  while (x < 3) {\n    x++\n  }\n}"),
    ('A', "if with a block",
        "byte x;\nactive proctype P() {\n  if (x == 0) {\n    x = 1\n\
        } else if (x == 1) {\n    x = 0\n  } else {\n    x = 2\n  }\n}"),
    ('A', "if without a block",
        "byte x;\nactive proctype P() {\n  if (x == 0) x = 1;\n  else x = 2;\n  x = 3\n}"),
    ('A', "for with an assignment",
        "byte x;\nactive proctype P() {\n  int i;\n  for (i = 0; i < 10; i++) {\n    x = x + i\n  }\n}"),
    ('A', "for with a declaration",
        "byte x;\nactive proctype P() {\n  for (int i = 0; i < 10; i++) {\n    x = x + i\n  }\n}"),
    ('A', "switch",
        "byte x;\nactive proctype P() {\n  switch (x) {\n\
        case 0: x = 1; break;\n    default: x = 2;\n  }\n}"),
    ('A', "do with a block",
        "byte x;\nactive proctype P() {\n  do {\n    x++\n  } while (x < 3);\n  x = 0\n}"),
    ('A', "increment as a value", "byte count, y;\nactive proctype P() {\n  y = count++;\n}"),
    ('A', "prefix increment", "byte count;\nactive proctype P() {\n  ++count\n}"),
    ('A', "compound assignment", "byte count;\nactive proctype P() {\n  count += 1;\n}"),
    ('A', "chained assignment", "byte x, y;\nactive proctype P() {\n  x = y = 0\n}"),
    ('A', "conditional expression", "byte x;\nactive proctype P() {\n  x = x > 1 ? 2 : 3\n}"),
    ('A', "assignment in a condition",
        "byte x;\nactive proctype P() {\n  if\n  :: (x = 1) -> skip\n  :: else\n  fi\n}"),
    ('A', "assignment as a guard",
        "byte x;\nactive proctype P() {\n  if\n  :: x = 1 -> skip\n  :: else\n  fi\n}"),
    ('B', "comparison as an assignment", "byte x;\nactive proctype P() {\n  x == 1;\n  assert(x == 1)\n}"),
    ('B', "a text as a value",
        "mtype = { idle };\nmtype state;\nactive proctype P() {\n  state = \"idle\"\n}"),
    ('A', "string type", "string s;\nactive proctype P() {\n  s = 1\n}"),
    ('A', "brackets before the name", "int[3] a;\nactive proctype P() {\n  a[0] = 1\n}"),
    ('A', "two dimensions", "byte a[2][3];\nactive proctype P() {\n  a[0][1] = 1\n}"),
    ('A', "struct", "struct Point { byte x; byte y };\nactive proctype P() {\n  skip\n}"),
    ('A', "function", "void reset(int x) { x = 0 }\nactive proctype P() {\n  skip\n}"),
    ('A', "constant", "const int N = 3;\nactive proctype P() {\n  skip\n}"),
    ('B', "return from a process", "byte x;\nactive proctype P() {\n  x = 1;\n  return\n}"),
    ('B', "continue",
        "byte x;\nactive proctype P() {\n  do\n  :: x < 3 -> x++; continue\n  :: else -> break\n  od\n}"),
    ('A', "break in an if", "byte x;\nactive proctype P() {\n  if\n  :: x == 0 -> break\n  :: else\n  fi\n}"),
    ('A', "hexadecimal number", "byte x = 0xff;\nactive proctype P() {\n  x = 1\n}"),
    ('A', "null", "byte next;\nactive proctype P() {\n  next = NULL\n}"),
    ('A', "method",
        "chan q = [2] of { byte };\nactive proctype P() {\n  if\n  :: q.len > 0 -> skip\n  :: else\n  fi\n}"),
    ('A', "assertion with a text", "byte x;\nactive proctype P() {\n  assert(x == 0, \"x is zero\")\n}"),
    ('A', "printf with too few arguments", "byte x;\nactive proctype P() {\n  printf(\"%d of %d\\n\", x)\n}"),
    ('A', "printf with too many arguments", "byte x;\nactive proctype P() {\n  printf(\"done\\n\", x)\n}"),
    ('A', "new", "chan q = new chan(2);\nactive proctype P() {\n  q!1\n}"),
];

#[test]
fn from_c() {
    insta::assert_snapshot!(check(FROM_C));
}

/// Habits from Python, Pascal and shells.
#[rustfmt::skip]
const FROM_PYTHON_AND_PASCAL: &[Mistake] = &[
    ('A', "and", "bool a, b;\nactive proctype P() {\n  if\n  :: a and b -> skip\n  :: else\n  fi\n}"),
    ('A', "or", "bool a, b;\nactive proctype P() {\n  (a or b)\n}"),
    ('A', "not", "bool a;\nactive proctype P() {\n  if\n  :: not a -> skip\n  :: else\n  fi\n}"),
    ('A', "not with parentheses", "bool a, b;\nactive proctype P() {\n  a = not (a || b)\n}"),
    ('A', ":=", "byte x;\nactive proctype P() {\n  x := 1\n}"),
    ('A', ":= for an element", "byte a[2];\nactive proctype P() {\n  a[1] := 1\n}"),
    ('A', "then", "byte x;\nactive proctype P() {\n  if\n  :: x == 1 then x = 2\n  :: else\n  fi\n}"),
    ('A', "True", "bool b;\nactive proctype P() {\n  b = True\n}"),
    ('A', "print", "active proctype P() {\n  print(\"hello\")\n}"),
    ('A', "a comment with #", "byte x; # counts the requests\nactive proctype P() {\n  x = 1\n}"),
    ('A', "a comment with --", "byte x;\nactive proctype P() {\n  x = 1; -- the first one\n  x = 2\n}"),
    ('A', "<> for not equal", "byte x;\nactive proctype P() {\n  x <> 1\n}"),
    ('A', "=>", "byte x;\nactive proctype P() {\n  if\n  :: x == 0 => x = 1\n  fi\n}"),
    ('A', "boolean", "boolean b;\nactive proctype P() {\n  b = true\n}"),
];

#[test]
fn from_python_and_pascal() {
    insta::assert_snapshot!(check(FROM_PYTHON_AND_PASCAL));
}

/// Habits from BIR, TLA+ and other model checkers.
#[rustfmt::skip]
const FROM_BIR_AND_TLA: &[Mistake] = &[
    ('A', "thread", "thread P() {\n  skip\n}\ninit { skip }"),
    ('A', "system", "system S {\n  byte x;\n}\ninit { skip }"),
    ('A', "enum", "enum Color { red, green };\nactive proctype P() {\n  skip\n}"),
    ('A', "conjunction", "byte x;\nactive proctype P() {\n  x < 2 /\\ x >= 0\n}"),
    ('A', "/= for not equal", "byte x;\nactive proctype P() {\n  x /= 1\n}"),
    ('A', "assume", "byte x;\nactive proctype P() {\n  assume(x == 1);\n  x = 2\n}"),
    ('A', "send as a call", "chan q = [2] of { byte };\nactive proctype P() {\n  send(q, 1)\n}"),
    ('A', "lock as a call", "bool held;\nactive proctype P() {\n  lock(held);\n  held = false\n}"),
];

#[test]
fn from_bir_and_tla() {
    insta::assert_snapshot!(check(FROM_BIR_AND_TLA));
}

/// Names that are not known.
#[rustfmt::skip]
const NAMES: &[Mistake] = &[
    ('A', "a variable",
        "byte counter;\nactive proctype P() {\n  conter = 1;\n  counter = 2;\n  conter = 3\n}"),
    ('A', "an element of an mtype",
        "mtype = { request, reply };\nmtype m;\nactive proctype P() {\n  m = requst;\n  m = reply\n}"),
    ('A', "a process", "proctype Worker() { skip }\ninit { run Woker() }"),
    ('A', "a field",
        "typedef Msg { byte sender; byte seq }\nMsg m;\nactive proctype P() {\n  m.sendr = 1\n}"),
    ('A', "a field of something else", "chan q = [2] of { byte };\nactive proctype P() {\n  q.length > 0\n}"),
    ('A', "a label", "active proctype P() {\nagain:\n  skip;\n  goto agian\n}"),
    ('A', "a label of another process",
        "active proctype P() {\ncritical:\n  skip\n}\nltl p { [] !P@critcal }"),
    ('A', "an inline", "inline reset(v) { v = 0 }\nbyte x;\nactive proctype P() {\n  rest(x)\n}"),
    ('A', "a statement", "byte x;\nactive proctype P() {\n  asert(x == 0)\n}"),
    ('A', "a channel", "chan requests = [2] of { byte };\nactive proctype P() {\n  request!1\n}"),
    ('A', "a type", "typedef Packet { byte n }\nPaket p;\nactive proctype P() {\n  p.n = 1\n}"),
    ('A', "a unit", "proctpye P() {\n  skip\n}\ninit { skip }"),
    ('A', "a variable that is declared later", "active proctype P() {\n  x = 1\n}\nbyte x;"),
    ('A', "a variable of another process",
        "active proctype P() {\n  byte mine;\n  mine = 1\n}\nactive proctype Q() {\n  mine = 2\n}"),
    ('A', "a variable of a block",
        "active proctype P() {\n  {\n    byte inner;\n    inner = 1\n  };\n  inner = 2\n}"),
    ('A', "a call of a process", "proctype Worker(byte i) { skip }\ninit { Worker(1) }"),
    ('A', "a call inside of an expression", "byte x;\nactive proctype P() {\n  x = 1 + max(x, 2)\n}"),
    ('A', "an inline inside of an expression",
        "inline two() { return 2 }\nbyte x;\nactive proctype P() {\n  x = 1 + two()\n}"),
];

#[test]
fn names() {
    insta::assert_snapshot!(check(NAMES));
}

/// What is missing, or too much.
#[rustfmt::skip]
const STRUCTURE: &[Mistake] = &[
    ('A', "od",
        "byte x;\nactive proctype P() {\n  do\n  :: x < 3 -> x++\n\
        :: else -> break\n}\nactive proctype Q() {\n  skip\n}"),
    ('B', "fi",
        "byte x;\nactive proctype P() {\n  do\n  :: x < 3 ->\n     if\n\
        :: x == 0 -> x++\n     :: else\n  :: else -> break\n  od\n}"),
    ('A', "fi instead of od",
        "byte x;\nactive proctype P() {\n  do\n  :: x < 3 -> x++\n  :: else -> break\n  fi\n}"),
    ('A', "a brace, before another process",
        "byte x;\nactive proctype P() {\n  atomic {\n    x = 1\n}\n\nactive proctype Q() {\n  skip\n}"),
    ('A', "a brace, at the end", "byte x;\nactive proctype P() {\n  x = 1;\n  x = 2\n"),
    ('A', "a brace of an option",
        "byte x;\nactive proctype P() {\n  if\n  :: x == 0 -> atomic { x = 1\n  :: else\n  fi\n}"),
    ('A', "an od too many", "byte x;\nactive proctype P() {\n  x = 1\n  od;\n  x = 2\n}"),
    ('A', "an option outside", "byte x;\nactive proctype P() {\n  x = 1;\n  :: x == 1 -> x = 2\n}"),
    ('A', "::", "byte x;\nactive proctype P() {\n  if\n  x == 1 -> skip;\n  x == 2 -> x = 1\n  fi\n}"),
    ('A', "a semicolon", "byte x, y;\nactive proctype P() {\n  x = 1 y = 2\n}"),
    ('A', "an arrow", "byte x;\nactive proctype P() {\n  if\n  :: x == 1 x = 2\n  :: else\n  fi\n}"),
    ('A', "else with a condition",
        "byte x;\nactive proctype P() {\n  if\n  :: x == 0 -> x = 1\n  :: else x == 1 -> x = 2\n  fi\n}"),
    ('A', "parentheses of a process", "active proctype P {\n  skip\n}"),
    ('A', "parentheses of a run", "proctype P() { skip }\ninit { run P }"),
    ('A', "a comma between parameters", "proctype P(byte a, byte b) {\n  a = b\n}\ninit { run P(1, 2) }"),
    ('A', "the type of a parameter", "proctype P(a) {\n  skip\n}\ninit { run P(1) }"),
    ('A', "init with parentheses", "init() {\n  skip\n}"),
    ('A', "braces of a formula", "byte x;\nactive proctype P() { x = 1 }\nltl p [] (x < 2)"),
    ('B', "a brace of a formula", "byte x;\nactive proctype P() { x = 1 }\nltl p { [] (x < 2)"),
    ('A', "the end of a comment", "byte x; /* counts\nactive proctype P() { x = 1 }"),
    ('A', "a file", "#include \"defs.h\"\nactive proctype P() { skip }"),
    ('A', "a process that runs", "byte x;\nproctype P() { x = 1 }"),
];

#[test]
fn structure() {
    insta::assert_snapshot!(check(STRUCTURE));
}

/// Channels and processes.
#[rustfmt::skip]
const CHANNELS_AND_PROCESSES: &[Mistake] = &[
    ('A', "a channel without types", "chan q = [2];\nactive proctype P() {\n  q!1\n}"),
    ('A', "a channel without braces", "chan q = [2] of byte;\nactive proctype P() {\n  q!1\n}"),
    ('A', "a channel without =", "chan q[2] of { byte };\nactive proctype P() {\n  q!1\n}"),
    ('A', "a variable without a channel", "chan q;\nactive proctype P() {\n  q!1\n}"),
    ('A', "a message that is too short",
        "mtype = { data };\nchan q = [2] of { mtype, byte, byte };\nactive proctype P() {\n  q!data, 1\n}"),
    ('A', "a receive as a value",
        "chan q = [2] of { byte };\nactive proctype P() {\n  byte x;\n  x = q?1\n}"),
    ('A', "a receive in the wrong direction",
        "chan q = [2] of { byte };\nactive proctype P() {\n  byte x;\n  x?q\n}"),
    ('A', "a negated question",
        "chan q = [2] of { byte };\nactive proctype P() {\n  if\n  :: !empty(q) -> skip\n  :: else\n  fi\n}"),
    ('A', "run inside of an expression", "proctype W() { skip }\ninit {\n  byte n;\n  n = run W() + 1\n}"),
    ('A', "the arguments of run", "proctype W(byte a; byte b) { a = b }\ninit { run W(1) }"),
    ('A', "a value from a process", "proctype W() { return 1 }\ninit { run W() }"),
    ('A', "run in a d_step", "proctype W() { skip }\ninit { d_step { run W() } }"),
];

#[test]
fn channels_and_processes() {
    insta::assert_snapshot!(check(CHANNELS_AND_PROCESSES));
}

/// Formulas.
#[rustfmt::skip]
const FORMULAS: &[Mistake] = &[
    ('A', "F", "byte x;\nactive proctype P() { x = 1 }\nltl p { F (x == 1) }"),
    ('A', "G", "byte x;\nactive proctype P() { x = 1 }\nltl p { G x < 2 }"),
    ('A', "R", "byte x;\nactive proctype P() { x = 1 }\nltl p { (x == 0) R (x < 2) }"),
    ('A', "AG", "byte x;\nactive proctype P() { x = 1 }\nltl p { AG (x < 2) }"),
    ('A', "=", "byte x;\nactive proctype P() { x = 1 }\nltl p { <> (x = 1) }"),
    ('A', "=>", "byte x;\nactive proctype P() { x = 1 }\nltl p { [] (x == 0 => <> (x == 1)) }"),
    ('A', "<=>", "byte x;\nactive proctype P() { x = 1 }\nltl p { (x == 0) <=> (x == 1) }"),
    ('A', "and", "byte x;\nactive proctype P() { x = 1 }\nltl p { [] (x < 2 and x >= 0) }"),
    ('A', "precedence", "byte x;\nactive proctype P() { x = 1 }\nltl p { [] x < 2 }"),
    ('A', "a name", "byte level;\nactive proctype P() { level = 1 }\nltl p { [] (lvel < 2) }"),
    ('A', "a local variable", "active proctype P() { byte n; n = 1 }\nltl p { <> (n == 1) }"),
];

#[test]
fn formulas() {
    insta::assert_snapshot!(check(FORMULAS));
}

/// Names that are words elsewhere are names like any others.
#[test]
fn words_of_other_languages_are_names() {
    let text = "\
#define G (x == 1)
typedef string { byte length }
typedef not { byte and }
string s;
not or;
byte F, R[2], x, then, self, this;
bool and, mod;
inline print(v) { v = 1 }
inline while(v) { v = 0 }
inline send(c, v) { c!v }
mtype = { stop, elif, not_yet };
chan q = [2] of { mtype, byte };
active proctype thread() {
  not yet;
  if
  :: and -> and = mod && and
  :: (mod) -> q!stop(F)
  :: else -> print(x); while(x); send(q, stop)
  fi;
  assert(F <= R[1] || F == 0);
  or.and = this + self + then + s.length + yet.and;
continue:
  skip;
  if
  :: R[0] == 0 -> mod = !mod
  :: mod -> goto continue
  fi
}
ltl a { [] (F == 0) && <> G && F >= 0 U R[0] == 0 }
ltl b { [] (and -> <> (F - 1 < R[1])) }
";
    let (said, errors, _) = said(text);
    assert_eq!(errors, 0, "{said}");
}

/// An error that is left out because of another one needs that other one.
#[test]
fn what_is_wrong_is_never_accepted() {
    for body in
        ["x = x (1)", "x = _pid (x == 1 || y)", "x = y (\n- 1)", "T(x)", "x = 1; y(1) = 2", "x and", "not"]
    {
        let (_, errors, _) = said(&format!("byte x, y; active proctype P() {{ {body} }}"));
        assert!(errors > 0, "{body} is accepted");
    }
    for model in ["a b", "a b, c d", "a b; a c", "x = 1", "x(1)", "a {", "byte a[1][2]", "byte x; # and"] {
        let (_, errors, _) = said(&format!("{model} init {{ skip }}"));
        assert!(errors > 0, "{model} is accepted");
    }
}
