//! Types in dynamic programs.
//!
//! All of SPIN's numbers are one type. Pointers of each type, channels, functions and processes are types of
//! their own, whose values can be assigned and compared for equality. The exception are processes: where the
//! number of one is computed with, processes are numbers, as in SPIN, and their states are not renamed.

use source::{Diagnostic, Span};

use crate::ast::{BinaryOp, UnaryOp};
use crate::build::{Builder, ProcessKind};
use crate::codes;
use crate::elements::{ATOMIC, Destination, LAST, Node};
use crate::objects::{Act, Address, Callee, Dynamic, Function, Pointee, PointeeId};
use crate::symbols::{ChannelType, Init, Scalar};
use crate::tree::{Arg, Basic, Ex, ExKind, Ref, Run, Target};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    Number,
    Process,
    Channel,
    Function,
    Pointer(PointeeId),
    /// `null`, which all types but numbers have.
    Null,
}

impl Kind {
    pub fn of(scalar: Scalar) -> Self {
        match scalar {
            Scalar::Pointer(pointee) => Self::Pointer(pointee),
            Scalar::Function => Self::Function,
            Scalar::Process => Self::Process,
            Scalar::Chan => Self::Channel,
            Scalar::Bit
            | Scalar::Byte
            | Scalar::Short
            | Scalar::Int
            | Scalar::Unsigned(_)
            | Scalar::Mtype(_) => Self::Number,
        }
    }
}

/// Why processes are numbers, with the place.
pub type Numbered = Option<(Span, &'static str)>;

/// The result of the check of a whole program.
struct Checker<'b, 'a> {
    builder: &'b mut Builder<'a>,
    numbered: Numbered,
    /// Where a process may be `null`.
    no_process: Option<Span>,
    /// The kinds of the fields of messages, for each channel that the model makes.
    channel_types: Vec<Vec<Kind>>,
    /// The functions that are used as values.
    referred: Vec<usize>,
}

impl Builder<'_> {
    pub fn scalar_of(&self, place: &Ref) -> Scalar {
        self.symbols[place.symbol.index()].leaves[place.leaf].scalar
    }

    pub fn kind_of(&self, ex: &Ex) -> Kind {
        match &ex.kind {
            ExKind::Var(place) => Kind::of(self.scalar_of(place)),
            ExKind::Pid | ExKind::Run(_) => Kind::Process,
            ExKind::Cond(parts) => match self.kind_of(&parts[1]) {
                Kind::Null => self.kind_of(&parts[2]),
                kind => kind,
            },
            ExKind::Dynamic(Dynamic::Null) => Kind::Null,
            ExKind::Dynamic(Dynamic::Function(_)) => Kind::Function,
            ExKind::Dynamic(Dynamic::AddressOf(_, pointee)) => Kind::Pointer(*pointee),
            ExKind::Dynamic(Dynamic::Load(access)) => Kind::of(access.scalar),
            ExKind::Dynamic(Dynamic::Call(id, _)) => {
                self.functions[id.0].result.map_or(Kind::Number, Kind::of)
            }
            _ => Kind::Number,
        }
    }

    /// The name of a type, for messages.
    fn kind_name(&self, kind: Kind) -> String {
        let scalar = |scalar: Scalar| -> String {
            match scalar {
                Scalar::Bit => "bit".to_owned(),
                Scalar::Byte => "byte".to_owned(),
                Scalar::Short => "short".to_owned(),
                Scalar::Int => "int".to_owned(),
                Scalar::Unsigned(_) => "unsigned".to_owned(),
                Scalar::Mtype(_) => "mtype".to_owned(),
                other => self.kind_name(Kind::of(other)),
            }
        };
        match kind {
            Kind::Number => "number".to_owned(),
            Kind::Process => "pid".to_owned(),
            Kind::Channel => "chan".to_owned(),
            Kind::Function => "ftype".to_owned(),
            Kind::Null => "null".to_owned(),
            Kind::Pointer(pointee) => match &self.pointees[pointee.index()] {
                Pointee::Record(name) => format!("{name}&"),
                Pointee::Scalar(inner) => format!("{}&", scalar(*inner)),
            },
        }
    }

    /// Checks the types of a dynamic program. Returns why its processes are numbers, if they are.
    pub fn check_types(&mut self) -> Numbered {
        let channel_types = self.channel_types();
        let kinds = |ty: &ChannelType| ty.fields.iter().map(|&(scalar, _)| Kind::of(scalar)).collect();
        let channel_types = channel_types.iter().map(kinds).collect();
        let referred = self.referred_functions();
        let mut checker =
            Checker { builder: self, numbered: None, no_process: None, channel_types, referred };
        checker.program();
        let Checker { numbered, no_process, .. } = checker;
        if let (Some((at, why)), Some(null)) = (numbered, no_process) {
            self.diagnostics.push(
                Diagnostic::error(
                    codes::TYPE_MISMATCH,
                    "`null` is not a process where processes have numbers",
                )
                .at(null, "a process is compared with this, or set to it")
                .label(at, why),
            );
        }
        numbered
    }
}

impl Checker<'_, '_> {
    fn program(&mut self) {
        let elements = self.builder.elements.all.iter();
        let statements: Vec<_> = elements
            .filter_map(|element| match &element.node {
                Node::Basic(basic) => {
                    Some((basic.clone(), element.span, element.marks, !element.escapes.is_empty()))
                }
                _ => None,
            })
            .collect();
        let handshakes = self.builder.has_rendezvous();
        for (basic, span, marks, is_covered) in statements {
            self.basic(&basic, span);
            let is_message = matches!(basic, Basic::Send { .. } | Basic::Receive { .. });
            let is_call = matches!(basic, Basic::Dynamic(Act::Call { .. }));
            if handshakes && (is_message && marks & ATOMIC != 0 || is_call && marks & (ATOMIC | LAST) != 0) {
                self.number(span, "a rendezvous may hand an `atomic` over to another process");
            }
            // The statements of the function would not be covered.
            if is_call && is_covered {
                self.builder.diagnostics.push(
                    Diagnostic::error(
                        codes::UNSUPPORTED_DYNAMIC,
                        "a call in what an `unless` covers is not supported",
                    )
                    .at(span, "the escape would not be possible inside of the function")
                    .help("move the call out of the `unless`, or make the function an inline"),
                );
            }
        }
        self.labels();
        for symbol in 0..self.builder.symbols.len() {
            for leaf in self.builder.symbols[symbol].leaves.clone() {
                let values = match leaf.init {
                    Some(Init::Value(value)) => vec![value],
                    Some(Init::List(values)) => values,
                    _ => Vec::new(),
                };
                for value in values {
                    self.fits(Kind::of(leaf.scalar), &value);
                }
                let span = self.builder.symbols[symbol].span;
                match Kind::of(leaf.scalar) {
                    Kind::Process if !leaf.dims.is_empty() => self.number(span, "an array of processes"),
                    _ => {}
                }
            }
        }
        for at in 0..self.builder.processes.len() {
            if let Some(provided) = self.builder.processes[at].provided.clone() {
                self.condition(&provided);
                // It would not hold a process back that is in a function.
                if self.builder.functions.iter().any(|function| !function.is_expression) {
                    self.refuse(
                        "`provided` is not supported in programs with functions",
                        provided.span,
                        "begin statements with the condition, or make functions inlines",
                    );
                }
            }
            for claim in self.builder.processes[at].claims.clone() {
                self.refuse(
                    "`xr` and `xs` are not supported in dynamic programs",
                    claim.span,
                    "leave the claim out: what a process has to itself is found without it",
                );
            }
            let span = self.builder.processes[at].span;
            if matches!(self.builder.processes[at].kind, ProcessKind::Trace { .. }) {
                self.refuse("`trace` and `notrace` are not supported in dynamic programs", span, "set a global variable with each message, in an `atomic`, and write an `ltl` formula about it");
            }
        }
        for at in 0..self.builder.functions.len() {
            let function = self.builder.functions[at].clone();
            if let Some(value) = &function.value {
                self.fits(function.result.map_or(Kind::Number, Kind::of), value);
            }
        }
        for at in 0..self.builder.properties.len() {
            let atoms = match &self.builder.properties[at].kind {
                crate::build::PropertyKind::Formula(_, atoms)
                | crate::build::PropertyKind::Automaton(_, atoms) => atoms.clone(),
                crate::build::PropertyKind::Never(_) => Vec::new(),
            };
            for atom in atoms {
                self.condition(&atom);
            }
        }
        for at in 0..self.builder.symbols.len() {
            if self.builder.symbols[at].hidden {
                let span = self.builder.symbols[at].span;
                self.refuse(
                    "`hidden` variables are not supported in dynamic programs",
                    span,
                    "leave `hidden` out: a variable that nothing reads costs little",
                );
            }
        }
        if self.builder.has_priorities {
            let span = self.builder.processes.first().map_or(Span::default(), |process| process.span);
            self.refuse(
                "priorities are not supported in dynamic programs",
                span,
                "let statements wait for a condition that says whose turn it is",
            );
        }
    }

    /// Properties ask where processes are, and not where the functions are that they have called.
    fn labels(&mut self) {
        let mut wrong = Vec::new();
        for label in &self.builder.elements.labels {
            let Destination::Label { name, .. } = &label.destination else { continue };
            let is_function = matches!(self.builder.processes[label.process].kind, ProcessKind::Function(_));
            if is_function && (name.starts_with("accept") || name.starts_with("progress")) {
                wrong.push(label.span);
            }
        }
        for span in wrong {
            self.refuse(
                "labels of acceptance and progress are not supported in functions",
                span,
                "put the label on the statement of the process that calls the function",
            );
        }
    }

    fn number(&mut self, span: Span, why: &'static str) {
        self.numbered.get_or_insert((span, why));
    }

    fn refuse(&mut self, message: &str, span: Span, instead: &str) {
        let refused =
            Diagnostic::error(codes::UNSUPPORTED_DYNAMIC, message).at(span, "not here").help(instead);
        self.builder.diagnostics.push(refused);
    }

    fn mismatch(&mut self, wanted: Kind, given: Kind, span: Span) {
        let (wanted_name, given_name) = (self.builder.kind_name(wanted), self.builder.kind_name(given));
        let message = format!("expected `{wanted_name}`, found `{given_name}`");
        let diagnostic = Diagnostic::error(codes::TYPE_MISMATCH, message).at(span, "a value of another type");
        let diagnostic = match (wanted, given) {
            (Kind::Number, _) | (_, Kind::Number) => diagnostic
                .help("what leads nowhere is `null`; `*p` is what a pointer `p` to a number leads to"),
            _ => diagnostic,
        };
        self.builder.diagnostics.push(diagnostic);
    }

    /// Checks that a value can be stored to a place of this kind.
    fn fits(&mut self, wanted: Kind, value: &Ex) {
        let errors = self.builder.diagnostics.errors();
        let given = self.expr(value);
        match (wanted, given) {
            // What is wrong with an operand would be said again.
            _ if self.builder.diagnostics.errors() > errors => {}
            _ if wanted == given => {}
            (Kind::Number, Kind::Null) => self.mismatch(wanted, given, value.span),
            (Kind::Process, Kind::Null) => self.no_process = Some(value.span),
            (_, Kind::Null) => {}
            (Kind::Process, Kind::Number) | (Kind::Number, Kind::Process) => {
                self.number(value.span, "a process is used as a number");
            }
            _ => self.mismatch(wanted, given, value.span),
        }
    }

    fn condition(&mut self, ex: &Ex) {
        let kind = self.expr(ex);
        match kind {
            Kind::Number => {}
            // `run P()` as a statement.
            Kind::Process if matches!(ex.kind, ExKind::Run(_)) => {}
            Kind::Process => self.number(ex.span, "a process is used as a number"),
            _ => {
                let name = self.builder.kind_name(kind);
                self.builder.diagnostics.push(
                    Diagnostic::error(codes::NOT_A_NUMBER, format!("`{name}` is not a condition"))
                        .at(ex.span, "neither true nor false")
                        .help("compare it: `p != null`"),
                );
            }
        }
    }

    fn operand(&mut self, ex: &Ex, what: &str) {
        let kind = self.expr(ex);
        match kind {
            Kind::Number => {}
            Kind::Process => self.number(ex.span, "a process is used as a number"),
            _ => {
                let name = self.builder.kind_name(kind);
                self.builder.diagnostics.push(
                    Diagnostic::error(codes::NOT_A_NUMBER, format!("{what} needs numbers"))
                        .at(ex.span, format!("this is a value of type `{name}`"))
                        .help(
                            "pointers, channels and functions can be assigned, and compared by `==` and `!=`",
                        ),
                );
            }
        }
    }

    fn place(&mut self, place: &Ref) -> Kind {
        place.indices.iter().for_each(|index| self.operand(index, "an index"));
        Kind::of(self.builder.scalar_of(place))
    }

    fn access(&mut self, access: &crate::objects::Access) -> Kind {
        self.expr(&access.base);
        if let Some(element) = &access.element {
            self.operand(element, "an index");
        }
        access.indices.iter().for_each(|index| self.operand(index, "an index"));
        Kind::of(access.scalar)
    }

    fn target(&mut self, target: &Target) -> Option<Kind> {
        match target {
            Target::Var(place) => Some(self.place(place)),
            Target::Through(access) => Some(self.access(access)),
            Target::Nothing => None,
            Target::Priority => Some(Kind::Number),
        }
    }

    fn expr(&mut self, ex: &Ex) -> Kind {
        match &ex.kind {
            ExKind::Last => self.refuse(
                "`_last` is not supported in dynamic programs",
                ex.span,
                "let each process set a global variable when it moves",
            ),
            ExKind::Var(place) => return self.place(place),
            ExKind::Pid => self.number(ex.span, "`_pid` is a number"),
            ExKind::Count => self.number(ex.span, "`_nr_pr` counts processes that have not ended"),
            ExKind::Timeout => self.number(ex.span, "`timeout` needs SPIN's order of processes"),
            ExKind::Unary(op, a) => match op {
                UnaryOp::Not => self.condition(a),
                UnaryOp::Negate | UnaryOp::Complement => self.operand(a, "arithmetic"),
            },
            ExKind::Binary(op, a, b) => match op {
                BinaryOp::And | BinaryOp::Or => {
                    self.condition(a);
                    self.condition(b);
                }
                BinaryOp::Equal | BinaryOp::NotEqual => self.equal(a, b),
                BinaryOp::Less | BinaryOp::LessEqual | BinaryOp::Greater | BinaryOp::GreaterEqual => {
                    self.operand(a, "an order");
                    self.operand(b, "an order");
                }
                _ => {
                    self.operand(a, "arithmetic");
                    self.operand(b, "arithmetic");
                }
            },
            ExKind::Cond(parts) => {
                let [condition, yes, no] = &**parts;
                self.condition(condition);
                self.equal(yes, no);
            }
            ExKind::Run(run) => self.run(run),
            ExKind::Len(channel) | ExKind::Probe(_, channel) => {
                self.expr(channel);
            }
            ExKind::Poll { channel, args, .. } => {
                self.expr(channel);
                for arg in args {
                    self.arg(arg);
                }
                let kinds = self.kinds(args);
                self.message(channel, &kinds, ex.span);
            }
            ExKind::Enabled(_) | ExKind::PcValue(_) | ExKind::GetPriority(_) => {
                self.refuse(
                    "questions about other processes are not supported in dynamic programs",
                    ex.span,
                    "let the process say in a global variable what others ask",
                );
            }
            ExKind::RemoteLabel { .. } | ExKind::RemoteVar { .. } => {
                self.refuse(
                    "remote references are not supported in dynamic programs",
                    ex.span,
                    "make the variable global, or set a global variable where the process passes the label",
                );
            }
            ExKind::Dynamic(Dynamic::Load(access)) => return self.access(access),
            ExKind::Dynamic(Dynamic::Call(id, args)) => {
                let name = self.builder.functions[id.0].name.text.clone();
                let params = self.builder.functions[id.0].params.clone();
                self.arguments(&name, &params, args, ex.span);
            }
            ExKind::Int(_)
            | ExKind::Nonprogress
            | ExKind::Priority
            | ExKind::Dynamic(Dynamic::Null | Dynamic::Function(_)) => {}
            ExKind::Dynamic(Dynamic::AddressOf(address, _)) => match address {
                Address::Variable(_) => {}
                Address::Part(place) => {
                    self.place(place);
                }
                Address::Through(access) => {
                    self.access(access);
                }
            },
        }
        self.builder.kind_of(ex)
    }

    fn equal(&mut self, a: &Ex, b: &Ex) {
        let (left, right) = (self.expr(a), self.expr(b));
        match (left, right) {
            _ if left == right => {}
            (Kind::Null, Kind::Process) => self.no_process = Some(a.span),
            (Kind::Process, Kind::Null) => self.no_process = Some(b.span),
            (Kind::Null, other) | (other, Kind::Null) if other != Kind::Number => {}
            (Kind::Process, Kind::Number) | (Kind::Number, Kind::Process) => {
                let at = if left == Kind::Process { a.span } else { b.span };
                self.number(at, "a process is compared with a number");
            }
            _ => self.mismatch(left, right, b.span),
        }
    }

    fn run(&mut self, run: &Run) {
        let found = self.builder.processes.iter().find(|known| known.name == run.process.text);
        let params = found.map(|process| process.params.clone()).unwrap_or_default();
        // The number of arguments is checked later.
        for (arg, param) in run.args.iter().zip(self.param_kinds(&params)) {
            self.fits(param, arg);
        }
    }

    fn param_kinds(&self, params: &[crate::tree::SymbolId]) -> Vec<Kind> {
        let leaves = params.iter().flat_map(|id| &self.builder.symbols[id.index()].leaves);
        leaves.map(|leaf| Kind::of(leaf.scalar)).collect()
    }

    fn arguments(&mut self, name: &str, params: &[crate::tree::SymbolId], args: &[Ex], span: Span) {
        let kinds = self.param_kinds(params);
        if kinds.len() != args.len() {
            let message =
                format!("`{name}` takes {}, not {}", crate::text::count(kinds.len(), "argument"), args.len());
            self.builder.error(codes::BAD_CALL, message, span, "the call");
        }
        for (arg, kind) in args.iter().zip(kinds) {
            self.fits(kind, arg);
        }
    }

    fn arg(&mut self, arg: &Arg) {
        match arg {
            Arg::Store(place) => self.place(place),
            Arg::StoreThrough(access) => self.access(access),
            Arg::Match(value) => self.expr(value),
            Arg::Any => Kind::Null,
        };
    }

    fn exprs(&mut self, all: &[Ex]) {
        for ex in all {
            self.expr(ex);
        }
    }

    fn basic(&mut self, basic: &Basic, span: Span) {
        match basic {
            Basic::Condition(ex) | Basic::Assert(ex) => self.condition(ex),
            Basic::Assign(target, value) => match self.target(target) {
                Some(kind) => self.fits(kind, value),
                None => {
                    self.expr(value);
                }
            },
            Basic::Nothing | Basic::Event { .. } | Basic::SetPriority(..) => {}
            Basic::Send { channel, args, .. } => {
                self.expr(channel);
                self.exprs(args);
                self.message(
                    channel,
                    &args.iter().map(|arg| self.builder.kind_of(arg)).collect::<Vec<_>>(),
                    span,
                );
            }
            Basic::Receive { channel, args, .. } => {
                self.expr(channel);
                for arg in args {
                    self.arg(arg);
                }
                let kinds = self.kinds(args);
                self.message(channel, &kinds, span);
            }
            Basic::Print { args, .. } => self.exprs(args),
            Basic::Dynamic(act) => self.act(act, span),
        }
    }

    /// The kinds of what is received; [`Kind::Null`] for any.
    fn kinds(&self, args: &[Arg]) -> Vec<Kind> {
        let kind = |arg: &Arg| match arg {
            Arg::Store(place) => Kind::of(self.builder.scalar_of(place)),
            Arg::StoreThrough(access) => Kind::of(access.scalar),
            Arg::Match(value) => self.builder.kind_of(value),
            Arg::Any => Kind::Null,
        };
        args.iter().map(kind).collect()
    }

    /// Checks a message against its channel: the declared one, if nothing else is assigned to the variable, or
    /// else against all channels that the model makes.
    fn message(&mut self, channel: &Ex, given: &[Kind], span: Span) {
        let known = match &channel.kind {
            ExKind::Var(place) => self.builder.declared_channel(place),
            _ => None,
        };
        if let Some(declared) = known {
            let wanted: Vec<_> = declared.fields.iter().map(|&(scalar, _)| Kind::of(scalar)).collect();
            for (wanted, &given) in wanted.into_iter().zip(given) {
                match (wanted, given) {
                    (Kind::Process, Kind::Number) | (Kind::Number, Kind::Process) => {
                        self.number(span, "a process is sent as a number");
                    }
                    (_, Kind::Null) => {}
                    _ if wanted == given => {}
                    _ => self.mismatch(wanted, given, span),
                }
            }
            return;
        }
        let types = self.channel_types.iter().filter(|fields| fields.len() == given.len());
        let mut as_numbers = false;
        for fields in types {
            let same = |(&wanted, &given): (&Kind, &Kind)| wanted == given || given == Kind::Null;
            if fields.iter().zip(given).all(same) {
                return;
            }
            let number = |kind| if kind == Kind::Process { Kind::Number } else { kind };
            let alike =
                |(&wanted, &given): (&Kind, &Kind)| number(wanted) == number(given) || given == Kind::Null;
            as_numbers |= fields.iter().zip(given).all(alike);
        }
        if as_numbers {
            return self.number(span, "a process is sent as a number");
        }
        // Without any channel, this is never executed; a wrong number of fields is a fault, as in SPIN.
        if self.channel_types.iter().any(|fields| fields.len() == given.len()) {
            self.builder.diagnostics.push(
                Diagnostic::error(codes::TYPE_MISMATCH, "no channel of the model has such messages")
                    .at(span, "fields of other types")
                    .help("`new chan(1) of { Node&, byte }` makes a channel with a pointer and a number"),
            );
        }
    }

    fn act(&mut self, act: &Act, span: Span) {
        match act {
            Act::Copy(to, from) => self.exprs(&[to.values(), from.values()].concat()),
            Act::New(target, pointee, length) => {
                if let Some(length) = length {
                    self.operand(length, "a number of objects");
                }
                let given = Kind::Pointer(*pointee);
                match self.target(target) {
                    Some(kind) if kind != given => self.mismatch(kind, given, span),
                    _ => {}
                }
            }
            Act::Declare(id, init) => {
                let wanted = self.builder.symbols[id.index()].scalar().map_or(Kind::Number, Kind::of);
                init.values().iter().for_each(|value| self.fits(wanted, value));
            }
            Act::NewChannel(target, _) => match self.target(target) {
                Some(kind) if kind != Kind::Channel => self.mismatch(kind, Kind::Channel, span),
                _ => {}
            },
            Act::Delete(ex) => {
                let kind = self.expr(ex);
                if !matches!(kind, Kind::Pointer(_) | Kind::Channel | Kind::Null) {
                    let name = self.builder.kind_name(kind);
                    let message = format!("`delete` needs a pointer, and this is a value of type `{name}`");
                    self.builder.error(codes::NOT_A_POINTER, message, ex.span, "not made by `new`");
                }
            }
            Act::Call { target, callee, args } => {
                let target = target.as_ref().and_then(|target| self.target(target));
                match callee {
                    Callee::Function(id) => {
                        let function = self.builder.functions[id.0].clone();
                        self.arguments(&function.name.text, &function.params, args, span);
                        match (target, function.result.map(Kind::of)) {
                            (Some(wanted), Some(given)) if wanted != given => {
                                self.mismatch(wanted, given, span);
                            }
                            (Some(_), None) => {
                                let message = format!("`{}` has no result", function.name.text);
                                self.builder.diagnostics.push(
                                    Diagnostic::error(codes::BAD_CALL, message)
                                        .at(span, "there is nothing to assign")
                                        .label(function.name.span, "the function"),
                                );
                            }
                            _ => {}
                        }
                    }
                    Callee::Through(ex) => {
                        let kind = self.expr(ex);
                        if kind != Kind::Function {
                            let name = self.builder.kind_name(kind);
                            let message = format!("a value of type `{name}` cannot be called");
                            self.builder.error(codes::BAD_CALL, message, ex.span, "not of type `ftype`");
                        }
                        self.exprs(args);
                        let given: Vec<Kind> = args.iter().map(|arg| self.builder.kind_of(arg)).collect();
                        let fits = |id: &usize| {
                            self.builder.function_fits(&self.builder.functions[*id], &given, target)
                        };
                        // Which of them it is, is known when it is called.
                        if kind == Kind::Function
                            && !self.referred.is_empty()
                            && !self.referred.iter().any(fits)
                        {
                            let first = self.builder.functions[self.referred[0]].name.span;
                            let message =
                                "no function that is used as a value has such parameters and such a result";
                            self.builder.diagnostics.push(
                                Diagnostic::error(codes::BAD_CALL, message)
                                    .at(span, "the call")
                                    .label(first, "one of them"),
                            );
                        }
                    }
                }
            }
            Act::Return(value, id) => {
                let wanted = self.builder.functions[id.0].result.map_or(Kind::Number, Kind::of);
                if let Some(value) = value {
                    self.fits(wanted, value);
                }
            }
        }
    }
}

impl Builder<'_> {
    /// Whether some channel has no capacity.
    fn has_rendezvous(&self) -> bool {
        self.channel_types().iter().any(|channel| channel.capacity == 0)
    }

    /// The functions that are used as values.
    fn referred_functions(&self) -> Vec<usize> {
        let mut found = Vec::new();
        let mut visit = |ex: &Ex| {
            if let ExKind::Dynamic(Dynamic::Function(id)) = ex.kind
                && !found.contains(&id.0)
            {
                found.push(id.0);
            }
        };
        for element in &self.elements.all {
            if let Node::Basic(basic) = &element.node {
                basic.walk(&mut visit);
            }
        }
        let leaves = self.symbols.iter().flat_map(|symbol| &symbol.leaves);
        for init in leaves.filter_map(|leaf| leaf.init.as_ref()) {
            init.values().iter().for_each(|value| value.walk(&mut visit));
        }
        for value in self.functions.iter().filter_map(|function| function.value.as_ref()) {
            value.walk(&mut visit);
        }
        found
    }

    /// Whether a function can be called by a reference with these arguments, for a result of this kind.
    pub(crate) fn function_fits(&self, function: &Function, given: &[Kind], wanted: Option<Kind>) -> bool {
        let leaves = function.params.iter().flat_map(|id| &self.symbols[id.index()].leaves);
        let params: Vec<_> = leaves.map(|leaf| Kind::of(leaf.scalar)).collect();
        let same =
            |given: &Kind, param: &Kind| given == param || *given == Kind::Null && *param != Kind::Number;
        !function.is_expression
            && params.len() == given.len()
            && given.iter().zip(&params).all(|(given, param)| same(given, param))
            && wanted.is_none_or(|wanted| function.result.map(Kind::of) == Some(wanted))
    }

    /// The channels that the model declares or makes.
    pub(crate) fn channel_types(&self) -> Vec<ChannelType> {
        let fields = self.typedefs.iter().flat_map(|typedef| &typedef.fields).map(|field| &field.init);
        let leaves = self.symbols.iter().flat_map(|symbol| &symbol.leaves).map(|leaf| &leaf.init);
        let declared = leaves.chain(fields).filter_map(|init| match init {
            Some(Init::Channel(channel)) => Some(channel.clone()),
            _ => None,
        });
        let made = self.elements.all.iter().filter_map(|element| match &element.node {
            Node::Basic(Basic::Dynamic(
                Act::NewChannel(_, channel) | Act::Declare(_, Init::Channel(channel)),
            )) => Some(channel.clone()),
            _ => None,
        });
        declared.chain(made).collect()
    }

    /// The channel that a variable was declared with, if no other is assigned to it.
    pub(crate) fn declared_channel(&self, place: &Ref) -> Option<&ChannelType> {
        let symbol = &self.symbols[place.symbol.index()];
        symbol.channel(place.leaf).filter(|_| !self.names.is_set(&symbol.name) && symbol.boxed.is_none())
    }
}
