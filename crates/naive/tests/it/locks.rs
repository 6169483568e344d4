//! Re-entrant monitors.

use super::*;

fn lock_state(state: &State) -> (Option<u32>, u32) {
    let mut locks = state.objects.values().filter_map(|object| match object.kind {
        ObjectKind::Lock { owner, count } => Some((owner, count)),
        _ => None,
    });
    locks.next_back().expect("a lock")
}

#[test]
fn locks_are_re_entrant_and_exclude_others() {
    let program = program(
        "program p; global lock l; thread T() {
          loc a: when l != null do { lock(l); } goto b;
          loc b: do { lock(l); } goto c;
          loc c: do { unlock(l); } goto d;
          loc d: do { unlock(l); } return;
        } thread M() { loc a: do { l := new lock; } return; } active M, T, T;",
    );
    let naive = Naive::new(&program);
    let mut counts = Vec::new();
    for steps in 2..=5 {
        let state = schedule(&naive, &[0, 1, 1, 1, 1][..steps]);
        counts.push((lock_state(&state), can_step(&naive, &state, 2)));
    }
    let held = |count| ((Some(1), count), false);
    assert_eq!(counts, [held(1), held(2), held(1), ((None, 0), true)]);
}

#[test]
fn questions_about_locks() {
    let program = program(
        "program p; global lock l; global int own; global int other; thread M() {
          loc a: do { l := new lock; } goto b;
          loc b: do { lock(l); own := (lockAvailable(l) ? 1 : 0) + (hasLock(l) ? 2 : 0); } goto c;
          loc c: do { unlock(l); own := own * 10 + (lockAvailable(l) ? 1 : 0) + (hasLock(l) ? 2 : 0); } return;
        } thread T() {
          loc a: do { other := 4 + (lockAvailable(l) ? 1 : 0) + (hasLock(l) ? 2 : 0); } return;
        } active M, T;",
    );
    let naive = Naive::new(&program);
    let state = schedule(&naive, &[0, 0, 1, 0]);
    assert_eq!((global(&naive, &state, "own"), global(&naive, &state, "other")), ("31".into(), "4".into()));
}

const MONITOR: &str = "program p; global lock l; global boolean was; thread M() {
      loc a: do { l := new lock; } goto b;
      loc b: do { lock(l); } goto c;
      loc c: do { notifyAll(l); } goto d;
      loc d: do { unlock(l); } return;
    } thread W() {
      loc a: do { lock(l); lock(l); } goto b;
      loc b: do { wait(l); } goto c;
      loc c: do { was := wasNotified(l); } goto d;
      loc d: do { unwait(l); } goto e;
      loc e: do { unlock(l); unlock(l); } return;
    } active M, W;";

#[test]
fn waiting_frees_the_lock_and_restores_the_count() {
    let program = program(MONITOR);
    let naive = Naive::new(&program);
    let waits = schedule(&naive, &[0, 1, 1]);
    assert_eq!(lock_state(&waits), (None, 0));
    assert_eq!(waits.threads[&1].waiting, Some(Waiting { lock: 0, count: 2, notified: false }));
    let blocked = schedule(&naive, &[0, 1, 1, 1]);
    assert_eq!(global(&naive, &blocked, "was"), "false");
    assert!(!can_step(&naive, &blocked, 1));
    // Notified, but the lock is held.
    let notified = schedule(&naive, &[0, 1, 1, 0, 0, 1]);
    assert_eq!(global(&naive, &notified, "was"), "true");
    assert!(!can_step(&naive, &notified, 1));
    let again = schedule(&naive, &[0, 1, 1, 0, 0, 1, 0, 1]);
    assert_eq!((lock_state(&again), again.threads[&1].waiting), ((Some(1), 2), None));
    let end = schedule(&naive, &[0, 1, 1, 0, 0, 1, 0, 1, 1]);
    assert_eq!((lock_state(&end), end.threads.len()), ((None, 0), 0));
}

#[test]
fn a_lock_that_a_thread_waits_for_is_a_root() {
    let program = program(
        "program p; global lock l; thread T() { loc a: do { l := new lock; lock(l); wait(l); l := null; } goto b;
        loc b: do { exit; } return; } active T;",
    );
    let naive = Naive::new(&program);
    let state = schedule(&naive, &[0]);
    assert_eq!(state.objects.len(), 1);
    // A thread that has ended does not wait.
    let state = schedule(&naive, &[0, 0]);
    assert!(state.objects.is_empty() && state.threads.is_empty());
}

#[test]
fn a_thread_that_ends_keeps_its_locks_and_they_keep_it() {
    let program = program(
        "program p; global lock l; thread T() { loc a: do { l := new lock; lock(l); } return; }
        thread U() { loc a: when l != null do { lock(l); } return; } thread V() { loc a: when l != null do { l := null; }
        return; } active T, U, V;",
    );
    let naive = Naive::new(&program);
    let state = schedule(&naive, &[0]);
    assert!(state.threads[&0].ended() && !can_step(&naive, &state, 1));
    let state = schedule(&naive, &[0, 2]);
    assert_eq!(state.threads.keys().collect::<Vec<_>>(), [&1]);
}

#[test]
fn notify_does_nothing_without_anybody_to_notify() {
    let program = program(
        "program p; global lock l; thread T() { loc a: do { l := new lock; lock(l); notify(l); notifyAll(l); } return; }
        active T;",
    );
    let naive = Naive::new(&program);
    assert_eq!(naive.steps(&naive.initial()).0, [Step { thread: 0, transition: 0, choice: 0 }]);
    assert!(run(&naive).is_ok());
}

#[test]
fn there_is_a_limit_to_holding_a_lock() {
    let program = program(
        "program p; global lock l; thread T() { loc a: do { l := new lock; } goto b; loc b: do { lock(l); } goto b; }
        active T;",
    );
    let Err(Stopped::Fault(fault)) = run(&Naive::new(&program)) else { panic!() };
    assert_eq!((fault.kind, fault.message.as_str()), (FaultKind::Range, "lock held more than 65535 times"));
}
