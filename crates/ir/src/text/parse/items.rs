//! The program and its items.

use super::*;

impl Parser {
    pub(super) fn program(&mut self) -> Parsed<ProgramTree> {
        let mut program = ProgramTree::default();
        self.expect("program")?;
        program.name = self.name()?.text;
        self.expect(";")?;
        while self.peek().token != Token::End {
            self.item(&mut program)?;
        }
        Ok(program)
    }

    pub(super) fn item(&mut self, program: &mut ProgramTree) -> Parsed<()> {
        let start = self.at();
        if self.take("types") {
            program.types.extend(self.list(";", Self::ty)?);
        } else if self.take("strings") {
            program.strings.extend(self.list(";", Self::string)?);
        } else if self.take("active") {
            program.active.extend(self.list(";", Self::name)?);
        } else if self.is("abstract") || self.is("enum") {
            let is_abstract = self.take("abstract");
            self.expect("enum")?;
            let name = self.name()?;
            self.expect("{")?;
            let elements = self.list("}", Self::name)?;
            program.enums.push(EnumTree { name, elements, is_abstract, span: self.span(start) });
        } else if self.is("throwable") || self.is("scoped") || self.is("record") {
            program.records.push(self.record(start)?);
        } else if self.is("synthetic") || self.is("untracked") || self.is("global") {
            let flags = Flags { synthetic: self.take("synthetic"), untracked: self.take("untracked") };
            self.expect("global")?;
            program.globals.push(self.variable(start, flags)?);
        } else if self.take("fun") {
            let name = self.name()?;
            self.expect("(")?;
            let params = self.list(")", |parser| {
                let ty = parser.ty()?;
                Ok((parser.name()?, ty))
            })?;
            self.expect("returns")?;
            let result = self.ty()?;
            self.expect("=")?;
            let body = self.expr()?;
            self.expect(";")?;
            program.funs.push(FunTree { name, params, result, body, span: self.span(start) });
        } else if self.take("virtual") {
            let name = self.name()?;
            self.expect("{")?;
            let mut targets = Vec::new();
            while !self.take("}") {
                let record = self.name()?;
                self.expect("->")?;
                targets.push((record, self.name()?));
                self.expect(";")?;
            }
            program.virtuals.push(VirtualTree { name, targets, span: self.span(start) });
        } else if self.take("invariant") {
            let name = self.name()?;
            self.expect("=")?;
            let expr = self.expr()?;
            self.expect(";")?;
            program.invariants.push((name, expr, self.span(start)));
        } else if self.take("property") {
            program.properties.push(self.property(start)?);
        } else if self.take("thread") {
            program.procedures.push(self.procedure(start, ProcedureKind::Thread)?);
        } else if self.take("function") {
            program.procedures.push(self.procedure(start, ProcedureKind::Function)?);
        } else if !self.process_item(start, program)? {
            return self.fail("a declaration");
        }
        Ok(())
    }

    pub(super) fn record(&mut self, start: u32) -> Parsed<RecordTree> {
        let (throwable, scoped) = (self.take("throwable"), self.take("scoped"));
        self.expect("record")?;
        let name = self.name()?;
        let parents = if self.take("extends") { self.names()? } else { Vec::new() };
        self.expect("{")?;
        let mut declared = Vec::new();
        let mut fields = None;
        while !self.take("}") {
            if self.take("fields") {
                fields = Some(self.list(";", Self::name)?);
                continue;
            }
            let start = self.at();
            let ty = self.ty()?;
            let name = self.name()?;
            let number = self.marked_index("@")?;
            self.expect(";")?;
            declared.push(FieldTree { name, ty, number, span: self.span(start) });
        }
        Ok(RecordTree { name, throwable, scoped, parents, declared, fields, span: self.span(start) })
    }

    pub(super) fn variable(&mut self, start: u32, flags: Flags) -> Parsed<VariableTree> {
        let ty = self.ty()?;
        let name = self.name()?;
        let (dims, meaning) = (self.dims()?, self.meaning()?);
        let init = if self.take("=") { Some(self.expr()?) } else { None };
        self.expect(";")?;
        Ok(VariableTree { name, ty, dims, meaning, init, flags, span: self.span(start) })
    }
}
