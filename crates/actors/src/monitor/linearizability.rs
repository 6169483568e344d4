//! Linearizability as a determinised specification.
//!
//! What is kept is the set of everything that may have happened: the object, and for each open call whether it
//! has taken effect and with which result. When a call begins, it is added to each possibility, and so are the
//! possibilities in which open calls have taken effect in any order. When it ends, the possibilities stay in
//! which it took effect with its result. If none is left, no order explains what was observed. This is the
//! just-in-time linearization of Lowe, "Testing for linearizability" (2017), as a subset construction: of the
//! past, only what still matters is in the state.

use std::fmt;

use quotient_model::{Map, Set, Shape};

use super::Sequential;

/// One thing that may have happened.
#[derive(Clone, Debug, Shape)]
struct Possibility<C, S, Op, Ret> {
    object: S,
    open: Map<C, Call<Op, Ret>>,
}

/// An open call.
#[derive(Clone, Debug, Shape)]
enum Call<Op, Ret> {
    /// It did not take effect yet.
    Pending(Op),
    /// It took effect, and has this result.
    Done(Ret),
}

/// What clients of type `C` may have done with an object of type `S`.
///
/// ```
/// use quotient_actors::monitor::{Linearizability, Register, RegisterOp, RegisterRet};
/// let mut seen = Linearizability::new(Register(0_u8));
/// seen.invoke('a', RegisterOp::Write(1));
/// // The write took effect, or did not yet.
/// assert_eq!(seen.possibilities(), 2);
/// seen.returns('a', &RegisterRet::WriteOk);
/// seen.invoke('b', RegisterOp::Read);
/// seen.returns('b', &RegisterRet::ReadOk(0));
/// assert!(!seen.is_consistent());
/// ```
#[derive(Clone, Shape)]
pub struct Linearizability<C, S: Sequential> {
    possible: Set<Possibility<C, S, S::Op, S::Ret>>,
    /// A client called twice, or got an answer without a call.
    is_broken: bool,
}

impl<C: fmt::Debug, S: Sequential> fmt::Debug for Linearizability<C, S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_broken {
            return f.write_str("a client called twice, or got an answer without a call");
        }
        self.possible.fmt(f)
    }
}

#[allow(clippy::needless_pass_by_value, reason = "clients and operations are small, and callers own them")]
impl<C: Shape, S: Sequential> Linearizability<C, S> {
    /// Nothing happened yet to an object.
    pub fn new(object: S) -> Self {
        Self { possible: Set::from_iter([Possibility { object, open: Map::new() }]), is_broken: false }
    }

    /// A client begins a call.
    pub fn invoke(&mut self, client: C, op: S::Op) {
        let possible = std::mem::take(&mut self.possible);
        let mut new = Vec::new();
        for possibility in &possible {
            let mut possibility = possibility.clone();
            let before = possibility.open.insert(client.clone(), Call::Pending(op.clone()));
            self.is_broken |= before.is_some();
            new.push(possibility);
        }
        while let Some(possibility) = new.pop() {
            for (caller, call) in possibility.open.iter() {
                let Call::Pending(op) = call else { continue };
                let mut next = possibility.clone();
                let ret = next.object.invoke(op);
                next.open.insert(caller.clone(), Call::Done(ret));
                if !self.possible.contains(&next) {
                    new.push(next);
                }
            }
            self.possible.insert(possibility);
        }
    }

    /// The call of a client ends.
    pub fn returns(&mut self, client: C, ret: &S::Ret) {
        let possible = std::mem::take(&mut self.possible);
        for possibility in &possible {
            let mut possibility = possibility.clone();
            match possibility.open.remove(&client) {
                Some(Call::Done(result)) if result == *ret => _ = self.possible.insert(possibility),
                Some(_) => {}
                None => self.is_broken = true,
            }
        }
    }

    /// Whether some order of the calls explains what was observed.
    pub fn is_consistent(&self) -> bool {
        !self.is_broken && !self.possible.is_empty()
    }

    /// The number of things that may have happened.
    pub fn possibilities(&self) -> usize {
        self.possible.len()
    }
}
