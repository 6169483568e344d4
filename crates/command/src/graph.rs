//! The command `graph`: the states and steps of a small model, on plain values. Nodes are states, or orbits of states
//! under exchanges of individuals and objects.

use std::collections::HashMap;
use std::fmt::Write as _;

use clap::ArgMatches;
use draw::graph::{MOST_STATES, State, StateGraph, Step};
use quotient_model::{Kind, Model, Program, Reached, Shape, Term};

use crate::json::Json;
use crate::options::{count, text};
use crate::{Command, Failure, Streams, show};

/// A state of the graph.
struct Node<S> {
    state: S,
    depth: u64,
    is_initial: bool,
    /// What is wrong with it.
    violation: Option<String>,
    is_accepting: bool,
}

/// What states of one node share.
#[derive(PartialEq, Eq, Hash)]
enum Key {
    State(Term),
    Orbit(Vec<u64>),
}

/// A step of the graph.
struct Edge {
    from: usize,
    /// A step that violates a rule leads nowhere.
    to: Option<usize>,
    action: String,
    violation: Option<String>,
}

pub fn graph<M: Model>(
    command: Command<M>,
    matches: &ArgMatches,
    streams: &mut Streams<'_>,
) -> Result<u8, Failure> {
    let (program, _) = command.sized(matches, &[]);
    let limit = count(matches, "max-states").unwrap_or(10_000);
    let deepest = count(matches, "depth").unwrap_or(u64::MAX);
    let (mut nodes, mut edges) = (Vec::new(), Vec::new());
    let by_orbit = text(matches, "symmetry") == Some("full");
    let mut known: HashMap<Key, usize> = HashMap::new();
    let interrupted = terminal::interrupt::flag(|| {});
    let mut add = |nodes: &mut Vec<Node<M::State>>, state: M::State, depth, is_initial| {
        let key = if by_orbit { Key::Orbit(program.orbit(&state)) } else { Key::State(state.term()) };
        if let Some(&number) = known.get(&key) {
            return Ok(number);
        }
        if nodes.len() as u64 == limit {
            return Err(Failure::new(format!(
                "the graph has more than {limit} states; use --max-states for more, or --depth for a part"
            )));
        }
        let violation = program.failure_of(&state).map(|failure| failure.kind.to_string());
        let is_accepting = program.is_accepting(&state);
        nodes.push(Node { state, depth, is_initial, violation, is_accepting });
        known.insert(key, nodes.len() - 1);
        Ok(nodes.len() - 1)
    };
    for state in program.initial_states().map_err(Failure::new)? {
        add(&mut nodes, state, 0, true)?;
    }
    let mut from = 0;
    while from < nodes.len() {
        if interrupted.load(std::sync::atomic::Ordering::Relaxed) {
            return Err(Failure { message: "interrupted".to_owned(), code: terminal::interrupt::EXIT_CODE });
        }
        let depth = nodes[from].depth;
        if depth < deepest {
            for successor in program.successors(&nodes[from].state).unwrap_or_default() {
                let action = successor.action.term().to_string();
                let (to, violation) = match successor.result {
                    Reached::State(state) => (Some(add(&mut nodes, state, depth + 1, false)?), None),
                    Reached::Failed(failure) => (None, Some(failure.kind.to_string())),
                    Reached::Outside | Reached::Crowded => continue,
                };
                edges.push(Edge { from, to, action, violation });
            }
        }
        from += 1;
    }
    let shows_states = text(matches, "contents") == Some("full");
    let written = match text(matches, "format") {
        Some("dot") => dot(&nodes, &edges, shows_states),
        Some("aut") => aut(&nodes, &edges)?,
        Some("svg") => {
            if nodes.len() > MOST_STATES {
                let message = format!(
                    "only {MOST_STATES} of {} states are drawn; --depth N draws the beginning",
                    nodes.len()
                );
                drop(writeln!(streams.err, "warning: {message}"));
            }
            svg(&program, &nodes, &edges, shows_states).diagram(MOST_STATES).svg().into_string()
        }
        _ => json(&nodes, &edges, shows_states),
    };
    streams.out.write_all(written.as_bytes())?;
    Ok(0)
}

fn escaped(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"")
}

fn dot<S: Shape>(nodes: &[Node<S>], edges: &[Edge], shows_states: bool) -> String {
    let mut out = "digraph states {\n  node [shape=box];\n".to_owned();
    for (number, node) in nodes.iter().enumerate() {
        let mut label = number.to_string();
        if shows_states {
            _ = write!(label, "\\n{}", escaped(&node.state.term().to_string()));
        }
        let mut style = String::new();
        if let Some(kind) = &node.violation {
            _ = write!(label, "\\n{kind}");
            style += ", color=red";
        }
        if node.is_initial {
            style += ", penwidth=2";
        }
        _ = writeln!(out, "  {number} [label=\"{label}\"{style}];");
    }
    for (number, Edge { from, to, action, violation }) in edges.iter().enumerate() {
        let label = escaped(action);
        match (to, violation) {
            (Some(to), _) => _ = writeln!(out, "  {from} -> {to} [label=\"{label}\"];"),
            (None, kind) => {
                let kind = kind.as_deref().unwrap_or_default();
                _ = writeln!(out, "  fault{number} [label=\"{kind}\", color=red];");
                _ = writeln!(out, "  {from} -> fault{number} [label=\"{label}\", color=red];");
            }
        }
    }
    out + "}\n"
}

/// The graph as a picture. Steps that violate a rule lead nowhere, and are told of the states that they leave.
fn svg<M: Model>(
    program: &Program<M>,
    nodes: &[Node<M::State>],
    edges: &[Edge],
    shows_states: bool,
) -> StateGraph {
    let mut states: Vec<State> = nodes
        .iter()
        .enumerate()
        .map(|(number, node)| {
            let kind = node.violation.as_deref();
            State {
                name: format!("s{number}"),
                level: u32::try_from(node.depth).unwrap_or(u32::MAX),
                lines: if shows_states { show::state(program, &node.state) } else { Vec::new() },
                is_initial: node.is_initial,
                is_deadlock: kind == Some(Kind::Deadlock.as_str()),
                violations: kind
                    .filter(|kind| *kind != Kind::Deadlock.as_str())
                    .map(str::to_owned)
                    .into_iter()
                    .collect(),
                ..State::default()
            }
        })
        .collect();
    let mut steps = Vec::new();
    for Edge { from, to, action, violation } in edges {
        match to {
            Some(to) => steps.push(Step { from: *from, to: *to, text: action.clone(), ..Step::default() }),
            None => states[*from]
                .violations
                .push(format!("{} by {action}", violation.as_deref().unwrap_or("fault"))),
        }
    }
    StateGraph { title: "States".to_owned(), states, steps, components: 0 }
}

/// The Aldebaran format has one initial state and no violations: steps that violate a rule lead to a state of
/// their own.
fn aut<S: Shape>(nodes: &[Node<S>], edges: &[Edge]) -> Result<String, Failure> {
    if nodes.iter().filter(|node| node.is_initial).count() > 1 {
        return Err(Failure::new(
            "--format aut has one initial state, and the model has several; use dot or json",
        ));
    }
    let mut faults = nodes.len();
    let mut lines = String::new();
    for Edge { from, to, action, .. } in edges {
        let to = to.unwrap_or_else(|| {
            faults += 1;
            faults - 1
        });
        _ = writeln!(lines, "({from}, \"{}\", {to})", escaped(action));
    }
    Ok(format!("des (0, {}, {faults})\n{lines}", edges.len()))
}

fn json<S: Shape>(nodes: &[Node<S>], edges: &[Edge], shows_states: bool) -> String {
    let node = |(number, node): (usize, &Node<S>)| {
        let mut entries = vec![
            ("id", Json::Count(number as u64)),
            ("depth", Json::Count(node.depth)),
            ("initial", Json::Bool(node.is_initial)),
            ("accepting", Json::Bool(node.is_accepting)),
            ("violation", Json::maybe(node.violation.as_ref(), Json::text)),
        ];
        if shows_states {
            entries.push(("state", Json::Raw(node.state.term().json())));
        }
        Json::Object(entries)
    };
    let edge = |Edge { from, to, action, violation }: &Edge| {
        Json::Object(vec![
            ("source", Json::Count(*from as u64)),
            ("target", Json::maybe(*to, |to| Json::Count(to as u64))),
            ("text", Json::text(action)),
            ("violation", Json::maybe(violation.as_ref(), Json::text)),
        ])
    };
    let graph = Json::Object(vec![
        ("version", Json::Count(crate::FORMAT_VERSION)),
        ("states", Json::List(nodes.iter().enumerate().map(node).collect())),
        ("edges", Json::List(edges.iter().map(edge).collect())),
    ]);
    format!("{graph}\n")
}
