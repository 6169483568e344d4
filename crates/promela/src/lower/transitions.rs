//! From statements to guards and actions.

use ir::{Action, ActionKind, Const, Expr, ExprKind, Guard, Pattern};
use source::{Diagnostic, Span};

use super::Lowering;
use crate::codes;
use crate::elements::{Element, ElementId, Node};
use crate::tree::{Arg, Basic, Ex, ExKind, Ref, Run, SymbolId, Target};

impl Lowering<'_, '_> {
    /// The guard and the actions of a simple statement.
    pub(super) fn statement(&mut self, element: ElementId) -> (Guard, Vec<Action>) {
        let Element { node, span, .. } = self.builder.elements.el(element).clone();
        let (guard, kinds) = match &node {
            Node::Basic(basic) => self.basic(basic, span),
            Node::Else => (Guard::Else, Vec::new()),
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
                if ex.literal().is_some_and(|value| value != 0) {
                    return (Guard::Always, Vec::new());
                }
                return (Guard::When(self.condition(ex)), Vec::new());
            }
            Basic::Assign(Target::Var(place), Ex { kind: ExKind::Run(run), .. }) => {
                self.start(run, Some(place))
            }
            Basic::Assign(Target::Var(place), value) => {
                let (place, value) = (self.place(place), self.number(value));
                Some(ActionKind::Assign(place, value))
            }
            Basic::Assign(Target::Priority, value) => {
                let own = self.natural(ExprKind::ThreadNumber, span);
                let value = self.number(value);
                Some(ActionKind::SetPriority(own, value))
            }
            Basic::Assign(Target::Nothing, _) | Basic::Nothing | Basic::Event { .. } => None,
            Basic::Send { channel, sorted, args } => {
                let channel = self.number(channel);
                let message = args.iter().map(|arg| self.number(arg)).collect();
                Some(ActionKind::Send { channel, sorted: *sorted, message })
            }
            Basic::Receive { channel, random, copy, args } => {
                let channel = self.number(channel);
                let pattern = args.iter().map(|arg| self.pattern(arg)).collect();
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

    fn pattern(&mut self, arg: &Arg) -> Pattern {
        match arg {
            Arg::Store(place) => Pattern::Store(self.place(place)),
            Arg::Any => Pattern::Any,
            Arg::Match(value) => Pattern::Match(self.number(value)),
        }
    }

    fn start(&mut self, run: &Run, result: Option<&Ref>) -> Option<ActionKind> {
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
        let args = run.args.iter().map(|arg| self.number(arg)).collect();
        let result = result.map(|place| self.place(place));
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
