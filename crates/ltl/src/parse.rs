//! Formulas from text, in the notation of SPIN.
//!
//! | spelling                        |                         |
//! |---------------------------------|-------------------------|
//! | `!` `not`                       | before its operand      |
//! | `[]` `always`                   | "                       |
//! | `<>` `eventually`               | "                       |
//! | `X` `next`                      | "                       |
//! | `U` `until` `stronguntil`       | between its operands    |
//! | `W` `weakuntil`                 | "                       |
//! | `V` `release`                   | "                       |
//! | `&&` `/\` `and`                 | "                       |
//! | `\|\|` `\/` `or`                | "                       |
//! | `->` `implies`                  | "                       |
//! | `<->` `equivalent`              | "                       |
//!
//! Prefix operators bind most tightly; infix operators associate to the left, including `->` and `U`. SPIN
//! has two parsers, which disagree on the other precedences ([`Dialect`]).
//!
//! The syntax of propositions is up to the embedding language: [`Atoms`] reads one where an operand begins.
//! [`Names`] accepts identifiers. The words above are not identifiers: a condition that begins with one has
//! to be in parentheses.

use std::ops::Range;

use crate::{Formula, Prop};

/// The largest depth of a formula. All functions over formulas recurse.
pub const MAX_DEPTH: u32 = 400;

/// The precedences of the infix operators.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Dialect {
    /// As in the `ltl` blocks of a model: `U`, `W` and `V`, then `&&`, then `||`, then `->` and `<->`.
    #[default]
    Model,
    /// As in `spin -f`: `U`, `W` and `V`, then all others on one level, so that `a || b && c` is `(a || b) &&
    /// c`.
    Command,
}

/// Why a text is not a formula.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ParseError {
    /// The bytes of the text that are at fault.
    pub at: Range<usize>,
    pub message: String,
    /// What may have been meant.
    pub help: Option<String>,
}

impl ParseError {
    pub fn new(at: Range<usize>, message: impl Into<String>) -> Self {
        Self { at, message: message.into(), help: None }
    }

    fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }
}

impl std::fmt::Display for ParseError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.message)?;
        self.help.as_ref().map_or(Ok(()), |help| write!(f, " ({help})"))
    }
}

impl std::error::Error for ParseError {}

/// The propositions of an embedding language.
pub trait Atoms {
    /// Reads the condition that begins at `at`, where an operand is expected and none of the words of this
    /// notation but `true` and `false` stands: the longest condition without `&&`, `||`, `->` or `<->`
    /// outside of parentheses. The result is its number and its end, or
    /// - `None` if no condition begins there, or if what follows `!` or is in parentheses turns out to have
    ///   temporal operators; preferably also if it is only a condition behind `!` or in parentheses, or
    ///   `true` or `false`: the parser then continues behind the `!` or `(`, and a proposition and its
    ///   negation share one number;
    /// - an error if it is certain what was meant and that it is wrong.
    fn atom(&mut self, text: &str, at: usize) -> Result<Option<(Prop, usize)>, ParseError>;
}

/// Propositions that are identifiers, numbered in the order in which they occur.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Names(Vec<String>);

impl Names {
    pub fn intern(&mut self, name: &str) -> Prop {
        let known = self.0.iter().position(|other| other == name);
        Prop(known.unwrap_or_else(|| {
            self.0.push(name.to_owned());
            self.0.len() - 1
        }) as u32)
    }

    /// The names in the order of their numbers.
    pub fn all(&self) -> &[String] {
        &self.0
    }

    /// The name of a proposition; `p7` for number seven if there are fewer.
    pub fn name(&self, prop: Prop) -> String {
        self.0.get(prop.0 as usize).cloned().unwrap_or_else(|| prop.to_string())
    }
}

impl<'n> FromIterator<&'n str> for Names {
    fn from_iter<I: IntoIterator<Item = &'n str>>(names: I) -> Self {
        Self(names.into_iter().map(str::to_owned).collect())
    }
}

impl Atoms for Names {
    fn atom(&mut self, text: &str, at: usize) -> Result<Option<(Prop, usize)>, ParseError> {
        let word = word(&text[at..]);
        let is_name = !word.is_empty() && CONSTANTS.iter().all(|(constant, _)| *constant != word);
        Ok(is_name.then(|| (self.intern(word), at + word.len())))
    }
}

/// Reads a formula in the notation of a model's `ltl` block.
pub fn parse(text: &str, atoms: &mut impl Atoms) -> Result<Formula, ParseError> {
    parse_as(Dialect::Model, text, atoms)
}

pub fn parse_as(dialect: Dialect, text: &str, atoms: &mut impl Atoms) -> Result<Formula, ParseError> {
    let mut parser = Parser { text, at: 0, dialect, atoms, depth: 0 };
    let formula = parser.formula()?.formula;
    match parser.rest().chars().next() {
        None => Ok(formula),
        Some(')') => Err(ParseError::new(parser.here(), "this parenthesis closes nothing")),
        Some(_) => Err(parser.no_operator()),
    }
}

type Unary = fn(Box<Formula>) -> Formula;
type Binary = fn(Box<Formula>, Box<Formula>) -> Formula;

const PREFIX: [(&str, Unary); 7] = [
    ("[]", Formula::Always),
    ("always", Formula::Always),
    ("<>", Formula::Eventually),
    ("eventually", Formula::Eventually),
    ("X", Formula::Next),
    ("next", Formula::Next),
    ("not", Formula::Not),
];

const CONSTANTS: [(&str, Formula); 2] = [("true", Formula::True), ("false", Formula::False)];

const IMPLIES: u8 = 0;
const OR: u8 = 1;
const AND: u8 = 2;
const UNTIL: u8 = 3;

const INFIX: [(&str, u8, Binary); 17] = [
    ("<->", IMPLIES, Formula::Equivalent),
    ("equivalent", IMPLIES, Formula::Equivalent),
    ("->", IMPLIES, Formula::Implies),
    ("implies", IMPLIES, Formula::Implies),
    ("||", OR, Formula::Or),
    ("\\/", OR, Formula::Or),
    ("or", OR, Formula::Or),
    ("&&", AND, Formula::And),
    ("/\\", AND, Formula::And),
    ("and", AND, Formula::And),
    ("U", UNTIL, Formula::Until),
    ("until", UNTIL, Formula::Until),
    ("stronguntil", UNTIL, Formula::Until),
    ("W", UNTIL, Formula::WeakUntil),
    ("weakuntil", UNTIL, Formula::WeakUntil),
    ("V", UNTIL, Formula::Release),
    ("release", UNTIL, Formula::Release),
];

/// The names of these operators in other notations.
const FOREIGN: [(&str, &str); 11] = [
    ("F", "<>"),
    ("G", "[]"),
    ("R", "V"),
    ("=>", "->"),
    ("<=>", "<->"),
    ("==>", "->"),
    ("<==>", "<->"),
    ("~", "!"),
    ("&", "&&"),
    ("|", "||"),
    ("M", "!(!a U !b) for a strong release"),
];

fn word(text: &str) -> &str {
    let continues = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let end = text.find(|c| !continues(c)).unwrap_or(text.len());
    if text.starts_with(|c: char| c.is_ascii_digit()) { "" } else { &text[..end] }
}

/// Whether `operator` is next in `text`. A word is an operator only as a whole word.
fn is_next(text: &str, operator: &str) -> bool {
    if operator.starts_with(|c: char| c.is_ascii_alphabetic()) {
        word(text) == operator
    } else {
        text.starts_with(operator)
    }
}

/// A formula and its depth.
struct Tree {
    formula: Formula,
    depth: u32,
}

struct Parser<'t, A> {
    text: &'t str,
    at: usize,
    dialect: Dialect,
    atoms: &'t mut A,
    /// The number of open operands.
    depth: u32,
}

impl<'t, A: Atoms> Parser<'t, A> {
    /// The text that is still to be read, without leading spaces.
    fn rest(&mut self) -> &'t str {
        let rest = self.text[self.at..].trim_start();
        self.at = self.text.len() - rest.len();
        rest
    }

    /// The next word or character.
    fn here(&mut self) -> Range<usize> {
        let rest = self.rest();
        let symbols = |c: char| !c.is_ascii_alphanumeric() && !c.is_whitespace() && !"_()\"'!".contains(c);
        let length = match word(rest).len() {
            0 if rest.starts_with(symbols) => rest.find(|c| !symbols(c)).unwrap_or(rest.len()),
            0 => rest.chars().next().map_or(0, char::len_utf8),
            length => length,
        };
        self.at..self.at + length
    }

    /// Precedence climbing: an operand takes the operators that bind more tightly than the one before it.
    fn formula(&mut self) -> Result<Tree, ParseError> {
        self.climb(0)
    }

    fn climb(&mut self, weakest: u8) -> Result<Tree, ParseError> {
        let mut left = self.operand()?;
        loop {
            let rest = self.rest();
            let Some(&(operator, strength, build)) =
                INFIX.iter().find(|(operator, ..)| is_next(rest, operator))
            else {
                return Ok(left);
            };
            let strength = if self.dialect == Dialect::Command { strength / UNTIL } else { strength };
            if strength < weakest {
                return Ok(left);
            }
            let start = self.at;
            self.at += operator.len();
            let right = self.climb(strength + 1)?;
            let depth = 1 + left.depth.max(right.depth);
            self.check_depth(depth, start)?;
            left = Tree { formula: build(Box::new(left.formula), Box::new(right.formula)), depth };
        }
    }

    fn operand(&mut self) -> Result<Tree, ParseError> {
        let rest = self.rest();
        let start = self.at;
        self.depth += 1;
        self.check_depth(self.depth, start)?;
        let tree = self.operand_at(rest, start)?;
        self.check_depth(tree.depth, start)?;
        self.depth -= 1;
        Ok(tree)
    }

    fn operand_at(&mut self, rest: &str, start: usize) -> Result<Tree, ParseError> {
        let leaf = |formula| Tree { formula, depth: 1 };
        if let Some((operator, build)) = PREFIX.into_iter().find(|(operator, _)| is_next(rest, operator)) {
            return self.prefixed(operator, build);
        }
        if let Some((operator, ..)) = INFIX.iter().find(|(operator, ..)| is_next(rest, operator)) {
            let message = format!("`{operator}` needs a formula before it");
            return Err(ParseError::new(start..start + operator.len(), message));
        }
        if let Some((prop, end)) = self.atoms.atom(self.text, start)? {
            debug_assert!(end > start && self.text.is_char_boundary(end));
            self.at = end;
            return Ok(leaf(Formula::Prop(prop)));
        }
        for (text, formula) in CONSTANTS {
            if word(rest) == text {
                self.at += text.len();
                return Ok(leaf(formula));
            }
        }
        if rest.starts_with('!') {
            return self.prefixed("!", Formula::Not);
        }
        if !rest.starts_with('(') {
            return Err(self.no_operand());
        }
        self.at += 1;
        let inner = self.formula()?;
        if self.rest().starts_with(')') {
            self.at += 1;
            return Ok(inner);
        }
        if self.rest().is_empty() {
            return Err(ParseError::new(start..start + 1, "this parenthesis is not closed"));
        }
        Err(self.no_operator())
    }

    fn prefixed(&mut self, operator: &str, build: Unary) -> Result<Tree, ParseError> {
        self.at += operator.len();
        let operand = self.operand()?;
        Ok(Tree { formula: build(Box::new(operand.formula)), depth: operand.depth + 1 })
    }

    fn check_depth(&self, depth: u32, start: usize) -> Result<(), ParseError> {
        if depth <= MAX_DEPTH {
            return Ok(());
        }
        let message = format!("the formula is nested too deeply: more than {MAX_DEPTH} levels");
        Err(ParseError::new(start..self.at.max(start), message))
    }

    fn no_operand(&mut self) -> ParseError {
        let at = self.here();
        let found = &self.text[at.clone()];
        let error = match found {
            "" if at.start == 0 => ParseError::new(at, "there is no formula"),
            "" => ParseError::new(at, "the formula ends where an operand is expected"),
            ")" => ParseError::new(at, "expected a formula before `)`"),
            _ => ParseError::new(at, format!("expected a formula, found `{found}`")),
        };
        with_hint(error, found)
    }

    /// The error for text that follows an operand and is not an operator.
    fn no_operator(&mut self) -> ParseError {
        let at = self.here();
        let found = &self.text[at.clone()];
        let before = self.text[..at.start].trim_end();
        let before =
            before.rsplit(|c: char| !c.is_ascii_alphanumeric() && c != '_').next().unwrap_or_default();
        let error = ParseError::new(at, format!("expected an operator such as `&&` or `U`, found `{found}`"));
        let error = with_hint(error, found);
        if error.help.is_some() { error } else { with_hint(error, before) }
    }
}

fn with_hint(error: ParseError, found: &str) -> ParseError {
    match FOREIGN.iter().find(|(foreign, _)| *foreign == found) {
        Some((foreign, ours)) => error.help(format!("`{foreign}` is written `{ours}` here")),
        None => error,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The formula with all its parentheses.
    fn shape(formula: &Formula) -> String {
        let text = |formula: &Formula| match formula {
            Formula::Prop(_) | Formula::True | Formula::False => formula.to_string(),
            _ => format!("({})", shape(formula)),
        };
        let whole = formula.to_string();
        match formula.operands().collect::<Vec<_>>()[..] {
            [a] => format!("{}{}", whole.split(['p', '(', '!', 't', 'f']).next().unwrap().trim(), text(a)),
            [a, b] => {
                let operator = match formula {
                    Formula::And(..) => "&&",
                    Formula::Or(..) => "||",
                    Formula::Implies(..) => "->",
                    Formula::Equivalent(..) => "<->",
                    Formula::Until(..) => "U",
                    Formula::WeakUntil(..) => "W",
                    _ => "V",
                };
                format!("{} {operator} {}", text(a), text(b))
            }
            _ => whole,
        }
    }

    fn check(dialect: Dialect, text: &str, expected: &str) {
        let formula = parse_as(dialect, text, &mut Names::default()).unwrap();
        let expected = parse(expected, &mut Names::default()).unwrap();
        assert_eq!(formula, expected, "{text}: {} and not {}", shape(&formula), shape(&expected));
    }

    #[test]
    fn strengths_and_sides() {
        for (text, expected) in [
            ("a || b && c", "a || (b && c)"),
            ("a && b || c", "(a && b) || c"),
            ("a -> b -> c", "(a -> b) -> c"),
            ("a -> b || c", "a -> (b || c)"),
            ("a <-> b -> c", "(a <-> b) -> c"),
            ("a U b U c", "(a U b) U c"),
            ("a U b V c W d", "((a U b) V c) W d"),
            ("a && b U c", "a && (b U c)"),
            ("[] a U b", "([] a) U b"),
            ("! a U b", "(!a) U b"),
            ("[] <> a -> b", "([] (<> a)) -> b"),
            ("X a && b", "(X a) && b"),
        ] {
            check(Dialect::Model, text, expected);
        }
        for (text, expected) in [
            ("a || b && c", "(a || b) && c"),
            ("a -> b || c", "(a -> b) || c"),
            ("a && b U c -> d", "(a && (b U c)) -> d"),
            ("a U b V c", "(a U b) V c"),
        ] {
            check(Dialect::Command, text, expected);
        }
    }

    #[test]
    fn spellings() {
        check(
            Dialect::Model,
            "always (a implies next eventually b) and not c or (d until e) equivalent (f stronguntil g)",
            "[] (a -> X <> b) && !c || (d U e) <-> (f U g)",
        );
        check(Dialect::Model, "(a weakuntil b) /\\ (c release d) \\/ true", "(a W b) && (c V d) || true");
        check(Dialect::Model, "Ua U Xb", "Ua U (Xb)");
        check(Dialect::Model, "[]<>!a&&false", "([] <> !a) && false");
    }

    #[test]
    fn errors_have_places_and_hints() {
        for (text, at, message, help) in [
            ("", 0..0, "there is no formula", None),
            ("a &&", 4..4, "the formula ends where an operand is expected", None),
            ("a b", 2..3, "expected an operator such as `&&` or `U`, found `b`", None),
            ("(a", 0..1, "this parenthesis is not closed", None),
            ("a)", 1..2, "this parenthesis closes nothing", None),
            ("()", 1..2, "expected a formula before `)`", None),
            ("U a", 0..1, "`U` needs a formula before it", None),
            (
                "a => b",
                2..4,
                "expected an operator such as `&&` or `U`, found `=>`",
                Some("`=>` is written `->` here"),
            ),
            (
                "a R b",
                2..3,
                "expected an operator such as `&&` or `U`, found `R`",
                Some("`R` is written `V` here"),
            ),
            (
                "G a",
                2..3,
                "expected an operator such as `&&` or `U`, found `a`",
                Some("`G` is written `[]` here"),
            ),
            ("~a", 0..1, "expected a formula, found `~`", Some("`~` is written `!` here")),
            ("a && 3", 5..6, "expected a formula, found `3`", None),
            ("a && é", 5..7, "expected a formula, found `é`", None),
        ] {
            let error = parse(text, &mut Names::default()).unwrap_err();
            assert_eq!((error.at, &*error.message, error.help.as_deref()), (at, message, help), "{text}");
        }
    }

    #[test]
    fn depth_is_bounded() {
        let depth = MAX_DEPTH as usize;
        for (text, fits) in [
            (format!("{}a", "!".repeat(depth - 1)), true),
            (format!("{}a", "!".repeat(depth)), false),
            (format!("{}a", "!".repeat(100_000)), false),
            (format!("{}a{}", "(".repeat(100_000), ")".repeat(100_000)), false),
            (vec!["a"; depth].join(" U "), true),
            (vec!["a"; depth + 1].join(" U "), false),
        ] {
            assert_eq!(parse(&text, &mut Names::default()).is_ok(), fits, "{} bytes", text.len());
        }
    }

    /// A language whose conditions compare a variable with a number, or say `(x > 1 && y < 2)`.
    struct Comparisons(Names);

    impl Atoms for Comparisons {
        fn atom(&mut self, text: &str, at: usize) -> Result<Option<(Prop, usize)>, ParseError> {
            let rest = &text[at..];
            if rest.starts_with('(') {
                let end = at + rest.find(')').unwrap_or(0) + 1;
                let inside = text[at..end].to_owned();
                let temporal = ["[]", "<>", " U "].iter().any(|operator| inside.contains(operator));
                return Ok((inside.len() > 1 && !temporal).then(|| (self.0.intern(&inside), end)));
            }
            let name = word(rest);
            if name == "bad" {
                return Err(ParseError::new(at..at + 3, "there is no variable `bad`"));
            }
            let after = &rest[name.len()..];
            let length = after.find(['&', '|', ')']).unwrap_or(after.len());
            let condition = rest[..name.len() + length].trim_end();
            Ok((!name.is_empty()).then(|| (self.0.intern(condition), at + condition.len())))
        }
    }

    #[test]
    fn no_text_panics() {
        let pieces = [
            "a", "é", " ", "(", ")", "!", "[]", "<>", "U", "X", "&&", "->", "<->", "=>", "3", "_", "true",
            "R", "/\\",
        ];
        let mut state: u64 = 1;
        let (mut good, mut bad) = (0, 0);
        for _ in 0..20_000 {
            let mut text = String::new();
            for _ in 0..state >> 33 & 7 {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                text += pieces[(state >> 40) as usize % pieces.len()];
            }
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            match parse(&text, &mut Names::default()) {
                Ok(_) => good += 1,
                Err(error) => {
                    bad += 1;
                    assert!(text.get(error.at.clone()).is_some(), "{:?} is a place in {text}", error.at);
                }
            }
        }
        assert!(good > 100 && bad > 100, "{good} formulas and {bad} others");
    }

    #[test]
    fn conditions_of_another_language() {
        let mut atoms = Comparisons(Names::default());
        let formula = parse("[] (x > 1 && y < 2) || (x > 1 && <> y < 2) && !(<> z)", &mut atoms).unwrap();
        assert_eq!(atoms.0.all(), ["(x > 1 && y < 2)", "x > 1", "y < 2", "z"]);
        assert_eq!(formula.to_string(), "[] p0 || (p1 && <> p2 && !<> p3)");
        let error = parse("[] (<> bad && x > 0)", &mut atoms).unwrap_err();
        assert_eq!((error.at, &*error.message), (7..10, "there is no variable `bad`"));
    }
}
