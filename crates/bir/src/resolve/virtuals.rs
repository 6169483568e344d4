//! Tables of functions, for calls that are dispatched on a record.
//!
//! A record without an entry of its own takes that of its nearest ancestor. With several parents there can be
//! several nearest ones; they have to agree.

use ir::{Id, ProcedureId, RecordId, Type, TypeId, Virtual};
use source::{Diagnostic, Span};

use super::{Model, Outcome, Signature, Symbol};
use crate::ast;
use crate::codes;
use crate::text::{clip, count};

/// An entry as it was written.
struct Entry {
    record: RecordId,
    function: ProcedureId,
    span: Span,
}

impl<'s> Model<'s> {
    pub(super) fn declare_virtuals(&mut self) {
        let system = self.system;
        for table in &system.virtuals {
            let before = self.diagnostics.errors();
            let entries = self.entries(table);
            let targets = self.close(table, &entries);
            self.program.virtuals.push(Virtual {
                name: table.name.text.to_owned(),
                targets,
                span: table.name.span,
            });
            self.check_signatures(&entries);
            let sound = self.diagnostics.errors() == before;
            let signature = entries.first().filter(|_| sound);
            let signature = signature.map(|entry| self.signatures[entry.function.index()].clone());
            self.virtual_signatures.push(signature);
        }
    }

    fn entries(&mut self, table: &ast::Virtual<'s>) -> Vec<Entry> {
        let mut entries: Vec<Entry> = Vec::new();
        for &(record_name, function_name) in &table.entries {
            let record = self.record_named(record_name);
            let function = self.function_named(function_name);
            let (Some(record), Some(function)) = (record, function) else { continue };
            let span = record_name.span.to(function_name.span);
            if let Some(first) = entries.iter().find(|entry| entry.record == record) {
                let first = first.span;
                let message = format!("`{}` has two entries in this table", clip(record_name.text));
                self.report(
                    Diagnostic::error(codes::DUPLICATE, message).at(span, "").label(first, "the first one"),
                );
                continue;
            }
            self.used.insert(Symbol::Procedure(function));
            entries.push(Entry { record, function, span });
        }
        entries
    }

    fn function_named(&mut self, name: ast::Name<'s>) -> Option<ProcedureId> {
        match self.symbol_at(name) {
            Some(Symbol::Procedure(id)) if !self.is_thread(id) => Some(id),
            _ => {
                self.wrong_name(
                    name,
                    codes::UNKNOWN_PROCEDURE,
                    "a function",
                    |model, symbol| matches!(symbol, Symbol::Procedure(id) if !model.is_thread(id)),
                );
                None
            }
        }
    }

    /// An entry for each record that descends from one with an entry.
    fn close(&mut self, table: &ast::Virtual<'s>, entries: &[Entry]) -> Vec<(RecordId, ProcedureId)> {
        let mut targets = Vec::new();
        let mut ambiguous = Vec::new();
        for (id, record) in self.program.records.iter() {
            let inherited: Vec<_> =
                entries.iter().filter(|entry| record.descends_from(entry.record)).collect();
            let mut nearest = inherited.iter().filter(|entry| {
                !inherited.iter().any(|other| {
                    other.record != entry.record
                        && self.program.records[other.record].descends_from(entry.record)
                })
            });
            let Some(first) = nearest.next() else { continue };
            targets.push((id, first.function));
            if let Some(second) = nearest.find(|entry| entry.function != first.function) {
                ambiguous.push((id, first.span, second.span));
            }
        }
        for (id, first, second) in ambiguous {
            let record = &self.program.records[id];
            let message = format!(
                "`{}` has no function of its own in `{}`, and inherits two",
                clip(&record.name),
                clip(table.name.text)
            );
            let diagnostic = Diagnostic::error(codes::AMBIGUOUS_TARGET, message)
                .at(record.span, "this record")
                .label(first, "inherited from here")
                .label(second, "and from here")
                .help(format!("add an entry for `{}`", clip(&record.name)));
            self.report(diagnostic);
        }
        targets
    }

    fn check_signatures(&mut self, entries: &[Entry]) {
        let Some(model) = entries.first() else { return };
        for entry in entries {
            let signature = self.signatures[entry.function.index()].clone();
            let Some(receiver) = signature.params.first() else {
                self.report(
                    Diagnostic::error(codes::SIGNATURE, "a function of a table needs a parameter")
                        .at(entry.span, "this one has none")
                        .note("calls are dispatched on the record of the first argument"),
                );
                continue;
            };
            if let Some(receiver) = *receiver {
                let record = Type::Record(entry.record);
                if !self.admits(self.ty(receiver), record) {
                    let found = self.program.type_name(receiver);
                    let name = clip(&self.program.records[entry.record].name);
                    self.report(
                        Diagnostic::error(
                            codes::SIGNATURE,
                            format!("the first parameter of this function is no `{name}`"),
                        )
                        .at(entry.span, format!("its type is `{found}`")),
                    );
                }
            }
            self.check_same_signature(model, entry, &signature);
        }
    }

    fn check_same_signature(&mut self, model: &Entry, entry: &Entry, signature: &Signature) {
        let expected = self.signatures[model.function.index()].clone();
        let difference = if signature.params.len() != expected.params.len() {
            Some(format!(
                "it has {}, not {}",
                count(signature.params.len(), "parameter"),
                expected.params.len()
            ))
        } else if let Some(index) =
            (1..expected.params.len()).find(|&index| differ(expected.params[index], signature.params[index]))
        {
            Some(format!("its parameter {} is of another type", index + 1))
        } else {
            match (expected.result, signature.result) {
                (Outcome::Unknown, _) | (_, Outcome::Unknown) => None,
                (a, b) if a == b => None,
                _ => Some("its result is of another type".to_owned()),
            }
        };
        if let Some(difference) = difference {
            self.report(
                Diagnostic::error(codes::SIGNATURE, "the functions of a table differ in their signatures")
                    .at(entry.span, difference)
                    .label(model.span, "compared to this one"),
            );
        }
    }
}

/// A type with errors differs from none.
fn differ(a: Option<TypeId>, b: Option<TypeId>) -> bool {
    a.is_some() && b.is_some() && a != b
}
