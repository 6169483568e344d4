//! Tokens to a tree, by recursive descent; binary operators by precedence.

use source::{FileId, Span};

mod processes;
mod property;

use super::Error;
use super::lex::{Lexeme, Token};
use super::names::KEYWORDS;
use super::syntax::*;
use crate::{BinaryOp, CollectionOp, Features, MAX_EXPR_DEPTH, MAX_TYPE_SIZE, ProcedureKind, UnaryOp};

type Parsed<T> = Result<T, Error>;

/// Binary operators with their precedences; `=>` associates to the right, the others to the left.
pub(super) const BINARY: &[(&str, BinaryOp, u8)] = &[
    ("=>", BinaryOp::Implies, 1),
    ("||", BinaryOp::Or, 2),
    ("&&", BinaryOp::And, 3),
    ("|", BinaryOp::BitOr, 4),
    ("^", BinaryOp::BitXor, 5),
    ("&", BinaryOp::BitAnd, 6),
    ("==", BinaryOp::Eq, 7),
    ("!=", BinaryOp::Ne, 7),
    ("<", BinaryOp::Lt, 8),
    ("<=", BinaryOp::Le, 8),
    (">", BinaryOp::Gt, 8),
    (">=", BinaryOp::Ge, 8),
    ("shl", BinaryOp::Shl, 9),
    ("shr", BinaryOp::Shr, 9),
    ("ushr", BinaryOp::Ushr, 9),
    ("+", BinaryOp::Add, 10),
    ("-", BinaryOp::Sub, 10),
    ("*", BinaryOp::Mul, 11),
    ("/", BinaryOp::Div, 11),
    ("%", BinaryOp::Rem, 11),
];

/// The largest nesting depth of the text of an expression: each level may be annotated with its type.
const DEEPEST: usize = 2 * MAX_EXPR_DEPTH + 1;

/// The precedence of `as` and `instanceof`: that of comparisons.
pub(super) const TESTS: u8 = 8;

pub(super) const QUESTIONS: &[(&str, Question)] = &[
    ("lockAvailable", Question::LockAvailable),
    ("hasLock", Question::HasLock),
    ("wasNotified", Question::WasNotified),
    ("threadTerminated", Question::ThreadTerminated),
    ("wrap", Question::Wrap),
    ("number", Question::Number),
    ("enabled", Question::ThreadEnabled),
    ("location", Question::ThreadLocation),
    ("priority", Question::ThreadPriority),
    ("length", Question::ChannelLength),
    ("full", Question::ChannelFull),
];

/// Operations on collections: `collection.method(..)`.
pub(super) const METHODS: &[(&str, CollectionOp)] = &[
    ("add", CollectionOp::Add),
    ("remove", CollectionOp::Remove),
    ("put", CollectionOp::Put),
    ("contains", CollectionOp::Contains),
    ("size", CollectionOp::Size),
    ("count", CollectionOp::Count),
    ("get", CollectionOp::Get),
    ("head", CollectionOp::Head),
    ("tail", CollectionOp::Tail),
    ("keys", CollectionOp::Keys),
    ("union", CollectionOp::Union),
    ("intersection", CollectionOp::Intersection),
    ("difference", CollectionOp::Difference),
    ("subset", CollectionOp::Subset),
    ("capacity", CollectionOp::Capacity),
];

const COLLECTIONS: &[&str] = &["Set", "Bag", "Map", "Seq", "Queue"];

const VERBS: &[(&str, Verb)] = &[
    ("assert", Verb::Assert),
    ("assume", Verb::Assume),
    ("throw", Verb::Throw),
    ("lock", Verb::Lock),
    ("unlock", Verb::Unlock),
    ("wait", Verb::Wait),
    ("unwait", Verb::Unwait),
    ("notify", Verb::Notify),
    ("notifyAll", Verb::NotifyAll),
];

pub(super) fn parse(lexemes: Vec<Lexeme>) -> Parsed<ProgramTree> {
    Parser { lexemes, next: 0, nesting: 0 }.program()
}

struct Parser {
    /// Ends with [`Token::End`].
    lexemes: Vec<Lexeme>,
    next: usize,
    /// The number of open expressions and types: garbage must not exhaust the native stack.
    nesting: usize,
}

impl Parser {
    fn peek(&self) -> &Lexeme {
        &self.lexemes[self.next.min(self.lexemes.len() - 1)]
    }

    fn at(&self) -> u32 {
        self.peek().start
    }

    fn advance(&mut self) -> Token {
        let token = self.peek().token.clone();
        self.next += 1;
        token
    }

    /// From `start` to the end of the last token.
    fn span(&self, start: u32) -> Span {
        let last = self.next.min(self.lexemes.len()).checked_sub(1);
        let end = last.map_or(start, |last| self.lexemes[last].end);
        Span::new(FileId::default(), start, end.max(start))
    }

    fn fail<T>(&self, expected: &str) -> Parsed<T> {
        let found = match &self.peek().token {
            Token::Word(text) => format!("`{text}`"),
            Token::Quoted(text) => format!("'{text}'"),
            Token::String(text) => format!("\"{text}\""),
            Token::Number(number) => format!("{number}"),
            Token::Symbol(symbol) => format!("`{symbol}`"),
            Token::End => "the end".to_owned(),
        };
        Err(Error::new(self.at(), format!("expected {expected}, found {found}")))
    }

    /// Whether the next token is this keyword or symbol.
    fn is(&self, what: &str) -> bool {
        match &self.peek().token {
            Token::Word(word) => word == what,
            Token::Symbol(symbol) => *symbol == what,
            _ => false,
        }
    }

    fn take(&mut self, what: &str) -> bool {
        let found = self.is(what);
        self.next += usize::from(found);
        found
    }

    fn expect(&mut self, what: &str) -> Parsed<()> {
        if self.take(what) { Ok(()) } else { self.fail(&format!("`{what}`")) }
    }

    fn index(&mut self) -> Parsed<u32> {
        if let Token::Number(number) = self.peek().token
            && let Ok(number) = u32::try_from(number)
        {
            self.next += 1;
            return Ok(number);
        }
        self.fail("an index")
    }

    /// The number after `mark`, if `mark` is next.
    fn marked_index(&mut self, mark: &str) -> Parsed<Option<u32>> {
        if self.take(mark) { self.index().map(Some) } else { Ok(None) }
    }

    fn is_name(&self) -> bool {
        match &self.peek().token {
            Token::Word(word) => !KEYWORDS.contains(&word.as_str()),
            Token::Quoted(_) => true,
            _ => false,
        }
    }

    fn name(&mut self) -> Parsed<Name> {
        if !self.is_name() {
            return self.fail("a name");
        }
        let at = self.at();
        let (Token::Word(text) | Token::Quoted(text)) = self.advance() else {
            return self.fail("a name");
        };
        Ok(Name { text, number: self.marked_index("#")?, at })
    }

    fn string(&mut self) -> Parsed<String> {
        if !matches!(self.peek().token, Token::String(_)) {
            return self.fail("a string");
        }
        match self.advance() {
            Token::String(text) => Ok(text),
            _ => self.fail("a string"),
        }
    }

    /// Items separated by commas, up to and including `close`.
    fn list<T>(&mut self, close: &str, item: impl Fn(&mut Self) -> Parsed<T>) -> Parsed<Vec<T>> {
        let mut items = Vec::new();
        while !self.take(close) {
            if !items.is_empty() {
                self.expect(",")?;
            }
            items.push(item(self)?);
        }
        Ok(items)
    }

    /// One or more names, separated by commas.
    fn names(&mut self) -> Parsed<Vec<Name>> {
        let mut names = vec![self.name()?];
        while self.take(",") {
            names.push(self.name()?);
        }
        Ok(names)
    }

    fn program(&mut self) -> Parsed<ProgramTree> {
        let mut program = ProgramTree::default();
        self.expect("program")?;
        program.name = self.name()?.text;
        self.expect(";")?;
        while self.peek().token != Token::End {
            self.item(&mut program)?;
        }
        Ok(program)
    }

    fn item(&mut self, program: &mut ProgramTree) -> Parsed<()> {
        let start = self.at();
        if self.take("types") {
            program.types.extend(self.list(";", Self::ty)?);
        } else if self.take("strings") {
            program.strings.extend(self.list(";", Self::string)?);
        } else if self.take("active") {
            program.active.extend(self.list(";", Self::name)?);
        } else if self.is("abstract") || self.is("enum") {
            let is_abstract = self.take("abstract");
            self.expect("enum")?;
            let name = self.name()?;
            self.expect("{")?;
            let elements = self.list("}", Self::name)?;
            program.enums.push(EnumTree { name, elements, is_abstract, span: self.span(start) });
        } else if self.take("throwable") {
            self.expect("record")?;
            program.records.push(self.record(start, true)?);
        } else if self.take("record") {
            program.records.push(self.record(start, false)?);
        } else if self.is("synthetic") || self.is("untracked") || self.is("global") {
            let flags = Flags { synthetic: self.take("synthetic"), untracked: self.take("untracked") };
            self.expect("global")?;
            program.globals.push(self.variable(start, flags)?);
        } else if self.take("fun") {
            let name = self.name()?;
            self.expect("(")?;
            let params = self.list(")", |parser| {
                let ty = parser.ty()?;
                Ok((parser.name()?, ty))
            })?;
            self.expect("returns")?;
            let result = self.ty()?;
            self.expect("=")?;
            let body = self.expr()?;
            self.expect(";")?;
            program.funs.push(FunTree { name, params, result, body, span: self.span(start) });
        } else if self.take("virtual") {
            let name = self.name()?;
            self.expect("{")?;
            let mut targets = Vec::new();
            while !self.take("}") {
                let record = self.name()?;
                self.expect("->")?;
                targets.push((record, self.name()?));
                self.expect(";")?;
            }
            program.virtuals.push(VirtualTree { name, targets, span: self.span(start) });
        } else if self.take("invariant") {
            let name = self.name()?;
            self.expect("=")?;
            let expr = self.expr()?;
            self.expect(";")?;
            program.invariants.push((name, expr, self.span(start)));
        } else if self.take("property") {
            program.properties.push(self.property(start)?);
        } else if self.take("thread") {
            program.procedures.push(self.procedure(start, ProcedureKind::Thread)?);
        } else if self.take("function") {
            program.procedures.push(self.procedure(start, ProcedureKind::Function)?);
        } else if !self.process_item(start, program)? {
            return self.fail("a declaration");
        }
        Ok(())
    }

    fn record(&mut self, start: u32, throwable: bool) -> Parsed<RecordTree> {
        let name = self.name()?;
        let parents = if self.take("extends") { self.names()? } else { Vec::new() };
        self.expect("{")?;
        let mut declared = Vec::new();
        let mut fields = None;
        while !self.take("}") {
            if self.take("fields") {
                fields = Some(self.list(";", Self::name)?);
                continue;
            }
            let start = self.at();
            let ty = self.ty()?;
            let name = self.name()?;
            let number = self.marked_index("@")?;
            self.expect(";")?;
            declared.push(FieldTree { name, ty, number, span: self.span(start) });
        }
        Ok(RecordTree { name, throwable, parents, declared, fields, span: self.span(start) })
    }

    fn variable(&mut self, start: u32, flags: Flags) -> Parsed<VariableTree> {
        let ty = self.ty()?;
        let name = self.name()?;
        let (dims, meaning) = (self.dims()?, self.meaning()?);
        let init = if self.take("=") { Some(self.expr()?) } else { None };
        self.expect(";")?;
        Ok(VariableTree { name, ty, dims, meaning, init, flags, span: self.span(start) })
    }

    fn procedure(&mut self, start: u32, kind: ProcedureKind) -> Parsed<ProcedureTree> {
        let name = self.name()?;
        self.expect("(")?;
        let params = self.list(")", |parser| {
            let start = parser.at();
            let flags = Flags { synthetic: parser.take("synthetic"), untracked: false };
            let ty = parser.ty()?;
            let name = parser.name()?;
            let (dims, meaning) = (parser.dims()?, parser.meaning()?);
            Ok(VariableTree { name, ty, dims, meaning, init: None, flags, span: parser.span(start) })
        })?;
        let result = if self.take("returns") { Some(self.ty()?) } else { None };
        let entry = if self.take("entry") { Some(self.name()?) } else { None };
        let priority = self.priority()?.unwrap_or(1);
        let provided = if self.take("provided") { Some(self.expr()?) } else { None };
        let span = self.span(start);
        self.expect("{")?;
        let (mut locals, mut catches, mut locations) = (Vec::new(), Vec::new(), Vec::new());
        let (mut channels, mut claims, mut prologue) = (Vec::new(), Vec::new(), Vec::new());
        while !self.take("}") {
            let start = self.at();
            if self.is("synthetic") || self.is("local") {
                let flags = Flags { synthetic: self.take("synthetic"), untracked: false };
                self.expect("local")?;
                locals.push(self.variable(start, flags)?);
            } else if self.take("channels") {
                channels.extend(self.list(";", Self::name)?);
            } else if self.take("claim") {
                claims.push(self.claim(start)?);
            } else if self.take("prologue") {
                prologue.extend(self.actions()?);
            } else if self.take("catch") {
                catches.push(self.catch(start)?);
            } else if self.take("loc") {
                locations.push(self.location(start)?);
            } else if self.take("resume") {
                locations.push(self.resume(start)?);
            } else {
                return self.fail("a local, a catch or a location");
            }
        }
        Ok(ProcedureTree {
            name,
            kind,
            params,
            locals,
            result,
            entry,
            priority,
            provided,
            channels,
            claims,
            prologue,
            catches,
            locations,
            span,
        })
    }

    fn catch(&mut self, start: u32) -> Parsed<CatchTree> {
        let record = self.name()?;
        let variable = self.name()?;
        let covers = if self.take("at") { self.names()? } else { Vec::new() };
        self.expect("goto")?;
        let handler = self.name()?;
        self.expect(";")?;
        Ok(CatchTree { record, variable, covers, handler, span: self.span(start) })
    }

    fn location(&mut self, start: u32) -> Parsed<LocationTree> {
        let name = self.name()?;
        let number = self.marked_index("@")?;
        let atomic = self.take("atomic");
        let (fused, end) = (self.take("fused"), self.take("end"));
        let (accept, progress) = (self.take("accept"), self.take("progress"));
        let value = self.marked_index("number")?.unwrap_or(0);
        let synthetic = self.take("synthetic");
        let live = if self.take("live") {
            self.expect("{")?;
            Some(self.list("}", Self::name)?)
        } else {
            None
        };
        let span = self.span(start);
        self.expect(":")?;
        let mut transitions = Vec::new();
        let ends = ["}", "loc", "resume", "synthetic", "local", "catch", "channels", "prologue"];
        while !ends.iter().any(|end| self.is(end)) {
            transitions.push(self.transition()?);
        }
        let resume = None;
        Ok(LocationTree {
            name,
            number,
            atomic,
            fused,
            end,
            accept,
            progress,
            value,
            synthetic,
            live,
            transitions,
            resume,
            span,
        })
    }

    fn resume(&mut self, start: u32) -> Parsed<LocationTree> {
        let name = self.name()?;
        let number = self.marked_index("@")?;
        let atomic = self.take("atomic");
        let synthetic = self.take("synthetic");
        self.expect("of")?;
        let origin = self.name()?;
        let result = if self.take("into") { Some(self.postfix()?) } else { None };
        let then = self.jump()?;
        self.expect(";")?;
        let resume = Some(ResumeTree { origin, result, then });
        let span = self.span(start);
        Ok(LocationTree {
            name,
            number,
            atomic,
            fused: false,
            end: false,
            accept: false,
            progress: false,
            value: 0,
            synthetic,
            live: None,
            transitions: Vec::new(),
            resume,
            span,
        })
    }

    fn transition(&mut self) -> Parsed<TransitionTree> {
        let start = self.at();
        let number = self.transition_label()?;
        let guard = if self.take("when") {
            GuardTree::When(self.expr()?)
        } else if self.take("else") {
            GuardTree::Else
        } else if self.take("ready") {
            GuardTree::Ready(self.name()?)
        } else {
            GuardTree::Always
        };
        let rank = self.marked_index("rank")?.unwrap_or(0);
        let exclusive = self.take("exclusive");
        let trail_number = self.marked_index("number")?.unwrap_or(0);
        let invisible = self.take("invisible");
        let body = if self.take("do") { self.actions()? } else { Vec::new() };
        let exit = if self.take("call") {
            let dispatched = self.take("virtual");
            let callee = self.name()?;
            let args = self.args()?;
            self.expect("resume")?;
            ExitTree::Call { dispatched, callee, args, resume: self.name()? }
        } else {
            ExitTree::Jump(self.jump()?)
        };
        self.expect(";")?;
        let span = self.span(start);
        Ok(TransitionTree { number, guard, rank, exclusive, trail_number, invisible, body, exit, span })
    }

    fn transition_label(&mut self) -> Parsed<Option<u32>> {
        let Token::Word(word) = &self.peek().token else { return Ok(None) };
        if KEYWORDS.contains(&word.as_str())
            || ["ready", "rank", "exclusive", "number"].contains(&word.as_str())
        {
            return Ok(None);
        }
        let Some(number) = word.strip_prefix('t').and_then(|digits| digits.parse().ok()) else {
            return self.fail("a transition");
        };
        self.next += 1;
        self.expect(":")?;
        Ok(Some(number))
    }

    fn jump(&mut self) -> Parsed<JumpTree> {
        if self.take("goto") {
            Ok(JumpTree::Goto(self.name()?))
        } else if self.take("return") {
            Ok(JumpTree::Return(if self.is(";") { None } else { Some(self.expr()?) }))
        } else {
            self.fail("`goto` or `return`")
        }
    }

    /// Actions in braces.
    fn actions(&mut self) -> Parsed<Vec<ActionTree>> {
        self.expect("{")?;
        let mut actions = Vec::new();
        while !self.take("}") {
            actions.push(self.action()?);
            self.expect(";")?;
        }
        Ok(actions)
    }

    fn args(&mut self) -> Parsed<Vec<Tree>> {
        self.expect("(")?;
        self.list(")", Self::expr)
    }

    fn action(&mut self) -> Parsed<ActionTree> {
        let start = self.at();
        let kind = if self.take("exit") {
            ActionTreeKind::Exit
        } else if self.is("start") {
            self.start(None)?
        } else if let Some(&(word, verb)) = VERBS.iter().find(|(word, _)| self.is(word)) {
            self.expect(word)?;
            ActionTreeKind::Do(verb, self.expr()?)
        } else if let Some(kind) = self.process_action()? {
            kind
        } else {
            let place = self.postfix()?;
            self.expect(":=")?;
            if self.is("start") {
                self.start(Some(place))?
            } else if self.take("new") {
                ActionTreeKind::New(place, self.new_object()?)
            } else if self.take("choose") {
                ActionTreeKind::Choose(place, self.expr()?)
            } else {
                ActionTreeKind::Assign(place, self.expr()?)
            }
        };
        Ok(ActionTree { kind, span: self.span(start) })
    }

    fn start(&mut self, result: Option<Tree>) -> Parsed<ActionTreeKind> {
        self.expect("start")?;
        let procedure = self.name()?;
        let args = self.args()?;
        Ok(ActionTreeKind::Start { result, procedure, args, priority: self.priority()? })
    }

    fn new_object(&mut self) -> Parsed<NewTree> {
        let (ty, length) = self.dimensions(true)?;
        match (ty.kind, length) {
            (kind, Some(length)) => Ok(NewTree::Array(TypeTree { kind, at: ty.at }, length)),
            (TypeKind::Lock, None) => Ok(NewTree::Lock),
            (TypeKind::Named(name) | TypeKind::Record(name), None) => Ok(NewTree::Record(name)),
            _ => self.fail("the length of an array"),
        }
    }

    fn ty(&mut self) -> Parsed<TypeTree> {
        Ok(self.dimensions(false)?.0)
    }

    /// A type, followed by the length of an array if `make`.
    fn dimensions(&mut self, make: bool) -> Parsed<(TypeTree, Option<Tree>)> {
        let mut ty = self.base_type()?;
        for _ in 0..=MAX_TYPE_SIZE {
            if !self.take("[") {
                return Ok((ty, None));
            }
            if make && !self.is("]") {
                let length = self.expr()?;
                self.expect("]")?;
                return Ok((ty, Some(length)));
            }
            self.expect("]")?;
            let at = ty.at;
            ty = TypeTree { kind: TypeKind::Array(Box::new(ty)), at };
        }
        self.fail("fewer dimensions")
    }

    fn base_type(&mut self) -> Parsed<TypeTree> {
        let at = self.at();
        let kind = if self.take("boolean") {
            TypeKind::Boolean
        } else if self.is("int") || self.is("long") {
            let long = self.take("long") || !self.take("int");
            let wrap = self.take("wrap");
            let range = if wrap || self.is("(") {
                self.expect("(")?;
                let lo = self.integer()?;
                self.expect(",")?;
                let hi = self.integer()?;
                self.expect(")")?;
                Some((lo, hi, wrap))
            } else {
                None
            };
            TypeKind::Int { long, range }
        } else if self.take("tid") {
            TypeKind::Tid
        } else if self.take("string") {
            TypeKind::String
        } else if self.take("lock") {
            TypeKind::Lock
        } else if self.take("null") {
            TypeKind::Null
        } else if self.take("enum") {
            TypeKind::Enum(self.name()?)
        } else if self.take("record") {
            TypeKind::Record(self.name()?)
        } else if COLLECTIONS.iter().any(|word| self.is(word)) {
            self.collection_type()?
        } else if self.is_name() {
            TypeKind::Named(self.name()?)
        } else {
            return self.fail("a type");
        };
        Ok(TypeTree { kind, at })
    }

    fn collection_type(&mut self) -> Parsed<TypeKind> {
        self.enter()?;
        let Token::Word(word) = self.advance() else { return self.fail("a collection") };
        self.expect("<")?;
        let element = Box::new(self.ty()?);
        let kind = match word.as_str() {
            "Set" => TypeKind::Set(element),
            "Bag" => TypeKind::Bag(element),
            "Seq" => TypeKind::Seq(element),
            "Queue" => TypeKind::Queue(element),
            _ => {
                self.expect(",")?;
                TypeKind::Map(element, Box::new(self.ty()?))
            }
        };
        self.expect(">")?;
        self.nesting -= 1;
        Ok(kind)
    }

    /// An integer with its sign.
    fn integer(&mut self) -> Parsed<i64> {
        let negative = self.take("-");
        let Token::Number(magnitude) = self.peek().token else { return self.fail("an integer") };
        let value = if negative { -i128::from(magnitude) } else { i128::from(magnitude) };
        let Ok(value) = i64::try_from(value) else { return self.fail("an integer of 64 bits") };
        self.next += 1;
        Ok(value)
    }

    fn tree(&self, start: u32, kind: TreeKind) -> Parsed<Tree> {
        let deepest = |trees: &[Tree]| trees.iter().map(|tree| tree.depth).max().unwrap_or(0);
        let depth = 1 + match &kind {
            TreeKind::Bool(_)
            | TreeKind::Int(_)
            | TreeKind::Null
            | TreeKind::String(_)
            | TreeKind::Name(_)
            | TreeKind::Global(_)
            | TreeKind::Element(..)
            | TreeKind::Fact(_)
            | TreeKind::FirstThread(_)
            | TreeKind::ThreadsAt { .. }
            | TreeKind::Channel(_)
            | TreeKind::All(_) => 0,
            TreeKind::Field(a, _)
            | TreeKind::Length(a)
            | TreeKind::Unary(_, a)
            | TreeKind::As(a, _)
            | TreeKind::InstanceOf(a, _)
            | TreeKind::Ask(_, a)
            | TreeKind::Typed(a, _) => a.depth,
            TreeKind::Index(a, b) | TreeKind::Binary(_, a, b) => a.depth.max(b.depth),
            TreeKind::Cond(a, b, c) => a.depth.max(b.depth).max(c.depth),
            TreeKind::Call(_, args) | TreeKind::Create(_, args) | TreeKind::Method(_, args) => deepest(args),
            TreeKind::Quantified { over, captures, .. } => over.depth.max(deepest(captures)),
            TreeKind::ThreadAt { thread, .. } => thread.depth,
            TreeKind::ThreadLocal { thread, indices, .. } => thread.depth.max(deepest(indices)),
            TreeKind::ChannelHas { channel, pattern, .. } => {
                pattern.iter().flatten().map(|field| field.depth).fold(channel.depth, usize::max)
            }
        };
        if depth > DEEPEST {
            return Err(Error::new(start, "the expression is too deep"));
        }
        Ok(Tree { kind, span: self.span(start), depth })
    }

    /// Called by everything that parses an expression inside an expression.
    fn enter(&mut self) -> Parsed<()> {
        self.nesting += 1;
        if self.nesting > DEEPEST {
            return Err(Error::new(self.at(), "the expression is too deep"));
        }
        Ok(())
    }

    fn expr(&mut self) -> Parsed<Tree> {
        self.enter()?;
        let start = self.at();
        let mut tree = self.binary(1)?;
        if self.take("?") {
            let then = self.expr()?;
            self.expect(":")?;
            let otherwise = self.expr()?;
            let kind = TreeKind::Cond(Box::new(tree), Box::new(then), Box::new(otherwise));
            tree = self.tree(start, kind)?;
        }
        self.nesting -= 1;
        Ok(tree)
    }

    /// Operators of at least this precedence.
    fn binary(&mut self, least: u8) -> Parsed<Tree> {
        let start = self.at();
        let mut left = self.unary()?;
        loop {
            if least <= TESTS && self.take("as") {
                let kind = TreeKind::As(Box::new(left), self.name()?);
                left = self.tree(start, kind)?;
            } else if least <= TESTS && self.take("instanceof") {
                let kind = TreeKind::InstanceOf(Box::new(left), self.name()?);
                left = self.tree(start, kind)?;
            } else if let Some(&(symbol, op, strength)) =
                BINARY.iter().find(|&&(symbol, _, strength)| strength >= least && self.is(symbol))
            {
                self.expect(symbol)?;
                self.enter()?;
                let right_associative = op == BinaryOp::Implies;
                let right = self.binary(if right_associative { strength } else { strength + 1 })?;
                self.nesting -= 1;
                left = self.tree(start, TreeKind::Binary(op, Box::new(left), Box::new(right)))?;
            } else {
                return Ok(left);
            }
        }
    }

    fn unary(&mut self) -> Parsed<Tree> {
        let mut ops = Vec::new();
        loop {
            let start = self.at();
            if self.take("!") {
                ops.push((UnaryOp::Not, start));
            } else if self.is("-") {
                // A sign is a part of the number: `-(5)` is the negation of 5.
                if matches!(self.lexemes.get(self.next + 1), Some(Lexeme { token: Token::Number(_), .. })) {
                    break;
                }
                self.expect("-")?;
                ops.push((UnaryOp::Neg, start));
            } else {
                break;
            }
        }
        let mut tree = self.postfix()?;
        for (op, start) in ops.into_iter().rev() {
            tree = self.tree(start, TreeKind::Unary(op, Box::new(tree)))?;
        }
        Ok(tree)
    }

    /// Also parses places.
    fn postfix(&mut self) -> Parsed<Tree> {
        let start = self.at();
        let mut tree = self.primary()?;
        loop {
            if self.take(".") {
                let kind = if self.take("length") {
                    TreeKind::Length(Box::new(tree))
                } else if let Some(op) = self.method() {
                    let mut operands = vec![tree];
                    operands.extend(self.args()?);
                    TreeKind::Method(op, operands)
                } else {
                    TreeKind::Field(Box::new(tree), self.name()?)
                };
                tree = self.tree(start, kind)?;
            } else if self.take("[") {
                let index = self.expr()?;
                self.expect("]")?;
                tree = self.tree(start, TreeKind::Index(Box::new(tree), Box::new(index)))?;
            } else {
                return Ok(tree);
            }
        }
    }

    /// A method name, which is a word before a parenthesis: a field may have the same name.
    fn method(&mut self) -> Option<CollectionOp> {
        let Some(Lexeme { token: Token::Symbol("("), .. }) = self.lexemes.get(self.next + 1) else {
            return None;
        };
        let &(_, op) = METHODS.iter().find(|(word, _)| self.is(word))?;
        self.next += 1;
        Some(op)
    }

    /// Separate from what does not nest, so that nesting needs little of the native stack.
    fn primary(&mut self) -> Parsed<Tree> {
        if self.is("(") {
            return self.parenthesized();
        }
        if let Some(&(word, question)) = QUESTIONS.iter().find(|(word, _)| self.is_called(word)) {
            let start = self.at();
            self.expect(word)?;
            self.expect("(")?;
            let operand = Box::new(self.expr()?);
            self.expect(")")?;
            return self.tree(start, TreeKind::Ask(question, operand));
        }
        if let Some(tree) = self.process_primary()? {
            return Ok(tree);
        }
        if self.is("forall") || self.is("exists") {
            return self.quantified();
        }
        if COLLECTIONS.iter().any(|word| self.is(word)) {
            let start = self.at();
            let ty = self.base_type()?;
            let elements = self.args()?;
            return self.tree(start, TreeKind::Create(ty, elements));
        }
        let tree = self.atom()?;
        if self.is("(")
            && let TreeKind::Name(name) = tree.kind
        {
            let args = self.args()?;
            return self.tree(tree.span.start, TreeKind::Call(name, args));
        }
        Ok(tree)
    }

    fn quantified(&mut self) -> Parsed<Tree> {
        let start = self.at();
        let all = self.take("forall") || !self.take("exists");
        self.expect("(")?;
        let over = Box::new(self.expr()?);
        self.expect(",")?;
        let fun = self.name()?;
        let mut captures = Vec::new();
        while self.take(",") {
            captures.push(self.expr()?);
        }
        self.expect(")")?;
        self.tree(start, TreeKind::Quantified { all, over, fun, captures })
    }

    fn parenthesized(&mut self) -> Parsed<Tree> {
        let start = self.at();
        self.expect("(")?;
        let mut tree = self.expr()?;
        if self.take(":") {
            let ty = self.ty()?;
            tree = self.tree(start, TreeKind::Typed(Box::new(tree), ty))?;
        }
        self.expect(")")?;
        Ok(tree)
    }

    #[inline(never)]
    fn atom(&mut self) -> Parsed<Tree> {
        let start = self.at();
        let kind = if self.take("true") {
            TreeKind::Bool(true)
        } else if self.take("false") {
            TreeKind::Bool(false)
        } else if self.take("null") {
            TreeKind::Null
        } else if self.take("all") {
            TreeKind::All(self.name()?)
        } else if self.take("::") {
            TreeKind::Global(self.name()?)
        } else if self.is("-") || matches!(self.peek().token, Token::Number(_)) {
            TreeKind::Int(self.integer()?)
        } else if matches!(self.peek().token, Token::String(_)) {
            TreeKind::String(self.string()?)
        } else if self.is_name() {
            let name = self.name()?;
            if self.take("::") { TreeKind::Element(name, self.name()?) } else { TreeKind::Name(name) }
        } else {
            return self.fail("an expression");
        };
        self.tree(start, kind)
    }
}
