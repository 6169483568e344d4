//! Warnings about unused declarations.

use ir::{FunId, GlobalId, Id, ProcedureId, VirtualId};
use source::{Diagnostic, Span};

use crate::codes;
use crate::resolve::{Model, Symbol};
use crate::text::clip;

pub fn warn(model: &mut Model<'_>) {
    let system = model.system;
    for (index, item) in system.globals.iter().enumerate() {
        let symbol = Symbol::Global(GlobalId::from_index(index));
        report(model, symbol, codes::UNUSED_VARIABLE, "the variable", item.name.text, item.name.span);
    }
    for (index, item) in system.procedures.iter().enumerate() {
        let id = ProcedureId::from_index(index);
        let noun = if model.is_thread(id) { "the thread" } else { "the function" };
        let symbol = Symbol::Procedure(id);
        report(model, symbol, codes::UNUSED_PROCEDURE, noun, item.name.text, item.name.span);
    }
    for (index, item) in system.virtuals.iter().enumerate() {
        let symbol = Symbol::Virtual(VirtualId::from_index(index));
        report(model, symbol, codes::UNUSED_PROCEDURE, "the table", item.name.text, item.name.span);
    }
    for (index, item) in system.funs.iter().enumerate() {
        let symbol = Symbol::Fun(FunId::from_index(index));
        report(model, symbol, codes::UNUSED_PROCEDURE, "the function", item.name.text, item.name.span);
    }
}

fn report(model: &mut Model<'_>, symbol: Symbol, code: &'static str, noun: &str, name: &str, span: Span) {
    // Models need not use all that an imported file declares.
    let imported = span.file != model.system.name.span.file;
    if !imported && !model.used.contains(&symbol) && !name.starts_with('_') {
        let message = format!("{noun} `{}` is never used", clip(name));
        model.report(Diagnostic::warning(code, message).at(span, ""));
    }
}
