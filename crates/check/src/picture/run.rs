//! Runs, with a column for each thread.

use std::collections::BTreeMap;

use draw::chart::{Chart, Lane, Message, Overview, Row};

use crate::trace::{Direction, Trace, TraceStep};

/// Which steps have a row.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Rows {
    /// All but those that only go on to another place. The steps of an atomic block are one row.
    Steps,
    /// Those with messages, and those that start and end threads.
    Messages,
}

/// The lanes of a run: threads by their names, in the order in which they come.
struct Lanes {
    all: Vec<Lane>,
    by_name: BTreeMap<String, usize>,
    by_id: BTreeMap<u32, usize>,
}

impl Lanes {
    fn new(trace: &Trace) -> Self {
        let mut lanes = Self { all: Vec::new(), by_name: BTreeMap::new(), by_id: BTreeMap::new() };
        for process in &trace.processes {
            lanes.start(process.id, &process.name, None);
        }
        lanes
    }

    fn start(&mut self, id: u32, name: &str, row: Option<usize>) {
        let lane = self.of(name, row);
        // A name can come again, where a number does.
        self.all[lane].ends = None;
        self.by_id.insert(id, lane);
    }

    fn of(&mut self, name: &str, row: Option<usize>) -> usize {
        *self.by_name.entry(name.to_owned()).or_insert_with(|| {
            self.all.push(Lane { name: name.to_owned(), starts: row, ends: None });
            self.all.len() - 1
        })
    }

    fn end(&mut self, id: u32, row: usize) {
        if let Some(&lane) = self.by_id.get(&id) {
            self.all[lane].ends = Some(row);
        }
    }
}

/// The chart of a run.
pub fn chart(title: &str, trace: &Trace, shown: Rows) -> Chart {
    let mut lanes = Lanes::new(trace);
    let mut rows: Vec<Row> = Vec::new();
    let mut messages: Vec<Message> = Vec::new();
    // Where the messages were sent that are in channels.
    let mut sent: BTreeMap<u64, usize> = BTreeMap::new();
    let mut cycle = None;
    // The thread that goes on with the last row.
    let mut goes_on: Option<u32> = None;
    let mut first = 0;
    let last = trace.steps.len().saturating_sub(1);
    let ends_in_step = trace.ends_in.as_ref().is_some_and(|ending| ending.blocked.is_empty());
    for (index, step) in trace.steps.iter().enumerate() {
        let is_cycle = trace.cycle.as_ref().is_some_and(|cycle| cycle.start == index);
        let is_bad = ends_in_step && index == last;
        let is_quiet = step.messages.is_empty() && step.started.is_empty() && step.ended.is_empty();
        let is_shown = match shown {
            Rows::Steps => !step.is_jump || is_bad,
            Rows::Messages => !is_quiet || is_bad,
        };
        if is_cycle {
            cycle = Some(rows.len());
        }
        let continues = goes_on == Some(step.thread_id) && !is_cycle && !rows.is_empty();
        goes_on = step.is_continued.then_some(step.thread_id);
        if !is_shown && !continues {
            if step.is_continued {
                // The row of the block begins with its first step that is shown.
                goes_on = None;
            }
            continue;
        }
        if continues {
            let row = rows.len() - 1;
            join(&mut rows[row], step, first, index, is_bad);
        } else {
            first = index;
            let lane = lanes.of(&step.thread, None);
            rows.push(row(index, lane, step, is_bad));
        }
        let at = rows.len() - 1;
        for process in &step.started {
            lanes.start(process.id, &process.name, Some(at));
        }
        for &id in &step.ended {
            lanes.end(id, at);
        }
        if let Some(partner) = &step.partner {
            let lane = lanes.of(&partner.thread, None);
            rows[at].partner = Some((lane, label(step)));
        }
        for message in &step.messages {
            match (message.direction, message.number) {
                (Direction::Send, Some(number)) => _ = sent.insert(number, at),
                (Direction::Receive, Some(number)) => {
                    let from = sent.remove(&number);
                    let text = message.text.clone();
                    messages.extend(from.map(|from| Message { from, to: at, text }));
                }
                _ => {}
            }
        }
    }
    let stuck = trace.ends_in.iter().flat_map(|ending| &ending.blocked);
    let stuck = stuck.map(|blocked| {
        let wait = blocked
            .waits
            .first()
            .map_or_else(|| format!("line {}", blocked.location.line), |wait| wait.text.clone());
        (lanes.by_name.get(&blocked.thread).copied(), wait)
    });
    let stuck = stuck.filter_map(|(lane, wait)| Some((lane?, wait))).collect();
    let ending = trace.ends_in.as_ref().map(|ending| format!("{}: {}", ending.kind, ending.message));
    Chart { title: title.to_owned(), lanes: lanes.all, rows, messages, cycle, ending, stuck }
}

fn row(index: usize, lane: usize, step: &TraceStep, is_bad: bool) -> Row {
    Row {
        number: (index + 1).to_string(),
        lane,
        text: words(step),
        notes: notes(step),
        partner: None,
        is_bad,
    }
}

/// Adds a further step of an atomic block.
fn join(row: &mut Row, step: &TraceStep, first: usize, index: usize, is_bad: bool) {
    row.number = format!("{}-{}", first + 1, index + 1);
    row.notes.extend(notes(step));
    row.is_bad |= is_bad;
}

/// What a step does: its messages, what it prints, or its statement.
fn words(step: &TraceStep) -> String {
    if !step.messages.is_empty() {
        let sign = |direction| if direction == Direction::Receive { '?' } else { '!' };
        let each = step.messages.iter();
        let each =
            each.map(|message| format!("{}{}{}", message.channel, sign(message.direction), message.text));
        return each.collect::<Vec<_>>().join(" ");
    }
    let test = match step.test {
        Some(true) => " → true",
        Some(false) => " → false",
        None => "",
    };
    format!("{}{test}", step.location.text)
}

/// What is written at the arrow of a rendezvous.
fn label(step: &TraceStep) -> String {
    let met = step.messages.iter().find(|message| message.direction == Direction::Rendezvous);
    met.map_or_else(|| step.location.text.clone(), |message| format!("{}!{}", message.channel, message.text))
}

/// What a step changed, without the name of the thread where it is its own.
fn notes(step: &TraceStep) -> Vec<String> {
    let own = format!("{}.", step.thread);
    let short = |change: &String| change.strip_prefix(&own).unwrap_or(change).to_owned();
    let reads = step.reads.iter().map(|read| format!("{} is {}", read.text, read.shown));
    let printed = step.printed.iter().map(|text| format!("prints {:?}", text.trim_end()));
    reads.chain(step.changes.iter().map(short)).chain(printed).collect()
}

/// The whole run in one look.
pub fn overview(title: &str, trace: &Trace) -> Overview {
    let mut lanes = Lanes::new(trace);
    let steps: Vec<usize> = trace.steps.iter().map(|step| lanes.of(&step.thread, None)).collect();
    let is_bad = trace.ends_in.as_ref().is_some_and(|ending| ending.blocked.is_empty());
    let cycle = trace.cycle.as_ref().map(|cycle| cycle.start);
    let lanes = lanes.all.into_iter().map(|lane| lane.name).collect();
    Overview { title: title.to_owned(), lanes, steps, cycle, is_bad }
}
