//! Declarations and statements of dynamic programs: pointers, functions, objects.

use source::{Diagnostic, Span};

use super::{Builder, Process, ProcessKind, plain};
use crate::ast::{self, Name};
use crate::codes;
use crate::objects::{Act, Callee, Function, FunctionId, Pointee, PointeeId, Whole};
use crate::resolve::Resolved;
use crate::symbols::{Init, Scalar, Ty};
use crate::tree::{Basic, Ex, ExKind, Ref, Target};

impl Builder<'_> {
    /// Names of types and functions are known before they are declared.
    pub(super) fn declare_functions(&mut self, model: &ast::Model) {
        for item in &model.items {
            match item {
                ast::Item::Typedef(typedef) => {
                    self.record_names.insert(typedef.name.text.clone());
                }
                ast::Item::Function(function) => {
                    let id = FunctionId(self.functions.len());
                    let name = &function.name;
                    if let Some(first) = self.function_ids.insert(name.text.clone(), id) {
                        let first = self.functions[first.0].name.span;
                        self.duplicate(name, first);
                    }
                    let is_expression = matches!(function.body, ast::FunctionBody::Expr(_));
                    self.functions.push(Function {
                        name: name.clone(),
                        process: None,
                        params: Vec::new(),
                        result: None,
                        value: None,
                        is_expression,
                    });
                }
                _ => {}
            }
        }
        for item in &model.items {
            if let ast::Item::Forward(name) = item
                && self.record_names.insert(name.text.clone())
            {
                let message = format!("the type `{}` has no fields", name.text);
                self.diagnostics.push(
                    Diagnostic::error(codes::INCOMPLETE_TYPE, message)
                        .at(name.span, "declared here, and nowhere with fields")
                        .help(format!("`typedef {} {{ … }}` says which fields it has", name.text)),
                );
            }
        }
    }

    /// The type of a pointer.
    pub(super) fn pointer(&mut self, ty: &ast::Type) -> Option<Scalar> {
        let mut pointee = match &ty.kind {
            ast::TypeKind::Named(name) => {
                if !self.record_names.contains(&name.text) {
                    let message = format!("there is no type `{}`", name.text);
                    self.error(codes::UNDECLARED, message, name.span, "not declared anywhere");
                    return None;
                }
                self.mention_top(name);
                Pointee::Record(name.text.clone())
            }
            ast::TypeKind::Unsigned => {
                let message = "a pointer cannot lead to an `unsigned`";
                self.error(codes::BAD_SIZE, message, ty.span, "its width is not part of the type");
                return None;
            }
            _ => Pointee::Scalar(self.simple_type(ty)?),
        };
        for _ in 1..ty.pointers {
            pointee = Pointee::Scalar(Scalar::Pointer(self.pointee(pointee)));
        }
        Some(Scalar::Pointer(self.pointee(pointee)))
    }

    pub(crate) fn pointee(&mut self, pointee: Pointee) -> PointeeId {
        let known = self.pointees.iter().position(|known| *known == pointee);
        let at = known.unwrap_or_else(|| {
            self.pointees.push(pointee);
            self.wide.push(false);
            self.pointees.len() - 1
        });
        PointeeId(at as u32)
    }

    pub(super) fn incomplete(&mut self, name: &Name) {
        let message = format!("the type `{}` is not complete here", name.text);
        self.diagnostics.push(
            Diagnostic::error(codes::INCOMPLETE_TYPE, message)
                .at(name.span, "its fields are not known here")
                .help(format!(
                    "declare it before, or use a pointer: `{}& p` needs no more than the name",
                    name.text
                )),
        );
    }

    /// A variable that is declared after the first statement: it belongs to its scope, and has its default
    /// value whenever control is outside. An initial value is an assignment.
    pub(super) fn scoped_local(&mut self, variable: &ast::Variable, ty: Ty, size: Option<u32>) {
        let span = variable.span;
        if self.elements.dstep > 0 {
            self.diagnostics.push(
                Diagnostic::error(codes::IN_DSTEP, "a variable is declared in a `d_step`")
                    .at(span, "not possible here, in a dynamic program")
                    .help("declare it before the `d_step`"),
            );
            return;
        }
        let made = match &variable.init {
            Some(ast::Initializer::New(made)) => Some(made),
            _ => None,
        };
        let init = variable.init.as_ref().filter(|_| made.is_none());
        let init = init.and_then(|init| self.initializer(init, ty, size, variable));
        let Some(id) = self.declare(&variable.name, ty, size, None) else { return };
        self.locals.push(id);
        let place = Target::Var(Ref { symbol: id, leaf: 0, indices: Vec::new(), span });
        if let Some(made) = made {
            self.symbols[id.index()].used = true;
            if let Some(basic) = self.made(place, made) {
                self.early = false;
                self.add_basic(basic, span);
            }
            return;
        }
        match init {
            None => {}
            Some(Init::Value(value)) if size.is_none() => self.add_basic(Basic::Assign(place, value), span),
            Some(init) => {
                if let Init::Channel(channel) = &init {
                    self.scoped_channels.insert(id, channel.clone());
                }
                self.symbols[id.index()].used = true;
                self.add_basic(Basic::Dynamic(Act::Declare(id, init)), span);
            }
        }
    }

    pub(super) fn function(&mut self, item: &ast::Function) {
        let Some(&id) = self.function_ids.get(&item.name.text) else { return };
        // The first of several functions of one name has been replaced.
        if self.functions[id.0].name.span != item.name.span {
            return;
        }
        self.begin(ProcessKind::Function(id));
        self.process_name = item.name.text.clone();
        self.function = Some(id);
        for declaration in &item.params {
            self.parameters(declaration);
        }
        let result = item.result.as_ref().and_then(|ty| self.result_type(ty));
        self.functions[id.0].result = result;
        self.functions[id.0].params.clone_from(&self.params);
        match &item.body {
            ast::FunctionBody::Expr(value) => {
                let value = self.expr(value);
                self.functions[id.0].value = value;
                self.params.clear();
                self.scopes.close();
                self.process = None;
            }
            ast::FunctionBody::Block(body) => {
                self.functions[id.0].process = Some(self.processes.len());
                let process: Process = plain(&item.name.text, ProcessKind::Function(id), item.name.span);
                self.finish(process, body);
            }
        }
        self.function = None;
    }

    fn result_type(&mut self, ty: &ast::Type) -> Option<Scalar> {
        if ty.pointers > 0 {
            return self.pointer(ty);
        }
        let scalar = self.simple_type(ty);
        if scalar.is_none() {
            self.diagnostics.push(
                Diagnostic::error(codes::WHOLE_RECORD, "a function has one value as its result")
                    .at(ty.span, "a record is several")
                    .help("return a pointer to an object"),
            );
        }
        scalar
    }

    pub(super) fn new_object(&mut self, target: &ast::VarRef, made: &ast::New) -> Option<Basic> {
        let place = self.target(target)?;
        self.made(place, made)
    }

    fn made(&mut self, place: Target, made: &ast::New) -> Option<Basic> {
        match made {
            ast::New::Object { ty, length } => {
                if let (ast::TypeKind::Named(name), 0) = (&ty.kind, ty.pointers) {
                    self.named(name)?;
                }
                let pointed = ast::Type { pointers: ty.pointers + 1, ..ty.clone() };
                let Scalar::Pointer(pointee) = self.pointer(&pointed)? else { return None };
                let length = match length {
                    Some(length) => Some(self.expr(length)?),
                    None => None,
                };
                self.wide[pointee.index()] |= length.is_some();
                Some(Basic::Dynamic(Act::New(place, pointee, length)))
            }
            ast::New::Channel(channel) => {
                let ty = self.channel_type(channel)?;
                Some(Basic::Dynamic(Act::NewChannel(place, ty)))
            }
        }
    }

    /// `*p = *q`, where at least one of them is an object, or a part of one, and both are records.
    pub(super) fn record_copy(&mut self, target: &ast::VarRef, value: &ast::Expr) -> Option<Basic> {
        let ast::ExprKind::Var(source) = &value.kind else { return None };
        if !self.is_dynamic {
            return None;
        }
        let before = self.diagnostics.clone();
        let whole = |resolved: Resolved| match resolved {
            Resolved::Record(_, places, record) => Some((Whole::Variable(places), record)),
            Resolved::Object(places, record) => Some((Whole::Object(places), record)),
            _ => None,
        };
        let to = self.var(target, false).and_then(whole);
        let from = to.as_ref().and_then(|_| self.var(source, true)).and_then(whole);
        // What is wrong with the names is said when they are looked up as values.
        *self.diagnostics = before;
        match (to?, from?) {
            ((Whole::Variable(_), _), (Whole::Variable(_), _)) => None,
            ((to, a), (from, b)) if a == b => Some(Basic::Dynamic(Act::Copy(to, from))),
            _ => None,
        }
    }

    pub(super) fn call_statement(
        &mut self,
        target: Option<&ast::VarRef>,
        callee: &ast::VarRef,
        args: &[ast::Expr],
        span: Span,
    ) -> Option<Basic> {
        let target = match target {
            Some(target) => Some(self.target(target)?),
            None => None,
        };
        let named = callee.as_name().filter(|name| self.scopes.find(&name.text).is_none());
        let known = named.and_then(|name| self.function_ids.get(&name.text).copied());
        if let (Some(id), Some(name)) = (known, callee.as_name()) {
            self.mention(name, self.functions[id.0].name.span);
        }
        let args = self.send_args(args)?;
        if let Some(id) = known
            && self.functions[id.0].is_expression
        {
            let kind = ExKind::Dynamic(crate::objects::Dynamic::Call(id, args));
            let value = Ex { kind, span };
            return Some(match target {
                Some(target) => Basic::Assign(target, value),
                None => Basic::Condition(value),
            });
        }
        let callee = match known {
            Some(id) => Callee::Function(id),
            None => Callee::Through(self.expr(&ast::Expr {
                kind: ast::ExprKind::Var(callee.clone()),
                span: callee.span,
                height: 1,
            })?),
        };
        Some(Basic::Dynamic(Act::Call { target, callee, args }))
    }

    pub(super) fn return_statement(&mut self, value: Option<&ast::Expr>, span: Span) -> Option<Basic> {
        let id = self.function?;
        let value = match value {
            Some(value) => Some(self.expr(value)?),
            None => None,
        };
        let function = &self.functions[id.0];
        let (name, declared) = (function.name.text.clone(), function.name.span);
        let problem = match (&value, function.result) {
            (Some(value), None) => Some((value.span, format!("`{name}` has no result"), "a value")),
            (None, Some(_)) => Some((span, format!("`{name}` has a result"), "no value here")),
            _ => None,
        };
        if let Some((span, message, label)) = problem {
            self.diagnostics.push(
                Diagnostic::error(codes::BAD_RETURN, message)
                    .at(span, label)
                    .label(declared, "the function")
                    .help(format!("`function {name}(…) : byte {{ … }}` declares the type of the result")),
            );
            return None;
        }
        Some(Basic::Dynamic(Act::Return(value, id)))
    }

    /// The call of an expression function.
    pub(crate) fn call_in_expression(&mut self, name: &Name, args: &[ast::Expr]) -> Option<ExKind> {
        let Some(&id) = self.function_ids.get(&name.text) else {
            let message = format!("there is no function `{}`", name.text);
            self.error(codes::UNDECLARED, message, name.span, "not declared anywhere");
            return None;
        };
        self.mention(name, self.functions[id.0].name.span);
        let function = &self.functions[id.0];
        if !function.is_expression {
            let declared = function.name.span;
            let text = &name.text;
            self.diagnostics.push(
                Diagnostic::error(codes::CALL_IN_EXPRESSION, format!("the call of `{text}` is a statement"))
                    .at(name.span, "this is inside of an expression")
                    .label(declared, "a function with statements")
                    .help(format!(
                        "assign the result to a variable in front: `x = {text}(…)`; a function that is an expression, `function {text}(…) : byte = …;`, can be called here"
                    )),
            );
            return None;
        }
        let args = self.send_args(args)?;
        Some(ExKind::Dynamic(crate::objects::Dynamic::Call(id, args)))
    }
}
