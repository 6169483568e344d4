//! Choice points of a step, and which of their alternatives have to be tried out.
//!
//! A symmetry of a state that maps the thread that moves, and everything chosen before, to itself maps the
//! alternatives of the next choice point to each other. What follows after one of them is, up to names, what
//! follows after the others. So one alternative stands for all that such symmetries exchange it with.

use state::{Entity, ThreadId};

/// Symmetries of a state, each of which exchanges some entities in pairs.
#[derive(Clone, Default, Debug)]
pub struct Exchanges {
    pairs: Vec<(Entity, Entity)>,
    /// By symmetry: where its pairs end.
    ends: Vec<usize>,
}

impl Exchanges {
    pub fn clear(&mut self) {
        self.pairs.clear();
        self.ends.clear();
    }

    pub const fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// Adds the symmetry that exchanges these entities.
    pub fn add(&mut self, pairs: impl Iterator<Item = (Entity, Entity)>) {
        self.pairs.extend(pairs);
        self.ends.push(self.pairs.len());
    }

    fn iter(&self) -> impl Iterator<Item = &[(Entity, Entity)]> {
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        starts.zip(&self.ends).map(|(start, &end)| &self.pairs[start..end])
    }
}

/// A choice point, and what was chosen there.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ChoicePoint {
    /// The number of alternatives.
    pub ways: u32,
    /// The alternative to try out after the chosen one; `ways` if there is none.
    pub next: u32,
    /// The number of alternatives for which the chosen one stands.
    pub times: u32,
}

/// The choice points of the last run.
#[derive(Clone, Default, Debug)]
pub(crate) struct Choices {
    pub points: Vec<ChoicePoint>,
    /// Symmetries of the state in which the run starts, if alternatives may stand for others.
    pub exchanges: Exchanges,
    /// The entities chosen so far.
    chosen: Vec<Entity>,
    /// Something was chosen that is not an entity but mentions entities: symmetries may move it.
    is_blurred: bool,
    /// By alternative: the least one that it can be exchanged with. The first choice point of a step is the same
    /// in all runs.
    least: Vec<u32>,
    first: Vec<u32>,
    /// The alternatives of a choice point.
    pub entities: Vec<Option<Entity>>,
}

/// What alternatives are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Alternatives {
    /// Without entities.
    Data,
    /// The [`Choices::entities`], each of which may be missing.
    Entities,
    /// Collections that mention entities.
    Mixed,
}

impl Choices {
    /// The runs of another step follow.
    pub fn begin(&mut self) {
        self.first.clear();
    }

    /// A run starts.
    pub fn clear(&mut self) {
        self.points.clear();
        self.chosen.clear();
        self.is_blurred = false;
    }

    /// Whether it matters what the alternatives of a choice point are.
    #[inline]
    pub const fn folds(&self) -> bool {
        !self.exchanges.is_empty()
    }

    /// Records a choice point at which every alternative is tried out.
    #[inline]
    pub fn add(&mut self, ways: u32, chosen: u32) {
        self.points.push(ChoicePoint { ways, next: chosen + 1, times: 1 });
    }

    /// Records a choice point of a thread at which one alternative may stand for others.
    pub fn add_folded(&mut self, thread: ThreadId, ways: u32, chosen: u32, alternatives: Alternatives) {
        if alternatives != Alternatives::Entities {
            self.is_blurred |= alternatives == Alternatives::Mixed;
            return self.add(ways, chosen);
        }
        debug_assert_eq!(self.entities.len(), ways as usize);
        let entity = self.entities[chosen as usize];
        if self.is_blurred {
            self.add(ways, chosen);
        } else {
            let is_first = self.points.is_empty();
            if !is_first || self.first.is_empty() {
                self.find_least(thread);
                if is_first {
                    self.first.clone_from(&self.least);
                }
            }
            let all = if is_first { &self.first } else { &self.least };
            let least = all[chosen as usize];
            let rest = all[chosen as usize + 1..].iter().zip(chosen + 1..);
            let next = rest.map(|(&least, at)| (least == at).then_some(at)).find(Option::is_some);
            let times = all.iter().filter(|&&other| other == least).count() as u32;
            self.points.push(ChoicePoint { ways, next: next.flatten().unwrap_or(ways), times });
        }
        self.chosen.extend(entity);
    }

    /// Finds, for each alternative, the least one that it can be exchanged with.
    fn find_least(&mut self, thread: ThreadId) {
        let Self { exchanges, chosen, least, entities, .. } = self;
        least.clear();
        least.extend(0..entities.len() as u32);
        let is_fixed = |entity: Entity| entity == Entity::Thread(thread) || chosen.contains(&entity);
        for pairs in exchanges.iter() {
            if pairs.iter().any(|&(a, b)| is_fixed(a) || is_fixed(b)) {
                continue;
            }
            for &(a, b) in pairs {
                let place = |entity| entities.iter().position(|&other| other == Some(entity));
                // The choice is among both or neither, since the symmetry maps the alternatives to themselves.
                if let (Some(a), Some(b)) = (place(a), place(b)) {
                    let (a, b) = (least[a], least[b]);
                    least.iter_mut().filter(|least| **least == a.max(b)).for_each(|least| *least = a.min(b));
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MOVING: ThreadId = ThreadId(0);

    fn element(id: u32) -> Entity {
        Entity::Abstract(0, id)
    }

    /// Choices among four elements, where one symmetry exchanges 0 with 2 and 1 with 3.
    fn choices(also: Option<(Entity, Entity)>) -> Choices {
        let mut choices = Choices::default();
        let pairs = [(element(0), element(2)), (element(1), element(3))];
        choices.exchanges.add(pairs.into_iter().chain(also));
        choices.entities = (0..4).map(|id| Some(element(id))).collect();
        choices
    }

    fn last(choices: &Choices) -> (u32, u32) {
        choices.points.last().map(|point| (point.next, point.times)).expect("there is one")
    }

    #[test]
    fn what_can_be_exchanged_is_tried_once() {
        let mut choices = choices(None);
        choices.add_folded(MOVING, 4, 0, Alternatives::Entities);
        assert_eq!(last(&choices), (1, 2));
        choices.clear();
        choices.add_folded(MOVING, 4, 1, Alternatives::Entities);
        assert_eq!(last(&choices), (4, 2));
    }

    #[test]
    fn what_a_symmetry_moves_is_not_exchanged() {
        let alone = (1, 1);
        let mut moves_thread = choices(Some((Entity::Thread(MOVING), Entity::Thread(ThreadId(1)))));
        moves_thread.add_folded(MOVING, 4, 0, Alternatives::Entities);
        assert_eq!(last(&moves_thread), alone);
        let mut chosen = choices(None);
        chosen.add_folded(MOVING, 4, 1, Alternatives::Entities);
        chosen.add_folded(MOVING, 4, 0, Alternatives::Entities);
        assert_eq!(last(&chosen), alone);
        let mut mixed = choices(None);
        mixed.add_folded(MOVING, 2, 0, Alternatives::Mixed);
        mixed.add_folded(MOVING, 4, 0, Alternatives::Entities);
        assert_eq!(last(&mixed), alone);
        let mut data = choices(None);
        data.add_folded(MOVING, 2, 0, Alternatives::Data);
        data.add_folded(MOVING, 4, 0, Alternatives::Entities);
        assert_eq!(last(&data), (1, 2));
    }
}
