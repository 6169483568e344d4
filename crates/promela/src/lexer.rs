//! Tokens, and the table of their spellings.
//!
//! Every spelling is kept once, under a [`Symbol`]. Those of the language come first in the table, so that
//! keywords and names are distinguished by comparing numbers.

use std::rc::Rc;

use rustc_hash::FxHashMap;
use source::Span;

/// Another spelling of [`Token::Arrow`].
pub const LONG_ARROW: &str = "-->";

/// A spelling.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Symbol(u32);

macro_rules! tokens {
    (operators { $($operator:ident $operator_text:literal)* } words { $($word:ident $word_text:literal)* }) => {
        /// The tokens that the parser distinguishes.
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        pub enum Token {
            $($operator,)*
            $($word,)*
            Ident,
            Number,
            Char,
            Str,
            /// The end of a line, where SPIN reads it as `;`.
            LineEnd,
            Eof,
        }

        const FIXED: &[(Token, &str)] = &[
            $((Token::$operator, $operator_text),)*
            $((Token::$word, $word_text),)*
        ];

        /// Operators and punctuation, the longer ones first.
        pub const OPERATORS: &[&str] = &[$($operator_text),*];
    };
}

tokens! {
    operators {
        Separator "::" Arrow "->" Decrement "--" Increment "++" ShiftLeft "<<" LessEqual "<=" ShiftRight ">>"
        GreaterEqual ">=" Equal "==" NotEqual "!=" SortedSend "!!" RandomReceive "??" And "&&" Or "||" DotDot ".."
        HashHash "##"
        Semicolon ";" Colon ":" Comma "," Dot "." LeftBrace "{" RightBrace "}" LeftParen "(" RightParen ")"
        LeftBracket "[" RightBracket "]" Assign "=" Less "<" Greater ">" Not "!" Question "?" Plus "+" Minus "-"
        Star "*" Slash "/" Percent "%" BitAnd "&" BitOr "|" BitXor "^" Tilde "~" At "@" Hash "#"
    }
    words {
        Active "active" Assert "assert" Atomic "atomic" Bit "bit" Bool "bool" Break "break" Byte "byte"
        CCode "c_code" CDecl "c_decl" CExpr "c_expr" CState "c_state" CTrack "c_track" Chan "chan"
        DProctype "D_proctype" DStep "d_step" Do "do" Else "else" Empty "empty" Enabled "enabled" Eval "eval"
        False "false" Fi "fi" For "for" Full "full" GetPriority "get_priority" Goto "goto" Hidden "hidden" If "if"
        Init "init" Inline "inline" Int "int" Len "len" Local "local" Ltl "ltl" Mtype "mtype" Nempty "nempty"
        Never "never" Nfull "nfull" Notrace "notrace" Np "np_" Od "od" Of "of" PcValue "pc_value" Pid "pid"
        Printf "printf" Printm "printm" Priority "priority" Proctype "proctype" Provided "provided" Return "return"
        Run "run" Select "select" SetPriority "set_priority" Short "short" Show "show" Skip "skip"
        Timeout "timeout" Trace "trace" True "true" Typedef "typedef" Unless "unless" Unsigned "unsigned" Xr "xr"
        Xs "xs"
    }
}

impl Token {
    /// The spelling, if there is only one.
    pub fn text(self) -> Option<&'static str> {
        FIXED.get(self as usize).map(|&(_, text)| text)
    }

    /// The word or operator of a spelling.
    pub fn fixed(symbol: Symbol) -> Option<Self> {
        FIXED.get(symbol.0 as usize).map(|&(token, _)| token)
    }

    pub fn is_word(self) -> bool {
        (OPERATORS.len()..FIXED.len()).contains(&(self as usize))
    }

    /// The spelling of a token that has only one.
    pub fn symbol(self) -> Symbol {
        debug_assert!(self.text().is_some());
        Symbol(self as u32)
    }
}

/// The words among the tokens.
pub fn words() -> impl Iterator<Item = &'static str> {
    FIXED[OPERATORS.len()..].iter().map(|&(_, text)| text)
}

/// All spellings.
pub struct Interner {
    symbols: FxHashMap<Rc<str>, Symbol>,
    texts: Vec<Rc<str>>,
}

impl Interner {
    pub fn new() -> Self {
        let mut interner = Self { symbols: FxHashMap::default(), texts: Vec::new() };
        for (_, text) in FIXED {
            interner.intern(text);
        }
        interner
    }

    pub fn intern(&mut self, text: &str) -> Symbol {
        if let Some(&symbol) = self.symbols.get(text) {
            return symbol;
        }
        let symbol = Symbol(self.texts.len() as u32);
        let text: Rc<str> = text.into();
        self.texts.push(text.clone());
        self.symbols.insert(text, symbol);
        symbol
    }

    /// The symbol of a lexeme. SPIN reads `-->` as `->`.
    pub fn lexeme(&mut self, text: &str) -> Symbol {
        if text == LONG_ARROW { Token::Arrow.symbol() } else { self.intern(text) }
    }

    pub fn text(&self, symbol: Symbol) -> &Rc<str> {
        &self.texts[symbol.0 as usize]
    }
}

/// The kinds of lexemes that the preprocessor distinguishes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// A name or keyword.
    Word,
    /// A lexeme that starts with a digit; not yet known to be a number.
    Number,
    /// With its quotes.
    Str,
    /// With its quotes.
    Char,
    Operator,
    /// A quote without its partner, and the rest of its line.
    Unterminated,
    /// A character that starts no token.
    Stray,
    /// A `*/` that ends no comment.
    CommentEnd,
    End,
}

/// A piece of text, with its origin.
#[derive(Clone, Copy, Debug)]
pub struct Lexeme {
    pub kind: Kind,
    pub symbol: Symbol,
    /// The place to show to the user: its own, or that of the use of the macro that it is from.
    pub span: Span,
    /// The place of its characters: in the definition of a macro, or in an argument.
    pub spelled: Span,
    /// The first of its line, where a line that ends in `\` or in a comment continues in the next one.
    pub first: bool,
    /// SPIN sees it on another line than the lexeme before it. That is so after any end of a line, also in a
    /// comment or in the arguments of a macro: the C preprocessor that SPIN calls preserves line numbers.
    pub newline: bool,
    /// There is white space or a comment before it.
    pub space: bool,
    /// The name of a macro inside its own expansion: never expanded again.
    pub painted: bool,
}

impl Lexeme {
    pub fn is(&self, token: Token) -> bool {
        matches!(self.kind, Kind::Word | Kind::Operator) && self.symbol == token.symbol()
    }
}

/// From one place to another; the first place if they are in different files.
pub fn join(from: Span, to: Span) -> Span {
    if from.file == to.file { from.to(to) } else { from }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spellings_of_the_language_come_first() {
        let mut interner = Interner::new();
        for &(token, text) in FIXED {
            assert_eq!(token.text(), Some(text));
            assert_eq!(interner.intern(text), token.symbol());
            assert_eq!(Token::fixed(token.symbol()), Some(token));
            assert_eq!(token.is_word(), text.starts_with(|first: char| first.is_ascii_alphabetic()));
        }
        assert_eq!(Token::fixed(interner.intern("x")), None);
        assert!(OPERATORS.is_sorted_by_key(|text| std::cmp::Reverse(text.len())));
    }
}
