//! Models by rules, against published counts and against the same model by hand.

use std::cell::Cell;

use quotient_model::{
    Bounded, Cx, Doing, Domain, Map, Model, Obstacle, Process, Role, Rules, Set, Shape, Symmetry, model, sort,
};

sort! {
    pub struct Side;
    pub struct Colour;
    pub struct Rm;
    pub struct Object: dynamic;
}

#[derive(Clone, Debug, Default, Shape)]
pub struct Triangle {
    colours: Map<Side, Colour>,
}

#[model]
impl Triangle {
    #[initial]
    fn uncoloured() -> Self {
        Self::default()
    }

    #[action(when = !self.colours.contains_key(&side))]
    fn assign(&mut self, side: Side, colour: Colour) {
        self.colours.insert(side, colour);
    }

    #[accepting]
    fn is_coloured(&self, cx: &Cx<'_>) -> bool {
        self.colours.len() == cx.count::<Side>()
    }
}

#[test]
fn triangle() {
    let mut triangle = Triangle::program().sort::<Side>(3).sort::<Colour>(2);
    triangle.check().symmetry(Symmetry::None).assert_counts(27, 54);
    triangle.check().symmetric_only::<Side>().assert_counts(10, 20);
    triangle.check().assert_counts(6, 14);
}

/// Sides come into being when they are coloured.
#[derive(Clone, Debug, Default, Shape)]
struct Growing {
    colours: Map<Object, Colour>,
}

#[model]
impl Growing {
    #[initial]
    fn empty() -> Self {
        Self::default()
    }

    #[action(when = self.colours.len() < 3)]
    fn assign(&mut self, #[fresh] side: Object, colour: Colour) {
        self.colours.insert(side, colour);
    }

    #[action(when = self.colours[side] != colour)]
    fn repaint(&mut self, side: Object, colour: Colour) {
        self.colours[side] = colour;
    }

    #[invariant]
    fn at_most_three(&self) -> bool {
        self.colours.len() <= 3
    }
}

/// Multisets of up to three of two colours: 1 + 2 + 3 + 4, and 1 + 1 + 2 + 2 if colours are interchangeable.
/// A parameter of a dynamic sort takes the individuals that the state mentions.
#[test]
fn individuals_of_dynamic_sorts() {
    let mut growing = Growing::program().sort::<Object>(3).sort::<Colour>(2);
    assert_eq!(growing.check().symmetric_only::<Object>().assert_holds().states, 10);
    assert_eq!(growing.check().assert_holds().states, 6);
}

/// Both new individuals of one action, which are different.
#[derive(Clone, Debug, Default, Shape)]
struct Pairs {
    pairs: Set<(Object, Object)>,
}

#[model]
impl Pairs {
    #[initial]
    fn none() -> Self {
        Self::default()
    }

    #[action(when = self.pairs.len() < 2)]
    fn pair(&mut self, #[fresh] a: Object, #[fresh] b: Object) {
        assert!(a != b, "two new individuals");
        self.pairs.insert((a, b));
    }
}

#[test]
fn several_new_individuals() {
    Pairs::program().sort::<Object>(4).check().assert_counts(3, 2);
}

#[derive(Clone, Copy, PartialEq, Debug, Shape)]
enum RmState {
    Working,
    Prepared,
    Committed,
    Aborted,
}

#[derive(Clone, Copy, PartialEq, Debug, Shape)]
enum TmState {
    Init,
    Committed,
    Aborted,
}

#[derive(Clone, PartialEq, Debug, Shape)]
enum Message {
    Prepared(Rm),
    Commit,
    Abort,
}

/// Two-phase commit as in Gray and Lamport, "Consensus on transaction commit" (2006), section 3.
#[derive(Clone, Debug, Shape)]
pub struct TwoPhase {
    rm: Map<Rm, RmState>,
    tm: TmState,
    prepared: Set<Rm>,
    sent: Set<Message>,
}

#[model]
impl TwoPhase {
    #[initial]
    fn working(cx: &Cx<'_>) -> Self {
        Self {
            rm: cx.all().map(|rm| (rm, RmState::Working)).collect(),
            tm: TmState::Init,
            prepared: Set::new(),
            sent: Set::new(),
        }
    }

    #[action(when = self.tm == TmState::Init && self.sent.contains(&Message::Prepared(rm)))]
    fn tm_receive(&mut self, rm: Rm) {
        self.prepared.insert(rm);
    }

    #[action(when = self.tm == TmState::Init && self.prepared.len() == self.rm.len(), process = "manager")]
    fn tm_commit(&mut self) {
        self.tm = TmState::Committed;
        self.sent.insert(Message::Commit);
    }

    #[action(when = self.tm == TmState::Init, process = "manager", kind = hidden)]
    fn tm_abort(&mut self) {
        self.tm = TmState::Aborted;
        self.sent.insert(Message::Abort);
    }

    #[action(when = self.rm[rm] == RmState::Working, process = rm, fair)]
    fn prepare(&mut self, rm: Rm) {
        self.rm[rm] = RmState::Prepared;
        self.sent.insert(Message::Prepared(rm));
    }

    #[action(when = self.rm[rm] == RmState::Working, process = rm)]
    fn give_up(&mut self, rm: Rm) {
        self.rm[rm] = RmState::Aborted;
    }

    #[action(when = self.sent.contains(&Message::Commit), process = rm)]
    fn on_commit(&mut self, rm: Rm) {
        self.rm[rm] = RmState::Committed;
    }

    #[action(when = self.sent.contains(&Message::Abort), process = rm)]
    fn on_abort(&mut self, rm: Rm) {
        self.rm[rm] = RmState::Aborted;
    }

    #[invariant]
    fn consistent(&self) -> bool {
        !(self.has(RmState::Committed) && self.has(RmState::Aborted))
    }

    #[reachable]
    fn all_commit(&self) -> bool {
        self.rm.values().all(|state| *state == RmState::Committed)
    }

    fn has(&self, wanted: RmState) -> bool {
        self.rm.values().any(|state| *state == wanted)
    }
}

#[test]
fn two_phase_commit() {
    for (managers, orbits) in [(3, 80), (5, 314), (7, 920)] {
        let report = TwoPhase::program().sort::<Rm>(managers).check().assert_holds();
        assert_eq!(report.states, orbits, "{managers} managers");
    }
    TwoPhase::program().sort::<Rm>(3).check().symmetry(Symmetry::None).assert_holds();
}

thread_local! {
    /// How often each of three conditions was evaluated.
    static EVALUATED: Cell<[u32; 3]> = const { Cell::new([0; 3]) };
}

/// Counts, and returns `value`.
fn count(at: usize, value: bool) -> bool {
    let mut counts = EVALUATED.get();
    counts[at] += 1;
    EVALUATED.set(counts);
    value
}

#[derive(Clone, Copy, PartialEq, Debug, Shape, Domain)]
enum Flag {
    Up { by: Bounded<1, 2> },
    Down(bool, bool),
}

/// A wall, painted side by side.
#[derive(Clone, Debug, Shape)]
struct Wall {
    painted: Map<Side, Colour>,
    times: u8,
}

#[model]
impl Wall {
    #[initial]
    fn bare() -> impl Iterator<Item = Self> {
        [0, 1].into_iter().map(|times| Self { painted: Map::new(), times })
    }

    #[action(
        when = count(2, colour == colour) && count(1, !self.painted.contains_key(&side))
            && (count(0, self.times < 9) && side == side),
        process = ("painter", 7),
        kind = output,
    )]
    fn paint(
        &mut self,
        side: &Side,
        doing: &mut Doing<'_>,
        #[from(vec![*side; 1])] same: Side,
        colour: Colour,
    ) {
        doing.note("painted");
        assert!(*side == same);
        self.painted.insert(same, colour);
    }

    #[action(when = self.painted.len() == 1 && self.times + times < 1 /* no more */, process = side)]
    fn strip(&mut self, cx: &Cx<'_>, side: Side, #[from(0..2)] times: u8) -> u8 {
        assert!(cx.count::<Side>() == 3);
        self.painted.remove(&side);
        self.times += times;
        times + 1
    }

    #[action(when = self.painted.is_empty() && cx.count::<Side>() == 0)]
    fn wave(&mut self, _flag: Flag, _maybe: Option<bool>) {}

    #[invariant]
    fn looks_at_its_own_rules(&self, cx: &Cx<'_>) -> bool {
        if self.painted.is_empty() && self.times == 0 {
            look(self, cx);
        }
        true
    }
}

/// What the rules of the bare wall say.
fn look(wall: &Wall, cx: &Cx<'_>) {
    let rules = Rules::<Wall>::new();
    let side = cx.all::<Side>().next().expect("a side");
    let colour = cx.all::<Colour>().next().expect("a colour");
    let paint = WallAction::Paint { side, same: side, colour };
    let strip = WallAction::Strip { side, times: 1 };
    assert_eq!(rules.process(cx, &paint), Process::Member("painter", 7));
    assert_eq!(rules.process(cx, &strip), Process::of(side));
    assert_eq!(
        rules.process(cx, &WallAction::Wave { _flag: Flag::Down(true, true), _maybe: None }),
        Process::Whole
    );
    assert_eq!((rules.role(&paint), rules.role(&strip)), (Role::Output, Role::Input));

    EVALUATED.set([0; 3]);
    let mut offered = Vec::new();
    rules.actions(cx, wall, &mut offered);
    // Of no parameter: once. Of the side: once for each. Of the colour: for each of its values.
    assert_eq!((offered.len(), EVALUATED.get()), (6, [1, 3, 6]));

    let mut obstacles = Vec::new();
    rules.obstacles(cx, wall, &mut obstacles);
    let told: Vec<(&str, &str)> =
        obstacles.iter().map(|Obstacle { action, condition, .. }| (&**action, &**condition)).collect();
    assert_eq!(told, [("Strip", "self.painted.len() == 1"), ("Wave", "cx.count::<Side>() == 0")],);
    let (file, place) = obstacles[0].place.split_once(':').expect("a place");
    assert!(file.ends_with("rules.rs"));
    let (line, column) = place.split_once(':').expect("a line and a column");
    let written = include_str!("rules.rs").lines().nth(line.parse::<usize>().expect("a number") - 1);
    let column = column.parse::<usize>().expect("a number") - 1;
    assert!(written.is_some_and(|written| written[column..].starts_with("self.painted.len() == 1")));

    // Known arguments are named.
    let mut painted = wall.clone();
    painted.painted.insert(side, colour);
    painted.times = 1;
    obstacles.clear();
    rules.obstacles(cx, &painted, &mut obstacles);
    let told: Vec<String> = obstacles.iter().map(|obstacle| obstacle.action.clone()).collect();
    assert_eq!(told[0], "Paint { side: Side0 }");
    assert_eq!(told[1], "Strip { side: Side0, times: 0 }");
    assert_eq!(obstacles[1].condition, "self.times + times < 1");

    assert_eq!(Flag::values(cx, wall).count(), 2 + 4);
    assert_eq!(<(Side, Option<Colour>, Flag)>::values(cx, wall).count(), 3 * 3 * 6);
}

#[test]
fn conditions_are_evaluated_once_and_kept_with_their_texts() {
    let mut wall = Wall::program().sort::<Side>(3).sort::<Colour>(2);
    let report = wall.check().symmetry(Symmetry::None).assert_holds();
    assert!(report.states > 20, "{}", report.states);
}

/// Parameters are called as one likes.
#[derive(Clone, Debug, Default, Shape)]
struct Named(u8);

#[model]
impl Named {
    #[initial]
    fn zero() -> Self {
        Self::default()
    }

    #[action(when = self.0 == 0 && to && (offers || is_possible) && action && !doing, process = "all")]
    #[allow(clippy::fn_params_excessive_bools, clippy::too_many_arguments)]
    fn add(
        &mut self,
        to: bool,
        offers: bool,
        is_possible: bool,
        action: bool,
        doing: bool,
        state: bool,
    ) -> bool {
        self.0 = 1 + u8::from(to) + u8::from(offers) + u8::from(is_possible && action || doing || state);
        state
    }
}

#[test]
fn names_of_parameters_are_free() {
    let report = Named::program().check().assert_holds();
    assert_eq!((report.states, report.transitions), (3, 6));
}
