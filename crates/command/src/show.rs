//! Runs as people read them: actions, who takes them, and what they change.

use std::fmt::Write as _;

use quotient_model::{Model, Obstacle, Process, Program, Remark, Shape, Taken, Term};

/// A state at the beginning or the end of a run.
pub fn state<M: Model>(program: &Program<M>, state: &M::State) -> Vec<String> {
    let mut lines = match state.term() {
        Term::Record { fields, .. } => {
            fields.iter().map(|(name, value)| format!("{name} = {value}")).collect()
        }
        term => vec![term.to_string()],
    };
    lines.extend(program.views(state).into_iter().map(|(name, value)| format!("({name}: {value})")));
    lines
}

/// What differs between two states.
pub fn changes<M: Model>(program: &Program<M>, before: &M::State, after: &M::State) -> Vec<String> {
    let (old, new) = (before.term(), after.term());
    let shown = |term: Option<&Term>| term.map_or_else(|| "nothing".to_owned(), ToString::to_string);
    let mut lines: Vec<String> = old
        .differences(&new)
        .iter()
        .map(|(path, a, b)| {
            let path = path.strip_prefix('.').unwrap_or(path);
            let colon = if path.is_empty() { "" } else { ": " };
            format!("{path}{colon}{} → {}", shown(*a), shown(*b))
        })
        .collect();
    let views = program.views(before).into_iter().zip(program.views(after));
    lines.extend(
        views.filter(|((_, a), (_, b))| a != b).map(|((name, a), (_, b))| format!("({name}: {a} → {b})")),
    );
    lines
}

/// What an action said of itself.
pub fn remarks(remarks: &[Remark]) -> Vec<String> {
    let said = |remark: &Remark| match remark {
        Remark::Note(text) => text.clone(),
        Remark::Output(term) => format!("answers {term}"),
        Remark::Covers(requirement) => format!("covers {requirement}"),
    };
    remarks.iter().map(said).collect()
}

/// Why an action is not possible.
pub fn obstacle(Obstacle { action, condition, place }: &Obstacle) -> String {
    format!("{action} is not possible: `{condition}` is false ({place})")
}

/// A run that is written step by step. Its columns are as wide as they have to be so far.
pub struct Writing<'p, M: Model> {
    program: &'p Program<M>,
    width: usize,
    steps: usize,
}

impl<'p, M: Model> Writing<'p, M> {
    /// A run of steps of these processes.
    pub fn new(program: &'p Program<M>, processes: impl Iterator<Item = Process>) -> Self {
        let width = processes.map(|process| program.process_name(process).chars().count()).max();
        Self { program, width: width.unwrap_or(0), steps: 0 }
    }

    pub fn beginning(&self, initial: &M::State) -> String {
        lines("  initially", &state(self.program, initial))
    }

    pub fn step(&mut self, before: &M::State, taken: &Taken<M::State, M::Action>) -> String {
        self.steps += 1;
        let name = self.program.process_name(taken.process);
        self.width = self.width.max(name.chars().count());
        let column = if self.width == 0 { String::new() } else { format!("{name:<0$}  ", self.width) };
        let head = format!("{:>3}. {column}{}", self.steps, taken.action.term());
        let mut told = remarks(&taken.remarks);
        if let Some(after) = &taken.state {
            told.extend(changes(self.program, before, after));
        }
        lines(&head, &told)
    }
}

/// A line, and lines below it.
pub fn lines(head: &str, below: &[String]) -> String {
    let mut out = format!("{head}\n");
    for line in below {
        _ = writeln!(out, "       {line}");
    }
    out
}
