//! From text to tokens.
//!
//! Tokens are made on demand: a file of nonsense is refused after its first errors, without reading the rest.
//! Invalid text is a token too; the parser reports it when it gets there.
//!
//! Words that have a meaning at one place of the grammar only (`top`, `live`, `at`, …) are identifiers here,
//! so that models can use them as names.

use logos::Logos;

#[derive(Logos, Clone, Copy, PartialEq, Eq, Debug)]
#[logos(error = Bad)]
#[logos(skip r"[ \t\r\n\f]+")]
#[logos(skip(r"//[^\n]*", allow_greedy = true))]
pub enum Token {
    #[regex(r"[A-Za-z_$][A-Za-z0-9_$]*")]
    Ident,
    // Letters and digits that follow belong to the number, to be refused with it.
    #[regex(r"[0-9][A-Za-z0-9_$]*")]
    Int,
    #[token("\"", string)]
    Str,
    #[token("/*", block_comment)]
    Comment,

    #[token("system")]
    System,
    #[token("const")]
    Const,
    #[token("enum")]
    Enum,
    #[token("record")]
    Record,
    #[token("extends")]
    Extends,
    #[token("typealias")]
    Typealias,
    #[token("thread")]
    Thread,
    #[token("function")]
    Function,
    #[token("returns")]
    Returns,
    #[token("virtual")]
    Virtual,
    #[token("fun")]
    Fun,
    #[token("extension")]
    Extension,
    #[token("invariant")]
    Invariant,
    #[token("ltl")]
    Ltl,

    #[token("boolean")]
    Boolean,
    #[token("int")]
    IntType,
    #[token("long")]
    LongType,
    #[token("tid")]
    Tid,
    #[token("string")]
    StringType,
    #[token("lock")]
    Lock,

    #[token("loc")]
    Loc,
    #[token("when")]
    When,
    #[token("do")]
    Do,
    #[token("invoke")]
    Invoke,
    #[token("goto")]
    Goto,
    #[token("return")]
    Return,
    #[token("catch")]
    Catch,

    #[token("atomic")]
    Atomic,
    #[token("while")]
    While,
    #[token("if")]
    If,
    #[token("elseif")]
    Elseif,
    #[token("else")]
    Else,
    #[token("choose")]
    Choose,
    #[token("try")]
    Try,
    #[token("end")]
    End,
    #[token("skip")]
    Skip,
    #[token("assert")]
    Assert,
    #[token("assume")]
    Assume,
    #[token("unlock")]
    Unlock,
    #[token("wait")]
    Wait,
    #[token("unwait")]
    Unwait,
    #[token("notify")]
    Notify,
    #[token("notifyAll")]
    NotifyAll,
    #[token("throw")]
    Throw,
    #[token("start")]
    Start,
    #[token("exit")]
    Exit,

    #[token("new")]
    New,
    #[token("null")]
    Null,
    #[token("true")]
    True,
    #[token("false")]
    False,
    #[token("instanceof")]
    Instanceof,
    #[token("lockAvailable")]
    LockAvailable,
    #[token("hasLock")]
    HasLock,
    #[token("wasNotified")]
    WasNotified,
    #[token("threadTerminated")]
    ThreadTerminated,
    #[token("shl")]
    Shl,
    #[token("shr")]
    Shr,
    #[token("ushr")]
    Ushr,

    #[token("{")]
    LeftBrace,
    #[token("}")]
    RightBrace,
    #[token("(")]
    LeftParen,
    #[token(")")]
    RightParen,
    #[token("[")]
    LeftBracket,
    #[token("]")]
    RightBracket,
    #[token(";")]
    Semicolon,
    #[token(":")]
    Colon,
    #[token(",")]
    Comma,
    #[token(".")]
    Dot,
    #[token("..")]
    DotDot,
    #[token("..=")]
    DotDotEqual,
    #[token("?")]
    Question,
    #[token(":=")]
    Assign,
    #[token("+=")]
    PlusAssign,
    #[token("-=")]
    MinusAssign,
    #[token("*=")]
    StarAssign,
    #[token("/=")]
    SlashAssign,
    #[token("%=")]
    PercentAssign,
    #[token("&=")]
    AndAssign,
    #[token("|=")]
    OrAssign,
    #[token("^=")]
    CaretAssign,
    #[token("=")]
    Equal,
    #[token("->")]
    Arrow,
    #[token("!")]
    Bang,
    #[token("-")]
    Minus,
    #[token("+")]
    Plus,
    #[token("*")]
    Star,
    #[token("/")]
    Slash,
    #[token("%")]
    Percent,
    #[token("==")]
    EqualEqual,
    #[token("!=")]
    BangEqual,
    #[token("<")]
    Less,
    #[token("<=")]
    LessEqual,
    #[token(">")]
    Greater,
    #[token(">=")]
    GreaterEqual,
    #[token("&&")]
    AndAnd,
    #[token("||")]
    OrOr,
    #[token("=>")]
    Implies,
    #[token("&")]
    And,
    #[token("|")]
    Or,
    #[token("^")]
    Caret,

    #[token("@")]
    At,
    #[token("#")]
    Hash,

    // Not produced by the automaton.
    Bad(Bad),
    Eof,
}

/// Text that is not a token.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Bad {
    #[default]
    Character,
    UnterminatedString,
    UnterminatedComment,
}

fn string(lexer: &mut logos::Lexer<'_, Token>) -> Result<(), Bad> {
    let mut escaped = false;
    for (at, byte) in lexer.remainder().bytes().enumerate() {
        match byte {
            b'\n' => {
                lexer.bump(at);
                return Err(Bad::UnterminatedString);
            }
            b'"' if !escaped => {
                lexer.bump(at + 1);
                return Ok(());
            }
            _ => escaped = byte == b'\\' && !escaped,
        }
    }
    lexer.bump(lexer.remainder().len());
    Err(Bad::UnterminatedString)
}

fn block_comment(lexer: &mut logos::Lexer<'_, Token>) -> Result<(), Bad> {
    if let Some(at) = lexer.remainder().find("*/") {
        lexer.bump(at + 2);
        Ok(())
    } else {
        lexer.bump(lexer.remainder().len());
        Err(Bad::UnterminatedComment)
    }
}

/// A token and the bytes it covers.
#[derive(Clone, Copy, Debug)]
pub struct Lexeme {
    pub token: Token,
    pub start: u32,
    pub end: u32,
}

/// The tokens of a text, one after the other, followed by [`Token::Eof`] forever.
pub struct Lexer<'s> {
    inner: logos::Lexer<'s, Token>,
    /// Where the text of `inner` starts in the whole text.
    base: u32,
}

impl<'s> Lexer<'s> {
    /// Starts at a byte of `text`.
    pub fn new(text: &'s str, base: u32) -> Self {
        Self { inner: Token::lexer(&text[base as usize..]), base }
    }

    pub fn next(&mut self) -> Lexeme {
        loop {
            let token = match self.inner.next() {
                Some(Ok(Token::Comment)) => continue,
                Some(Ok(token)) => token,
                Some(Err(bad)) => Token::Bad(bad),
                None => Token::Eof,
            };
            let span = self.inner.span();
            return Lexeme { token, start: self.base + span.start as u32, end: self.base + span.end as u32 };
        }
    }
}

/// The words that cannot be names.
pub const KEYWORDS: &[&str] = &[
    "assert",
    "assume",
    "atomic",
    "boolean",
    "catch",
    "choose",
    "const",
    "do",
    "else",
    "elseif",
    "end",
    "enum",
    "exit",
    "extends",
    "extension",
    "false",
    "fun",
    "function",
    "goto",
    "hasLock",
    "if",
    "instanceof",
    "int",
    "invariant",
    "invoke",
    "loc",
    "lock",
    "lockAvailable",
    "long",
    "ltl",
    "new",
    "notify",
    "notifyAll",
    "null",
    "record",
    "return",
    "returns",
    "shl",
    "shr",
    "skip",
    "start",
    "string",
    "system",
    "thread",
    "threadTerminated",
    "throw",
    "tid",
    "true",
    "try",
    "typealias",
    "unlock",
    "unwait",
    "ushr",
    "virtual",
    "wait",
    "wasNotified",
    "when",
    "while",
];

impl Token {
    /// Whether this is a word that cannot be a name.
    pub fn is_keyword(self) -> bool {
        self.fixed_text().is_some_and(|text| text.starts_with(|first: char| first.is_ascii_alphabetic()))
    }

    /// The text of the token, if it is always the same.
    pub fn fixed_text(self) -> Option<&'static str> {
        use Token::*;
        Some(match self {
            Ident | Int | Str | Comment | Bad(_) | Eof => return None,
            System => "system",
            Const => "const",
            Enum => "enum",
            Record => "record",
            Extends => "extends",
            Typealias => "typealias",
            Thread => "thread",
            Function => "function",
            Returns => "returns",
            Virtual => "virtual",
            Fun => "fun",
            Extension => "extension",
            Invariant => "invariant",
            At => "@",
            Hash => "#",
            Ltl => "ltl",
            Boolean => "boolean",
            IntType => "int",
            LongType => "long",
            Tid => "tid",
            StringType => "string",
            Lock => "lock",
            Loc => "loc",
            When => "when",
            Do => "do",
            Invoke => "invoke",
            Goto => "goto",
            Return => "return",
            Catch => "catch",
            Atomic => "atomic",
            While => "while",
            If => "if",
            Elseif => "elseif",
            Else => "else",
            Choose => "choose",
            Try => "try",
            End => "end",
            Skip => "skip",
            Assert => "assert",
            Assume => "assume",
            Unlock => "unlock",
            Wait => "wait",
            Unwait => "unwait",
            Notify => "notify",
            NotifyAll => "notifyAll",
            Throw => "throw",
            Start => "start",
            Exit => "exit",
            New => "new",
            Null => "null",
            True => "true",
            False => "false",
            Instanceof => "instanceof",
            LockAvailable => "lockAvailable",
            HasLock => "hasLock",
            WasNotified => "wasNotified",
            ThreadTerminated => "threadTerminated",
            Shl => "shl",
            Shr => "shr",
            Ushr => "ushr",
            LeftBrace => "{",
            RightBrace => "}",
            LeftParen => "(",
            RightParen => ")",
            LeftBracket => "[",
            RightBracket => "]",
            Semicolon => ";",
            Colon => ":",
            Comma => ",",
            Dot => ".",
            DotDot => "..",
            DotDotEqual => "..=",
            Question => "?",
            Assign => ":=",
            PlusAssign => "+=",
            MinusAssign => "-=",
            StarAssign => "*=",
            SlashAssign => "/=",
            PercentAssign => "%=",
            AndAssign => "&=",
            OrAssign => "|=",
            CaretAssign => "^=",
            Equal => "=",
            Arrow => "->",
            Bang => "!",
            Minus => "-",
            Plus => "+",
            Star => "*",
            Slash => "/",
            Percent => "%",
            EqualEqual => "==",
            BangEqual => "!=",
            Less => "<",
            LessEqual => "<=",
            Greater => ">",
            GreaterEqual => ">=",
            AndAnd => "&&",
            OrOr => "||",
            Implies => "=>",
            And => "&",
            Or => "|",
            Caret => "^",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expect: &[(&str, Token)]) {
        let mut lexer = Lexer::new(text, 0);
        let mut found = Vec::new();
        loop {
            let Lexeme { token, start, end } = lexer.next();
            if token == Token::Eof {
                break;
            }
            found.push((&text[start as usize..end as usize], token));
        }
        assert_eq!(found, expect, "{text:?}");
    }

    #[test]
    fn words_numbers_and_operators() {
        use Token::*;
        check(
            "loc loc0: $x _y1",
            &[("loc", Loc), ("loc0", Ident), (":", Colon), ("$x", Ident), ("_y1", Ident)],
        );
        check("1 0xfF 12L 3x", &[("1", Int), ("0xfF", Int), ("12L", Int), ("3x", Int)]);
        check(
            "a:=b==c=>d->e",
            &[
                ("a", Ident),
                (":=", Assign),
                ("b", Ident),
                ("==", EqualEqual),
                ("c", Ident),
                ("=>", Implies),
                ("d", Ident),
                ("->", Arrow),
                ("e", Ident),
            ],
        );
        check("top live", &[("top", Ident), ("live", Ident)]);
    }

    #[test]
    fn comments_and_strings() {
        use Token::*;
        check("a // b \"\n/* c\n * d */ e/**/f", &[("a", Ident), ("e", Ident), ("f", Ident)]);
        check(r#""a\"b\\" "ç""#, &[(r#""a\"b\\""#, Str), ("\"ç\"", Str)]);
        check("a //", &[("a", Ident)]);
    }

    #[test]
    fn bad_text() {
        use super::Bad::*;
        use Token::{Bad, Ident};
        check(
            "a\0b~ç",
            &[
                ("a", Ident),
                ("\0", Bad(Character)),
                ("b", Ident),
                ("~", Bad(Character)),
                ("ç", Bad(Character)),
            ],
        );
        check("\"a\nb", &[("\"a", Bad(UnterminatedString)), ("b", Ident)]);
        check("\"a\\", &[("\"a\\", Bad(UnterminatedString))]);
        check("a /* b", &[("a", Ident), ("/* b", Bad(UnterminatedComment))]);
        check("/*/", &[("/*/", Bad(UnterminatedComment))]);
    }

    #[test]
    fn keywords_are_written_as_they_say() {
        for word in ["system", "notifyAll", "ushr", "boolean", "instanceof"] {
            let token = Lexer::new(word, 0).next().token;
            assert_eq!(token.fixed_text(), Some(word));
            assert!(token.is_keyword());
        }
        for &word in KEYWORDS {
            assert_eq!(Lexer::new(word, 0).next().token.fixed_text(), Some(word));
        }
        assert!(!Token::Plus.is_keyword() && !Token::Ident.is_keyword());
    }
}
