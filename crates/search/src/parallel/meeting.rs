//! Where the threads of a search meet: one gives jobs, the others do them.
//!
//! Every worker does its share of every job. The one who gives a job waits until all have done that and have
//! let go of the job, so that what the job owns is the giver's alone again. If a worker panics, nobody waits
//! for it: the job fails, and the other workers leave.

use std::sync::PoisonError;
#[cfg(not(loom))]
use std::sync::{Condvar, Mutex, MutexGuard};

#[cfg(loom)]
use loom::sync::{Condvar, Mutex, MutexGuard};

/// Where the threads meet.
pub struct Meeting<J> {
    state: Mutex<State<J>>,
    /// Workers wait for jobs.
    given: Condvar,
    /// The giver waits for workers.
    done: Condvar,
}

struct State<J> {
    job: Option<J>,
    /// The number of jobs so far.
    number: u64,
    /// The workers that have not done the job yet.
    busy: usize,
    is_over: bool,
    has_panicked: bool,
}

/// A worker has panicked.
#[derive(Debug)]
pub struct Panicked;

impl<J: Clone> Meeting<J> {
    pub fn new() -> Self {
        let state = State { job: None, number: 0, busy: 0, is_over: false, has_panicked: false };
        Self { state: Mutex::new(state), given: Condvar::new(), done: Condvar::new() }
    }

    /// The lock is never held while anything runs that could panic.
    fn lock(&self) -> MutexGuard<'_, State<J>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Has a job done by all of `workers`, and waits for them.
    pub fn give(&self, job: J, workers: usize) -> Result<(), Panicked> {
        let mut state = self.lock();
        state.job = Some(job);
        state.number += 1;
        state.busy = workers;
        self.given.notify_all();
        while state.busy > 0 && !state.has_panicked {
            state = self.done.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        state.job = None;
        if state.has_panicked { Err(Panicked) } else { Ok(()) }
    }

    /// Does jobs until there are no more. The thread must have a [`Worker`].
    pub fn work(&self, mut work: impl FnMut(&J)) {
        let mut last = 0;
        loop {
            let mut state = self.lock();
            while state.number == last && !state.is_over {
                state = self.given.wait(state).unwrap_or_else(PoisonError::into_inner);
            }
            if state.is_over {
                return;
            }
            last = state.number;
            let job = state.job.clone().expect("a job stays until all have done it");
            drop(state);
            work(&job);
            // Who gave the job wants it back as soon as all are done.
            drop(job);
            let mut state = self.lock();
            state.busy -= 1;
            if state.busy == 0 {
                self.done.notify_one();
            }
        }
    }
}

impl<J> Meeting<J> {
    fn end(&self, has_panicked: bool) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.is_over = true;
        state.has_panicked |= has_panicked;
        self.given.notify_all();
        self.done.notify_one();
    }
}

/// Ends a meeting if a worker panics, in a job or before the first one.
pub struct Worker<'a, J>(pub &'a Meeting<J>);

impl<J> Drop for Worker<'_, J> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.end(true);
        }
    }
}

/// Ends a meeting when the giver of jobs leaves, for whatever reason.
pub struct Giver<'a, J>(pub &'a Meeting<J>);

impl<J> Drop for Giver<'_, J> {
    fn drop(&mut self) {
        self.0.end(false);
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use std::panic::{AssertUnwindSafe, catch_unwind};
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

    use super::*;

    /// Has jobs done by workers, and returns how often each was done.
    fn meet(workers: usize, jobs: usize, work: impl Fn(usize, usize) + Sync) -> Vec<Result<usize, ()>> {
        let meeting = Meeting::<Arc<(usize, AtomicUsize)>>::new();
        std::thread::scope(|scope| {
            let giver = Giver(&meeting);
            for worker in 0..workers {
                let (meeting, work) = (&meeting, &work);
                scope.spawn(move || {
                    let done = AssertUnwindSafe(|| {
                        let _worker = Worker(meeting);
                        meeting.work(|job| {
                            work(worker, job.0);
                            job.1.fetch_add(1, Relaxed);
                        });
                    });
                    _ = catch_unwind(done);
                });
            }
            let give = |number| {
                let job = Arc::new((number, AtomicUsize::new(0)));
                giver.0.give(Arc::clone(&job), workers).map_err(|_| ())?;
                Ok(Arc::into_inner(job).expect("all have let go").1.into_inner())
            };
            (0..jobs).map(give).collect()
        })
    }

    #[test]
    fn every_worker_does_every_job_once() {
        for workers in [1, 2, 3, 8] {
            assert_eq!(meet(workers, 300, |_, _| {}), vec![Ok(workers); 300]);
        }
    }

    #[test]
    fn nobody_waits_for_a_worker_that_panics() {
        for workers in [1, 2, 5] {
            let results =
                meet(workers, 10, |worker, job| assert!(worker > 0 || job < 4, "wanted by the test"));
            assert_eq!(results[..4], vec![Ok(workers); 4]);
            assert_eq!(results[4..], vec![Err(()); 6]);
        }
    }

    #[test]
    fn workers_leave_with_the_giver() {
        assert_eq!(meet(3, 0, |_, _| {}), []);
    }
}

/// All interleavings of few workers: `RUSTFLAGS="--cfg loom" cargo test --release -p quotient-search --lib loom`.
#[cfg(all(test, loom))]
mod loom_tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

    use loom::thread;

    use super::*;

    type Job = Arc<AtomicUsize>;

    /// Tries all interleavings with at most three switches away from a thread that could go on.
    fn explore(test: impl Fn() + Send + Sync + 'static) {
        let mut builder = loom::model::Builder::new();
        builder.preemption_bound = Some(3);
        builder.check(test);
    }

    /// Has jobs done by workers, of which the first fails at job `fails_at`.
    fn meet(workers: usize, jobs: usize, fails_at: Option<usize>) {
        let meeting = Arc::new(Meeting::<Job>::new());
        let spawn = |worker: usize| {
            let meeting = Arc::clone(&meeting);
            thread::spawn(move || {
                let mut done = 0;
                meeting.work(|job| {
                    if worker == 0 && fails_at == Some(done) {
                        // What a worker does that panics, except that it does not come back for more.
                        meeting.end(true);
                    }
                    job.fetch_add(1, Relaxed);
                    done += 1;
                });
            })
        };
        let threads: Vec<_> = (0..workers).map(spawn).collect();
        for number in 0..jobs {
            let job = Job::default();
            let result = meeting.give(Arc::clone(&job), workers);
            if fails_at.is_some_and(|at| at <= number) {
                assert!(result.is_err(), "a failure is noticed");
                break;
            }
            assert!(result.is_ok());
            let done = Arc::into_inner(job).expect("all have let go of it");
            assert_eq!(done.into_inner(), workers, "all have done it once");
        }
        meeting.end(false);
        for thread in threads {
            thread.join().unwrap();
        }
    }

    #[test]
    fn loom_every_worker_does_every_job_once() {
        explore(|| meet(1, 3, None));
        explore(|| meet(2, 2, None));
    }

    #[test]
    fn loom_nobody_waits_for_a_worker_that_fails() {
        explore(|| meet(1, 2, Some(1)));
        explore(|| meet(2, 2, Some(0)));
        explore(|| meet(2, 2, Some(1)));
    }
}
