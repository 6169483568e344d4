//! Histories of calls, and whether some order of them explains the results.
//!
//! The search goes through all orders that keep the calls of each client in theirs and, for linearizability,
//! calls that ended before another one began before it (Wing and Gong, 1993). It is exponential; histories of
//! models are short.

use quotient_model::{Map, Seq, Shape};

use super::Sequential;

/// A call of a client.
#[derive(Clone, Debug, Shape)]
struct Call<C, Op, Ret> {
    op: Op,
    /// The result, when it ended.
    ret: Option<Ret>,
    /// The number of calls of other clients that had ended when it began.
    after: Map<C, u8>,
}

/// The calls of a client, in their order.
type Calls<C, S> = Seq<Call<C, <S as Sequential>::Op, <S as Sequential>::Ret>>;

/// All calls that clients of type `C` made of an object of type `S`.
///
/// ```
/// use quotient_actors::monitor::{History, Register, RegisterOp, RegisterRet};
/// // Ann writes 1; after that Bob still reads 0.
/// let mut histories = [History::in_real_time(), History::without_time()];
/// for history in &mut histories {
///     assert!(history.is_empty());
///     history.invoke('a', RegisterOp::Write(1_u8));
///     history.returns('a', RegisterRet::WriteOk);
///     history.invoke('b', RegisterOp::Read);
///     history.returns('b', RegisterRet::ReadOk(0));
///     assert_eq!(history.len(), 2);
/// }
/// assert_eq!(histories.map(|history| history.is_consistent_with(&Register(0))), [false, true]);
/// ```
#[derive(Clone, Debug, Shape)]
pub struct History<C, S: Sequential> {
    calls: Map<C, Calls<C, S>>,
    in_real_time: bool,
    /// A client called twice, or got an answer without a call.
    is_broken: bool,
}

#[allow(clippy::needless_pass_by_value, reason = "clients and operations are small, and callers own them")]
impl<C: Shape, S: Sequential> History<C, S> {
    /// An empty history that will remember which calls ended before others began: for linearizability.
    pub fn in_real_time() -> Self {
        Self { calls: Map::new(), in_real_time: true, is_broken: false }
    }

    /// An empty history that will only remember the order of the calls of each client: for sequential
    /// consistency.
    pub fn without_time() -> Self {
        Self { in_real_time: false, ..Self::in_real_time() }
    }

    /// The number of calls.
    pub fn len(&self) -> usize {
        self.calls.values().map(Vec::len).sum()
    }

    /// Whether there were no calls.
    pub fn is_empty(&self) -> bool {
        self.calls.is_empty()
    }

    /// A client begins a call.
    pub fn invoke(&mut self, client: C, op: S::Op) {
        let mut after = Map::new();
        if self.in_real_time {
            for (other, calls) in self.calls.iter().filter(|(other, _)| other.order(&client).is_ne()) {
                let ended = calls.iter().filter(|call| call.ret.is_some()).count();
                if ended > 0 {
                    after.insert(other.clone(), ended as u8);
                }
            }
        }
        let ours = self.calls.entry_or_default(client);
        self.is_broken |= ours.last().is_some_and(|last| last.ret.is_none());
        ours.push(Call { op, ret: None, after });
    }

    /// The call of a client ends.
    pub fn returns(&mut self, client: C, ret: S::Ret) {
        match self.calls.get_mut(&client).and_then(|calls| calls.last_mut()) {
            Some(call) if call.ret.is_none() => call.ret = Some(ret),
            _ => self.is_broken = true,
        }
    }

    /// Whether some order of the calls explains the results, if the object is this at first.
    pub fn is_consistent_with(&self, initial: &S) -> bool {
        let clients: Vec<_> = self.calls.iter().collect();
        !self.is_broken && explains(&clients, &mut vec![0; clients.len()], initial)
    }
}

/// A client and its calls.
type Line<'a, C, S> = (&'a C, &'a Calls<C, S>);

/// Goes on from where `done` calls of each client took effect.
fn explains<C: Shape, S: Sequential>(clients: &[Line<'_, C, S>], done: &mut [usize], object: &S) -> bool {
    let is_left = |at: usize, done: &[usize]| clients[at].1[done[at]..].iter().any(|call| call.ret.is_some());
    if !(0..clients.len()).any(|at| is_left(at, done)) {
        return true;
    }
    for at in 0..clients.len() {
        let Some(call) = clients[at].1.get(done[at]) else { continue };
        let is_after =
            |other: usize| call.after.get(clients[other].0).is_none_or(|&n| done[other] >= n.into());
        if !(0..clients.len()).all(is_after) {
            continue;
        }
        let mut next = object.clone();
        let ret = next.invoke(&call.op);
        if call.ret.as_ref().is_some_and(|observed| *observed != ret) {
            continue;
        }
        done[at] += 1;
        let is_explained = explains(clients, done, &next);
        done[at] -= 1;
        if is_explained {
            return true;
        }
    }
    false
}
