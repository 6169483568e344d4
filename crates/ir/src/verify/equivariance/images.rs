//! Images of text: each expression is checked against the sort of the place where it is, and written down in a normal
//! form with the numbers of individuals replaced by those that they go to.

use std::cell::Cell;

use source::Span;

use super::values::constant;
use super::{Checked, Context, PLAIN, refuted};
use crate::{
    Action, ActionKind, Array, BinaryOp, ChannelId, Const, Exit, Expr, ExprKind, GlobalId, Guard, Jump,
    LocalId, LocationId, Pattern, Permutation, Place, PlaceKind, ProcedureId, Sort, Transition, Type,
    UnaryOp, VariableSort,
};

/// The sort of the numbers of threads.
const THREAD: Sort = Sort::Thread { shift: 0 };

/// A generator, applied to text.
pub struct Images<'a> {
    pub context: &'a Context<'a>,
    pub by: &'a Permutation,
    /// The procedure whose text it is.
    pub scope: Cell<Option<ProcedureId>>,
}

impl<'a> Images<'a> {
    pub fn new(context: &'a Context<'a>, by: &'a Permutation) -> Self {
        Self { context, by, scope: Cell::new(None) }
    }

    pub fn transition(&self, procedure: ProcedureId, transition: &Transition) -> Checked<String> {
        self.scope.set(Some(procedure));
        let guard = match &transition.guard {
            Guard::Always => String::new(),
            Guard::Else => "else".to_owned(),
            Guard::Ready(first) => format!("ready {}", self.by.location(*first)),
            Guard::When(guard) => self.plain(guard)?,
        };
        let exit = match transition.exit {
            Exit::Jump(Jump::Goto(to)) => format!("{}", self.by.location(to)),
            Exit::Jump(Jump::Return(_)) => "return".to_owned(),
            Exit::Call { .. } => return refuted("there are functions", transition.span),
        };
        let Transition { rank, exclusive, invisible, fair, .. } = transition;
        let mut text = format!("{rank} {exclusive} {invisible} {fair} {guard} -> {exit}:");
        for action in &transition.body {
            text = text + " " + &self.action(action)?;
        }
        Ok(text)
    }

    /// The conditions and claims of a procedure.
    pub fn declarations(&self, procedure: ProcedureId) -> Checked<Vec<String>> {
        self.scope.set(Some(procedure));
        let declared = &self.context.program.procedures[procedure];
        let mut all = Vec::new();
        if let Some(condition) = &declared.provided {
            all.push(self.plain(condition)?);
        }
        for claim in &declared.claims {
            all.push(format!("{} {}", claim.receive, self.channel(&claim.channel)?.0));
        }
        Ok(all)
    }

    /// A condition that no thread evaluates.
    pub fn property(&self, expr: &Expr) -> Checked<String> {
        self.scope.set(None);
        self.plain(expr)
    }

    // Individuals.

    /// Checks that the threads of a procedure do not move; without one, that no thread does.
    fn are_fixed(&self, procedure: Option<ProcedureId>, span: Span) -> Checked {
        let moves = self.moved(THREAD).any(|(number, _)| {
            let run = usize::try_from(number).ok().and_then(|at| self.context.exchange.threads.get(at));
            procedure.is_none() || run == procedure.as_ref()
        });
        if moves { refuted("tells threads apart that are exchanged", span) } else { Ok(()) }
    }

    /// The number of a thread: one of this procedure is meant, or any.
    fn thread(&self, expr: &Expr, procedure: Option<ProcedureId>) -> Checked<String> {
        if self.sort(expr).is_some_and(|(sort, is_firm)| is_firm && sort == PLAIN) {
            self.are_fixed(procedure, expr.span)?;
            return self.plain(expr);
        }
        self.expr(expr, THREAD)
    }

    /// The number of a channel, and the sorts of the fields of the channels that it may be.
    fn channel(&self, expr: &Expr) -> Checked<(String, Vec<ChannelId>)> {
        let channels = self.context.flow.of(self.context.program, self.scope.get(), expr);
        let text = match self.sort(expr) {
            Some((sort, true)) if sort != Sort::Channel => {
                let moves = |(number, _): (i64, i64)| {
                    let declared = usize::try_from(number - 1).map(|at| self.context.exchange.channels[at].0);
                    declared.is_ok_and(|id| channels.contains(id))
                };
                if self.moved(Sort::Channel).any(moves) {
                    return refuted("a number is used as a channel that is exchanged", expr.span);
                }
                self.expr(expr, sort)?
            }
            _ => self.expr(expr, Sort::Channel)?,
        };
        Ok((text, channels.ids().collect()))
    }

    /// The sort of a field of the messages of these channels. Without channels, nothing ever meets the value that is
    /// there: it has its own sort.
    fn field(&self, channels: &[ChannelId], at: usize, value: Option<&Expr>, span: Span) -> Checked<Sort> {
        let mut sorts = channels.iter().filter_map(|&id| self.context.exchange.sorts.fields[id].get(at));
        let Some(&first) = sorts.next() else {
            return Ok(value.and_then(|value| self.sort(value)).map_or(PLAIN, |(sort, _)| sort));
        };
        if sorts.all(|&sort| sort == first) {
            Ok(first)
        } else {
            refuted("messages of different sorts are taken for one", span)
        }
    }

    // Places.

    pub fn dims(&self, array: Array) -> &[u32] {
        let program = self.context.program;
        match (array, self.scope.get()) {
            (Array::Global(id), _) => &program.globals[id].dims,
            (Array::Local(id), Some(scope)) => &program.procedures[scope].locals[id].dims,
            (Array::Local(_), None) => &[],
        }
    }

    fn local(&self, id: LocalId, span: Span) -> Checked<&VariableSort> {
        match self.scope.get() {
            Some(scope) => Ok(&self.context.exchange.sorts.locals[scope][id]),
            None => refuted("a local variable of nobody", span),
        }
    }

    fn element(&self, array: Array, indices: &[Expr], span: Span) -> Checked<(String, Sort)> {
        let (name, sorts) = match array {
            Array::Global(id) => (id.to_string(), &self.context.exchange.sorts.globals[id]),
            Array::Local(id) => (id.to_string(), self.local(id, span)?),
        };
        let mut text = name;
        for (index, &sort) in indices.iter().zip(&sorts.indices) {
            text = text + "[" + &self.expr(index, sort)? + "]";
        }
        Ok((text, sorts.value))
    }

    /// An element of an array of channels that never changes: the array is text.
    fn constant_element(
        &self,
        values: &[i64],
        array: Array,
        indices: &[Expr],
        sort: Sort,
        span: Span,
    ) -> Checked<String> {
        let (text, of_array) = self.element(array, indices, span)?;
        if let Some(&value) =
            constant(&indices[0]).and_then(|at| usize::try_from(at).ok()).and_then(|at| values.get(at))
        {
            return Ok(self.by.apply(sort, value).to_string());
        }
        let Array::Global(id) = array else { return refuted("a constant local array", span) };
        let of_index = self.context.exchange.sorts.globals[id].indices[0];
        let is_kept = values.iter().zip(0..).all(|(&value, at)| {
            let to = usize::try_from(self.by.apply(of_index, at)).ok();
            // Where there is no element, there is none for the image: that was checked.
            to.and_then(|to| values.get(to)).is_none_or(|&image| image == self.by.apply(sort, value))
        });
        if of_array == sort && is_kept {
            Ok(text)
        } else {
            refuted("an array of channels is not its own image", span)
        }
    }

    /// A coded variable, and something that is stored in it or compared with it.
    fn coded(&self, id: GlobalId, index: Option<&Expr>, value: &Expr) -> Checked<String> {
        let (program, span) = (self.context.program, value.span);
        let Type::Int(int) = program.types[program.globals[id].ty] else {
            return refuted("what is coded is no number", span);
        };
        let size = i64::try_from(program.globals[id].size()).unwrap_or(i64::MAX);
        let point = |thread: i64| {
            let element = index.map_or(Some(0), |index| self.value_for(index, thread))?;
            let value = self.value_for(value, thread)?;
            let is_there = (0..size).contains(&element) && (int.lo..=int.hi).contains(&value);
            is_there.then_some((element, value))
        };
        let image = |(element, value): (i64, i64)| {
            let Some(recoding) = self.by.coded.get(&id) else { return Some((element, value)) };
            let element = recoding.elements.get(usize::try_from(element).ok()?)?;
            Some((i64::from(element.to), element.apply(value)))
        };
        let is_natural =
            |&(from, to): &(i64, i64)| point(from).is_some_and(|named| image(named) == point(to));
        if self.scope.get().is_none() || !self.own_numbers().iter().all(is_natural) {
            return refuted("a coded variable is used in another way", span);
        }
        let index = index.map_or(Ok(String::new()), |index| self.form(index, PLAIN, true))?;
        Ok(format!("{id}[{index}], {}", self.form(value, PLAIN, true)?))
    }

    /// The coded variable that is read, if one is, and the index.
    fn is_coded<'e>(&self, id: GlobalId, indices: &'e [Expr]) -> Option<(GlobalId, Option<&'e Expr>)> {
        self.context.exchange.sorts.coded[id].then_some((id, indices.first()))
    }

    fn coded_read<'e>(&self, expr: &'e Expr) -> Option<(GlobalId, Option<&'e Expr>)> {
        match &expr.kind {
            ExprKind::Global(id) => self.is_coded(*id, &[]),
            ExprKind::Element(Array::Global(id), indices) => self.is_coded(*id, indices),
            _ => None,
        }
    }

    fn coded_place<'e>(&self, place: &'e Place) -> Option<(GlobalId, Option<&'e Expr>)> {
        match &place.kind {
            PlaceKind::Global(id) => self.is_coded(*id, &[]),
            PlaceKind::Element(Array::Global(id), indices) => self.is_coded(*id, indices),
            _ => None,
        }
    }

    fn place(&self, place: &Place) -> Checked<(String, Sort)> {
        if self.coded_place(place).is_some() {
            return refuted("a coded variable is stored to in another way", place.span);
        }
        match &place.kind {
            PlaceKind::Global(id) => Ok((id.to_string(), self.context.exchange.sorts.globals[*id].value)),
            PlaceKind::Local(id) => Ok((id.to_string(), self.local(*id, place.span)?.value)),
            PlaceKind::Element(array, indices) => self.element(*array, indices, place.span),
            PlaceKind::Field(..) | PlaceKind::Index(..) | PlaceKind::Through(_) => {
                refuted("there are objects", place.span)
            }
        }
    }

    /// A value on its way to a place of this sort and type.
    fn stored(&self, value: &Expr, sort: Sort, ty: crate::TypeId) -> Checked<String> {
        self.fits(sort, self.range(value), value, ty)?;
        self.expr(value, sort)
    }

    // Actions.

    fn action(&self, action: &Action) -> Checked<String> {
        let span = action.span;
        Ok(match &action.kind {
            ActionKind::Assign(place, value) => {
                if let Some((id, index)) = self.coded_place(place) {
                    return Ok(format!("code {};", self.coded(id, index, value)?));
                }
                let (to, sort) = self.place(place)?;
                format!("{to} = {};", self.stored(value, sort, place.ty)?)
            }
            ActionKind::Assert(condition, _) => format!("assert {};", self.plain(condition)?),
            ActionKind::Check(condition) => format!("check {};", self.plain(condition)?),
            ActionKind::Assume(condition) => format!("assume {};", self.plain(condition)?),
            ActionKind::Start { result, procedure, args, priority } => {
                let mut text = format!("start {procedure} {priority:?}");
                if let Some(place) = result {
                    let (to, sort) = self.place(place)?;
                    self.is_new(sort, place.ty, span)?;
                    text = text + " to " + &to;
                }
                let locals = &self.context.program.procedures[*procedure].locals;
                let sorts = &self.context.exchange.sorts.locals[*procedure];
                for (arg, (id, local)) in args.iter().zip(locals.iter()) {
                    text = text + " " + &self.stored(arg, sorts[id].value, local.ty)?;
                }
                text + " " + &self.beginning(*procedure)? + ";"
            }
            ActionKind::Exit => {
                self.are_fixed(self.scope.get(), span)?;
                "exit;".to_owned()
            }
            ActionKind::Send { channel, sorted, message } => {
                let (mut text, channels) = self.channel(channel)?;
                for (at, value) in message.iter().enumerate() {
                    let sort = self.field(&channels, at, Some(value), span)?;
                    if *sorted && sort != PLAIN {
                        return refuted("messages are sorted by names", span);
                    }
                    for &id in &channels {
                        if let Some(field) = self.context.program.channels[id].fields.get(at) {
                            self.fits(sort, self.range(value), value, field.ty)?;
                        }
                    }
                    text = text + ", " + &self.expr(value, sort)?;
                }
                format!("send {sorted} {text};")
            }
            ActionKind::Receive { channel, anywhere, keep, pattern } => {
                let (mut text, channels) = self.channel(channel)?;
                for (at, field) in pattern.iter().enumerate() {
                    let matched = if let Pattern::Match(value) = field { Some(value) } else { None };
                    let sort = self.field(&channels, at, matched, span)?;
                    let field = match field {
                        Pattern::Any => "_".to_owned(),
                        Pattern::Match(value) => format!("= {}", self.expr(value, sort)?),
                        Pattern::Store(place) => {
                            let (to, of_place) = self.place(place)?;
                            if of_place != sort && !channels.is_empty() {
                                return refuted("a message is stored as something else", place.span);
                            }
                            self.received(&channels, at, sort, place)?;
                            to
                        }
                    };
                    text = text + ", " + &field;
                }
                format!("receive {anywhere} {keep} {text};")
            }
            ActionKind::SetPriority(thread, priority) => {
                format!("priority {} {};", self.thread(thread, None)?, self.plain(priority)?)
            }
            ActionKind::Print { .. } => String::new(),
            _ => return refuted("there are objects", span),
        })
    }

    /// Checks that a field that is received fits.
    fn received(&self, channels: &[ChannelId], at: usize, sort: Sort, place: &Place) -> Checked {
        let program = self.context.program;
        for &id in channels {
            if let Some(field) = program.channels[id].fields.get(at)
                && let Type::Int(int) = program.types[field.ty]
            {
                let at = Expr { kind: ExprKind::ThreadCount, ty: place.ty, span: place.span };
                self.fits(sort, (int.lo, int.hi), &at, place.ty)?;
            }
        }
        Ok(())
    }

    /// What a thread of a procedure does when it is started.
    fn beginning(&self, procedure: ProcedureId) -> Checked<String> {
        let scope = self.scope.replace(Some(procedure));
        let declared = &self.context.program.procedures[procedure];
        let sorts = &self.context.exchange.sorts.locals[procedure];
        let mut text = String::new();
        for (id, local) in declared.locals.iter().skip(declared.params) {
            let value = if let Some(Const::Int(value)) = local.init { value } else { 0 };
            text = text + " " + &self.by.apply(sorts[id].value, value).to_string();
        }
        for action in &declared.prologue {
            text = text + " " + &self.action(action)?;
        }
        self.scope.set(scope);
        Ok(text)
    }

    // Expressions.

    /// The sort of an expression, if it has one by itself; and whether it can have no other.
    fn sort(&self, expr: &Expr) -> Option<(Sort, bool)> {
        let sorts = self.context.exchange.sorts;
        let firm = |sort: Sort| Some((sort, true));
        let shifted = |operand: &Expr, by: i64| {
            let (sort, is_firm) = self.sort(operand)?;
            Some(match sort {
                Sort::Thread { shift } => (Sort::Thread { shift: shift.wrapping_sub(by) }, is_firm),
                other => (other, is_firm),
            })
        };
        match &expr.kind {
            ExprKind::Const(Const::Int(_)) => None,
            ExprKind::ThreadNumber | ExprKind::FirstThread(_) | ExprKind::LastThread => Some((THREAD, false)),
            ExprKind::Channel(_) => Some((Sort::Channel, false)),
            ExprKind::Global(id) if self.context.constants[*id].is_some() => None,
            ExprKind::Element(Array::Global(id), indices)
                if self.context.constants[*id].is_some() && constant(&indices[0]).is_some() =>
            {
                None
            }
            ExprKind::Global(id) | ExprKind::Element(Array::Global(id), _) => firm(sorts.globals[*id].value),
            ExprKind::Local(id) | ExprKind::Element(Array::Local(id), _) => {
                firm(sorts.locals[self.scope.get()?][*id].value)
            }
            ExprKind::ThreadLocal { procedure, local, .. } => firm(sorts.locals[*procedure][*local].value),
            ExprKind::Wrap(operand) => self.sort(operand),
            ExprKind::Cond(_, then, otherwise) => self.common(then, otherwise),
            ExprKind::Binary(BinaryOp::Add, left, right) => match (constant(left), constant(right)) {
                (_, Some(by)) => shifted(left, by),
                (Some(by), _) => shifted(right, by),
                _ if self.is_natural(expr, PLAIN).is_some() => None,
                _ => firm(PLAIN),
            },
            ExprKind::Binary(BinaryOp::Sub, left, right) if constant(right).is_some() => {
                shifted(left, constant(right)?.wrapping_neg())
            }
            _ if self.is_natural(expr, PLAIN).is_some() => None,
            _ => firm(PLAIN),
        }
    }

    /// The sort that two expressions have together.
    fn common(&self, left: &Expr, right: &Expr) -> Option<(Sort, bool)> {
        match (self.sort(left), self.sort(right)) {
            (Some(left), Some((_, false))) => Some(left),
            (left, None) => left,
            (_, right) => right,
        }
    }

    fn plain(&self, expr: &Expr) -> Checked<String> {
        self.expr(expr, PLAIN)
    }

    /// The image of an expression where something of this sort is expected.
    fn expr(&self, expr: &Expr, sort: Sort) -> Checked<String> {
        if self.is_natural(expr, sort) == Some(true) {
            // It has no names in it.
            return self.form(expr, sort, true);
        }
        self.form(expr, sort, false)
    }

    fn form(&self, expr: &Expr, sort: Sort, is_natural: bool) -> Checked<String> {
        let span = expr.span;
        let program = self.context.program;
        let is = |found: Sort, text: String| {
            if is_natural || found == sort {
                Ok(text)
            } else {
                refuted("one sort is taken for another", span)
            }
        };
        let of = |expr: &Expr, sort: Sort| {
            if is_natural { self.form(expr, sort, true) } else { self.expr(expr, sort) }
        };
        if self.coded_read(expr).is_some() {
            return refuted("a coded variable is used in another way", span);
        }
        match &expr.kind {
            ExprKind::Const(Const::Int(value)) if is_natural => Ok(value.to_string()),
            ExprKind::Const(Const::Int(value)) => Ok(self.by.apply(sort, *value).to_string()),
            ExprKind::Const(Const::Bool(value)) => Ok(value.to_string()),
            ExprKind::ThreadNumber if is_natural => Ok("own".to_owned()),
            ExprKind::ThreadNumber => refuted("the number of a process is used as something else", span),
            ExprKind::Global(id) if program.globals[*id].untracked => {
                refuted("a hidden variable is read", span)
            }
            ExprKind::Element(Array::Global(id), _) if program.globals[*id].untracked => {
                refuted("a hidden variable is read", span)
            }
            ExprKind::Global(id) => match &self.context.constants[*id] {
                Some(values) => Ok(self.by.apply(sort, values[0]).to_string()),
                None => is(self.context.exchange.sorts.globals[*id].value, id.to_string()),
            },
            ExprKind::Local(id) => is(self.local(*id, span)?.value, id.to_string()),
            ExprKind::Element(array, indices) => {
                if let Array::Global(id) = array
                    && let Some(values) = &self.context.constants[*id]
                {
                    return self.constant_element(values, *array, indices, sort, span);
                }
                let (text, found) = self.element(*array, indices, span)?;
                is(found, text)
            }
            ExprKind::Unary(UnaryOp::Not, operand) => is(PLAIN, format!("!({})", of(operand, PLAIN)?)),
            ExprKind::Unary(UnaryOp::Neg, operand) => is(PLAIN, format!("-({})", of(operand, PLAIN)?)),
            ExprKind::Binary(op, left, right) => self.binary(*op, left, right, expr, sort, is_natural),
            ExprKind::Cond(condition, then, otherwise) => {
                let (then, otherwise) = (of(then, sort)?, of(otherwise, sort)?);
                Ok(format!("({} ? {then} : {otherwise})", of(condition, PLAIN)?))
            }
            ExprKind::Wrap(operand) => {
                if !is_natural {
                    self.fits(sort, self.range(operand), operand, expr.ty)?;
                }
                Ok(format!("wrap {}({})", expr.ty, of(operand, sort)?))
            }
            ExprKind::Number(operand) => is(PLAIN, format!("number({})", of(operand, PLAIN)?)),
            ExprKind::ThreadCount => is(PLAIN, "count".to_owned()),
            ExprKind::Timeout => is(PLAIN, "timeout".to_owned()),
            ExprKind::LastThread if sort == PLAIN => {
                self.are_fixed(None, span)?;
                Ok("last".to_owned())
            }
            ExprKind::LastThread => is(THREAD, "last".to_owned()),
            ExprKind::IsYoungest => {
                self.are_fixed(self.scope.get(), span)?;
                is(PLAIN, "youngest".to_owned())
            }
            ExprKind::FirstThread(procedure) => {
                self.are_fixed(Some(*procedure), span)?;
                let text = format!("first {procedure}");
                if sort == PLAIN { Ok(text) } else { is(THREAD, text) }
            }
            ExprKind::ThreadsAt { procedure, locations } => {
                is(PLAIN, format!("{procedure} at {:?}", self.locations(locations)))
            }
            ExprKind::ThreadAt { thread, procedure, locations } => {
                let thread = self.thread(thread, Some(*procedure))?;
                is(PLAIN, format!("{thread} of {procedure} at {:?}", self.locations(locations)))
            }
            ExprKind::ThreadLocal { thread, procedure, local, indices } => {
                let mut text = format!("{procedure}[{}].{local}", self.thread(thread, Some(*procedure))?);
                let sorts = &self.context.exchange.sorts.locals[*procedure][*local];
                for (index, &sort) in indices.iter().zip(&sorts.indices) {
                    text = text + "[" + &self.expr(index, sort)? + "]";
                }
                // It is 0 if there is no such thread.
                is(sorts.value, text + " or " + &self.by.apply(sort, 0).to_string())
            }
            ExprKind::ThreadEnabled(thread) => is(PLAIN, format!("enabled({})", self.thread(thread, None)?)),
            ExprKind::ThreadLocation(thread) => {
                is(PLAIN, format!("location({})", self.thread(thread, None)?))
            }
            ExprKind::ThreadPriority(thread) => {
                is(PLAIN, format!("priority({})", self.thread(thread, None)?))
            }
            ExprKind::Channel(id) => match program.first_channels.iter().zip(1..).find(|&(own, _)| own == id)
            {
                Some((_, number)) => Ok(self.by.apply(sort, number).to_string()),
                None => is(Sort::Channel, id.to_string()),
            },
            ExprKind::ChannelLength(channel) => is(PLAIN, format!("length({})", self.channel(channel)?.0)),
            ExprKind::ChannelFull(channel) => is(PLAIN, format!("full({})", self.channel(channel)?.0)),
            ExprKind::ChannelHas { channel, anywhere, pattern } => {
                let (mut text, channels) = self.channel(channel)?;
                for (at, field) in pattern.iter().enumerate() {
                    let of_field = self.field(&channels, at, field.as_ref(), span)?;
                    let field = match field {
                        Some(value) => self.expr(value, of_field)?,
                        None => "_".to_owned(),
                    };
                    text = text + ", " + &field;
                }
                is(PLAIN, format!("has {anywhere}({text})"))
            }
            _ => refuted("there are objects", span),
        }
    }

    fn binary(
        &self,
        op: BinaryOp,
        left: &Expr,
        right: &Expr,
        whole: &Expr,
        sort: Sort,
        is_natural: bool,
    ) -> Checked<String> {
        let of = |expr: &Expr, sort: Sort| {
            if is_natural { self.form(expr, sort, true) } else { self.expr(expr, sort) }
        };
        // A constant difference.
        if matches!(op, BinaryOp::Eq | BinaryOp::Ne) {
            for (read, value) in [(left, right), (right, left)] {
                if let Some((id, index)) = self.coded_read(read) {
                    return Ok(format!("({op:?} code {})", self.coded(id, index, value)?));
                }
            }
        }
        let shift = match op {
            BinaryOp::Add => constant(right).map(|by| (left, by)).or(constant(left).map(|by| (right, by))),
            BinaryOp::Sub => constant(right).map(|by| (left, by.wrapping_neg())),
            _ => None,
        };
        if let Some((operand, by)) = shift {
            let of_operand = match sort {
                Sort::Thread { shift } => Sort::Thread { shift: shift.wrapping_add(by) },
                Sort::Channel if by != 0 && !is_natural => {
                    return refuted("a channel is used as a number", whole.span);
                }
                other => other,
            };
            return Ok(format!("({} + {by})", of(operand, of_operand)?));
        }
        if sort != PLAIN && !is_natural {
            return refuted("a number is used as a process or channel", whole.span);
        }
        let of_operands = match op {
            BinaryOp::Eq | BinaryOp::Ne => self.common(left, right).map_or(PLAIN, |(sort, _)| sort),
            _ => PLAIN,
        };
        let is_chain = matches!(op, BinaryOp::And | BinaryOp::Or | BinaryOp::Add);
        let mut operands = Vec::new();
        let mut open = vec![right, left];
        while let Some(operand) = open.pop() {
            match &operand.kind {
                ExprKind::Binary(inner, left, right)
                    if is_chain && *inner == op && (op != BinaryOp::Add || !is_shift(left, right)) =>
                {
                    open.extend([&**right, &**left]);
                }
                _ => operands.push(operand),
            }
        }
        let commutes = is_chain || matches!(op, BinaryOp::Mul | BinaryOp::Eq | BinaryOp::Ne);
        let commutes = commutes && !operands.iter().any(|operand| self.may_fault(operand));
        let mut texts = Vec::new();
        for operand in operands {
            texts.push(of(operand, of_operands)?);
        }
        if commutes {
            texts.sort_unstable();
        }
        Ok(format!("({op:?} {})", texts.join(", ")))
    }

    fn locations(&self, locations: &[LocationId]) -> Vec<LocationId> {
        let mut images: Vec<LocationId> = locations.iter().map(|&id| self.by.location(id)).collect();
        images.sort_unstable();
        images
    }
}

fn is_shift(left: &Expr, right: &Expr) -> bool {
    constant(left).is_some() || constant(right).is_some()
}
