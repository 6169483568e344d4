//! Temporal properties. Their words are not keywords.

use ltl::{Automaton, Cube, Edge, Marks, Prop, State};

use super::*;
use crate::{MAX_PROPOSITIONS, PropertyKind};

impl Parser {
    pub(super) fn property(&mut self, start: u32) -> Parsed<PropertyTree> {
        let name = self.name()?;
        let at = self.at();
        let each = if self.take("forall") { Some((self.name()?, self.name()?, self.span(at))) } else { None };
        self.expect("{")?;
        let mut props = Vec::new();
        while self.is("prop") {
            let start = self.at();
            self.expect("prop")?;
            let text = self.string()?;
            self.expect("=")?;
            let expr = self.expr()?;
            self.expect(";")?;
            props.push((text, expr, self.span(start)));
        }
        let kind = if self.take("formula") {
            let at = self.at();
            let text = self.string()?;
            self.expect(";")?;
            PropertyKind::Formula(formula(&text).map_err(|message| Error::new(at, message))?)
        } else {
            self.expect("claim")?;
            PropertyKind::Claim(self.claim_automaton()?)
        };
        self.expect("}")?;
        Ok(PropertyTree { name, each, props, kind, span: self.span(start) })
    }

    fn claim_automaton(&mut self) -> Parsed<Automaton> {
        let initial = State(self.index()?);
        self.expect("sets")?;
        let sets = self.index()?;
        self.expect("{")?;
        let mut edges = Vec::new();
        while !self.take("}") {
            self.expect("state")?;
            self.expect("{")?;
            let mut out = Vec::new();
            while !self.take("}") {
                out.push(self.claim_edge()?);
            }
            edges.push(out);
        }
        Ok(Automaton { initial, edges, sets })
    }

    fn claim_edge(&mut self) -> Parsed<Edge> {
        self.expect("goto")?;
        let to = State(self.index()?);
        self.expect("if")?;
        self.expect("{")?;
        let at = self.at();
        let literals = self.list("}", |parser| {
            let sign = !parser.take("!");
            Ok(Cube::literal(Prop(parser.below(Prop::LIMIT)?), sign))
        })?;
        let cube = literals.into_iter().try_fold(Cube::TRUE, Cube::and);
        let Some(cube) = cube else { return Err(Error::new(at, "the condition is a contradiction")) };
        self.expect("marks")?;
        self.expect("{")?;
        let marks = self.list("}", |parser| Ok(Marks::one(parser.below(Marks::LIMIT)?)))?;
        self.expect(";")?;
        Ok(Edge { to, marks: marks.into_iter().fold(Marks::NONE, Marks::with), cube })
    }

    fn below(&mut self, limit: u32) -> Parsed<u32> {
        let at = self.at();
        let index = self.index()?;
        if index < limit { Ok(index) } else { Err(Error::new(at, format!("{index} is not below {limit}"))) }
    }
}

fn formula(text: &str) -> Result<ltl::Formula, String> {
    let names: Vec<String> = (0..MAX_PROPOSITIONS).map(|prop| format!("p{prop}")).collect();
    let mut names = names.iter().map(String::as_str).collect::<ltl::parse::Names>();
    let formula = ltl::parse::parse(text, &mut names).map_err(|error| error.to_string())?;
    match names.all().get(MAX_PROPOSITIONS) {
        None => Ok(formula),
        Some(name) => Err(format!("`{name}` is no proposition: they are `p0`, `p1`, …")),
    }
}
