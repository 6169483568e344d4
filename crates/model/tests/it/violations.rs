//! Violations, their runs, bounds and refusals.

use quotient_model::{Cx, Doing, Kind, Model, Order, Program, Properties, Set, Shape, Verdict, model, sort};

sort! { pub struct Client: dynamic; }

#[derive(Clone, Copy, PartialEq, Debug)]
enum Fault {
    None,
    Invariant,
    Fail,
    Panic,
    PanicInActions,
    Deadlock,
    Unreachable,
}

#[derive(Clone, Debug, Shape)]
struct Server {
    clients: Set<Client>,
    served: u8,
}

#[derive(Clone, Debug, Shape)]
enum Act {
    Connect(Client),
    Serve(Client),
}

/// Clients connect and are served once.
struct Service(Fault);

impl Model for Service {
    type State = Server;
    type Action = Act;

    fn initial(&self, _: &Cx<'_>, out: &mut Vec<Server>) {
        out.push(Server { clients: Set::new(), served: 0 });
    }

    fn actions(&self, cx: &Cx<'_>, state: &Server, out: &mut Vec<Act>) {
        assert!(self.0 != Fault::PanicInActions || state.served < 2, "two are too many");
        if state.served as usize + state.clients.len() < 3 {
            out.extend(cx.fresh(state).map(Act::Connect));
        }
        out.extend(state.clients.iter().map(|&client| Act::Serve(client)));
    }

    fn apply(&self, doing: &mut Doing<'_>, state: &mut Server, action: &Act) {
        match action {
            Act::Connect(client) => {
                state.clients.insert(*client);
            }
            Act::Serve(client) => {
                state.clients.remove(client);
                state.served += 1;
                if self.0 == Fault::Fail && state.served == 2 {
                    doing.fail("two are served");
                }
                assert!(self.0 != Fault::Panic || state.served < 2, "two are served");
            }
        }
    }

    fn properties(&self, to: &mut Properties<Server>) {
        let fault = self.0;
        to.invariant("few are served", move |_, state| fault != Fault::Invariant || state.served < 2);
        to.reachable("some wait", move |_, state| fault != Fault::Unreachable && state.clients.len() == 3);
    }

    fn accepting(&self, _: &Cx<'_>, state: &Server) -> bool {
        self.0 != Fault::Deadlock || state.served < 3
    }
}

fn service(fault: Fault, most: u32) -> Program<Service> {
    Program::new(Service(fault)).sort::<Client>(most)
}

/// A state is a number of waiting clients and of served ones, at most three together.
#[test]
fn clients_come_and_go() {
    let report = service(Fault::None, 3).check().assert_holds();
    assert_eq!(report.states, 10);
}

#[test]
fn shortest_runs_to_violations() {
    // Two connect and are served. The step that fails has no state after it.
    for (fault, kind, len) in [
        (Fault::Invariant, Kind::Invariant, 4),
        (Fault::Fail, Kind::Failure, 4),
        (Fault::Panic, Kind::Panic, 4),
        (Fault::PanicInActions, Kind::Panic, 4),
        (Fault::Deadlock, Kind::Deadlock, 6),
        (Fault::Unreachable, Kind::Unreachable, 0),
    ] {
        let violation = service(fault, 3).check().assert_violates(kind);
        assert_eq!(violation.run.len(), len, "{fault:?}: {violation}");
        service(fault, 3).check().order(Order::DepthFirst).assert_violates(kind);
    }
}

#[test]
fn too_few_individuals_are_a_bound() {
    let report = service(Fault::None, 2).check().run();
    assert!(matches!(report.verdict, Verdict::HoldsUpTo(_)), "{}", report.verdict);
    let report = service(Fault::None, 3).check().max_states(4).run();
    assert!(matches!(report.verdict, Verdict::HoldsUpTo(_)), "{}", report.verdict);
}

#[test]
fn a_sort_without_a_size_is_refused() {
    let report = Program::new(Service(Fault::None)).check().run();
    assert!(matches!(&report.verdict, Verdict::Refused(reason) if reason.contains("Client")));
}

#[test]
#[should_panic(expected = "few are served")]
fn a_failed_assertion_shows_the_violation() {
    service(Fault::Invariant, 3).check().assert_holds();
}

/// Begins with two clients.
struct Busy;

impl Model for Busy {
    type State = Set<Client>;
    type Action = ();

    fn initial(&self, cx: &Cx<'_>, out: &mut Vec<Set<Client>>) {
        let mut clients = Set::new();
        for _ in 0..2 {
            clients.extend(cx.fresh::<Client>(&clients));
        }
        out.push(clients);
    }

    fn actions(&self, _: &Cx<'_>, _: &Set<Client>, _: &mut Vec<()>) {}

    fn apply(&self, _: &mut Doing<'_>, _: &mut Set<Client>, (): &()) {}

    fn properties(&self, to: &mut Properties<Set<Client>>) {
        to.invariant("nobody is there", |_, clients| clients.len() < 2);
    }
}

/// Otherwise one client would be missing, and the invariant would hold.
#[test]
fn initial_states_for_which_individuals_are_missing_are_refused() {
    Program::new(Busy).sort::<Client>(2).check().assert_violates(Kind::Invariant);
    let report = Program::new(Busy).sort::<Client>(1).check().run();
    assert!(matches!(&report.verdict, Verdict::Refused(reason) if reason.contains("more individuals")));
}

/// Begins outside of its bounds.
struct Outside;

impl Model for Outside {
    type State = u8;
    type Action = ();

    fn initial(&self, _: &Cx<'_>, out: &mut Vec<u8>) {
        out.push(3);
    }

    fn actions(&self, _: &Cx<'_>, _: &u8, _: &mut Vec<()>) {}

    fn apply(&self, _: &mut Doing<'_>, _: &mut u8, (): &()) {}

    fn within(&self, _: &Cx<'_>, state: &u8) -> bool {
        *state < 3
    }
}

#[test]
fn initial_states_outside_of_the_bounds_are_refused() {
    let report = Program::new(Outside).check().run();
    assert!(matches!(&report.verdict, Verdict::Refused(reason) if reason.contains("within")));
}

/// Walks thirty steps for nothing before it does what is wrong, if the search goes deep.
#[derive(Clone, Debug, Default, Shape)]
struct Detour {
    way: u8,
    armed: Vec<u8>,
    is_stuck: bool,
}

#[model]
impl Detour {
    #[initial]
    fn home() -> Self {
        Self::default()
    }

    #[action(when = self.way < 30 && !self.is_stuck)]
    fn walk(&mut self) {
        self.way += 1;
    }

    #[action(when = self.armed.len() < 2 && !self.is_stuck)]
    fn arm(&mut self, #[from([7, 8])] with: u8) {
        self.armed.push(with);
    }

    #[action(when = self.armed == [8, 7])]
    fn fire(&mut self, doing: &mut Doing<'_>) {
        doing.fail("fired");
    }

    #[action(when = self.armed == [8, 8] && !self.is_stuck)]
    fn stick(&mut self) {
        self.is_stuck = true;
    }

    #[accepting]
    fn is_free(&self) -> bool {
        !self.is_stuck
    }
}

#[test]
fn runs_found_depth_first_are_made_shorter() {
    let steps = |violation: &quotient_model::Violation<Detour, DetourAction>| -> Vec<String> {
        violation.run.iter().map(|taken| format!("{:?}", taken.action)).collect()
    };
    let mut program = Detour::program();
    let all = |minimise| {
        let report = program.check().order(Order::DepthFirst).keep_going().minimise(minimise).run();
        let mut violations = report.violations;
        violations.sort_by_key(|violation| violation.kind.as_str());
        violations
    };
    let [found, shown] = [false, true].map(all);
    assert_eq!(
        found.iter().map(|violation| violation.kind).collect::<Vec<_>>(),
        [Kind::Deadlock, Kind::Failure]
    );
    assert_eq!(steps(&shown[0]), ["Arm { with: 8 }", "Arm { with: 8 }", "Stick"]);
    assert_eq!(steps(&shown[1]), ["Arm { with: 8 }", "Arm { with: 7 }", "Fire"]);
    for (found, shown) in found.iter().zip(&shown) {
        assert!(found.run.len() > 30 && found.minimised.is_none());
        let minimised = shown.minimised.expect("it was found depth first");
        assert_eq!((minimised.from_steps, minimised.complete), (found.run.len(), true));
        assert_eq!((shown.kind, &shown.place, &shown.message), (found.kind, &found.place, &found.message));
    }
}
