//! Checks of statements that SPIN refuses.

use source::{Diagnostic, Span};

use super::Builder;
use crate::codes;
use crate::elements::{Node, Pending, PendingKind};
use crate::symbols::{Scalar, Ty};
use crate::tree::{Arg, Basic, Ex, ExKind, SymbolId, Target};

impl Builder<'_> {
    pub(super) fn check_assignment(&mut self, target: &Target, value: &Ex) -> Option<()> {
        if value.any(|kind| matches!(kind, ExKind::Run(_))) && !matches!(value.kind, ExKind::Run(_)) {
            self.error(
                codes::BAD_RUN,
                "`run` inside of an expression",
                value.span,
                "assign its result first",
            );
            return None;
        }
        let Target::Var(place) = target else { return Some(()) };
        // SPIN does not check fields of records.
        let is_channel = self.symbols[place.symbol.index()].scalar() == Some(Scalar::Chan);
        if is_channel && value.literal().is_some() {
            self.error(
                codes::NOT_A_CHANNEL,
                "a number is no channel",
                value.span,
                "a channel is needed here",
            );
            return None;
        }
        Some(())
    }

    /// SPIN refuses to store two fields of a message to one variable.
    pub(super) fn check_twice(&mut self, args: &[Arg]) {
        let mut seen: Vec<SymbolId> = Vec::new();
        for arg in args {
            let Arg::Store(place) = arg else { continue };
            let symbol = &self.symbols[place.symbol.index()];
            if symbol.size.is_some() || matches!(symbol.ty, Ty::Record(_)) {
                continue;
            }
            if seen.contains(&place.symbol) {
                let message = format!("two fields go to `{}`", symbol.name);
                self.error(codes::DUPLICATE, message, place.span, "set again");
            }
            seen.push(place.symbol);
        }
    }

    pub(super) fn check_dstep(&mut self, basic: &Basic, span: Span) {
        let mut problem = None;
        basic.walk(&mut |ex| match ex.kind {
            ExKind::Run(_) => problem = Some("`run` in a `d_step`"),
            ExKind::RemoteVar { .. } => problem = Some("a variable of another process in a `d_step`"),
            ExKind::RemoteLabel { .. } => problem = Some("the state of another process in a `d_step`"),
            _ => {}
        });
        if let Some(problem) = problem {
            self.diagnostics.push(
                Diagnostic::error(codes::IN_DSTEP, problem)
                    .at(span, "not possible here")
                    .help("use `atomic`"),
            );
        }
    }

    pub(super) fn check_event(&mut self, pending: &Pending) {
        let fits = match &pending.kind {
            PendingKind::Simple(Node::Basic(Basic::Event { .. }) | Node::Goto(_))
            | PendingKind::If(_)
            | PendingKind::Do(..) => true,
            PendingKind::Simple(Node::Basic(basic)) => basic.is_skip() && !pending.labels.is_empty(),
            PendingKind::Simple(_) | PendingKind::Unless(..) => false,
        };
        if !fits {
            self.error(
                codes::NO_EVENT,
                "a trace consists of sends and receives",
                pending.span,
                "this is no event",
            );
        }
    }
}
