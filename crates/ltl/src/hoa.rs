//! The Hanoi Omega-Automata format, version 1 (Babiak et al. 2015), for exchanging automata with other tools.
//!
//! The reader accepts generalized Büchi automata: any number of initial states, labels on edges, on states or
//! implicit, aliases, acceptance on edges or states. Everything else in the format is refused by name:
//! alternation, and acceptance conditions with `Fin` or `|` (co-Büchi, Rabin, Streett, parity).

mod label;
mod lexer;
mod read;

use std::fmt::Write;

pub use read::read;

use crate::cube::Cube;
use crate::{Automaton, Marks};

/// An automaton with the names of its propositions.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Hoa {
    pub name: Option<String>,
    /// The proposition with number `i` is called `props[i]`.
    pub props: Vec<String>,
    pub automaton: Automaton,
}

impl Hoa {
    pub fn write(&self) -> String {
        let automaton = &self.automaton;
        let mut text = String::from("HOA: v1\n");
        if let Some(name) = &self.name {
            let _ = writeln!(text, "name: {}", quoted(name));
        }
        let _ = writeln!(text, "tool: \"quotient\"");
        let _ = writeln!(text, "States: {}\nStart: {}", automaton.edges.len(), automaton.initial.0);
        let props: Vec<_> = self.props.iter().map(|prop| quoted(prop)).collect();
        let _ = writeln!(text, "AP: {} {}", props.len(), props.join(" "));
        let (name, condition) = match automaton.sets {
            0 => ("all".to_owned(), "t".to_owned()),
            1 => ("Buchi".to_owned(), "Inf(0)".to_owned()),
            sets => {
                let sets: Vec<_> = (0..sets).map(|set| format!("Inf({set})")).collect();
                (format!("generalized-Buchi {}", sets.len()), sets.join("&"))
            }
        };
        let _ = writeln!(text, "acc-name: {name}\nAcceptance: {} {condition}", automaton.sets);
        let accepting = automaton.accepting_states().filter(|_| automaton.sets == 1);
        let place = if accepting.is_some() { "state-acc" } else { "trans-acc" };
        let _ = writeln!(text, "properties: trans-labels explicit-labels {place}\n--BODY--");
        for state in automaton.states() {
            let accepts = accepting.as_ref().is_some_and(|accepting| accepting[state.index()]);
            let _ = writeln!(text, "State: {}{}", state.0, if accepts { " {0}" } else { "" });
            for (to, marks, cubes) in automaton.grouped(state) {
                let label: Vec<_> = cubes.iter().map(|&cube| conjunction(cube)).collect();
                let marks = if accepting.is_some() { Marks::NONE } else { marks };
                let _ = writeln!(text, "[{}] {}{}", label.join(" | "), to.0, sets(marks));
            }
        }
        text.push_str("--END--\n");
        text
    }
}

fn conjunction(cube: Cube) -> String {
    let literal = |(prop, sign): (crate::Prop, bool)| format!("{}{}", if sign { "" } else { "!" }, prop.0);
    let literals: Vec<_> = cube.literals().map(literal).collect();
    if literals.is_empty() { "t".to_owned() } else { literals.join("&") }
}

fn sets(marks: Marks) -> String {
    let sets: Vec<_> =
        (0..Marks::LIMIT).filter(|&set| marks.contains(Marks::one(set))).map(|set| set.to_string()).collect();
    if sets.is_empty() { String::new() } else { format!(" {{{}}}", sets.join(" ")) }
}

fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}
