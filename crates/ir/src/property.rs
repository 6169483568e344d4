//! Temporal properties: what all runs must satisfy, or must not do.
//!
//! A property is about *propositions*, conditions on states that are numbered from 0 in the order of
//! [`Property::props`]. Everything that a proposition reads must be part of the state.

use ltl::{Automaton, Formula, Prop};
use source::Span;

use crate::{BinaryOp, Const, Expr, ExprKind, LocationId, ProcedureId, Program, Type, TypeId, UnaryOp};

/// The largest number of propositions of a property.
pub const MAX_PROPOSITIONS: usize = Prop::LIMIT as usize;

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Property {
    pub name: String,
    /// If present, the property is about each thread of a procedure separately.
    pub each: Option<Each>,
    /// At most [`Property::most_props`].
    pub props: Vec<Proposition>,
    pub kind: PropertyKind,
    pub span: Span,
}

/// The property holds of every thread of a procedure that is ever started, one after the other.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Each {
    pub procedure: ProcedureId,
    /// The name of the thread in the formula.
    pub variable: String,
    pub span: Span,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum PropertyKind {
    /// All runs satisfy the formula.
    Formula(Formula),
    /// No run is accepted by the automaton: the accepted runs violate the property.
    Claim(Automaton),
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Proposition {
    /// The source text.
    pub text: String,
    /// Over globals, and over threads without regard to the thread that evaluates it.
    pub expr: Expr,
    pub span: Span,
}

impl Property {
    /// The largest number of propositions of this property. A property about individuals needs one more,
    /// which says whether an individual is marked.
    pub fn most_props(&self) -> usize {
        MAX_PROPOSITIONS - usize::from(self.each.is_some())
    }

    /// The propositions of the formula or claim; their numbers may be out of range.
    pub fn used_props(&self) -> Vec<Prop> {
        match &self.kind {
            PropertyKind::Formula(formula) => formula.props(),
            PropertyKind::Claim(claim) => {
                let props = claim.edges.iter().flatten().fold(0, |props, edge| props | edge.cube.props());
                (0..Prop::LIMIT).filter(|prop| props >> prop & 1 == 1).map(Prop).collect()
            }
        }
    }

    /// The formula with its propositions as they were written, after the quantifier if the property has one.
    pub fn formula_text(&self) -> Option<String> {
        let PropertyKind::Formula(formula) = &self.kind else { return None };
        let name = |prop: Prop| self.props.get(prop.0 as usize).map_or("?", |prop| prop.text.as_str());
        Some(formula.display(|prop| format!("({})", name(prop))).to_string())
    }
}

impl Program {
    /// The whole formula of a property.
    pub fn formula_text(&self, property: &Property) -> Option<String> {
        let formula = property.formula_text()?;
        Some(match &property.each {
            None => formula,
            Some(Each { procedure, variable, .. }) => {
                format!("forall {} {variable}: {formula}", self.procedures[*procedure].name)
            }
        })
    }

    /// The expressions of all propositions of all properties.
    pub fn propositions(&self) -> impl Iterator<Item = &Expr> {
        self.properties.iter().flat_map(|property| &property.props).map(|prop| &prop.expr)
    }

    /// Whether some thread is at one of these locations.
    pub fn some_thread_at(&mut self, locations: impl Fn(&crate::Location) -> bool, span: Span) -> Expr {
        let (boolean, int) =
            (self.types.intern(Type::Bool), self.types.intern(Type::Int(crate::IntType::INT)));
        let node = |kind, ty: TypeId| Expr { kind, ty, span };
        let mut by_procedure: Vec<(ProcedureId, Vec<LocationId>)> = Vec::new();
        for (id, location) in self.locations.iter().filter(|(_, location)| locations(location)) {
            match by_procedure.iter_mut().find(|(procedure, _)| *procedure == location.procedure) {
                Some((_, ids)) => ids.push(id),
                None => by_procedure.push((location.procedure, vec![id])),
            }
        }
        let mut whole: Option<Expr> = None;
        for (procedure, locations) in by_procedure {
            let count = node(ExprKind::ThreadsAt { procedure, locations }, int);
            let zero = node(ExprKind::Const(Const::Int(0)), int);
            let some = node(ExprKind::Binary(BinaryOp::Gt, Box::new(count), Box::new(zero)), boolean);
            whole = Some(match whole {
                None => some,
                Some(others) => {
                    node(ExprKind::Binary(BinaryOp::Or, Box::new(others), Box::new(some)), boolean)
                }
            });
        }
        whole.unwrap_or_else(|| node(ExprKind::Const(Const::Bool(false)), boolean))
    }

    /// Whether no thread is at a [progress](crate::Location::progress) location.
    pub fn non_progress(&mut self, span: Span) -> Expr {
        let progress = self.some_thread_at(|location| location.progress, span);
        Expr { ty: progress.ty, kind: ExprKind::Unary(UnaryOp::Not, Box::new(progress)), span }
    }

    /// The property that every run makes progress again and again.
    pub fn progress_property(&mut self) -> Property {
        let expr = self.non_progress(Span::default());
        let props = vec![Proposition { text: "np_".to_owned(), expr, span: Span::default() }];
        let progress = Formula::Not(Box::new(Formula::Prop(Prop(0))));
        let formula = Formula::Always(Box::new(Formula::Eventually(Box::new(progress))));
        let kind = PropertyKind::Formula(formula);
        Property { name: "progress".to_owned(), each: None, props, kind, span: Span::default() }
    }

    /// The property that no run visits [accepting](crate::Location::accept) locations again and again; `None`
    /// if there are no such locations.
    pub fn acceptance_property(&mut self) -> Option<Property> {
        let first = self.locations.values().find(|location| location.accept)?.span;
        let expr = self.some_thread_at(|location| location.accept, first);
        let props = vec![Proposition { text: "accept".to_owned(), expr, span: first }];
        let absent = Formula::Not(Box::new(Formula::Prop(Prop(0))));
        let kind = PropertyKind::Formula(Formula::Eventually(Box::new(Formula::Always(Box::new(absent)))));
        Some(Property { name: "accept".to_owned(), each: None, props, kind, span: first })
    }
}
