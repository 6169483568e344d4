//! Names, types and constants: from expressions of the text to expressions over variables.
//!
//! Functions report errors, and then return `None`.

use source::Diagnostic;

use crate::ast::{self, UnaryOp};
use crate::build::Builder;
use crate::codes;
use crate::objects::{Access, Dynamic};
use crate::symbols::{Scalar, Ty};
use crate::tree::{Arg, Ex, ExKind, Ref, Run, SymbolId, Target};

/// The meaning of a reference.
pub enum Resolved {
    Constant(i32),
    Predefined(ExKind),
    /// `_`
    Nothing,
    Place(Ref),
    /// All places of a record, in order.
    Record(SymbolId, Vec<Ref>, usize),
    /// A place in an object.
    Through(Access),
    /// All places of a record that is an object, or a part of one, in order, and its type.
    Object(Vec<Access>, usize),
}

impl Builder<'_> {
    pub fn expr(&mut self, expr: &ast::Expr) -> Option<Ex> {
        let kind = match &expr.kind {
            ast::ExprKind::Int(value) => ExKind::Int(*value),
            ast::ExprKind::Var(var) => match self.var(var, true)? {
                Resolved::Constant(value) => ExKind::Int(value),
                Resolved::Predefined(kind) => kind,
                Resolved::Place(place) => ExKind::Var(place),
                Resolved::Nothing => {
                    self.error(codes::UNDECLARED, "`_` has no value", var.span, "it can only be set");
                    return None;
                }
                Resolved::Record(symbol, ..) => return self.whole_record(symbol, var.span),
                Resolved::Through(access) => ExKind::Dynamic(Dynamic::Load(access)),
                Resolved::Object(..) => return self.whole_object(var.span),
            },
            ast::ExprKind::AddressOf(place) => return self.address_of(place),
            ast::ExprKind::Call(name, args) => self.call_in_expression(name, args)?,
            ast::ExprKind::Unary(op, a) => {
                let a = self.expr(a)?;
                // SPIN's lexer and parser keep a minus before a number apart, too.
                ExKind::Unary(*op, Box::new(a))
            }
            ast::ExprKind::Binary(op, a, b) => {
                let (a, b) = (self.expr(a), self.expr(b));
                ExKind::Binary(*op, Box::new(a?), Box::new(b?))
            }
            ast::ExprKind::Cond(parts) => {
                let [a, b, c] = &**parts;
                let (a, b, c) = (self.expr(a), self.expr(b), self.expr(c));
                ExKind::Cond(Box::new([a?, b?, c?]))
            }
            ast::ExprKind::Run(run) => ExKind::Run(self.run(run, expr)?),
            ast::ExprKind::Len(var) => ExKind::Len(Box::new(self.channel(var)?)),
            ast::ExprKind::Probe(probe, var) => ExKind::Probe(*probe, Box::new(self.channel(var)?)),
            ast::ExprKind::Poll { channel, random, args } => {
                let (channel, args) = (self.channel(channel), self.receive_args(args));
                let (channel, args) = (channel?, args?);
                self.check_fields(&channel, args.len(), expr.span);
                ExKind::Poll { channel: Box::new(channel), random: *random, args }
            }
            ast::ExprKind::Enabled(a) => {
                self.observes_scheduling = true;
                ExKind::Enabled(Box::new(self.expr(a)?))
            }
            ast::ExprKind::PcValue(a) => {
                self.observes_scheduling = true;
                ExKind::PcValue(Box::new(self.expr(a)?))
            }
            ast::ExprKind::GetPriority(a) => {
                self.has_priorities = true;
                ExKind::GetPriority(Box::new(self.expr(a)?))
            }
            ast::ExprKind::Timeout => ExKind::Timeout,
            ast::ExprKind::Nonprogress => {
                if !self.in_claim {
                    self.error(codes::CLAIM_ONLY, "`np_` outside of a `never` claim", expr.span, "not here");
                    return None;
                }
                ExKind::Nonprogress
            }
            ast::ExprKind::RemoteLabel { process, pid, label } => {
                let pid = self.optional(pid.as_deref())?;
                self.mention_remote(process, label);
                self.remote_labels.push((process.clone(), label.clone()));
                self.labels_asked_for.insert((process.text.clone(), label.text.clone()));
                ExKind::RemoteLabel { process: process.clone(), pid, label: label.clone() }
            }
            ast::ExprKind::RemoteVar { process, pid, variable } => {
                let pid = self.optional(pid.as_deref())?;
                let part = variable.parts.first()?;
                self.mention_remote(process, &part.name);
                let index = self.optional(part.index.as_deref())?;
                self.has_remote_variables = true;
                ExKind::RemoteVar { process: process.clone(), pid, variable: part.name.clone(), index }
            }
        };
        Some(Ex { kind, span: expr.span })
    }

    /// An optional expression: an absent one is fine, one with errors is not.
    #[expect(clippy::option_option, reason = "the outer one is for what was reported")]
    fn optional(&mut self, expr: Option<&ast::Expr>) -> Option<Option<Box<Ex>>> {
        match expr {
            None => Some(None),
            Some(expr) => Some(Some(Box::new(self.expr(expr)?))),
        }
    }

    pub fn whole_record<T>(&mut self, symbol: SymbolId, span: source::Span) -> Option<T> {
        let declared = self.symbols[symbol.index()].span;
        let message = format!("the record `{}` as a whole is no number", self.symbols[symbol.index()].name);
        self.diagnostics.push(
            Diagnostic::error(codes::WHOLE_RECORD, message)
                .at(span, "name one of its fields")
                .label(declared, "declared here"),
        );
        None
    }

    fn run(&mut self, run: &ast::Run, expr: &ast::Expr) -> Option<Run> {
        if self.process.is_none() {
            self.error(codes::BAD_RUN, "`run` outside of a process", expr.span, "not here");
            return None;
        }
        if !self.process_names.contains_key(&run.process.text) {
            self.no_process(&run.process);
            return None;
        }
        self.mention_process(&run.process);
        let args = self.send_args(&run.args)?;
        let priority = match &run.priority {
            None => None,
            Some(literal) => Some(self.priority(literal)?),
        };
        self.started.insert(run.process.text.clone());
        Some(Run { process: run.process.clone(), args, priority })
    }

    pub fn priority(&mut self, literal: &ast::Literal) -> Option<u8> {
        self.has_priorities = true;
        match u8::try_from(literal.value) {
            Ok(value) if value > 0 => Some(value),
            _ => {
                self.error(
                    codes::BAD_SIZE,
                    "a priority is between 1 and 255",
                    literal.span,
                    "not a priority",
                );
                None
            }
        }
    }

    /// Arguments of `run` and of a send: records stand for their fields.
    pub fn send_args(&mut self, args: &[ast::Expr]) -> Option<Vec<Ex>> {
        let mut all = Some(Vec::new());
        for arg in args {
            let values = match &arg.kind {
                ast::ExprKind::Var(var) => match self.var(var, true) {
                    Some(Resolved::Record(_, places, _)) => Some(places.into_iter().map(Ex::var).collect()),
                    Some(Resolved::Constant(value)) => Some(vec![Ex::int(value, arg.span)]),
                    Some(Resolved::Place(place)) => Some(vec![Ex::var(place)]),
                    Some(Resolved::Predefined(kind)) => Some(vec![Ex { kind, span: arg.span }]),
                    Some(Resolved::Through(access)) => Some(vec![Ex::through(access)]),
                    Some(Resolved::Object(places, _)) => Some(places.into_iter().map(Ex::through).collect()),
                    Some(Resolved::Nothing) => {
                        self.error(codes::UNDECLARED, "`_` has no value", var.span, "it can only be set");
                        None
                    }
                    None => None,
                },
                _ => self.expr(arg).map(|value| vec![value]),
            };
            if values.iter().flatten().any(|value| value.any(|kind| matches!(kind, ExKind::Run(_)))) {
                self.error(codes::BAD_RUN, "`run` among the arguments", arg.span, "start the process before");
                all = None;
            }
            match (values, &mut all) {
                (Some(values), Some(all)) => all.extend(values),
                _ => all = None,
            }
        }
        all
    }

    pub fn receive_args(&mut self, args: &[ast::ReceiveArg]) -> Option<Vec<Arg>> {
        let mut all = Some(Vec::new());
        for arg in args {
            let fields = match &arg.kind {
                ast::ReceiveArgKind::Var(var) => match self.var(var, true) {
                    Some(Resolved::Record(_, places, _)) => {
                        Some(places.into_iter().map(Arg::Store).collect())
                    }
                    Some(Resolved::Constant(value)) => Some(vec![Arg::Match(Ex::int(value, arg.span))]),
                    Some(Resolved::Place(place)) => Some(vec![Arg::Store(place)]),
                    Some(Resolved::Nothing) => Some(vec![Arg::Any]),
                    Some(Resolved::Through(access)) => Some(vec![Arg::StoreThrough(access)]),
                    Some(Resolved::Object(places, _)) => {
                        Some(places.into_iter().map(Arg::StoreThrough).collect())
                    }
                    Some(Resolved::Predefined(kind @ ExKind::Dynamic(_))) => {
                        Some(vec![Arg::Match(Ex { kind, span: arg.span })])
                    }
                    Some(Resolved::Predefined(_)) => {
                        self.constant_target(var, true);
                        None
                    }
                    None => None,
                },
                ast::ReceiveArgKind::Eval(value) => self.expr(value).map(|value| vec![Arg::Match(value)]),
                ast::ReceiveArgKind::Int(value) => Some(vec![Arg::Match(Ex::int(*value, arg.span))]),
            };
            match (fields, &mut all) {
                (Some(fields), Some(all)) => all.extend(fields),
                _ => all = None,
            }
        }
        all
    }

    /// Reports that something that cannot be set is to be set, by a receive or otherwise.
    pub fn constant_target(&mut self, var: &ast::VarRef, received: bool) {
        let name = var.parts.first().map_or("_", |part| &part.name.text);
        let message = format!("`{name}` cannot be set");
        let help = format!("`eval({name})` waits for a message with this value");
        let diagnostic =
            Diagnostic::error(codes::CONSTANT_TARGET, message).at(var.span, "this is not a variable");
        self.diagnostics.push(if received { diagnostic.help(help) } else { diagnostic });
    }

    /// The target of an assignment.
    pub fn target(&mut self, var: &ast::VarRef) -> Option<Target> {
        match self.var(var, false)? {
            Resolved::Place(place) => Some(Target::Var(place)),
            Resolved::Nothing => Some(Target::Nothing),
            Resolved::Predefined(ExKind::Priority) => Some(Target::Priority),
            Resolved::Constant(_) | Resolved::Predefined(_) => {
                self.constant_target(var, false);
                None
            }
            Resolved::Record(symbol, ..) => self.whole_record(symbol, var.span),
            Resolved::Through(access) => Some(Target::Through(access)),
            Resolved::Object(..) => self.whole_object(var.span),
        }
    }

    /// The channel of a send, a receive or a poll.
    pub fn channel(&mut self, var: &ast::VarRef) -> Option<Ex> {
        self.channel_or(var, None)
    }

    /// Like [`Self::channel`]; `value` is sent or received as the only field, and may be the channel that is
    /// meant.
    pub fn channel_or(&mut self, var: &ast::VarRef, value: Option<&ast::VarRef>) -> Option<Ex> {
        match self.var(var, true)? {
            Resolved::Place(place) => {
                let symbol = &self.symbols[place.symbol.index()];
                let leaf = &symbol.leaves[place.leaf];
                if leaf.scalar != Scalar::Chan {
                    let (message, declared) = (format!("`{}` is no channel", leaf.name), symbol.span);
                    let diagnostic = Diagnostic::error(codes::NOT_A_CHANNEL, message)
                        .at(var.span, "a channel is needed here")
                        .label(declared, "declared here");
                    let is_channel = |name: &ast::Name| {
                        let symbol = self.scopes.find(&name.text)?;
                        (self.symbols[symbol.index()].scalar() == Some(Scalar::Chan))
                            .then(|| name.text.clone())
                    };
                    let swapped = value.and_then(ast::VarRef::as_name).and_then(is_channel);
                    let diagnostic = match swapped {
                        Some(name) => {
                            diagnostic.help(format!("the channel comes first: `{name}?x`, `{name}!x`"))
                        }
                        None => diagnostic,
                    };
                    self.diagnostics.push(diagnostic);
                    return None;
                }
                self.check_has_channel(&place, var.span);
                Some(Ex::var(place))
            }
            Resolved::Record(symbol, ..) => self.whole_record(symbol, var.span),
            Resolved::Object(..) => self.whole_object(var.span),
            Resolved::Through(access) if access.scalar == Scalar::Chan => Some(Ex::through(access)),
            Resolved::Through(_) | Resolved::Constant(_) | Resolved::Predefined(_) | Resolved::Nothing => {
                self.error(codes::NOT_A_CHANNEL, "this is no channel", var.span, "a channel is needed here");
                None
            }
        }
    }

    /// Warns of a message that does not fit the channel that a variable was declared with.
    pub fn check_fields(&mut self, channel: &Ex, count: usize, span: source::Span) {
        let ExKind::Var(place) = &channel.kind else { return };
        let symbol = &self.symbols[place.symbol.index()];
        let Some(declared) = symbol.channel(place.leaf) else { return };
        if declared.fields.len() != count {
            let fields =
                |count: usize| if count == 1 { "1 field".to_owned() } else { format!("{count} fields") };
            let message = format!("a message with {} for `{}`", fields(count), symbol.name);
            let label = format!("its messages have {}", fields(declared.fields.len()));
            let diagnostic = Diagnostic::warning(codes::FIELD_COUNT, message)
                .at(span, "")
                .label(declared.span, label)
                .note("if this is executed with this channel, that is a violation of the kind `channel`");
            self.diagnostics.push(diagnostic);
        }
    }

    /// Checks that an event of a trace has no more fields than the messages of its channel.
    pub fn check_event_fields(&mut self, channel: &Ex, args: &[Arg], span: source::Span) {
        self.check_fields(channel, args.len(), span);
        let ExKind::Var(place) = &channel.kind else { return };
        let Some(declared) = self.symbols[place.symbol.index()].channel(place.leaf) else { return };
        let (fields, declared) = (declared.fields.len(), declared.span);
        if args.iter().skip(fields).any(|arg| matches!(arg, Arg::Match(_))) {
            self.diagnostics.push(
                Diagnostic::error(codes::NO_EVENT, "an event with a field that the messages do not have")
                    .at(span, "such a message is never sent")
                    .label(declared, "the channel"),
            );
        }
    }

    /// The meaning of a reference. `read` says whether its value is read.
    pub fn var(&mut self, var: &ast::VarRef, read: bool) -> Option<Resolved> {
        if self.is_dynamic {
            return self.place(var, read);
        }
        let base = var.parts.first()?;
        if let (Some(name), None) = (var.as_name(), self.scopes.find(&base.name.text)) {
            let predefined = match &*name.text {
                "_" => return Some(Resolved::Nothing),
                "_pid" => Some(ExKind::Pid),
                "_nr_pr" => Some(ExKind::Count),
                "_last" => {
                    self.asks_for_last = true;
                    self.last_is_in_process |= !self.in_claim;
                    Some(ExKind::Last)
                }
                "_priority" => {
                    self.has_priorities = true;
                    Some(ExKind::Priority)
                }
                _ => None,
            };
            if let Some(kind) = predefined {
                return Some(Resolved::Predefined(kind));
            }
            if let Some(&(_, value)) = self.constants.get(&name.text) {
                self.mention_top(name);
                return Some(Resolved::Constant(value));
            }
        }
        let Some(id) = self.scopes.find(&base.name.text) else {
            self.undeclared(&base.name);
            return None;
        };
        self.mention(&base.name, self.symbols[id.index()].span);
        let symbol = &mut self.symbols[id.index()];
        symbol.used = true;
        symbol.read |= read && !self.in_print;
        let (mut ty, mut size, declared) = (symbol.ty, symbol.size, symbol.span);
        let mut path = Vec::new();
        let mut indices = Vec::new();
        let mut sound = true;
        for (at, part) in var.parts.iter().enumerate() {
            let name = &part.name;
            let index = part.index.as_deref();
            let value = index.map(|index| self.expr(index));
            match (size, value) {
                (Some(_), Some(value)) => match value {
                    Some(value) => indices.push(value),
                    None => sound = false,
                },
                (Some(_), None) => {
                    let message = format!("`{}` is an array and needs an index", name.text);
                    self.diagnostics.push(
                        Diagnostic::error(codes::MISSING_INDEX, message)
                            .at(name.span, "no index")
                            .label(declared, "declared here"),
                    );
                    sound = false;
                }
                // SPIN admits the index 0 on a variable that is not an array.
                (None, Some(Some(value))) if value.literal() == Some(0) => {}
                (None, Some(value)) => {
                    sound = false;
                    if value.is_some() {
                        let message = format!("`{}` is no array", name.text);
                        self.diagnostics.push(
                            Diagnostic::error(codes::NOT_AN_ARRAY, message)
                                .at(part.index.as_ref().map_or(name.span, |index| index.span), "an index")
                                .label(declared, "declared here"),
                        );
                    }
                }
                (None, None) => {}
            }
            let Some(next) = var.parts.get(at + 1) else { break };
            let field = match ty {
                Ty::Record(record) => {
                    let fields = &self.typedefs[record].fields;
                    fields.iter().position(|field| field.name == next.name.text).map(|at| (record, at))
                }
                Ty::Scalar(_) => None,
            };
            let Some((record, field)) = field else {
                self.no_field(name, ty, &next.name);
                return None;
            };
            self.mention(&next.name, self.typedefs[record].fields[field].span);
            path.push(field);
            let field = &self.typedefs[record].fields[field];
            (ty, size) = (field.ty, field.size);
        }
        if !sound {
            return None;
        }
        let leaves = &self.symbols[id.index()].leaves;
        match ty {
            Ty::Scalar(_) => {
                let leaf = leaves.iter().position(|leaf| leaf.path == path)?;
                Some(Resolved::Place(Ref { symbol: id, leaf, indices, span: var.span }))
            }
            Ty::Record(record) => {
                let mut places = Vec::new();
                for (leaf, of) in leaves.iter().enumerate().filter(|(_, leaf)| leaf.path.starts_with(&path)) {
                    for rest in combinations(of.dims.get(indices.len()..).unwrap_or_default()) {
                        let rest = rest.into_iter().map(|index| Ex::int(index as i32, var.span));
                        let indices = indices.iter().cloned().chain(rest).collect();
                        places.push(Ref { symbol: id, leaf, indices, span: var.span });
                    }
                }
                Some(Resolved::Record(id, places, record))
            }
        }
    }

    /// The value of a constant expression.
    pub fn constant(&mut self, expr: &ast::Expr) -> Option<i64> {
        let value = self.fold(expr);
        if value.is_none() {
            self.error(
                codes::NOT_CONSTANT,
                "this must be a constant",
                expr.span,
                "not known before the model runs",
            );
        }
        value
    }

    fn fold(&mut self, expr: &ast::Expr) -> Option<i64> {
        Some(match &expr.kind {
            ast::ExprKind::Int(value) => i64::from(*value),
            ast::ExprKind::Var(var) => {
                let name = var.as_name()?;
                match self.scopes.find(&name.text) {
                    None => i64::from(self.constants.get(&name.text)?.1),
                    Some(id) => {
                        // SPIN takes the initial value of a variable, if it is a positive constant.
                        let symbol = &mut self.symbols[id.index()];
                        symbol.used = true;
                        let init = symbol.leaves.first()?.init.as_ref();
                        match init {
                            Some(crate::symbols::Init::Value(value)) => value
                                .literal()
                                .map_or(8, |value| if value > 0 { i64::from(value) } else { 8 }),
                            _ => 8,
                        }
                    }
                }
            }
            ast::ExprKind::Unary(UnaryOp::Negate, a) => -self.fold(a)?,
            ast::ExprKind::Binary(op, a, b) => {
                let (a, b) = (self.fold(a)?, self.fold(b)?);
                match op {
                    ast::BinaryOp::Add => a.checked_add(b)?,
                    ast::BinaryOp::Subtract => a.checked_sub(b)?,
                    ast::BinaryOp::Multiply => a.checked_mul(b)?,
                    ast::BinaryOp::Divide => a.checked_div(b)?,
                    ast::BinaryOp::Remainder => a.checked_rem(b)?,
                    _ => return None,
                }
            }
            _ => return None,
        })
    }
}

/// All combinations of indices, the last one running fastest.
pub fn combinations(dims: &[u32]) -> Vec<Vec<u32>> {
    let mut all = vec![Vec::new()];
    for &len in dims {
        all = all
            .into_iter()
            .flat_map(|head: Vec<u32>| {
                (0..len).map(move |index| head.iter().copied().chain([index]).collect::<Vec<u32>>())
            })
            .collect();
    }
    all
}
