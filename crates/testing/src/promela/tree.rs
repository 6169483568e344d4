//! Programs as trees, which the generator builds, the shrinker cuts and the printer prints.

use std::collections::BTreeSet;

use super::formulas::Formula;

pub type Block = Vec<Stmt>;

#[derive(Clone, PartialEq, Debug, Default)]
pub struct Program {
    /// Lines before everything else: macros, mtypes, typedefs.
    pub preamble: Vec<String>,
    pub globals: Vec<Decl>,
    pub inlines: Vec<Inline>,
    pub procs: Vec<Proc>,
    /// A trace assertion, as text.
    pub trace: Option<String>,
    /// Temporal properties, with their numbers for names.
    pub formulas: Vec<(usize, Formula)>,
}

#[derive(Clone, PartialEq, Debug)]
pub struct Inline {
    pub name: String,
    pub parameters: Vec<String>,
    pub body: Block,
}

#[derive(Clone, PartialEq, Debug)]
pub struct Proc {
    pub name: String,
    pub start: Start,
    /// Declarations, as text: `byte a`.
    pub parameters: Vec<String>,
    pub priority: Option<u8>,
    pub provided: Option<Expr>,
    pub locals: Vec<Decl>,
    pub body: Block,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Start {
    Init,
    Active(u8),
    /// Started by a `run`.
    Run,
}

/// A declaration: `hidden byte x[2] = 3`.
#[derive(Clone, PartialEq, Debug)]
pub struct Decl {
    pub before: String,
    pub name: String,
    /// `[2]` or ` : 3`, if anything.
    pub after: String,
    pub initial: Option<String>,
}

/// A variable, an element, a field: `name[index].field[inner]`.
#[derive(Clone, PartialEq, Debug)]
pub struct Place {
    pub name: String,
    pub index: Option<Box<Expr>>,
    /// With its own index, as text.
    pub field: Option<String>,
}

#[derive(Clone, PartialEq, Debug)]
pub enum Expr {
    Lit(i64),
    /// A name, a call, a poll, a remote reference: anything the shrinker replaces as a whole.
    Text(String),
    Place(Place),
    Unary(&'static str, Box<Expr>),
    Binary(&'static str, Box<Expr>, Box<Expr>),
    Conditional(Box<Expr>, Box<Expr>, Box<Expr>),
    /// An operation that keeps values small: the shrinker replaces it by a constant or not at all.
    Wrap(&'static str, Box<Expr>, i64),
    Run(String, Vec<Expr>, Option<u8>),
}

#[derive(Clone, PartialEq, Debug)]
pub enum Stmt {
    Skip,
    Break,
    Else,
    Goto(String),
    /// Declarations that don't stand at the beginning, `xr`, `xs`, `printf`, ...
    Text(String),
    Expr(Expr),
    Assign(Place, Expr),
    Step(Place, &'static str),
    Assert(Expr),
    Send {
        chan: Place,
        operator: &'static str,
        values: Vec<Expr>,
    },
    Receive {
        chan: Place,
        operator: &'static str,
        close: &'static str,
        values: Vec<Expr>,
    },
    Label(String, Box<Stmt>),
    If(Vec<Block>),
    Do(Vec<Block>),
    For(String, Block),
    Select(String, i64, i64),
    Atomic(Block),
    DStep(Block),
    Group(Block),
    Unless(Block, Block),
    Call(String, Vec<Expr>),
}

impl Program {
    /// Calls `visit` on every block, the outer ones first.
    pub fn visit_blocks(&mut self, visit: &mut dyn FnMut(&mut Block)) {
        for inline in &mut self.inlines {
            visit_block(&mut inline.body, visit);
        }
        for proc in &mut self.procs {
            visit_block(&mut proc.body, visit);
        }
    }

    /// Calls `visit` on every expression, the outer ones first.
    pub fn visit_exprs(&mut self, visit: &mut dyn FnMut(&mut Expr)) {
        for proc in &mut self.procs {
            if let Some(provided) = &mut proc.provided {
                provided.visit(visit);
            }
        }
        self.visit_blocks(&mut |block| {
            for stmt in block {
                stmt.visit_exprs(visit);
            }
        });
    }

    /// The constructs in use, for statistics.
    pub fn constructs(&self) -> BTreeSet<&'static str> {
        let mut found = BTreeSet::new();
        let mut copy = self.clone();
        copy.visit_blocks(&mut |block| {
            for stmt in block {
                found.insert(stmt.construct());
            }
        });
        copy.visit_exprs(&mut |expr| {
            found.insert(expr.construct());
        });
        for proc in &self.procs {
            if proc.provided.is_some() {
                found.insert("provided");
            }
            if proc.priority.is_some() {
                found.insert("priority");
            }
            found.insert(match proc.start {
                Start::Init => "init",
                Start::Active(1) => "active",
                Start::Active(_) => "active [n]",
                Start::Run => "run proctype",
            });
        }
        if self.trace.is_some() {
            found.insert("trace");
        }
        found
    }
}

fn visit_block(block: &mut Block, visit: &mut dyn FnMut(&mut Block)) {
    visit(block);
    for stmt in block {
        stmt.visit_blocks(visit);
    }
}

impl Stmt {
    fn visit_blocks(&mut self, visit: &mut dyn FnMut(&mut Block)) {
        match self {
            Self::Label(_, stmt) => stmt.visit_blocks(visit),
            Self::If(branches) | Self::Do(branches) => {
                for branch in branches {
                    visit_block(branch, visit);
                }
            }
            Self::For(_, block) | Self::Atomic(block) | Self::DStep(block) | Self::Group(block) => {
                visit_block(block, visit);
            }
            Self::Unless(main, escape) => {
                visit_block(main, visit);
                visit_block(escape, visit);
            }
            _ => {}
        }
    }

    /// Visits the expressions of this statement, not of those in it.
    fn visit_exprs(&mut self, visit: &mut dyn FnMut(&mut Expr)) {
        match self {
            Self::Expr(expr) | Self::Assert(expr) => expr.visit(visit),
            Self::Assign(place, expr) => {
                place.visit(visit);
                expr.visit(visit);
            }
            Self::Step(place, _) => place.visit(visit),
            Self::Send { chan, values, .. } | Self::Receive { chan, values, .. } => {
                chan.visit(visit);
                for value in values {
                    value.visit(visit);
                }
            }
            Self::Label(_, stmt) => stmt.visit_exprs(visit),
            Self::Call(_, values) => {
                for value in values {
                    value.visit(visit);
                }
            }
            _ => {}
        }
    }

    fn construct(&self) -> &'static str {
        match self {
            Self::Skip => "skip",
            Self::Break => "break",
            Self::Else => "else",
            Self::Goto(_) => "goto",
            Self::Text(text) => match text.split([' ', '(']).next().unwrap_or_default() {
                "xr" | "xs" => "xr/xs",
                "printf" => "printf",
                "chan" => "local channel",
                "set_priority" => "set_priority",
                _ => "macro statement",
            },
            Self::Expr(_) => "condition",
            Self::Assign(..) => "assignment",
            Self::Step(..) => "++/--",
            Self::Assert(_) => "assert",
            Self::Send { operator, .. } | Self::Receive { operator, .. } => operator,
            Self::Label(..) => "label",
            Self::If(_) => "if",
            Self::Do(_) => "do",
            Self::For(..) => "for",
            Self::Select(..) => "select",
            Self::Atomic(_) => "atomic",
            Self::DStep(_) => "d_step",
            Self::Group(_) => "block",
            Self::Unless(..) => "unless",
            Self::Call(..) => "inline call",
        }
    }
}

impl Expr {
    fn visit(&mut self, visit: &mut dyn FnMut(&mut Expr)) {
        visit(self);
        match self {
            Self::Lit(_) | Self::Text(_) => {}
            Self::Place(place) => place.visit(visit),
            Self::Unary(_, a) | Self::Wrap(_, a, _) => a.visit(visit),
            Self::Binary(_, a, b) => {
                a.visit(visit);
                b.visit(visit);
            }
            Self::Conditional(a, b, c) => {
                a.visit(visit);
                b.visit(visit);
                c.visit(visit);
            }
            Self::Run(_, values, _) => {
                for value in values {
                    value.visit(visit);
                }
            }
        }
    }

    fn construct(&self) -> &'static str {
        match self {
            Self::Lit(_) => "literal",
            Self::Text(text) => {
                const SIGNS: &[(&str, &str)] = &[
                    ("timeout", "timeout"),
                    ("_pid", "_pid"),
                    ("_nr_pr", "_nr_pr"),
                    ("_last", "_last"),
                    ("nfull", "nfull"),
                    ("nempty", "nempty"),
                    ("full", "full"),
                    ("empty", "empty"),
                    ("len", "len"),
                    ("??[", "??[] poll"),
                    ("?[", "?[] poll"),
                    ("@", "remote label"),
                    (":", "remote variable"),
                    ("eval", "eval"),
                    ("get_priority", "get_priority"),
                ];
                SIGNS.iter().find(|(sign, _)| text.contains(sign)).map_or("name", |&(_, name)| name)
            }
            Self::Place(_) => "variable",
            Self::Unary(..) | Self::Binary(..) | Self::Wrap(..) => "operator",
            Self::Conditional(..) => "conditional expression",
            Self::Run(..) => "run",
        }
    }
}

impl Place {
    pub fn name(name: impl Into<String>) -> Self {
        Self { name: name.into(), index: None, field: None }
    }

    fn visit(&mut self, visit: &mut dyn FnMut(&mut Expr)) {
        if let Some(index) = &mut self.index {
            index.visit(visit);
        }
    }
}
