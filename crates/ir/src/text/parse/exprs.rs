//! Expressions and places; binary operators by precedence.

use super::*;

/// Binary operators with their precedences; `=>` associates to the right, the others to the left.
pub(in super::super) const BINARY: &[(&str, BinaryOp, u8)] = &[
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
pub(in super::super) const TESTS: u8 = 8;

const QUESTIONS: &[(&str, Question)] = &[
    ("lockAvailable", ExprKind::LockAvailable),
    ("hasLock", ExprKind::HasLock),
    ("wasNotified", ExprKind::WasNotified),
    ("threadTerminated", ExprKind::ThreadTerminated),
    ("wrap", ExprKind::Wrap),
    ("number", ExprKind::Number),
    ("enabled", ExprKind::ThreadEnabled),
    ("location", ExprKind::ThreadLocation),
    ("priority", ExprKind::ThreadPriority),
    ("length", ExprKind::ChannelLength),
    ("full", ExprKind::ChannelFull),
    ("load", ExprKind::Load),
];

/// Operations on collections: `collection.method(..)`.
pub(in super::super) const METHODS: &[(&str, CollectionOp)] = &[
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

impl Parser {
    pub(super) fn tree(&self, start: u32, kind: TreeKind) -> Parsed<Tree> {
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
            | TreeKind::Address(a)
            | TreeKind::Within(a, _)
            | TreeKind::Unary(_, a)
            | TreeKind::As(a, _)
            | TreeKind::InstanceOf(a, _)
            | TreeKind::Ask(_, a)
            | TreeKind::Typed(a, _) => a.depth,
            TreeKind::Index(a, b) | TreeKind::Offset(a, b) | TreeKind::Binary(_, a, b) => {
                a.depth.max(b.depth)
            }
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
    pub(super) fn enter(&mut self) -> Parsed<()> {
        self.nesting += 1;
        if self.nesting > DEEPEST {
            return Err(Error::new(self.at(), "the expression is too deep"));
        }
        Ok(())
    }

    pub(super) fn expr(&mut self) -> Parsed<Tree> {
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
    pub(super) fn binary(&mut self, least: u8) -> Parsed<Tree> {
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

    pub(super) fn unary(&mut self) -> Parsed<Tree> {
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
    pub(super) fn postfix(&mut self) -> Parsed<Tree> {
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
    pub(super) fn method(&mut self) -> Option<CollectionOp> {
        let Some(Lexeme { token: Token::Symbol("("), .. }) = self.lexemes.get(self.next + 1) else {
            return None;
        };
        let &(_, op) = METHODS.iter().find(|(word, _)| self.is(word))?;
        self.next += 1;
        Some(op)
    }

    /// Separate from what does not nest, so that nesting needs little of the native stack.
    pub(super) fn primary(&mut self) -> Parsed<Tree> {
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
        if let Some(tree) = self.pointer_primary()? {
            return Ok(tree);
        }
        if let Some(tree) = self.process_primary()? {
            return Ok(tree);
        }
        if self.is("forall") || self.is("exists") {
            return self.quantified();
        }
        if types::COLLECTIONS.iter().any(|word| self.is(word)) {
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

    fn pointer_primary(&mut self) -> Parsed<Option<Tree>> {
        let words = ["address", "offset", "within"];
        let Some(word) = words.into_iter().find(|word| self.is_called(word)) else { return Ok(None) };
        let start = self.at();
        self.expect(word)?;
        self.expect("(")?;
        let operand = Box::new(self.expr()?);
        let kind = match word {
            "address" => TreeKind::Address(operand),
            "offset" => {
                self.expect(",")?;
                TreeKind::Offset(operand, Box::new(self.expr()?))
            }
            _ => {
                self.expect(",")?;
                let at = self.at();
                let bound = u32::try_from(self.integer()?);
                TreeKind::Within(operand, bound.map_err(|_| Error::new(at, "this is no bound"))?)
            }
        };
        self.expect(")")?;
        self.tree(start, kind).map(Some)
    }

    pub(super) fn quantified(&mut self) -> Parsed<Tree> {
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

    pub(super) fn parenthesized(&mut self) -> Parsed<Tree> {
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
    pub(super) fn atom(&mut self) -> Parsed<Tree> {
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
