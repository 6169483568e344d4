//! Inner locations that are passed without stopping there.
//!
//! A step goes on through inner locations until it comes to one that is not. Nobody sees where the thread is meanwhile,
//! unless the program looks at locations. So where there is but one way on from an inner location, which is always open, the
//! body that leads on is run at once; and a transition that only asks whether an inner location is ready needs not go there.

use ir::{ExprKind, Guard, Id, Program};

use crate::code::{Code, GuardCode, Op, Opening, Pc, TransitionCode};

#[derive(Debug)]
pub struct Passages {
    /// By location: the body that leads on, and the transition that it is of.
    through: Vec<Option<(Pc, u32)>>,
    /// By transition: whether it does nothing but go to the inner location that it asks about.
    leads_in: Vec<bool>,
}

impl Passages {
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
        let way_on = |location: &ir::Location| match location.transitions[..] {
            [id] if location.fused && !looks && program.transitions[id].guard == Guard::Always => {
                let TransitionCode { opening, body, .. } = code.transitions[id.index()];
                matches!(opening, Opening::Other).then_some((body, id.0))
            }
            _ => None,
        };
        let mut through: Vec<Option<(Pc, u32)>> = program.locations.values().map(way_on).collect();
        // A thread that goes round for ever must come to a place where that is noticed.
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

/// Where a body leads to, if to a location.
fn target(code: &Code, body: Pc) -> Option<u32> {
    let end = code.ops[body as usize..].iter().position(|op| matches!(op, Op::BodyDone))?;
    target_at_once(code, body + end as Pc)
}

/// The same of one that does nothing.
fn target_at_once(code: &Code, body: Pc) -> Option<u32> {
    match code.ops[body as usize..] {
        [Op::BodyDone, Op::Goto(location), ..] => Some(location),
        _ => None,
    }
}
