//! Which steps a state has, and what becomes of them.

use ir::{
    Expr, Guard, LocationId, MAX_CHOICES, MAX_MICRO_STEPS, ProcedureId, Scope, TOO_MANY_CHOICES, TransitionId,
};
use system::{Bound, FaultKind, Step};

use crate::collect::collect;
use crate::eval::{Eval, initial_value};
use crate::fault::{Stop, exceeded};
use crate::machine::{Machine, add_thread};
use crate::state::Shown;
use crate::{Naive, NaiveFault, OnBound, State, Stopped};

/// What a transition comes to for a thread at its source.
enum Attempt {
    Disabled,
    /// The guard cannot be evaluated.
    Fault(NaiveFault),
    /// It can be taken, with each of these choices.
    Enabled(Vec<u32>),
}

/// The steps of one or all threads: those that can be fired, and those whose guard faults.
type Steps = (Vec<Step>, Vec<(Step, NaiveFault)>);

impl Naive<'_> {
    /// The initial state. The bound on threads does not apply to those that are active from the start.
    pub fn initial(&self) -> State {
        let program = self.program;
        let globals = program.globals.values().map(|global| initial_value(program, global));
        let mut state = State {
            globals: globals.collect(),
            threads: [].into(),
            objects: [].into(),
            exclusive: None,
            serials: Shown::default(),
        };
        for (id, &procedure) in program.active.iter().enumerate() {
            self.activate(&mut state, id as u32, procedure);
        }
        state
    }

    fn activate(&self, state: &mut State, id: u32, procedure: ProcedureId) {
        let frame = self.frame(procedure, Vec::new(), &[]);
        let frame = frame.unwrap_or_else(|_| unreachable!("without parameters nothing is out of range"));
        add_thread(state, id, procedure, frame);
    }

    /// The steps that can be fired (some of them to a fault or out of bounds), and those whose guard faults.
    /// Both are in order of threads, then of the location's transitions, then of choices.
    pub fn steps(&self, state: &State) -> (Vec<Step>, Vec<(Step, NaiveFault)>) {
        let (mut enabled, mut faults) = (Vec::new(), Vec::new());
        for &thread in state.threads.keys() {
            if state.exclusive.is_none_or(|exclusive| exclusive == thread) {
                let own = self.steps_of(state, thread);
                enabled.extend(own.0);
                faults.extend(own.1);
            }
        }
        (enabled, faults)
    }

    /// Fires a step, together with what follows it in an atomic block.
    pub fn fire(&self, state: &State, step: Step) -> Result<State, Stopped> {
        let mut next = self.micro_step(state, step)?;
        next.exclusive = None;
        let mut taken = 0;
        while self.inside_atomic(&next, step.thread) {
            match self.steps_of(&next, step.thread) {
                (enabled, faults) if enabled.is_empty() && faults.is_empty() => break,
                (enabled, faults) if enabled.len() == 1 && faults.is_empty() && taken < MAX_MICRO_STEPS => {
                    next = self.micro_step(&next, enabled[0])?;
                    taken += 1;
                }
                _ => {
                    next.exclusive = Some(step.thread);
                    break;
                }
            }
        }
        collect(&mut next);
        Ok(next)
    }

    fn inside_atomic(&self, state: &State, thread: u32) -> bool {
        let frames = state.threads.get(&thread).map_or(&[][..], |thread| &thread.frames);
        frames.iter().any(|frame| self.program.locations[frame.location].atomic)
    }

    /// The first invariant that does not hold or cannot be evaluated. There is no step that exceeding a bound
    /// could truncate, so here it always is a fault.
    pub fn check(&self, state: &State) -> Option<NaiveFault> {
        if state.exclusive.is_some() {
            return None;
        }
        let (program, bounds, scope) = (self.program, self.bounds, Scope::Program);
        program.invariants.iter().find_map(|invariant| {
            let eval = Eval { program, bounds, state, thread: None, variables: &[], scope, calls: 0 };
            match eval.bool(&invariant.expr) {
                Ok(true) => None,
                Ok(false) => {
                    let message = format!("`{}` does not hold", invariant.name);
                    Some(NaiveFault { kind: FaultKind::Invariant, span: invariant.span, message })
                }
                Err(Stop::Fault(fault)) => Some(fault),
                Err(Stop::Exceeded(bound, span)) => Some(exceeded(bound, span, bounds)),
                Err(Stop::Blocked) => unreachable!("expressions do not block"),
            }
        })
    }

    /// Nobody can step, no guard faults, and somebody has not ended.
    pub fn deadlocked(&self, state: &State) -> bool {
        let (enabled, faults) = self.steps(state);
        enabled.is_empty() && faults.is_empty() && state.threads.values().any(|thread| !thread.ended())
    }

    fn steps_of(&self, state: &State, thread: u32) -> Steps {
        let (mut enabled, mut faults) = (Vec::new(), Vec::new());
        let Some(location) = location(state, thread) else { return (enabled, faults) };
        for &id in &self.program.locations[location].transitions {
            let step = |choice| Step { thread, transition: id.0, choice };
            match self.attempt(state, thread, id) {
                Attempt::Disabled => {}
                Attempt::Fault(fault) => faults.push((step(0), fault)),
                Attempt::Enabled(choices) => enabled.extend(choices.into_iter().map(step)),
            }
        }
        (enabled, faults)
    }

    fn attempt(&self, state: &State, thread: u32, id: TransitionId) -> Attempt {
        let transition = &self.program.transitions[id];
        match &transition.guard {
            Guard::Always => {}
            Guard::When(guard) => match self.evaluator(state, thread).bool(guard) {
                Ok(true) => {}
                Ok(false) => return Attempt::Disabled,
                Err(stop) => {
                    return match stop.stopped(self.bounds, self.on_bound) {
                        Stopped::Fault(fault) => Attempt::Fault(fault),
                        // The step exists, and firing it leads out of bounds.
                        Stopped::Truncated(_) => Attempt::Enabled(vec![0]),
                        Stopped::NotEnabled => Attempt::Disabled,
                    };
                }
            },
            Guard::Else => {
                let others = &self.program.locations[transition.source].transitions;
                let disabled = |&other: &TransitionId| {
                    other == id || matches!(self.attempt(state, thread, other), Attempt::Disabled)
                };
                if !others.iter().all(disabled) {
                    return Attempt::Disabled;
                }
            }
        }
        match self.choices(state, thread, id) {
            choices if choices.is_empty() => Attempt::Disabled,
            choices => Attempt::Enabled(choices),
        }
    }

    /// The choices with which the body meets no obstacle, ascending.
    fn choices(&self, state: &State, thread: u32, id: TransitionId) -> Vec<u32> {
        let mut found = Vec::new();
        let mut prefix = Vec::new();
        loop {
            let mut met: Vec<(u32, u32)> = Vec::new();
            let mut machine = Machine { naive: self, state: state.clone(), thread };
            let outcome = machine.run(id, &mut |alternatives| {
                let digit = prefix.get(met.len()).copied().unwrap_or(0);
                met.push((digit, alternatives));
                digit
            });
            let ways = met.iter().fold(1_u64, |ways, &(_, radix)| ways.saturating_mul(radix.into()));
            if ways > MAX_CHOICES {
                return vec![TOO_MANY_CHOICES];
            }
            if !matches!(outcome, Err(Stop::Blocked)) {
                let number = |rest: u32, &(digit, radix): &(u32, u32)| radix * rest + digit;
                found.push(met.iter().rev().fold(0, number));
            }
            // The next resolution in depth-first order, if there is one.
            while met.pop_if(|&mut (digit, radix)| digit + 1 == radix).is_some() {}
            let Some((last, _)) = met.last_mut() else { break };
            *last += 1;
            prefix = met.iter().map(|&(digit, _)| digit).collect();
        }
        found.sort_unstable();
        found
    }

    /// One transition, without what follows in an atomic block, and without collecting garbage.
    fn micro_step(&self, state: &State, step: Step) -> Result<State, Stopped> {
        let id = TransitionId(step.transition);
        let here = location(state, step.thread).ok_or(Stopped::NotEnabled)?;
        if state.exclusive.is_some_and(|exclusive| exclusive != step.thread)
            || !self.program.locations[here].transitions.contains(&id)
        {
            return Err(Stopped::NotEnabled);
        }
        match &self.program.transitions[id].guard {
            Guard::Always => {}
            Guard::When(guard) => self.guard(state, step, guard)?,
            Guard::Else => {
                if matches!(self.attempt(state, step.thread, id), Attempt::Disabled) {
                    return Err(Stopped::NotEnabled);
                }
            }
        }
        if step.choice == TOO_MANY_CHOICES {
            return Err(if self.choices(state, step.thread, id) != [TOO_MANY_CHOICES] {
                Stopped::NotEnabled
            } else if self.on_bound == OnBound::Truncate {
                Stopped::Truncated(Bound::Threads)
            } else {
                let (kind, span) = (FaultKind::Bound(Bound::Threads), self.program.transitions[id].span);
                let message = format!("more than {MAX_CHOICES} ways to choose");
                Stopped::Fault(NaiveFault { kind, span, message })
            });
        }
        let mut rest = step.choice;
        let mut machine = Machine { naive: self, state: state.clone(), thread: step.thread };
        let outcome = machine.run(id, &mut |alternatives| {
            let digit = rest % alternatives;
            rest /= alternatives;
            digit
        });
        if rest != 0 {
            return Err(Stopped::NotEnabled);
        }
        outcome.map_err(|stop| stop.stopped(self.bounds, self.on_bound))?;
        Ok(machine.state)
    }

    fn guard(&self, state: &State, step: Step, guard: &Expr) -> Result<(), Stopped> {
        match self.evaluator(state, step.thread).bool(guard) {
            Ok(true) => Ok(()),
            // What faults before any choice point has the one choice 0.
            Err(stop) if step.choice == 0 => Err(stop.stopped(self.bounds, self.on_bound)),
            Ok(false) | Err(_) => Err(Stopped::NotEnabled),
        }
    }
}

/// Where a thread is, unless it has ended or does not exist.
fn location(state: &State, thread: u32) -> Option<LocationId> {
    state.threads.get(&thread)?.frames.last().map(|frame| frame.location)
}
