//! Types, and the records of a model.

use super::Generator;

/// A type of the models.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Ty {
    Bool,
    /// One of [`INTS`].
    Int(usize),
    Enum,
    /// The abstract enum.
    Key,
    Text,
    Lock,
    Tid,
    Record(usize),
    /// Arrays of two elements.
    Ints(usize),
    Records(usize),
    /// One of the model's [`Collection`](super::collections::Collection)s.
    Collection(usize),
    Collections(usize),
}

/// An integer type.
pub(super) struct Int {
    pub text: &'static str,
    pub fit: Fit,
}

/// The operation that brings a number into the range of its place.
#[derive(Clone, Copy)]
pub(super) enum Fit {
    /// `e & n`
    Mask(u8),
    /// `e % n`
    Rest(u8),
    /// `n + (e & 1)`
    Above(u8),
    /// The type wraps.
    Wrap,
}

/// Few values each, so that models have few states.
pub(super) const INTS: [Int; 9] = [
    Int { text: "int (0, 3)", fit: Fit::Mask(3) },
    Int { text: "Small", fit: Fit::Mask(1) },
    Int { text: "int wrap (0, 2)", fit: Fit::Wrap },
    Int { text: "int (-1, 1)", fit: Fit::Rest(2) },
    Int { text: "int wrap (-2, C.N - 1)", fit: Fit::Wrap },
    Int { text: "long (0, 3)", fit: Fit::Mask(3) },
    Int { text: "int (2, 0x3)", fit: Fit::Above(2) },
    Int { text: "int", fit: Fit::Mask(3) },
    Int { text: "long wrap (0, 1)", fit: Fit::Wrap },
];

/// `int (0, 3)`: the type of parameters and results of functions.
pub(super) const DIGIT: Ty = Ty::Int(0);
pub(super) const BIT: usize = 1;

/// Names that are words of the language at other places.
const WORDS: [&str; 11] =
    ["top", "live", "at", "length", "main", "wrap", "invisible", "abstract", "forall", "in", "Set"];

pub(super) struct Record {
    pub name: String,
    parents: Vec<usize>,
    /// Including itself.
    pub ancestors: Vec<usize>,
    pub throwable: bool,
    /// Its own.
    fields: Vec<Field>,
}

#[derive(Clone)]
pub(super) struct Field {
    pub name: String,
    pub ty: Ty,
}

impl Generator {
    pub(super) fn type_text(&self, ty: Ty) -> String {
        match ty {
            Ty::Bool => "boolean".to_owned(),
            Ty::Int(int) => INTS[int].text.to_owned(),
            Ty::Enum => "Color".to_owned(),
            Ty::Key => "Key".to_owned(),
            Ty::Text => "string".to_owned(),
            Ty::Lock => "lock".to_owned(),
            Ty::Tid => "tid".to_owned(),
            Ty::Record(record) => self.records[record].name.clone(),
            Ty::Ints(int) => format!("{}[]", INTS[int].text),
            Ty::Records(record) => format!("{}[]", self.records[record].name),
            Ty::Collection(index) => self.collection_text(index),
            Ty::Collections(index) => format!("{}[]", self.collection_text(index)),
        }
    }

    pub(super) fn descends(&self, record: usize, from: usize) -> bool {
        self.records[record].ancestors.contains(&from)
    }

    /// The records that a place of this one can refer to.
    pub(super) fn below(&self, record: usize) -> Vec<usize> {
        (0..self.records.len()).filter(|&other| self.descends(other, record)).collect()
    }

    /// All fields, including inherited ones.
    pub(super) fn fields(&self, record: usize) -> Vec<Field> {
        let ancestors = self.records[record].ancestors.iter();
        ancestors.flat_map(|&ancestor| self.records[ancestor].fields.iter().cloned()).collect()
    }

    /// Makes some records that extend earlier ones, and some that can be thrown.
    pub(super) fn make_records(&mut self) {
        let plain = if self.heap { 1 + self.rng.below(4) } else { 0 };
        for index in 0..plain {
            let mut parents = Vec::new();
            for other in 0..index {
                if self.chance(if other == 0 { 60 } else { 40 }) {
                    parents.push(other);
                }
            }
            self.make_record(format!("R{index}"), parents, false);
        }
        if self.exceptions {
            let first = self.records.len();
            let parents = if self.heap && self.chance(40) { vec![0] } else { Vec::new() };
            self.make_record("Failure".to_owned(), parents, true);
            if self.chance(60) {
                let mut parents = vec![first];
                if self.heap && self.chance(30) {
                    parents.push(self.rng.below(plain));
                }
                self.make_record("Worse".to_owned(), parents, false);
            }
        }
    }

    fn make_record(&mut self, name: String, parents: Vec<usize>, throwable: bool) {
        let index = self.records.len();
        let mut ancestors = vec![index];
        for &parent in &parents {
            ancestors.extend(&self.records[parent].ancestors);
        }
        ancestors.sort_unstable();
        ancestors.dedup();
        let throwable =
            throwable || ancestors.iter().any(|&other| other < index && self.records[other].throwable);
        self.records.push(Record { name, parents, ancestors, throwable, fields: Vec::new() });
        let mut fields = Vec::new();
        if index == 0 || throwable {
            fields.push(self.make_field(DIGIT));
        }
        if index == 0 && !throwable {
            fields.push(self.make_field(Ty::Record(0)));
        }
        while self.chance(35) {
            let ty = match self.rng.below(9) {
                7 if self.keys => Ty::Key,
                7..=8 if !self.collections.is_empty() => {
                    Ty::Collection(self.rng.below(self.collections.len()))
                }
                0..=1 => Ty::Bool,
                2 => Ty::Enum,
                3 if self.locks => Ty::Lock,
                4 if self.handles => Ty::Tid,
                5 => Ty::Record(self.rng.below(self.records.len())),
                _ => Ty::Int(self.rng.below(INTS.len())),
            };
            fields.push(self.make_field(ty));
        }
        self.records[index].fields = fields;
    }

    fn make_field(&mut self, ty: Ty) -> Field {
        let number = self.fresh();
        let unused = WORDS.get(number).filter(|_| self.chance(30));
        Field { name: unused.map_or_else(|| format!("f{number}"), |&word| word.to_owned()), ty }
    }

    pub(super) fn print_record(&mut self, record: usize) -> Vec<String> {
        let top = if self.records[record].parents.is_empty() && self.chance(40) { "top " } else { "" };
        let Record { name, parents, throwable, fields, .. } = &self.records[record];
        let inherited = parents.iter().any(|&parent| self.records[parent].throwable);
        let throwable = if *throwable && !inherited { "throwable " } else { "" };
        let parents: Vec<_> = parents.iter().map(|&parent| self.records[parent].name.as_str()).collect();
        let extends =
            if parents.is_empty() { String::new() } else { format!(" extends {}", parents.join(", ")) };
        let mut lines = vec![format!("{top}{throwable}record {name}{extends} {{")];
        lines.extend(fields.iter().map(|field| format!("  {} {};", self.type_text(field.ty), field.name)));
        lines.push("}".to_owned());
        lines
    }
}
