//! Unification of sorts, with shifts.
//!
//! A *sort variable* stands for the sort of a place or expression. Variables that must have the same sort are
//! joined; the numbers of one may be shifted against those of the other, as in `level[_pid - 1]`. What is known
//! of a sort is collected: that its numbers stand for threads, for channels, or are used as numbers. If more than
//! one of these is so, they are numbers.

use ir::Sort;
use source::Span;

use crate::seeded::{Seeded, is_seeded};

/// A sort variable.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Var(u32);

/// Why something is used as a number.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Reason {
    pub what: &'static str,
    pub span: Span,
}

#[derive(Clone, Debug, Default)]
struct Knowledge {
    /// Its numbers stand for threads: the difference at which they are the numbers of the threads.
    threads: Option<i64>,
    channels: bool,
    /// Some of its variables are shifted against others.
    is_shifted: bool,
    /// Its numbers are used as such.
    numbers: Option<Reason>,
    /// If it is a sort of channels: the fields of their messages.
    fields: Vec<Var>,
}

#[derive(Clone, Debug, Default)]
pub struct Unifier {
    parents: Vec<Var>,
    /// By variable: how much its shift exceeds that of its parent.
    excess: Vec<i64>,
    /// By variable that is its own parent: how many variables are joined with it.
    sizes: Vec<u32>,
    known: Vec<Knowledge>,
}

impl Unifier {
    /// A variable of which nothing is known.
    pub fn fresh(&mut self) -> Var {
        let var = Var(self.parents.len() as u32);
        self.parents.push(var);
        self.excess.push(0);
        self.sizes.push(1);
        self.known.push(Knowledge::default());
        var
    }

    fn find(&self, var: Var) -> (Var, i64) {
        let (mut root, mut excess) = (var, 0_i64);
        while self.parents[root.0 as usize] != root {
            excess = excess.wrapping_add(self.excess[root.0 as usize]);
            root = self.parents[root.0 as usize];
        }
        (root, excess)
    }

    fn known_mut(&mut self, var: Var) -> &mut Knowledge {
        let root = self.find(var).0;
        &mut self.known[root.0 as usize]
    }

    fn known(&self, var: Var) -> &Knowledge {
        &self.known[self.find(var).0.0 as usize]
    }

    /// The numbers of `a` and `b` stand for the same things, where those of `a` are greater by `by`.
    pub fn join(&mut self, a: Var, b: Var, by: i64, reason: Reason) {
        let by = if is_seeded(Seeded::NoShifts) { 0 } else { by };
        let ((a, of_a), (b, of_b)) = (self.find(a), self.find(b));
        // The shift of a variable is added to its number: that of `a` is less by `by`.
        if a == b {
            if of_a != of_b.wrapping_sub(by) {
                self.is_number(a, reason);
            }
            return;
        }
        let excess = of_a.wrapping_sub(of_b).wrapping_add(by);
        // The smaller tree goes below the larger one, so that paths are short.
        let is_below = self.sizes[a.0 as usize] < self.sizes[b.0 as usize];
        let (root, child, excess) = if is_below { (b, a, excess.wrapping_neg()) } else { (a, b, excess) };
        self.parents[child.0 as usize] = root;
        self.excess[child.0 as usize] = excess;
        self.sizes[root.0 as usize] += self.sizes[child.0 as usize];
        let [of_root, of_child] = [root, child].map(|var| std::mem::take(&mut self.known[var.0 as usize]));
        let threads = of_child.threads.map(|zero| zero.wrapping_add(excess));
        let channels = of_root.channels || of_child.channels;
        let is_shifted = of_root.is_shifted || of_child.is_shifted || excess != 0;
        let is_torn = of_root.threads.zip(threads).is_some_and(|(one, other)| one != other);
        let is_torn = is_torn || channels && is_shifted;
        // The reasons of the first one come first.
        let (first, second) =
            if is_below { (of_child.numbers, of_root.numbers) } else { (of_root.numbers, of_child.numbers) };
        let numbers = first.or(is_torn.then_some(reason)).or(second);
        let threads = of_root.threads.or(threads);
        self.known[root.0 as usize] =
            Knowledge { threads, channels, is_shifted, numbers, fields: of_root.fields };
        for (at, field) in of_child.fields.into_iter().enumerate() {
            match self.known(root).fields.get(at) {
                Some(&own) if is_below => self.join(field, own, 0, reason),
                Some(&own) => self.join(own, field, 0, reason),
                None => self.known_mut(root).fields.push(field),
            }
        }
    }

    /// The numbers are those of threads.
    pub fn are_threads(&mut self, var: Var, reason: Reason) {
        let (root, zero) = self.find(var);
        let known = &mut self.known[root.0 as usize];
        if *known.threads.get_or_insert(zero) != zero {
            known.numbers.get_or_insert(reason);
        }
    }

    pub fn are_channels(&mut self, var: Var, reason: Reason) {
        let known = self.known_mut(var);
        known.channels = true;
        if known.is_shifted {
            known.numbers.get_or_insert(reason);
        }
    }

    pub fn is_number(&mut self, var: Var, reason: Reason) {
        self.known_mut(var).numbers.get_or_insert(reason);
    }

    /// The sort of a field of the messages of channels.
    pub fn field(&mut self, channel: Var, field: usize) -> Var {
        while self.known(channel).fields.len() <= field {
            let fresh = self.fresh();
            self.known_mut(channel).fields.push(fresh);
        }
        self.known(channel).fields[field]
    }

    /// The sort of a field of the messages of channels, if anything mentions it.
    pub fn known_field(&self, channel: Var, field: usize) -> Option<Var> {
        self.known(channel).fields.get(field).copied()
    }

    /// Whether two variables have one sort.
    pub fn are_one(&self, a: Var, b: Var) -> bool {
        self.find(a).0 == self.find(b).0
    }

    /// Whether nothing is known of the sort.
    pub fn is_free(&self, var: Var) -> bool {
        let known = self.known(var);
        known.threads.is_none() && !known.channels && known.numbers.is_none()
    }

    pub fn has_channels(&self, var: Var) -> bool {
        self.known(var).channels
    }

    /// Why the numbers are used as such, if they are.
    pub fn number_reason(&self, var: Var) -> Option<Reason> {
        self.known(var).numbers
    }

    pub fn sort(&self, var: Var) -> Sort {
        let (root, excess) = self.find(var);
        match &self.known[root.0 as usize] {
            Knowledge { numbers: Some(_), .. } => Sort::Number,
            Knowledge { threads, channels: true, .. } if threads.is_none() || is_seeded(Seeded::OneSort) => {
                Sort::Channel
            }
            Knowledge { threads: Some(zero), channels: false, .. } => {
                Sort::Thread { shift: excess.wrapping_sub(*zero) }
            }
            Knowledge { .. } => Sort::Number,
        }
    }
}
