//! Monitors against all orders of the calls of random histories.

use bits::SplitMix64;
use quotient_actors::monitor::{
    History, Linearizability, Queue, QueueOp, QueueRet, Register, RegisterOp, RegisterRet, Sequential, Stack,
    StackOp, StackRet,
};

/// A call, with the moments at which it began and ended.
#[derive(Clone, Debug)]
struct Call<S: Sequential> {
    client: u8,
    op: S::Op,
    begin: usize,
    /// With the result.
    end: Option<(usize, S::Ret)>,
}

/// Whether some order of the calls, all that ended and some of the others, explains the results: by trying all.
fn is_explained<S: Sequential>(object: &S, left: &[Call<S>], in_real_time: bool) -> bool {
    if left.iter().all(|call| call.end.is_none()) {
        return true;
    }
    (0..left.len()).any(|at| {
        let precedes = |other: &Call<S>| {
            let is_earlier = other.end.as_ref().is_some_and(|(end, _)| *end < left[at].begin);
            is_earlier && (in_real_time || other.client == left[at].client)
        };
        if left.iter().any(precedes) {
            return false;
        }
        let (mut object, mut rest) = (object.clone(), left.to_vec());
        let call = rest.remove(at);
        let ret = object.invoke(&call.op);
        call.end.is_none_or(|(_, observed)| observed == ret) && is_explained(&object, &rest, in_real_time)
    })
}

/// A random history; results are those of the object at a random moment of each call, or wrong.
fn compare<S: Sequential>(
    initial: &S,
    random: &mut SplitMix64,
    op: impl Fn(&mut SplitMix64) -> S::Op,
    wrong: impl Fn(&mut SplitMix64, &S::Op) -> S::Ret,
) -> [usize; 3] {
    let mut counts = [0; 3];
    for _ in 0..testing::effort(1_500) {
        let mut monitor = Linearizability::<u8, S>::new(initial.clone());
        let (mut history, mut loose) = (History::<u8, S>::in_real_time(), History::<u8, S>::without_time());
        let (mut calls, mut object) = (Vec::<Call<S>>::new(), initial.clone());
        // By client: its open call, and its result if it took effect.
        let mut open: [Option<(usize, Option<S::Ret>)>; 3] = [None, None, None];
        for now in 0..12 {
            let client = random.below(3) as u8;
            let slot = &mut open[usize::from(client)];
            match slot.take() {
                None if calls.len() < 6 => {
                    let op = op(random);
                    monitor.invoke(client, op.clone());
                    history.invoke(client, op.clone());
                    loose.invoke(client, op.clone());
                    *slot = Some((calls.len(), None));
                    calls.push(Call { client, op, begin: now, end: None });
                }
                None => {}
                Some((call, None)) => {
                    let ret = object.invoke(&calls[call].op);
                    let is_wrong = random.below(8) == 0;
                    *slot = Some((call, Some(if is_wrong { wrong(random, &calls[call].op) } else { ret })));
                }
                Some((call, Some(ret))) => {
                    monitor.returns(client, &ret);
                    history.returns(client, ret.clone());
                    loose.returns(client, ret.clone());
                    calls[call].end = Some((now, ret));
                }
            }
            let linearizable = is_explained(initial, &calls, true);
            let sequential = is_explained(initial, &calls, false);
            assert_eq!(monitor.is_consistent(), linearizable, "{calls:#?}");
            assert_eq!(history.is_consistent_with(initial), linearizable, "{calls:#?}");
            assert_eq!(loose.is_consistent_with(initial), sequential, "{calls:#?}");
            counts[usize::from(linearizable) + usize::from(sequential)] += 1;
        }
    }
    counts
}

#[test]
fn registers_against_all_orders() {
    let mut random = SplitMix64::new(3);
    let counts = compare(
        &Register(0u8),
        &mut random,
        |random| match random.below(2) {
            0 => RegisterOp::Read,
            _ => RegisterOp::Write(random.below(3) as u8),
        },
        |random, op| match op {
            RegisterOp::Read => RegisterRet::ReadOk(random.below(3) as u8),
            RegisterOp::Write(_) => RegisterRet::WriteOk,
        },
    );
    assert!(counts.iter().all(|&count| count > 50), "{counts:?}");
}

#[test]
fn stacks_against_all_orders() {
    let mut random = SplitMix64::new(4);
    let counts = compare(
        &Stack(vec![0u8]),
        &mut random,
        |random| match random.below(2) {
            0 => StackOp::Pop,
            _ => StackOp::Push(random.below(3) as u8),
        },
        |random, op| match op {
            StackOp::Pop => StackRet::Popped(random.below(4).checked_sub(1).map(|value| value as u8)),
            StackOp::Push(_) => StackRet::Pushed,
        },
    );
    assert!(counts.iter().all(|&count| count > 50), "{counts:?}");
}

#[test]
fn queues_against_all_orders() {
    let mut random = SplitMix64::new(5);
    let counts = compare(
        &Queue(vec![0u8]),
        &mut random,
        |random| match random.below(2) {
            0 => QueueOp::Take,
            _ => QueueOp::Add(random.below(3) as u8),
        },
        |random, op| match op {
            QueueOp::Take => QueueRet::Taken(random.below(4).checked_sub(1).map(|value| value as u8)),
            QueueOp::Add(_) => QueueRet::Added,
        },
    );
    assert!(counts.iter().all(|&count| count > 50), "{counts:?}");
}

#[test]
fn calls_that_make_no_sense_are_inconsistent() {
    let mut monitor = Linearizability::<u8, _>::new(Register(0u8));
    monitor.returns(1, &RegisterRet::WriteOk);
    assert!(!monitor.is_consistent());
    let mut monitor = Linearizability::<u8, _>::new(Register(0u8));
    monitor.invoke(1, RegisterOp::Read);
    assert!(monitor.is_consistent());
    monitor.invoke(1, RegisterOp::Read);
    assert!(!monitor.is_consistent());
    let mut history = History::<u8, Register<u8>>::in_real_time();
    history.invoke(1, RegisterOp::Read);
    history.invoke(1, RegisterOp::Read);
    assert!(!history.is_consistent_with(&Register(0)));
}
