//! Random walks: one path through the state space, the same one for the same seed.

use system::{Bound, Fault, Fired, Halt, Step, Steps, TransitionSystem};

use crate::trail::{DEADLOCK, Trail, is_deadlock};

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Walk {
    /// The steps taken. A step that faults or leaves a bound is the last one.
    pub trail: Trail,
    pub end: WalkEnd,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum WalkEnd {
    /// A proper end of the model.
    Ended,
    /// Something is wrong with the last step or the last state, or the last state is a deadlock.
    Fault(Fault),
    /// The last step leads out of a bound.
    Truncated(Bound),
    /// A state property of the last state was not evaluated because that exceeds a bound.
    Unevaluated(Bound),
    /// As many steps as were asked for.
    Steps,
}

/// Takes up to `max_steps` steps from the initial state, each chosen uniformly among those enabled. A guard
/// that cannot be evaluated is an error of the state, so it ends the walk there.
pub fn walk<S: TransitionSystem>(system: &S, seed: u64, max_steps: usize) -> Walk {
    let mut random = SplitMix64(seed);
    let mut state = system.initial();
    let mut offered = Steps::default();
    let mut taken: Vec<Step> = Vec::new();
    let end = loop {
        match system.check(&mut state) {
            Ok(()) => {}
            Err(Halt::Fault(fault)) => break WalkEnd::Fault(fault),
            Err(Halt::Truncated(bound)) => break WalkEnd::Unevaluated(bound),
            Err(Halt::Abandoned) => unreachable!("the state heeds no alarm"),
        }
        system.steps(&mut state, &mut offered);
        if is_deadlock(system, &state, &offered) {
            break WalkEnd::Fault(DEADLOCK);
        }
        if offered.is_empty() {
            break WalkEnd::Ended;
        }
        if taken.len() == max_steps {
            break WalkEnd::Steps;
        }
        if let Some(&(step, fault)) = offered.faults.first() {
            taken.push(step);
            break WalkEnd::Fault(fault);
        }
        let step = offered.enabled[random.below(offered.enabled.len())];
        taken.push(step);
        match system.fire(&mut state, step) {
            Fired::Moved => {}
            Fired::Flawed(fault) | Fired::Fault(fault) => break WalkEnd::Fault(fault),
            Fired::Truncated(bound) => break WalkEnd::Truncated(bound),
            Fired::Abandoned => unreachable!("the state heeds no alarm"),
        }
    };
    Walk { trail: taken.into(), end }
}

/// Steele, Lea and Flood's generator: one addition and a mix, the same on every machine.
struct SplitMix64(u64);

impl SplitMix64 {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    }

    /// A number below `n`, uniform up to a bias of `n` in 2^64.
    fn below(&mut self, n: usize) -> usize {
        ((u128::from(self.next()) * n as u128) >> 64) as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_generator_is_the_published_one() {
        let mut random = SplitMix64(1_234_567);
        let published = [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423];
        assert_eq!(published.map(|_| random.next()), published);
    }
}
