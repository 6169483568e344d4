//! Programs as text.

use std::fmt::{self, Display, Formatter, Write};

use super::tree::*;

impl Display for Program {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        for line in &self.preamble {
            writeln!(f, "{line}")?;
        }
        for decl in &self.globals {
            writeln!(f, "{decl};")?;
        }
        for inline in &self.inlines {
            writeln!(f, "inline {}({}) {{", inline.name, inline.parameters.join(", "))?;
            f.write_str(&block(&inline.body, 1))?;
            writeln!(f, "}}")?;
        }
        for proc in &self.procs {
            write!(f, "{proc}")?;
        }
        self.trace.iter().try_for_each(|trace| writeln!(f, "{trace}"))?;
        self.formulas.iter().try_for_each(|(number, formula)| writeln!(f, "ltl f{number} {{ {formula} }}"))
    }
}

impl Display for Decl {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}{}", self.before, self.name, self.after)?;
        self.initial.iter().try_for_each(|initial| write!(f, " = {initial}"))
    }
}

impl Display for Proc {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self.start {
            Start::Init => write!(f, "init")?,
            Start::Active(1) => write!(f, "active proctype {}", self.name)?,
            Start::Active(n) => write!(f, "active [{n}] proctype {}", self.name)?,
            Start::Run => write!(f, "proctype {}", self.name)?,
        }
        if self.start != Start::Init {
            write!(f, "({})", self.parameters.join("; "))?;
        }
        if let Some(priority) = self.priority {
            write!(f, " priority {priority}")?;
        }
        if let Some(provided) = &self.provided {
            write!(f, " provided ({provided})")?;
        }
        writeln!(f, " {{")?;
        for decl in &self.locals {
            writeln!(f, "  {decl};")?;
        }
        f.write_str(&block(&self.body, 1))?;
        writeln!(f, "}}")
    }
}

/// The statements, one a line; an empty block is a `skip`.
fn block(stmts: &Block, depth: usize) -> String {
    if stmts.is_empty() {
        return format!("{}skip\n", "  ".repeat(depth));
    }
    let lines: Vec<String> = stmts.iter().map(|stmt| statement(stmt, depth)).collect();
    format!("{}\n", lines.join(";\n"))
}

fn statement(stmt: &Stmt, depth: usize) -> String {
    let indent = "  ".repeat(depth);
    let inner = |stmts: &Block| block(stmts, depth + 1);
    let list = |values: &[Expr]| values.iter().map(Expr::to_string).collect::<Vec<_>>().join(", ");
    let options = |open: &str, branches: &[Block], close: &str| {
        let mut text = format!("{indent}{open}\n");
        for branch in branches {
            // The guard follows the colons.
            let branch = block(branch, depth + 1);
            let _ = write!(text, "{indent}:: {}", branch.trim_start());
        }
        text + &format!("{indent}{close}")
    };
    match stmt {
        Stmt::Skip => format!("{indent}skip"),
        Stmt::Break => format!("{indent}break"),
        Stmt::Else => format!("{indent}else"),
        Stmt::Goto(label) => format!("{indent}goto {label}"),
        Stmt::Text(text) => format!("{indent}{text}"),
        Stmt::Expr(expr) => format!("{indent}{expr}"),
        Stmt::Assign(place, expr) => format!("{indent}{place} = {expr}"),
        Stmt::Step(place, operator) => format!("{indent}{place}{operator}"),
        Stmt::Assert(expr) => format!("{indent}assert({expr})"),
        Stmt::Send { chan, operator, values } => format!("{indent}{chan}{operator}{}", list(values)),
        Stmt::Receive { chan, operator, close, values } => {
            format!("{indent}{chan}{operator}{}{close}", list(values))
        }
        Stmt::Label(name, stmt) => format!("{indent}{name}:\n{}", statement(stmt, depth)),
        Stmt::If(branches) => options("if", branches, "fi"),
        Stmt::Do(branches) => options("do", branches, "od"),
        Stmt::For(range, body) => format!("{indent}for ({range}) {{\n{}{indent}}}", inner(body)),
        Stmt::Select(name, low, high) => format!("{indent}select ({name} : {low} .. {high})"),
        Stmt::Atomic(body) => format!("{indent}atomic {{\n{}{indent}}}", inner(body)),
        Stmt::DStep(body) => format!("{indent}d_step {{\n{}{indent}}}", inner(body)),
        Stmt::Group(body) => format!("{indent}{{\n{}{indent}}}", inner(body)),
        Stmt::Unless(main, escape) => {
            format!("{indent}{{\n{}{indent}}} unless {{\n{}{indent}}}", inner(main), inner(escape))
        }
        Stmt::Call(name, values) => format!("{indent}{name}({})", list(values)),
    }
}

impl Display for Place {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)?;
        if let Some(index) = &self.index {
            write!(f, "[{index}]")?;
        }
        self.field.iter().try_for_each(|field| write!(f, ".{field}"))
    }
}

impl Display for Expr {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Lit(n) if *n < 0 => write!(f, "({n})"),
            Self::Lit(n) => write!(f, "{n}"),
            Self::Text(text) => f.write_str(text),
            Self::Place(place) => write!(f, "{place}"),
            Self::Unary(operator, a) => write!(f, "({operator}{a})"),
            Self::Binary(operator, a, b) => write!(f, "({a} {operator} {b})"),
            Self::Conditional(a, b, c) => write!(f, "({a} -> {b} : {c})"),
            Self::Wrap(operator, a, n) => write!(f, "({a} {operator} {n})"),
            Self::Run(name, values, priority) => {
                let values: Vec<String> = values.iter().map(Self::to_string).collect();
                write!(f, "run {name}({})", values.join(", "))?;
                priority.iter().try_for_each(|priority| write!(f, " priority {priority}"))
            }
        }
    }
}
