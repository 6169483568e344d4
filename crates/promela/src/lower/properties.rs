//! Temporal properties: conditions become propositions, `never` claims become automata.
//!
//! Conditions that are the same are one proposition, and so are a condition and its negation. They are not taken apart any
//! further: in `i < 3 && a[i]` the second part is evaluated only if the first one holds.
//!
//! A state of a claim is a state of its automaton, its conditions are the edges. A claim that gets to its end has matched,
//! whatever comes: an accepting state with a loop.

use ir::{Const, ExprKind, Property, PropertyKind, Proposition, Scope, UnaryOp};
use ltl::{Automaton, Cube, Edge, Formula, Marks, Prop, State};
use source::{Diagnostic, Span};

use super::Lowering;
use crate::build;
use crate::codes;
use crate::elements::{ElementId, Node};
use crate::tree::{Basic, Ex, ExKind};

/// What a condition comes to.
#[derive(Clone, Copy, Debug)]
enum Literal {
    Constant(bool),
    Prop(Prop, bool),
}

impl Literal {
    fn formula(self) -> Formula {
        match self {
            Self::Constant(true) => Formula::True,
            Self::Constant(false) => Formula::False,
            Self::Prop(prop, true) => Formula::Prop(prop),
            Self::Prop(prop, false) => Formula::Not(Box::new(Formula::Prop(prop))),
        }
    }

    /// If it can hold.
    fn cube(self) -> Option<Cube> {
        match self {
            Self::Constant(value) => value.then_some(Cube::TRUE),
            Self::Prop(prop, sign) => Some(Cube::literal(prop, sign)),
        }
    }

    fn negated(self) -> Self {
        match self {
            Self::Constant(value) => Self::Constant(!value),
            Self::Prop(prop, sign) => Self::Prop(prop, !sign),
        }
    }
}

impl Lowering<'_, '_> {
    pub(super) fn properties(&mut self) {
        self.scope = Scope::Program;
        for build::Property { name, kind, span } in std::mem::take(&mut self.builder.properties) {
            let mut props = Vec::new();
            let kind = match kind {
                build::PropertyKind::Formula(formula, atoms) => {
                    let literals = self.literals(&mut props, &atoms);
                    // An atom that is wrong is missing, and was reported.
                    let of =
                        |prop: Prop| literals.get(prop.0 as usize).map_or(Formula::True, |l| l.formula());
                    Some(PropertyKind::Formula(formula.substitute(&of)))
                }
                build::PropertyKind::Automaton(automaton, atoms) => {
                    let literals = self.literals(&mut props, &atoms);
                    Some(PropertyKind::Claim(over(&automaton, &literals)))
                }
                build::PropertyKind::Never(process) => {
                    self.never(process, &mut props).map(PropertyKind::Claim)
                }
            };
            if let Some(kind) = kind {
                self.program.properties.push(Property { name, props, kind, span });
            }
        }
    }

    fn literals(&mut self, props: &mut Vec<Proposition>, atoms: &[Ex]) -> Vec<Literal> {
        atoms.iter().map(|atom| self.literal(props, atom)).collect()
    }

    fn literal(&mut self, props: &mut Vec<Proposition>, ex: &Ex) -> Literal {
        self.check_questions(ex);
        let (mut expr, span) = (self.condition(ex), ex.span);
        let mut sign = true;
        while let ExprKind::Unary(UnaryOp::Not, inner) = expr.kind {
            // What has no `!` in the text is written down anew, as `nempty` is.
            let same = inner.span == expr.span;
            (expr, sign) = (*inner, !sign);
            if same {
                expr.span = Span::default();
            }
        }
        if let ExprKind::Const(Const::Bool(value)) = expr.kind {
            return Literal::Constant(value == sign);
        }
        let plain = expr.without_spans();
        if let Some(known) = props.iter().position(|prop| prop.expr.without_spans() == plain) {
            return Literal::Prop(Prop(known as u32), sign);
        }
        if props.len() == ir::MAX_PROPOSITIONS {
            let message = format!("a property has at most {} conditions", ir::MAX_PROPOSITIONS);
            self.builder.error(codes::TOO_MANY_PROPOSITIONS, message, span, "one too many");
            return Literal::Constant(false);
        }
        let text = self.written(&expr);
        props.push(Proposition { text, expr, span });
        Literal::Prop(Prop(props.len() as u32 - 1), sign)
    }

    /// The condition as it is in the model, if it is there on one line.
    fn written(&self, expr: &ir::Expr) -> String {
        let text = if expr.span == Span::default() { "" } else { self.builder.map.text(expr.span) };
        if text.is_empty() || text.contains('\n') {
            return ir::text::expr(&self.program, Scope::Program, expr);
        }
        text.to_owned()
    }

    /// Reports what only a process can ask.
    fn check_questions(&mut self, ex: &Ex) {
        let asks = |word: &'static str, is: fn(&ExKind) -> bool| ex.any(is).then_some(word);
        let found = asks("_pid", |kind| matches!(kind, ExKind::Pid))
            .or_else(|| asks("_priority", |kind| matches!(kind, ExKind::Priority)))
            .or_else(|| asks("timeout", |kind| matches!(kind, ExKind::Timeout)))
            .or_else(|| asks("run", |kind| matches!(kind, ExKind::Run(_))));
        if let Some(word) = found {
            let message = format!("a property cannot have `{word}`");
            let diagnostic = Diagnostic::error(codes::PROPERTY_ASKS, message)
                .at(ex.span, "here it is no process that asks")
                .help("a condition of a property is about global variables, channels and what processes do");
            self.builder.diagnostics.push(diagnostic);
        }
    }

    /// The automaton of a claim, unless something in it is wrong.
    fn never(&mut self, process: usize, props: &mut Vec<Proposition>) -> Option<Automaton> {
        if let Some(&local) = self.builder.processes[process].locals.first() {
            let at = self.builder.symbols[local.index()].span;
            self.refuse(
                at,
                "a `never` claim has no variables of its own",
                "declare it outside of the claim, and let a process set it",
            );
            return None;
        }
        let automaton = self.automata[process].as_ref()?;
        let numbers = automaton.reachable();
        let (entry, states) = (automaton.entry, automaton.states.clone());
        let position = |number: u32| {
            numbers.binary_search(&number).map_or(State(numbers.len() as u32), |at| State(at as u32))
        };
        let mut edges = Vec::new();
        for &number in &numbers {
            let state = &states[number as usize];
            let marks = if state.accept { Marks::one(0) } else { Marks::NONE };
            let is_end = |id: ElementId| matches!(self.builder.elements.el(id).node, Node::End);
            if state.element.is_some_and(is_end) {
                edges.push(vec![Edge { to: position(number), marks: Marks::one(0), cube: Cube::TRUE }]);
                continue;
            }
            let mut out = Vec::new();
            let mut others = Some(Cube::TRUE);
            let mut otherwise = Vec::new();
            for edge in &state.edges {
                let to = position(edge.target);
                let Some(literal) = self.claim_condition(edge.element, props) else {
                    otherwise.push(to);
                    continue;
                };
                let not = literal.negated().cube();
                others = others.and_then(|others| not.and_then(|not| others.and(not)));
                out.extend(literal.cube().map(|cube| Edge { to, marks, cube }));
            }
            if let Some(cube) = others {
                out.extend(otherwise.into_iter().map(|to| Edge { to, marks, cube }));
            }
            edges.push(out);
        }
        // Where a claim ends without a state for that.
        let end = State(numbers.len() as u32);
        if edges.iter().flatten().any(|edge| edge.to == end) {
            edges.push(vec![Edge { to: end, marks: Marks::one(0), cube: Cube::TRUE }]);
        }
        Some(Automaton { initial: position(entry), edges, sets: 1 })
    }

    /// What a step of a claim waits for; nothing if it is an `else`.
    fn claim_condition(&mut self, element: ElementId, props: &mut Vec<Proposition>) -> Option<Literal> {
        let element = self.builder.elements.el(element).clone();
        match &element.node {
            Node::Else => return None,
            Node::Basic(Basic::Condition(ex)) => return Some(self.literal(props, ex)),
            Node::Basic(Basic::Nothing) | Node::Join | Node::Exit | Node::Goto(_) | Node::End => {}
            Node::Basic(Basic::Assert(_)) => self.refuse(
                element.span,
                "a `never` claim cannot assert",
                "wait for the condition that is wrong, and let the claim end there",
            ),
            Node::DStep(_) => self.refuse(
                element.span,
                "a `never` claim cannot have a `d_step`",
                "join its conditions by `&&`",
            ),
            _ => self.refuse(
                element.span,
                "a `never` claim can only wait for conditions",
                "what it does to the model belongs into a process",
            ),
        }
        Some(Literal::Constant(true))
    }

    fn refuse(&mut self, span: Span, message: &str, help: &str) {
        let diagnostic =
            Diagnostic::error(codes::CLAIM_STATEMENT, message).at(span, "not possible here").help(help);
        self.builder.diagnostics.push(diagnostic);
    }
}

/// The automaton with literals for its propositions.
fn over(automaton: &Automaton, literals: &[Literal]) -> Automaton {
    let cube = |cube: Cube| {
        let literal = |(prop, sign): (Prop, bool)| {
            let literal = literals[prop.0 as usize];
            if sign { literal } else { literal.negated() }
        };
        cube.literals().map(literal).try_fold(Cube::TRUE, |all, literal| all.and(literal.cube()?))
    };
    let edge = |edge: &Edge| cube(edge.cube).map(|cube| Edge { cube, ..*edge });
    let edges = automaton.edges.iter().map(|edges| edges.iter().filter_map(edge).collect());
    Automaton { initial: automaton.initial, edges: edges.collect(), sets: automaton.sets }
}
