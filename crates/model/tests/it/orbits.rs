//! Values are stored as one exactly if they are isomorphic: random pairs against all permutations.

use std::collections::{BTreeMap, BTreeSet};

use bits::SplitMix64;
use quotient_model::{Bag, Cx, Doing, Heap, Map, Model, Program, Ref, Set, Shape, sort};
use system::{Encoding, Step, TransitionSystem};

sort! {
    pub struct P;
    pub struct Q;
}

#[derive(Clone, Debug, Shape)]
struct Cell {
    owner: P,
    next: Option<Ref<Cell>>,
}

#[derive(Clone, Debug, Shape)]
struct World {
    one: Option<P>,
    data: Map<P, u8>,
    pairs: Set<(P, P)>,
    groups: Set<Set<P>>,
    tagged: Set<(u8, P, u8)>,
    mail: Bag<(P, Q)>,
    line: Vec<Q>,
    table: Map<Q, Set<P>>,
    nested: Map<P, Map<Q, u8>>,
    cells: Heap<Cell>,
    roots: Set<Ref<Cell>>,
}

/// A world with numbers for individuals, in containers that compare by contents.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Plan {
    one: Option<usize>,
    data: BTreeMap<usize, u8>,
    pairs: BTreeSet<(usize, usize)>,
    groups: BTreeSet<BTreeSet<usize>>,
    tagged: BTreeSet<(u8, usize, u8)>,
    mail: BTreeMap<(usize, usize), u32>,
    line: Vec<usize>,
    table: BTreeMap<usize, BTreeSet<usize>>,
    nested: BTreeMap<usize, BTreeMap<usize, u8>>,
    /// All are roots. By number: the owner, and the next cell.
    cells: BTreeMap<usize, (usize, Option<usize>)>,
}

const PS: usize = 3;
const QS: usize = 2;
const CELLS: usize = 3;

impl Plan {
    fn random(random: &mut SplitMix64) -> Self {
        let mut below = |count| random.below(count);
        let mut some =
            |most| (0..below(most + 1)).map(|_| (below(PS), below(QS), below(2))).collect::<Vec<_>>();
        let (pairs, mail, table, nested, tagged) = (some(3), some(2), some(3), some(2), some(3));
        Self {
            data: some(3).iter().map(|&(p, _, n)| (p, n as u8)).collect(),
            pairs: pairs.windows(2).map(|w| (w[0].0, w[1].0)).collect(),
            groups: some(2).iter().zip(some(2)).map(|(a, b)| [a.0, b.0].into()).collect(),
            tagged: tagged.iter().map(|&(p, q, n)| (q as u8, p, n as u8)).collect(),
            mail: mail.iter().map(|&(p, q, n)| ((p, q), n as u32 + 1)).collect(),
            line: some(2).iter().map(|&(_, q, _)| q).collect(),
            table: table.iter().map(|&(p, q, _)| (q, [p].into())).collect(),
            nested: nested.iter().map(|&(p, q, n)| (p, [(q, n as u8)].into())).collect(),
            cells: {
                let cells = some(CELLS);
                let count = cells.len();
                let next = |at: usize, n: usize| (n == 1).then(|| (at + 1) % count);
                cells.iter().enumerate().map(|(at, &(p, _, n))| (at, (p, next(at, n)))).collect()
            },
            one: some(1).first().map(|&(p, _, _)| p),
        }
    }

    fn renamed(&self, p: &[usize], q: &[usize], c: &[usize]) -> Self {
        let group = |group: &BTreeSet<usize>| group.iter().map(|&at| p[at]).collect::<BTreeSet<_>>();
        Self {
            one: self.one.map(|at| p[at]),
            data: self.data.iter().map(|(&at, &n)| (p[at], n)).collect(),
            pairs: self.pairs.iter().map(|&(a, b)| (p[a], p[b])).collect(),
            groups: self.groups.iter().map(group).collect(),
            tagged: self.tagged.iter().map(|&(a, at, b)| (a, p[at], b)).collect(),
            mail: self.mail.iter().map(|(&(a, b), &n)| ((p[a], q[b]), n)).collect(),
            line: self.line.iter().map(|&at| q[at]).collect(),
            table: self.table.iter().map(|(&at, ps)| (q[at], group(ps))).collect(),
            nested: self
                .nested
                .iter()
                .map(|(&at, row)| (p[at], row.iter().map(|(&b, &n)| (q[b], n)).collect()))
                .collect(),
            cells: self.cells.iter().map(|(&at, &(o, next))| (c[at], (p[o], next.map(|at| c[at])))).collect(),
        }
    }

    /// A plan that differs in one thing, or in nothing if that is not there.
    fn changed(&self, random: &mut SplitMix64) -> Self {
        let mut plan = self.clone();
        let (p, other, q) = (random.below(PS), random.below(PS), random.below(QS));
        match random.below(10) {
            0 => plan.one = Some(p),
            1 => drop(plan.data.insert(p, 1)),
            2 => drop(plan.pairs.insert((p, other))),
            3 => drop(plan.groups.insert([p, other].into())),
            4 => plan.mail.values_mut().take(1).for_each(|n| *n = 3 - *n),
            5 => plan.line.reverse(),
            6 => drop(plan.table.insert(q, [p, other].into())),
            7 => drop(plan.tagged.insert((1, p, 0))),
            8 => drop(plan.nested.insert(p, [(q, 1)].into())),
            _ => plan.cells.values_mut().take(1).for_each(|cell| cell.0 = p),
        }
        plan
    }

    fn is_isomorphic(&self, other: &Self) -> bool {
        let count = self.cells.len();
        permutations(PS).iter().any(|p| {
            permutations(QS)
                .iter()
                .any(|q| permutations(count).iter().any(|c| self.renamed(p, q, c) == *other))
        })
    }
}

fn permutations(count: usize) -> Vec<Vec<usize>> {
    if count == 0 {
        return vec![Vec::new()];
    }
    let shorter = permutations(count - 1);
    let insert = |order: &Vec<usize>, at: usize| {
        let mut order = order.clone();
        order.insert(at, count - 1);
        order
    };
    shorter.iter().flat_map(|order| (0..count).map(move |at| insert(order, at))).collect()
}

/// A model of two states. (What states are written as is to be compared within a program only.)
struct Two([Plan; 2]);

impl Plan {
    /// The value that is built in this way.
    fn world(&self, cx: &Cx<'_>) -> World {
        let (p, q): (Vec<P>, Vec<Q>) = (cx.all().collect(), cx.all().collect());
        let Plan { one, data, pairs, groups, tagged, mail, line, table, nested, cells } = self;
        let group = |group: &BTreeSet<usize>| group.iter().map(|&at| p[at]).collect::<Set<P>>();
        let mut heap = Heap::new();
        let refs: BTreeMap<usize, Ref<Cell>> = cells
            .iter()
            .map(|(&at, &(owner, _))| (at, heap.add(Cell { owner: p[owner], next: None })))
            .collect();
        for (at, (_, next)) in cells {
            heap[refs[at]].next = next.map(|next| refs[&next]);
        }
        World {
            one: one.map(|at| p[at]),
            data: data.iter().map(|(&at, &n)| (p[at], n)).collect(),
            pairs: pairs.iter().map(|&(a, b)| (p[a], p[b])).collect(),
            groups: groups.iter().map(group).collect(),
            tagged: tagged.iter().map(|&(a, at, b)| (a, p[at], b)).collect(),
            mail: mail
                .iter()
                .flat_map(|(&(a, b), &n)| (0..n).map(|_| (p[a], q[b])).collect::<Vec<_>>())
                .collect(),
            line: line.iter().map(|&at| q[at]).collect(),
            table: table.iter().map(|(&at, ps)| (q[at], group(ps))).collect(),
            nested: nested
                .iter()
                .map(|(&at, row)| (p[at], row.iter().map(|(&b, &n)| (q[b], n)).collect()))
                .collect(),
            roots: refs.values().copied().collect(),
            cells: heap,
        }
    }
}

impl Model for Two {
    type State = World;
    type Action = ();

    fn initial(&self, cx: &Cx<'_>, out: &mut Vec<World>) {
        out.extend(self.0.iter().map(|plan| plan.world(cx)));
    }

    fn actions(&self, _: &Cx<'_>, _: &World, _: &mut Vec<()>) {}

    fn apply(&self, _: &mut Doing<'_>, _: &mut World, (): &()) {}
}

fn encoded(plans: [Plan; 2]) -> [Encoding; 2] {
    let program = Program::new(Two(plans)).sort::<P>(PS as u32).sort::<Q>(QS as u32);
    [0, 1].map(|choice| {
        let (mut state, mut encoding) = (program.initial(), Encoding::new());
        program.fire(&mut state, Step { thread: 0, transition: 0, choice });
        program.encode(&mut state, &mut encoding);
        // What is stored can be read again, and is stored as before.
        let (mut read, mut again) = (program.initial(), Encoding::new());
        program.decode(&encoding, &mut read);
        program.encode(&mut read, &mut again);
        assert!(encoding.same(&again));
        encoding
    })
}

#[test]
fn isomorphic_values_are_one() {
    let mut random = SplitMix64::new(17);
    let orders = [permutations(PS), permutations(QS)];
    let mut counts = [0, 0];
    for _ in 0..testing::effort(2_000) {
        let plan = Plan::random(&mut random);
        let cells = permutations(plan.cells.len());
        let mut other = plan.clone();
        if random.below(3) > 0 {
            other = other.changed(&mut random);
        }
        let [p, q, c] = [&orders[0], &orders[1], &cells].map(|all| &all[random.below(all.len())]);
        let other = other.renamed(p, q, c);
        let is_isomorphic = plan.is_isomorphic(&other);
        counts[usize::from(is_isomorphic)] += 1;
        let [a, b] = encoded([plan.clone(), other.clone()]);
        assert_eq!(a.same(&b), is_isomorphic, "{plan:#?}\n{other:#?}");
    }
    assert!(counts.iter().all(|&count| count > 100), "{counts:?}");
}
