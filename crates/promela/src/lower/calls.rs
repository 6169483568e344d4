//! Functions: calls, results, and functions that are expressions.
//!
//! A call is a step, and so is a `return`. To fall off the end of a function or process is part of its last step.

use ir::{
    Action, ActionKind, Callee, Const, Exit, Expr, ExprKind, Fun, Guard, Jump, Location, LocationId,
    LocationKind, Scope, Transition,
};
use source::{Diagnostic, Span};

use super::{Lowering, Slot};
use crate::automaton::Edge;
use crate::build::ProcessKind;
use crate::elements::{ATOMIC, Element, LAST, Node};
use crate::objects::{Act, FunctionId};
use crate::symbols::Scalar;
use crate::tree::{Basic, Ex, SymbolId, Target};
use crate::typing::Kind;
use crate::{codes, objects};

impl Lowering<'_, '_> {
    /// Expression functions.
    pub(super) fn declare_funs(&mut self) {
        for at in 0..self.builder.functions.len() {
            let function = self.builder.functions[at].clone();
            if !function.is_expression || function.value.is_none() {
                self.funs.push(None);
                continue;
            }
            let mut params = Vec::new();
            for symbol in function.params {
                self.slots.insert(symbol, Slot::Param(params.len() as u32));
                for leaf in self.builder.symbols[symbol.index()].leaves.clone() {
                    params.push((leaf.name, self.scalar_type(leaf.scalar, leaf.scalar.range(false))));
                }
            }
            let span = function.name.span;
            let result = function.result.unwrap_or(Scalar::Int);
            let result = self.scalar_type(result, result.range(false));
            let body = self.natural(ExprKind::Const(Const::Null), span);
            let name = function.name.text.to_string();
            self.funs.push(Some(self.program.funs.push(Fun { name, params, result, body, span })));
        }
    }

    pub(super) fn lower_funs(&mut self) {
        for at in 0..self.builder.functions.len() {
            let function = self.builder.functions[at].clone();
            let (Some(fun), Some(value)) = (self.funs[at], function.value) else { continue };
            self.scope = Scope::Fun(fun);
            let result = function.result.unwrap_or(Scalar::Int);
            let body = self.of_kind(&value, Kind::of(result));
            let body = if Kind::of(result) == Kind::Number { self.wrap(body, result) } else { body };
            self.program.funs[fun].body = body;
        }
        self.scope = Scope::Program;
    }

    /// Arguments for parameters. Those of an expression are brought into the ranges of the parameters.
    pub(super) fn arguments(&mut self, params: &[SymbolId], args: &[Ex], wrapped: bool) -> Vec<Expr> {
        let leaves: Vec<_> = params
            .iter()
            .flat_map(|id| &self.builder.symbols[id.index()].leaves)
            .map(|leaf| leaf.scalar)
            .collect();
        let pairs = args.iter().zip(leaves);
        pairs
            .map(|(arg, scalar)| {
                let value = self.of_kind(arg, Kind::of(scalar));
                if wrapped && Kind::of(scalar) == Kind::Number { self.wrap(value, scalar) } else { value }
            })
            .collect()
    }

    fn wrap(&mut self, value: Expr, scalar: Scalar) -> Expr {
        let (ty, span) = (self.int(scalar.range(false)), value.span);
        Expr { kind: ExprKind::Wrap(Box::new(value)), ty, span }
    }

    /// The transitions of a call or `return`. Returns whether the edge was one.
    pub(super) fn call_edge(&mut self, source: LocationId, edge: &Edge, rank: u32) -> bool {
        let element = self.builder.elements.el(edge.element).clone();
        let Node::Basic(Basic::Dynamic(act)) = &element.node else { return false };
        match act {
            Act::Return(value, id) => {
                let result = self.builder.functions[id.0].result;
                let value = match (value, result) {
                    (Some(value), Some(result)) => Some(self.of_kind(value, Kind::of(result))),
                    _ => None,
                };
                let mut body = Vec::new();
                let mut value = value;
                let ends = self.ends_of_variables(element.span);
                if let (false, Some(result)) = (ends.is_empty(), &value) {
                    // It is evaluated while the variables are still there.
                    let (span, ty) = (
                        element.span,
                        self.program.procedures[self.procedures[self.current].expect("it has statements")]
                            .result,
                    );
                    let ty = ty.unwrap_or(result.ty);
                    let (variable, place) = self.temporary("#new", ty, span);
                    let kind = ActionKind::Assign(place, result.clone());
                    body.push(Action { kind, span });
                    value = Some(variable);
                }
                body.extend(ends);
                let exit = Exit::Jump(Jump::Return(value));
                self.add_call(source, Guard::Always, body, exit, edge, &element, rank);
            }
            Act::Call { target, callee, args } => {
                let resume = self.resume(source, edge, &element, target.as_ref());
                match callee {
                    objects::Callee::Function(id) => {
                        if let Some(exit) = self.call_of(*id, args, resume) {
                            self.add_call(source, Guard::Always, Vec::new(), exit, edge, &element, rank);
                        }
                    }
                    objects::Callee::Through(ex) => {
                        self.call_through(source, edge, &element, rank, ex, args, target.as_ref(), resume);
                    }
                }
            }
            Act::New(..) | Act::NewChannel(..) | Act::Copy(..) | Act::Delete(_) | Act::Declare(..) => {
                return false;
            }
        }
        true
    }

    #[expect(clippy::too_many_arguments, reason = "the parts of a transition")]
    fn add_call(
        &mut self,
        source: LocationId,
        guard: Guard,
        body: Vec<Action>,
        exit: Exit,
        edge: &Edge,
        element: &Element,
        rank: u32,
    ) {
        let mut transition = Transition::new(source, guard, body, exit, element.span);
        transition.rank = rank;
        transition.number = element.unique;
        self.add_of(edge.element, transition);
    }

    /// The location at which a call waits for its result.
    fn resume(
        &mut self,
        source: LocationId,
        edge: &Edge,
        element: &Element,
        target: Option<&Target>,
    ) -> LocationId {
        let Scope::Procedure(procedure) = self.scope else { unreachable!("calls are in procedures") };
        let result = target.and_then(|target| self.target_place(target)).map(|(place, _)| place);
        let resets = self.leaving(edge.element, edge.target);
        let Exit::Jump(mut then) = self.target(edge.target, edge.atomic) else {
            unreachable!("a state is reached by a jump")
        };
        if !resets.is_empty() {
            then = Jump::Goto(self.fused(resets, then));
        }
        let is_atomic = element.marks & (ATOMIC | LAST) != 0;
        if is_atomic && self.numbered.is_some() {
            let (span, why) = self.numbered.unwrap_or_default();
            self.builder.diagnostics.push(
                Diagnostic::error(
                    codes::UNSUPPORTED_DYNAMIC,
                    "a call in an `atomic`, where processes have numbers",
                )
                .at(element.span, "the call")
                .label(span, why)
                .help("move the call out of the `atomic`, or do without what needs numbers"),
            );
        }
        let mut location = Location::new("", procedure, element.span);
        location.kind = LocationKind::Resume { origin: source, result, then };
        location.atomic = is_atomic && self.numbered.is_none();
        location.synthetic = true;
        location.number = element.number;
        self.program.locations.push(location)
    }

    fn call_of(&mut self, id: FunctionId, args: &[Ex], resume: LocationId) -> Option<Exit> {
        let function = self.builder.functions[id.0].clone();
        let procedure = self.procedures[function.process?]?;
        let args = self.arguments(&function.params, args, false);
        Some(Exit::Call { callee: Callee::Static(procedure), args, resume })
    }

    /// A call of whatever function a value is: a transition for each that it may be.
    #[expect(clippy::too_many_arguments, reason = "the parts of a transition")]
    fn call_through(
        &mut self,
        source: LocationId,
        edge: &Edge,
        element: &Element,
        rank: u32,
        ex: &Ex,
        args: &[Ex],
        target: Option<&Target>,
        resume: LocationId,
    ) {
        let span = element.span;
        let given: Vec<_> = args.iter().map(|arg| self.builder.kind_of(arg)).collect();
        let wanted = target.and_then(|target| self.target_place(target)).map(|(_, kind)| kind);
        let mut reached = vec![false; self.builder.functions.len() + 1];
        for at in 0..self.builder.functions.len() {
            let function = self.builder.functions[at].clone();
            if !self.builder.function_fits(&function, &given, wanted) {
                continue;
            }
            let Some(exit) = self.call_of(FunctionId(at), args, resume) else { continue };
            reached[at + 1] = true;
            let guard = self.is_function(ex, at as i64 + 1, span);
            self.add_call(source, guard, Vec::new(), exit, edge, element, rank);
        }
        let Exit::Jump(then) = self.target(edge.target, edge.atomic) else { return };
        for number in (0..reached.len()).filter(|&number| !reached[number]) {
            let message = match number.checked_sub(1) {
                None => "there is no function to call".to_owned(),
                Some(at) => {
                    let name = &self.builder.functions[at].name.text;
                    format!("`{name}` has other parameters, or another result")
                }
            };
            let guard = self.is_function(ex, number as i64, span);
            let body = vec![Action { kind: ActionKind::BadCall(message), span }];
            self.add_call(source, guard, body, Exit::Jump(then.clone()), edge, element, rank);
        }
    }

    fn is_function(&mut self, ex: &Ex, number: i64, span: Span) -> Guard {
        let value = self.number(ex);
        let constant = self.natural(ExprKind::Const(Const::Int(number)), span);
        let kind = ExprKind::Binary(ir::BinaryOp::Eq, Box::new(value), Box::new(constant));
        Guard::When(self.natural(kind, span))
    }

    /// The function whose body is lowered.
    fn current_function(&self) -> Option<FunctionId> {
        match self.builder.processes[self.current].kind {
            ProcessKind::Function(id) => Some(id),
            _ => None,
        }
    }

    pub(super) fn last_jump(&mut self) -> Jump {
        let Some(id) = self.current_function() else { return Jump::Return(None) };
        let function = &self.builder.functions[id.0];
        let Some(result) = function.result else { return Jump::Return(None) };
        let span = function.name.span;
        if !std::mem::replace(&mut self.falls_off[id.0], true) {
            let message = format!("`{}` may end without a result", function.name.text);
            self.builder.diagnostics.push(
                Diagnostic::warning(codes::MISSING_RETURN, message)
                    .at(span, "declared with a result")
                    .note("without `return`, the result is the default value of its type"),
            );
        }
        let value = match Kind::of(result) {
            Kind::Pointer(_) | Kind::Channel | Kind::Null => Const::Null,
            Kind::Process if self.has_references_to_processes() => Const::Null,
            _ => Const::Int(0),
        };
        Jump::Return(Some(self.natural(ExprKind::Const(value), span)))
    }
}
