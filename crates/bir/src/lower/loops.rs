//! Loops, and the variables that they bring along.
//!
//! A `for` evaluates what it runs over once, in the step that enters it:
//!
//! | it runs over | it remembers |
//! |---|---|
//! | a range | the last number, unless that is a constant |
//! | a set, a bag, the keys of a map | what is left; any element of it comes next: all orders are explored |
//! | a sequence, a queue | what is left; its head comes next |
//! | an array | the array and an index; an element is read when its turn comes |
//!
//! Its variables are live inside of the loop only: everywhere else they have their default values, so that
//! states do not differ in what a loop left behind.

use std::ops::Range;

use ir::{
    Action, ActionKind, BinaryOp, CollectionOp, Const, Exit, Expr, ExprKind, Guard, IntType, Jump, LocalId,
    LocationId, LocationKind, Place, PlaceKind, Transition, Type, TypeId, Variable, Width,
};
use source::{Diagnostic, NameKind, Span};

use super::exprs::Local;
use super::flow::is_true;
use super::procedure::Lowering;
use crate::ast::{self, Block, For, Over, Stmt, StmtKind};
use crate::codes;
use crate::resolve::Symbol;
use crate::text::clip;

/// A loop around the current statement.
pub struct Loop {
    /// Where `break` leads.
    next: Jump,
    /// Where `continue` leads.
    again: LocationId,
}

/// Where a variable of a loop is live.
pub struct Scope {
    variable: LocalId,
    /// The locations of the loop, by their index in the graph.
    locations: Range<usize>,
}

/// The two parts of a `for`: how it starts, and how it goes on.
struct Course {
    /// Whether there is a first element; missing if there always is.
    some: Option<Expr>,
    first: Vec<ActionKind>,
    more: Expr,
    then: Vec<ActionKind>,
    /// The variables that it needs, apart from that of the loop.
    hidden: Vec<LocalId>,
}

impl<'s> Lowering<'_, 's> {
    pub(super) fn while_loop(
        &mut self,
        test: &ast::Expr<'s>,
        body: &'s Block<'s>,
        here: LocationId,
        next: &Jump,
        span: Span,
    ) {
        // The first location of an atomic block lets others in; when the loop returns, it must not.
        let head =
            if self.atomic && !self.graph.locations[here].atomic { self.new_location(span) } else { here };
        let lowered = self.exprs.condition(test, "the condition of `while`");
        self.loops.push(Loop { next: next.clone(), again: head });
        let inside = self.inner_block(body, &Jump::Goto(head));
        self.loops.pop();
        let Some(lowered) = lowered else { return };
        for location in if head == here { vec![here] } else { vec![here, head] } {
            if is_true(test) {
                self.graph.branch(location, Guard::Always, Jump::Goto(inside), span);
            } else {
                self.test(location, lowered.clone(), Jump::Goto(inside), next.clone());
            }
        }
    }

    /// `break` or `continue`.
    pub(super) fn leave(&mut self, stmt: &Stmt<'s>, here: LocationId) {
        let is_break = matches!(stmt.kind, StmtKind::Break);
        let Some(around) = self.loops.last() else {
            let word = if is_break { "break" } else { "continue" };
            let mut diagnostic =
                Diagnostic::error(codes::OUTSIDE_LOOP, format!("`{word}` is not inside of a loop"))
                    .at(stmt.span, "there is no `while` or `for` around it");
            if is_break {
                diagnostic = diagnostic.help("a procedure ends with `return;`, a thread with `exit;`");
            }
            self.exprs.report(diagnostic);
            return;
        };
        let target = if is_break { around.next.clone() } else { Jump::Goto(around.again) };
        self.graph.branch(here, Guard::Always, target, stmt.span);
    }

    pub(super) fn for_loop(&mut self, item: &'s For<'s>, here: LocationId, next: &Jump, span: Span) {
        let start = self.graph.locations.len();
        let again = self.new_location(span);
        let name = item.variable;
        let course = match &item.over {
            Over::Range { from, to, inclusive } => self.range(name, from, to, *inclusive, span),
            Over::Elements(over) => self.elements(name, over, span),
        };
        let declared = self.exprs.locals.get(name.text).copied();
        if let Some(first) = declared {
            let shown = clip(name.text);
            self.exprs.report(
                Diagnostic::error(codes::DUPLICATE, format!("`{shown}` is already a variable here"))
                    .at(name.span, "a loop declares its variable itself")
                    .label(first.span, "the first declaration")
                    .help("leave the first declaration out, or call one of them something else"),
            );
        }
        let (variable, ty) = match &course {
            Some((variable, ty, _)) => (variable.0, Some(*ty)),
            None => (u32::MAX, None),
        };
        // With errors, the variable is known and has no type: uses of it are not reported.
        let local = Local { index: variable, level: 0, ty, fixed: true, span: name.span };
        self.exprs.define(name, NameKind::Bound, ty, item.extent);
        let hidden = self.exprs.locals.insert(name.text, local);
        self.loops.push(Loop { next: next.clone(), again });
        let inside = self.inner_block(&item.body, &Jump::Goto(again));
        self.loops.pop();
        match hidden {
            Some(local) => self.exprs.locals.insert(name.text, local),
            None => self.exprs.locals.remove(name.text),
        };
        let Some((variable, _, course)) = course else { return };
        let end = self.graph.locations.len();
        for variable in course.hidden.iter().copied().chain([variable]) {
            self.scopes.push(Scope { variable, locations: start..end });
            self.loop_variables.insert(variable, false);
        }
        let Course { some, first, more, then, .. } = course;
        match some {
            None => self.enter(here, Guard::Always, first, Jump::Goto(inside), span),
            Some(some) => self.turn(here, some, first, Jump::Goto(inside), next, span),
        }
        self.turn(again, more, then, Jump::Goto(inside), next, span);
    }

    /// A transition into the loop if the condition holds, and one past it otherwise.
    fn turn(
        &mut self,
        here: LocationId,
        test: Expr,
        body: Vec<ActionKind>,
        inside: Jump,
        next: &Jump,
        span: Span,
    ) {
        let negated = self.exprs.not(test.clone(), test.span);
        self.enter(here, Guard::When(test), body, inside, span);
        self.graph.branch(here, Guard::When(negated), next.clone(), span);
    }

    fn enter(&mut self, here: LocationId, guard: Guard, body: Vec<ActionKind>, inside: Jump, span: Span) {
        let body = body.into_iter().map(|kind| Action { kind, span }).collect();
        self.graph.transition(Transition::new(here, guard, body, Exit::Jump(inside), span));
    }

    // Variables.

    /// A variable of the loop that is being lowered. Loops one after the other share theirs.
    fn loop_variable(&mut self, name: &str, synthetic: bool, ty: TypeId, span: Span) -> LocalId {
        let free = self.exprs.variables.iter().find(|(id, variable)| {
            variable.ty == ty
                && variable.name == name
                && variable.synthetic == synthetic
                && self.loop_variables.get(id) == Some(&false)
        });
        let variable = if let Some((id, _)) = free {
            id
        } else {
            let variable = Variable { synthetic, ..Variable::new(name, ty, None, span) };
            self.exprs.variables.push(variable)
        };
        self.loop_variables.insert(variable, true);
        variable
    }

    /// Gives each location the set of variables that matter there, if some do not matter everywhere.
    pub(super) fn set_live(&mut self) {
        let is_local = |id: &LocalId| !self.exprs.is_temporary(*id) && !self.loop_variables.contains_key(id);
        let everywhere: Vec<_> = self.exprs.variables.ids().filter(is_local).collect();
        if everywhere.len() == self.exprs.variables.len() {
            return;
        }
        let mut live = vec![everywhere; self.graph.locations.len()];
        for scope in &self.scopes {
            live[scope.locations.clone()].iter_mut().for_each(|live| live.push(scope.variable));
        }
        for (location, mut live) in self.graph.locations.values_mut().zip(live) {
            if location.kind == LocationKind::Plain && location.live.is_none() {
                live.sort_unstable();
                location.live = Some(live);
            }
        }
    }

    // What loops run over.

    fn range(
        &mut self,
        name: ast::Name<'s>,
        from: &ast::Expr<'s>,
        to: &ast::Expr<'s>,
        inclusive: bool,
        span: Span,
    ) -> Option<(LocalId, TypeId, Course)> {
        let from = self.exprs.integer(from, "the start of a range");
        let to = self.exprs.integer(to, "the end of a range");
        let (from, to) = (from?, to?);
        let (Type::Int(a), Type::Int(b)) = (self.exprs.ty(&from), self.exprs.ty(&to)) else { return None };
        let width = if a.width == Width::Long { a.width } else { b.width };
        let known = match (&from.kind, &to.kind) {
            (ExprKind::Const(Const::Int(from)), ExprKind::Const(Const::Int(to))) => {
                let last = if inclusive { Some(*to) } else { to.checked_sub(1) };
                last.filter(|last| from <= last).map(|last| (*from, last))
            }
            _ => None,
        };
        let whole = self.exprs.model.intern(Type::Int(width.whole()));
        let ty = match known {
            Some((lo, hi)) => self.exprs.model.intern(Type::Int(IntType { width, lo, hi, wrap: false })),
            None => whole,
        };
        let variable = self.loop_variable(name.text, false, ty, name.span);
        // A loop may do something a number of times.
        self.exprs.used.insert(variable.0);
        let place = |id, ty| Place { kind: PlaceKind::Local(id), ty, span };
        let value = |id, ty| Expr { kind: ExprKind::Local(id), ty, span };
        let one = self.exprs.make(ExprKind::Const(Const::Int(1)), Type::Int(IntType::INT), span);
        let number = Type::Int(width.whole());
        let next = self.binary(BinaryOp::Add, value(variable, ty), one.clone(), number);
        let then = vec![ActionKind::Assign(place(variable, ty), next)];
        let mut first = vec![ActionKind::Assign(place(variable, ty), from.clone())];
        let mut hidden = Vec::new();
        let (some, last) = if let Some((_, last)) = known {
            (None, self.exprs.make(ExprKind::Const(Const::Int(last)), number, span))
        } else {
            let test = if inclusive { BinaryOp::Le } else { BinaryOp::Lt };
            let some = self.binary(test, from, to.clone(), Type::Bool);
            let end = if inclusive { to } else { self.binary(BinaryOp::Sub, to, one, number) };
            let last = self.loop_variable("last", true, whole, span);
            hidden.push(last);
            first.push(ActionKind::Assign(place(last, whole), end));
            (Some(some), value(last, whole))
        };
        let more = self.binary(BinaryOp::Lt, value(variable, ty), last, Type::Bool);
        Some((variable, ty, Course { some, first, more, then, hidden }))
    }

    fn elements(
        &mut self,
        name: ast::Name<'s>,
        over: &ast::Expr<'s>,
        span: Span,
    ) -> Option<(LocalId, TypeId, Course)> {
        if let ast::ExprKind::Name(enumeration) = over.kind
            && !self.exprs.locals.contains_key(enumeration)
            && let Some(Symbol::Enum(_)) = self.exprs.model.symbol(enumeration)
        {
            let shown = clip(enumeration);
            self.exprs.report(
                Diagnostic::error(codes::NOT_A_COLLECTION, "loops run over ranges, collections and arrays")
                    .at(over.span, "this is an enum")
                    .help(format!("the set of its elements is `{shown}.all`")),
            );
            return None;
        }
        let over = self.exprs.expr(over)?;
        match self.exprs.ty(&over) {
            Type::Array(element) => Some(self.array(name, over, element, span)),
            Type::Map(key, _) => {
                let keys = ExprKind::Collection(CollectionOp::Keys, vec![over]);
                let keys = self.exprs.make(keys, Type::Set(key), span);
                Some(self.collection(name, keys, key, span))
            }
            Type::Set(element) | Type::Bag(element) | Type::Seq(element) | Type::Queue(element) => {
                Some(self.collection(name, over, element, span))
            }
            found => {
                let shown = self.exprs.type_name(over.ty);
                let mut diagnostic = Diagnostic::error(
                    codes::NOT_A_COLLECTION,
                    "loops run over ranges, collections and arrays",
                )
                .at(over.span, format!("of type `{shown}`"));
                if matches!(found, Type::Int(_)) {
                    let text = clip(self.exprs.model.map.text(over.span));
                    diagnostic = diagnostic.help(format!("the numbers below it are `0..{text}`"));
                }
                self.exprs.report(diagnostic);
                None
            }
        }
    }

    fn collection(
        &mut self,
        name: ast::Name<'s>,
        over: Expr,
        element: TypeId,
        span: Span,
    ) -> (LocalId, TypeId, Course) {
        let ordered = matches!(self.exprs.ty(&over), Type::Seq(_) | Type::Queue(_));
        let ty = over.ty;
        let variable = self.loop_variable(name.text, false, element, name.span);
        let rest = self.loop_variable("rest", true, ty, span);
        let place = |id, ty| Place { kind: PlaceKind::Local(id), ty, span };
        let value = |id, ty| Expr { kind: ExprKind::Local(id), ty, span };
        let apply = |op, operands, ty| Expr { kind: ExprKind::Collection(op, operands), ty, span };
        let rest_value = value(rest, ty);
        let then = if ordered {
            let head = apply(CollectionOp::Head, vec![rest_value.clone()], element);
            let tail = apply(CollectionOp::Tail, vec![rest_value.clone()], ty);
            vec![
                ActionKind::Assign(place(variable, element), head),
                ActionKind::Assign(place(rest, ty), tail),
            ]
        } else {
            let operands = vec![rest_value.clone(), value(variable, element)];
            let others = apply(CollectionOp::Remove, operands, ty);
            vec![
                ActionKind::Choose(place(variable, element), rest_value.clone()),
                ActionKind::Assign(place(rest, ty), others),
            ]
        };
        let some = self.is_not_empty(over.clone(), span);
        let more = self.is_not_empty(rest_value, span);
        let mut first = vec![ActionKind::Assign(place(rest, ty), over)];
        first.extend(then.iter().cloned());
        (variable, element, Course { some: Some(some), first, more, then, hidden: vec![rest] })
    }

    fn array(
        &mut self,
        name: ast::Name<'s>,
        over: Expr,
        element: TypeId,
        span: Span,
    ) -> (LocalId, TypeId, Course) {
        let (ty, int) = (over.ty, self.exprs.model.intern(Type::Int(IntType::INT)));
        let variable = self.loop_variable(name.text, false, element, name.span);
        let array = self.loop_variable("array", true, ty, span);
        let index = self.loop_variable("index", true, int, span);
        let place = |id, ty| Place { kind: PlaceKind::Local(id), ty, span };
        let value = |id, ty| Expr { kind: ExprKind::Local(id), ty, span };
        let read = Expr {
            kind: ExprKind::Index(Box::new(value(array, ty)), Box::new(value(index, int))),
            ty: element,
            span,
        };
        let load = ActionKind::Assign(place(variable, element), read);
        let number = Type::Int(IntType::INT);
        let zero = self.exprs.make(ExprKind::Const(Const::Int(0)), number, span);
        let one = self.exprs.make(ExprKind::Const(Const::Int(1)), number, span);
        let length = self.exprs.make(ExprKind::Length(Box::new(over.clone())), number, span);
        let some = self.binary(BinaryOp::Gt, length, zero.clone(), Type::Bool);
        let length = self.exprs.make(ExprKind::Length(Box::new(value(array, ty))), number, span);
        let next = self.binary(BinaryOp::Add, value(index, int), one, number);
        let more = self.binary(BinaryOp::Lt, next.clone(), length, Type::Bool);
        let first = vec![
            ActionKind::Assign(place(array, ty), over),
            ActionKind::Assign(place(index, int), zero),
            load.clone(),
        ];
        let then = vec![ActionKind::Assign(place(index, int), next), load];
        (variable, element, Course { some: Some(some), first, more, then, hidden: vec![array, index] })
    }

    fn binary(&mut self, op: BinaryOp, left: Expr, right: Expr, ty: Type) -> Expr {
        let span = left.span;
        self.exprs.make(ExprKind::Binary(op, Box::new(left), Box::new(right)), ty, span)
    }

    fn is_not_empty(&mut self, collection: Expr, span: Span) -> Expr {
        let number = Type::Int(IntType::INT);
        let size = ExprKind::Collection(CollectionOp::Size, vec![collection]);
        let size = self.exprs.make(size, number, span);
        let zero = self.exprs.make(ExprKind::Const(Const::Int(0)), number, span);
        self.binary(BinaryOp::Gt, size, zero, Type::Bool)
    }
}
