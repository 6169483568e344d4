//! Trees of questions, all in one table.
//!
//! What comes after an answer is found under the question's number and the answer, and is the next question itself. So each
//! question costs one look at one place in memory.

/// What comes at some place of a tree.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Next {
    Ask(Question),
    End(End),
}

/// Asks for some bits of a word, at least one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Question {
    /// Its number, from 1 on.
    number: u32,
    pub at: u32,
    pub mask: u64,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum End {
    /// What the thread can do: so many moves from the first one on.
    Known {
        first: u32,
        count: u32,
    },
    Irregular,
}

#[derive(Clone, Debug, Default)]
pub struct Questions {
    /// A power of two of them, never more than three quarters in use.
    entries: Vec<Entry>,
    used: usize,
    asked: u32,
}

#[derive(Clone, Copy, Default, Debug)]
struct Entry {
    answer: u64,
    /// Of the next question, or none for an end.
    mask: u64,
    /// The question that was answered, or 0 if the entry is free.
    after: u32,
    /// Of the next question, or the first move.
    at: u32,
    /// The number of the next question, or of moves.
    number: u32,
}

/// Instead of a number of moves.
const IRREGULAR: u32 = u32::MAX;
const FEWEST: usize = 1 << 8;

impl Entry {
    fn new(after: u32, answer: u64, next: Next) -> Self {
        let (mask, at, number) = match next {
            Next::Ask(question) => (question.mask, question.at, question.number),
            Next::End(End::Known { first, count }) => (0, first, count),
            Next::End(End::Irregular) => (0, 0, IRREGULAR),
        };
        Self { answer, mask, after, at, number }
    }

    #[inline]
    fn next(self) -> Next {
        match self {
            Self { mask: 0, number: IRREGULAR, .. } => Next::End(End::Irregular),
            Self { mask: 0, at, number, .. } => Next::End(End::Known { first: at, count: number }),
            Self { mask, at, number, .. } => Next::Ask(Question { number, at, mask }),
        }
    }
}

impl Questions {
    pub fn len(&self) -> usize {
        self.used
    }

    pub fn clear(&mut self) {
        self.entries.clear();
        (self.used, self.asked) = (0, 0);
    }

    /// A new one.
    pub fn ask(&mut self, at: u32, mask: u64) -> Question {
        self.asked += 1;
        Question { number: self.asked, at, mask }
    }

    #[inline]
    pub fn after(&self, question: Question, answer: u64) -> Option<Next> {
        let entry = self.entries.get(self.place(question.number, answer))?;
        (entry.after != 0).then(|| entry.next())
    }

    /// What comes after an answer from now on, of which nothing was known.
    pub fn add(&mut self, question: Question, answer: u64, next: Next) {
        if self.entries.len() / 4 * 3 <= self.used {
            let larger = vec![Entry::default(); (self.entries.len() * 2).max(FEWEST)];
            for entry in std::mem::replace(&mut self.entries, larger) {
                if entry.after != 0 {
                    let place = self.place(entry.after, entry.answer);
                    self.entries[place] = entry;
                }
            }
        }
        let place = self.place(question.number, answer);
        self.entries[place] = Entry::new(question.number, answer, next);
        self.used += 1;
    }

    /// Where an answer is, or would be.
    #[inline]
    fn place(&self, question: u32, answer: u64) -> usize {
        // Answers are few bits anywhere in a word, questions are small numbers: products spread both.
        let spread = u64::from(question).wrapping_mul(0xd6e8_feb8_6659_fd93);
        let mixed = (answer ^ spread).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let last = self.entries.len().wrapping_sub(1);
        let mut place = (mixed ^ mixed >> 32) as usize & last;
        while let Some(entry) = self.entries.get(place)
            && entry.after != 0
            && (entry.after, entry.answer) != (question, answer)
        {
            place = (place + 1) & last;
        }
        place
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_lead_to_what_was_added_after_them() {
        let mut questions = Questions::default();
        let asked: Vec<Question> = (0..100).map(|at| questions.ask(at, 0xff)).collect();
        let end = |at: usize, answer: u64| match answer {
            13 => Next::End(End::Irregular),
            _ => Next::End(End::Known { first: at as u32, count: answer as u32 }),
        };
        assert_eq!(questions.after(asked[0], 0), None);
        for (at, &question) in asked.iter().enumerate() {
            for answer in 0..50 {
                let next = asked.get(at + 1).map_or(end(at, answer), |&next| Next::Ask(next));
                questions.add(
                    question,
                    answer << (at % 56),
                    if answer % 2 == 0 { next } else { end(at, answer) },
                );
            }
        }
        assert_eq!(questions.len(), 5000);
        for (at, &question) in asked.iter().enumerate() {
            assert_eq!(questions.after(question, 50 << (at % 56)), None);
            for answer in 0..50 {
                let next = asked.get(at + 1).map_or(end(at, answer), |&next| Next::Ask(next));
                let expected = if answer % 2 == 0 { next } else { end(at, answer) };
                assert_eq!(questions.after(question, answer << (at % 56)), Some(expected));
            }
        }
        questions.clear();
        assert_eq!(questions.after(asked[0], 0), None);
    }
}
