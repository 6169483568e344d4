//! From statements to elements.
//!
//! The numbers of elements depend on the order in which they are added, which is that of SPIN's parser: a
//! construct comes after its parts.

use source::{Diagnostic, Span};

use super::{Builder, Claim};
use crate::ast::{self, BinaryOp, StmtKind};
use crate::codes;
use crate::elements::{Destination, Node, Pending, PendingKind, SequenceId};
use crate::objects::Act;
use crate::resolve::Resolved;
use crate::symbols::Scalar;
use crate::tree::{Arg, Basic, Ex, ExKind, Target};

/// Where a sequence begins, for labels that are not allowed there.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    /// The braces of a block, an `atomic` or a `d_step`.
    Block,
    Option,
    Escape,
    Main,
}

impl Builder<'_> {
    /// The statements of a block, into the sequence that is open.
    pub(super) fn sequence(&mut self, block: &ast::Block) {
        self.steps(block);
        if self.elements.nothing_open() {
            // Only declarations, or only statements with errors.
            if !self.diagnostics.has_errors() {
                self.error(
                    codes::EMPTY_SEQUENCE,
                    "a sequence needs a statement",
                    block.span,
                    "only declarations here",
                );
            }
            self.elements.add_basic(Basic::Condition(Ex::int(1, block.span)), block.span);
        }
    }

    /// The statements of a block, of which there may be none among declarations.
    pub(super) fn steps(&mut self, block: &ast::Block) {
        let outer = self.elements.call;
        if let Some(call) = &block.inlined {
            self.elements.enter_call(call.span);
            self.index.enter_call(call.span);
        }
        for stmt in &block.steps {
            self.check_condition(stmt, block);
            if let Some(pending) = self.step(stmt) {
                self.detach_remote();
                self.elements.scopes = self.scopes.path();
                self.elements.add(pending);
            }
        }
        self.elements.call = outer;
        if block.inlined.is_some() {
            self.index.leave_call();
        }
    }

    pub(super) fn add_basic(&mut self, basic: Basic, span: Span) {
        self.detach_remote();
        self.elements.scopes = self.scopes.path();
        self.elements.add_basic(basic, span);
    }

    fn step(&mut self, stmt: &ast::Stmt) -> Option<Pending> {
        match &stmt.kind {
            StmtKind::Declaration(declaration) => {
                self.locals(declaration);
                None
            }
            StmtKind::Exclusive { receive, channels } => {
                for channel in channels {
                    self.claim(*receive, channel);
                }
                None
            }
            StmtKind::Unless { main, escape } => {
                let exits = self.loops.clone();
                let main = self.statement(main);
                self.loops.clone_from(&exits);
                let escape = self.statement(escape);
                Some(self.unless(main?, escape?, stmt))
            }
            _ => {
                let pending = self.statement(stmt);
                if let (true, Some(pending)) = (self.in_trace, &pending) {
                    self.check_event(pending);
                }
                pending
            }
        }
    }

    /// `xr` and `xs`, anywhere in the body: the claim is valid for the whole life of the process.
    fn claim(&mut self, receive: bool, var: &ast::VarRef) {
        let Some(channel) = self.channel(var) else { return };
        if matches!(&channel.kind, ExKind::Var(place) if !place.indices.is_empty()) {
            self.diagnostics.push(
                Diagnostic::error(codes::NOT_A_CHANNEL, "an element of an array cannot be claimed")
                    .at(var.span, "an element of an array")
                    .help("give the channel a name of its own, as in `chan mine = all[1]; xr mine`"),
            );
            return;
        }
        self.claims.push(Claim { receive, channel, span: var.span });
    }

    fn statement(&mut self, stmt: &ast::Stmt) -> Option<Pending> {
        let kind = self.kind(stmt);
        self.early = false;
        self.check_labels(stmt);
        Some(Pending { labels: stmt.labels.clone(), kind: kind?, span: stmt.span })
    }

    fn kind(&mut self, stmt: &ast::Stmt) -> Option<PendingKind> {
        let span = stmt.span;
        let basic = match &stmt.kind {
            StmtKind::Declaration(_) | StmtKind::Exclusive { .. } => return None,
            StmtKind::Unless { .. } => {
                let pending = self.step(stmt)?;
                return Some(pending.kind);
            }
            StmtKind::Expr(expr) => {
                let value = self.expr(expr)?;
                let nested =
                    value.any(|kind| matches!(kind, ExKind::Run(_))) && !matches!(value.kind, ExKind::Run(_));
                if nested {
                    self.diagnostics.push(
                        Diagnostic::error(codes::BAD_RUN, "`run` inside of an expression")
                            .at(span, "start the process by itself")
                            .help("`run P()` is a statement that waits until the process can be started; `p = run P()` keeps its number"),
                    );
                    return None;
                }
                Basic::Condition(value)
            }
            StmtKind::Else => return Some(PendingKind::Simple(Node::Else)),
            StmtKind::Assign { target, value } if let Some(copy) = self.record_copy(target, value) => copy,
            StmtKind::Assign { target, value } => {
                let (place, value) = (self.target(target), self.expr(value));
                let (place, value) = (place?, value?);
                self.check_assignment(&place, &value)?;
                Basic::Assign(place, value)
            }
            StmtKind::New { target, made } => self.new_object(target, made)?,
            StmtKind::Delete(value) => Basic::Dynamic(Act::Delete(self.expr(value)?)),
            StmtKind::Call { target, callee, args } => {
                self.call_statement(target.as_ref(), callee, args, span)?
            }
            StmtKind::Return(value) => self.return_statement(value.as_ref(), span)?,
            StmtKind::Increment(target) => self.count(target, BinaryOp::Add)?,
            StmtKind::Decrement(target) => self.count(target, BinaryOp::Subtract)?,
            StmtKind::Send { channel, sorted, args } => {
                let value = match args.as_slice() {
                    [ast::Expr { kind: ast::ExprKind::Var(value), .. }] => Some(value),
                    _ => None,
                };
                let channel = self.channel_or(channel, value);
                if self.in_trace {
                    let (args, channel) = (self.sent_pattern(args)?, channel?);
                    self.check_event_fields(&channel, &args, span);
                    Basic::Event { send: true, channel, args }
                } else {
                    let args = self.send_args(args);
                    let (channel, args) = (channel?, args?);
                    self.check_fields(&channel, args.len(), span);
                    Basic::Send { channel, sorted: *sorted, args }
                }
            }
            StmtKind::Receive { channel, random, copy, args } => {
                let value = match args.as_slice() {
                    [ast::ReceiveArg { kind: ast::ReceiveArgKind::Var(value), .. }] => Some(value),
                    _ => None,
                };
                let (channel, args) = (self.channel_or(channel, value), self.receive_args(args));
                let (channel, args) = (channel?, args?);
                self.check_twice(&args);
                if self.in_trace && !copy {
                    self.check_event_fields(&channel, &args, span);
                    Basic::Event { send: false, channel, args }
                } else {
                    self.check_fields(&channel, args.len(), span);
                    Basic::Receive { channel, random: *random, copy: *copy, args }
                }
            }
            StmtKind::Assert(expr) => Basic::Assert(self.expr(expr)?),
            StmtKind::Printf(print) => {
                self.in_print = true;
                let args: Option<Vec<Ex>> = print.args.iter().map(|arg| self.expr(arg)).collect();
                self.in_print = false;
                self.check_print(print);
                Basic::Print { format: print.format.clone(), args: args? }
            }
            StmtKind::Printm(expr) => {
                self.in_print = true;
                let arg = self.expr(expr);
                self.in_print = false;
                Basic::Print { format: "%e".into(), args: vec![arg?] }
            }
            StmtKind::SetPriority(process, priority) => {
                self.has_priorities = true;
                let (process, priority) = (self.expr(process), self.expr(priority));
                Basic::SetPriority(process?, priority?)
            }
            StmtKind::Goto(name) => {
                self.mention_label(name);
                let destination = Destination::Label { name: name.text.clone(), scopes: self.scopes.path() };
                return Some(PendingKind::Simple(Node::Goto(destination)));
            }
            StmtKind::Break => {
                let Some(&number) = self.loops.last() else {
                    self.diagnostics.push(
                        Diagnostic::error(codes::STRAY_BREAK, "`break` outside of a loop")
                            .at(span, "there is nothing to leave")
                            .help("`break` leaves a `do` or `for`; an option of an `if` ends by itself"),
                    );
                    return None;
                };
                return Some(PendingKind::Simple(Node::Goto(Destination::Exit(number))));
            }
            StmtKind::If(options) => return Some(PendingKind::If(self.options(options))),
            StmtKind::Do(options) => {
                let number = self.enter_loop();
                let options = self.options(options);
                self.loops.pop();
                return Some(PendingKind::Do(options, number));
            }
            StmtKind::For { variable, from, to, body } => return self.for_range(variable, from, to, body),
            StmtKind::ForIn { variable, over, body } => return self.for_in(variable, over, body),
            StmtKind::Select { variable, from, to, form } => {
                return self.select(variable, from, to, *form, span);
            }
            StmtKind::Block(block) => {
                let body = self.block(block, Place::Block);
                return Some(PendingKind::Simple(Node::Plain(body)));
            }
            StmtKind::Atomic(block) => {
                let body = self.block(block, Place::Block);
                self.elements.make_atomic(body, false);
                return Some(PendingKind::Simple(Node::Atomic(body)));
            }
            StmtKind::DStep(block) => {
                let outer = self.elements.dstep;
                if outer == 0 {
                    self.dsteps += 1;
                    self.elements.dstep = self.dsteps;
                }
                let body = self.block(block, Place::Block);
                self.elements.make_atomic(body, true);
                self.elements.dstep = outer;
                return Some(PendingKind::Simple(Node::DStep(body)));
            }
        };
        if self.elements.dstep > 0 {
            self.check_dstep(&basic, span);
        }
        Some(PendingKind::Simple(Node::Basic(basic)))
    }

    fn block(&mut self, block: &ast::Block, place: Place) -> SequenceId {
        self.scopes.open();
        self.elements.open();
        self.early = false;
        self.sequence(block);
        self.scopes.close();
        self.close(place)
    }

    fn close(&mut self, place: Place) -> SequenceId {
        let sequence = self.elements.close();
        let first = self.elements.first(sequence);
        if let Some(label) = self.elements.labels.iter().find(|label| label.element == first)
            && let Destination::Label { name, .. } = &label.destination
        {
            let (what, help) = match place {
                Place::Block => ("of a block", "put the label in front of the block"),
                Place::Option => ("of an option", "put the label in front of the selection"),
                Place::Escape => ("of an escape", "an escape has no state of its own to begin with"),
                Place::Main => {
                    ("of what `unless` covers", "put braces around the statement, and the label before")
                }
            };
            let message = format!("the label `{name}` is at the beginning {what}");
            let diagnostic = if place == Place::Option {
                Diagnostic::warning(codes::LABEL_PLACE, message)
            } else {
                Diagnostic::error(codes::LABEL_PLACE, message)
            };
            self.diagnostics.push(diagnostic.at(label.span, "this names no state").help(help));
        }
        sequence
    }

    fn options(&mut self, options: &[ast::Block]) -> Vec<SequenceId> {
        let mut sequences = Vec::new();
        let mut first_else: Option<Span> = None;
        for option in options {
            self.elements.open();
            self.early = false;
            self.sequence(option);
            sequences.push(self.close(Place::Option));
            if let Some(ast::Stmt { kind: StmtKind::Else, span, .. }) = option.steps.first() {
                match first_else {
                    None => first_else = Some(*span),
                    Some(first) => self.diagnostics.push(
                        Diagnostic::error(codes::DUPLICATE_ELSE, "a selection has only one `else`")
                            .at(*span, "another one")
                            .label(first, "the first one"),
                    ),
                }
            }
        }
        if let Some(span) = first_else {
            self.check_else(options, span);
        }
        if !self.in_claim {
            for &sequence in &sequences {
                self.elements.prune(sequence);
            }
        }
        sequences
    }

    pub(super) fn enter_loop(&mut self) -> u32 {
        let number = self.next_loop;
        self.next_loop += 1;
        self.loops.push(number);
        number
    }

    /// `main unless escape`.
    fn unless(&mut self, main: Pending, escape: Pending, stmt: &ast::Stmt) -> Pending {
        let escape = match escape {
            Pending { labels, kind: PendingKind::Simple(Node::Plain(body)), .. } if labels.is_empty() => body,
            escape => self.wrapped(escape, Place::Escape),
        };
        let (labels, kind) = match main {
            Pending { labels, kind: PendingKind::Simple(Node::Plain(body)), .. } if labels.is_empty() => {
                (labels, PendingKind::Unless(body, escape))
            }
            Pending {
                labels,
                kind: PendingKind::Simple(node @ (Node::Plain(body) | Node::Atomic(body) | Node::DStep(body))),
                span,
            } if labels.len() == 1 => {
                // The label is for the whole statement.
                let inner = Pending { labels: Vec::new(), kind: PendingKind::Unless(body, escape), span };
                self.elements.open();
                self.elements.add(inner);
                let whole = self.elements.close();
                let node = match node {
                    Node::Atomic(_) => Node::Atomic(whole),
                    Node::DStep(_) => Node::DStep(whole),
                    _ => Node::Plain(whole),
                };
                (labels, PendingKind::Simple(node))
            }
            main => {
                let main = self.wrapped(main, Place::Main);
                (Vec::new(), PendingKind::Unless(main, escape))
            }
        };
        Pending { labels: stmt.labels.iter().cloned().chain(labels).collect(), kind, span: stmt.span }
    }

    fn wrapped(&mut self, pending: Pending, place: Place) -> SequenceId {
        self.elements.open();
        self.elements.add(pending);
        self.close(place)
    }

    /// `x++` and `x--`.
    fn count(&mut self, target: &ast::VarRef, op: BinaryOp) -> Option<Basic> {
        let place = self.target(target)?;
        let value = match &place {
            Target::Var(place) => {
                if self.symbols[place.symbol.index()].leaves[place.leaf].scalar == Scalar::Chan {
                    self.error(
                        codes::NOT_A_CHANNEL,
                        "a channel cannot be counted with",
                        target.span,
                        "a channel",
                    );
                    return None;
                }
                Ex::var(place.clone())
            }
            Target::Through(access) => Ex::through(access.clone()),
            Target::Priority => Ex { kind: ExKind::Priority, span: target.span },
            Target::Nothing => {
                self.error(codes::UNDECLARED, "`_` has no value", target.span, "it can only be set");
                return None;
            }
        };
        let one = Ex::int(1, target.span);
        Some(Basic::Assign(place, Ex::binary(op, value, one)))
    }

    /// The arguments of a send in a trace: constants have to match, other arguments are ignored.
    fn sent_pattern(&mut self, args: &[ast::Expr]) -> Option<Vec<Arg>> {
        let mut all = Vec::new();
        for arg in args {
            let ast::ExprKind::Var(var) = &arg.kind else {
                let value = self.expr(arg)?;
                all.push(if value.literal().is_some() { Arg::Match(value) } else { Arg::Any });
                continue;
            };
            match self.var(var, true)? {
                Resolved::Constant(value) => all.push(Arg::Match(Ex::int(value, arg.span))),
                Resolved::Record(_, places, _) => all.extend(places.iter().map(|_| Arg::Any)),
                Resolved::Object(places, _) => all.extend(places.iter().map(|_| Arg::Any)),
                Resolved::Place(_) | Resolved::Through(_) | Resolved::Nothing | Resolved::Predefined(_) => {
                    all.push(Arg::Any);
                }
            }
        }
        Some(all)
    }
}
