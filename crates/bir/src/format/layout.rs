//! Which lines there are, and how far they are indented.
//!
//! A stack of what is open is kept from token to token. All words that open and close something are reserved, so the
//! tokens suffice, given that the text parses. An *item* is what blocks consist of: a member, a field, a location, a
//! transformation, a statement, a branch. A line that begins in the middle of an item continues it.

use super::STEP;
use super::pieces::{Piece, Pieces};
use crate::collections::Kind;
use crate::lexer::Token;

/// What is open.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Open {
    /// Braces around items.
    Braces,
    /// Braces around names, none of which continues another one.
    Names,
    /// The braces of a transformation, behind which its jump follows.
    Actions,
    /// Parentheses, brackets, or the braces of a collection: the line that opens them continues.
    Group,
    /// From `loc` to the next one.
    Location,
    /// From a keyword to its `end`.
    Block,
    /// `choose`, with its branches.
    Choose,
}

struct Entry {
    open: Open,
    /// Whether what is inside has lines of its own.
    is_tall: bool,
    /// The indentation of what is inside.
    inner: usize,
    /// The indentation of the line that closes it.
    outer: usize,
}

pub struct Layout<'p, 's> {
    pieces: &'p Pieces<'s>,
    /// By piece that opens something: whether that has several lines.
    tall: Vec<bool>,
    stack: Vec<Entry>,
    /// Whether the next token begins an item.
    fresh: bool,
    /// The first token of the item, and the one before the next.
    head: Option<Token>,
    last: Option<Token>,
    /// The indentation of the current item and of the current line.
    item: usize,
    line: usize,
    /// Whether a label was just passed: its statement stays on its line.
    after_label: bool,
    /// Whether a label or `loc name` is being read.
    in_label: bool,
}

/// Where a piece goes.
pub struct Place {
    /// Whether it begins a line.
    pub breaks: bool,
    pub indent: usize,
    /// Whether an empty line can be before it.
    pub may_be_apart: bool,
}

impl<'p, 's> Layout<'p, 's> {
    pub fn new(pieces: &'p Pieces<'s>) -> Self {
        let mut layout = Self {
            pieces,
            tall: vec![false; pieces.all.len()],
            stack: Vec::new(),
            fresh: true,
            head: None,
            last: None,
            item: 0,
            line: 0,
            after_label: false,
            in_label: false,
        };
        // One pass to see which blocks have several lines.
        let mut opened: Vec<usize> = Vec::new();
        let mut depth = 0;
        for at in 0..pieces.all.len() {
            if layout.pieces.all[at].newline {
                for &open in &opened {
                    layout.tall[open] = true;
                }
            }
            layout.pass(at);
            while layout.stack.len() < depth {
                opened.pop();
                depth -= 1;
            }
            while layout.stack.len() > depth {
                opened.push(at);
                depth += 1;
            }
        }
        let tall = std::mem::take(&mut layout.tall);
        Self { tall, stack: Vec::new(), fresh: true, head: None, last: None, item: 0, line: 0, ..layout }
    }

    fn top(&self) -> Option<&Entry> {
        self.stack.last()
    }

    /// The indentation of items here.
    fn inner(&self) -> usize {
        self.top().map_or(0, |entry| entry.inner)
    }

    /// Whether a token closes what is open, or a part of it.
    fn closes(&self, at: usize) -> bool {
        let Some(token) = self.pieces.token(at) else { return false };
        match token {
            Token::RightBrace | Token::RightParen | Token::RightBracket | Token::Else | Token::Elseif => true,
            Token::End => !self.in_label && self.fresh,
            Token::Catch => self.top().is_some_and(|entry| entry.open == Open::Block),
            _ => false,
        }
    }

    /// Whether a branch of `choose` begins here.
    fn is_branch(&self, at: usize) -> bool {
        let in_choose = self.top().is_some_and(|entry| entry.open == Open::Choose);
        in_choose
            && self.fresh
            && match self.pieces.token(at) {
                Some(Token::Do) => true,
                Some(Token::When) => self.ends_in_do(at),
                _ => false,
            }
    }

    /// Whether the condition after `when` ends in `do` rather than in `;`.
    fn ends_in_do(&self, at: usize) -> bool {
        let rest = self.pieces.all[at..].iter().filter_map(|piece| piece.token);
        rest.take_while(|token| *token != Token::Semicolon).any(|token| token == Token::Do)
    }

    /// Where a piece goes.
    pub fn place(&mut self, at: usize) -> Place {
        let piece = &self.pieces.all[at];
        let closes = self.closes(at);
        let in_tall = self.container(at, closes).is_some_and(|entry| entry.is_tall);
        let indent = self.indent(at, closes);
        let is_item =
            self.fresh && !self.after_label && self.top().is_none_or(|entry| entry.open != Open::Group);
        let is_group = self.top().is_some_and(|entry| matches!(entry.open, Open::Group | Open::Names));
        let is_transformation = self.top().is_some_and(|entry| entry.open == Open::Location)
            && !matches!(piece.token, Some(Token::Loc | Token::Catch | Token::RightBrace));
        let forced = piece.token.is_some()
            && in_tall
            && !is_group
            && !is_transformation
            && (is_item || closes && self.opens_line(at));
        let breaks = piece.newline || forced || self.follows_line_comment(at);
        if breaks {
            self.line = indent;
        }
        let after_opening = self.fresh && self.head.is_none();
        let closes_next = match piece.token {
            None => false,
            Some(_) => closes && !matches!(piece.token, Some(Token::Else | Token::Elseif | Token::Catch)),
        };
        Place { breaks, indent, may_be_apart: !after_opening && !closes_next }
    }

    /// What a token is an item of, or closes: locations end where others begin.
    fn container(&self, at: usize, closes: bool) -> Option<&Entry> {
        let ends_location = match self.pieces.token(at) {
            Some(Token::Loc | Token::RightBrace) => true,
            Some(Token::Catch) => !closes,
            _ => false,
        };
        self.stack.iter().rev().find(|entry| !ends_location || entry.open != Open::Location)
    }

    /// Whether a token that closes something has a line of its own.
    fn opens_line(&self, at: usize) -> bool {
        !matches!(self.pieces.token(at), Some(Token::RightParen | Token::RightBracket))
    }

    fn follows_line_comment(&self, at: usize) -> bool {
        at > 0 && self.pieces.all[at - 1].token.is_none() && self.pieces.all[at - 1].text.starts_with("//")
    }

    /// The indentation of a line that begins with a piece.
    fn indent(&self, at: usize, closes: bool) -> usize {
        let piece = &self.pieces.all[at];
        if piece.token.is_none() {
            return self.comment_indent(at, piece);
        }
        let outer = self.top().map_or(0, |entry| entry.outer);
        match piece.token {
            Some(Token::RightBrace) => {
                // The last location ends with the procedure.
                let braces = self.stack.iter().rev().find(|entry| entry.open != Open::Location);
                return braces.map_or(0, |entry| entry.outer);
            }
            Some(Token::Loc) => return self.location_indent(),
            Some(Token::Catch) if !closes => return self.location_indent(),
            Some(Token::Else | Token::Elseif)
                if self.top().is_some_and(|entry| entry.open == Open::Choose) =>
            {
                return outer + STEP;
            }
            _ if self.is_branch(at) => return outer + STEP,
            _ if closes => return outer,
            _ => {}
        }
        match self.top() {
            Some(entry) if entry.open == Open::Group => entry.inner,
            _ if self.fresh => self.inner(),
            // The jump of a transformation.
            Some(entry) if entry.open == Open::Location && self.last == Some(Token::RightBrace) => self.item,
            _ => self.item + STEP,
        }
    }

    /// The indentation of `loc`, and of a `catch` among locations.
    fn location_indent(&self) -> usize {
        match self.top() {
            Some(entry) if entry.open == Open::Location => entry.outer,
            _ => self.inner(),
        }
    }

    /// A comment on a line of its own belongs to what follows; before the end of a block, to what is in it if it was
    /// indented so.
    fn comment_indent(&self, at: usize, piece: &Piece<'_>) -> usize {
        let own = match self.top() {
            Some(entry) if entry.open == Open::Group => entry.inner,
            _ if self.fresh => self.inner(),
            _ => self.item + STEP,
        };
        let Some(next) = self.pieces.next_token(at) else { return self.inner() };
        let following = self.indent(next, self.closes(next));
        let column = self.pieces.all[next].column;
        if following < own && piece.column <= column { following } else { own }
    }

    /// Takes note of a piece.
    pub fn pass(&mut self, at: usize) {
        let Some(token) = self.pieces.token(at) else { return };
        // What follows a dot is a name, such as `choose` in `Set.choose(s)`.
        if self.last == Some(Token::Dot) {
            self.last = Some(Token::Ident);
            return;
        }
        let was_fresh = self.fresh;
        let is_branch = self.is_branch(at);
        let closes = self.closes(at);
        if was_fresh && !closes {
            self.head = Some(token);
            self.item = match token {
                Token::Loc | Token::Catch => self.location_indent(),
                _ if self.after_label => self.item,
                _ => self.indent(at, false),
            };
        }
        if closes && matches!(token, Token::Else | Token::Elseif | Token::Catch) {
            self.item = self.indent(at, true);
        }
        self.after_label = false;
        self.fresh = false;
        match token {
            Token::LeftParen | Token::LeftBracket => self.open(at, Open::Group),
            Token::RightParen | Token::RightBracket => {
                self.close(Open::Group);
                // `catch (R v)`
                let is_handler = token == Token::RightParen && self.head == Some(Token::Catch);
                self.fresh = is_handler && self.top().is_some_and(|entry| entry.open == Open::Block);
                if self.fresh {
                    self.head = None;
                }
            }
            Token::LeftBrace => self.open_brace(at),
            Token::RightBrace => self.close_brace(),
            Token::Loc => {
                self.close(Open::Location);
                self.open(at, Open::Location);
                self.in_label = true;
            }
            Token::Catch if !closes => self.close(Open::Location),
            Token::Catch => self.head = Some(Token::Catch),
            Token::Colon if self.in_label => {
                (self.in_label, self.fresh) = (false, true);
                self.after_label = self.head != Some(Token::Loc);
                self.head = None;
            }
            Token::Ident if was_fresh => self.in_label = self.is_label(at),
            Token::Semicolon => self.fresh = self.top().is_none_or(|entry| entry.open != Open::Group),
            Token::If if self.last == Some(Token::Else) => {}
            Token::If | Token::While => self.open(at, Open::Block),
            Token::Atomic | Token::Try => {
                self.open(at, Open::Block);
                (self.fresh, self.head) = (true, None);
            }
            Token::Choose => {
                self.open(at, Open::Choose);
                (self.fresh, self.head) = (true, None);
            }
            Token::Do if is_branch => self.begin_body(),
            Token::Do if !self.opens_actions(at) => self.begin_body(),
            Token::End if closes => {
                self.stack.pop();
                self.fresh = true;
                self.head = Some(Token::End);
            }
            _ => {}
        }
        if was_fresh && token == Token::Ident && self.pieces.all[at].text == "for" && self.is_for(at) {
            self.open(at, Open::Block);
        }
        if self.top().is_some_and(|entry| entry.open == Open::Names) {
            self.fresh = true;
        }
        self.last = Some(token);
    }

    /// After the `do` of a block.
    fn begin_body(&mut self) {
        if let Some(entry) = self.stack.last_mut()
            && entry.open == Open::Choose
        {
            entry.inner = entry.outer + 2 * STEP;
        }
        (self.fresh, self.head) = (true, None);
    }

    /// Whether the `do` of a transformation begins here, whose actions are in braces.
    fn opens_actions(&self, at: usize) -> bool {
        let mut next = self.pieces.next_token(at);
        while let Some(after) = next {
            match self.pieces.all[after].text {
                "invisible" | "fair" => next = self.pieces.next_token(after),
                "{" => return true,
                _ => return false,
            }
        }
        false
    }

    /// Whether the name of a label begins here: `name:` or `name end:`.
    fn is_label(&self, at: usize) -> bool {
        let Some(next) = self.pieces.next_token(at) else { return false };
        match self.pieces.token(next) {
            Some(Token::Colon) => true,
            Some(Token::End) => {
                let colon = self.pieces.next_token(next);
                colon.is_some_and(|colon| self.pieces.token(colon) == Some(Token::Colon))
            }
            _ => false,
        }
    }

    /// Whether a loop begins here, and not a statement about a variable with the name `for`.
    fn is_for(&self, at: usize) -> bool {
        let Some(next) = self.pieces.next_token(at) else { return false };
        let after = self.pieces.next_token(next);
        self.pieces.token(next) == Some(Token::Ident)
            && after.is_some_and(|after| self.pieces.all[after].text == "in")
    }

    fn open(&mut self, at: usize, open: Open) {
        let outer = match open {
            Open::Group => self.line,
            _ => self.item,
        };
        // What is opened on the same line is indented once.
        let inner = match (open, self.top()) {
            (Open::Group, Some(entry)) if entry.open == Open::Group && entry.outer == self.line => {
                entry.inner
            }
            _ => outer + STEP,
        };
        let is_tall = self.tall.get(at).copied().unwrap_or(false);
        self.stack.push(Entry { open, is_tall, inner, outer });
    }

    fn close(&mut self, open: Open) {
        if self.top().is_some_and(|entry| entry.open == open) {
            self.stack.pop();
        }
    }

    fn open_brace(&mut self, at: usize) {
        let last = self.last;
        if self.is_literal(at) {
            return self.open(at, Open::Group);
        }
        let before: Vec<&str> = self.before(at, 2);
        let open = match self.head {
            _ if before.first() == Some(&"live") => Open::Names,
            Some(Token::Enum | Token::Virtual) => Open::Names,
            Some(Token::Ident) if before.get(1) == Some(&"enum") => Open::Names,
            _ if last == Some(Token::Do) || matches!(before.first(), Some(&("fair" | "invisible"))) => {
                Open::Actions
            }
            _ => Open::Braces,
        };
        self.open(at, open);
        (self.fresh, self.head) = (true, None);
    }

    /// The texts of the tokens before a piece, the last one first.
    fn before(&self, at: usize, count: usize) -> Vec<&'s str> {
        let tokens = self.pieces.all[..at].iter().rev().filter(|piece| piece.token.is_some());
        tokens.take(count).map(|piece| piece.text).collect()
    }

    /// Whether the braces of a collection begin here: `Set{1, 2}`.
    pub fn is_literal(&self, at: usize) -> bool {
        let before = self.before(at, 2);
        let is_kind = before.first().is_some_and(|word| Kind::named(word).is_some());
        let declares = match before.get(1) {
            None | Some(&("system" | "const" | "enum" | "record" | "virtual" | "extends" | "live")) => true,
            Some(&",") => self.head == Some(Token::Record),
            Some(_) => false,
        };
        is_kind && !declares
    }

    fn close_brace(&mut self) {
        self.close(Open::Location);
        let closed = self.stack.pop();
        let outer = closed.as_ref().map_or(0, |entry| entry.outer);
        match closed.map(|entry| entry.open) {
            Some(Open::Group) => {}
            // The jump follows the actions, and belongs to the same item.
            Some(Open::Actions) => self.item = outer,
            Some(Open::Names) if self.top().is_some_and(|entry| entry.open == Open::Location) => {
                self.fresh = true;
            }
            _ => (self.fresh, self.head) = (true, Some(Token::RightBrace)),
        }
    }
}

/// What the blanks between tokens depend on.
impl Layout<'_, '_> {
    pub fn is_in_label(&self) -> bool {
        self.in_label
    }

    /// Whether the text is inside of parentheses, brackets or a collection.
    pub fn is_in_group(&self) -> bool {
        self.top().is_some_and(|entry| entry.open == Open::Group)
    }

    /// Whether a minus has no operand on its left.
    pub fn is_unary(&self, at: usize) -> bool {
        let before = (0..at).rev().find_map(|at| self.pieces.token(at));
        !before.is_some_and(|token| {
            matches!(token, Token::Ident | Token::Int | Token::Str | Token::RightParen | Token::RightBracket)
                || matches!(token, Token::RightBrace | Token::True | Token::False | Token::Null)
        })
    }
}
