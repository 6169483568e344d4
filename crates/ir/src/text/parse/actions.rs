//! The actions of transitions.

use super::*;

const VERBS: &[(&str, Verb)] = &[
    ("assume", ActionKind::Assume),
    ("throw", ActionKind::Throw),
    ("delete", ActionKind::Delete),
    ("kill", ActionKind::Kill),
    ("lock", ActionKind::Lock),
    ("unlock", ActionKind::Unlock),
    ("wait", ActionKind::Wait),
    ("unwait", ActionKind::Unwait),
    ("notify", ActionKind::Notify),
    ("notifyAll", ActionKind::NotifyAll),
];

impl Parser {
    /// Actions in braces.
    pub(super) fn actions(&mut self) -> Parsed<Vec<ActionTree>> {
        self.expect("{")?;
        let mut actions = Vec::new();
        while !self.take("}") {
            actions.push(self.action()?);
            self.expect(";")?;
        }
        Ok(actions)
    }

    pub(super) fn args(&mut self) -> Parsed<Vec<Tree>> {
        self.expect("(")?;
        self.list(")", Self::expr)
    }

    pub(super) fn action(&mut self) -> Parsed<ActionTree> {
        let start = self.at();
        let kind = if self.take("exit") {
            ActionTreeKind::Exit
        } else if self.take("badcall") {
            ActionTreeKind::BadCall(self.string()?)
        } else if self.is("start") {
            self.start(None)?
        } else if self.take("assert") {
            let condition = self.expr()?;
            let message = if self.take(":") { Some(self.string()?) } else { None };
            ActionTreeKind::Assert(condition, message)
        } else if let Some(&(word, verb)) = VERBS.iter().find(|(word, _)| self.is(word)) {
            self.expect(word)?;
            ActionTreeKind::Do(verb, self.expr()?)
        } else if let Some(kind) = self.process_action()? {
            kind
        } else {
            let place = self.postfix()?;
            self.expect(":=")?;
            if self.is("start") {
                self.start(Some(place))?
            } else if self.take("new") {
                ActionTreeKind::New(place, self.new_object()?)
            } else if self.take("choose") {
                ActionTreeKind::Choose(place, self.expr()?)
            } else {
                ActionTreeKind::Assign(place, self.expr()?)
            }
        };
        Ok(ActionTree { kind, span: self.span(start) })
    }

    pub(super) fn start(&mut self, result: Option<Tree>) -> Parsed<ActionTreeKind> {
        self.expect("start")?;
        let procedure = self.name()?;
        let args = self.args()?;
        Ok(ActionTreeKind::Start { result, procedure, args, priority: self.priority()? })
    }

    pub(super) fn new_object(&mut self) -> Parsed<NewTree> {
        if self.take("block") {
            let record = self.name()?;
            self.expect("[")?;
            let length = self.expr()?;
            self.expect("]")?;
            return Ok(NewTree::Block(record, length));
        }
        if self.take_called("chan") {
            let name = self.name()?;
            self.expect(")")?;
            return Ok(NewTree::Channel(name));
        }
        let (ty, length) = self.dimensions(true)?;
        match (ty.kind, length) {
            (kind, Some(length)) => Ok(NewTree::Array(TypeTree { kind, at: ty.at }, length)),
            (TypeKind::Lock, None) => Ok(NewTree::Lock),
            (TypeKind::Named(name) | TypeKind::Record(name), None) => Ok(NewTree::Record(name)),
            _ => self.fail("the length of an array"),
        }
    }
}
