//! From statements to guards and actions.

use ir::{Action, ActionKind, Const, Expr, ExprKind, Guard, Pattern, Place};
use source::{Diagnostic, Span};

use super::Lowering;
use crate::codes;
use crate::elements::{Element, ElementId, Node};
use crate::objects::Dynamic;
use crate::symbols::Scalar;
use crate::tree::{Arg, Basic, Ex, ExKind, Ref, Run, SymbolId, Target};
use crate::typing::Kind;

impl Lowering<'_, '_> {
    /// The guard and the actions of a simple statement.
    pub(super) fn statement(&mut self, element: ElementId) -> (Guard, Vec<Action>) {
        let Element { node, span, .. } = self.builder.elements.el(element).clone();
        let (guard, kinds) = match &node {
            Node::Basic(basic) => self.basic(basic, span),
            Node::Else => (Guard::Else, Vec::new()),
            Node::End if self.has_plain_ends() => (Guard::Always, Vec::new()),
            Node::End => {
                let youngest = self.natural(ExprKind::IsYoungest, span);
                (Guard::When(youngest), Vec::new())
            }
            _ => (Guard::Always, Vec::new()),
        };
        let actions = kinds.into_iter().map(|kind| Action { kind, span }).collect();
        (guard, actions)
    }

    fn basic(&mut self, basic: &Basic, span: Span) -> (Guard, Vec<ActionKind>) {
        let action = match basic {
            Basic::Condition(Ex { kind: ExKind::Run(run), .. })
            | Basic::Assign(Target::Nothing, Ex { kind: ExKind::Run(run), .. }) => self.start(run, None),
            Basic::Condition(ex) => {
                if let ExKind::Dynamic(Dynamic::Call(..)) = &ex.kind
                    && self.builder.kind_of(ex) != Kind::Number
                {
                    return (Guard::Always, Vec::new());
                }
                if ex.literal().is_some_and(|value| value != 0) {
                    return (Guard::Always, Vec::new());
                }
                return (Guard::When(self.condition(ex)), Vec::new());
            }
            Basic::Assign(Target::Var(place), Ex { kind: ExKind::Run(run), .. }) => {
                let place = self.place(place);
                self.start(run, Some(place))
            }
            Basic::Assign(Target::Through(access), Ex { kind: ExKind::Run(run), .. }) => {
                let place = self.access_place(access);
                self.start(run, Some(place))
            }
            Basic::Assign(Target::Var(place), value) => {
                let kind = Kind::of(self.builder.scalar_of(place));
                let (place, value) = (self.place(place), self.of_kind(value, kind));
                Some(ActionKind::Assign(place, value))
            }
            Basic::Assign(Target::Through(access), value) => {
                let value = self.of_kind(value, Kind::of(access.scalar));
                Some(ActionKind::Assign(self.access_place(access), value))
            }
            Basic::Dynamic(act) => return (Guard::Always, self.act(act, span)),
            Basic::Assign(Target::Priority, value) => {
                let own = self.natural(ExprKind::ThreadNumber, span);
                let value = self.number(value);
                Some(ActionKind::SetPriority(own, value))
            }
            Basic::Assign(Target::Nothing, _) | Basic::Nothing | Basic::Event { .. } => None,
            Basic::Send { channel, sorted, args } => {
                let message = self.message(channel, args);
                let channel = self.number(channel);
                Some(ActionKind::Send { channel, sorted: *sorted, message })
            }
            Basic::Receive { channel, random, copy, args } => {
                let kinds = self.field_kinds(channel, args.len());
                let pattern = args.iter().zip(kinds).map(|(arg, kind)| self.pattern(arg, kind)).collect();
                let channel = self.number(channel);
                Some(ActionKind::Receive { channel, anywhere: *random, keep: *copy, pattern })
            }
            Basic::Assert(ex) => Some(ActionKind::Check(self.condition(ex))),
            Basic::Print { format, args } => {
                let format = self.string(format);
                let args = args.iter().map(|arg| self.number(arg)).collect();
                Some(ActionKind::Print { format, args })
            }
            Basic::SetPriority(process, priority) => {
                let (process, priority) = (self.number(process), self.number(priority));
                Some(ActionKind::SetPriority(process, priority))
            }
        };
        (Guard::Always, action.into_iter().collect())
    }

    fn pattern(&mut self, arg: &Arg, kind: Kind) -> Pattern {
        match arg {
            Arg::Store(place) => Pattern::Store(self.place(place)),
            Arg::StoreThrough(access) => Pattern::Store(self.access_place(access)),
            Arg::Any => Pattern::Any,
            Arg::Match(value) => Pattern::Match(self.of_kind(value, kind)),
        }
    }

    fn start(&mut self, run: &Run, result: Option<Place>) -> Option<ActionKind> {
        let at = self.builder.processes.iter().position(|known| known.name == run.process.text)?;
        let procedure = self.procedures[at]?;
        let (params, own) = {
            let procedure = &self.program.procedures[procedure];
            (procedure.params, procedure.priority)
        };
        if params != run.args.len() {
            let count = |count: usize| {
                if count == 1 { "1 argument".to_owned() } else { format!("{count} arguments") }
            };
            let message = format!("`{}` takes {}, not {}", run.process.text, count(params), run.args.len());
            let declared = self.builder.processes[at].span;
            self.builder.diagnostics.push(
                Diagnostic::error(codes::BAD_RUN, message)
                    .at(run.process.span, format!("{} given", run.args.len()))
                    .label(declared, "declared here"),
            );
            return None;
        }
        let params = self.program.procedures[procedure].params;
        let symbols = self.builder.processes[at].params.clone();
        let leaves = symbols.iter().flat_map(|id| &self.builder.symbols[id.index()].leaves);
        let kinds: Vec<_> = leaves.map(|leaf| Kind::of(leaf.scalar)).take(params).collect();
        let args = run.args.iter().zip(kinds).map(|(arg, kind)| self.of_kind(arg, kind)).collect();
        // Without `priority`, `run` means 1, whatever the declaration has for active processes.
        let priority = run.priority.unwrap_or(1);
        let priority = (priority != own).then_some(priority);
        Some(ActionKind::Start { result, procedure, args, priority })
    }

    /// Sets a variable that is dead to 0.
    pub(super) fn reset(&mut self, symbol: SymbolId, span: Span) -> Action {
        let place = self.place(&Ref { symbol, leaf: 0, indices: Vec::new(), span });
        let zero = self.natural(ExprKind::Const(Const::Int(0)), span);
        Action { kind: ActionKind::Assign(place, zero), span }
    }

    /// Whether a transition is enabled, as an expression if possible.
    pub(super) fn enabledness(&mut self, element: ElementId) -> Option<Expr> {
        let Element { node, span, .. } = self.builder.elements.el(element).clone();
        let basic = match &node {
            Node::Basic(basic) => basic,
            Node::DStep(inner) => {
                let first = self.builder.elements.first(*inner);
                return self.enabledness(first);
            }
            Node::Else | Node::If | Node::Do | Node::Plain(_) | Node::Atomic(_) | Node::Unless => {
                return None;
            }
            Node::End => return Some(self.natural(ExprKind::IsYoungest, span)),
            Node::Join | Node::Exit | Node::Goto(_) => return Some(self.truth(true, span)),
        };
        match basic {
            Basic::Condition(Ex { kind: ExKind::Run(_), .. }) => Some(self.truth(true, span)),
            Basic::Condition(ex) => Some(self.condition(ex)),
            Basic::Send { channel, .. } => {
                let channel = Box::new(self.number(channel));
                let full = self.natural(ExprKind::ChannelFull(channel), span);
                Some(self.not(full))
            }
            Basic::Receive { channel, random, args, .. } => {
                Some(self.has_message(channel, *random, args, span))
            }
            _ => Some(self.truth(true, span)),
        }
    }
}

impl Lowering<'_, '_> {
    /// The fields of a message.
    fn message(&mut self, channel: &Ex, args: &[Ex]) -> Vec<Expr> {
        let kinds = self.field_kinds(channel, args.len());
        args.iter().zip(kinds).map(|(arg, kind)| self.of_kind(arg, kind)).collect()
    }

    /// What `null` stands for in a message with so many fields, by field.
    pub(super) fn field_kinds(&self, channel: &Ex, fields: usize) -> Vec<Kind> {
        if !self.builder.is_dynamic {
            return vec![Kind::Number; fields];
        }
        let types = self.builder.channel_types();
        let known = match &channel.kind {
            ExKind::Var(place) => self.builder.declared_channel(place),
            _ => None,
        };
        let candidates: Vec<_> = match known {
            Some(known) => vec![known],
            None => types.iter().filter(|ty| ty.fields.len() == fields).collect(),
        };
        let kind = |at: usize| {
            let mut kinds = candidates.iter().filter_map(|ty| ty.fields.get(at));
            let is_function = |&(scalar, _): &(Scalar, bool)| Kind::of(scalar) == Kind::Function;
            let all = !candidates.is_empty() && kinds.all(is_function);
            if all { Kind::Function } else { Kind::Number }
        };
        (0..fields).map(kind).collect()
    }
}
