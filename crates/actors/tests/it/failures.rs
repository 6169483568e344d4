//! Timers, choices, crashes, storage and partitions, with numbers of states that can be counted by hand.

use quotient_actors::{Action, Actor, Addr, Draft, Network, Never, NoOps, Out, System};
use quotient_model::{Kind, Reached, Set, Shape, Symmetry};

/// Counts ticks of a timer up to a number, and then cancels the other one.
struct Clock(u8);

#[derive(Clone, Copy, PartialEq, Debug, Shape)]
enum Timer {
    Tick,
    Never,
}

impl Actor for Clock {
    type State = u8;
    type Msg = Never;
    type Timer = Timer;
    type Random = Never;
    type Storage = Never;
    fn on_start(&self, _: Addr, _: Option<&Never>, out: &mut Out<Self>) -> u8 {
        out.set_timer(Timer::Tick);
        out.set_timer(Timer::Never);
        0
    }
    fn on_timeout(&self, _: Addr, ticks: &mut Draft<'_, u8>, timer: &Timer, out: &mut Out<Self>) {
        match timer {
            Timer::Tick if **ticks < self.0 => {
                **ticks += 1;
                out.set_timer(Timer::Tick);
            }
            Timer::Tick => out.cancel_timer(Timer::Never),
            Timer::Never => out.set_timer(Timer::Never),
        }
    }
}

#[test]
fn timers() {
    let clocks = |count, noops| System::new().group("clock", count, |_| Clock(2)).noops(noops).program();
    // 0, 1, 2 ticks, and then nothing is set.
    let report = clocks(1, NoOps::Consume).check().assert_holds();
    assert_eq!((report.states, report.transitions), (4, 6));
    // The other timer only sets itself again.
    let report = clocks(1, NoOps::Ignore).check().assert_holds();
    assert_eq!((report.states, report.transitions), (4, 3));
    assert_eq!(clocks(3, NoOps::Consume).check().symmetry(Symmetry::None).assert_holds().states, 64);
    assert_eq!(clocks(3, NoOps::Consume).check().assert_holds().states, 20);
}

/// Chooses a number, or another choice.
struct Dice;

impl Actor for Dice {
    type State = Option<u8>;
    type Msg = Never;
    type Timer = Never;
    type Random = u8;
    type Storage = Never;
    fn on_start(&self, _: Addr, _: Option<&Never>, out: &mut Out<Self>) -> Option<u8> {
        out.choose_random("first", [1, 2, 2]);
        out.choose_random("second", [7, 8]);
        None
    }
    fn on_random(&self, _: Addr, state: &mut Draft<'_, Option<u8>>, random: &u8, out: &mut Out<Self>) {
        state.set(Some(*random));
        if *random == 1 {
            out.remove_random("second");
        }
    }
}

#[test]
fn choices() {
    let report = System::new().pinned("dice", 1, |_| Dice).program().check().assert_holds();
    // Nothing; 1 alone; 2, 7 or 8 with the other choice open; 1, 2, 7 or 8 with none open.
    assert_eq!((report.states, report.transitions), (1 + 3 + 4, 4 + 2 + 2 + 2));
}

/// Counts messages, and saves the count.
struct Counter {
    peers: Set<Addr>,
    saves: bool,
}

impl Actor for Counter {
    type State = u8;
    type Msg = ();
    type Timer = Never;
    type Random = Never;
    type Storage = u8;
    fn on_start(&self, _: Addr, stored: Option<&u8>, out: &mut Out<Self>) -> u8 {
        if stored.is_none() {
            out.save(0);
            out.broadcast(&self.peers, &());
        }
        stored.copied().unwrap_or(0)
    }
    fn on_msg(&self, _: Addr, count: &mut Draft<'_, u8>, _: Addr, (): &(), out: &mut Out<Self>) {
        **count += 1;
        if self.saves {
            out.save(**count);
        }
    }
}

fn counters(saves: bool) -> System<Counter> {
    System::new().group("counter", 2, move |place| Counter { peers: place.peers(), saves })
}

#[test]
fn crashes_and_storage() {
    let states =
        |system: System<Counter>| system.program().check().symmetry(Symmetry::None).assert_holds().states;
    assert_eq!(states(counters(true)), 4);
    // Each is up or down, not both down, and got its message or not.
    assert_eq!(states(counters(true).crashes(1)), 3 * 4);
    assert_eq!(states(counters(true).crashes(2)), 4 * 4);
    // Those who do not save may have forgotten: up with the message on its way, counted or forgotten.
    assert_eq!(states(counters(false).crashes(2)), 5 * 5);
    // Who is down stays down: its message on its way, or counted before.
    assert_eq!(states(counters(true).crashes(2).recover(false)), 4 * 4);
    let forgets = |saves| {
        let remembers = counters(saves).crashes(1).invariant("nothing is forgotten", |view| {
            !view.network().is_empty() || view.actors().all(|(_, &count)| count == 1)
        });
        remembers.program()
    };
    forgets(true).check().assert_holds();
    assert_eq!(forgets(false).check().assert_violates(Kind::Invariant).run.len(), 4);
    let report = counters(true).crashes(1).program().check().assert_holds();
    assert_eq!((report.states, report.broken.len()), (7, 0));
}

#[test]
fn partitions() {
    let states = |count, pairs| {
        let system =
            System::new().group("counter", count, |place| Counter { peers: place.peers(), saves: false });
        let report = system.partitions(pairs).program().check().assert_holds();
        assert!(report.broken.is_empty(), "{:?}", report.broken);
        report.states
    };
    // Each got the message of the other or not, and they are cut off or not: 3 orbits twice.
    assert_eq!(states(2, 0), 3);
    assert_eq!(states(2, 1), 6);
    // A pair that is cut off, of three, and who got which of six messages: by Burnside's lemma.
    let all = System::new().group("counter", 3, |place| Counter { peers: place.peers(), saves: false });
    let plain = all.partitions(1).program().check().symmetry(Symmetry::None).assert_holds().states;
    assert_eq!(plain, 64 * 4);
    // Fixed by the identity: 64 * 4; by each of three swaps: 8 pairs of arrows in 3 orbits, 2 cuts; by each of two
    // rotations: 2 orbits of arrows, no cut.
    assert_eq!(states(3, 1), (64 * 4 + 3 * 8 * 2 + 2 * 4) / 6);
}

/// Each of two messages is on its way or not, and the pair is cut off or not. Only while it is not, messages arrive.
#[test]
fn nothing_arrives_across_a_cut() {
    let mut program = counters(false).partitions(1).program();
    let (arrivals, cuts, heals) = (2 + 1 + 1, 4, 4);
    program.check().symmetry(Symmetry::None).assert_counts(2 * 4, arrivals + cuts + heals);
    // The same for each of two pairs of three that are cut off at a time.
    let system = System::new().group("counter", 3, |place| Counter { peers: place.peers(), saves: false });
    let program = system.partitions(2).program();
    let mut state = program.initial_states().unwrap().remove(0);
    for cut in 0..3 {
        let steps = program.successors(&state).unwrap();
        let count = |is: fn(&Act) -> bool| steps.iter().filter(|step| is(&step.action)).count();
        assert_eq!(count(|action| matches!(action, Action::Deliver(_))), 6 - 2 * cut);
        assert_eq!(count(|action| matches!(action, Action::Heal(_))), cut);
        assert_eq!(count(|action| matches!(action, Action::Cut(_))), if cut < 2 { 3 - cut } else { 0 });
        let next = steps.iter().find(|step| matches!(step.action, Action::Cut(_)));
        if let Some(Reached::State(next)) = next.map(|step| &step.result) {
            state = next.clone();
        }
    }
    // What was cut off can be healed, both ways.
    let steps = program.successors(&state).unwrap();
    let healed = steps.iter().find(|step| matches!(step.action, Action::Heal(_))).map(|step| &step.result);
    let Some(Reached::State(healed)) = healed else { panic!("it can be healed") };
    assert_eq!(healed.cuts.len(), 2);
}

type Act = Action<(), Never, Never>;

#[test]
fn who_is_down_stays_down_unless_it_may_recover() {
    let system = |recovers| {
        let system = counters(true).crashes(1).recover(recovers).proposition("down", |view| view.down() > 0);
        system.ltl("for good", "[] (down -> [] down)").program()
    };
    system(false).check().assert_holds();
    system(true).check().assert_violates(Kind::Property);
}

/// A message is lost whether its receiver is up or down.
#[test]
fn messages_to_those_who_are_down_can_be_lost() {
    let program = counters(true).crashes(1).lossy(true).program();
    let state = program.initial_states().unwrap().remove(0);
    let steps = program.successors(&state).unwrap();
    let crash = steps.iter().find(|step| matches!(step.action, Action::Crash(_))).map(|step| &step.result);
    let Some(Reached::State(state)) = crash else { panic!("it can go down") };
    let steps = program.successors(state).unwrap();
    let count = |is: fn(&Act) -> bool| steps.iter().filter(|step| is(&step.action)).count();
    assert_eq!(count(|action| matches!(action, Action::Drop(_))), 2);
    assert_eq!(count(|action| matches!(action, Action::Deliver(_))), 1);
    assert_eq!(count(|action| matches!(action, Action::Recover(_))), 1);
}

/// While its receiver is down, no message arrives.
#[test]
fn messages_wait() {
    let waits = counters(false).crashes(1).recover(false).network(Network::Ordered);
    waits
        .reachable("a message waits for ever", |view| view.down() == 1 && view.network().len() == 1)
        .program()
        .check()
        .assert_holds();
}

/// Sends messages to itself for ever, and is done when its timer expires, or when it chooses.
struct Restless {
    waits: bool,
}

impl Actor for Restless {
    type State = bool;
    type Msg = ();
    type Timer = ();
    type Random = ();
    type Storage = Never;
    fn on_start(&self, me: Addr, _: Option<&Never>, out: &mut Out<Self>) -> bool {
        out.send(me, ());
        if self.waits {
            out.set_timer(());
        } else {
            out.choose_random("end", [()]);
        }
        false
    }
    fn on_msg(&self, me: Addr, _: &mut Draft<'_, bool>, _: Addr, (): &(), out: &mut Out<Self>) {
        out.send(me, ());
    }
    fn on_timeout(&self, _: Addr, is_done: &mut Draft<'_, bool>, (): &(), _: &mut Out<Self>) {
        is_done.set(true);
    }
    fn on_random(&self, _: Addr, is_done: &mut Draft<'_, bool>, (): &(), _: &mut Out<Self>) {
        is_done.set(true);
    }
}

/// Messages that arrive all the time do not keep a timer from expiring, nor a choice from being made.
#[test]
fn each_kind_of_step_is_fair() {
    for waits in [true, false] {
        let system = || {
            let system = System::new().pinned("actor", 1, move |_| Restless { waits });
            system
                .proposition("done", |view| view.actors().all(|(_, is_done)| *is_done))
                .ltl("ends", "<> done")
        };
        system().fair().program().check().assert_holds();
        system().program().check().assert_violates(Kind::Property);
    }
}
