//! Temporal properties: conditions become propositions, `never` claims become automata.
//!
//! Equal conditions are one proposition, and so are a condition and its negation. They are not taken apart
//! any further: in `i < 3 && a[i]` the second part is evaluated only if the first one holds.
//!
//! A state of a claim is a state of its automaton, its conditions are the edges. A claim that reaches its end
//! has matched, whatever follows: an accepting state with a loop. The same goes for an assertion in it that
//! fails. The steps of an `atomic` are all taken in one state of the model, as in SPIN.

use ir::{Const, ExprKind, Property, PropertyKind, Proposition, Scope, UnaryOp};
use ltl::{Automaton, Cube, Edge, Formula, Marks, Prop, State};
use source::{Diagnostic, Span};

use super::Lowering;
use crate::build;
use crate::codes;
use crate::elements::{ElementId, Node};
use crate::tree::{Basic, Ex, ExKind};

/// A condition as a constant or a literal.
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

    /// `None` if it cannot hold.
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

/// The largest number of steps of an `atomic` that are taken together.
const MAX_ATOMIC: usize = 16;

/// The states of a claim that can be reached, ascending.
struct Claim {
    states: Vec<crate::automaton::State>,
    numbers: Vec<u32>,
}

impl Claim {
    /// The state after the end of the claim.
    fn end(&self) -> State {
        State(self.numbers.len() as u32)
    }

    fn position(&self, number: u32) -> State {
        self.numbers.binary_search(&number).map_or(self.end(), |at| State(at as u32))
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
                    // An atom with errors is missing, and was reported.
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
                self.program.properties.push(Property { name, each: None, props, kind, span });
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
            // A negation without `!` in the text, as in `nempty`, is printed from the expression.
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

    /// The condition as written in the model, if it is on one line.
    fn written(&self, expr: &ir::Expr) -> String {
        let text = if expr.span == Span::default() { "" } else { self.builder.map.text(expr.span) };
        if text.is_empty() || text.contains('\n') {
            return ir::text::expr(&self.program, Scope::Program, expr);
        }
        text.to_owned()
    }

    /// Reports questions that only a process can ask.
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

    /// The automaton of a claim; `None` if it has errors.
    fn never(&mut self, process: usize, props: &mut Vec<Proposition>) -> Option<Automaton> {
        let automaton = self.automata[process].as_ref()?;
        let (entry, numbers) = (automaton.entry, automaton.reachable());
        let claim = Claim { states: automaton.states.clone(), numbers };
        let mut edges = Vec::new();
        for &number in &claim.numbers {
            edges.push(self.claim_edges(&claim, number, props, MAX_ATOMIC));
        }
        let end = claim.end();
        if edges.iter().flatten().any(|edge| edge.to == end) {
            edges.push(vec![Edge { to: end, marks: Marks::one(0), cube: Cube::TRUE }]);
        }
        Some(Automaton { initial: claim.position(entry), edges, sets: 1 })
    }

    /// The steps of a state, with all steps of an `atomic` at once.
    fn claim_edges(
        &mut self,
        claim: &Claim,
        number: u32,
        props: &mut Vec<Proposition>,
        steps: usize,
    ) -> Vec<Edge> {
        let state = &claim.states[number as usize];
        let marks = if state.accept { Marks::one(0) } else { Marks::NONE };
        if state.element.is_some_and(|id| matches!(self.builder.elements.el(id).node, Node::End)) {
            return vec![Edge { to: claim.position(number), marks: Marks::one(0), cube: Cube::TRUE }];
        }
        let mut edges = Vec::new();
        let mut others = Some(Cube::TRUE);
        let mut otherwise = Vec::new();
        for edge in &state.edges {
            let (condition, asserted) = self.claim_step(edge.element, props);
            let Some(condition) = condition else {
                otherwise.push(edge);
                continue;
            };
            let not = condition.negated().cube();
            others = others.and_then(|others| not.and_then(|not| others.and(not)));
            let failed = asserted.and_then(|asserted| asserted.negated().cube());
            edges.extend(failed.map(|cube| Edge { to: claim.end(), marks, cube }));
            if let Some(cube) = asserted.unwrap_or(condition).cube() {
                edges.extend(self.claim_targets(
                    claim,
                    edge,
                    Edge { to: State(0), marks, cube },
                    props,
                    steps,
                ));
            }
        }
        for edge in otherwise {
            if let Some(cube) = others {
                edges.extend(self.claim_targets(
                    claim,
                    edge,
                    Edge { to: State(0), marks, cube },
                    props,
                    steps,
                ));
            }
        }
        edges
    }

    /// The edges for a step: one to its target, or, inside an `atomic`, those of the steps that follow in the
    /// same state.
    fn claim_targets(
        &mut self,
        claim: &Claim,
        step: &crate::automaton::Edge,
        edge: Edge,
        props: &mut Vec<Proposition>,
        steps: usize,
    ) -> Vec<Edge> {
        if !step.atomic || step.target == 0 {
            return vec![Edge { to: claim.position(step.target), ..edge }];
        }
        if steps == 0 {
            let span = self.builder.elements.el(step.element).span;
            let help = format!("it can have at most {MAX_ATOMIC} steps");
            self.refuse(span, "this `atomic` of a `never` claim has too many steps", &help);
            return Vec::new();
        }
        let next = self.claim_edges(claim, step.target, props, steps - 1);
        let both = |next: Edge| {
            Some(Edge { to: next.to, marks: edge.marks.with(next.marks), cube: edge.cube.and(next.cube)? })
        };
        next.into_iter().filter_map(both).collect()
    }

    /// The condition of a step of a claim, `None` if it is an `else`; and its assertion.
    fn claim_step(
        &mut self,
        element: ElementId,
        props: &mut Vec<Proposition>,
    ) -> (Option<Literal>, Option<Literal>) {
        let element = self.builder.elements.el(element).clone();
        let always = Some(Literal::Constant(true));
        match &element.node {
            Node::Else => return (None, None),
            Node::Basic(Basic::Condition(ex)) => return (Some(self.literal(props, ex)), None),
            Node::Basic(Basic::Assert(ex)) => return (always, Some(self.literal(props, ex))),
            Node::Basic(Basic::Nothing) | Node::Join | Node::Exit | Node::Goto(_) | Node::End => {}
            Node::DStep(_) => {
                let help = "join its conditions by `&&`";
                self.refuse(element.span, "a `never` claim cannot have a `d_step`", help);
            }
            _ => {
                let help = "what it does to the model belongs into a process";
                self.refuse(element.span, "a `never` claim can only wait for conditions", help);
            }
        }
        (always, None)
    }

    fn refuse(&mut self, span: Span, message: &str, help: &str) {
        let diagnostic =
            Diagnostic::error(codes::CLAIM_STATEMENT, message).at(span, "not possible here").help(help);
        self.builder.diagnostics.push(diagnostic);
    }
}

/// The automaton with its propositions replaced by literals.
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
