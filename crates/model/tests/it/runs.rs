//! Formulas about runs: fairness, individuals, cycles, stores; and an oracle that knows no symmetry.

use quotient_model::{
    Cx, Doing, Fairness, Goals, Kind, Map, Model, Order, Process, Program, Properties, Report, Set, Shape,
    StoreKind, Symmetry, Verdict, Violation, sort,
};

sort! { pub struct Client; }

#[derive(Clone, Copy, PartialEq, Eq, Debug, Shape)]
enum At {
    Idle,
    Waiting,
    Served,
}

#[derive(Clone, Debug, Shape)]
enum Act {
    Ask(Client),
    Serve(Client),
    Leave(Client),
}

/// Clients ask, and are served one at a time.
#[derive(Clone, Copy)]
struct Desk {
    /// The variant that is weakly or strongly fair.
    fair: Option<(&'static str, Fairness)>,
    each: bool,
}

const PLAIN: Desk = Desk { fair: None, each: true };

impl Model for Desk {
    type State = Map<Client, At>;
    type Action = Act;

    fn initial(&self, cx: &Cx<'_>, out: &mut Vec<Self::State>) {
        out.push(cx.all::<Client>().map(|client| (client, At::Idle)).collect());
    }

    fn actions(&self, _: &Cx<'_>, clients: &Self::State, out: &mut Vec<Act>) {
        let is_free = clients.values().all(|&at| at != At::Served);
        for (&client, &at) in clients.iter() {
            match at {
                At::Idle => out.push(Act::Ask(client)),
                At::Waiting if is_free => out.push(Act::Serve(client)),
                At::Waiting => {}
                At::Served => out.push(Act::Leave(client)),
            }
        }
    }

    fn apply(&self, _: &mut Doing<'_>, clients: &mut Self::State, action: &Act) {
        match *action {
            Act::Ask(client) => clients[client] = At::Waiting,
            Act::Serve(client) => clients[client] = At::Served,
            Act::Leave(client) => clients[client] = At::Idle,
        }
    }

    fn process(&self, _: &Cx<'_>, action: &Act) -> Process {
        let (Act::Ask(client) | Act::Serve(client) | Act::Leave(client)) = *action;
        Process::of(client)
    }

    fn properties(&self, to: &mut Properties<Self::State>) {
        to.proposition("some_wait", |_, clients| clients.values().any(|&at| at == At::Waiting));
        to.proposition("some_served", |_, clients| clients.values().any(|&at| at == At::Served));
        to.proposition_of::<Client>("waits", |_, clients, client| clients[client] == At::Waiting);
        to.proposition_of::<Client>("is_served", |_, clients, client| clients[client] == At::Served);
        to.ltl("somebody", "[] (some_wait -> <> some_served)");
        if self.each {
            to.forall::<Client>("everybody", "[] (waits -> <> is_served)");
        }
        match self.fair {
            Some((variant, Fairness::Weak)) => to.weakly_fair(variant),
            Some((variant, _)) => to.strongly_fair(variant),
            None => {}
        }
    }
}

type DeskReport = Report<Map<Client, At>, Act>;

fn check(desk: Desk, clients: u32, fairness: Fairness, symmetry: Symmetry, store: StoreKind) -> DeskReport {
    let mut program = Program::new(desk).sort::<Client>(clients);
    program.check().fairness(fairness).symmetry(symmetry).store(store).run()
}

/// The verdict of each goal, in a letter.
fn letters(report: &DeskReport) -> String {
    let letter = |goal: &quotient_model::GoalReport<_, _>| match &goal.verdict {
        Verdict::Holds => 'h',
        Verdict::Violated(_) => 'v',
        Verdict::HoldsUpTo(_) => 'u',
        _ => '?',
    };
    report.goals.iter().map(letter).collect()
}

/// Follows a cycle by hand: whether its states show starvation, and who moves in it.
fn is_lasso(violation: &Violation<Map<Client, At>, Act>) -> bool {
    let cycle = violation.cycle.expect("a formula is violated by a cycle");
    let states: Vec<&Map<Client, At>> = violation
        .initial
        .iter()
        .chain(violation.run.iter().filter_map(|taken| taken.state.as_ref()))
        .collect();
    violation.is_closed && states[cycle] == states[violation.run.len()]
}

#[test]
fn fairness_and_starvation() {
    let expected = [
        // The others are served for ever, and one waits.
        (None, Fairness::None, "hhv"),
        // A waiting client is not always enabled: others are served in between.
        (None, Fairness::Weak, "hhv"),
        (None, Fairness::Strong, "hhh"),
        (Some(("Serve", Fairness::Weak)), Fairness::None, "hhv"),
        (Some(("Serve", Fairness::Strong)), Fairness::None, "hhh"),
        (Some(("Leave", Fairness::Weak)), Fairness::None, "hhv"),
        (Some(("Serve", Fairness::Strong)), Fairness::Weak, "hhh"),
    ];
    for (fair, fairness, verdicts) in expected {
        for symmetry in [Symmetry::None, Symmetry::Full] {
            for store in [StoreKind::Trie, StoreKind::Exact, StoreKind::Collapse, StoreKind::Gzip] {
                let report = check(Desk { fair, each: true }, 3, fairness, symmetry, store);
                let each = if symmetry == Symmetry::None { &verdicts[2..].repeat(3) } else { &verdicts[2..] };
                let found = letters(&report);
                assert_eq!(found, format!("{}{each}", &verdicts[..2]), "{fair:?} {fairness:?} {symmetry:?}");
                for goal in &report.goals {
                    if let Verdict::Violated(violation) = &goal.verdict {
                        assert_eq!(violation.kind, Kind::Property);
                        assert!(is_lasso(violation), "{violation}");
                    }
                }
            }
        }
    }
}

/// A weakly fair run of three clients in which one starves: the lasso must serve each process that could move
/// all the time.
#[test]
fn lassos_are_fair() {
    let report = check(PLAIN, 3, Fairness::Weak, Symmetry::Full, StoreKind::Trie);
    let Verdict::Violated(violation) = &report.goals[2].verdict else { panic!("{}", report.verdict) };
    let program = Program::new(PLAIN).sort::<Client>(3);
    let states: Vec<_> = violation
        .initial
        .iter()
        .chain(violation.run.iter().filter_map(|taken| taken.state.as_ref()))
        .collect();
    let cycle = violation.cycle.unwrap();
    let mut always: Option<Vec<Process>> = None;
    for state in &states[cycle..violation.run.len()] {
        let enabled: Vec<Process> =
            program.successors(state).unwrap().iter().map(|successor| successor.process).collect();
        let old = always.take().unwrap_or_else(|| enabled.clone());
        always = Some(old.into_iter().filter(|process| enabled.contains(process)).collect());
    }
    for process in always.unwrap() {
        assert!(violation.run[cycle..].iter().any(|taken| taken.process == process), "{violation}");
    }
}

#[test]
fn symmetry_stores_fewer_states_for_formulas_too() {
    let states = |symmetry| {
        let report = check(PLAIN, 5, Fairness::Strong, symmetry, StoreKind::Trie);
        report.goals.iter().map(|goal| goal.states).collect::<Vec<_>>()
    };
    let (plain, full) = (states(Symmetry::None), states(Symmetry::Full));
    assert_eq!(plain.len(), 7);
    assert_eq!(full.len(), 3);
    // Idle or waiting, and one of those that are left is served: a third more with one pinned.
    assert_eq!((plain[0], full[0]), (32 + 5 * 16, 6 + 5));
    assert!(full[2] > full[0] && full[2] < plain[2]);
}

#[test]
fn what_cannot_be_checked_is_refused() {
    let refused = |report: DeskReport, what: &str| {
        assert!(
            matches!(&report.verdict, Verdict::Refused(reason) if reason.contains(what)),
            "{}",
            report.verdict
        );
    };
    let mut program = Program::new(PLAIN).sort::<Client>(2);
    refused(program.check().formula("[] (some_wait -> <>").run(), "cannot be read");
    refused(program.check().formula("[] nobody_waits").run(), "no proposition");
    refused(program.check().formula("[] waits").run(), "forall");
    refused(program.check().store(StoreKind::Compact(5)).order(Order::DepthFirst).run(), "by number");
    refused(program.check().store(StoreKind::Bitstate(20)).goals(Goals::Safety).run(), "DepthFirst");
    refused(program.check().store(StoreKind::Compact(99)).run(), "4 to 8");
    refused(program.check().goals(Goals::Formula("other".to_owned())).run(), "no formula");
    refused(program.check().goals(Goals::Safety).fairness(Fairness::Weak).run(), "formulas only");
    let fair = Desk { fair: Some(("Shout", Fairness::Weak)), each: false };
    refused(Program::new(fair).sort::<Client>(2).check().run(), "no action `Shout`");
}

#[test]
fn lossy_stores_do_not_say_holds() {
    for store in [StoreKind::Compact(5), StoreKind::Bitstate(20)] {
        let mut program = Program::new(PLAIN).sort::<Client>(4);
        let report = program.check().goals(Goals::Safety).order(Order::DepthFirst).store(store).run();
        assert!(matches!(report.verdict, Verdict::HoldsUpTo(_)), "{}", report.verdict);
        assert_eq!(report.states, 9);
    }
    for store in [StoreKind::Automaton, StoreKind::CollapseAutomaton] {
        let mut program = Program::new(PLAIN).sort::<Client>(4);
        let check = program.check().goals(Goals::Safety).order(Order::DepthFirst).store(store);
        assert_eq!(check.assert_holds().states, 9);
    }
}

#[test]
fn limits_are_reasons() {
    for (number, reason) in
        ["state limit", "depth limit", "time limit", "interrupted"].into_iter().enumerate()
    {
        let mut program = Program::new(PLAIN).sort::<Client>(6);
        let stop = std::sync::Arc::new(std::sync::atomic::AtomicBool::new(true));
        let check = program.check().goals(Goals::Safety);
        let report = match number {
            0 => check.max_states(5).run(),
            1 => check.max_depth(2).run(),
            2 => check.time(std::time::Duration::ZERO).run(),
            _ => check.interrupt(&stop).run(),
        };
        let reasons = match &report.verdict {
            Verdict::HoldsUpTo(reasons) => reasons.join("; "),
            other => panic!("{reason}: {other}"),
        };
        assert!(reasons.contains(reason), "{reasons}");
    }
}

/// A graph with numbers for states: `eventually` on a cycle, and where two paths meet.
struct Graph(&'static [(u8, u8)]);

impl Model for Graph {
    type State = u8;
    type Action = u8;

    fn initial(&self, _: &Cx<'_>, out: &mut Vec<u8>) {
        out.push(0);
    }

    fn actions(&self, _: &Cx<'_>, state: &u8, out: &mut Vec<u8>) {
        out.extend(self.0.iter().filter(|(from, _)| from == state).map(|&(_, to)| to));
    }

    fn apply(&self, _: &mut Doing<'_>, state: &mut u8, to: &u8) {
        *state = *to;
    }

    fn properties(&self, to: &mut Properties<u8>) {
        to.proposition("odd", |_, state| state % 2 == 1);
        to.ltl("eventually odd", "<> odd");
    }
}

/// Where a checker that marks each state once with what is still to come goes wrong: 0 → 1 → 4 fulfils it, and
/// then 0 → 2 → 4 comes to a state that was seen.
#[test]
fn eventually_is_right_on_joins_and_cycles() {
    let run = |edges, steps, cycle| {
        let violation = Program::new(Graph(edges)).check().assert_violates(Kind::Property);
        assert_eq!((violation.run.len(), violation.cycle), (steps, Some(cycle)), "{violation}");
    };
    run(&[(0, 1), (1, 4), (0, 2), (2, 4)], 2, 2);
    run(&[(0, 2), (2, 0), (0, 1)], 2, 0);
    run(&[(0, 2), (2, 4), (4, 2), (4, 1)], 3, 1);
    Program::new(Graph(&[(0, 2), (2, 1), (0, 1), (1, 0)])).check().assert_holds();
}

/// What a client has, and a set of clients: random steps among them.
#[derive(Clone, Debug, Shape)]
struct Table {
    marks: Map<Client, u8>,
    group: Set<Client>,
    phase: u8,
}

/// A step: in `phase`, a client with `mark` that is in the group or not gets another mark, enters or leaves, and
/// the phase changes.
#[derive(Clone, Copy, Debug)]
struct Rule {
    phase: u8,
    mark: u8,
    is_in: bool,
    to: u8,
    toggles: bool,
    next: u8,
    of_client: bool,
}

struct Rules {
    rules: Vec<Rule>,
    formula: &'static str,
}

#[derive(Clone, Debug, Shape)]
struct Follow(u8, Client);

impl Model for Rules {
    type State = Table;
    type Action = Follow;

    fn initial(&self, cx: &Cx<'_>, out: &mut Vec<Table>) {
        let marks: Map<Client, u8> = cx.all::<Client>().map(|client| (client, 0)).collect();
        out.push(Table { marks, group: Set::new(), phase: 0 });
    }

    fn actions(&self, cx: &Cx<'_>, state: &Table, out: &mut Vec<Follow>) {
        for (number, rule) in (0..).zip(&self.rules) {
            let may = |client: &Client| {
                state.marks[*client] == rule.mark && state.group.contains(client) == rule.is_in
            };
            if rule.phase == state.phase {
                out.extend(cx.all::<Client>().filter(may).map(|client| Follow(number, client)));
            }
        }
    }

    fn apply(&self, _: &mut Doing<'_>, state: &mut Table, &Follow(number, client): &Follow) {
        let rule = self.rules[number as usize];
        state.marks[client] = rule.to;
        if rule.toggles && !state.group.remove(&client) {
            state.group.insert(client);
        }
        state.phase = rule.next;
    }

    fn process(&self, _: &Cx<'_>, &Follow(number, client): &Follow) -> Process {
        if self.rules[number as usize].of_client { Process::of(client) } else { Process::Named("clock") }
    }

    fn properties(&self, to: &mut Properties<Table>) {
        to.proposition("p", |_, state| state.phase == 1);
        to.proposition("q", |_, state| state.group.len() == 1);
        to.proposition_of::<Client>("a", |_, state, client| state.group.contains(&client));
        to.proposition_of::<Client>("b", |_, state, client| state.marks[client] == 1);
        to.forall::<Client>("each", self.formula);
    }
}

/// The verdict without symmetry is the oracle: every client is checked, names are numbers, threads keep their
/// ids. It is the same with symmetry, and every run was evaluated on plain values.
#[test]
fn random_models_have_the_same_verdicts_with_symmetry() {
    let formulas = [
        "[] (a -> <> b)",
        "<> [] !a",
        "[] <> b || <> p",
        "a U b || [] !b",
        "[] (p -> <> (q && !a))",
        "[] <> a -> [] <> b",
    ];
    let mut random = bits::SplitMix64::new(5);
    let mut counts = [0; 2];
    let mut fewer = 0;
    for round in 0..testing::effort(60) {
        let mut below = |count: usize| random.below(count) as u8;
        let rules: Vec<Rule> = (0..3 + below(4))
            .map(|_| Rule {
                phase: below(2),
                mark: below(2),
                is_in: below(2) == 1,
                to: below(2),
                toggles: below(2) == 1,
                next: below(2),
                of_client: below(3) > 0,
            })
            .collect();
        let formula = formulas[round as usize % formulas.len()];
        for fairness in [Fairness::None, Fairness::Weak, Fairness::Strong] {
            let run = |symmetry| {
                let mut program = Program::new(Rules { rules: rules.clone(), formula }).sort::<Client>(3);
                let report = program
                    .check()
                    .goals(Goals::Formula("each".to_owned()))
                    .fairness(fairness)
                    .symmetry(symmetry)
                    .run();
                let holds = match &report.verdict {
                    Verdict::Holds => true,
                    Verdict::Violated(_) => false,
                    other => panic!("{other}\n{rules:?} {formula}"),
                };
                (holds, report.goals.iter().map(|goal| goal.states).sum::<usize>())
            };
            let ((plain, all), (full, some)) = (run(Symmetry::None), run(Symmetry::Full));
            assert_eq!(plain, full, "{rules:?} {formula} {fairness:?}");
            counts[usize::from(plain)] += 1;
            fewer += usize::from(some < all);
        }
    }
    assert!(counts.iter().all(|&count| count > 20) && fewer > 60, "{counts:?} {fewer}");
}
