//! Procedures: their variables, and the common parts of both kinds of bodies.

use ir::{
    Action, Exit, Id, Jump, LocalId, Location, LocationId, LocationKind, Procedure, ProcedureId,
    ProcedureKind, Transition, Type, Variable,
};
use rustc_hash::FxHashMap;
use source::{Diagnostic, NameKind, Span};

use super::Merge;
use super::exprs::{Exprs, Owner, Why};
use super::graph::Graph;
use super::loops::{Loop, Scope};
use crate::ast;
use crate::codes;
use crate::resolve::{Model, Outcome, Symbol};
use crate::text::clip;

/// A procedure on its way into the IR.
pub struct Lowering<'m, 's> {
    pub exprs: Exprs<'m, 's>,
    pub id: ProcedureId,
    pub item: &'s ast::Procedure<'s>,
    pub result: Outcome,
    pub graph: Graph,
    /// Whether new locations are inside an atomic block.
    pub atomic: bool,
    /// The loops around the current statement, from the outside.
    pub loops: Vec<Loop>,
    pub scopes: Vec<Scope>,
    /// Variables of loops, and whether the loop is being lowered.
    pub loop_variables: FxHashMap<LocalId, bool>,
    pub labels: FxHashMap<&'s str, Span>,
    /// The variable that holds the lock a thread waits for.
    pub waited: Option<LocalId>,
    pub merge: Merge,
}

pub fn lower(model: &mut Model<'_>, id: ProcedureId, merge: Merge) {
    let system = model.system;
    let item = &system.procedures[id.index()];
    let signature = model.signatures[id.index()].clone();
    let exprs = Exprs::new(model, Owner::Procedure, Some(Symbol::Procedure(id)));
    let mut lowering = Lowering {
        exprs,
        id,
        item,
        result: signature.result,
        graph: Graph::default(),
        atomic: false,
        loops: Vec::new(),
        scopes: Vec::new(),
        loop_variables: FxHashMap::default(),
        labels: FxHashMap::default(),
        waited: None,
        merge,
    };
    lowering.declare(&signature.params);
    let entry = match &item.body {
        ast::Body::Locations { locations, catches } => lowering.locations(locations, catches),
        ast::Body::Statements(block) => lowering.body(block),
    };
    lowering.warn_unused();
    lowering.finish(entry, signature.thread);
}

impl<'s> Lowering<'_, 's> {
    fn declare(&mut self, params: &[Option<ir::TypeId>]) {
        let item = self.item;
        let names: Vec<_> = (item.params.iter().map(|param| param.name))
            .chain(item.locals.iter().map(|local| local.name))
            .collect();
        self.exprs.model.check_distinct(&names, "variable");
        for (param, &ty) in item.params.iter().zip(params) {
            self.add_variable(param.name, ty, None);
        }
        for local in &item.locals {
            if self.exprs.model.has_enough() {
                return;
            }
            let ty = self.exprs.model.resolve_type(&local.ty);
            let init = self.exprs.model.initial_value(local, ty);
            self.add_variable(local.name, ty, init);
        }
    }

    pub fn add_variable(
        &mut self,
        name: ast::Name<'s>,
        ty: Option<ir::TypeId>,
        init: Option<ir::Const>,
    ) -> LocalId {
        let known = ty.unwrap_or_else(|| self.exprs.model.intern(Type::Bool));
        let is_param = self.exprs.variables.len() < self.item.params.len();
        let kind = if is_param { NameKind::Parameter } else { NameKind::Local };
        self.exprs.define(name, kind, ty, self.item.extent());
        let id = self.exprs.variables.push(Variable::new(name.text, known, init, name.span));
        self.exprs.declare(name, id.0, ty);
        id
    }

    fn warn_unused(&mut self) {
        for (id, variable) in self.exprs.variables.iter().skip(self.item.params.len()) {
            if variable.synthetic || variable.name.starts_with('_') || self.exprs.used.contains(&id.0) {
                continue;
            }
            self.exprs.model.report(
                Diagnostic::warning(
                    codes::UNUSED_VARIABLE,
                    format!("the variable `{}` is never used", clip(&variable.name)),
                )
                .at(variable.span, ""),
            );
        }
    }

    fn finish(mut self, entry: Option<LocationId>, thread: bool) {
        let program = &mut self.exprs.model.program;
        let (entry, catches) = match entry {
            Some(entry) => {
                debug_assert_eq!(entry, LocationId(0));
                self.graph.name_synthetic(self.exprs.model.map);
                self.graph.commit(program)
            }
            None => (LocationId(0), Vec::new()),
        };
        program.procedures.push(Procedure {
            name: self.item.name.text.to_owned(),
            kind: if thread { ProcedureKind::Thread } else { ProcedureKind::Function },
            locals: self.exprs.variables,
            params: self.item.params.len(),
            result: match self.result {
                Outcome::Value(ty) => Some(ty),
                Outcome::Nothing | Outcome::Unknown => None,
            },
            channels: Vec::new(),
            prologue: Vec::new(),
            provided: None,
            claims: Vec::new(),
            priority: 1,
            entry,
            catches,
            span: self.item.name.span,
        });
    }

    /// Lowers `return`, with or without a value. The actions come before the jump.
    pub fn return_jump(&mut self, value: Option<&ast::Expr<'s>>, span: Span) -> Option<(Vec<Action>, Jump)> {
        let declared = self.item.name.span;
        match (self.result, value) {
            (Outcome::Nothing, None) => Some((Vec::new(), Jump::Return(None))),
            (Outcome::Value(ty), Some(value)) => {
                let written = match &self.item.kind {
                    ast::ProcedureKind::Function { result: Some(ty) } => ty.span,
                    _ => declared,
                };
                let why = Why::Type(written);
                let (made, value) = self.exprs.with_objects(|exprs| exprs.value(value, ty, why))?;
                Some((made, Jump::Return(Some(value))))
            }
            (Outcome::Unknown, value) => {
                value.and_then(|value| self.exprs.expr(value));
                None
            }
            (Outcome::Nothing, Some(value)) => {
                self.exprs.expr(value);
                let name = clip(self.item.name.text);
                let mut diagnostic =
                    Diagnostic::error(codes::BAD_RETURN, format!("`{name}` returns no value"))
                        .at(value.span, "there is no use for this")
                        .label(declared, "declared here without `returns`");
                if self.exprs.model.is_thread(self.id) {
                    diagnostic = diagnostic.note("threads have no result");
                }
                self.exprs.report(diagnostic);
                None
            }
            (Outcome::Value(ty), None) => {
                let (name, ty) = (clip(self.item.name.text), self.exprs.type_name(ty));
                self.exprs.report(
                    Diagnostic::error(codes::BAD_RETURN, format!("`{name}` has to return a value"))
                        .at(span, format!("expected a value of type `{ty}`"))
                        .label(declared, "declared here"),
                );
                None
            }
        }
    }

    /// Lowers a call from `source`. The actions come before the call.
    pub fn call(
        &mut self,
        invoke: &ast::Invoke<'s>,
        source: LocationId,
        then: Jump,
    ) -> Option<(Vec<Action>, Exit)> {
        let (made, (callee, args, result)) = self.exprs.with_objects(|exprs| exprs.invoke(invoke))?;
        let resume = self.graph.locations.push(Location {
            kind: LocationKind::Resume { origin: source, result, then },
            atomic: self.atomic,
            synthetic: true,
            ..Location::new("", self.id, invoke.span)
        });
        Some((made, Exit::Call { callee, args, resume }))
    }

    pub fn add(&mut self, transition: Transition) {
        self.graph.transition(transition);
    }
}
