//! What actions do besides changing the state: choices, remarks, new individuals and objects; several initial
//! states; violations that are told together.

use quotient_model::{
    Cx, Doing, Fairness, Goals, Heap, Kind, Model, Obstacle, Order, Process, Program, Properties, Reached,
    Ref, Remark, Set, Shape, Symmetry, Verdict, sort,
};

/// Throws of two dice, where the second depends on the first.
struct Dice;

#[derive(Clone, PartialEq, Debug, Shape)]
struct Throw {
    dice: Option<(u8, u8)>,
}

impl Model for Dice {
    type State = Throw;
    type Action = ();

    fn initial(&self, _: &Cx<'_>, out: &mut Vec<Throw>) {
        out.push(Throw { dice: None });
    }

    fn actions(&self, _: &Cx<'_>, state: &Throw, out: &mut Vec<()>) {
        out.extend(state.dice.is_none().then_some(()));
    }

    fn apply(&self, doing: &mut Doing<'_>, state: &mut Throw, (): &()) {
        let Some(first) = doing.choose(0..3_u8) else { return };
        // After a 0 there is nothing to choose from: this does not happen.
        let Some(second) = doing.choose(1..=first) else { return };
        doing.note(format_args!("{first} and {second}"));
        doing.output(&second);
        doing.covers("throws");
        state.dice = Some((first, second));
    }

    fn properties(&self, to: &mut Properties<Throw>) {
        to.invariant("small", |_, state| state.dice.is_none_or(|(a, b)| a + b < 4));
        to.invariant("odd", |_, state| state.dice.is_none_or(|(a, b)| a + b != 2));
        to.reachable("three", |_, state| state.dice == Some((2, 1)));
        to.view("sum", |_, state| state.dice.map(|(a, b)| a + b));
    }
}

#[test]
fn choices_are_made_in_every_way() {
    let program = Program::new(Dice);
    let initial = program.initial_states().unwrap().remove(0);
    let mut throws: Vec<(u8, u8)> = Vec::new();
    for successor in program.successors(&initial).unwrap() {
        let Reached::State(state) = &successor.result else { panic!("it moves") };
        let (first, second) = state.dice.unwrap();
        let note = Remark::Note(format!("{first} and {second}"));
        assert_eq!(successor.remarks, [note, Remark::Output(second.term()), Remark::Covers("throws")]);
        assert_eq!(program.views(state), [("sum", format!("Some({})", first + second))]);
        throws.push((first, second));
    }
    throws.sort_unstable();
    assert_eq!(throws, [(1, 1), (2, 1), (2, 2)]);
}

#[test]
fn violations_are_told_together() {
    for order in [Order::BreadthFirst, Order::DepthFirst] {
        let mut program = Program::new(Dice);
        let report = program.check().order(order).keep_going().run();
        assert_eq!((report.states, report.transitions), (4, 3));
        let mut places: Vec<&str> =
            report.violations.iter().map(|violation| violation.place.as_str()).collect();
        places.sort_unstable();
        assert_eq!(places, ["odd", "small"]);
        assert_eq!(report.covered, ["throws"]);
        for violation in &report.violations {
            assert_eq!(violation.run.len(), 1);
            assert_eq!(violation.run[0].remarks.len(), 3);
        }
        assert_eq!(program.check().order(order).run().violations.len(), 1);
    }
}

/// Counts from several numbers on, up to a limit, and stays there.
struct Counter;

impl Model for Counter {
    type State = (u8, bool);
    type Action = u8;

    fn initial(&self, _: &Cx<'_>, out: &mut Vec<(u8, bool)>) {
        out.extend([(0, false), (5, false), (5, true)]);
    }

    fn actions(&self, _: &Cx<'_>, state: &(u8, bool), out: &mut Vec<u8>) {
        if state.0 < 8 {
            out.push(1);
            out.extend(state.1.then_some(0));
        }
    }

    fn apply(&self, _: &mut Doing<'_>, state: &mut (u8, bool), by: &u8) {
        state.0 += by;
    }

    fn accepting(&self, _: &Cx<'_>, state: &(u8, bool)) -> bool {
        !state.1
    }

    fn obstacles(&self, _: &Cx<'_>, _: &(u8, bool), out: &mut Vec<Obstacle>) {
        let (condition, place) = ("state.0 < 8".to_owned(), "here".to_owned());
        out.push(Obstacle { action: "1".to_owned(), condition, place });
    }

    fn properties(&self, to: &mut Properties<(u8, bool)>) {
        to.proposition("high", |_, state| state.0 >= 6);
        to.ltl("gets high", "<> high");
        to.ltl("stays high", "[] (high -> [] high)");
        to.proposition("begun", |_, _| true);
        to.ltl("begins", "begun");
    }
}

#[test]
fn several_initial_states() {
    for order in [Order::BreadthFirst, Order::DepthFirst] {
        let mut program = Program::new(Counter);
        let report = program.check().order(order).keep_going().run();
        // 0..=8 and, with the flag, 5..=8; three of them have a loop.
        assert_eq!((report.states, report.transitions), (13, 8 + 6));
        let Verdict::Violated(deadlock) = &report.goals[0].verdict else { panic!("{}", report.verdict) };
        assert_eq!((deadlock.kind, deadlock.initial), (Kind::Deadlock, Some((5, true))));
        assert_eq!(deadlock.run.last().unwrap().state, Some((8, true)));
        assert_eq!(deadlock.obstacles.len(), 1);
        let Verdict::Violated(lasso) = &report.goals[1].verdict else { panic!("{}", report.verdict) };
        assert_eq!((lasso.kind, lasso.initial, lasso.cycle), (Kind::Property, Some((5, true)), Some(0)));
        assert_eq!((lasso.run.len(), lasso.is_closed), (1, true));
        assert!(matches!(report.goals[2].verdict, Verdict::Holds));
        // What comes before the initial states is not observed.
        assert!(matches!(report.goals[3].verdict, Verdict::Holds));
    }
}

sort! { pub struct Guest: dynamic; }

#[derive(Clone, Debug, Shape)]
struct Job {
    owner: Guest,
    left: u8,
}

/// Guests come, each with a job that is worked on, and go.
#[derive(Clone, Debug, Shape)]
struct Inn {
    guests: Set<Guest>,
    jobs: Heap<Job>,
    open: Set<Ref<Job>>,
    /// A guest knocked last.
    knocked: bool,
}

#[derive(Clone, Debug, Shape)]
enum Event {
    Come(Guest),
    Work(Ref<Job>),
    Knock(Guest),
    Go(Guest, Ref<Job>),
    Replace(Guest, Ref<Job>),
}

struct Innkeeper {
    most: usize,
    listens: bool,
}

impl Model for Innkeeper {
    type State = Inn;
    type Action = Event;

    fn initial(&self, _: &Cx<'_>, out: &mut Vec<Inn>) {
        out.push(Inn { guests: Set::new(), jobs: Heap::new(), open: Set::new(), knocked: false });
    }

    fn actions(&self, cx: &Cx<'_>, state: &Inn, out: &mut Vec<Event>) {
        if state.guests.len() < self.most {
            out.extend(cx.fresh(state).map(Event::Come));
        }
        for &job in &state.open {
            let Job { owner, left } = state.jobs[job];
            out.push(Event::Knock(owner));
            if left > 0 {
                out.push(Event::Work(job));
            } else {
                out.extend([Event::Go(owner, job), Event::Replace(owner, job)]);
            }
        }
    }

    fn apply(&self, doing: &mut Doing<'_>, state: &mut Inn, event: &Event) {
        let come = |state: &mut Inn, guest: Guest| {
            state.guests.insert(guest);
            let job = state.jobs.add(Job { owner: guest, left: 1 });
            state.open.insert(job);
        };
        state.knocked = self.listens && matches!(event, Event::Knock(_));
        match *event {
            Event::Come(guest) => come(state, guest),
            Event::Work(job) => state.jobs[job].left -= 1,
            Event::Knock(_) => {}
            Event::Go(guest, job) => {
                state.open.remove(&job);
                state.guests.remove(&guest);
            }
            Event::Replace(guest, job) => {
                state.open.remove(&job);
                state.guests.remove(&guest);
                let other = doing.fresh(state);
                if let Some(other) = other {
                    assert!(other != guest, "a new guest is not the one that went");
                    come(state, other);
                }
            }
        }
    }

    fn process(&self, _: &Cx<'_>, event: &Event) -> Process {
        match *event {
            Event::Come(_) => Process::Named("door"),
            Event::Work(job) | Event::Go(_, job) | Event::Replace(_, job) => Process::of(job),
            Event::Knock(guest) => Process::of(guest),
        }
    }

    fn properties(&self, to: &mut Properties<Inn>) {
        to.invariant("one job each", |_, state| {
            state.guests.len() == state.open.len() && state.open.len() == state.jobs.len()
        });
        to.proposition("busy", |_, state| state.jobs.iter().any(|(_, job)| job.left > 0));
        to.proposition("idle", |_, state| state.jobs.is_empty());
        to.proposition("full", |_, state| state.guests.len() == 2);
        to.ltl("rests", "[] <> !busy");
        to.ltl("empties", "[] <> idle");
        to.ltl("fills", "[] <> (full || idle)");
        to.ltl("settles", "<> [] busy || [] <> !busy");
        to.ltl("comes", "<> !idle");
        if self.listens {
            to.proposition("knocked", |_, state| state.knocked);
            to.ltl("knocks", "[] <> (knocked || idle)");
        }
    }
}

/// Objects and dynamic individuals as processes. The verdicts without symmetry are the oracle.
#[test]
fn objects_that_act() {
    for fairness in [Fairness::None, Fairness::Weak, Fairness::Strong] {
        let verdicts = [Symmetry::None, Symmetry::Full].map(|symmetry| {
            let mut program = Program::new(Innkeeper { most: 2, listens: false }).sort::<Guest>(3);
            let report = program.check().symmetry(symmetry).fairness(fairness).run();
            let verdict = |goal: &quotient_model::GoalReport<_, _>| match &goal.verdict {
                Verdict::Holds => true,
                Verdict::Violated(_) => false,
                other => panic!("{}: {other}", goal.name),
            };
            report.goals.iter().map(verdict).collect::<Vec<_>>()
        });
        assert_eq!(verdicts[0], verdicts[1], "{fairness:?}");
        let is_fair = fairness != Fairness::None;
        // Under fairness the door lets somebody in as long as there is room. There may always be a job with work.
        assert_eq!(verdicts[0], [true, false, false, is_fair, true, true], "{fairness:?}");
    }
}

#[test]
fn symmetry_of_objects_and_guests() {
    let states = |symmetry| {
        let mut program = Program::new(Innkeeper { most: 2, listens: false }).sort::<Guest>(3);
        program.check().symmetry(symmetry).goals(Goals::Safety).assert_holds().states
    };
    // Nobody, one guest with work or without, two guests with 0, 1 or 2 that have work.
    assert_eq!(states(Symmetry::Full), 6);
    assert!(states(Symmetry::None) > 6);
    let mut program = Program::new(Innkeeper { most: 2, listens: false }).sort::<Guest>(2);
    let report = program.check().goals(Goals::Safety).run();
    assert!(matches!(report.verdict, Verdict::HoldsUpTo(_)), "{}", report.verdict);
}

/// Guests are replaced before they knock. Nothing is owed to those that are gone, even if a later guest has the
/// same number.
#[test]
fn fairness_ends_with_the_individual() {
    for fairness in [Fairness::None, Fairness::Weak, Fairness::Strong] {
        for symmetry in [Symmetry::None, Symmetry::Full] {
            let mut program = Program::new(Innkeeper { most: 2, listens: true }).sort::<Guest>(3);
            let check = program.check().symmetry(symmetry).fairness(fairness);
            let violation = check.goals(Goals::Formula("knocks".to_owned())).assert_violates(Kind::Property);
            assert!(violation.run.len() > 2, "{fairness:?} {symmetry:?}");
        }
    }
}

sort! { pub struct Player; }

#[derive(Clone, Debug, Shape)]
struct Game {
    last: Player,
    is_on: bool,
    is_over: bool,
}

#[derive(Clone, Debug, Shape)]
enum Turn {
    Toggle(Player),
    Quit(Player),
}

/// Two players take turns, each on and off. The other one may quit all the time, so each of them may now and
/// then, but not all the time.
struct Turns;

impl Model for Turns {
    type State = Game;
    type Action = Turn;

    fn initial(&self, cx: &Cx<'_>, out: &mut Vec<Game>) {
        out.extend(cx.all().next().map(|last| Game { last, is_on: false, is_over: false }));
    }

    fn actions(&self, cx: &Cx<'_>, state: &Game, out: &mut Vec<Turn>) {
        if !state.is_over {
            out.extend(cx.all().filter(|&player| player != state.last).map(Turn::Toggle));
            out.push(Turn::Quit(state.last));
        }
    }

    fn apply(&self, _: &mut Doing<'_>, state: &mut Game, turn: &Turn) {
        match *turn {
            Turn::Toggle(player) => {
                state.is_on = !state.is_on;
                if !state.is_on {
                    state.last = player;
                }
            }
            Turn::Quit(_) => state.is_over = true,
        }
    }

    fn process(&self, _: &Cx<'_>, turn: &Turn) -> Process {
        let (Turn::Toggle(player) | Turn::Quit(player)) = *turn;
        Process::of(player)
    }

    fn properties(&self, to: &mut Properties<Game>) {
        to.proposition("over", |_, state| state.is_over);
        to.ltl("ends", "<> over");
    }
}

/// In the states with names, player 0 may quit all the time and never does: it is another one each time. Who acts
/// turns up only during the search.
#[test]
fn players_that_change_names_on_a_cycle() {
    for fairness in [Fairness::Weak, Fairness::Strong] {
        for symmetry in [Symmetry::None, Symmetry::Full] {
            let mut program = Program::new(Turns).sort::<Player>(2);
            let check = program.check().symmetry(symmetry).fairness(fairness);
            let violation = check.goals(Goals::Formula("ends".to_owned())).assert_violates(Kind::Property);
            assert_eq!((violation.run.len() - violation.cycle.unwrap(), violation.is_closed), (4, true));
        }
    }
}
