//! Sets with more possible entries than have numbers.

use quotient_model::{Cx, Doing, Model, Order, Program, Set, Shape, Symmetry, sort};

sort! { struct Side; }

/// The greatest number in a set.
const LAST: u16 = 2_999;

/// A window of one or two numbers that wanders up, by the side that goes first.
#[derive(Clone, Debug, Shape)]
struct Window {
    seen: Set<(u16, Side)>,
}

#[derive(Clone, Copy, Debug, Shape)]
enum Move {
    Grow,
    Shrink,
}

struct Wandering;

impl Model for Wandering {
    type State = Window;
    type Action = Move;

    fn initial(&self, cx: &Cx<'_>, out: &mut Vec<Window>) {
        out.extend(cx.all().map(|side| Window { seen: Set::from_iter([(0, side)]) }));
    }

    fn actions(&self, _: &Cx<'_>, window: &Window, out: &mut Vec<Move>) {
        match window.seen.len() {
            1 if window.seen.iter().all(|&(number, _)| number < LAST) => out.push(Move::Grow),
            2 => out.push(Move::Shrink),
            _ => {}
        }
    }

    fn apply(&self, _: &mut Doing<'_>, window: &mut Window, action: &Move) {
        let first = window.seen.iter().map(|&(number, _)| number).min().expect("it is never empty");
        match action {
            Move::Grow => {
                let next: Vec<_> = window.seen.iter().map(|&(number, side)| (number + 1, side)).collect();
                window.seen.extend(next);
            }
            Move::Shrink => window.seen.retain(|&(number, _)| number > first),
        }
    }
}

/// With one number `LAST + 1` states, with two `LAST`; a move leads from each to the next.
#[test]
fn entries_without_numbers_are_told_apart() {
    let states = 2 * usize::from(LAST) + 1;
    for order in [Order::BreadthFirst, Order::DepthFirst] {
        for (symmetry, sides) in [(Symmetry::None, 2), (Symmetry::Full, 1)] {
            let mut program = Program::new(Wandering).sort::<Side>(2);
            let report = program.check().order(order).symmetry(symmetry).run();
            assert_eq!(report.states, sides * states, "{symmetry:?}");
        }
    }
}
