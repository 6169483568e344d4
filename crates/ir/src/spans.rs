//! All spans of a program, for comparisons that ignore positions.

use source::Span;

use crate::*;

impl Program {
    /// The program with all spans replaced by one: exactly what [`text::parse`](crate::text::parse) of
    /// [`text::print`](crate::text::print) returns, up to spans.
    pub fn without_spans(&self) -> Self {
        let mut program = self.clone();
        program.each_span(&mut |span| *span = Span::default());
        program
    }

    /// Calls `f` with every span of the program.
    pub fn each_span(&mut self, f: &mut impl FnMut(&mut Span)) {
        self.enums.values_mut().for_each(|item| f(&mut item.span));
        self.records.values_mut().for_each(|item| f(&mut item.span));
        self.fields.values_mut().for_each(|item| f(&mut item.span));
        self.globals.values_mut().for_each(|item| f(&mut item.span));
        self.virtuals.values_mut().for_each(|item| f(&mut item.span));
        for property in &mut self.properties {
            f(&mut property.span);
            if let Some(each) = &mut property.each {
                f(&mut each.span);
            }
            for prop in &mut property.props {
                f(&mut prop.span);
                expr(&mut prop.expr, f);
            }
        }
        self.channels.values_mut().for_each(|item| f(&mut item.span));
        self.prologue.iter_mut().for_each(|item| action(item, f));
        if let Some(monitor) = &mut self.monitor {
            f(&mut monitor.span);
            for event in monitor.states.iter_mut().flat_map(|state| &mut state.events) {
                f(&mut event.span);
                expr(&mut event.channel, f);
                event.pattern.iter_mut().flatten().for_each(|field| expr(field, f));
            }
        }
        for fun in self.funs.values_mut() {
            f(&mut fun.span);
            expr(&mut fun.body, f);
        }
        for procedure in self.procedures.values_mut() {
            f(&mut procedure.span);
            procedure.locals.values_mut().for_each(|local| f(&mut local.span));
            procedure.catches.iter_mut().for_each(|catch| f(&mut catch.span));
            procedure.prologue.iter_mut().for_each(|item| action(item, f));
            if let Some(provided) = &mut procedure.provided {
                expr(provided, f);
            }
            for claim in &mut procedure.claims {
                f(&mut claim.span);
                expr(&mut claim.channel, f);
            }
        }
        for location in self.locations.values_mut() {
            f(&mut location.span);
            if let LocationKind::Resume { result, then, .. } = &mut location.kind {
                if let Some(result) = result {
                    place(result, f);
                }
                jump(then, f);
            }
        }
        for transition in self.transitions.values_mut() {
            f(&mut transition.span);
            if let Guard::When(guard) = &mut transition.guard {
                expr(guard, f);
            }
            transition.body.iter_mut().for_each(|item| action(item, f));
            match &mut transition.exit {
                Exit::Jump(exit) => jump(exit, f),
                Exit::Call { args, .. } => args.iter_mut().for_each(|arg| expr(arg, f)),
            }
        }
        for invariant in &mut self.invariants {
            f(&mut invariant.span);
            expr(&mut invariant.expr, f);
        }
    }
}

impl Expr {
    /// The expression with all spans replaced by one.
    pub fn without_spans(&self) -> Self {
        let mut expr = self.clone();
        self::expr(&mut expr, &mut |span| *span = Span::default());
        expr
    }
}

fn jump(jump: &mut Jump, f: &mut impl FnMut(&mut Span)) {
    if let Jump::Return(Some(value)) = jump {
        expr(value, f);
    }
}

fn place(place: &mut Place, f: &mut impl FnMut(&mut Span)) {
    f(&mut place.span);
    place.operands_mut().into_iter().for_each(|operand| expr(operand, f));
}

fn action(action: &mut Action, f: &mut impl FnMut(&mut Span)) {
    f(&mut action.span);
    action.places_mut().into_iter().for_each(|place| f(&mut place.span));
    action.operands_mut().into_iter().for_each(|operand| expr(operand, f));
}

pub fn expr(expr: &mut Expr, f: &mut impl FnMut(&mut Span)) {
    f(&mut expr.span);
    for operand in expr.operands_mut() {
        self::expr(operand, f);
    }
}
