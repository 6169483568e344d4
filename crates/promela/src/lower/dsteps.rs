//! `d_step`: a sequence that is one step.
//!
//! Its first statement decides whether the step is possible. The rest runs over fused locations: in a
//! selection the first possible option is taken, and a statement that is not possible is a fault.
//!
//! If it begins with a selection, one of its guards must hold. SPIN counts as guards conditions, sends,
//! receives and `else`, also those of selections that options begin with, but no other statements. Without
//! any guard, the step is always possible.

use ir::{Action, Exit, Guard, Jump, Location, LocationId, Transition};
use rustc_hash::FxHashMap;

use super::Lowering;
use crate::codes;
use crate::elements::{ElementId, Node, SequenceId};
use crate::tree::Basic;
use crate::walk::{MAX_JUMPS, hunt};

/// A `d_step` that is being lowered.
struct Block {
    /// The statement itself.
    whole: ElementId,
    number: u32,
    exclusive: bool,
    /// How it is left.
    after: Exit,
    locations: FxHashMap<ElementId, LocationId>,
    /// The elements whose locations have no transitions yet.
    open: Vec<ElementId>,
}

impl Lowering<'_, '_> {
    /// The guard, the first actions, and the exit.
    pub(super) fn dstep(
        &mut self,
        whole: ElementId,
        inner: SequenceId,
        exclusive: bool,
        after: Exit,
    ) -> (Guard, Vec<Action>, Exit) {
        self.link(inner);
        let mut first = self.builder.elements.first(inner);
        let number = self.builder.elements.el(first).dstep;
        let mut block =
            Block { whole, number, exclusive, after, locations: FxHashMap::default(), open: Vec::new() };
        let result = loop {
            let element = self.builder.elements.el(first).clone();
            match element.node {
                Node::Plain(inner) => first = self.builder.elements.first(inner),
                Node::Unless => first = self.builder.elements.first(element.options[0]),
                Node::Basic(_) | Node::Else => {
                    let (guard, body) = self.statement(first);
                    break (guard, body, self.follow(&mut block, first));
                }
                Node::If => break self.begin_selection(&mut block, first),
                Node::Join => match element.next {
                    Some(next) if matches!(self.builder.elements.el(next).node, Node::Do) => {
                        break self.begin_selection(&mut block, next);
                    }
                    _ => break (Guard::Always, Vec::new(), self.arrive(&mut block, first)),
                },
                _ => break (Guard::Always, Vec::new(), self.arrive(&mut block, first)),
            }
        };
        while let Some(element) = block.open.pop() {
            self.fused_location(&mut block, element);
        }
        result
    }

    /// Links the ends of the blocks inside to the elements after them, from the outside in.
    fn link(&mut self, sequence: SequenceId) {
        for element in self.builder.members(sequence) {
            let item = self.builder.elements.el(element).clone();
            if let Node::Plain(inner) | Node::Atomic(inner) | Node::DStep(inner) = item.node {
                self.builder.elements.link_end(inner, item.next);
                self.link(inner);
            }
            for option in item.options {
                self.link(option);
            }
        }
    }

    fn begin_selection(&mut self, block: &mut Block, selection: ElementId) -> (Guard, Vec<Action>, Exit) {
        let exit = self.arrive(block, selection);
        let mut guards = Vec::new();
        self.collect_guards(selection, &mut guards);
        if guards.is_empty() {
            return (Guard::Always, Vec::new(), exit);
        }
        let ready = self.new_location(block, selection);
        for guard in guards {
            let (condition, body) = match self.builder.elements.el(guard).node {
                Node::Else => (Guard::Always, Vec::new()),
                _ => self.statement(guard),
            };
            let span = self.builder.elements.el(guard).span;
            self.add(Transition::new(ready, condition, body, block.after.clone(), span));
        }
        (Guard::Ready(ready), Vec::new(), exit)
    }

    fn collect_guards(&self, selection: ElementId, guards: &mut Vec<ElementId>) {
        let elements = &self.builder.elements;
        for &option in &elements.el(selection).options {
            let first = elements.first(option);
            let item = elements.el(first);
            match &item.node {
                Node::Plain(inner) => self.collect_guards(elements.first(*inner), guards),
                Node::If => self.collect_guards(first, guards),
                Node::Join => {
                    if let Some(next) = item.next {
                        self.collect_guards(next, guards);
                    }
                }
                Node::Else
                | Node::Basic(Basic::Condition(_) | Basic::Send { .. } | Basic::Receive { .. }) => {
                    guards.push(first);
                }
                _ => {}
            }
        }
    }

    fn new_location(&mut self, block: &Block, element: ElementId) -> LocationId {
        let span = self.builder.elements.el(element).span;
        let procedure = self.procedures[self.current].expect("only processes have a d_step");
        let mut location = Location::new("", procedure, span);
        location.fused = true;
        location.synthetic = true;
        location.number = self.builder.elements.el(block.whole).number;
        self.program.locations.push(location)
    }

    /// Where control goes after a statement.
    fn follow(&mut self, block: &mut Block, element: ElementId) -> Exit {
        match self.builder.elements.el(element).next {
            Some(next) => self.arrive(block, next),
            None => block.after.clone(),
        }
    }

    /// Where control is after arriving at an element.
    fn arrive(&mut self, block: &mut Block, element: ElementId) -> Exit {
        let elements = &self.builder.elements;
        let mut at = element;
        for _ in 0..MAX_JUMPS {
            let item = elements.el(at);
            if item.dstep != block.number {
                return block.after.clone();
            }
            let next = match &item.node {
                Node::Join | Node::Exit => item.next,
                Node::Goto(_) => match hunt(elements, self.current, at, 0) {
                    Ok(next) if next != at => Some(next),
                    _ => None,
                },
                Node::Plain(inner) | Node::Atomic(inner) | Node::DStep(inner) => Some(elements.first(*inner)),
                Node::Unless => Some(elements.first(item.options[0])),
                Node::Basic(_) | Node::Else | Node::If | Node::Do | Node::End => {
                    let known = block.locations.get(&at).copied();
                    let location = known.unwrap_or_else(|| self.new_location(block, at));
                    if known.is_none() {
                        block.locations.insert(at, location);
                        block.open.push(at);
                    }
                    return Exit::Jump(Jump::Goto(location));
                }
            };
            match next {
                Some(next) => at = next,
                None => return block.after.clone(),
            }
        }
        let span = self.builder.elements.el(element).span;
        self.builder.error(codes::JUMP_CYCLE, "these jumps never arrive", span, "leads back to itself");
        block.after.clone()
    }

    /// Adds the transitions of a fused location.
    fn fused_location(&mut self, block: &mut Block, element: ElementId) {
        let source = block.locations[&element];
        let item = self.builder.elements.el(element).clone();
        let firsts: Vec<_> = match item.node {
            Node::If | Node::Do => {
                item.options.iter().map(|&option| self.builder.elements.first(option)).collect()
            }
            _ => vec![element],
        };
        for first in firsts {
            let span = self.builder.elements.el(first).span;
            let simple = matches!(self.builder.elements.el(first).node, Node::Basic(_) | Node::Else);
            let (guard, body, exit) = if simple {
                let (guard, body) = self.statement(first);
                (guard, body, self.follow(block, first))
            } else {
                (Guard::Always, Vec::new(), self.arrive(block, first))
            };
            let mut transition = Transition::new(source, guard, body, exit, span);
            transition.exclusive = block.exclusive;
            self.add_of(first, transition);
        }
    }
}
