//! Temporal properties, and questions about the locations of threads, which only they can ask.
//!
//! A condition on one thread, made of `p@location` and boolean operators, is a set of locations. So `exists`,
//! `forall` and `#` ask how many threads of a procedure are in a set.

use std::collections::BTreeSet;

use ir::{
    BinaryOp, Const, Each, Expr, ExprKind, IntType, LocationId, LocationKind, ProcedureId, ProcedureKind,
    Property, PropertyKind, Proposition, Type, UnaryOp,
};
use ltl::{Automaton, Cube, Edge, Formula, Prop};
use source::{Diagnostic, Span, similar};

use super::check_thread_independent;
use super::exprs::{Exprs, Owner};
use crate::ast::{self, TemporalKind, ThreadQuestion};
use crate::codes;
use crate::resolve::{Model, Symbol};
use crate::text::clip;

pub fn lower(model: &mut Model<'_>) {
    let system = model.system;
    for item in &system.temporal {
        lower_property(model, item);
    }
    let exprs = model.program.propositions().cloned().collect::<Vec<_>>();
    check_thread_independent(model, &exprs, "a temporal property");
}

fn lower_property<'s>(model: &mut Model<'s>, item: &ast::Temporal<'s>) {
    let mut props: Vec<Proposition> = Vec::new();
    let mut literals = Vec::new();
    let mut individual = None;
    if let Some(each) = item.each {
        let Some(procedure) = Exprs::new(model, Owner::Property, None).thread_procedure(each.procedure)
        else {
            return;
        };
        model.define_thread(each.variable, each.procedure, property_scope(model, item));
        individual = Some(Individual { each, procedure });
    }
    let mut quantifiers = Vec::new();
    item.atoms.iter().for_each(|atom| quantifiers_in(atom, &mut quantifiers));
    let most = ir::MAX_PROPOSITIONS - usize::from(individual.is_some());
    for atom in &item.atoms {
        let mut exprs = Exprs::new(model, Owner::Property, None);
        exprs.individual = individual;
        exprs.quantifiers.clone_from(&quantifiers);
        let Some(expr) = exprs.condition(atom, "a condition of a temporal property") else { continue };
        let text = model.map.text(atom.span);
        literals.push(literal(&mut props, expr, text));
        if props.len() > most {
            let message = format!("a property has at most {most} conditions");
            let diagnostic = Diagnostic::error(codes::TOO_MANY_PROPOSITIONS, message);
            return model.report(diagnostic.at(atom.span, "one too many"));
        }
    }
    if literals.len() < item.atoms.len() {
        return;
    }
    let kind = match &item.kind {
        TemporalKind::Formula(formula) => {
            PropertyKind::Formula(formula.substitute(&|prop| literals[prop.0 as usize].clone()))
        }
        TemporalKind::Automaton(automaton) => PropertyKind::Claim(over(automaton, &literals)),
    };
    let each = individual.map(|Individual { each, procedure }| Each {
        procedure,
        variable: each.variable.text.to_owned(),
        span: each.span,
    });
    let (name, span) = (item.name.text.to_owned(), item.name.span);
    model.program.properties.push(Property { name, each, props, kind, span });
}

/// Where the variable of a whole property is known.
fn property_scope(model: &Model<'_>, item: &ast::Temporal<'_>) -> Span {
    let end = item.atoms.iter().map(|atom| atom.span).filter(|span| span.file == item.name.span.file).max();
    model.extent(end.map_or(item.name.span, |end| item.name.span.to(end)))
}

/// The procedures and variables of the quantifiers over threads in a condition.
fn quantifiers_in<'s>(expr: &ast::Expr<'s>, found: &mut Vec<(ast::Name<'s>, ast::Name<'s>)>) {
    match &expr.kind {
        ast::ExprKind::Threads(threads) => found.push((threads.procedure, threads.variable)),
        ast::ExprKind::Not(operand) => quantifiers_in(operand, found),
        ast::ExprKind::Binary(binary) => {
            quantifiers_in(&binary.left, found);
            quantifiers_in(&binary.right, found);
        }
        _ => {}
    }
}

/// The thread that a property is about.
#[derive(Clone, Copy, Debug)]
pub struct Individual<'s> {
    each: ast::Each<'s>,
    procedure: ProcedureId,
}

/// The condition as a proposition or its negation, or as a constant. Equal ones are one proposition.
fn literal(props: &mut Vec<Proposition>, expr: Expr, text: &str) -> Formula {
    match expr.kind {
        ExprKind::Const(Const::Bool(true)) => Formula::True,
        ExprKind::Const(Const::Bool(false)) => Formula::False,
        ExprKind::Unary(UnaryOp::Not, inner) => {
            let text = text.trim_start_matches(['!', ' ']);
            match literal(props, *inner, text) {
                Formula::True => Formula::False,
                Formula::False => Formula::True,
                Formula::Not(inner) => *inner,
                positive => Formula::Not(Box::new(positive)),
            }
        }
        _ => {
            let plain = expr.without_spans();
            let known = props.iter().position(|prop| prop.expr.without_spans() == plain);
            let at = known.unwrap_or_else(|| {
                let span = expr.span;
                props.push(Proposition { text: text.to_owned(), expr, span });
                props.len() - 1
            });
            Formula::Prop(Prop(at as u32))
        }
    }
}

/// The automaton with its propositions replaced by literals.
fn over(automaton: &Automaton, literals: &[Formula]) -> Automaton {
    let cube = |(prop, sign): (Prop, bool)| match (&literals[prop.0 as usize], sign) {
        (Formula::True, true) | (Formula::False, false) => Some(Cube::TRUE),
        (Formula::Prop(prop), sign) => Some(Cube::literal(*prop, sign)),
        (Formula::Not(inner), sign) => match **inner {
            Formula::Prop(prop) => Some(Cube::literal(prop, !sign)),
            _ => None,
        },
        _ => None,
    };
    let edge = |edge: &Edge| {
        let all = edge.cube.literals().try_fold(Cube::TRUE, |all, one| all.and(cube(one)?));
        all.map(|cube| Edge { cube, ..*edge })
    };
    let edges = automaton.edges.iter().map(|edges| edges.iter().filter_map(edge).collect());
    Automaton { initial: automaton.initial, edges: edges.collect(), sets: automaton.sets }
}

type Places = BTreeSet<LocationId>;

impl<'s> Exprs<'_, 's> {
    /// `p@location`, where `p` is the thread that the property is about.
    pub(super) fn location_test(
        &mut self,
        variable: ast::Name<'s>,
        location: ast::Name<'s>,
        span: Span,
    ) -> Option<Expr> {
        let Some(Individual { each, procedure }) =
            self.individual.filter(|individual| individual.each.variable.text == variable.text)
        else {
            return self.stray_location_test(variable, location, span);
        };
        self.model.index.mention(variable.span, each.variable.span);
        let all = self.plain_locations(procedure);
        let places = self.named_places(location, each.procedure, procedure, &all)?;
        let locations = places.into_iter().collect();
        Some(self.make(ExprKind::IndividualAt { procedure, locations }, Type::Bool, span))
    }

    /// `p@location` where no quantifier has such a variable.
    fn stray_location_test(
        &mut self,
        variable: ast::Name<'s>,
        location: ast::Name<'s>,
        span: Span,
    ) -> Option<Expr> {
        let quantifier = self.quantifiers.iter().find(|(_, known)| known.text == variable.text).copied();
        let (variable, location) = (clip(variable.text), clip(location.text));
        if let Some((procedure, known)) = quantifier {
            let message = format!("`{variable}` is a thread of a single state, and forgotten here");
            self.report(
                Diagnostic::error(codes::BAD_INDIVIDUAL, message)
                    .at(span, "a temporal operator is in between")
                    .label(procedure.span.to(known.span), format!("the condition on this `{variable}` ends before it"))
                    .help(format!(
                        "put `forall {} {variable}:` in front of the whole formula, to follow it through a run",
                        clip(procedure.text)
                    )),
            );
            return None;
        }
        self.report(
            Diagnostic::error(codes::BAD_LOCATION_TEST, format!("`{variable}` is no thread of a quantifier"))
                .at(span, "nobody knows whose location this is")
                .help(format!("ask for any thread: `exists Thread {variable}: {variable}@{location}`"))
                .help(format!(
                    "or for each one, all the time: `forall Thread {variable}:` in front of the whole formula"
                )),
        );
        None
    }

    fn plain_locations(&self, procedure: ProcedureId) -> Places {
        (self.model.program.locations.iter())
            .filter(|(_, at)| at.procedure == procedure && at.kind == LocationKind::Plain)
            .map(|(id, _)| id)
            .collect()
    }

    pub(super) fn threads(&mut self, threads: &ast::Threads<'s>, span: Span) -> Option<Expr> {
        if self.owner != Owner::Property {
            self.report(
                Diagnostic::error(codes::BAD_LOCATION_TEST, "only temporal properties ask where threads are")
                    .at(span, "not possible here")
                    .help("keep what is needed in a variable"),
            );
            return None;
        }
        let variable = threads.variable;
        if let Some(outer) = self.individual.map(|individual| individual.each.variable)
            && outer.text == variable.text
        {
            let shown = clip(variable.text);
            let message = format!("`{shown}` is already the thread that the property is about");
            self.report(
                Diagnostic::error(codes::BAD_INDIVIDUAL, message)
                    .at(variable.span, "another thread of this name")
                    .label(outer.span, "the first one")
                    .help("call one of them something else"),
            );
            return None;
        }
        let procedure = self.thread_procedure(threads.procedure)?;
        self.model.define_thread(variable, threads.procedure, variable.span.to(span.after()));
        let all = self.plain_locations(procedure);
        let places = self.places(&threads.body, threads, procedure, &all)?;
        let chosen = if threads.question == ThreadQuestion::All { &all - &places } else { places };
        let locations = chosen.into_iter().collect();
        let int = Type::Int(IntType::INT);
        let count = self.make(ExprKind::ThreadsAt { procedure, locations }, int, span);
        let op = match threads.question {
            ThreadQuestion::Count => return Some(count),
            ThreadQuestion::Some => BinaryOp::Gt,
            ThreadQuestion::All => BinaryOp::Eq,
        };
        let zero = self.make(ExprKind::Const(Const::Int(0)), int, span);
        Some(self.make(ExprKind::Binary(op, Box::new(count), Box::new(zero)), Type::Bool, span))
    }

    fn thread_procedure(&mut self, name: ast::Name<'s>) -> Option<ProcedureId> {
        if let Some(Symbol::Procedure(id)) = self.model.symbol_at(name)
            && let Some(procedure) = self.model.program.procedures.get(id)
            && procedure.kind == ProcedureKind::Thread
        {
            self.use_symbol(Symbol::Procedure(id));
            return Some(id);
        }
        let threads = self.model.system.procedures.iter();
        let threads = threads.filter(|item| matches!(item.kind, ast::ProcedureKind::Thread { .. }));
        let similar = similar(name.text, threads.map(|item| item.name.text));
        let message = format!("there is no thread `{}`", clip(name.text));
        let declared = self.model.names.get(name.text).copied();
        let label = if declared.is_some() { "no thread" } else { "not declared" };
        let mut diagnostic = Diagnostic::error(codes::UNKNOWN_NAME, message).at(name.span, label);
        if let Some(declared) = declared {
            let kind = self.model.kind_of(declared.symbol);
            diagnostic = diagnostic.label(declared.span, format!("this is {kind}, not a thread"));
        } else if let Some(similar) = similar {
            diagnostic = diagnostic.help(format!("did you mean `{similar}`?"));
        }
        self.report(diagnostic);
        None
    }

    /// The locations of a thread at which the condition holds.
    fn places(
        &mut self,
        expr: &ast::Expr<'s>,
        threads: &ast::Threads<'s>,
        procedure: ProcedureId,
        all: &Places,
    ) -> Option<Places> {
        match &expr.kind {
            ast::ExprKind::Bool(true) => Some(all.clone()),
            ast::ExprKind::Bool(false) => Some(Places::new()),
            ast::ExprKind::Not(operand) => Some(all - &self.places(operand, threads, procedure, all)?),
            ast::ExprKind::At(variable, location) if variable.text == threads.variable.text => {
                self.model.index.mention(variable.span, threads.variable.span);
                self.named_places(*location, threads.procedure, procedure, all)
            }
            ast::ExprKind::Binary(binary) => {
                let ast::Binary { op, left, right, .. } = &**binary;
                let logical = matches!(
                    op,
                    BinaryOp::And | BinaryOp::Or | BinaryOp::Implies | BinaryOp::Eq | BinaryOp::Ne
                );
                if !logical {
                    return self.no_places(expr, threads);
                }
                let left = self.places(left, threads, procedure, all);
                let (left, right) = (left?, self.places(right, threads, procedure, all)?);
                Some(match op {
                    BinaryOp::And => &left & &right,
                    BinaryOp::Or => &left | &right,
                    BinaryOp::Implies => &(all - &left) | &right,
                    BinaryOp::Ne => &left ^ &right,
                    _ => all - &(&left ^ &right),
                })
            }
            _ => self.no_places(expr, threads),
        }
    }

    fn named_places(
        &mut self,
        location: ast::Name<'s>,
        owner: ast::Name<'s>,
        procedure: ProcedureId,
        all: &Places,
    ) -> Option<Places> {
        self.model.mention_label(location, procedure);
        let program = &self.model.program;
        let named = |id: &&LocationId| {
            let at = &program.locations[**id];
            !at.synthetic && at.name == location.text
        };
        let places: Places = all.iter().filter(named).copied().collect();
        if !places.is_empty() {
            return Some(places);
        }
        let shown = all.iter().map(|&id| &program.locations[id]).filter(|at| !at.synthetic);
        let similar = similar(location.text, shown.map(|at| at.name.as_str())).map(str::to_owned);
        let declared = program.procedures[procedure].span;
        let message = format!("`{}` has no location `{}`", clip(owner.text), clip(location.text));
        let mut diagnostic = Diagnostic::error(codes::UNKNOWN_LOCATION, message)
            .at(location.span, "no such location")
            .label(declared, "declared here");
        if let Some(similar) = similar {
            diagnostic = diagnostic.help(format!("did you mean `{similar}`?"));
        }
        self.report(diagnostic);
        None
    }

    fn no_places(&mut self, expr: &ast::Expr<'s>, threads: &ast::Threads<'s>) -> Option<Places> {
        let variable = clip(threads.variable.text);
        self.report(
            Diagnostic::error(codes::BAD_LOCATION_TEST, "this says nothing about where the thread is")
                .at(expr.span, format!("expected `{variable}@location`, or several with `&&`, `||` and `!`"))
                .help("conditions on globals belong outside of the quantifier"),
        );
        None
    }
}
