//! Calls of an implementation by several threads at the same time, judged by a model of one call after the other.
//!
//! An object is *linearizable* if each call can be said to take effect at one moment between its begin and its end, so
//! that all answers are those of the calls in the order of these moments (Herlihy and Wing, 1990). Here threads call
//! an object, a clock that they share notes begins and ends, and an order is looked for in which the model answers what
//! the object answered: calls that overlap may be in any order, others stay in theirs (Wing and Gong, 1993; what was tried
//! with the same calls and the same state is not tried again: Lowe, 2017).

use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering::SeqCst};
use std::sync::mpsc::channel;
use std::{hint, thread};

use bits::SplitMix64;
use quotient_model::{Model, Program, Shape, Term};
use rustc_hash::FxHashSet;

use crate::possible::{Lost, Possible};
use crate::stepper::{message, shown};
use crate::turns::{Turns, turn};

/// An object that threads call at the same time.
pub trait Shared<M: Model>: Sync {
    /// Does what an action says, and gives back what the object answered, as in [`Stepper::act`](crate::Stepper::act).
    fn call(&self, action: &M::Action) -> Option<Term>;
}

/// Histories of an object that several threads call.
pub struct Concurrent<M: Model> {
    program: Program<M>,
    threads: usize,
    prefix: usize,
    calls: usize,
    histories: usize,
    seed: u64,
    in_turns: bool,
}

/// What histories found out about an object.
#[derive(Clone, Debug)]
#[must_use = "the result is to be looked at: `assert_linearizable`"]
pub struct Histories<A> {
    /// The number of histories, the wrong one included.
    pub histories: usize,
    /// The number of calls.
    pub calls: usize,
    /// The number of histories in which calls overlapped.
    pub overlapping: usize,
    /// The first history that no order of its calls explains.
    pub failure: Option<History<A>>,
}

/// A history that no order of its calls explains.
#[derive(Clone, Debug)]
pub struct History<A> {
    /// The calls, in the order of their begins.
    pub calls: Vec<Call<A>>,
    /// The most calls of it that some order explains.
    pub explained: usize,
    /// Why the model could not judge it.
    pub lost: Option<Lost>,
}

/// One call.
#[derive(Clone, Debug)]
pub struct Call<A> {
    /// The number of the thread; `None` before there were several.
    pub thread: Option<usize>,
    /// What was called.
    pub action: A,
    /// What it answered, or the message of its panic.
    pub answer: Result<Option<Term>, String>,
    /// When it began, by a clock that all threads share.
    pub begin: u64,
    /// When it ended.
    pub end: u64,
}

/// The greatest number of calls of a history.
const MOST_CALLS: usize = 64;

impl<M: Model> Concurrent<M>
where
    M::Action: Send + Sync,
{
    /// At first: 1,000 histories of 2 threads with 3 calls each, after 3 calls by one thread.
    pub const fn new(program: Program<M>) -> Self {
        Self { program, threads: 2, prefix: 3, calls: 3, histories: 1000, seed: 1, in_turns: false }
    }

    /// The number of threads, of calls by each, and of calls before.
    ///
    /// # Panics
    ///
    /// If there are more than 64 calls.
    #[must_use]
    pub fn threads(self, threads: usize, calls: usize, prefix: usize) -> Self {
        assert!(threads * calls + prefix <= MOST_CALLS, "a history has at most {MOST_CALLS} calls");
        Self { threads, prefix, calls, ..self }
    }

    /// The number of histories.
    #[must_use]
    pub fn histories(self, histories: usize) -> Self {
        Self { histories, ..self }
    }

    /// Lets one thread run at a time. Which one goes on is a random choice at the begin and the end of each call, and wherever
    /// the object calls [`turn`]. So a history happens again with the same seed. An object that does not call `turn`
    /// does one call after the other; one in which a thread waits for another must call it while it waits.
    #[must_use]
    pub fn in_turns(self) -> Self {
        Self { in_turns: true, ..self }
    }

    /// What random choices follow from. Unless threads run [in turns](Self::in_turns), what they do depends on more.
    #[must_use]
    pub fn seed(self, seed: u64) -> Self {
        Self { seed, ..self }
    }

    /// Lets threads call one object after the other, which `make` makes, up to the first history that no order explains.
    ///
    /// The calls are actions that are possible in all states that were met: the model must allow each call in whatever
    /// order they come.
    ///
    /// # Errors
    ///
    /// If the model has no such actions, or breaks rules of its own.
    pub fn run<S: Shared<M> + Send>(
        &self,
        mut make: impl FnMut() -> S,
    ) -> Result<Histories<M::Action>, Lost> {
        let actions = self.possible_always()?;
        let mut found = Histories { histories: 0, calls: 0, overlapping: 0, failure: None };
        let mut judge = Judge { program: &self.program, tried: FxHashSet::default(), explained: 0 };
        thread::scope(|scope| {
            let (answers, logs) = channel();
            let spawn = |number| {
                let (orders, jobs) = channel::<Arc<Job<S, M::Action>>>();
                let answers = answers.clone();
                scope.spawn(move || {
                    for job in jobs {
                        let log = job.branch::<M>(number);
                        drop(job);
                        answers.send(log).expect("somebody waits for it");
                    }
                });
                orders
            };
            let threads: Vec<_> = (0..self.threads).map(spawn).collect();
            for number in 0..self.histories {
                let mut random = SplitMix64::stream(self.seed, number as u64);
                let mut pick =
                    |count| -> Vec<M::Action> { (0..count).map(|_| random.pick(&actions).clone()).collect() };
                let prefix = pick(self.prefix);
                let branches = (0..self.threads).map(|_| pick(self.calls)).collect();
                let (object, clock, ready) = (make(), AtomicU64::new(0), AtomicUsize::new(0));
                let mut calls = perform(&object, None, &prefix, &clock, 0);
                let pauses = random.next_u64();
                let turns = self.in_turns.then(|| Turns::new(self.threads, random));
                let job = Arc::new(Job { object, branches, clock, ready, pauses, turns });
                for thread in &threads {
                    thread.send(Arc::clone(&job)).expect("it waits for jobs");
                }
                for _ in &threads {
                    calls.extend(logs.recv().expect("threads answer"));
                }
                calls.sort_by_key(|call: &Call<M::Action>| call.begin);
                found.histories += 1;
                found.calls += calls.len();
                found.overlapping += usize::from(calls.windows(2).any(|pair| pair[1].begin < pair[0].end));
                found.failure = judge.judge(calls);
                if found.failure.is_some() {
                    break;
                }
            }
        });
        Ok(found)
    }

    /// The actions that are possible in the initial states and in all that random steps lead to.
    fn possible_always(&self) -> Result<Vec<M::Action>, Lost> {
        let mut random = SplitMix64::stream(self.seed, u64::MAX);
        let mut always: Option<Vec<M::Action>> = None;
        for _ in 0..WALKS {
            let possible = Possible::new(&self.program, usize::MAX)?;
            let mut state = possible.states()[0].clone();
            for _ in 0..=self.prefix + self.threads * self.calls {
                let moves = possible.moves(&state)?;
                let has = |action: &M::Action| moves.iter().any(|step| step.action.order(action).is_eq());
                if let Some(always) = &mut always {
                    always.retain(has);
                } else {
                    let mut actions: Vec<M::Action> = moves.iter().map(|step| step.action.clone()).collect();
                    actions.dedup_by(|a, b| a.order(b).is_eq());
                    always = Some(actions);
                }
                let Some(step) = random.choose(&moves) else { break };
                state = step.to.clone();
            }
        }
        let always = always.unwrap_or_default();
        if always.is_empty() {
            return Err(Lost::Initial("no action of the model is possible in all states".to_owned()));
        }
        Ok(always)
    }
}

/// How often a thread looks for the others before it lets somebody else have its core.
const SPINS: u32 = 1 << 10;
/// The number of runs of the model that show which actions are always possible.
const WALKS: usize = 16;

/// Calls by one thread, one after the other. `pauses` has a bit for each after which the thread lets others go on.
fn perform<M: Model>(
    object: &impl Shared<M>,
    thread: Option<usize>,
    actions: &[M::Action],
    clock: &AtomicU64,
    pauses: u64,
) -> Vec<Call<M::Action>> {
    let call = |(number, action): (usize, &M::Action)| {
        if pauses >> (number % 64) & 1 == 1 {
            thread::yield_now();
        }
        let begin = clock.fetch_add(1, SeqCst);
        turn();
        let answer = catch_unwind(AssertUnwindSafe(|| object.call(action)));
        turn();
        let end = clock.fetch_add(1, SeqCst);
        Call { thread, action: action.clone(), answer: answer.map_err(|panic| message(&*panic)), begin, end }
    };
    actions.iter().enumerate().map(call).collect()
}

/// Looks for an order of calls that a model explains.
struct Judge<'p, M: Model> {
    program: &'p Program<M>,
    /// The calls that were done and the state they led to, from which no order was found.
    tried: FxHashSet<(u64, Term)>,
    explained: usize,
}

impl<M: Model> Judge<'_, M> {
    fn judge(&mut self, calls: Vec<Call<M::Action>>) -> Option<History<M::Action>> {
        self.tried.clear();
        self.explained = 0;
        let (is_explained, lost) = match self.explains(&calls) {
            Ok(is_explained) => (is_explained, None),
            Err(lost) => (false, Some(lost)),
        };
        (!is_explained).then_some(History { calls, explained: self.explained, lost })
    }

    fn explains(&mut self, calls: &[Call<M::Action>]) -> Result<bool, Lost> {
        let possible = Possible::new(self.program, usize::MAX)?;
        let mut open: Vec<(u64, M::State)> =
            possible.states().iter().map(|state| (0, state.clone())).collect();
        let mut impossible = None;
        let all = u64::MAX.checked_shr((MOST_CALLS - calls.len()) as u32).unwrap_or(0);
        while let Some((done, state)) = open.pop() {
            self.explained = self.explained.max(done.count_ones() as usize);
            if done == all {
                return Ok(true);
            }
            let left = || calls.iter().enumerate().filter(|&(number, _)| done >> number & 1 == 0);
            // A call that began after another one had ended comes after it.
            let first_end = left().map(|(_, call)| call.end).min().unwrap_or(u64::MAX);
            for (number, call) in left().take_while(|(_, call)| call.begin < first_end) {
                let Ok(answer) = &call.answer else { continue };
                let steps = possible.moves_by(&state, &call.action)?;
                if steps.is_empty() {
                    impossible = Some(&call.action);
                }
                for step in steps.into_iter().filter(|step| step.answers == answer.as_slice()) {
                    for to in possible.hidden_from(step.to)? {
                        let done = done | 1 << number;
                        if self.tried.insert((done, to.term())) {
                            open.push((done, to));
                        }
                    }
                }
            }
        }
        // The object is not to blame if the model does not say what such a call does.
        impossible.map_or(Ok(false), |action| Err(Lost::Impossible(action.term().to_string())))
    }
}

/// What threads do at the same time.
struct Job<S, A> {
    object: S,
    /// By thread.
    branches: Vec<Vec<A>>,
    clock: AtomicU64,
    /// The number of threads that are there.
    ready: AtomicUsize,
    /// Says how long threads wait before they begin.
    pauses: u64,
    turns: Option<Arc<Turns>>,
}

impl<S, A: Shape> Job<S, A> {
    fn branch<M: Model<Action = A>>(&self, number: usize) -> Vec<Call<A>>
    where
        S: Shared<M>,
    {
        if let Some(turns) = &self.turns {
            let calls = || perform(&self.object, Some(number), &self.branches[number], &self.clock, 0);
            return turns.take_part(number, calls);
        }
        // Nobody begins before all are there.
        self.ready.fetch_add(1, SeqCst);
        let mut turns = 0_u32;
        while self.ready.load(SeqCst) < self.branches.len() {
            turns += 1;
            if turns.is_multiple_of(SPINS) { thread::yield_now() } else { hint::spin_loop() }
        }
        for _ in 0..self.pauses.rotate_right(8 * number as u32) % 32 {
            hint::spin_loop();
        }
        let pauses = self.pauses.rotate_left(8 * number as u32);
        perform(&self.object, Some(number), &self.branches[number], &self.clock, pauses)
    }
}

impl<A: Shape> fmt::Display for History<A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(lost) = &self.lost {
            writeln!(f, "the model cannot judge a history: {lost}")?;
        } else {
            writeln!(
                f,
                "no order of {} calls gives these answers in the model; orders of at most {} do:",
                self.calls.len(),
                self.explained
            )?;
        }
        for (number, Call { thread, action, answer, begin, end }) in self.calls.iter().enumerate() {
            let who = thread.map_or("before  ".to_owned(), |thread| format!("thread {thread}"));
            let answer = match answer {
                Ok(answer) => shown(answer.as_slice()),
                Err(message) => format!("a panic: {message}"),
            };
            let line_end = if number + 1 == self.calls.len() { "" } else { "\n" };
            write!(f, "  {who}  {begin:>3}..{end:<3}  {}: {answer}{line_end}", action.term())?;
        }
        Ok(())
    }
}

impl<A: Shape> Histories<A> {
    /// Whether all histories are explained by some order of their calls.
    pub const fn are_linearizable(&self) -> bool {
        self.failure.is_none()
    }

    /// Fails if a history is not explained by any order of its calls.
    #[track_caller]
    pub fn assert_linearizable(&self) {
        if let Some(failure) = &self.failure {
            panic!("the object should be linearizable:\n{failure}");
        }
    }

    /// Fails if all histories are explained. Returns the one that is not.
    #[track_caller]
    pub fn assert_not_linearizable(&self) -> &History<A> {
        self.failure.as_ref().unwrap_or_else(|| {
            let Self { histories, overlapping, .. } = self;
            panic!("the object should not be linearizable: {histories} histories, {overlapping} with calls that overlap")
        })
    }
}

#[cfg(test)]
mod tests {
    use bits::SplitMix64;
    use quotient_model::{Cx, Doing};

    use super::*;

    /// A counter: each action adds to it and answers what it was. None is possible from a limit on.
    struct Counter(u8);

    #[derive(Clone, Copy, Debug, Shape)]
    struct Add(u8);

    impl Model for Counter {
        type State = u8;
        type Action = Add;

        fn initial(&self, _: &Cx<'_>, out: &mut Vec<u8>) {
            out.push(0);
        }

        fn actions(&self, _: &Cx<'_>, state: &u8, out: &mut Vec<Add>) {
            out.extend([Add(1), Add(2)].into_iter().filter(|_| *state < self.0));
        }

        fn apply(&self, doing: &mut Doing<'_>, state: &mut u8, action: &Add) {
            doing.output(state);
            *state += action.0;
        }
    }

    /// Whether some order of the calls that `done` leaves explains them.
    fn by_all_orders(calls: &[Call<Add>], done: u64, state: u8) -> bool {
        let left = || (0..calls.len()).filter(|&number| done >> number & 1 == 0);
        let may_be_next = |number: usize| left().all(|other| calls[other].end > calls[number].begin);
        left().next().is_none()
            || left().any(|number| {
                may_be_next(number)
                    && calls[number].answer == Ok(Some(state.term()))
                    && by_all_orders(calls, done | 1 << number, state + calls[number].action.0)
            })
    }

    #[test]
    fn calls_that_the_model_does_not_allow_are_not_judged() {
        let program = Program::new(Counter(2));
        let mut judge = Judge { program: &program, tried: FxHashSet::default(), explained: 0 };
        let call = |number: u8| Call {
            thread: None,
            action: Add(1),
            answer: Ok(Some(number.term())),
            begin: u64::from(2 * number),
            end: u64::from(2 * number + 1),
        };
        assert!(judge.judge((0..2).map(call).collect()).is_none());
        let history = judge.judge((0..3).map(call).collect()).expect("it is not explained");
        assert_eq!((history.explained, history.lost), (2, Some(Lost::Impossible("Add(1)".to_owned()))));
    }

    #[test]
    fn histories_are_judged_as_by_trying_all_orders() {
        let program = Program::new(Counter(u8::MAX));
        let mut judge = Judge { program: &program, tried: FxHashSet::default(), explained: 0 };
        let mut random = SplitMix64::new(11);
        let (mut right, mut wrong) = (0, 0);
        for _ in 0..4000 {
            let count = 1 + random.below(5);
            // Begins and ends of all calls, in any order that has each begin before its end.
            let mut moments = random.permutation(2 * count);
            moments.chunks_mut(2).for_each(<[u32]>::sort_unstable);
            // Answers of some order, of which one may be changed.
            let (mut state, mut answers) = (0, vec![0; count]);
            let actions: Vec<Add> = (0..count).map(|_| Add(1 + random.below(2) as u8)).collect();
            let mut order: Vec<usize> = (0..count).collect();
            order.sort_by_key(|&number| moments[2 * number] + random.below(4) as u32);
            for number in order {
                answers[number] = state;
                state += actions[number].0;
            }
            if random.chance(30) {
                answers[random.below(count)] = random.below(5) as u8;
            }
            let call = |number: usize| Call {
                thread: Some(number),
                action: actions[number],
                answer: Ok(Some(answers[number].term())),
                begin: moments[2 * number].into(),
                end: moments[2 * number + 1].into(),
            };
            let mut calls: Vec<Call<Add>> = (0..count).map(call).collect();
            calls.sort_by_key(|call| call.begin);
            let wanted = by_all_orders(&calls, 0, 0);
            if wanted {
                right += 1;
            } else {
                wrong += 1;
            }
            let failure = judge.judge(calls);
            assert_eq!(failure.is_none(), wanted, "{failure:?}");
        }
        assert!(right > 500 && wrong > 500, "{right} {wrong}");
    }
}
