//! The control structure of processes as SPIN builds it while it reads a model.
//!
//! A statement is an *element*; elements are linked to sequences. An `if` or `do` has sequences of its own,
//! its options, which all lead to one element that joins them. Elements are numbered twice, in the order of
//! their creation: within the process (SPIN's state numbers) and within the whole model (the numbers in its
//! trails). Since an element is created when its construct ends, parts have smaller numbers than the whole,
//! and this module has to add and join in SPIN's order to get the same numbers.
//!
//! `atomic` marks the elements inside; the meaning of a jump into or out of one is decided later, by these
//! marks.

use std::rc::Rc;

use source::Span;

use crate::tree::{Basic, Ex};

#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct ElementId(pub usize);

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct SequenceId(pub usize);

/// Where a jump goes: to a name, or out of a loop.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Destination {
    Label {
        name: Rc<str>,
        scopes: Vec<u32>,
    },
    /// The number of the loop.
    Exit(u32),
}

#[derive(Clone, Debug)]
pub enum Node {
    Basic(Basic),
    Else,
    /// Joins the options of a selection, or the branches of an `unless`.
    Join,
    /// The element after a loop.
    Exit,
    Goto(Destination),
    If,
    Do,
    Unless,
    Atomic(SequenceId),
    Plain(SequenceId),
    DStep(SequenceId),
    /// The end of a process.
    End,
}

/// In an `atomic`, and not the last one.
pub const ATOMIC: u8 = 2;
/// The last one of an `atomic`.
pub const LAST: u8 = 4;
/// In a `d_step`.
pub const DSTEP: u8 = 8;

#[derive(Clone, Debug)]
pub struct Element {
    pub node: Node,
    pub span: Span,
    /// The number within its process, from 1.
    pub number: u32,
    /// The number within the model.
    pub unique: u32,
    pub next: Option<ElementId>,
    /// The options, or main sequence and escape.
    pub options: Vec<SequenceId>,
    /// The escapes that cover it, innermost first.
    pub escapes: Vec<SequenceId>,
    pub marks: u8,
    /// The number of its `d_step`, from 1.
    pub dstep: u32,
    /// The call of the inline that it comes from.
    pub call: Option<CallId>,
    /// The innermost scope around it.
    pub scope: u32,
}

/// A call of an inline.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CallId(usize);

#[derive(Clone, Copy, Debug, Default)]
pub struct Sequence {
    pub first: Option<ElementId>,
    pub last: Option<ElementId>,
    /// The last element when the sequence was complete, before it was joined.
    pub extent: Option<ElementId>,
}

#[derive(Clone, Debug)]
pub struct Label {
    pub destination: Destination,
    pub element: ElementId,
    pub process: usize,
    pub span: Span,
    pub used: bool,
}

/// A statement that was read, but is not an element yet.
#[derive(Debug)]
pub struct Pending {
    /// Outermost first.
    pub labels: Vec<crate::ast::Name>,
    pub kind: PendingKind,
    pub span: Span,
}

#[derive(Debug)]
pub enum PendingKind {
    Simple(Node),
    If(Vec<SequenceId>),
    /// With the number of the loop.
    Do(Vec<SequenceId>, u32),
    Unless(SequenceId, SequenceId),
}

#[derive(Debug, Default)]
pub struct Elements {
    pub all: Vec<Element>,
    pub sequences: Vec<Sequence>,
    pub labels: Vec<Label>,
    /// The sequences that are being read.
    open: Vec<SequenceId>,
    /// The next number in the process.
    pub count: u32,
    next_unique: u32,
    pub process: usize,
    pub dstep: u32,
    /// The enclosing scopes.
    pub scopes: Vec<u32>,
    /// The call of the inline whose body is being read.
    pub call: Option<CallId>,
    /// The place of each call, and the call whose body it is in.
    calls: Vec<(Span, Option<CallId>)>,
}

impl Elements {
    /// The body of an inline that is called here is read next.
    pub fn enter_call(&mut self, at: Span) {
        self.calls.push((at, self.call));
        self.call = Some(CallId(self.calls.len() - 1));
    }

    /// The calls of inlines that an element comes from, innermost first.
    pub fn calls_of(&self, element: ElementId) -> Vec<Span> {
        let mut calls = Vec::new();
        let mut next = self.el(element).call;
        while let Some(CallId(call)) = next {
            let (span, outer) = self.calls[call];
            calls.push(span);
            next = outer;
        }
        calls
    }

    pub fn open(&mut self) {
        self.sequences.push(Sequence::default());
        self.open.push(SequenceId(self.sequences.len() - 1));
    }

    /// Ends the sequence that was opened last.
    pub fn close(&mut self) -> SequenceId {
        let id = self.open.pop().expect("every sequence was opened");
        self.sequences[id.0].extent = self.sequences[id.0].last;
        id
    }

    fn current(&self) -> SequenceId {
        *self.open.last().expect("a sequence is open")
    }

    pub fn seq(&self, id: SequenceId) -> Sequence {
        self.sequences[id.0]
    }

    pub fn el(&self, id: ElementId) -> &Element {
        &self.all[id.0]
    }

    pub fn first(&self, id: SequenceId) -> ElementId {
        self.seq(id).first.expect("sequences are not empty")
    }

    /// Links the end of a block to the element after the block.
    pub fn link_end(&mut self, block: SequenceId, next: Option<ElementId>) {
        if let Some(last) = self.seq(block).last {
            self.all[last.0].next = next;
        }
    }

    pub fn is_empty(&self, id: SequenceId) -> bool {
        self.seq(id).first.is_none()
    }

    /// Whether the open sequence is empty.
    pub fn nothing_open(&self) -> bool {
        self.is_empty(self.current())
    }

    fn element(&mut self, node: Node, span: Span) -> ElementId {
        let element = Element {
            node,
            span,
            number: self.count,
            unique: self.next_unique,
            next: None,
            options: Vec::new(),
            escapes: Vec::new(),
            marks: 0,
            dstep: self.dstep,
            call: self.call,
            scope: self.scopes.last().copied().unwrap_or(0),
        };
        self.count += 1;
        self.next_unique += 1;
        self.all.push(element);
        ElementId(self.all.len() - 1)
    }

    /// Adds a statement to the open sequence.
    pub fn add(&mut self, pending: Pending) {
        let span = pending.span;
        let (element, linked) = match pending.kind {
            PendingKind::Simple(node) => (self.element(node, span), false),
            PendingKind::If(options) => (self.selection(options, None, span), true),
            PendingKind::Do(options, number) => (self.selection(options, Some(number), span), true),
            PendingKind::Unless(main, escape) => (self.unless(main, escape, span), true),
        };
        for name in pending.labels.iter().rev() {
            let destination = Destination::Label { name: name.text.clone(), scopes: self.scopes.clone() };
            self.set_label(destination, element, name.span);
        }
        if !linked {
            self.link(element, self.current());
        }
    }

    pub fn add_node(&mut self, node: Node, span: Span) {
        self.add(Pending { labels: Vec::new(), kind: PendingKind::Simple(node), span });
    }

    pub fn add_basic(&mut self, basic: Basic, span: Span) {
        self.add_node(Node::Basic(basic), span);
    }

    fn set_label(&mut self, destination: Destination, element: ElementId, span: Span) {
        let process = self.process;
        self.labels.push(Label { destination, element, process, span, used: false });
    }

    /// Whether the element has a label.
    pub fn labelled(&self, element: ElementId) -> bool {
        self.labels.iter().any(|label| label.element == element)
    }

    fn link(&mut self, element: ElementId, to: SequenceId) {
        if matches!(self.el(element).node, Node::Goto(_)) {
            let special = |label: &Label| label.element == element && is_special(&label.destination);
            if self.labels.iter().any(special) {
                // The label needs a state of its own, which a jump does not have.
                let span = self.el(element).span;
                let skip = self.element(Node::Basic(Basic::Condition(Ex::int(1, span))), span);
                if let Some(label) = self.labels.iter_mut().rev().find(|label| label.element == element) {
                    label.element = skip;
                }
                self.link(skip, to);
            }
        }
        let sequence = &mut self.sequences[to.0];
        match sequence.last.replace(element) {
            Some(last) => self.all[last.0].next = Some(element),
            None => sequence.first = Some(element),
        }
    }

    fn selection(&mut self, mut options: Vec<SequenceId>, exit: Option<u32>, span: Span) -> ElementId {
        let node = if exit.is_some() { Node::Do } else { Node::If };
        let whole = self.element(node, span);
        let join = self.element(Node::Join, span);
        if let Some(at) =
            options.iter().position(|&option| matches!(self.first_node(option), Some(Node::Else)))
        {
            let option = options.remove(at);
            options.push(option);
        }
        for &option in &options {
            self.link(join, option);
        }
        self.all[whole.0].options = options;
        let current = self.current();
        match exit {
            None => {
                self.link(whole, current);
                self.link(join, current);
            }
            Some(number) => {
                self.link(join, current);
                let after = self.element(Node::Exit, span);
                self.set_label(Destination::Exit(number), after, span);
                self.link(whole, current);
                self.link(after, current);
            }
        }
        whole
    }

    fn first_node(&self, sequence: SequenceId) -> Option<&Node> {
        self.seq(sequence).first.map(|first| &self.el(first).node)
    }

    fn unless(&mut self, main: SequenceId, escape: SequenceId, span: Span) -> ElementId {
        let whole = self.element(Node::Unless, span);
        let join = self.element(Node::Join, span);
        self.all[whole.0].options = vec![main, escape];
        self.link(join, main);
        self.link(join, escape);
        self.cover(main, escape);
        let current = self.current();
        self.link(whole, current);
        self.link(join, current);
        whole
    }

    /// Lets `escape` cover all elements of a sequence.
    fn cover(&mut self, sequence: SequenceId, escape: SequenceId) {
        let Sequence { first, extent, .. } = self.seq(sequence);
        let mut at = first;
        while let Some(element) = at {
            self.cover_element(element, escape);
            if at == extent {
                break;
            }
            at = self.el(element).next;
        }
    }

    fn cover_element(&mut self, element: ElementId, escape: SequenceId) {
        if self.el(element).escapes.contains(&escape) {
            return;
        }
        // Escapes can be escaped from, too.
        for inner in self.el(element).escapes.clone() {
            self.cover(inner, escape);
        }
        self.all[element.0].escapes.insert(0, escape);
        match self.el(element).node {
            Node::Unless => self.cover(self.el(element).options[0], escape),
            Node::If | Node::Do => {
                for option in self.el(element).options.clone() {
                    self.cover(option, escape);
                }
            }
            Node::DStep(inner) => self.cover_element(self.first(inner), escape),
            Node::Atomic(inner) | Node::Plain(inner) => self.cover(inner, escape),
            _ => {}
        }
    }

    /// Marks a complete sequence as `atomic`, or as a `d_step` if `dstep`.
    pub fn make_atomic(&mut self, sequence: SequenceId, dstep: bool) {
        let Sequence { first: Some(first), last: Some(last), .. } = self.seq(sequence) else { return };
        self.mark(first, last, ATOMIC | if dstep { DSTEP } else { 0 });
        match self.el(last).node {
            Node::Plain(inner) | Node::Atomic(inner) => self.make_atomic(inner, dstep),
            Node::Unless => self.make_atomic(self.el(last).options[0], dstep),
            _ => {
                let marks = &mut self.all[last.0].marks;
                *marks = *marks & !ATOMIC | LAST;
            }
        }
    }

    fn mark(&mut self, first: ElementId, last: ElementId, marks: u8) {
        let mut at = Some(first);
        while let Some(element) = at {
            self.all[element.0].marks |= marks;
            let inner = match self.el(element).node {
                Node::Atomic(inner) | Node::Plain(inner) => Some(inner),
                Node::DStep(inner) if marks & DSTEP != 0 => Some(inner),
                _ => None,
            };
            if let Some(inner) = inner {
                self.all[element.0].node = Node::Plain(inner);
                self.mark_sequence(inner, marks);
            }
            for option in self.el(element).options.clone() {
                self.mark_sequence(option, marks);
            }
            if element == last {
                break;
            }
            at = self.el(element).next;
        }
    }

    fn mark_sequence(&mut self, sequence: SequenceId, marks: u8) {
        if let Sequence { first: Some(first), last: Some(last), .. } = self.seq(sequence) {
            self.mark(first, last, marks);
        }
    }

    /// Removes superfluous `skip`s from an option.
    pub fn prune(&mut self, option: SequenceId) {
        let Sequence { first, last, extent } = self.seq(option);
        let (mut before, mut at, mut skips): (Option<ElementId>, _, _) = (None, first, 0);
        while let Some(element) = at {
            let Element { node, next, .. } = self.el(element);
            let next = *next;
            let (skip, print) = match node {
                Node::Basic(basic) => (basic.is_skip() || basic.is_print(), basic.is_print()),
                _ => (false, false),
            };
            if !skip || self.labelled(element) {
                skips = 0;
                before = at;
            } else {
                skips += 1;
                let removable = skips > 1 && !print && at != first && at != last && at != extent;
                match before {
                    Some(before) if removable => self.all[before.0].next = next,
                    _ => before = at,
                }
            }
            at = next;
        }
    }

    /// The label that a jump refers to: the innermost one of the scopes around the jump, or else any of that
    /// name in the process.
    pub fn find_label(&self, destination: &Destination, process: usize) -> Option<usize> {
        let mut best: Option<(usize, usize)> = None;
        for (at, label) in self.labels.iter().enumerate().filter(|(_, label)| label.process == process) {
            let fit = match (destination, &label.destination) {
                (Destination::Exit(a), Destination::Exit(b)) if a == b => 1,
                (Destination::Label { name, scopes }, Destination::Label { name: known, scopes: outer })
                    if name == known =>
                {
                    if scopes.starts_with(outer) {
                        1 + outer.len()
                    } else {
                        0
                    }
                }
                _ => continue,
            };
            if best.is_none_or(|(_, known)| known < fit) {
                best = Some((at, fit));
            }
        }
        best.map(|(at, _)| at)
    }

    pub fn target(&self, destination: &Destination, process: usize) -> Option<ElementId> {
        self.find_label(destination, process).map(|at| self.labels[at].element)
    }

    /// Gives a jump whose label occurs in a remote reference a state of its own. `count` is the next number
    /// in its process.
    pub fn detach(&mut self, element: ElementId, count: &mut u32) {
        if !matches!(self.el(element).node, Node::Goto(_)) {
            return;
        }
        let span = self.el(element).span;
        let mut jump = self.el(element).clone();
        jump.marks = 0;
        jump.escapes.clear();
        jump.number = *count;
        *count += 1;
        jump.unique = self.next_unique;
        self.next_unique += 1;
        self.all.push(jump);
        let id = ElementId(self.all.len() - 1);
        self.all[element.0].node = Node::Basic(Basic::Condition(Ex::int(1, span)));
        self.all[element.0].next = Some(id);
        for sequence in &mut self.sequences {
            if sequence.last == Some(element) {
                sequence.last = Some(id);
            }
        }
    }
}

/// Whether SPIN gives the label a meaning.
fn is_special(destination: &Destination) -> bool {
    match destination {
        Destination::Label { name, .. } => {
            ["accept", "end", "progress"].iter().any(|prefix| name.starts_with(prefix))
        }
        Destination::Exit(_) => false,
    }
}
