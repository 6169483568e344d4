//! The sides of a polygon are coloured one after the other: the example of Veanes, Ernits and Campbell, "State
//! isomorphism in model programs with abstract data structures" (2007), with sides that exist and with sides
//! that come into being.

use quotient_model::{Cx, Map, Shape, Symmetry, model, sort};

sort! {
    pub struct Side;
    pub struct NewSide: dynamic;
    pub struct Colour;
}

/// All sides exist from the beginning.
#[derive(Clone, Debug, Default, Shape)]
pub struct Triangle {
    colours: Map<Side, Colour>,
}

#[model]
impl Triangle {
    #[initial]
    fn blank() -> Self {
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

/// Sides are objects: each comes into being with its colour.
#[derive(Clone, Debug, Default, Shape)]
pub struct Objects {
    colours: Map<NewSide, Colour>,
}

#[model]
impl Objects {
    #[initial]
    fn nothing() -> Self {
        Self::default()
    }

    #[action(when = self.colours.len() < cx.count::<NewSide>())]
    fn add(&mut self, #[fresh] side: NewSide, colour: Colour) {
        self.colours.insert(side, colour);
    }
}

#[allow(dead_code, reason = "tests include this file")]
fn main() {
    let mut triangle = Triangle::program().sort::<Side>(3).sort::<Colour>(2);
    for symmetry in [Symmetry::None, Symmetry::Full] {
        let report = triangle.check().symmetry(symmetry).run();
        println!("{symmetry:?}: {} states, {} transitions", report.states, report.transitions);
    }
}
