//! Checks of statements that SPIN refuses.

use source::{Diagnostic, Span};

use super::Builder;
use crate::ast::{self, StmtKind};
use crate::codes;
use crate::elements::{Node, Pending, PendingKind};
use crate::objects::Act;
use crate::symbols::{Scalar, Ty};
use crate::text::count;
use crate::tree::{Arg, Basic, Ex, ExKind, SymbolId, Target};

impl Builder<'_> {
    pub(super) fn check_assignment(&mut self, target: &Target, value: &Ex) -> Option<()> {
        if value.any(|kind| matches!(kind, ExKind::Run(_))) && !matches!(value.kind, ExKind::Run(_)) {
            self.diagnostics.push(
                Diagnostic::error(codes::BAD_RUN, "`run` inside of an expression")
                    .at(value.span, "assign its result first")
                    .help("write two statements: `p = run P(); n = p + 1`"),
            );
            return None;
        }
        let Target::Var(place) = target else { return Some(()) };
        // SPIN does not check fields of records.
        let is_channel = self.symbols[place.symbol.index()].scalar() == Some(Scalar::Chan);
        if is_channel && value.literal().is_some() {
            let error = Diagnostic::error(codes::NOT_A_CHANNEL, "a number is no channel")
                .at(value.span, "a channel is needed here");
            let help = "`null` is no channel at all";
            self.diagnostics.push(if self.is_dynamic { error.help(help) } else { error });
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

    /// Warns of a `printf` whose text does not have as many places as there are arguments.
    pub(super) fn check_print(&mut self, print: &ast::Print) {
        let mut places = 0;
        let mut unknown = None;
        let mut letters = print.format.chars();
        while let Some(letter) = letters.next() {
            match letter {
                '\\' => drop(letters.next()),
                '%' => {
                    let flag =
                        |letter: &char| letter.is_ascii_digit() || matches!(letter, '-' | '+' | '.' | 'l');
                    match letters.find(|letter| !flag(letter)) {
                        Some('%') | None => {}
                        Some(conversion) => {
                            places += 1;
                            if !matches!(conversion, 'c' | 'd' | 'e' | 'i' | 'o' | 'u' | 'x') {
                                unknown = unknown.or(Some(conversion));
                            }
                        }
                    }
                }
                _ => {}
            }
        }
        let given = print.args.len();
        let span = print.format_span;
        let (message, label) = if places != given {
            let were = if given == 1 { "is" } else { "are" };
            let message = format!("this text takes {}, and there {were} {given}", count(places, "argument"));
            (message, if places > given { "some places have no value" } else { "some values have no place" })
        } else if let Some(conversion) = unknown {
            let message = format!("`printf` has no `%{}`", conversion.escape_default());
            (message, "a place of an unknown kind")
        } else {
            return;
        };
        let help = "`%d` is a number, `%e` a name of an mtype, `%c` a character, `%x` a hexadecimal number, `%%` a percent sign";
        self.diagnostics
            .push(Diagnostic::warning(codes::PRINTF_ARGUMENTS, message).at(span, label).help(help));
    }

    /// Warns of an `else` next to an option that can always be taken.
    pub(super) fn check_else(&mut self, options: &[ast::Block], otherwise: Span) {
        if self.in_claim || self.in_trace {
            return;
        }
        for option in options {
            let Some(first) = option.steps.first() else { continue };
            let what = match &first.kind {
                StmtKind::Assign { .. } => "an assignment",
                StmtKind::Increment(_) | StmtKind::Decrement(_) => "a statement that counts",
                StmtKind::Printf(_) | StmtKind::Printm(_) => "a statement that prints",
                StmtKind::Expr(ast::Expr { kind: ast::ExprKind::Int(value), .. }) if *value != 0 => {
                    "a constant condition"
                }
                _ => continue,
            };
            let mut diagnostic = Diagnostic::warning(codes::USELESS_ELSE, "this `else` is never taken")
                .at(otherwise, "")
                .label(first.span, format!("{what}, which can always be executed"));
            if matches!(first.kind, StmtKind::Assign { .. }) {
                diagnostic = diagnostic.help("`==` compares");
            }
            self.diagnostics.push(diagnostic);
            return;
        }
    }

    /// Warns of a variable that is used as a channel and never gets one.
    pub(crate) fn check_has_channel(&mut self, place: &crate::tree::Ref, span: Span) {
        let symbol = &self.symbols[place.symbol.index()];
        if symbol.param || symbol.leaves[place.leaf].init.is_some() || self.names.is_set(&symbol.name) {
            return;
        }
        if !self.unknown.insert(symbol.name.clone()) {
            return;
        }
        let name = &symbol.name;
        let diagnostic =
            Diagnostic::warning(codes::NEVER_SET, format!("`{name}` is used, but it never gets a channel"))
                .at(span, "there is no channel to use")
                .label(symbol.span, "declared here, without a channel")
                .help(format!("write `chan {name} = [2] of {{ byte }}`, with what its messages consist of"));
        self.diagnostics.push(diagnostic);
    }

    /// Warns of a comparison, not as a guard, with a variable that nothing sets: an assignment may be meant.
    pub(super) fn check_condition(&mut self, stmt: &ast::Stmt, block: &ast::Block) {
        use ast::BinaryOp::{Equal, Greater, GreaterEqual, Less, LessEqual, NotEqual};
        let StmtKind::Expr(ast::Expr { kind: ast::ExprKind::Binary(op, left, _), span, .. }) = &stmt.kind
        else {
            return;
        };
        // In parentheses, a condition is meant.
        let in_parentheses = span.start < left.span.start;
        if in_parentheses || !matches!(op, Equal | NotEqual | Less | LessEqual | Greater | GreaterEqual) {
            return;
        }
        let ast::ExprKind::Var(variable) = &left.kind else { return };
        let Some(name) = variable.as_name() else { return };
        let is_guard = block.is_option() && block.steps.first().is_some_and(|first| first.span == stmt.span);
        if is_guard || self.in_claim || self.in_trace || self.names.is_set(&name.text) {
            return;
        }
        let Some(symbol) = self.scopes.find(&name.text) else { return };
        let declared = self.symbols[symbol.index()].span;
        let message = format!("a condition on `{}`, which nothing sets", name.text);
        self.diagnostics.push(
            Diagnostic::warning(codes::NEVER_SET, message)
                .at(stmt.span, "this waits until it is true")
                .label(declared, "it keeps its initial value")
                .help(format!("`{} = …` sets it", name.text)),
        );
    }

    pub(super) fn check_dstep(&mut self, basic: &Basic, span: Span) {
        let mut problem = None;
        basic.walk(&mut |ex| match ex.kind {
            ExKind::Run(_) => problem = Some("`run` in a `d_step`"),
            ExKind::RemoteVar { .. } => problem = Some("a variable of another process in a `d_step`"),
            ExKind::RemoteLabel { .. } => problem = Some("the state of another process in a `d_step`"),
            _ => {}
        });
        match basic {
            Basic::Dynamic(Act::Call { .. }) => problem = Some("the call of a function in a `d_step`"),
            Basic::Dynamic(Act::Return(..)) => problem = Some("`return` in a `d_step`"),
            _ => {}
        }
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
