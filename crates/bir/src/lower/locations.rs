//! Bodies that are made of locations: each transformation is one transition.

use ir::{Action, Catch, Exit, Guard, Id, Jump, LocalId, Location, LocationId, Transition, Type};
use rustc_hash::{FxHashMap, FxHashSet};
use source::{Diagnostic, similar};

use super::procedure::Lowering;
use crate::ast::{self, Command, JumpKind};
use crate::codes;
use crate::text::clip;

type Labels<'s> = FxHashMap<&'s str, LocationId>;

impl<'s> Lowering<'_, 's> {
    pub(super) fn locations(
        &mut self,
        locations: &'s [ast::Location<'s>],
        catches: &'s [ast::Catch<'s>],
    ) -> Option<LocationId> {
        let mut labels = Labels::default();
        for item in locations {
            let live = item.live.as_ref().map(|live| self.live(live));
            let location = Location::new(item.name.text, self.id, item.name.span);
            let id = self.graph.locations.push(Location { live, end: item.end, ..location });
            labels.entry(item.name.text).or_insert(id);
            self.exprs.define_label(item.name);
        }
        let names: Vec<_> = locations.iter().map(|location| location.name).collect();
        self.exprs.model.check_distinct(&names, "location");
        let mut sound = true;
        for (index, item) in locations.iter().enumerate() {
            for transformation in &item.transformations {
                sound &=
                    self.transformation(LocationId::from_index(index), transformation, &labels).is_some();
            }
        }
        for item in catches {
            sound &= self.catch(item, &labels).is_some();
        }
        if locations.is_empty() {
            let name = clip(self.item.name.text);
            self.exprs.report(
                Diagnostic::error(codes::UNKNOWN_LOCATION, format!("`{name}` has no locations"))
                    .at(self.item.name.span, ""),
            );
            return None;
        }
        let entry = LocationId(0);
        self.set_live();
        if sound {
            self.warn_unreachable(entry);
        }
        sound.then_some(entry)
    }

    fn warn_unreachable(&mut self, entry: LocationId) {
        let reached = self.graph.reachable(entry);
        for (id, location) in self.graph.locations.iter() {
            if !reached[id.index()] && !location.synthetic {
                let message = format!("the location `{}` is never reached", clip(&location.name));
                self.exprs.model.report(
                    Diagnostic::warning(codes::UNREACHABLE_LOCATION, message)
                        .at(location.span, "no jump leads here from the first location"),
                );
            }
        }
    }

    fn live(&mut self, names: &[ast::Name<'s>]) -> Vec<LocalId> {
        let mut seen = FxHashSet::default();
        let mut live: Vec<_> =
            (names.iter()).filter_map(|&name| self.local_named(name)).filter(|&id| seen.insert(id)).collect();
        live.sort_unstable();
        live
    }

    fn local_named(&mut self, name: ast::Name<'s>) -> Option<LocalId> {
        if let Some(local) = self.exprs.locals.get(name.text) {
            self.exprs.model.index.mention(name.span, local.span);
            return Some(LocalId(local.index));
        }
        let message = format!("there is no local variable `{}`", clip(name.text));
        let mut diagnostic = Diagnostic::error(codes::UNKNOWN_NAME, message).at(name.span, "not declared");
        if let Some(&declared) = self.exprs.model.names.get(name.text) {
            let kind = self.exprs.model.kind_of(declared.symbol);
            diagnostic = diagnostic.label(declared.span, format!("this is {kind} of the system"));
        } else if let Some(similar) = similar(name.text, self.exprs.locals.keys().copied()) {
            diagnostic = diagnostic.help(format!("did you mean `{similar}`?"));
        }
        self.exprs.report(diagnostic);
        None
    }

    fn transformation(
        &mut self,
        source: LocationId,
        item: &ast::Transformation<'s>,
        labels: &Labels<'s>,
    ) -> Option<()> {
        if self.exprs.model.has_enough() {
            return None;
        }
        let guard = match &item.guard {
            None => Some(Guard::Always),
            Some(guard) => self.exprs.condition(guard, "a guard").map(Guard::When),
        };
        let mut body = Some(Vec::new());
        let (mut is_invisible, mut is_fair) = (false, false);
        if let Command::Do { invisible, fair, actions } = &item.command {
            (is_invisible, is_fair) = (*invisible, *fair);
            for action in actions {
                let lowered = self.exprs.action(action);
                body = body.zip(lowered).map(|(mut body, lowered)| {
                    body.extend(lowered);
                    body
                });
            }
        }
        let jump = self.jump(&item.jump, labels);
        let exit = match &item.command {
            Command::Do { .. } => jump.map(|(made, jump)| (made, Exit::Jump(jump))),
            // The call is checked even if its jump has errors.
            Command::Invoke(invoke) => {
                let then = self.jump_after_call(jump, item);
                let exit = self.call(invoke, source, then.clone().unwrap_or(Jump::Return(None)));
                exit.filter(|_| then.is_some())
            }
        };
        let (mut body, (made, exit)) = (body?, exit?);
        body.extend(made);
        let transition = Transition::new(source, guard?, body, exit, item.span);
        self.add(Transition { invisible: is_invisible, fair: is_fair, ..transition });
        Some(())
    }

    /// The jump after a call, which only evaluates: it is part of the step that returns.
    fn jump_after_call(
        &mut self,
        jump: Option<(Vec<Action>, Jump)>,
        item: &ast::Transformation<'s>,
    ) -> Option<Jump> {
        let (made, jump) = jump?;
        if made.is_empty() {
            return Some(jump);
        }
        self.exprs.report(
            Diagnostic::error(codes::IMPURE_EXPRESSION, "`new` cannot be a part of a `return` after a call")
                .at(item.jump.span, "this creates an object")
                .help("return from a location of its own: `loc l: return new …;`"),
        );
        None
    }

    fn jump(&mut self, item: &ast::Jump<'s>, labels: &Labels<'s>) -> Option<(Vec<Action>, Jump)> {
        match &item.kind {
            JumpKind::Goto(name) => Some((Vec::new(), Jump::Goto(self.label(*name, labels)?))),
            JumpKind::Return(value) => self.return_jump(value.as_ref(), item.span),
        }
    }

    fn label(&mut self, name: ast::Name<'s>, labels: &Labels<'s>) -> Option<LocationId> {
        if let Some(&id) = labels.get(name.text) {
            self.exprs.model.index.mention(name.span, self.graph.locations[id].span);
            return Some(id);
        }
        let (shown, owner) = (clip(name.text), clip(self.item.name.text));
        let mut diagnostic =
            Diagnostic::error(codes::UNKNOWN_LOCATION, format!("`{owner}` has no location `{shown}`"))
                .at(name.span, "not declared");
        if let Some(similar) = similar(name.text, labels.keys().copied()) {
            diagnostic = diagnostic.help(format!("did you mean `{similar}`?"));
        }
        self.exprs.report(diagnostic);
        None
    }

    fn catch(&mut self, item: &ast::Catch<'s>, labels: &Labels<'s>) -> Option<()> {
        let record = self.caught_record(item.record);
        let variable = self.local_named(item.variable);
        let covers: Vec<_> = item.covers.iter().map(|&name| self.label(name, labels)).collect();
        let handler = self.label(item.handler, labels);
        let (record, variable) = (record?, variable?);
        self.exprs.used.insert(variable.0);
        self.check_catch_variable(record, item.variable)?;
        let mut covers = covers.into_iter().collect::<Option<Vec<_>>>()?;
        covers.sort_unstable();
        covers.dedup();
        self.graph.catches.push(Catch { record, variable, covers, handler: handler?, span: item.span });
        Some(())
    }

    /// The record of a `catch`, which has to be throwable.
    pub(super) fn caught_record(&mut self, name: ast::Name<'s>) -> Option<ir::RecordId> {
        let id = self.exprs.model.record_named(name)?;
        let record = &self.exprs.model.program.records[id];
        if !record.throwable {
            let declared = record.span;
            let message = format!("`{}` is never thrown: it is not throwable", clip(name.text));
            self.exprs.report(
                Diagnostic::error(codes::NOT_THROWABLE, message)
                    .at(name.span, "")
                    .label(declared, "declared here without `throwable`"),
            );
            return None;
        }
        Some(id)
    }

    /// The variable of a `catch` has to admit its record.
    pub(super) fn check_catch_variable(&mut self, record: ir::RecordId, name: ast::Name<'s>) -> Option<()> {
        let local = *self.exprs.locals.get(name.text)?;
        let ty = local.ty?;
        if self.exprs.model.admits(self.exprs.model.ty(ty), Type::Record(record)) {
            return Some(());
        }
        let (found, wanted) =
            (self.exprs.type_name(ty), self.exprs.model.program.records[record].name.clone());
        self.exprs.report(
            Diagnostic::error(codes::MISMATCH, "the variable does not take what is caught")
                .at(name.span, format!("this is of type `{found}`, not `{}`", clip(&wanted)))
                .label(local.span, "declared here"),
        );
        None
    }
}
