//! Jump threading: fused locations that are passed without storing that the thread is there.
//!
//! A step goes on through fused locations until it comes to one that is not fused. Where the thread is
//! meanwhile cannot be observed, unless the program reads locations. So where a fused location has a single
//! transition, which is always enabled, its body is run at once; and a transition that only asks whether an
//! fused location is ready need not go there.

use ir::{ExprKind, Guard, Id, Program};

use crate::code::{Code, GuardCode, Op, Opening, Pc, TransitionCode};

#[derive(Debug)]
pub struct JumpThreading {
    /// By location: the body of its only transition, and the transition.
    through: Vec<Option<(Pc, u32)>>,
    /// By transition: whether it does nothing but jump to the fused location that its guard is about.
    leads_in: Vec<bool>,
}

impl JumpThreading {
    pub fn new(program: &Program, code: &Code) -> Self {
        let mut looks = false;
        program.each_expr(&mut |expr| {
            looks |= matches!(
                expr.kind,
                ExprKind::ThreadAt { .. }
                    | ExprKind::ThreadsAt { .. }
                    | ExprKind::ThreadLocation(_)
                    | ExprKind::ThreadEnabled(_)
            );
        });
        let only = |location: &ir::Location| match location.transitions[..] {
            [id] if location.fused && !looks && program.transitions[id].guard == Guard::Always => {
                let TransitionCode { opening, body, .. } = code.transitions[id.index()];
                matches!(opening, Opening::Other).then_some((body, id.0))
            }
            _ => None,
        };
        let mut through: Vec<Option<(Pc, u32)>> = program.locations.values().map(only).collect();
        // A cycle keeps one location where the thread stops, so that endless loops are noticed.
        for location in 0..through.len() {
            let mut at = location;
            for _ in 0..through.len() {
                match through[at].and_then(|(body, _)| target(code, body)) {
                    Some(next) => at = next as usize,
                    None => break,
                }
                if at == location {
                    through[location] = None;
                    break;
                }
            }
        }
        let goes_straight = |transition: &TransitionCode| match transition.guard {
            GuardCode::Ready(location) => !looks && target_at_once(code, transition.body) == Some(location),
            _ => false,
        };
        Self { through, leads_in: code.transitions.iter().map(goes_straight).collect() }
    }

    #[inline]
    pub fn through(&self, location: u32) -> Option<(Pc, u32)> {
        self.through[location as usize]
    }

    #[inline]
    pub fn leads_in(&self, transition: u32) -> bool {
        self.leads_in[transition as usize]
    }
}

/// The location to which a body jumps at its end.
fn target(code: &Code, body: Pc) -> Option<u32> {
    let end = code.ops[body as usize..].iter().position(|op| matches!(op, Op::BodyDone))?;
    target_at_once(code, body + end as Pc)
}

/// The location to which a body jumps that does nothing else.
fn target_at_once(code: &Code, body: Pc) -> Option<u32> {
    match code.ops[body as usize..] {
        [Op::BodyDone, Op::Goto(location), ..] => Some(location),
        _ => None,
    }
}
