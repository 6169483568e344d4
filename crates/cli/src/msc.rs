//! A run as a message sequence chart: a column for each process, time downwards.
//!
//! ```text
//!       Client(0)           Clerk(1)            Logger(2)
//!    1  |----ask(0)-------->|                   |
//!    2  |                   * log!ticket(7) #1  |
//!    3  |                   |                   * log?ticket(7) #1
//! ```
//!
//! A rendezvous is an arrow from sender to receiver. A message that waits in a channel has a number, by which
//! to find where it is received. What concerns one process only is the text of its statement, as far as the
//! column is wide. Processes get the column of their number when they start, and leave it when they end.

use std::collections::BTreeMap;

use check::{Change, Datum, Direction, Message, Process, Trace, TraceStep};

/// A column is at least this wide, whatever the terminal is, so that there is something to read.
const NARROWEST: usize = 14;
const WIDEST: usize = 40;

/// How the chart is drawn.
#[derive(Clone, Copy)]
pub struct Look {
    /// The width of the terminal.
    pub width: usize,
    /// Whether it shows more than ASCII.
    pub unicode: bool,
    /// Whether to show steps without messages.
    pub local: bool,
    /// Whether to show below a step what it changed.
    pub events: bool,
}

/// How large a chart is.
#[derive(Clone, Copy, Default)]
pub struct Size {
    pub steps: u64,
    /// Columns are for processes by their numbers.
    columns: usize,
}

impl Size {
    /// Makes room for processes.
    pub fn fit(&mut self, processes: &[Process]) {
        let columns = processes.iter().map(|process| process.id as usize + 1);
        self.columns = columns.chain([self.columns]).max().unwrap_or(0);
    }
}

/// A chart that is drawn line by line, with a mark at what is wrong in the end.
pub struct Chart {
    look: Look,
    /// Where the first column begins.
    gutter: usize,
    /// How wide a column is.
    column: usize,
    columns: usize,
    /// The names of the processes that exist.
    alive: BTreeMap<u32, String>,
    steps: u64,
    /// The last step is what is wrong.
    ends_wrong: bool,
}

impl Chart {
    /// The chart of a run. The trace need not have its steps.
    pub fn new(trace: &Trace, size: Size, look: Look) -> Self {
        let gutter = size.steps.to_string().len() + 4;
        let columns = size.columns.max(1);
        let column = (look.width.saturating_sub(gutter) / columns).clamp(NARROWEST, WIDEST);
        let ends_wrong = trace
            .ends_in
            .as_ref()
            .is_some_and(|ending| ending.blocked.is_empty() && ending.location.is_some());
        Self { look, gutter, column, columns, alive: BTreeMap::new(), steps: size.steps, ends_wrong }
    }

    /// The processes that there are in the beginning.
    pub fn begin(&mut self, trace: &Trace) -> String {
        let mut row = self.row();
        for process in &trace.processes {
            self.put(&mut row, process.id, &process.name);
            self.alive.insert(process.id, process.name.clone());
        }
        line(&row)
    }

    /// The step with this index, if it is shown, and what it changed, if that is shown.
    pub fn step(&mut self, index: u64, step: &TraceStep) -> String {
        let mut lines = self.main_line(index, step);
        if self.look.events {
            for event in events(step) {
                let mut row = self.row();
                self.put(&mut row, step.thread_id, &format!("  {event}"));
                lines += &line(&row);
            }
        }
        lines
    }

    fn main_line(&mut self, index: u64, step: &TraceStep) -> String {
        let is_wrong = self.ends_wrong && index + 1 == self.steps;
        let says_nothing = step.messages.is_empty() && step.started.is_empty() && step.ended.is_empty();
        if says_nothing && (!self.look.local || step.is_jump) && !is_wrong {
            return String::new();
        }
        let mut row = self.row();
        let number = format!("{:>width$}", index + 1, width = self.gutter - 2);
        row.splice(..number.len(), number.chars());
        let mark = match (is_wrong, self.look.unicode) {
            (true, false) => '!',
            (true, true) => '✗',
            (false, false) => '*',
            (false, true) => '●',
        };
        let met = step.messages.iter().find(|message| message.direction == Direction::Rendezvous);
        match (met, &step.partner) {
            (Some(message), Some(partner)) => {
                self.arrow(&mut row, step.thread_id, partner.thread_id, &label(message));
                if is_wrong {
                    row[self.at(step.thread_id)] = mark;
                }
            }
            _ => self.put(&mut row, step.thread_id, &format!("{mark} {}", words(step))),
        }
        for id in &step.ended {
            self.alive.remove(id);
        }
        for process in &step.started {
            self.put(&mut row, process.id, &process.name);
            self.alive.insert(process.id, process.name.clone());
        }
        line(&row)
    }

    /// Who is stuck, and where.
    pub fn end(&self, trace: &Trace) -> String {
        let Some(ending) = trace.ends_in.as_ref().filter(|ending| !ending.blocked.is_empty()) else {
            return String::new();
        };
        let mut row = self.row();
        for blocked in &ending.blocked {
            let column = self.alive.iter().find(|(_, name)| **name == blocked.thread).map(|(&id, _)| id);
            if let Some(id) = column {
                let mark = if self.look.unicode { '✗' } else { '!' };
                self.put(&mut row, id, &format!("{mark} line {}", blocked.location.line));
            }
        }
        line(&row)
    }

    /// The lifelines of all who exist.
    fn row(&self) -> Vec<char> {
        let mut row = vec![' '; self.gutter + self.columns * self.column];
        for &id in self.alive.keys() {
            row[self.at(id)] = if self.look.unicode { '│' } else { '|' };
        }
        row
    }

    fn at(&self, id: u32) -> usize {
        self.gutter + id as usize * self.column
    }

    /// Text in a column.
    fn put(&self, row: &mut [char], id: u32, text: &str) {
        let at = self.at(id);
        for (cell, c) in row[at..].iter_mut().zip(self.cut(text, self.column - 1).chars()) {
            *cell = c;
        }
    }

    /// What fits.
    fn cut(&self, text: &str, room: usize) -> String {
        let text: String =
            text.chars().map(|c| if self.look.unicode || c.is_ascii() { c } else { '?' }).collect();
        if text.chars().count() <= room {
            return text;
        }
        let (dots, length) = if self.look.unicode { ("…", 1) } else { ("..", 2) };
        text.chars().take(room.saturating_sub(length)).chain(dots.chars()).collect()
    }

    fn arrow(&self, row: &mut [char], from: u32, to: u32, label: &str) {
        let (left, right) = (self.at(from.min(to)) + 1, self.at(from.max(to)));
        let line = if self.look.unicode { '─' } else { '-' };
        row[left..right].fill(line);
        // Room for the head, and for a bit of line on both sides.
        let label: Vec<char> = self.cut(label, right - left - 4).chars().collect();
        let at = left + ((right - left - label.len()) / 2).min(4);
        row[at..at + label.len()].copy_from_slice(&label);
        if from < to {
            row[right - 1] = '>';
        } else {
            row[left] = '<';
        }
    }
}

/// A row as a line of text.
fn line(row: &[char]) -> String {
    let line: String = row.iter().collect();
    format!("{}\n", line.trim_end())
}

/// What is written at an arrow: the message by its name or, if it has none, by that of its channel.
fn label(message: &Message) -> String {
    match message.text.chars().next() {
        Some(first) if first.is_alphabetic() || first == '_' => message.text.clone(),
        _ => format!("{}({})", message.channel, message.fields.join(", ")),
    }
}

/// What a step changed, read or called, as far as the columns of threads do not show it.
fn events(step: &TraceStep) -> Vec<String> {
    let own = format!("{}.", step.thread);
    let short = |name: &str| name.strip_prefix(&own).unwrap_or(name).to_owned();
    let mut events: Vec<String> = Vec::new();
    if !step.reads.is_empty() {
        let reads = step.reads.iter().map(|read| format!("{} = {}", read.text, read.shown));
        events.push(format!("reads {}", reads.collect::<Vec<_>>().join(", ")));
    }
    for change in &step.differences {
        match change {
            Change::Value { what, to: Datum::Lock { owner: Some(owner), .. }, .. }
                if *owner == step.thread =>
            {
                events.push(format!("takes {what}"));
            }
            Change::Value { what, to: Datum::Lock { owner: None, .. }, .. } => {
                events.push(format!("releases {what}"));
            }
            Change::Value { what, to: waiting @ Datum::Waiting(_), .. } => {
                let who = if *what == step.thread { String::new() } else { format!("{what} is ") };
                events.push(format!("{who}{waiting}"));
            }
            Change::Value { what, from, to } => events.push(format!("{}: {from} → {to}", short(what))),
            Change::Created { object, .. } => events.push(format!("new {object}")),
            Change::Called { function, args, .. } => {
                let args = args.iter().map(|(name, value)| format!("{name}: {value}"));
                events.push(format!("calls {function}({})", args.collect::<Vec<_>>().join(", ")));
            }
            Change::Returned { function, .. } => events.push(format!("leaves {function}")),
            Change::Started { .. } | Change::Ended { .. } => {}
        }
    }
    for stored in &step.unchanged {
        events.push(format!("{} = {} (unchanged)", short(&stored.what), stored.shown));
    }
    events
}

/// A step of one process: its messages, what it prints, or its statement.
fn words(step: &TraceStep) -> String {
    if !step.messages.is_empty() {
        let sign = |message: &Message| if message.direction == Direction::Receive { '?' } else { '!' };
        let one = |message: &Message| {
            let number = message.number.map_or(String::new(), |number| format!(" #{number}"));
            format!("{}{}{}{number}", message.channel, sign(message), message.text)
        };
        return step.messages.iter().map(one).collect::<Vec<_>>().join(" ");
    }
    match &step.printed {
        Some(text) => format!("{:?}", text.trim_end()),
        None => step.location.text.clone(),
    }
}

#[cfg(test)]
mod tests {
    use check::report::Place;
    use check::values::StateValues;
    use check::{Blocked, Ending, Partner};

    use super::*;

    fn place(text: &str) -> Place {
        Place { file: "m.pml".to_owned(), line: 7, column: 1, text: text.to_owned(), via: Vec::new() }
    }

    fn process(id: u32, name: &str) -> Process {
        Process { id, name: format!("{name}({id})") }
    }

    fn step(thread_id: u32, text: &str) -> TraceStep {
        TraceStep { thread_id, location: place(text), ..TraceStep::default() }
    }

    fn message(direction: Direction, channel: &str, text: &str, number: Option<u64>) -> Message {
        let fields = vec![text.to_owned()];
        let (channel, text) = (channel.to_owned(), text.to_owned());
        let (values, sender, receiver) = (Vec::new(), None, None);
        Message { channel, direction, text, fields, values, sender, receiver, number }
    }

    fn met(from: u32, to: u32, text: &str) -> TraceStep {
        let location = place("");
        let partner = Partner { thread: String::new(), thread_id: to, transition: 0, location };
        let messages = vec![message(Direction::Rendezvous, "link", text, None)];
        TraceStep { messages, partner: Some(partner), ..step(from, "") }
    }

    fn buffered(thread: u32, direction: Direction, text: &str, number: u64) -> TraceStep {
        TraceStep { messages: vec![message(direction, "q", text, Some(number))], ..step(thread, "") }
    }

    fn run() -> Trace {
        let mut steps = vec![
            step(0, "x = 1"),
            met(0, 1, "ack(1)"),
            met(1, 0, "3"),
            buffered(0, Direction::Send, "one(3)", 3),
            TraceStep { started: vec![process(2, "late")], ..step(1, "run late()") },
            met(2, 0, "a_very_long_name_of_a_message(1, 2, 3, 4, 5)"),
            buffered(2, Direction::Receive, "one(3)", 3),
            TraceStep { printed: Some("hi\n".to_owned()), ..step(1, "") },
        ];
        steps.push(TraceStep { ended: vec![2], ..step(2, "-end-") });
        let processes = vec![process(0, "left"), process(1, "right")];
        Trace {
            individual: None,
            initial: Vec::new(),
            initial_state: StateValues::default(),
            steps,
            cycle: None,
            ends_in: None,
            last: Vec::new(),
            last_state: StateValues::default(),
            processes,
        }
    }

    fn ending(location: Option<Place>, blocked: Vec<Blocked>) -> Ending {
        let kind = check::FaultKind::Deadlock;
        let (message, reads, waiting_cycle) = (String::new(), Vec::new(), Vec::new());
        Ending { kind, message, location, is_of_step: false, reads, blocked, waiting_cycle }
    }

    fn chart(trace: &Trace, look: Look) -> String {
        let mut size = Size { steps: trace.steps.len() as u64, ..Size::default() };
        size.fit(&trace.processes);
        trace.steps.iter().for_each(|step| size.fit(&step.started));
        let mut chart = Chart::new(trace, size, look);
        let mut out = chart.begin(trace);
        for (index, step) in trace.steps.iter().enumerate() {
            out += &chart.step(index as u64, step);
        }
        out + &chart.end(trace)
    }

    #[track_caller]
    fn check(trace: &Trace, look: Look, expect: &str) {
        let expect = expect.lines().skip(1).collect::<Vec<_>>().join("\n") + "\n";
        let drawn = chart(trace, look);
        assert_eq!(drawn, expect, "\n{drawn}");
    }

    #[test]
    fn in_ascii() {
        let mut trace = run();
        trace.steps.push(step(1, "assert(x == 2 && y == 3)"));
        trace.ends_in = Some(ending(Some(place("")), Vec::new()));
        check(
            &trace,
            Look { width: 66, unicode: false, local: true, events: false },
            "
      left(0)             right(1)
   1  * x = 1             |
   2  |----ack(1)-------->|
   3  |<---link(3)--------|
   4  * q!one(3) #3       |
   5  |                   * run late()        late(2)
   6  |<-a_very_long_name_of_a_message(1, ..--|
   7  |                   |                   * q?one(3) #3
   8  |                   * \"hi\"              |
   9  |                   |                   * -end-
  10  |                   ! assert(x == 2 &..",
        );
    }

    #[test]
    fn only_messages_in_unicode_and_narrow() {
        let mut trace = run();
        let blocked = Blocked { thread: "right(1)".to_owned(), location: place(""), waits: Vec::new() };
        trace.ends_in = Some(ending(None, vec![blocked]));
        check(
            &trace,
            Look { width: 20, unicode: true, local: false, events: false },
            "
     left(0)       right(1)
  2  │───ack(1)───>│
  3  │<──link(3)───│
  4  ● q!one(3) #3 │
  5  │             ● run late()  late(2)
  6  │<─a_very_long_name_of_a_…──│
  7  │             │             ● q?one(3) #3
  9  │             │             ● -end-
     │             ✗ line 7",
        );
    }

    #[test]
    fn nothing_happens() {
        let trace = Trace { steps: Vec::new(), processes: Vec::new(), ..run() };
        check(&trace, Look { width: 80, unicode: false, local: true, events: false }, "\n\n");
    }
}
