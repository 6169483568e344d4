//! The model as written, after macros and inlines: names are text, nothing is resolved.
//!
//! Spans are places in files that the user wrote. Text from a macro has the place of the macro's use; text
//! from an inline has its place in the body of the inline, and the [`Block`] around it knows the call.
//!
//! Trees are never deeper than the parser's limits, so recursion over them (including their drop) is safe.

use std::rc::Rc;

use source::Span;

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Name {
    pub text: Rc<str>,
    pub span: Span,
}

/// A whole model: the file and everything that it includes, in the order of the text.
#[derive(Debug, Default)]
pub struct Model {
    pub items: Vec<Item>,
    /// Where the model first uses the dynamic extension, and what it uses there. A model without is SPIN's.
    pub extension: Option<(Span, &'static str)>,
}

#[derive(Debug)]
pub enum Item {
    Variables(Declaration),
    Mtype(Mtype),
    Typedef(Typedef),
    Proctype(Proctype),
    Init(Init),
    Never(Claim),
    Trace(Trace),
    Ltl(Ltl),
    Automaton(Automaton),
    /// `typedef Name;`: the type is declared later.
    Forward(Name),
    Function(Function),
}

// Declarations.

/// `[hidden] type a, b[2] = 3`: the variables of one declaration.
#[derive(Debug)]
pub struct Declaration {
    pub visibility: Visibility,
    pub ty: Type,
    pub variables: Vec<Variable>,
    pub span: Span,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Visibility {
    #[default]
    Plain,
    Hidden,
    Show,
    Local,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Type {
    pub kind: TypeKind,
    /// The number of `&` behind it.
    pub pointers: u32,
    pub span: Span,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum TypeKind {
    Bit,
    Bool,
    Byte,
    Pid,
    Short,
    Int,
    /// The width is part of the [`Variable`].
    Unsigned,
    Chan,
    /// `mtype`, or `mtype:name`.
    Mtype(Option<Name>),
    /// The name of a `typedef`.
    Named(Name),
    /// `ftype`: a function, or none.
    Function,
}

#[derive(Debug)]
pub struct Variable {
    pub name: Name,
    /// `name : width`, only sensible for `unsigned`.
    pub width: Option<Literal>,
    /// `name[size]`: a constant, or (SPIN admits it) the name of an initialised scalar.
    pub size: Option<Expr>,
    pub init: Option<Initializer>,
    pub span: Span,
}

#[derive(Debug)]
pub enum Initializer {
    Expr(Expr),
    /// `{ 1, 2, 3 }`
    List(Vec<Expr>, Span),
    /// `[capacity] of { types }`
    Channel(ChannelInit),
    /// `new …`: sets the variable by a statement of its own.
    New(New),
}

/// What `new` makes.
#[derive(Debug)]
pub enum New {
    /// `new T`, or `new T[length]`.
    Object { ty: Type, length: Option<Expr> },
    /// `new chan(capacity) of { types }`
    Channel(ChannelInit),
}

#[derive(Debug)]
pub struct ChannelInit {
    pub capacity: Expr,
    pub fields: Vec<Type>,
    pub span: Span,
}

/// A number as it is in the text.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Literal {
    pub value: i32,
    pub span: Span,
}

/// `mtype = { a, b }`, or `mtype:subtype = { a, b }`.
#[derive(Debug)]
pub struct Mtype {
    pub subtype: Option<Name>,
    pub elements: Vec<Name>,
    pub span: Span,
}

#[derive(Debug)]
pub struct Typedef {
    pub name: Name,
    pub fields: Vec<Declaration>,
    pub span: Span,
}

// What runs.

#[derive(Debug)]
pub struct Proctype {
    pub name: Name,
    pub active: Option<Active>,
    /// `D_proctype`.
    pub deterministic: bool,
    pub params: Vec<Declaration>,
    pub priority: Option<Literal>,
    pub provided: Option<Expr>,
    pub body: Block,
    /// From `active` or `proctype` to the parenthesis that ends the parameters.
    pub span: Span,
}

/// `active` or `active [count]`.
#[derive(Debug)]
pub struct Active {
    /// A constant, or the name of an initialised scalar.
    pub count: Option<Expr>,
    pub span: Span,
}

#[derive(Debug)]
pub struct Init {
    pub priority: Option<Literal>,
    pub body: Block,
    /// The keyword.
    pub span: Span,
}

/// `function name(params) [: result] { body }`, or `= expression;`
#[derive(Debug)]
pub struct Function {
    pub name: Name,
    pub params: Vec<Declaration>,
    pub result: Option<Type>,
    pub body: FunctionBody,
    /// From `function` to the result.
    pub span: Span,
}

#[derive(Debug)]
pub enum FunctionBody {
    Block(Block),
    Expr(Expr),
}

/// `never [name] { … }`
#[derive(Debug)]
pub struct Claim {
    pub name: Option<Name>,
    pub body: Block,
    /// The keyword.
    pub span: Span,
}

/// `trace { … }` or `notrace { … }`
#[derive(Debug)]
pub struct Trace {
    pub negated: bool,
    pub body: Block,
    /// The keyword.
    pub span: Span,
}

/// `ltl [name] { formula }`
#[derive(Debug)]
pub struct Ltl {
    pub name: Option<Name>,
    pub formula: Formula,
    /// The keyword and the name.
    pub span: Span,
}

/// An automaton in another notation, which no run may match.
#[derive(Debug)]
pub struct Automaton {
    pub name: Name,
    /// Its propositions are those below.
    pub automaton: ltl::Automaton,
    pub props: Vec<Expr>,
}

// Statements.

/// A sequence of statements that is a scope of its own.
#[derive(Debug)]
pub struct Block {
    pub steps: Vec<Stmt>,
    /// From the first to the last brace; for an option of `if` and `do`, from `::` to its last statement.
    pub span: Span,
    /// The brace that ends it; for an option, the end of its last statement.
    pub end: Span,
    /// Set if this is the body of an inline.
    pub inlined: Option<InlineCall>,
}

impl Block {
    /// Whether this is an option of `if` or `do`, which has no brace at its end.
    pub fn is_option(&self) -> bool {
        self.end.is_empty()
    }
}

/// The call of an inline that a block stands for.
#[derive(Clone, Debug)]
pub struct InlineCall {
    /// The name, with the place of the call.
    pub name: Name,
    /// From the name to the parenthesis that ends the arguments.
    pub span: Span,
}

#[derive(Debug)]
pub struct Stmt {
    /// In the order of the text. Declarations and `xr`/`xs` have none. A label without a statement labels a
    /// `skip`.
    pub labels: Vec<Name>,
    pub kind: StmtKind,
    /// Without the labels. The whole of a simple statement, the keyword or head of others.
    pub span: Span,
}

#[derive(Debug)]
pub enum StmtKind {
    Declaration(Declaration),
    /// `xr` or `xs`.
    Exclusive {
        receive: bool,
        channels: Vec<VarRef>,
    },
    /// A condition; also `skip` (the constant 1), `run P()`, `timeout`, `q?[a]`.
    Expr(Expr),
    Else,
    Assign {
        target: VarRef,
        value: Expr,
    },
    Increment(VarRef),
    Decrement(VarRef),
    /// `target = new …`
    New {
        target: VarRef,
        made: New,
    },
    /// `delete e`
    Delete(Expr),
    /// `[target =] callee(args)`, where the callee is a function or a place that holds one.
    Call {
        target: Option<VarRef>,
        callee: VarRef,
        args: Vec<Expr>,
    },
    /// `return [e]` in a function.
    Return(Option<Expr>),
    Send {
        channel: VarRef,
        /// `!!`
        sorted: bool,
        args: Vec<Expr>,
    },
    Receive {
        channel: VarRef,
        /// `??`
        random: bool,
        /// `?<…>`: the message stays in the channel.
        copy: bool,
        args: Vec<ReceiveArg>,
    },
    Assert(Expr),
    Printf(Print),
    /// `printm(e)`: a variable or a constant.
    Printm(Expr),
    /// `set_priority(process, priority)`
    SetPriority(Expr, Expr),
    Goto(Name),
    Break,
    /// At least one option.
    If(Vec<Block>),
    Do(Vec<Block>),
    /// `for (variable : from .. to) body`
    For {
        variable: VarRef,
        from: Expr,
        to: Expr,
        body: Block,
    },
    /// `for (variable in over) body`: the indices of an array, or the messages of a channel.
    ForIn {
        variable: VarRef,
        over: VarRef,
        body: Block,
    },
    /// `select (variable : from .. to)`
    Select {
        variable: VarRef,
        from: Expr,
        to: Expr,
        /// How SPIN's lexer rewrites it: see [`SelectForm`].
        form: SelectForm,
    },
    Block(Block),
    Atomic(Block),
    DStep(Block),
    /// `main unless escape`
    Unless {
        main: Box<Stmt>,
        escape: Box<Stmt>,
    },
}

/// SPIN rewrites some `select` statements as text, before it parses them: those outside of inlines, on one
/// line, whose variable is a name without `_` and whose bounds are decimal literals.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SelectForm {
    /// At most 33 values: `if :: v = from … :: v = to fi`.
    Options,
    /// More: `v = from; do :: (v < to) -> v++ :: break od`.
    Loop,
    /// Not rewritten: SPIN's grammar has a rule of its own.
    General,
}

#[derive(Debug)]
pub struct Print {
    /// Between the quotes, escapes not replaced.
    pub format: Rc<str>,
    pub format_span: Span,
    pub args: Vec<Expr>,
}

#[derive(Clone, Debug)]
pub struct ReceiveArg {
    pub kind: ReceiveArgKind,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub enum ReceiveArgKind {
    /// A variable that is set, `_`, or an element of an mtype that has to match.
    Var(VarRef),
    Eval(Expr),
    /// A constant that has to match.
    Int(i32),
}

// Expressions.

/// `a[i].b[j].c`: at least one part; with `*` in front, what that points to.
#[derive(Clone, Debug)]
pub struct VarRef {
    pub parts: Vec<Part>,
    /// The number of `*` in front.
    pub stars: u32,
    /// The largest number of pointers that it may lead through, in a dynamic program.
    pub depth: u32,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub struct Part {
    pub name: Name,
    pub index: Option<Box<Expr>>,
}

impl VarRef {
    /// The name, if that is all there is.
    pub fn as_name(&self) -> Option<&Name> {
        match self.parts.as_slice() {
            [Part { name, index: None }] if self.stars == 0 => Some(name),
            _ => None,
        }
    }
}

#[derive(Clone, Debug)]
pub struct Expr {
    pub kind: ExprKind,
    pub span: Span,
    /// The height of the tree: 1 for a leaf.
    pub height: u32,
}

#[derive(Clone, Debug)]
pub enum ExprKind {
    /// A number, a character, `true`, `false` or `skip`.
    Int(i32),
    /// A variable, an element of an mtype, or one of `_pid`, `_nr_pr`, `_last`, `_priority`, `_`.
    Var(VarRef),
    Unary(UnaryOp, Box<Expr>),
    Binary(BinaryOp, Box<Expr>, Box<Expr>),
    /// `(condition -> yes : no)`
    Cond(Box<[Expr; 3]>),
    Run(Run),
    /// `len(q)`
    Len(VarRef),
    /// `full(q)`, `empty(q)`, `nfull(q)` or `nempty(q)`.
    Probe(Probe, VarRef),
    /// `q?[…]`, or with `random` `q??[…]`.
    Poll {
        channel: VarRef,
        random: bool,
        args: Vec<ReceiveArg>,
    },
    /// `enabled(process)`
    Enabled(Box<Expr>),
    /// `pc_value(process)`
    PcValue(Box<Expr>),
    /// `get_priority(process)`
    GetPriority(Box<Expr>),
    Timeout,
    /// `np_`
    Nonprogress,
    /// `process@label` or `process[pid]@label`
    RemoteLabel {
        process: Name,
        pid: Option<Box<Expr>>,
        label: Name,
    },
    /// `process:variable` or `process[pid]:variable`, where the variable has an index at most.
    RemoteVar {
        process: Name,
        pid: Option<Box<Expr>>,
        variable: VarRef,
    },
    /// `&place`
    AddressOf(VarRef),
    /// `name(args)`: the call of a function inside of an expression.
    Call(Name, Vec<Expr>),
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum UnaryOp {
    Not,
    Negate,
    Complement,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BinaryOp {
    Add,
    Subtract,
    Multiply,
    Divide,
    Remainder,
    BitAnd,
    BitXor,
    BitOr,
    ShiftLeft,
    ShiftRight,
    Equal,
    NotEqual,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    And,
    Or,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Probe {
    Full,
    Empty,
    Nfull,
    Nempty,
}

/// `run process(args) [priority n]`
#[derive(Clone, Debug)]
pub struct Run {
    pub process: Name,
    pub args: Vec<Expr>,
    pub priority: Option<Literal>,
}

// Temporal logic.

#[derive(Clone, Debug)]
pub struct Formula {
    pub kind: FormulaKind,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub enum FormulaKind {
    /// A condition on a state. `&&`, `||` and `!` between conditions may be part of it.
    Atom(Expr),
    Not(Box<Formula>),
    /// `X`, `next`
    Next(Box<Formula>),
    /// `[]`, `always`
    Always(Box<Formula>),
    /// `<>`, `eventually`
    Eventually(Box<Formula>),
    And(Box<Formula>, Box<Formula>),
    Or(Box<Formula>, Box<Formula>),
    /// `->`, `implies`
    Implies(Box<Formula>, Box<Formula>),
    /// `<->`, `equivalent`
    Equivalent(Box<Formula>, Box<Formula>),
    /// `U`, `until`, `stronguntil`
    Until(Box<Formula>, Box<Formula>),
    /// `W`, `weakuntil`
    WeakUntil(Box<Formula>, Box<Formula>),
    /// `V`, `release`
    Release(Box<Formula>, Box<Formula>),
}
