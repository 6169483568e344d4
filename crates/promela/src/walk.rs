//! How SPIN follows the control flow of a process.

use crate::elements::{ATOMIC, Element, ElementId, Elements, Node, Sequence, SequenceId};
use crate::objects::Act;
use crate::tree::Basic;

/// The largest number of jumps in a row that are followed.
pub const MAX_JUMPS: usize = 500;

/// A jump that leads to itself.
pub struct Cycle(pub ElementId);

/// A walk over the elements of a process, sequence by sequence. It visits each element once.
pub trait Walk {
    fn elements(&self) -> &Elements;

    /// Marks an element as visited. Returns whether it was not visited before.
    fn visit(&mut self, element: ElementId) -> bool;

    /// Processes an element, and walks over its sequences.
    fn element(&mut self, element: ElementId) -> Result<(), Cycle>;

    fn sequence(&mut self, sequence: SequenceId) -> Result<(), Cycle> {
        let Sequence { first, last, .. } = self.elements().seq(sequence);
        let mut at = first;
        while let Some(element) = at {
            if self.visit(element) {
                self.element(element)?;
            }
            if at == last {
                break;
            }
            at = self.elements().el(element).next;
        }
        Ok(())
    }
}

/// The element after a statement: the target of a jump, or the next one.
pub fn after(elements: &Elements, process: usize, element: ElementId) -> Option<ElementId> {
    match &elements.el(element).node {
        Node::Goto(to) => elements.target(to, process),
        Node::Basic(Basic::Dynamic(Act::Return(..))) => None,
        _ => elements.el(element).next,
    }
}

/// The element where control is after arriving at `from`: passes over jumps and joins, but not out of an
/// `atomic` if `marks` says that control is in one.
pub fn hunt(elements: &Elements, process: usize, from: ElementId, marks: u8) -> Result<ElementId, Cycle> {
    let mut at = from;
    for _ in 0..MAX_JUMPS {
        let next = match &elements.el(at).node {
            Node::Goto(_) | Node::Join | Node::Exit => after(elements, process, at),
            Node::Unless => Some(hunt(elements, process, elements.first(elements.el(at).options[0]), marks)?),
            _ => return Ok(at),
        };
        let Some(next) = next else { return Ok(at) };
        if marks & ATOMIC != 0 && elements.el(next).marks & ATOMIC == 0 {
            return Ok(at);
        }
        at = next;
    }
    Err(Cycle(from))
}

/// The element that an option or block begins with.
pub fn start(elements: &Elements, from: ElementId) -> ElementId {
    let mut at = from;
    for _ in 0..MAX_JUMPS {
        let Element { node, next, options, .. } = elements.el(at);
        at = match (node, next) {
            (Node::Join, Some(next)) => *next,
            (Node::Unless, _) => elements.first(options[0]),
            _ => break,
        };
    }
    at
}

/// Whether the element is `false` without an escape.
pub fn is_dead(elements: &Elements, element: ElementId) -> bool {
    let Element { node, escapes, .. } = elements.el(element);
    let constant = matches!(node, Node::Basic(Basic::Condition(ex)) if ex.literal() == Some(0));
    constant && escapes.is_empty()
}
