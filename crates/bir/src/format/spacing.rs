//! The blanks between two tokens of a line.
//!
//! Where a token has several meanings, with and without blanks, the author's choice stays: `<` and `>` (comparison, type
//! arguments, the diamond), `[` (index, box), `(` (call, grouping), `:`, `{` (block, collection).

use super::layout::Layout;
use super::pieces::Pieces;
use crate::lexer::Token;

#[allow(clippy::match_same_arms, reason = "the first rule that fits counts")]
/// Whether there is a blank before the token at `at`, which follows another one on its line.
pub fn gap(layout: &Layout<'_, '_>, pieces: &Pieces<'_>, at: usize) -> bool {
    use Token::*;
    // Comments have blanks around them.
    let (Some(left), Some(right)) = (pieces.token(at - 1), pieces.token(at)) else { return true };
    let kept = pieces.all[at].space;
    match (left, right) {
        (_, Semicolon | Comma | RightParen | RightBracket) => false,
        (LeftParen | LeftBracket | Hash | At, _) | (_, At) => false,
        (Dot, _) | (_, Dot) => false,
        (DotDot | DotDotEqual, _) | (_, DotDot | DotDotEqual) => false,
        (Bang, _) => false,
        (Comma | Semicolon, _) => true,
        (LeftBrace, RightBrace) => false,
        (LeftBrace, _) | (_, RightBrace) if layout.is_in_group() => false,
        (LeftBrace, _) | (_, RightBrace) => true,
        (RightBrace, _) => true,
        (_, LeftBrace) => !layout.is_literal(at),
        (_, Colon) if layout.is_in_label() => false,
        (Colon, _) => true,
        (_, Colon) => kept,
        (Minus, _) => !layout.is_unary(at - 1),
        (Less | Greater, _) | (_, Less | Greater) => kept,
        (_, LeftBracket | LeftParen) => kept,
        (RightParen | RightBracket, Ident | Int | Str) => true,
        (RightParen | RightBracket, _) if right.is_keyword() => true,
        _ => is_operator(left) || is_operator(right) || both_words(left, right) || kept,
    }
}

fn is_operator(token: Token) -> bool {
    use Token::*;
    matches!(
        token,
        Question
            | Assign
            | PlusAssign
            | MinusAssign
            | StarAssign
            | SlashAssign
            | PercentAssign
            | AndAssign
            | OrAssign
            | CaretAssign
            | Equal
            | Arrow
            | Plus
            | Minus
            | Star
            | Slash
            | Percent
            | EqualEqual
            | BangEqual
            | LessEqual
            | GreaterEqual
            | AndAnd
            | OrOr
            | Implies
            | And
            | Or
            | Caret
    )
}

/// Whether two tokens would be one without a blank.
fn both_words(left: Token, right: Token) -> bool {
    let is_word = |token: Token| matches!(token, Token::Ident | Token::Int) || token.is_keyword();
    let is_like_word = |token: Token| is_word(token) || token == Token::Str;
    is_like_word(left) && is_like_word(right)
}
