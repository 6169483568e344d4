//! From text to automaton.

use std::ops::Range;
use std::rc::Rc;

use rustc_hash::FxHashMap;

use super::Hoa;
use super::label::Label;
use super::lexer::{Token, tokens};
use crate::cube::Cube;
use crate::parse::{MAX_DEPTH, ParseError};
use crate::{Automaton, Edge, Marks, Prop, State};

/// The largest number of states of an automaton that is read.
const MAX_STATES: u64 = 1 << 20;

type Parsed<T> = Result<T, ParseError>;

/// Reads an automaton.
pub fn read(text: &str) -> Parsed<Hoa> {
    let mut reader = Reader { tokens: tokens(text)?, at: 0, end: text.len() };
    let header = reader.header()?;
    let automaton = reader.body(&header)?;
    if reader.at < reader.tokens.len() {
        return Err(reader.error("there is more text after `--END--`"));
    }
    Ok(Hoa { name: header.name, props: header.props, automaton })
}

#[derive(Default)]
struct Header {
    name: Option<String>,
    states: Option<u64>,
    initial: Vec<u64>,
    props: Vec<String>,
    /// The labels of the aliases, with their depths.
    aliases: FxHashMap<String, (Rc<Label>, u32)>,
    /// For each set of the text, its number among the sets that the condition requires.
    sets: Vec<Option<u32>>,
    /// The condition is `f`.
    rejects: bool,
}

struct Reader {
    tokens: Vec<(Token, Range<usize>)>,
    at: usize,
    end: usize,
}

impl Reader {
    fn peek(&self) -> Option<&Token> {
        self.tokens.get(self.at).map(|(token, _)| token)
    }

    fn place(&self) -> Range<usize> {
        self.tokens.get(self.at).map_or(self.end..self.end, |(_, place)| place.clone())
    }

    fn error(&self, message: impl Into<String>) -> ParseError {
        ParseError::new(self.place(), message)
    }

    fn expected(&self, what: &str) -> ParseError {
        let found = self.peek().map_or("the end of the text".to_owned(), Token::describe);
        self.error(format!("expected {what}, found {found}"))
    }

    fn eat(&mut self, symbol: char) -> bool {
        let found = self.peek() == Some(&Token::Symbol(symbol));
        self.at += usize::from(found);
        found
    }

    fn expect(&mut self, symbol: char) -> Parsed<()> {
        if self.eat(symbol) { Ok(()) } else { Err(self.expected(&format!("`{symbol}`"))) }
    }

    fn try_number(&mut self) -> Option<u64> {
        let &Token::Number(number) = self.peek()? else { return None };
        self.at += 1;
        Some(number)
    }

    fn number(&mut self, what: &str) -> Parsed<u64> {
        self.try_number().ok_or_else(|| self.expected(what))
    }

    fn try_text(&mut self) -> Option<String> {
        let Some(Token::Text(text)) = self.peek() else { return None };
        let text = text.clone();
        self.at += 1;
        Some(text)
    }

    fn header(&mut self) -> Parsed<Header> {
        let mut header = Header::default();
        let version = [Token::Header("HOA".to_owned()), Token::Word("v1".to_owned())];
        if self.tokens.iter().map(|(token, _)| token).take(2).ne(&version) {
            return Err(self.error("an automaton begins with `HOA: v1`"));
        }
        self.at = 2;
        let mut acceptance = false;
        loop {
            let name = match self.peek() {
                Some(Token::Header(name)) => name.clone(),
                Some(Token::Body) => break,
                _ => return Err(self.expected("a header or `--BODY--`")),
            };
            let place = self.place();
            self.at += 1;
            match &*name {
                "States" => header.states = Some(self.number("the number of states")?),
                "Start" => {
                    header.initial.push(self.number("a state")?);
                    self.no_alternation()?;
                }
                "AP" => self.props(&mut header)?,
                "Alias" => {
                    let Some(Token::Alias(alias)) = self.peek().cloned() else {
                        return Err(self.expected("`@` and a name"));
                    };
                    self.at += 1;
                    let label = self.label(&header, 0)?;
                    header.aliases.insert(alias, label);
                }
                "Acceptance" => {
                    acceptance = true;
                    self.acceptance(&mut header)?;
                }
                "name" => header.name = Some(self.try_text().ok_or_else(|| self.expected("a string"))?),
                other if other.starts_with(|c: char| c.is_ascii_uppercase()) => {
                    return Err(ParseError::new(
                        place,
                        format!("`{other}:` is not supported, and changes what is meant"),
                    ));
                }
                // A header that begins with a lower-case letter is informative only.
                _ => {
                    while !matches!(self.peek(), None | Some(Token::Header(_) | Token::Body | Token::End)) {
                        self.at += 1;
                    }
                }
            }
        }
        if !acceptance {
            return Err(self.error("there is no `Acceptance:`"));
        }
        self.at += 1;
        Ok(header)
    }

    fn no_alternation(&self) -> Parsed<()> {
        if self.peek() == Some(&Token::Symbol('&')) {
            return Err(self.error("alternating automata are not supported"));
        }
        Ok(())
    }

    fn props(&mut self, header: &mut Header) -> Parsed<()> {
        let place = self.place();
        let count = self.number("the number of propositions")?;
        if count > u64::from(Prop::LIMIT) {
            return Err(ParseError::new(
                place,
                format!("there may be no more than {} propositions", Prop::LIMIT),
            ));
        }
        header.props.clear();
        for _ in 0..count {
            header
                .props
                .push(self.try_text().ok_or_else(|| self.expected("the name of a proposition, in quotes"))?);
        }
        Ok(())
    }

    /// A conjunction of `Inf(i)`.
    fn acceptance(&mut self, header: &mut Header) -> Parsed<()> {
        let place = self.place();
        let count = self.number("the number of acceptance sets")?;
        if count > u64::from(Marks::LIMIT) {
            return Err(ParseError::new(
                place,
                format!("there may be no more than {} acceptance sets", Marks::LIMIT),
            ));
        }
        header.sets = vec![None; count as usize];
        header.rejects = false;
        let (mut used, mut open) = (0, 0);
        loop {
            while self.eat('(') {
                open += 1;
            }
            match self.peek() {
                Some(Token::Word(word)) if word == "t" => self.at += 1,
                Some(Token::Word(word)) if word == "f" => {
                    header.rejects = true;
                    self.at += 1;
                }
                Some(Token::Word(word)) if word == "Inf" => {
                    self.at += 1;
                    self.expect('(')?;
                    if self.peek() == Some(&Token::Symbol('!')) {
                        return Err(self.not_buchi());
                    }
                    let set = self.number("an acceptance set")?;
                    let Some(entry) = header.sets.get_mut(set as usize) else {
                        return Err(self.error(format!("there is no acceptance set {set}")));
                    };
                    if entry.is_none() {
                        *entry = Some(used);
                        used += 1;
                    }
                    self.expect(')')?;
                }
                Some(Token::Word(word)) if word == "Fin" => return Err(self.not_buchi()),
                _ => return Err(self.expected("an acceptance condition")),
            }
            while open > 0 && self.eat(')') {
                open -= 1;
            }
            if self.peek() == Some(&Token::Symbol('|')) {
                return Err(self.not_buchi());
            }
            if !self.eat('&') {
                return if open == 0 { Ok(()) } else { Err(self.expected("`)`")) };
            }
        }
    }

    fn not_buchi(&self) -> ParseError {
        self.error("only Büchi and generalized Büchi acceptance are supported: `Inf(0) & Inf(1) & …`")
    }

    /// A label and its depth.
    fn label(&mut self, header: &Header, depth: u32) -> Parsed<(Rc<Label>, u32)> {
        let (mut left, mut deepest) = self.conjunction(header, depth)?;
        while self.eat('|') {
            let (right, other) = self.conjunction(header, depth)?;
            deepest = self.deeper(deepest.max(other))?;
            left = Rc::new(Label::Or(left, right));
        }
        Ok((left, deepest))
    }

    fn conjunction(&mut self, header: &Header, depth: u32) -> Parsed<(Rc<Label>, u32)> {
        let (mut left, mut deepest) = self.operand(header, depth)?;
        while self.eat('&') {
            let (right, other) = self.operand(header, depth)?;
            deepest = self.deeper(deepest.max(other))?;
            left = Rc::new(Label::And(left, right));
        }
        Ok((left, deepest))
    }

    fn deeper(&self, depth: u32) -> Parsed<u32> {
        if depth < MAX_DEPTH { Ok(depth + 1) } else { Err(self.error("this label is nested too deeply")) }
    }

    fn operand(&mut self, header: &Header, depth: u32) -> Parsed<(Rc<Label>, u32)> {
        let depth = self.deeper(depth)?;
        if self.eat('!') {
            let (inner, deepest) = self.operand(header, depth)?;
            return Ok((Rc::new(Label::Not(inner)), self.deeper(deepest)?));
        }
        if self.eat('(') {
            let inner = self.label(header, depth)?;
            self.expect(')')?;
            return Ok(inner);
        }
        let leaf = |label| (Rc::new(label), 1);
        let label = match self.peek() {
            Some(Token::Word(word)) if word == "t" || word == "f" => leaf(Label::Constant(word == "t")),
            Some(&Token::Number(prop)) if prop < header.props.len() as u64 => {
                leaf(Label::Prop(Prop(prop as u32)))
            }
            Some(&Token::Number(prop)) => return Err(self.error(format!("there is no proposition {prop}"))),
            Some(Token::Alias(name)) => match header.aliases.get(name) {
                Some(label) => label.clone(),
                None => return Err(self.error(format!("there is no alias `@{name}`"))),
            },
            _ => return Err(self.expected("a label")),
        };
        self.at += 1;
        Ok(label)
    }

    /// `[label]`, if there is one.
    fn try_label(&mut self, header: &Header) -> Parsed<Option<Vec<Cube>>> {
        let place = self.place();
        if !self.eat('[') {
            return Ok(None);
        }
        let (label, _) = self.label(header, 0)?;
        self.expect(']')?;
        label.cubes().map(Some).ok_or_else(|| ParseError::new(place, "this label is too large"))
    }

    /// `{0 1}`, if there is one.
    fn marks(&mut self, header: &Header) -> Parsed<Marks> {
        let mut marks = Marks::NONE;
        if !self.eat('{') {
            return Ok(marks);
        }
        while !self.eat('}') {
            let place = self.place();
            let set = self.number("an acceptance set or `}`")?;
            match header.sets.get(set as usize) {
                Some(Some(set)) => marks = marks.with(Marks::one(*set)),
                Some(None) => {}
                None => return Err(ParseError::new(place, format!("there is no acceptance set {set}"))),
            }
        }
        Ok(marks)
    }

    fn body(&mut self, header: &Header) -> Parsed<Automaton> {
        let mut states: Vec<Option<Vec<Edge>>> = Vec::new();
        let limit = header.states.unwrap_or(MAX_STATES).min(MAX_STATES);
        if header.states.is_some_and(|states| states > MAX_STATES) {
            return Err(self.error(format!("there may be no more than {MAX_STATES} states")));
        }
        for &state in &header.initial {
            grow(&mut states, limit, state, self.place())?;
        }
        while self.peek() == Some(&Token::Header("State".to_owned())) {
            self.at += 1;
            let common = self.try_label(header)?;
            let place = self.place();
            let number = self.number("a state")?;
            let state = grow(&mut states, limit, number, place.clone())?;
            if states[state.index()].is_some() {
                return Err(ParseError::new(place, format!("state {number} is described twice")));
            }
            self.try_text();
            let state_marks = self.marks(header)?;
            let mut edges = Vec::new();
            let mut implicit = 0;
            loop {
                let place = self.place();
                let label = self.try_label(header)?;
                let target = self.place();
                let Some(to) = self.try_number() else {
                    if label.is_some() {
                        return Err(self.expected("a state"));
                    }
                    break;
                };
                self.no_alternation()?;
                let to = grow(&mut states, limit, to, target)?;
                let marks = self.marks(header)?.with(state_marks);
                let cubes = match (label, &common) {
                    (Some(_), Some(_)) => {
                        return Err(ParseError::new(place, "the state has a label already"));
                    }
                    (Some(cubes), None) => cubes,
                    (None, Some(cubes)) => cubes.clone(),
                    (None, None) => {
                        implicit += 1;
                        vec![Label::implicit(implicit - 1, header.props.len() as u32)]
                    }
                };
                edges.extend(cubes.into_iter().map(|cube| Edge { to, marks, cube }));
            }
            let full = 1_u64.checked_shl(header.props.len() as u32);
            if implicit > 0 && Some(implicit) != full {
                let message = format!(
                    "state {number} has {implicit} edges without labels: there must be one for each valuation"
                );
                return Err(ParseError::new(place, message));
            }
            states[state.index()] = Some(edges);
        }
        if self.peek() != Some(&Token::End) {
            return Err(self.expected("`State:`, an edge or `--END--`"));
        }
        self.at += 1;
        Ok(assemble(header, states.into_iter().map(Option::unwrap_or_default).collect()))
    }
}

/// Makes room for the state with this number.
fn grow(states: &mut Vec<Option<Vec<Edge>>>, limit: u64, number: u64, place: Range<usize>) -> Parsed<State> {
    if number >= limit {
        return Err(ParseError::new(place, format!("there is no state {number}")));
    }
    if states.len() as u64 <= number {
        states.resize(number as usize + 1, None);
    }
    Ok(State(number as u32))
}

/// An automaton with one initial state. If the text has several, a new state has the edges of all of them.
fn assemble(header: &Header, mut edges: Vec<Vec<Edge>>) -> Automaton {
    let sets = header.sets.iter().flatten().count() as u32;
    let initial = match header.initial[..] {
        _ if header.rejects => return Automaton::empty(),
        [] => return Automaton::empty(),
        [only] => only as u32,
        _ => {
            // No run comes back here, so marks do not matter.
            let all = header.initial.iter().flat_map(|&state| &edges[state as usize]);
            let mut first: Vec<_> = all.map(|edge| Edge { marks: Marks::NONE, ..*edge }).collect();
            first.sort_unstable();
            first.dedup();
            edges.push(first);
            edges.len() as u32 - 1
        }
    };
    Automaton { initial: State(initial), edges, sets }
}
