//! Expressions. Unless danger is wanted, they neither fault nor give numbers that are too large.

use super::types::{DIGIT, Field, Fit, INTS, Ty};
use super::{Generator, Role, Scope, Variable, Variant};

/// An expression and its precedence.
#[derive(Clone)]
pub(super) struct Exp {
    pub text: String,
    pub strength: u8,
}

/// The precedences of the language, from the weakest.
pub(super) const QUANTIFIED: u8 = 0;
const CONDITIONAL: u8 = 1;
const IMPLIES: u8 = 2;
const COMPARISON: u8 = 9;
const UNARY: u8 = 13;
const PRIMARY: u8 = 14;
const OPERATORS: [(&str, u8); 20] = [
    ("=>", IMPLIES),
    ("||", 3),
    ("&&", 4),
    ("|", 5),
    ("^", 6),
    ("&", 7),
    ("==", 8),
    ("!=", 8),
    ("<", COMPARISON),
    ("<=", COMPARISON),
    (">", COMPARISON),
    (">=", COMPARISON),
    ("shl", 10),
    ("shr", 10),
    ("ushr", 10),
    ("+", 11),
    ("-", 11),
    ("*", 12),
    ("/", 12),
    ("%", 12),
];

/// An expression that is not an operation.
pub(super) fn atom(text: impl Into<String>) -> Exp {
    Exp { text: text.into(), strength: PRIMARY }
}

impl Generator {
    /// Parentheses where they are needed, or everywhere.
    fn operand(&self, exp: &Exp, least: u8) -> String {
        let wanted = exp.strength < least || (self.variant == Variant::Parentheses && exp.strength < PRIMARY);
        if wanted { format!("({})", exp.text) } else { exp.text.clone() }
    }

    pub(super) fn binary(&self, left: &Exp, operator: &str, right: &Exp) -> Exp {
        let known = OPERATORS.iter().find(|(text, _)| *text == operator);
        let &(_, strength) = known.expect("an operator of the language");
        let to_the_right = u8::from(strength == IMPLIES);
        let left = self.operand(left, strength + to_the_right);
        // A quantifier on the right needs no parentheses, but extends as far as possible.
        let open = right.strength == QUANTIFIED && self.variant != Variant::Parentheses;
        let strength_here = if open { QUANTIFIED } else { strength };
        let least = if open { QUANTIFIED } else { strength + 1 - to_the_right };
        let right = self.operand(right, least);
        Exp { text: format!("{left} {operator} {right}"), strength: strength_here }
    }

    fn unary(&self, operator: &str, operand: &Exp) -> Exp {
        Exp { text: format!("{operator}{}", self.operand(operand, UNARY)), strength: UNARY }
    }

    pub(super) fn not(&self, operand: &Exp) -> Exp {
        self.unary("!", operand)
    }

    pub(super) fn cond(&self, test: &Exp, then: &Exp, otherwise: &Exp) -> Exp {
        let (test, then) = (self.operand(test, IMPLIES), self.operand(then, CONDITIONAL));
        let otherwise = self.operand(otherwise, CONDITIONAL);
        Exp { text: format!("{test} ? {then} : {otherwise}"), strength: CONDITIONAL }
    }

    pub(super) fn select(&self, base: &Exp, member: &str) -> Exp {
        atom(format!("{}.{member}", self.operand(base, PRIMARY)))
    }

    pub(super) fn cast(&self, record: usize, operand: &Exp) -> Exp {
        self.unary(&format!("({}) ", self.records[record].name), operand)
    }

    pub(super) fn instance_of(&self, operand: &Exp, record: usize) -> Exp {
        let (operand, record) = (self.operand(operand, COMPARISON), &self.records[record].name);
        Exp { text: format!("{operand} instanceof {record}"), strength: COMPARISON }
    }

    pub(super) fn not_null(&self, operand: &Exp) -> Exp {
        self.binary(operand, "!=", &atom("null"))
    }

    /// A visible variable that fits, if there is one.
    pub(super) fn variable(&mut self, scope: &Scope, fits: impl Fn(&Variable) -> bool) -> Option<Variable> {
        let found: Vec<_> = scope.variables.iter().filter(|variable| fits(variable)).collect();
        if found.is_empty() { None } else { Some((*self.rng.pick(&found)).clone()) }
    }

    /// A field of a record that a variable refers to: the test whether the record exists, and the field. The
    /// field can be one of a subrecord.
    pub(super) fn field_of(
        &mut self,
        scope: &Scope,
        owner: impl Fn(&Variable) -> bool,
        fits: impl Fn(&Field) -> bool,
    ) -> Option<(Exp, Exp, Field)> {
        let variable = self.variable(scope, |v| matches!(v.ty, Ty::Record(_)) && owner(v))?;
        let Ty::Record(declared) = variable.ty else { return None };
        let base = atom(variable.name);
        let record = if self.chance(30) { *self.rng.pick(&self.below(declared)) } else { declared };
        let fields: Vec<_> = self.fields(record).into_iter().filter(fits).collect();
        if fields.is_empty() {
            return None;
        }
        let field = self.rng.pick(&fields).clone();
        if record == declared {
            return Some((self.not_null(&base), self.select(&base, &field.name), field));
        }
        let cast = self.cast(record, &base);
        Some((self.instance_of(&base, record), self.select(&cast, &field.name), field))
    }

    /// Reads a field, or takes a value of the same kind if the record does not exist.
    pub(super) fn read_field(
        &mut self,
        scope: &Scope,
        ty: impl Fn(Ty) -> bool,
        otherwise: &Exp,
    ) -> Option<Exp> {
        let (test, read, _) = self.field_of(scope, |_| true, |field| ty(field.ty))?;
        Some(if self.dangerous() { read } else { self.cond(&test, &read, otherwise) })
    }

    pub(super) fn int_leaf(&mut self, scope: &Scope) -> Exp {
        match self.rng.below(10) {
            0..=1 => atom(self.rng.below(4).to_string()),
            2 => atom(self.pick(&["C.N", "C.M", "1L", "0x3"])),
            3 => Exp { text: "-1".to_owned(), strength: UNARY },
            4 if self.arrays && scope.ready => atom(self.pick(&["cells.length", "table.length"])),
            _ => {
                let variable = self.variable(scope, |variable| matches!(variable.ty, Ty::Int(_)));
                atom(variable.map_or_else(|| "2".to_owned(), |variable| variable.name))
            }
        }
    }

    pub(super) fn int(&mut self, scope: &Scope, depth: usize) -> Exp {
        if depth == 0 || self.chance(35) {
            return self.int_leaf(scope);
        }
        if self.dangerous() {
            let operand = self.int(scope, 1);
            return match self.rng.below(5) {
                0 => self.binary(&atom("9223372036854775806"), "+", &operand),
                1 => {
                    let distance = self.binary(&atom("30"), "+", &operand);
                    self.binary(&atom("1"), "shl", &distance)
                }
                2 => self.binary(&atom("7"), "/", &operand),
                3 => self.binary(&operand, "ushr", &atom("1")),
                _ => self.binary(&atom("5"), "%", &operand),
            };
        }
        if !self.collections.is_empty() && self.chance(12) {
            return self.measure(scope).unwrap_or_else(|| atom("1"));
        }
        let (a, b) = (self.int(scope, depth - 1), self.int(scope, depth - 1));
        match self.rng.below(18) {
            0..=3 => self.binary(&a, "+", &b),
            4..=5 => self.binary(&a, "-", &b),
            6 => self.binary(&a, "*", &b),
            7 => {
                let (operator, divisor) = (self.pick(&["/", "%"]), self.pick(&["2", "3", "C.M"]));
                self.binary(&a, operator, &atom(divisor))
            }
            8 => {
                let (operator, distance) = (self.pick(&["shl", "shr"]), self.pick(&["0", "1", "2"]));
                self.binary(&a, operator, &atom(distance))
            }
            9 => {
                // A negative number would become large.
                let small = self.binary(&a, "&", &atom("7"));
                self.binary(&small, "ushr", &atom("1"))
            }
            10 => {
                let operator = self.pick(&["&", "|", "^"]);
                self.binary(&a, operator, &b)
            }
            11 => self.unary("-", &a),
            12 => {
                let test = self.boolean(scope, depth - 1);
                self.cond(&test, &a, &b)
            }
            13..=14 => self.call_fun(scope, &a, &b),
            15..=16 => self.read_field(scope, |ty| matches!(ty, Ty::Int(_)), &a).unwrap_or(a),
            _ if self.arrays && scope.ready => {
                let index = self.index(&a);
                let row = self.pick(&["cells", "cells", "grid[0]", "grid[1]"]);
                atom(format!("{row}[{}]", index.text))
            }
            _ => self.cast_long(&a),
        }
    }

    fn cast_long(&self, operand: &Exp) -> Exp {
        self.unary("(long) ", operand)
    }

    fn call_fun(&mut self, scope: &Scope, a: &Exp, b: &Exp) -> Exp {
        match self.rng.below(4) {
            0 => atom(format!("twice({})", a.text)),
            1 => atom(format!("lesser({}, {})", a.text, b.text)),
            2 if self.heap => {
                let node = self.reference(scope, 0);
                atom(format!("far({}, {})", node.text, 1 + self.rng.below(2)))
            }
            _ => {
                let (test, digit) = (self.boolean(scope, 0), self.fitted(a, DIGIT));
                atom(format!("pick({}, {})", test.text, digit.text))
            }
        }
    }

    /// An index into arrays of two elements.
    pub(super) fn index(&mut self, value: &Exp) -> Exp {
        if self.dangerous() { value.clone() } else { self.binary(value, "&", &atom("1")) }
    }

    /// Brings a number into the range of its type.
    pub(super) fn fitted(&self, value: &Exp, ty: Ty) -> Exp {
        let Ty::Int(int) = ty else { return value.clone() };
        match INTS[int].fit {
            Fit::Mask(mask) => self.binary(value, "&", &atom(mask.to_string())),
            Fit::Rest(divisor) => self.binary(value, "%", &atom(divisor.to_string())),
            Fit::Above(least) => {
                let bit = self.binary(value, "&", &atom("1"));
                self.binary(&atom(least.to_string()), "+", &bit)
            }
            Fit::Wrap => value.clone(),
        }
    }

    fn comparison(&mut self, scope: &Scope, depth: usize) -> Exp {
        let (a, b) = (self.int(scope, depth), self.int(scope, 0));
        let operator = self.pick(&["==", "!=", "<", "<=", ">", ">="]);
        self.binary(&a, operator, &b)
    }

    pub(super) fn boolean(&mut self, scope: &Scope, depth: usize) -> Exp {
        if depth > 0 && self.chance(30) {
            let (a, b) = (self.boolean(scope, depth - 1), self.boolean(scope, depth - 1));
            let operator = self.pick(&["&&", "||", "=>", "&", "|", "^", "==", "!="]);
            return self.binary(&a, operator, &b);
        }
        if depth > 0
            && !self.collections.is_empty()
            && self.chance(25)
            && let Some(question) = self.question(scope, depth)
        {
            return question;
        }
        match self.rng.below(16) {
            0..=2 if self.keys => {
                let (a, b) = (self.plain_value(scope, Ty::Key), self.plain_value(scope, Ty::Key));
                let operator = self.pick(&["==", "!="]);
                self.binary(&a, operator, &b)
            }
            0..=4 => self.comparison(scope, depth),
            5 => {
                let operator = self.pick(&["==", "!="]);
                let element = self.pick(&["Color.Red", "Color.Green", "Color.Blue"]);
                let variable = self.variable(scope, |variable| variable.ty == Ty::Enum);
                let enumerated = variable.map_or_else(|| "Color.Red".to_owned(), |variable| variable.name);
                self.binary(&atom(enumerated), operator, &atom(element))
            }
            6 if self.texts => {
                let (operator, text) = (self.pick(&["==", "!="]), self.text());
                self.binary(&atom("word"), operator, &atom(text))
            }
            7..=8 if self.heap => self.comparison_of_references(scope),
            9 if self.heap => {
                let otherwise = self.boolean(scope, 0);
                self.read_field(scope, |ty| ty == Ty::Bool, &otherwise).unwrap_or(otherwise)
            }
            10..=11 if self.handles => {
                let handle = self.handle(scope);
                let ended = atom(format!("threadTerminated({})", handle.text));
                match self.rng.below(4) {
                    _ if self.dangerous() => ended,
                    0 => {
                        let other = self.handle(scope);
                        self.binary(&handle, "==", &other)
                    }
                    1 => self.not_null(&handle),
                    _ => self.binary(&self.not_null(&handle), "&&", &ended),
                }
            }
            12 if self.locks && scope.ready && scope.thread => {
                let question = self.pick(&["lockAvailable", "hasLock", "wasNotified", "free"]);
                atom(format!("{question}(m)"))
            }
            13 => {
                let operand = self.boolean(scope, 0);
                self.not(&operand)
            }
            14 => atom(self.pick(&["C.ON", "true", "false"])),
            _ => {
                let variable = self.variable(scope, |variable| variable.ty == Ty::Bool);
                atom(variable.map_or_else(|| "true".to_owned(), |variable| variable.name))
            }
        }
    }

    fn text(&mut self) -> &'static str {
        self.pick(&["\"on\"", "\"off\"", "\"a\\tb\"", "null"])
    }

    /// A thread, or none.
    fn handle(&mut self, scope: &Scope) -> Exp {
        let variable = self.variable(scope, |variable| variable.ty == Ty::Tid);
        atom(variable.map_or_else(|| "null".to_owned(), |variable| variable.name))
    }

    /// A reference that can be stored to a place of this record type.
    pub(super) fn reference(&mut self, scope: &Scope, record: usize) -> Exp {
        self.typed_reference(scope, record).0
    }

    /// A reference with the record that it is declared with, if it is not `null`.
    fn typed_reference(&mut self, scope: &Scope, record: usize) -> (Exp, Option<usize>) {
        if self.arrays && scope.ready && self.chance(20) && self.descends(self.table_record, record) {
            return (atom(format!("table[{}]", self.rng.below(2))), Some(self.table_record));
        }
        let below = self.below(record);
        let fits = |variable: &Variable| matches!(variable.ty, Ty::Record(r) if below.contains(&r));
        match self.variable(scope, fits) {
            Some(Variable { name, ty: Ty::Record(declared), .. }) => (atom(name), Some(declared)),
            _ => (atom("null"), None),
        }
    }

    /// A question about references.
    fn comparison_of_references(&mut self, scope: &Scope) -> Exp {
        let (a, declared) = self.typed_reference(scope, 0);
        let (b, other) = self.typed_reference(scope, 0);
        let (Some(declared), Some(other)) = (declared, other) else {
            return self.binary(&a, "==", &b);
        };
        // Those that some record shares with what `a` is declared with.
        let shared = |&other: &usize| self.below(declared).iter().any(|&record| self.descends(record, other));
        let related: Vec<_> = (0..self.records.len()).filter(shared).collect();
        match self.rng.below(3) {
            0 if related.contains(&other) => self.binary(&a, "==", &b),
            1 => {
                let record = *self.rng.pick(&related);
                self.instance_of(&a, record)
            }
            _ => self.not_null(&a),
        }
    }

    /// A value for a place of this type.
    pub(super) fn value(&mut self, scope: &Scope, ty: Ty) -> Exp {
        let value = self.plain_value(scope, ty);
        if self.collections.is_empty() || self.chance(80) {
            return value;
        }
        let taken = self.taken(scope, ty, &value);
        taken.unwrap_or(value)
    }

    /// Such a value that is not taken from a collection.
    pub(super) fn plain_value(&mut self, scope: &Scope, ty: Ty) -> Exp {
        match ty {
            Ty::Bool => self.boolean(scope, 2),
            Ty::Int(_) => {
                let value = self.int(scope, 2);
                if self.dangerous() && value.strength < UNARY { value } else { self.fitted(&value, ty) }
            }
            Ty::Enum => {
                let other = self.variable(scope, |variable| variable.ty == Ty::Enum);
                match other {
                    Some(variable) if self.chance(30) => atom(variable.name),
                    _ => atom(self.pick(&["Color.Red", "Color.Green", "Color.Blue"])),
                }
            }
            Ty::Key => {
                let other = self.variable(scope, |variable| variable.ty == Ty::Key);
                match other {
                    Some(variable) if self.chance(85) => atom(variable.name),
                    _ => atom("null"),
                }
            }
            Ty::Text => atom(self.text()),
            Ty::Tid => self.handle(scope),
            Ty::Lock => {
                let known = self.variable(scope, |variable| variable.ty == Ty::Lock);
                match known {
                    Some(variable) if self.chance(70) => atom(variable.name),
                    _ => atom("null"),
                }
            }
            Ty::Record(record) => {
                let value = self.reference(scope, record);
                let known = self.variable(scope, |variable| matches!(variable.ty, Ty::Record(_)));
                match known {
                    // A cast down, after a test.
                    Some(Variable { name, ty: Ty::Record(other), role: Role::Free }) if self.chance(15) => {
                        let base = atom(name);
                        if !self.descends(record, other) || record == other {
                            return value;
                        }
                        let (test, cast) = (self.instance_of(&base, record), self.cast(record, &base));
                        if self.dangerous() { cast } else { self.cond(&test, &cast, &value) }
                    }
                    _ => value,
                }
            }
            Ty::Collection(index) => self.collection_value(scope, index),
            Ty::Ints(_) | Ty::Records(_) | Ty::Collections(_) => atom("null"),
        }
    }
}
