//! The formatter: what it does, that it is a projection, and that no meaning changes.

use source::{FileId, SourceMap};
use testing::{SplitMix64, effort, files_below, random_model, random_variant, root};

fn format(text: &str) -> Option<String> {
    let mut map = SourceMap::new();
    let file = map.add("m.bir", text).unwrap();
    quotient_bir::format(&map, file).ok()
}

/// The program, without the places in the text. Names of locations without a label are numbers of lines.
fn program(text: &str) -> Option<String> {
    let mut map = SourceMap::new();
    let file: FileId = map.add("m.bir", text).unwrap();
    let (mut program, _) = quotient_bir::compile(&map, file, &[]).ok()?;
    for (index, location) in program.locations.values_mut().enumerate() {
        if location.synthetic {
            location.name = format!("hidden{index}");
        }
    }
    // Conditions of properties are quoted as they are written, with their white space.
    program.properties.iter_mut().flat_map(|property| &mut property.props).for_each(|prop| prop.text.clear());
    Some(ir::text::print(&program))
}

fn bundled() -> Vec<testing::ModelFile> {
    let mut files = files_below(&root().join("models"), "bir");
    files.extend(files_below(&root().join("crates/bir/tests"), "bir"));
    assert!(files.len() > 100);
    files
}

fn check(text: &str, expected: &str) {
    let found = format(text).expect("a model");
    assert_eq!(found, expected, "\n--- found\n{found}\n--- expected\n{expected}");
    assert_eq!(format(expected).as_deref(), Some(expected), "formatted text stays");
}

/// What must hold of the formatted text of any model.
fn is_sound(text: &str, name: &str) {
    let Some(formatted) = format(text) else { panic!("{name} does not parse:\n{text}") };
    assert_eq!(
        format(&formatted).as_deref(),
        Some(formatted.as_str()),
        "{name}: not a projection of\n{text}"
    );
    assert_eq!(program(text), program(&formatted), "{name}: another meaning:\n{formatted}");
    assert_eq!(comments(text), comments(&formatted), "{name}: other comments");
    assert!(!formatted.lines().any(|line| line.ends_with(' ')), "{name}: blanks at the ends of lines");
    assert!(!formatted.contains("\n\n\n") && formatted.ends_with('\n'), "{name}: empty lines");
}

/// The comments of a text, found by other means than the formatter's: word by word.
fn comments(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    let letters: Vec<char> = text.chars().collect();
    let mut at = 0;
    while at < letters.len() {
        let pair = (letters[at], letters.get(at + 1).copied());
        let ends: &dyn Fn(usize) -> bool = match pair {
            ('"', _) => {
                at += 1;
                while letters[at] != '"' {
                    at += 1 + usize::from(letters[at] == '\\');
                }
                at += 1;
                continue;
            }
            ('/', Some('/')) => &|at| letters.get(at).is_none_or(|&letter| letter == '\n'),
            ('/', Some('*')) => &|at| letters[at - 2..at] == ['*', '/'],
            _ => {
                at += 1;
                continue;
            }
        };
        let start = at;
        at += if pair.1 == Some('*') { 4 } else { 2 };
        while !ends(at) {
            at += 1;
        }
        let comment: String = letters[start..at].iter().collect();
        found.push(comment.split_whitespace().collect::<Vec<_>>().join(" "));
    }
    found
}

#[test]
fn white_space_is_put_right() {
    check(
        "system   S{const P{N=3;}\nint(0,P.N)x ;\n\n\n\nactive thread T(){\nint i:=-1;\nloc a:\nwhen x<P.N&&!(i==- 1)do{\nx:=x+1;i := -i - 1;\n}\ngoto a;\nloc b: goto a;}}",
        "system S {
  const P { N = 3; }
  int(0, P.N) x;

  active thread T() {
    int i := -1;
    loc a:
      when x<P.N && !(i == -1) do {
        x := x + 1;
        i := -i - 1;
      }
      goto a;
    loc b: goto a;
  }
}
",
    );
}

#[test]
fn blocks_have_their_items_on_lines() {
    check(
        "system S {
        int x; boolean done;
        main thread M() {
        while !done do x := x + 1; atomic skip; skip; end end
        if x == 3 do done := true; elseif x > 3 do skip; else do
        choose when <x > 5> do x := 0; do x := 1;
        do x := 2; end end
        try lock(null);
        catch (E e) skip; end
        here: when x > 0;
        there end: when done;
        for i in 0..3 do x := i; end
        for j in Set{1,
        2} do x := j; end
        } }",
        "system S {
  int x;
  boolean done;
  main thread M() {
    while !done do x := x + 1; atomic skip; skip; end end
    if x == 3 do
      done := true;
    elseif x > 3 do
      skip;
    else do
      choose
        when <x > 5> do
          x := 0;
        do
          x := 1;
        do
          x := 2;
      end
    end
    try
      lock(null);
    catch (E e)
      skip;
    end
    here: when x > 0;
    there end: when done;
    for i in 0..3 do x := i; end
    for j in Set{1,
      2} do
      x := j;
    end
  }
}
",
    );
}

#[test]
fn words_behind_a_dot_are_names() {
    check(
        "system S {\nint x;\nactive thread T() {\nx := Set.choose(Set{1,2});\nx := 2;\n} }",
        "system S {\n  int x;\n  active thread T() {\n    x := Set.choose(Set{1, 2});\n    x := 2;\n  }\n}\n",
    );
}

#[test]
fn comments_stay_where_they_belong() {
    check(
        "// about\nsystem S { // the system\n\n  const P {\n    N = 3; // short\n    LONGER = 4;   // long\n\n    X = 1; /* alone */\n  }\n/* a\n   b */\n  active thread T() {\n    // first\n    if true do\n      skip;\n      // still inside\n    // about else\n    else do\n      skip; /* in */ skip;\n    end\n  // the end\n  }\n}\n// after",
        "// about
system S { // the system
  const P {
    N = 3;      // short
    LONGER = 4; // long

    X = 1; /* alone */
  }
  /* a
     b */
  active thread T() {
    // first
    if true do
      skip;
      // still inside
    // about else
    else do
      skip; /* in */
      skip;
    end
  // the end
  }
}
// after
",
    );
}

#[test]
fn long_expressions_continue_on_further_lines() {
    check(
        "system S {
boolean x; boolean y;
fun f(boolean a,
boolean b) returns boolean =
a &&
(b ||
x);
invariant I = forall s in Set{1, 2} :
s > 0;
active thread T() { assert x
|| y; }
enum E { a,
b }
}",
        "system S {
  boolean x;
  boolean y;
  fun f(boolean a,
    boolean b) returns boolean =
    a &&
    (b ||
      x);
  invariant I = forall s in Set{1, 2} :
    s > 0;
  active thread T() {
    assert x
      || y;
  }
  enum E { a,
    b }
}
",
    );
}

#[test]
fn line_ends_and_fragments() {
    check(
        "import \"a.bir\";\r\nsystem S {\r\nint x;\r\n}\r\n",
        "import \"a.bir\";\r\nsystem S {\r\n  int x;\r\n}\r\n",
    );
    check("int x;\n   fun f() returns int=1;", "int x;\nfun f() returns int = 1;\n");
    for broken in ["", "system", "system S { int x }", "system S { /* }", "x := 1;"] {
        let text = format(broken);
        assert!(text.is_none() || broken.is_empty(), "{broken:?} became {text:?}");
    }
}

#[test]
fn no_bundled_model_changes_its_meaning() {
    for model in bundled() {
        if format(&model.text).is_some() {
            is_sound(&model.text, &model.name);
        }
    }
}

#[test]
fn no_random_model_changes_its_meaning() {
    for seed in 0..effort(150) {
        is_sound(&random_model(seed), &format!("seed {seed}"));
    }
    for seed in 0..effort(30) {
        for variant in [testing::Variant::Parentheses, testing::Variant::Methods, testing::Variant::Padded] {
            is_sound(&random_variant(seed, variant), &format!("seed {seed}"));
        }
    }
}

/// Text with other white space between its tokens, and with comments here and there.
fn mangled(text: &str, random: &mut SplitMix64) -> String {
    let mut out = String::new();
    let mut rest = text;
    let is_word = |letter: char| letter.is_ascii_alphanumeric() || letter == '_' || letter == '$';
    while let Some(first) = rest.chars().next() {
        let length = if rest.starts_with("//") {
            rest.find('\n').unwrap_or(rest.len())
        } else if rest.starts_with("/*") {
            rest.find("*/").map_or(rest.len(), |at| at + 2)
        } else if first == '"' {
            let mut escaped = false;
            let end = rest[1..].find(|letter| {
                let ends = letter == '"' && !escaped;
                escaped = letter == '\\' && !escaped;
                ends
            });
            end.map_or(rest.len(), |end| end + 2)
        } else if first.is_whitespace() {
            rest.find(|letter: char| !letter.is_whitespace()).unwrap_or(rest.len())
        } else if is_word(first) {
            rest.find(|letter| !is_word(letter)).unwrap_or(rest.len())
        } else {
            rest.find(|letter: char| letter.is_whitespace() || is_word(letter) || letter == '"')
                .unwrap_or(rest.len())
        };
        let length = if is_word(first) || first.is_whitespace() || "/\"".contains(first) {
            length
        } else {
            rest[..length].find(['/']).filter(|&at| at > 0).unwrap_or(length)
        };
        let (piece, tail) = rest.split_at(length);
        if first.is_whitespace() {
            let after_line_comment = out.rsplit('\n').next().is_some_and(|line| line.contains("//"));
            out.push_str(match random.below(6) {
                _ if after_line_comment => "\n",
                0 => "\n",
                1 => "\n\n\n",
                2 => "\t",
                3 => " /* c */ ",
                4 => " // d\n",
                _ => " ",
            });
        } else {
            out.push_str(piece);
        }
        rest = tail;
    }
    out
}

#[test]
fn mangled_models_get_into_shape() {
    let mut random = SplitMix64::new(22);
    for model in bundled() {
        if format(&model.text).is_none() {
            continue;
        }
        for _ in 0..effort(2) {
            is_sound(&mangled(&model.text, &mut random), &model.name);
        }
    }
}
