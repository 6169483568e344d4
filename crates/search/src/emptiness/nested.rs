//! Nested depth-first search, in two bits a node.
//!
//! Schwoon and Esparza's variant (2005), with acceptance on edges, since automata also move in states that are passed by:
//!
//! ```text
//! blue(s): s := cyan
//!          for each edge s -> t:  if t = cyan and (the edge is marked, or t accepts): a cycle
//!                                 if t = white: blue(t)
//!                                 if the edge is marked and t != red: red(t)
//!          s := red if all t are red, else blue
//! red(t):  t := red
//!          for each edge t -> u:  if u = cyan: a cycle
//!                                 if u = blue: red(u)
//! ```
//!
//! A red search from `t` begins when the blue one has left `t`, and its source `s` is cyan: from any cyan node there is a way to
//! `s`. If it ends without a cycle, no node that it made red leads to a node that is cyan by then; nor to one that will be, since
//! all that can be reached from `t` without meeting a cyan node has been left.
//!
//! If the automaton is weak, a cycle through an accepting component is all that is sought, however it is marked, and the blue
//! search finds it by itself.

use std::ops::ControlFlow::{self, Continue};

use ltl::kind::{Strength, Weakness};
use ltl::{Automaton, State};
use store::{Budget, Chunked, Full, StateStore};
use system::TransitionSystem;

use super::marks::{PLAIN, Sets};
use super::product::{Event, Node, Walk};
use crate::explore::or_stop;
use crate::observer::Observer;
use crate::outcome::StopReason;

/// A cycle: what leads from a node on the stack to the top of the stack, and an edge back to that node.
pub struct Closing {
    pub head: Node,
    pub marks: Sets<PLAIN>,
}

/// How an automaton accepts.
enum Acceptance {
    /// On every cycle through these states.
    Weak(Weakness),
    /// On every edge of these states, and on no other.
    States(Vec<bool>),
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Colour {
    White,
    Cyan,
    Blue,
    Red,
}

/// The colours of nodes, 32 to a word.
struct Colours(Chunked<u64>);

impl Colours {
    fn get(&self, index: usize) -> Colour {
        if index / 32 >= self.0.len() {
            return Colour::White;
        }
        match self.0[index / 32] >> (index % 32 * 2) & 3 {
            0 => Colour::White,
            1 => Colour::Cyan,
            2 => Colour::Blue,
            _ => Colour::Red,
        }
    }

    fn set(&mut self, index: usize, colour: Colour) -> Result<(), Full> {
        while self.0.len() <= index / 32 {
            self.0.push(0)?;
        }
        let (word, shift) = (&mut self.0[index / 32], index % 32 * 2);
        *word = *word & !(3 << shift) | (colour as u64) << shift;
        Ok(())
    }
}

/// The search, for an automaton that accepts as one needs it; see [`super::Refusal::Generalized`].
pub struct Nested {
    acceptance: Acceptance,
    colours: Colours,
    /// For each blue node on the stack, whether all its successors so far are red.
    all_red: Chunked<bool>,
}

impl Nested {
    pub fn new(automaton: &Automaton, budget: &Budget) -> Option<Self> {
        let weakness = Weakness::of(automaton);
        let acceptance = if weakness.strength <= Strength::Weak {
            Acceptance::Weak(weakness)
        } else {
            Acceptance::States(automaton.accepting_states()?)
        };
        let colours = Colours(Chunked::new(budget));
        Some(Self { acceptance, colours, all_red: Chunked::new(budget) })
    }

    fn accepts(&self, state: State) -> bool {
        match &self.acceptance {
            Acceptance::Weak(weakness) => weakness.accepts(state),
            Acceptance::States(accepting) => accepting[state.index()],
        }
    }

    /// Whether an edge between nodes accepts.
    fn is_marked(&self, marks: Sets<PLAIN>) -> bool {
        matches!(self.acceptance, Acceptance::States(_)) && marks.contains(Sets::all(1))
    }

    /// Searches the product for a cycle that accepts.
    pub fn search<S, T, O>(
        &mut self,
        walk: &mut Walk<'_, S, T, O, PLAIN>,
    ) -> ControlFlow<StopReason, Option<Closing>>
    where
        S: TransitionSystem,
        T: StateStore + ?Sized,
        O: Observer,
    {
        let automaton = walk.automaton;
        let initial = walk.start()?;
        self.enter(walk, initial, Sets::NONE)?;
        // The level where the red search began.
        let mut red_from = None;
        loop {
            match walk.next()? {
                Event::End => return Continue(None),
                Event::Edge(node, marks) => {
                    let index = node.index(automaton);
                    let colour = self.colours.get(index);
                    let is_red = red_from.is_some();
                    match colour {
                        Colour::Cyan if is_red || self.is_marked(marks) || self.accepts(node.state) => {
                            return Continue(Some(Closing { head: node, marks }));
                        }
                        Colour::White if !is_red => self.enter(walk, node, marks)?,
                        Colour::Blue if is_red || self.is_marked(marks) => {
                            red_from = red_from.or(Some(walk.stack.len()));
                            or_stop(self.colours.set(index, Colour::Red))?;
                            walk.enter(node, marks)?;
                        }
                        Colour::Cyan | Colour::Blue if !is_red => self.note(false),
                        _ => {}
                    }
                }
                Event::Leave(_) if red_from.is_some() => {
                    red_from = red_from.filter(|&from| walk.stack.len() > from + 1);
                    walk.leave();
                }
                Event::Leave(node) => {
                    let index = node.index(automaton);
                    let entry = walk.stack.nodes().next().map_or(Sets::NONE, |(_, top)| top.entry);
                    let is_red = self.all_red.pop() == Some(true);
                    if !is_red && self.is_marked(entry) {
                        or_stop(self.colours.set(index, Colour::Red))?;
                        red_from = Some(walk.stack.len() - 1);
                        walk.again()?;
                        continue;
                    }
                    or_stop(self.colours.set(index, if is_red { Colour::Red } else { Colour::Blue }))?;
                    self.note(is_red);
                    walk.leave();
                }
            }
        }
    }

    fn enter<S, T, O>(
        &mut self,
        walk: &mut Walk<'_, S, T, O, PLAIN>,
        node: Node,
        entry: Sets<PLAIN>,
    ) -> ControlFlow<StopReason>
    where
        S: TransitionSystem,
        T: StateStore + ?Sized,
        O: Observer,
    {
        or_stop(self.colours.set(node.index(walk.automaton), Colour::Cyan))?;
        or_stop(self.all_red.push(true))?;
        walk.nodes += 1;
        walk.enter(node, entry)
    }

    /// Takes note of a successor of the node on top.
    fn note(&mut self, is_red: bool) {
        if let Some(all_red) = self.all_red.last_mut() {
            *all_red &= is_red;
        }
    }
}
