//! `for` and `select`: loops that SPIN expands into plain statements.

use std::rc::Rc;

use source::Span;

use super::Builder;
use crate::ast::{self, BinaryOp, SelectForm};
use crate::codes;
use crate::elements::{Destination, Node, PendingKind};
use crate::resolve::Resolved;
use crate::symbols::{Init, Scalar, Ty};
use crate::tree::{Arg, Basic, Ex, ExKind, Ref, SymbolId, Target};

impl Builder<'_> {
    fn loop_variable(&mut self, variable: &ast::VarRef) -> Option<Ref> {
        let place = match self.var(variable, true)? {
            Resolved::Place(place) => place,
            Resolved::Record(symbol, ..) => return self.whole_record(symbol, variable.span),
            _ => {
                self.constant_target(variable, false);
                return None;
            }
        };
        let symbol = &self.symbols[place.symbol.index()];
        let fits = symbol.size.is_none() && symbol.scalar().is_some_and(|scalar| scalar != Scalar::Chan);
        if !fits {
            let message = format!("`{}` cannot count a loop", symbol.name);
            self.error(codes::BAD_LOOP, message, variable.span, "a variable that is a number is needed");
            return None;
        }
        Some(place)
    }

    pub(super) fn for_range(
        &mut self,
        variable: &ast::VarRef,
        from: &ast::Expr,
        to: &ast::Expr,
        body: &ast::Block,
    ) -> Option<PendingKind> {
        let place = self.loop_variable(variable);
        let number = self.enter_loop();
        let (from, to) = (self.expr(from), self.expr(to));
        let kind = match (place, from, to) {
            (Some(place), Some(from), Some(to)) => Some(self.counted(&place, from, to, number, Some(body))),
            _ => None,
        };
        self.loops.pop();
        kind
    }

    /// The loop of a `for`, or of a `select` if it has no body.
    fn counted(
        &mut self,
        place: &Ref,
        from: Ex,
        to: Ex,
        number: u32,
        body: Option<&ast::Block>,
    ) -> PendingKind {
        let span = place.span;
        self.add_basic(Basic::Assign(Target::Var(place.clone()), from), span);
        self.elements.open();
        let op = if body.is_some() { BinaryOp::LessEqual } else { BinaryOp::Less };
        self.add_basic(Basic::Condition(Ex::binary(op, Ex::var(place.clone()), to)), span);
        self.counted_rest(place, number, body)
    }

    fn counted_rest(&mut self, place: &Ref, number: u32, body: Option<&ast::Block>) -> PendingKind {
        let span = place.span;
        if let Some(body) = body {
            self.early = false;
            self.scopes.open();
            self.sequence(body);
            self.scopes.close();
        }
        let next = Ex::binary(BinaryOp::Add, Ex::var(place.clone()), Ex::int(1, span));
        self.add_basic(Basic::Assign(Target::Var(place.clone()), next), span);
        let round = self.elements.close();
        self.elements.open();
        if body.is_some() {
            self.elements.add_node(Node::Else, span);
        }
        self.elements.add_node(Node::Goto(Destination::Exit(number)), span);
        let leave = self.elements.close();
        PendingKind::Do(vec![leave, round], number)
    }

    pub(super) fn for_in(
        &mut self,
        variable: &ast::VarRef,
        over: &ast::VarRef,
        body: &ast::Block,
    ) -> Option<PendingKind> {
        let number = self.enter_loop();
        let kind = self.for_in_body(variable, over, body, number);
        self.loops.pop();
        kind
    }

    fn for_in_body(
        &mut self,
        variable: &ast::VarRef,
        over: &ast::VarRef,
        body: &ast::Block,
        number: u32,
    ) -> Option<PendingKind> {
        let [ast::Part { name, index }] = over.parts.as_slice() else {
            self.error(codes::BAD_LOOP, "only an array or channel can stand here", over.span, "not a name");
            return None;
        };
        let Some(id) = self.scopes.find(&name.text) else {
            self.undeclared(name);
            return None;
        };
        self.symbols[id.index()].used = true;
        self.mention(name, self.symbols[id.index()].span);
        if let Resolved::Record(_, fields, record) = self.var(variable, true)? {
            return self.for_messages(fields, record, over, id, body, number);
        }
        let place = self.loop_variable(variable)?;
        let Some(size) = self.symbols[id.index()].size.filter(|_| index.is_none()) else {
            let message = format!("`{}` is no array", name.text);
            self.error(codes::BAD_LOOP, message, over.span, "the loop is over its indices");
            return None;
        };
        let (from, to) = (Ex::int(0, over.span), Ex::int(size as i32 - 1, over.span));
        Some(self.counted(&place, from, to, number, Some(body)))
    }

    /// The loop over the messages of a channel: each is received, and sent again.
    fn for_messages(
        &mut self,
        fields: Vec<Ref>,
        record: usize,
        over: &ast::VarRef,
        id: SymbolId,
        body: &ast::Block,
        number: u32,
    ) -> Option<PendingKind> {
        let span = over.span;
        let Some(Init::Channel(channel)) =
            self.symbols[id.index()].leaves.first().and_then(|leaf| leaf.init.clone())
        else {
            self.error(codes::BAD_LOOP, "records come from a channel", span, "this is no channel");
            return None;
        };
        if channel.record != Some(record) || channel.capacity == 0 {
            let message = format!("`{}` has no messages of this type", self.symbols[id.index()].name);
            self.error(codes::BAD_LOOP, message, span, "the loop is over its messages");
            return None;
        }
        let scalar = if channel.capacity > 255 { Scalar::Short } else { Scalar::Byte };
        let counter = self.counter(scalar, span)?;
        let channel = self.channel(over)?;
        self.add_basic(Basic::Assign(Target::Var(counter.clone()), Ex::int(0, span)), span);
        self.elements.open();
        let len = Ex { kind: ExKind::Len(Box::new(channel.clone())), span };
        let more = Ex::binary(BinaryOp::Less, Ex::var(counter.clone()), len);
        self.add_basic(Basic::Condition(more), span);
        let args = fields.iter().cloned().map(Arg::Store).collect();
        self.add_basic(Basic::Receive { channel: channel.clone(), random: false, copy: false, args }, span);
        let args = fields.into_iter().map(Ex::var).collect();
        self.add_basic(Basic::Send { channel, sorted: false, args }, span);
        Some(self.counted_rest(&counter, number, Some(body)))
    }

    /// The variable that counts the messages of a channel; loops of one scope share it.
    fn counter(&mut self, scalar: Scalar, span: Span) -> Option<Ref> {
        let scope = self.scopes.path().last().copied().unwrap_or(0);
        let text: Rc<str> = format!("#{scope}").into();
        let id = if let Some(id) = self.scopes.find(&text) {
            id
        } else {
            let name = ast::Name { text, span };
            let id = self.declare(&name, Ty::Scalar(scalar), None, None)?;
            self.symbols[id.index()].made = true;
            self.symbols[id.index()].used = true;
            self.locals.push(id);
            id
        };
        Some(Ref { symbol: id, leaf: 0, indices: Vec::new(), span })
    }

    pub(super) fn select(
        &mut self,
        variable: &ast::VarRef,
        from: &ast::Expr,
        to: &ast::Expr,
        form: SelectForm,
        span: Span,
    ) -> Option<PendingKind> {
        match form {
            SelectForm::General => {
                let place = self.loop_variable(variable);
                let (from, to) = (self.expr(from), self.expr(to));
                let (place, from, to) = (place?, from?, to?);
                let number = self.enter_loop();
                let kind = self.counted(&place, from, to, number, None);
                self.loops.pop();
                Some(kind)
            }
            SelectForm::Options => {
                let Target::Var(place) = self.target(variable)? else {
                    self.constant_target(variable, false);
                    return None;
                };
                let (from, to) = (self.constant(from)?, self.constant(to)?);
                let mut options = Vec::new();
                for value in from..=to {
                    self.elements.open();
                    let value = Ex::int(value as i32, span);
                    self.add_basic(Basic::Assign(Target::Var(place.clone()), value), span);
                    options.push(self.elements.close());
                }
                Some(PendingKind::If(options))
            }
            SelectForm::Loop => {
                let place = self.loop_variable(variable)?;
                let (from, to) = (self.expr(from)?, self.expr(to)?);
                self.add_basic(Basic::Assign(Target::Var(place.clone()), from), span);
                let number = self.enter_loop();
                self.elements.open();
                let more = Ex::binary(BinaryOp::Less, Ex::var(place.clone()), to);
                self.add_basic(Basic::Condition(more), span);
                let next = Ex::binary(BinaryOp::Add, Ex::var(place.clone()), Ex::int(1, span));
                self.add_basic(Basic::Assign(Target::Var(place), next), span);
                let round = self.elements.close();
                self.elements.open();
                self.elements.add_node(Node::Goto(Destination::Exit(number)), span);
                let leave = self.elements.close();
                self.loops.pop();
                Some(PendingKind::Do(vec![round, leave], number))
            }
        }
    }
}
