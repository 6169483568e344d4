//! Büchi automata as never claims of Promela.

use std::fmt::{Display, Write};

use crate::cube::Cube;
use crate::{Automaton, Prop, State};

/// The never claim for the language of a Büchi automaton, with `comment` in its first line. `None` if the
/// automaton has no accepting *states*.
pub fn never<N: Display>(automaton: &Automaton, comment: &str, name: impl Fn(Prop) -> N) -> Option<String> {
    let accepting = automaton.accepting_states()?;
    let label = |state: State| {
        let kind = if accepting[state.index()] { "accept" } else { "T0" };
        let place = if state == automaton.initial { "init".to_owned() } else { format!("S{}", state.0) };
        format!("{kind}_{place}")
    };
    let first = [automaton.initial].into_iter();
    let order = first.chain(automaton.states().filter(|&state| state != automaton.initial));
    let mut text = format!("never {{ /* {} */\n", comment.replace("*/", "* /"));
    for state in order {
        let _ = writeln!(text, "{}:", label(state));
        let edges = automaton.grouped(state);
        match &edges[..] {
            // A claim that blocks matches no run.
            [] => text.push_str("  false;\n"),
            [(to, _, cubes)] if *to == state && cubes[..] == [Cube::TRUE] => {
                let _ = writeln!(text, "  do\n  :: true\n  od;");
            }
            _ => {
                text.push_str("  do\n");
                for (to, _, cubes) in edges {
                    let _ = writeln!(text, "  :: {} -> goto {}", disjunction(&cubes, &name), label(to));
                }
                text.push_str("  od;\n");
            }
        }
    }
    text.push_str("}\n");
    Some(text)
}

fn disjunction<N: Display>(cubes: &[Cube], name: &impl Fn(Prop) -> N) -> String {
    let conjunction = |cube: &Cube| {
        let literal = |(prop, sign)| format!("{}({})", if sign { "" } else { "!" }, name(prop));
        let literals: Vec<_> = cube.literals().map(literal).collect();
        if literals.is_empty() { "true".to_owned() } else { literals.join(" && ") }
    };
    let all: Vec<_> = cubes.iter().map(conjunction).collect();
    match &all[..] {
        [only] => format!("({only})"),
        _ => format!("({})", all.iter().map(|part| format!("({part})")).collect::<Vec<_>>().join(" || ")),
    }
}
