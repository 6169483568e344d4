//! Which statements make which local variables dead.
//!
//! SPIN sets a variable to 0 in the step after which its value does not matter, and this is part of a model's
//! states. So this is not a liveness analysis, but SPIN's approximation of one: it looks at the transitions
//! of a state one after the other, and takes the first one that sets the variable as proof that its value
//! does not matter there. Arrays and fields of records are never dead, and a variable that is read in an
//! assignment, a send or an assertion keeps its value. If a model reads variables of other processes, none
//! are dead.

use rustc_hash::FxHashMap;

use crate::elements::{ElementId, Elements, Node, SequenceId};
use crate::symbols::{Scalar, Symbol, Ty, Typedef};
use crate::tree::{Arg, Basic, Ex, ExKind, Ref, SymbolId, Target};
use crate::walk::{Cycle, Walk, after, hunt, is_dead, start};

/// For each statement, the variables that it sets to 0.
pub type Dead = FxHashMap<ElementId, Vec<SymbolId>>;

/// Finds the dead variables of a process.
pub fn dead(
    elements: &mut Elements,
    symbols: &[Symbol],
    typedefs: &[Typedef],
    process: usize,
    body: SequenceId,
    dead: &mut Dead,
) -> Result<(), Cycle> {
    let done = vec![false; elements.all.len()];
    let mut graph = Graph { elements, symbols, typedefs, process, states: FxHashMap::default(), done };
    graph.sequence(body)?;
    for edges in graph.states.values() {
        for edge in edges {
            let Some(step) = edge.step else { continue };
            for &symbol in edge.reads.symbols().filter(|&&symbol| graph.may_die(symbol)) {
                if graph.resets_read(step) && graph.is_dead(edge.to, symbol) {
                    dead.entry(step).or_default().push(symbol);
                }
            }
            for &symbol in edge.writes.symbols().filter(|&&symbol| graph.may_die(symbol)) {
                if graph.resets_write(step) && graph.is_dead(edge.to, symbol) {
                    dead.entry(step).or_default().push(symbol);
                }
            }
        }
    }
    for symbols in dead.values_mut() {
        symbols.sort_unstable();
        symbols.dedup();
    }
    Ok(())
}

/// A variable, or a field of a typedef.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Name {
    Symbol(SymbolId),
    Field(usize, usize),
}

#[derive(Default)]
struct Uses {
    names: Vec<Name>,
}

impl Uses {
    fn symbols(&self) -> impl Iterator<Item = &SymbolId> {
        self.names.iter().filter_map(|name| match name {
            Name::Symbol(symbol) => Some(symbol),
            Name::Field(..) => None,
        })
    }

    fn has(&self, symbol: SymbolId) -> bool {
        self.names.contains(&Name::Symbol(symbol))
    }
}

struct Edge {
    to: u32,
    /// The statement, unless this is an escape.
    step: Option<ElementId>,
    reads: Uses,
    writes: Uses,
}

struct Graph<'e> {
    elements: &'e mut Elements,
    symbols: &'e [Symbol],
    typedefs: &'e [Typedef],
    process: usize,
    /// The transitions of each state, the last one that was added first.
    states: FxHashMap<u32, Vec<Edge>>,
    done: Vec<bool>,
}

impl Walk for Graph<'_> {
    fn elements(&self) -> &Elements {
        self.elements
    }

    fn visit(&mut self, element: ElementId) -> bool {
        !std::mem::replace(&mut self.done[element.0], true)
    }

    fn element(&mut self, element: ElementId) -> Result<(), Cycle> {
        let item = self.elements.el(element).clone();
        match item.node {
            Node::Unless => self.sequence(item.options[0])?,
            Node::If | Node::Do => {
                for &option in &item.options {
                    let first = start(self.elements, self.elements.first(option));
                    if !is_dead(self.elements, first) {
                        self.edge(item.number, first, Some(element));
                    }
                }
                for option in item.options {
                    self.sequence(option)?;
                }
            }
            Node::Atomic(inner) | Node::Plain(inner) | Node::DStep(inner) => {
                self.elements.link_end(inner, item.next);
                let first = start(self.elements, self.elements.first(inner));
                self.edge(item.number, first, Some(element));
                self.sequence(inner)?;
            }
            ref node => {
                match after(self.elements, self.process, element) {
                    Some(target) => {
                        let target = hunt(self.elements, self.process, target, item.marks)?;
                        self.edge(item.number, target, Some(element));
                    }
                    None => self.edge_to(item.number, 0, Some(element)),
                }
                if !matches!(node, Node::Goto(_) | Node::Join) {
                    for escape in item.escapes {
                        let first = start(self.elements, self.elements.first(escape));
                        self.edge(item.number, first, None);
                        self.sequence(escape)?;
                    }
                }
            }
        }
        Ok(())
    }
}

impl Graph<'_> {
    fn edge(&mut self, from: u32, to: ElementId, step: Option<ElementId>) {
        self.edge_to(from, self.elements.el(to).number, step);
    }

    fn edge_to(&mut self, from: u32, to: u32, step: Option<ElementId>) {
        let mut edge = Edge { to, step, reads: Uses::default(), writes: Uses::default() };
        if let Some(step) = step
            && let Node::Basic(basic) = &self.elements.el(step).node
        {
            self.basic(basic, &mut edge);
        }
        self.states.entry(from).or_default().insert(0, edge);
    }

    fn may_die(&self, symbol: SymbolId) -> bool {
        let symbol = &self.symbols[symbol.index()];
        symbol.owner.is_some() && symbol.scalar().is_some_and(|scalar| scalar != Scalar::Chan)
    }

    /// Whether a statement sets variables to 0 after their last read.
    fn resets_read(&self, element: ElementId) -> bool {
        matches!(self.elements.el(element).node, Node::Basic(Basic::Condition(_) | Basic::Receive { .. }))
    }

    /// Whether a statement sets variables to 0 that it writes in vain.
    fn resets_write(&self, element: ElementId) -> bool {
        match &self.elements.el(element).node {
            Node::Basic(Basic::Assign(_, value)) => value.literal() != Some(0),
            _ => true,
        }
    }

    fn is_dead(&self, from: u32, symbol: SymbolId) -> bool {
        let mut seen = vec![from];
        self.is_dead_at(from, symbol, &mut seen)
    }

    fn is_dead_at(&self, at: u32, symbol: SymbolId, seen: &mut Vec<u32>) -> bool {
        // An explicit stack, since processes may be long: a state, and its next transition.
        let mut stack = vec![(at, 0)];
        while let Some((at, next)) = stack.pop() {
            let Some(edge) = self.states.get(&at).and_then(|edges| edges.get(next)) else { continue };
            if edge.reads.has(symbol) {
                return false;
            }
            if edge.writes.has(symbol) {
                continue;
            }
            stack.push((at, next + 1));
            if edge.to != 0 && !seen.contains(&edge.to) {
                seen.push(edge.to);
                stack.push((edge.to, 0));
            }
        }
        true
    }

    // The variables that statements read and set.

    fn basic(&self, basic: &Basic, edge: &mut Edge) {
        match basic {
            Basic::Condition(ex) | Basic::Assert(ex) => self.read(ex, edge),
            Basic::Assign(target, value) => {
                if let Target::Var(place) = target {
                    self.place(place, true, edge);
                }
                self.read(value, edge);
            }
            Basic::Nothing | Basic::Dynamic(_) => {}
            Basic::Send { channel, args, .. } => {
                self.read(channel, edge);
                for arg in args {
                    self.read(arg, edge);
                }
            }
            Basic::Receive { channel, args, .. } | Basic::Event { channel, args, .. } => {
                self.read(channel, edge);
                for arg in args {
                    match arg {
                        Arg::Store(place) => self.place(place, true, edge),
                        Arg::Match(value) => self.read(value, edge),
                        Arg::Any | Arg::StoreThrough(_) => {}
                    }
                }
            }
            Basic::Print { args, .. } => args.iter().for_each(|arg| self.read(arg, edge)),
            Basic::SetPriority(process, priority) => {
                // In the first argument SPIN sees only the right operand of an operator.
                if let ExKind::Binary(_, _, right) = &process.kind {
                    self.read(right, edge);
                }
                self.read(priority, edge);
            }
        }
    }

    fn read(&self, ex: &Ex, edge: &mut Edge) {
        match &ex.kind {
            ExKind::Int(_)
            | ExKind::Pid
            | ExKind::Count
            | ExKind::Last
            | ExKind::Priority
            | ExKind::Timeout
            | ExKind::Nonprogress
            | ExKind::Dynamic(_) => {}
            ExKind::Var(place) => self.place(place, false, edge),
            ExKind::Unary(_, a)
            | ExKind::Len(a)
            | ExKind::Probe(_, a)
            | ExKind::Enabled(a)
            | ExKind::PcValue(a)
            | ExKind::GetPriority(a) => self.read(a, edge),
            ExKind::Binary(_, a, b) => {
                self.read(a, edge);
                self.read(b, edge);
            }
            ExKind::Cond(parts) => parts.iter().for_each(|part| self.read(part, edge)),
            ExKind::Run(run) => run.args.iter().for_each(|arg| self.read(arg, edge)),
            ExKind::Poll { channel, args, .. } => {
                self.read(channel, edge);
                for arg in args {
                    if let Arg::Match(value) = arg {
                        self.read(value, edge);
                    }
                }
            }
            ExKind::RemoteLabel { pid, .. } => pid.iter().for_each(|pid| self.read(pid, edge)),
            ExKind::RemoteVar { pid, index, .. } => {
                pid.iter().chain(index).for_each(|part| self.read(part, edge));
            }
        }
    }

    /// A use of a place: it counts for names without an index, and once a name counts, SPIN looks no further.
    fn place(&self, place: &Ref, write: bool, edge: &mut Edge) {
        let symbol = &self.symbols[place.symbol.index()];
        let mut indices = place.indices.iter();
        let mut name = Name::Symbol(place.symbol);
        let (mut ty, mut array) = (symbol.ty, symbol.size.is_some());
        let mut path = symbol.leaves[place.leaf].path.iter();
        loop {
            let uses = if write { &mut edge.writes } else { &mut edge.reads };
            if uses.names.contains(&name) {
                return;
            }
            match array.then(|| indices.next()).flatten() {
                Some(index) => self.read(index, edge),
                None => uses.names.push(name),
            }
            let (Ty::Record(record), Some(&field)) = (ty, path.next()) else { return };
            name = Name::Field(record, field);
            let field = &self.typedefs[record].fields[field];
            (ty, array) = (field.ty, field.size.is_some());
        }
    }
}
