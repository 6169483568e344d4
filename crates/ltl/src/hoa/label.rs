//! Labels: Boolean expressions over propositions, and their cubes.

use std::rc::Rc;

use crate::cube::{Cube, minimize};
use crate::{Prop, lasso::Valuation};

#[derive(Debug)]
pub enum Label {
    Constant(bool),
    Prop(Prop),
    Not(Rc<Self>),
    And(Rc<Self>, Rc<Self>),
    Or(Rc<Self>, Rc<Self>),
}

impl Label {
    /// The disjunction of cubes that means the same, unless there are too many.
    pub fn cubes(&self) -> Option<Vec<Cube>> {
        let mut work = 100_000;
        let mut cubes = self.signed(true, &mut work)?;
        if cubes.len() <= 100 {
            minimize(&mut cubes);
        }
        Some(cubes)
    }

    fn signed(&self, sign: bool, work: &mut usize) -> Option<Vec<Cube>> {
        *work = work.checked_sub(1)?;
        match self {
            Self::Constant(value) => Some(if *value == sign { vec![Cube::TRUE] } else { Vec::new() }),
            Self::Prop(prop) => Some(vec![Cube::literal(*prop, sign)]),
            Self::Not(a) => a.signed(!sign, work),
            Self::And(a, b) | Self::Or(a, b) => {
                let (a, b) = (a.signed(sign, work)?, b.signed(sign, work)?);
                if matches!(self, Self::And(..)) != sign {
                    return Some([a, b].concat());
                }
                *work = work.checked_sub(a.len() * b.len())?;
                let mut both: Vec<_> = a.iter().flat_map(|a| b.iter().filter_map(|b| a.and(*b))).collect();
                both.sort_unstable();
                both.dedup();
                Some(both)
            }
        }
    }

    /// The implicit label of edge `number` of a state: a valuation of all propositions.
    pub fn implicit(number: Valuation, props: u32) -> Cube {
        Cube::exactly(number, crate::Marks::all(props).0)
    }
}
