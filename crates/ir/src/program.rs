use std::collections::BTreeSet;

use source::Span;

use crate::{
    Action, ActionKind, Callee, Const, EnumId, Expr, ExprKind, FieldId, FunId, GlobalId, LocalId, LocationId,
    Place, ProcedureId, RecordId, StringId, Table, TransitionId, TypeId, Types, VirtualId,
};

/// A whole model.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Program {
    pub name: String,
    pub types: Types,
    pub enums: Table<EnumId, Enum>,
    pub records: Table<RecordId, Record>,
    pub fields: Table<FieldId, Field>,
    pub strings: Table<StringId, String>,
    pub globals: Table<GlobalId, Variable>,
    pub funs: Table<FunId, Fun>,
    pub procedures: Table<ProcedureId, Procedure>,
    pub virtuals: Table<VirtualId, Virtual>,
    pub locations: Table<LocationId, Location>,
    pub transitions: Table<TransitionId, Transition>,
    /// The threads of the initial state: procedures without parameters, one entry per thread.
    pub active: Vec<ProcedureId>,
    pub invariants: Vec<Invariant>,
    /// Temporal properties, kept as written.
    pub temporal: Vec<Temporal>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Enum {
    pub name: String,
    pub elements: Vec<String>,
    /// Its elements are interchangeable: nothing but equality can be asked of them.
    pub is_abstract: bool,
    pub span: Span,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Record {
    pub name: String,
    /// The records it extends.
    pub parents: Vec<RecordId>,
    /// All ancestors in ascending order, the record itself included.
    pub ancestors: Vec<RecordId>,
    /// All fields, inherited ones first, each once.
    pub fields: Vec<FieldId>,
    pub throwable: bool,
    pub span: Span,
}

impl Program {
    /// The constants of abstract enums that invariants and assertions name, ascending, each once.
    pub fn pinned(&self) -> Vec<(EnumId, u32)> {
        let asserted =
            self.transitions.values().flat_map(|transition| &transition.body).filter_map(|action| {
                match &action.kind {
                    ActionKind::Assert(condition) => Some(condition),
                    _ => None,
                }
            });
        let mut open: Vec<_> =
            self.invariants.iter().map(|invariant| &invariant.expr).chain(asserted).collect();
        let mut pinned = BTreeSet::new();
        while let Some(expr) = open.pop() {
            if let ExprKind::Const(Const::Enum(id, element)) = expr.kind
                && self.enums.get(id).is_some_and(|item| item.is_abstract)
            {
                pinned.insert((id, element));
            }
            open.extend(expr.operands());
        }
        pinned.into_iter().collect()
    }
}

impl Record {
    pub fn descends_from(&self, ancestor: RecordId) -> bool {
        self.ancestors.binary_search(&ancestor).is_ok()
    }
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Field {
    pub name: String,
    pub ty: TypeId,
    /// The record that declares it.
    pub owner: RecordId,
    pub span: Span,
}

/// A global, parameter or local variable.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Variable {
    pub name: String,
    pub ty: TypeId,
    /// The value it starts with, if not the default. Parameters have none.
    pub init: Option<Const>,
    /// Made by a front end, not written by the user: traces do not show it.
    pub hidden: bool,
    pub span: Span,
}

/// A pure function. It may be recursive; recursion deeper than the bound on frames exceeds that bound.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Fun {
    pub name: String,
    pub params: Vec<(String, TypeId)>,
    pub result: TypeId,
    pub body: Expr,
    pub span: Span,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Procedure {
    pub name: String,
    pub kind: ProcedureKind,
    /// Parameters, then variables.
    pub locals: Table<LocalId, Variable>,
    pub params: usize,
    pub result: Option<TypeId>,
    pub entry: LocationId,
    pub catches: Vec<Catch>,
    pub span: Span,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ProcedureKind {
    Thread,
    Function,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Catch {
    pub record: RecordId,
    pub variable: LocalId,
    pub covers: Vec<LocationId>,
    pub handler: LocationId,
    pub span: Span,
}

/// Dispatch on the dynamic record of the first argument.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Virtual {
    pub name: String,
    /// By record; closed under descent by the front end, at most one entry per record.
    pub targets: Vec<(RecordId, ProcedureId)>,
    pub span: Span,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Location {
    pub name: String,
    pub procedure: ProcedureId,
    pub kind: LocationKind,
    /// In order of preference of the searches: they try the first one first.
    pub transitions: Vec<TransitionId>,
    /// Other threads do not interleave here while this thread can move.
    pub atomic: bool,
    /// The locals whose values matter from here on, where the model says so.
    pub live: Option<Vec<LocalId>>,
    /// Made by a front end for a part of a statement, with no name of its own in the source.
    pub hidden: bool,
    pub span: Span,
}

impl Location {
    /// For the catch tables: the location that the user knows.
    pub fn origin(&self, this: LocationId) -> LocationId {
        match &self.kind {
            LocationKind::Plain => this,
            LocationKind::Resume { origin, .. } => *origin,
        }
    }
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum LocationKind {
    Plain,
    /// Where a frame stands while a call it made is active. It has no transitions: when the callee returns, its
    /// result is stored to `result` (the operands of which are evaluated then) and the frame jumps on.
    Resume {
        origin: LocationId,
        result: Option<Place>,
        then: Jump,
    },
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Transition {
    pub source: LocationId,
    pub guard: Guard,
    pub body: Vec<Action>,
    pub exit: Exit,
    /// Whether the model calls it invisible: a hint for reductions, without meaning of its own.
    pub invisible: bool,
    pub span: Span,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Guard {
    Always,
    When(Expr),
    /// If no other transition of the location is enabled.
    Else,
}

/// How a transition leaves its location.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Exit {
    Jump(Jump),
    /// `resume` is a [`LocationKind::Resume`] location of the same procedure.
    Call {
        callee: Callee,
        args: Vec<Expr>,
        resume: LocationId,
    },
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Jump {
    Goto(LocationId),
    Return(Option<Expr>),
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Invariant {
    pub name: String,
    /// Over globals only.
    pub expr: Expr,
    pub span: Span,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Temporal {
    pub name: String,
    pub formula: String,
    pub span: Span,
}

#[cfg(test)]
mod tests {
    use crate::testing::program;

    #[test]
    fn pinned_are_the_abstract_constants_that_properties_name() {
        let program = program(
            "program p;
            abstract enum I { a, b, c }
            enum E { a, b }
            abstract enum J { a, b }
            global I i;
            global J j;
            global E e = E::a;
            fun same(I v, I w) returns boolean = v == w;
            thread T() {
              loc l:
                do { assert j == J::b || exists(all I, same, i == null ? I::c : i); assume e == E::b; } goto l;
                do { i := choose all I; assert i != I::c; } return;
            }
            invariant one = i != I::a;
            invariant two = Set<I>(i, null) != Set<I>(I::a) && e == E::a;",
        );
        let names = |(id, element): (crate::EnumId, u32)| {
            let item = &program.enums[id];
            format!("{}::{}", item.name, item.elements[element as usize])
        };
        let pinned: Vec<_> = program.pinned().into_iter().map(names).collect();
        assert_eq!(pinned, ["I::a", "I::c", "J::b"]);
    }
}
