//! Products against their definition, on random tables; individuals, properties and macros.

use std::collections::BTreeSet;

use bits::SplitMix64;
use quotient_compose::{Key, Product, compose};
use quotient_model::{
    Cx, Doing, Goals, Kind, Model, Program, Properties, Rules, Set, Shape, Symmetry, Verdict, model, sort,
};

use crate::tables::{Act, Table};

/// How two tables share actions.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Sharing {
    None,
    /// Of the first name, with equal numbers.
    Whole,
    /// Of the first name, whatever the numbers.
    Name,
}

fn key(sharing: Sharing, act: Act) -> Option<Key> {
    match sharing {
        Sharing::Whole if act.name == 0 => Some(Key::new("shared", &act.number)),
        Sharing::Name if act.name == 0 => Some(Key::new("shared", &())),
        _ => None,
    }
}

#[test]
fn products_of_random_tables() {
    let mut random = SplitMix64::new(12);
    let mut largest = 0;
    for round in 0..testing::effort(300) {
        let sharing = [Sharing::None, Sharing::Whole, Sharing::Name][round as usize % 3];
        let left = Table::random(&mut random, 5, 9, 3);
        let right = Table::random(&mut random, 5, 9, 3);

        let mut edges = BTreeSet::new();
        let (mut seen, mut to_do) = (BTreeSet::from([(0, 0)]), vec![(0, 0)]);
        while let Some((a, b)) = to_do.pop() {
            let mut next = Vec::new();
            for (act, to) in left.from(a) {
                if sharing == Sharing::None || act.name > 0 {
                    next.push((Some(act), None, (to, b)));
                    continue;
                }
                let fits =
                    |other: &Act| other.name == 0 && (sharing == Sharing::Name || other.number == act.number);
                next.extend(
                    right
                        .from(b)
                        .filter(|(other, _)| fits(other))
                        .map(|(other, end)| (Some(act), Some(other), (to, end))),
                );
            }
            let alone = right.from(b).filter(|(act, _)| sharing == Sharing::None || act.name > 0);
            next.extend(alone.map(|(act, to)| (None, Some(act), (a, to))));
            for (one, other, to) in next {
                edges.insert(((a, b), one, other, to));
                if seen.insert(to) {
                    to_do.push(to);
                }
            }
        }
        let has_deadlock = seen.iter().any(|state| {
            let may_end = left.ends.contains(&state.0) && right.ends.contains(&state.1);
            !may_end && !edges.iter().any(|edge| edge.0 == *state)
        });

        let product =
            Product::new(left, right).share(move |act| key(sharing, *act), move |act| key(sharing, *act));
        let report = Program::new(product).check().keep_going().run();
        assert_eq!((report.states, report.transitions), (seen.len(), edges.len() as u64), "{sharing:?}");
        let found =
            matches!(&report.verdict, Verdict::Violated(violation) if violation.kind == Kind::Deadlock);
        assert_eq!(found, has_deadlock, "{}", report.verdict);
        largest = largest.max(seen.len());
    }
    assert!(largest > 15, "{largest}");
}

sort! { struct Ticket: dynamic; }

/// Makes tickets as an argument, and another one while it acts.
struct Office {
    most: usize,
}

#[derive(Clone, Debug, Shape)]
enum Issue {
    One(Ticket),
    Two,
    Forget(Ticket),
}

impl Model for Office {
    type State = Set<Ticket>;
    type Action = Issue;

    fn initial(&self, _: &Cx<'_>, out: &mut Vec<Set<Ticket>>) {
        out.push(Set::new());
    }

    fn actions(&self, cx: &Cx<'_>, issued: &Set<Ticket>, out: &mut Vec<Issue>) {
        if issued.len() < self.most {
            out.extend(cx.fresh(issued).map(Issue::One));
            out.push(Issue::Two);
        }
        out.extend(issued.iter().map(|&ticket| Issue::Forget(ticket)));
    }

    fn apply(&self, doing: &mut Doing<'_>, issued: &mut Set<Ticket>, action: &Issue) {
        match action {
            Issue::One(ticket) => _ = issued.insert(*ticket),
            Issue::Two => issued.extend(doing.fresh(issued)),
            Issue::Forget(ticket) => _ = issued.remove(ticket),
        }
    }
}

/// New individuals are new to all parts, alone or together: no ticket is issued by both offices.
#[test]
fn new_individuals_are_new_to_the_whole() {
    let shares = |is_shared: bool| {
        move |issue: &Issue| (is_shared && matches!(issue, Issue::Two)).then(|| Key::new("two", &()))
    };
    for is_shared in [false, true] {
        let product =
            Product::new(Office { most: 2 }, Office { most: 2 }).share(shares(is_shared), shares(is_shared));
        let mut program = Program::new(product).sort::<Ticket>(5);
        let mut left = program.initial_states().expect("there is one");
        let mut seen = BTreeSet::new();
        while let Some(state) = left.pop() {
            assert!(state.0.iter().all(|ticket| !state.1.contains(ticket)), "{state:?}");
            if seen.insert(format!("{state:?}")) {
                let all = program.successors(&state).expect("no panic");
                left.extend(all.into_iter().map(|successor| match successor.result {
                    quotient_model::Reached::State(state) => state,
                    other => panic!("there are enough tickets: {other:?}"),
                }));
            }
        }
        // By how many tickets each has issued.
        assert_eq!(program.check().assert_holds().states, 9, "{is_shared}");
    }
    // If both need one, and one is left, steps are missing, which the verdict says.
    let product = Product::new(Office { most: 1 }, Office { most: 1 }).share(shares(true), shares(true));
    let report = Program::new(product).sort::<Ticket>(1).check().run();
    assert!(matches!(report.verdict, Verdict::HoldsUpTo(_)), "{}", report.verdict);
}

sort! { pub struct Client; }

#[derive(Clone, Debug, Default, Shape)]
struct Credits {
    left: u8,
    sent: Set<Client>,
}

#[model]
impl Credits {
    #[initial]
    fn two() -> Self {
        Self { left: 2, sent: Set::new() }
    }

    #[action(when = self.left >= amount && !self.sent.contains(&client))]
    fn send(&mut self, client: Client, #[from(1..=2)] amount: u8) {
        self.left -= amount;
        self.sent.insert(client);
    }

    #[invariant]
    fn nobody_sent_twice(&self) -> bool {
        self.sent.len() <= 1
    }

    #[proposition]
    fn spent(&self) -> bool {
        self.left == 0
    }

    #[ltl("<> spent")]
    const IS_SPENT: () = ();
}

#[derive(Clone, Debug, Default, Shape)]
struct Commands {
    asked: Set<Client>,
}

#[model]
impl Commands {
    #[initial]
    fn none() -> Self {
        Self::default()
    }

    #[action(when = !self.asked.contains(&client))]
    fn request(&mut self, client: Client) {
        self.asked.insert(client);
    }

    #[action(when = !self.asked.is_empty(), fair)]
    fn rest(&mut self) {}

    #[reachable]
    fn all_asked(&self, cx: &Cx<'_>) -> bool {
        self.asked.len() == cx.count::<Client>()
    }
}

#[test]
fn a_composition_by_macro_and_its_properties() {
    let composed = || {
        let model = compose! {
            credits: Rules::<Credits>::new(), commands: Rules::<Commands>::new();
            CreditsAction::Send { client, amount: _ } = CommandsAction::Request { client } => (client);
        };
        Program::new(model).sort::<Client>(3)
    };
    let names = composed().property_names().invariants;
    assert_eq!(names, ["credits_nobody_sent_twice"]);
    // Two clients, one after the other, with one credit each.
    let violation = composed().check().goals(Goals::Safety).assert_violates(Kind::Invariant);
    assert_eq!((violation.run.len(), violation.place.as_str()), (2, "credits_nobody_sent_twice"));
    // Formulas name propositions of their own part; what is fair in a part is not in the whole.
    let refused = composed().check().run().verdict.to_string();
    assert!(refused.contains("the part `commands` says that its action Rest is fair"), "{refused}");
    let formulas = composed();
    assert_eq!(formulas.property_names().formulas, [("credits_IS_SPENT", "<> spent")]);
    // Orbits: by how many clients sent, and the credits that are left.
    let mut program = composed();
    let plain = program.check().keep_going().symmetry(Symmetry::None).goals(Goals::Safety).run();
    let orbits = program.check().keep_going().goals(Goals::Safety).run();
    // Nobody; one by one or by two credits; two by one credit each.
    assert_eq!((orbits.states, plain.states), (4, 1 + 3 + 3 + 3));
}

/// Formulas of parts are checked under names of their part.
#[test]
fn formulas_of_parts() {
    struct Light {
        is_on: bool,
    }
    impl Model for Light {
        type State = bool;
        type Action = bool;
        fn initial(&self, _: &Cx<'_>, out: &mut Vec<bool>) {
            out.push(self.is_on);
        }
        fn actions(&self, _: &Cx<'_>, is_on: &bool, out: &mut Vec<bool>) {
            out.push(!is_on);
        }
        fn apply(&self, _: &mut Doing<'_>, is_on: &mut bool, action: &bool) {
            *is_on = *action;
        }
        fn properties(&self, to: &mut Properties<bool>) {
            to.proposition("on", |_, is_on| *is_on);
            if self.is_on {
                to.ltl("begins", "on");
            } else {
                to.ltl("begins", "!on && <> on");
            }
        }
    }
    let mut program = Program::new(Product::new(Light { is_on: true }, Light { is_on: false }));
    let report = program.check().run();
    let verdicts: Vec<String> =
        report.goals.iter().map(|goal| format!("{}: {}", goal.name, goal.verdict)).collect();
    assert_eq!(verdicts[..2], ["safety: holds", "left_begins: holds"]);
    // The left light alone may be switched for ever.
    assert!(verdicts[2].starts_with("right_begins: property: "), "{verdicts:?}");
}
