//! Suites of random machines: what they cover, counted by other means, and which faulty machines pass them.

use std::collections::BTreeSet;

use bits::SplitMix64;
use quotient_conformance::{Coverage, Stepper, Suite};
use quotient_model::{Cx, Doing, Model, Program, Role, Shape, Symmetry, Term};

/// A machine: by state and input, the answer and the next state.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Table {
    pub(crate) inputs: usize,
    pub(crate) steps: Vec<Option<(u8, u8)>>,
    ends: Vec<bool>,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Shape)]
pub(crate) struct Input(u8);

impl Table {
    pub(crate) fn random(
        random: &mut SplitMix64,
        states: usize,
        inputs: usize,
        missing: usize,
        ends: bool,
    ) -> Self {
        let steps = (0..states * inputs)
            .map(|_| {
                (random.below(10) >= missing).then(|| (random.below(2) as u8, random.below(states) as u8))
            })
            .collect();
        let ends = (0..states).map(|_| !ends || random.below(2) == 0).collect();
        Self { inputs, steps, ends }
    }

    pub(crate) fn step(&self, state: u8, input: Input) -> Option<(u8, u8)> {
        self.steps[usize::from(state) * self.inputs + usize::from(input.0)]
    }

    pub(crate) fn inputs(&self) -> impl Iterator<Item = Input> + use<> {
        (0..self.inputs as u8).map(Input)
    }

    fn reachable(&self, from: u8) -> BTreeSet<u8> {
        let (mut seen, mut left) = (BTreeSet::from([from]), vec![from]);
        while let Some(state) = left.pop() {
            let next = self.inputs().filter_map(|input| self.step(state, input)).map(|step| step.1);
            left.extend(next.filter(|to| seen.insert(*to)));
        }
        seen
    }

    /// Whether it answers all runs of another one as that does.
    pub(crate) fn answers_like(&self, model: &Self) -> bool {
        let (mut seen, mut left) = (BTreeSet::from([(0, 0)]), vec![(0, 0)]);
        while let Some((mine, theirs)) = left.pop() {
            for input in self.inputs() {
                let Some(wanted) = model.step(theirs, input) else { continue };
                match self.step(mine, input) {
                    Some(found) if found.0 == wanted.0 => {
                        let next = (found.1, wanted.1);
                        if seen.insert(next) {
                            left.push(next);
                        }
                    }
                    _ => return false,
                }
            }
        }
        true
    }
}

impl Model for Table {
    type State = u8;
    type Action = Input;

    fn initial(&self, _: &Cx<'_>, out: &mut Vec<u8>) {
        out.push(0);
    }

    fn actions(&self, _: &Cx<'_>, state: &u8, out: &mut Vec<Input>) {
        out.extend(self.inputs().filter(|&input| self.step(*state, input).is_some()));
    }

    fn apply(&self, doing: &mut Doing<'_>, state: &mut u8, input: &Input) {
        let (answer, next) = self.step(*state, *input).expect("it was offered");
        doing.output(&answer);
        *state = next;
    }

    fn accepting(&self, _: &Cx<'_>, state: &u8) -> bool {
        self.ends[usize::from(*state)]
    }
}

/// A machine as an implementation.
pub(crate) struct Runs {
    pub(crate) table: Table,
    pub(crate) at: u8,
}

impl Stepper<Table> for Runs {
    fn reset(&mut self) {
        self.at = 0;
    }

    fn act(&mut self, input: &Input) -> Option<Term> {
        let (answer, next) = self.table.step(self.at, *input)?;
        self.at = next;
        Some(answer.term())
    }
}

fn passes(suite: &Suite<Table>, table: &Table) -> bool {
    suite.run(&mut Runs { table: table.clone(), at: 0 }).conforms()
}

/// The states that the tests of a suite come through, the steps, and the pairs of steps in a row. The last
/// state is one in which a run may end.
type Covered = (BTreeSet<u8>, BTreeSet<(u8, Input)>, BTreeSet<(Option<(u8, Input)>, (u8, Input))>);

fn covered(suite: &Suite<Table>, table: &Table) -> Covered {
    let mut all = Covered::default();
    for test in &suite.tests {
        let (mut at, mut before) = (0, None);
        all.0.insert(at);
        for step in &test.steps {
            let (answer, next) = table.step(at, step.action).expect("it is possible");
            assert_eq!(step.answers, [answer.term()]);
            let now = (at, step.action);
            all.1.insert(now);
            all.2.insert((before, now));
            (before, at) = (Some(now), next);
            all.0.insert(at);
        }
        assert!(table.ends[usize::from(at)], "{table:?}");
    }
    all
}

#[test]
fn suites_cover_what_they_say() {
    let mut random = SplitMix64::new(31);
    let mut made = 0;
    for _ in 0..testing::effort(400) {
        let (states, inputs) = (random.between(1, 6) as usize, random.between(1, 3) as usize);
        let table = Table::random(&mut random, states, inputs, 3, true);
        let lives = |state: u8| table.reachable(state).iter().any(|&end| table.ends[usize::from(end)]);
        let mut program = Program::new(table.clone());
        let mut suite = |coverage| Suite::new(&mut program, coverage, Symmetry::Full, 100);
        if !lives(0) {
            assert!(suite(Coverage::States).is_err());
            continue;
        }
        made += 1;
        let live: BTreeSet<u8> = table.reachable(0).into_iter().filter(|&state| lives(state)).collect();
        let steps: BTreeSet<(u8, Input)> = live
            .iter()
            .flat_map(|&state| table.inputs().map(move |input| (state, input)))
            .filter(|&(state, input)| table.step(state, input).is_some_and(|step| lives(step.1)))
            .collect();
        let next = |step: (u8, Input)| table.step(step.0, step.1).expect("a step").1;
        let mut pairs: BTreeSet<_> =
            steps.iter().filter(|step| step.0 == 0).map(|&step| (None, step)).collect();
        pairs.extend(steps.iter().flat_map(|&one| {
            steps.iter().filter(move |other| other.0 == next(one)).map(move |&other| (Some(one), other))
        }));
        let of_states = suite(Coverage::States).expect("there is one");
        assert_eq!(covered(&of_states, &table).0, live);
        assert_eq!(of_states.dead, table.reachable(0).len() - live.len());
        let of_steps = suite(Coverage::Transitions { reset: 3 }).expect("there is one");
        assert_eq!(covered(&of_steps, &table).1, steps, "{table:?}");
        let of_pairs = suite(Coverage::Pairs { reset: 3 }).expect("there is one");
        assert_eq!(covered(&of_pairs, &table).2, pairs, "{table:?}");
        for suite in [of_states, of_steps, of_pairs] {
            assert!(passes(&suite, &table));
        }
    }
    assert!(made > 200, "{made}");
}

/// A machine with some steps changed, and as many states.
fn mutant(random: &mut SplitMix64, table: &Table) -> Table {
    let mut mutant = table.clone();
    let states = table.ends.len();
    for _ in 0..random.between(1, 3) {
        let at = random.below(mutant.steps.len());
        if let Some((answer, next)) = &mut mutant.steps[at] {
            match random.below(2) {
                0 => *answer = 1 - *answer,
                _ => *next = random.below(states) as u8,
            }
        }
    }
    mutant
}

/// No implementation that has no more states passes a probed suite, unless it answers as the model does. Tours let some
/// pass.
#[test]
fn no_faulty_machine_passes_a_probed_suite() {
    let mut random = SplitMix64::new(32);
    let (mut mutants, mut faulty, mut passed_tours) = (0, 0_u64, 0);
    while mutants < testing::effort(10_000) {
        let (states, inputs) = (random.between(1, 6) as usize, random.between(1, 3) as usize);
        let table = Table::random(&mut random, states, inputs, 0, false);
        let mut program = Program::new(table.clone());
        let mut suite =
            |coverage| Suite::new(&mut program, coverage, Symmetry::None, 100).expect("there is one");
        let (probed, tour) =
            (suite(Coverage::Probed { extra_states: 0 }), suite(Coverage::Transitions { reset: 1 }));
        // The claim is about the states of the model that can be reached and told apart.
        let counted = Classes::of(&table);
        assert!(probed.claim.ends_with(&format!("has at most {counted} states")), "{}", probed.claim);
        for _ in 0..50 {
            let mutant = mutant(&mut random, &table);
            mutants += 1;
            if mutant.reachable(0).len() > counted {
                continue;
            }
            let is_right = mutant.answers_like(&table);
            faulty += u64::from(!is_right);
            assert_eq!(passes(&probed, &mutant), is_right, "{table:?} {mutant:?}\n{}", probed.claim);
            passed_tours += usize::from(!is_right && passes(&tour, &mutant));
        }
    }
    assert!(faulty > mutants / 10 && passed_tours > 10, "{mutants} {faulty} {passed_tours}");
}

/// With an extra state, nor do those that have one more.
#[test]
fn nor_one_with_an_extra_state() {
    let mut random = SplitMix64::new(33);
    let (mut faulty, mut passed) = (0, 0);
    for _ in 0..testing::effort(150) {
        let (states, inputs) = (random.between(1, 4) as usize, random.between(1, 2) as usize);
        let table = Table::random(&mut random, states, inputs, 0, false);
        let mut program = Program::new(table.clone());
        let mut suite = |extra_states| {
            Suite::new(&mut program, Coverage::Probed { extra_states }, Symmetry::None, 100)
                .expect("there is one")
        };
        let (usual, more) = (suite(0), suite(1));
        let counted = Classes::of(&table);
        for _ in 0..30 {
            // One more state, which some step may lead to.
            let mut larger = table.clone();
            larger
                .steps
                .extend((0..inputs).map(|_| Some((random.below(2) as u8, random.below(states) as u8))));
            larger.ends.push(true);
            let larger = mutant(&mut random, &larger);
            if larger.reachable(0).len() > counted + 1 {
                continue;
            }
            let is_right = larger.answers_like(&table);
            assert_eq!(passes(&more, &larger), is_right, "{table:?} {larger:?}");
            faulty += usize::from(!is_right);
            passed += usize::from(!is_right && passes(&usual, &larger));
        }
    }
    assert!(faulty > 500 && passed > 0, "{faulty} {passed}");
}

/// Classes of states that answer alike.
struct Classes;

impl Classes {
    /// The number of classes of states that can be reached, by refining a partition.
    fn of(table: &Table) -> usize {
        let states: Vec<u8> = table.reachable(0).into_iter().collect();
        let mut class = vec![0; table.ends.len()];
        loop {
            let form = |state: u8| -> Vec<Option<(u8, usize)>> {
                let step =
                    |input| table.step(state, input).map(|(answer, next)| (answer, class[usize::from(next)]));
                table.inputs().map(step).collect()
            };
            let forms: BTreeSet<_> = states.iter().map(|&state| form(state)).collect();
            let forms: Vec<_> = forms.into_iter().collect();
            let mut next = class.clone();
            for &state in &states {
                next[usize::from(state)] = forms.binary_search(&form(state)).expect("it is one of them");
            }
            let before: BTreeSet<usize> = states.iter().map(|&state| class[usize::from(state)]).collect();
            if before.len() == forms.len() {
                return forms.len();
            }
            class = next;
        }
    }
}

/// What has no suite is refused with its reason.
#[test]
fn refusals() {
    #[derive(Clone, Copy, PartialEq)]
    enum Odd {
        Chooses,
        Outputs,
        Fails,
        StartsTwice,
        NeverEnds,
    }
    impl Model for Odd {
        type State = u8;
        type Action = Input;
        fn initial(&self, _: &Cx<'_>, out: &mut Vec<u8>) {
            out.extend(0..=u8::from(*self == Self::StartsTwice));
        }
        fn actions(&self, _: &Cx<'_>, _: &u8, out: &mut Vec<Input>) {
            out.push(Input(0));
        }
        fn apply(&self, doing: &mut Doing<'_>, state: &mut u8, _: &Input) {
            match self {
                Self::Chooses => *state = doing.choose([0, 1]).unwrap_or(0),
                Self::Fails => doing.fail("no"),
                _ => {}
            }
        }
        fn accepting(&self, _: &Cx<'_>, _: &u8) -> bool {
            *self != Self::NeverEnds
        }
        fn role(&self, _: &Input) -> Role {
            if *self == Self::Outputs { Role::Output } else { Role::Input }
        }
    }
    for (odd, reason) in [
        (Odd::Chooses, "`Input(0)` can lead to several states: which one, a test cannot know"),
        (Odd::Outputs, "`Input(0)` is taken by the implementation: a test cannot ask for it"),
        (Odd::Fails, "`Input(0)` violates the model: no"),
        (Odd::StartsTwice, "the model has several initial states: a test could not know in which one it is"),
        (Odd::NeverEnds, "from the initial state, no run leads to a state in which it may end"),
    ] {
        let refused = Suite::new(&mut Program::new(odd), Coverage::States, Symmetry::Full, 10);
        let Err(error) = refused else { panic!("{reason}") };
        assert_eq!(error.to_string(), reason);
    }
    let large = Suite::new(
        &mut Program::new(Table::random(&mut SplitMix64::new(1), 9, 3, 0, false)),
        Coverage::States,
        Symmetry::Full,
        2,
    );
    assert!(large.is_err_and(|error| error.to_string() == "the program has more than 2 states"));
}
