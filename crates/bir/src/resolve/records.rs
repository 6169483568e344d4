//! Records: their parents, ancestors and fields.

use ir::{Field, FieldId, Id, Record, RecordId, Type};
use rustc_hash::{FxHashMap, FxHashSet};
use source::Diagnostic;

use super::Model;
use crate::ast;
use crate::codes;
use crate::text::clip;

/// The longest chain of records that extend each other.
const MAX_INHERITANCE: u32 = 200;

impl<'s> Model<'s> {
    /// Records are numbered as they are declared, and completed parents first.
    pub(super) fn declare_records(&mut self) {
        let system = self.system;
        let mut parents = Vec::new();
        for item in &system.records {
            parents.push(self.parents(item));
            self.program.records.push(Record {
                name: item.name.text.to_owned(),
                parents: Vec::new(),
                ancestors: Vec::new(),
                fields: Vec::new(),
                throwable: item.throwable,
                scoped: false,
                span: item.name.span,
            });
        }
        let order = self.inheritance_order(&mut parents);
        for &record in &order {
            self.inherit(record, std::mem::take(&mut parents[record.index()]));
        }
        // The types of fields may be any records, so all records have to be complete.
        let mut own = vec![Vec::new(); system.records.len()];
        for (index, item) in system.records.iter().enumerate() {
            for field in &item.fields {
                own[index].extend(self.declare_field(RecordId::from_index(index), field));
            }
        }
        for &record in &order {
            self.inherit_fields(record, &own[record.index()]);
        }
    }

    fn parents(&mut self, item: &ast::Record<'s>) -> Vec<RecordId> {
        let mut parents = Vec::new();
        for &name in &item.parents {
            let Some(parent) = self.record_named(name) else { continue };
            if parents.contains(&parent) {
                let message = format!("`{}` is extended twice", clip(name.text));
                self.report(Diagnostic::error(codes::DUPLICATE, message).at(name.span, "again"));
            } else {
                parents.push(parent);
            }
        }
        if item.top && !item.parents.is_empty() {
            self.report(
                Diagnostic::error(codes::TOP_WITH_PARENT, "a top record extends nothing")
                    .at(item.parents[0].span, "it extends this")
                    .label(item.name.span, "declared as `top record`"),
            );
        }
        parents
    }

    /// All records, each after its parents. Parents that are part of a cycle are dropped.
    fn inheritance_order(&mut self, parents: &mut [Vec<RecordId>]) -> Vec<RecordId> {
        let count = parents.len();
        let mut children = vec![Vec::new(); count];
        let mut missing = vec![0; count];
        let mut depth = vec![0_u32; count];
        for (index, parents) in parents.iter().enumerate() {
            missing[index] = parents.len();
            for parent in parents {
                children[parent.index()].push(index);
            }
        }
        let mut order = Vec::new();
        let mut ready: Vec<_> = (0..count).rev().filter(|&index| missing[index] == 0).collect();
        while let Some(index) = ready.pop() {
            order.push(RecordId::from_index(index));
            for &child in children[index].iter().rev() {
                depth[child] = depth[child].max(depth[index] + 1);
                missing[child] -= 1;
                if missing[child] == 0 {
                    ready.push(child);
                }
            }
        }
        for index in 0..count {
            let item = &self.system.records[index];
            if missing[index] > 0 && !self.has_enough() {
                self.report_cycle(index, parents, &missing);
            } else if missing[index] == 0 && depth[index] == MAX_INHERITANCE {
                self.report(
                    Diagnostic::error(codes::TOO_DEEP, "too many records extend each other in a row")
                        .at(item.name.span, "")
                        .note(format!("the limit is {MAX_INHERITANCE}")),
                );
            }
            if missing[index] > 0 || depth[index] >= MAX_INHERITANCE {
                parents[index].clear();
                if missing[index] > 0 {
                    order.push(RecordId::from_index(index));
                }
            }
        }
        order
    }

    /// Reports a record that extends itself, unless it only extends one that does, or the cycle was reported
    /// for one of its other members.
    fn report_cycle(&mut self, start: usize, parents: &[Vec<RecordId>], missing: &[usize]) {
        let mut seen = FxHashSet::default();
        let mut todo: Vec<_> = parents[start].iter().map(|parent| parent.index()).collect();
        while let Some(index) = todo.pop() {
            if index == start {
                let item = &self.system.records[start];
                let message = format!("the record `{}` extends itself", clip(item.name.text));
                self.report(Diagnostic::error(codes::CYCLE, message).at(item.name.span, ""));
                return;
            }
            if missing[index] > 0 && seen.insert(index) {
                todo.extend(parents[index].iter().map(|parent| parent.index()));
            }
        }
    }

    fn inherit(&mut self, id: RecordId, parents: Vec<RecordId>) {
        let mut ancestors = vec![id];
        let mut throwable = self.program.records[id].throwable;
        for &parent in &parents {
            let parent = &self.program.records[parent];
            ancestors.extend(&parent.ancestors);
            throwable |= parent.throwable;
        }
        ancestors.sort_unstable();
        ancestors.dedup();
        let record = &mut self.program.records[id];
        record.parents = parents;
        record.ancestors = ancestors;
        record.throwable = throwable;
    }

    fn declare_field(&mut self, owner: RecordId, item: &ast::Variable<'s>) -> Option<FieldId> {
        let Some(ty) = self.resolve_type(&item.ty) else {
            self.broken_fields.insert(item.name.text);
            return None;
        };
        let initial = self.initial_value(item, Some(ty));
        let name = item.name.text.to_owned();
        let field = self.program.fields.push(Field { name, ty, owner, span: item.name.span });
        if let Some(initial) = initial {
            self.field_values.insert(field, initial);
        }
        Some(field)
    }

    fn inherit_fields(&mut self, id: RecordId, own: &[FieldId]) {
        let mut fields: Vec<FieldId> = Vec::new();
        let mut seen = FxHashSet::default();
        let inherited = self.program.records[id].parents.iter();
        for &field in inherited.flat_map(|&parent| &self.program.records[parent].fields).chain(own) {
            if seen.insert(field) {
                fields.push(field);
            }
        }
        let mut names: FxHashMap<String, FieldId> = FxHashMap::default();
        for &field in &fields {
            let name = self.program.fields[field].name.clone();
            if let Some(&first) = names.get(&name) {
                self.two_fields(id, first, field);
            } else {
                names.insert(name, field);
            }
        }
        self.program.records[id].fields = fields;
    }

    fn two_fields(&mut self, id: RecordId, first: FieldId, second: FieldId) {
        let record = &self.program.records[id];
        let [first, second] = [first, second].map(|field| &self.program.fields[field]);
        let name = clip(&first.name);
        let diagnostic = if second.owner == id {
            let what = if first.owner == id { "declared here first" } else { "inherited from here" };
            Diagnostic::error(codes::DUPLICATE, format!("`{}` has two fields `{name}`", clip(&record.name)))
                .at(second.span, "declared here")
                .label(first.span, what)
        } else {
            let message = format!("`{}` inherits two fields `{name}`", clip(&record.name));
            Diagnostic::error(codes::AMBIGUOUS_FIELD, message)
                .at(record.span, "")
                .label(first.span, "one is declared here")
                .label(second.span, "the other one is declared here")
        };
        self.report(diagnostic);
    }

    // Relations between types.

    /// Whether a place of type `to` takes values of type `from`, apart from the ranges of integers.
    pub fn admits(&self, to: Type, from: Type) -> bool {
        self.program.admits(to, from)
    }

    /// Whether a value can be of both types.
    pub fn related(&self, a: Type, b: Type) -> bool {
        if self.admits(a, b) || self.admits(b, a) {
            return true;
        }
        let (Type::Record(a), Type::Record(b)) = (a, b) else { return false };
        self.program.records.values().any(|record| record.descends_from(a) && record.descends_from(b))
    }
}
