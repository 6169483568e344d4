//! Cache coherence by a directory, after the protocol that Steven German posed as a challenge in 2000 and that is
//! described in Chou, Mannava and Park, "A simple method for parameterized verification of cache coherence
//! protocols" (2004).
//!
//! Caches ask the directory for a shared or an exclusive copy. The directory works on one request at a time: it
//! invalidates copies that stand in the way, waits until these are given up, and grants. Each cache has a place for
//! one request, one for what the directory sends, and one for what it answers.

use quotient_model::{Cx, Doing, Map, Model, Program, Properties, Shape, Symmetry, sort};

sort! { pub struct Cache; }

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Shape)]
pub enum Copy {
    None,
    Shared,
    Exclusive,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Shape)]
pub enum Order {
    Invalidate,
    Grant(Copy),
}

/// A cache, and what the directory knows about it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Shape)]
pub struct Line {
    pub copy: Copy,
    pub request: Option<Copy>,
    pub order: Option<Order>,
    pub gave_up: bool,
    /// The directory believes that it has a copy.
    pub is_listed: bool,
    /// The directory has to invalidate its copy.
    pub is_to_invalidate: bool,
}

#[derive(Clone, Debug, Shape)]
pub struct Machine {
    pub lines: Map<Cache, Line>,
    /// The request that the directory works on.
    pub current: Option<(Cache, Copy)>,
    pub exclusive_granted: bool,
}

#[derive(Clone, Debug, Shape)]
pub enum Act {
    Ask(Cache, Copy),
    TakeUp(Cache),
    Invalidate(Cache),
    GiveUp(Cache),
    HearGivenUp(Cache),
    Grant(Cache),
    HearGrant(Cache),
}

/// The model. With the fault to be found, an exclusive copy is granted while others have shared ones.
pub struct Directory {
    pub is_hasty: bool,
}

impl Model for Directory {
    type State = Machine;
    type Action = Act;

    fn initial(&self, cx: &Cx<'_>, out: &mut Vec<Machine>) {
        let line = Line {
            copy: Copy::None,
            request: None,
            order: None,
            gave_up: false,
            is_listed: false,
            is_to_invalidate: false,
        };
        let lines = cx.all::<Cache>().map(|cache| (cache, line)).collect();
        out.push(Machine { lines, current: None, exclusive_granted: false });
    }

    fn actions(&self, _: &Cx<'_>, state: &Machine, out: &mut Vec<Act>) {
        let must_invalidate = match state.current {
            Some((_, Copy::Exclusive)) => true,
            Some(_) => state.exclusive_granted,
            None => false,
        };
        for (&cache, line) in state.lines.iter() {
            if line.request.is_none() && line.copy == Copy::None {
                out.push(Act::Ask(cache, Copy::Shared));
            }
            if line.request.is_none() && line.copy != Copy::Exclusive {
                out.push(Act::Ask(cache, Copy::Exclusive));
            }
            if state.current.is_none() && line.request.is_some() {
                out.push(Act::TakeUp(cache));
            }
            if must_invalidate && line.is_to_invalidate && line.order.is_none() {
                out.push(Act::Invalidate(cache));
            }
            match line.order {
                Some(Order::Invalidate) if !line.gave_up => out.push(Act::GiveUp(cache)),
                Some(Order::Grant(_)) => out.push(Act::HearGrant(cache)),
                _ => {}
            }
            if line.gave_up && state.current.is_some() {
                out.push(Act::HearGivenUp(cache));
            }
        }
        if let Some((cache, wanted)) = state.current
            && !state.exclusive_granted
            && state.lines[cache].order.is_none()
            && (wanted == Copy::Shared || self.is_hasty || state.lines.values().all(|line| !line.is_listed))
        {
            out.push(Act::Grant(cache));
        }
    }

    fn apply(&self, _: &mut Doing<'_>, state: &mut Machine, action: &Act) {
        match *action {
            Act::Ask(cache, wanted) => state.lines[cache].request = Some(wanted),
            Act::TakeUp(cache) => {
                state.current = state.lines[cache].request.take().map(|wanted| (cache, wanted));
                state.lines.iter_mut().for_each(|(_, line)| line.is_to_invalidate = line.is_listed);
            }
            Act::Invalidate(cache) => {
                let line = &mut state.lines[cache];
                (line.order, line.is_to_invalidate) = (Some(Order::Invalidate), false);
            }
            Act::GiveUp(cache) => {
                let line = &mut state.lines[cache];
                (line.order, line.gave_up, line.copy) = (None, true, Copy::None);
            }
            Act::HearGivenUp(cache) => {
                let line = &mut state.lines[cache];
                (line.gave_up, line.is_listed) = (false, false);
                state.exclusive_granted = false;
            }
            Act::Grant(cache) => {
                let (_, wanted) = state.current.take().expect("it works on a request");
                let line = &mut state.lines[cache];
                (line.order, line.is_listed) = (Some(Order::Grant(wanted)), true);
                state.exclusive_granted = wanted == Copy::Exclusive;
            }
            Act::HearGrant(cache) => {
                let line = &mut state.lines[cache];
                if let Some(Order::Grant(granted)) = line.order.take() {
                    line.copy = granted;
                }
            }
        }
    }

    fn properties(&self, to: &mut Properties<Machine>) {
        to.invariant("who is exclusive is alone", |_, state| {
            let with = |copy| state.lines.values().filter(|line| line.copy == copy).count();
            with(Copy::Exclusive) == 0 || with(Copy::Exclusive) + with(Copy::Shared) == 1
        });
        to.reachable("two share", |_, state| {
            state.lines.values().filter(|line| line.copy == Copy::Shared).count() > 1
        });
    }
}

#[allow(dead_code, reason = "tests include this file")]
fn main() {
    let caches = std::env::args().nth(1).map_or(3, |text| text.parse().expect("a number of caches"));
    let mut program = Program::new(Directory { is_hasty: false }).sort::<Cache>(caches);
    let plain = program.check().symmetry(Symmetry::None).run().states;
    println!("{plain} states, {} orbits", program.check().run().states);
}
