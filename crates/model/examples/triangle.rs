//! The sides of a polygon are coloured one after the other: the example of Veanes, Ernits and Campbell, "State
//! isomorphism in model programs with abstract data structures" (2007), with sides that exist and with sides
//! that come into being.

use quotient_model::{Cx, Doing, Map, Model, Program, Shape, Symmetry, sort};

sort! {
    pub struct Side;
    pub struct NewSide: dynamic;
    pub struct Colour;
}

#[derive(Clone, Debug, Shape)]
pub struct Assign<S>(S, Colour);

/// All sides exist from the beginning.
pub struct Triangle;

impl Model for Triangle {
    type State = Map<Side, Colour>;
    type Action = Assign<Side>;

    fn initial(&self, _: &Cx<'_>, out: &mut Vec<Self::State>) {
        out.push(Map::new());
    }

    fn actions(&self, cx: &Cx<'_>, colours: &Self::State, out: &mut Vec<Self::Action>) {
        for side in cx.all::<Side>().filter(|side| !colours.contains_key(side)) {
            out.extend(cx.all::<Colour>().map(|colour| Assign(side, colour)));
        }
    }

    fn apply(&self, _: &mut Doing<'_>, colours: &mut Self::State, Assign(side, colour): &Self::Action) {
        colours.insert(*side, *colour);
    }

    fn accepting(&self, cx: &Cx<'_>, colours: &Self::State) -> bool {
        colours.len() == cx.count::<Side>()
    }
}

/// Sides are objects: each comes into being with its colour.
pub struct Objects;

impl Model for Objects {
    type State = Map<NewSide, Colour>;
    type Action = Assign<NewSide>;

    fn initial(&self, _: &Cx<'_>, out: &mut Vec<Self::State>) {
        out.push(Map::new());
    }

    fn actions(&self, cx: &Cx<'_>, colours: &Self::State, out: &mut Vec<Self::Action>) {
        if colours.len() < cx.count::<NewSide>()
            && let Some(side) = cx.fresh::<NewSide>(colours)
        {
            out.extend(cx.all::<Colour>().map(|colour| Assign(side, colour)));
        }
    }

    fn apply(&self, _: &mut Doing<'_>, colours: &mut Self::State, Assign(side, colour): &Self::Action) {
        colours.insert(*side, *colour);
    }
}

#[allow(dead_code, reason = "tests include this file")]
fn main() {
    let mut triangle = Program::new(Triangle).sort::<Side>(3).sort::<Colour>(2);
    for symmetry in [Symmetry::None, Symmetry::Full] {
        let report = triangle.check().symmetry(symmetry).run();
        println!("{symmetry:?}: {} states, {} transitions", report.states, report.transitions);
    }
}
