//! A tree as text: one line for each statement, parentheses around every operation.

use std::fmt::Write;

use quotient_promela::ast::*;

pub fn print(model: &Model) -> String {
    let mut printer = Printer::default();
    for item in &model.items {
        printer.item(item);
    }
    printer.text
}

#[derive(Default)]
struct Printer {
    text: String,
    indent: usize,
}

fn list<T>(items: &[T], each: impl Fn(&T) -> String) -> String {
    items.iter().map(each).collect::<Vec<_>>().join(", ")
}

fn optional<T>(item: Option<&T>, each: impl Fn(&T) -> String) -> String {
    item.map(each).unwrap_or_default()
}

fn kind(ty: &Type) -> String {
    let pointers = "&".repeat(ty.pointers as usize);
    let name = match &ty.kind {
        TypeKind::Mtype(subtype) => {
            format!("mtype{}", optional(subtype.as_ref(), |name| format!(":{}", name.text)))
        }
        TypeKind::Named(name) => name.text.to_string(),
        TypeKind::Function => "ftype".to_owned(),
        simple => format!("{simple:?}").to_lowercase(),
    };
    name + &pointers
}

fn made(made: &New) -> String {
    match made {
        New::Object { ty, length } => {
            format!("new {}{}", kind(ty), optional(length.as_ref(), |length| format!("[{}]", expr(length))))
        }
        New::Channel(channel) => {
            format!("new chan({}) of {{{}}}", expr(&channel.capacity), list(&channel.fields, kind))
        }
    }
}

fn declaration(declaration: &Declaration) -> String {
    let visibility = match declaration.visibility {
        Visibility::Plain => String::new(),
        other => format!("{other:?} ").to_lowercase(),
    };
    format!("{visibility}{} {}", kind(&declaration.ty), list(&declaration.variables, variable))
}

fn variable(variable: &Variable) -> String {
    let width = optional(variable.width.as_ref(), |width| format!(" : {}", width.value));
    let size = optional(variable.size.as_ref(), |size| format!("[{}]", expr(size)));
    let init = optional(variable.init.as_ref(), |init| match init {
        Initializer::Expr(value) => format!(" = {}", expr(value)),
        Initializer::List(values, _) => format!(" = {{{}}}", list(values, expr)),
        Initializer::Channel(channel) => {
            format!(" = [{}] of {{{}}}", expr(&channel.capacity), list(&channel.fields, kind))
        }
        Initializer::New(new) => format!(" = {}", made(new)),
    });
    format!("{}{width}{size}{init}", variable.name.text)
}

fn var_ref(variable: &VarRef) -> String {
    let part = |part: &Part| {
        format!("{}{}", part.name.text, optional(part.index.as_ref(), |index| format!("[{}]", expr(index))))
    };
    let path = variable.parts.iter().map(part).collect::<Vec<_>>().join(".");
    "*".repeat(variable.stars as usize) + &path
}

fn receive_arg(arg: &ReceiveArg) -> String {
    match &arg.kind {
        ReceiveArgKind::Var(variable) => var_ref(variable),
        ReceiveArgKind::Eval(value) => format!("eval({})", expr(value)),
        ReceiveArgKind::Int(value) => value.to_string(),
    }
}

fn remote(process: &Name, pid: Option<&Expr>) -> String {
    format!("{}{}", process.text, optional(pid, |pid| format!("[{}]", expr(pid))))
}

fn expr(tree: &Expr) -> String {
    match &tree.kind {
        ExprKind::Int(value) => value.to_string(),
        ExprKind::Var(variable) => var_ref(variable),
        ExprKind::Unary(op, operand) => format!("({op:?} {})", expr(operand)),
        ExprKind::Binary(op, left, right) => format!("({} {op:?} {})", expr(left), expr(right)),
        ExprKind::Cond(parts) => {
            let [test, yes, no] = &**parts;
            format!("({} -> {} : {})", expr(test), expr(yes), expr(no))
        }
        ExprKind::Run(run) => {
            let priority =
                optional(run.priority.as_ref(), |priority| format!(" priority {}", priority.value));
            format!("run {}({}){priority}", run.process.text, list(&run.args, expr))
        }
        ExprKind::Len(channel) => format!("len({})", var_ref(channel)),
        ExprKind::Probe(probe, channel) => format!("{probe:?}({})", var_ref(channel)),
        ExprKind::Poll { channel, random, args } => {
            format!("{}{}[{}]", var_ref(channel), if *random { "??" } else { "?" }, list(args, receive_arg))
        }
        ExprKind::Enabled(process) => format!("enabled({})", expr(process)),
        ExprKind::PcValue(process) => format!("pc_value({})", expr(process)),
        ExprKind::GetPriority(process) => format!("get_priority({})", expr(process)),
        ExprKind::Timeout => "timeout".to_owned(),
        ExprKind::Nonprogress => "np_".to_owned(),
        ExprKind::RemoteLabel { process, pid, label } => {
            format!("{}@{}", remote(process, pid.as_deref()), label.text)
        }
        ExprKind::RemoteVar { process, pid, variable } => {
            format!("{}:{}", remote(process, pid.as_deref()), var_ref(variable))
        }
        ExprKind::AddressOf(place) => format!("&{}", var_ref(place)),
        ExprKind::Call(name, args) => format!("{}({})", name.text, list(args, expr)),
    }
}

fn formula(tree: &Formula) -> String {
    let unary = |word: &str, operand: &Formula| format!("({word} {})", formula(operand));
    let binary = |word: &str, left: &Formula, right: &Formula| {
        format!("({} {word} {})", formula(left), formula(right))
    };
    match &tree.kind {
        FormulaKind::Atom(atom) => format!("`{}`", expr(atom)),
        FormulaKind::Not(operand) => unary("not", operand),
        FormulaKind::Next(operand) => unary("next", operand),
        FormulaKind::Always(operand) => unary("always", operand),
        FormulaKind::Eventually(operand) => unary("eventually", operand),
        FormulaKind::And(left, right) => binary("and", left, right),
        FormulaKind::Or(left, right) => binary("or", left, right),
        FormulaKind::Implies(left, right) => binary("implies", left, right),
        FormulaKind::Equivalent(left, right) => binary("equivalent", left, right),
        FormulaKind::Until(left, right) => binary("until", left, right),
        FormulaKind::WeakUntil(left, right) => binary("weakuntil", left, right),
        FormulaKind::Release(left, right) => binary("release", left, right),
    }
}

impl Printer {
    fn line(&mut self, text: &str) {
        let _ = writeln!(self.text, "{:1$}{text}", "", self.indent * 2);
    }

    fn item(&mut self, item: &Item) {
        let name = |name: Option<&Name>| optional(name, |name| format!(" {}", name.text));
        match item {
            Item::Variables(variables) => self.line(&declaration(variables)),
            Item::Mtype(mtype) => {
                let subtype = optional(mtype.subtype.as_ref(), |name| format!(":{}", name.text));
                self.line(&format!(
                    "mtype{subtype} = {}",
                    list(&mtype.elements, |name| name.text.to_string())
                ));
            }
            Item::Typedef(typedef) => {
                self.line(&format!("typedef {}", typedef.name.text));
                self.nested(|this| typedef.fields.iter().for_each(|field| this.line(&declaration(field))));
            }
            Item::Proctype(process) => {
                let active = optional(process.active.as_ref(), |active| {
                    format!(
                        "active{} ",
                        optional(active.count.as_ref(), |count| format!("[{}]", expr(count)))
                    )
                });
                let word = if process.deterministic { "D_proctype" } else { "proctype" };
                let priority =
                    optional(process.priority.as_ref(), |value| format!(" priority {}", value.value));
                let provided =
                    optional(process.provided.as_ref(), |value| format!(" provided {}", expr(value)));
                let params = process.params.iter().map(declaration).collect::<Vec<_>>().join("; ");
                self.line(&format!("{active}{word} {}({params}){priority}{provided}", process.name.text));
                self.block(&process.body);
            }
            Item::Init(init) => {
                let priority = optional(init.priority.as_ref(), |value| format!(" priority {}", value.value));
                self.line(&format!("init{priority}"));
                self.block(&init.body);
            }
            Item::Never(claim) => {
                self.line(&format!("never{}", name(claim.name.as_ref())));
                self.block(&claim.body);
            }
            Item::Trace(trace) => {
                self.line(if trace.negated { "notrace" } else { "trace" });
                self.block(&trace.body);
            }
            Item::Forward(name) => self.line(&format!("typedef {} later", name.text)),
            Item::Function(function) => {
                let params = function.params.iter().map(declaration).collect::<Vec<_>>().join("; ");
                let result = optional(function.result.as_ref(), |ty| format!(" : {}", kind(ty)));
                self.line(&format!("function {}({params}){result}", function.name.text));
                match &function.body {
                    FunctionBody::Block(body) => self.block(body),
                    FunctionBody::Expr(value) => self.nested(|this| this.line(&expr(value))),
                }
            }
            Item::Automaton(item) => unreachable!("{} is in no model", item.name.text),
            Item::Ltl(ltl) => {
                self.line(&format!("ltl{}: {}", name(ltl.name.as_ref()), formula(&ltl.formula)));
            }
        }
    }

    fn nested(&mut self, print: impl FnOnce(&mut Self)) {
        self.indent += 1;
        print(self);
        self.indent -= 1;
    }

    fn block(&mut self, block: &Block) {
        if let Some(call) = &block.inlined {
            self.line(&format!("// from {}", call.name.text));
        }
        self.nested(|this| block.steps.iter().for_each(|step| this.statement(step)));
    }

    fn headed(&mut self, head: &str, body: &Block) {
        self.line(head);
        self.block(body);
    }

    fn statement(&mut self, statement: &Stmt) {
        for label in &statement.labels {
            self.line(&format!("{}:", label.text));
        }
        match &statement.kind {
            StmtKind::Declaration(variables) => self.line(&declaration(variables)),
            StmtKind::Exclusive { receive, channels } => {
                self.line(&format!("{} {}", if *receive { "xr" } else { "xs" }, list(channels, var_ref)));
            }
            StmtKind::Expr(value) => self.line(&expr(value)),
            StmtKind::Else => self.line("else"),
            StmtKind::Assign { target, value } => {
                self.line(&format!("{} = {}", var_ref(target), expr(value)));
            }
            StmtKind::New { target, made: new } => {
                self.line(&format!("{} = {}", var_ref(target), made(new)));
            }
            StmtKind::Delete(value) => self.line(&format!("delete {}", expr(value))),
            StmtKind::Call { target, callee, args } => {
                let target = optional(target.as_ref(), |target| format!("{} = ", var_ref(target)));
                self.line(&format!("{target}call {}({})", var_ref(callee), list(args, expr)));
            }
            StmtKind::Return(value) => {
                self.line(&format!(
                    "return{}",
                    optional(value.as_ref(), |value| format!(" {}", expr(value)))
                ));
            }
            StmtKind::Increment(target) => self.line(&format!("{}++", var_ref(target))),
            StmtKind::Decrement(target) => self.line(&format!("{}--", var_ref(target))),
            StmtKind::Send { channel, sorted, args } => {
                let op = if *sorted { "!!" } else { "!" };
                self.line(&format!("{} {op} {}", var_ref(channel), list(args, expr)));
            }
            StmtKind::Receive { channel, random, copy, args } => {
                let op = if *random { "??" } else { "?" };
                let (open, close) = if *copy { ("<", ">") } else { ("", "") };
                let args = list(args, receive_arg);
                self.line(&format!("{} {op} {open}{args}{close}", var_ref(channel)));
            }
            StmtKind::Assert(value) => self.line(&format!("assert {}", expr(value))),
            StmtKind::Printf(print) => {
                self.line(&format!("printf {:?} ({})", print.format, list(&print.args, expr)));
            }
            StmtKind::Printm(value) => self.line(&format!("printm {}", expr(value))),
            StmtKind::SetPriority(process, priority) => {
                self.line(&format!("set_priority({}, {})", expr(process), expr(priority)));
            }
            StmtKind::Goto(label) => self.line(&format!("goto {}", label.text)),
            StmtKind::Break => self.line("break"),
            StmtKind::If(options) => self.options("if", options),
            StmtKind::Do(options) => self.options("do", options),
            StmtKind::For { variable, from, to, body } => {
                self.headed(&format!("for {} : {} .. {}", var_ref(variable), expr(from), expr(to)), body);
            }
            StmtKind::ForIn { variable, over, body } => {
                self.headed(&format!("for {} in {}", var_ref(variable), var_ref(over)), body);
            }
            StmtKind::Select { variable, from, to, form } => {
                self.line(&format!("select {} : {} .. {} {form:?}", var_ref(variable), expr(from), expr(to)));
            }
            StmtKind::Block(block) => self.headed("block", block),
            StmtKind::Atomic(block) => self.headed("atomic", block),
            StmtKind::DStep(block) => self.headed("d_step", block),
            StmtKind::Unless { main, escape } => {
                self.nested(|this| this.statement(main));
                self.line("unless");
                self.nested(|this| this.statement(escape));
            }
        }
    }

    fn options(&mut self, word: &str, options: &[Block]) {
        self.line(word);
        for option in options {
            self.line("::");
            self.block(option);
        }
    }
}
