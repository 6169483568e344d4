//! Properties that are not in the model: a formula, a `never` claim, or an automaton in the HOA format, each
//! in a file of its own. They can use the names and the macros of the model.

use source::{Diagnostic, FileId, Span};

use super::ltl::Node;
use super::{Parsed, Parser};
use crate::ast::{Automaton, Expr, Item, Ltl, Name};
use crate::codes;
use crate::lexer::Token;

impl Parser<'_> {
    pub(super) fn additional(&mut self, file: FileId) {
        let (name, text) =
            (self.input.map.file(file).name().to_owned(), self.input.map.file(file).text().to_owned());
        let whole = Span::new(file, 0, text.len() as u32);
        let name = Name { text: name.into(), span: whole };
        if text.trim_start().starts_with("HOA:") {
            return self.hoa(name, &text);
        }
        self.start(file);
        if self.at(Token::Never) {
            let before = self.items.len();
            self.units();
            for item in &mut self.items[before..] {
                if let Some(Item::Never(claim)) = item {
                    claim.name = Some(name.clone());
                }
            }
            return;
        }
        if let Ok(node) = self.formula_to_the_end() {
            let formula = node.formula();
            self.items.push(Some(Item::Ltl(Ltl { name: Some(name), formula, span: whole })));
        }
    }

    /// Continues with another file.
    fn start(&mut self, file: FileId) {
        self.input.read(file);
        self.forget();
        self.parens = 0;
        self.in_sequence = false;
        self.foreign_formula = false;
        // A new position, so that errors here are reported.
        self.consumed += 1;
    }

    fn formula_to_the_end(&mut self) -> Parsed<Node> {
        let node = self.formula()?;
        if self.at(Token::Assign) && self.second() != Token::Greater {
            return Err(self.assignment_in_formula());
        }
        if self.at(Token::Eof) { Ok(node) } else { Err(self.unexpected("an operator or the end")) }
    }

    fn hoa(&mut self, name: Name, text: &str) {
        let whole = name.span;
        let read = match ltl::hoa::read(text) {
            Ok(read) => read,
            Err(error) => {
                let at = Span::new(whole.file, error.at.start as u32, error.at.end as u32);
                let diagnostic = Diagnostic::error(codes::BAD_AUTOMATON, error.message.clone()).at(at, "");
                self.input.diagnostics.push(diagnostic);
                return;
            }
        };
        let props: Option<Vec<Expr>> = read.props.iter().map(|prop| self.hoa_prop(&name, prop)).collect();
        if let Some(props) = props {
            let automaton = Automaton { name, automaton: read.automaton, props };
            self.items.push(Some(Item::Automaton(automaton)));
        }
    }

    /// A proposition of an automaton is a condition, in a file of its own.
    fn hoa_prop(&mut self, name: &Name, prop: &str) -> Option<Expr> {
        let file = self.input.map.add(&format!("{}: {prop}", name.text), prop).ok()?;
        self.start(file);
        match self.formula_to_the_end().ok()? {
            Node::State(expr) => Some(expr),
            Node::Temporal(formula, _) => {
                let message = "a proposition of an automaton is about one state";
                let diagnostic =
                    Diagnostic::error(codes::TEMPORAL_OPERAND, message).at(formula.span, "this is a formula");
                self.input.diagnostics.push(diagnostic);
                None
            }
        }
    }
}
