//! Runs for people, step by step: who, where, what it read, what changed, and what is wrong in the end.
//!
//! The steps of one atomic block are one row, and steps that only go on to another place have none. Rows
//! have the numbers of their steps, so that a number means the same in every view and in trails.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::io::{IsTerminal as _, stdout};
use std::sync::OnceLock;

use check::report::Place;
use check::simulate::Choice;
use check::values::{Read, Stored};
use check::{Blocked, Change, Cycle, Ending, FaultKind, FaultyObject, Statement, Trace, TraceStep, Wait};

use crate::render::{Paint, plural, what};

/// A source line is shown up to this many characters, where it is not on a terminal.
const LONGEST_LINE: usize = 100;
/// On a terminal it is shown as far as it fits: never less than the first, and never more than the second.
const SHORTEST_LINE: usize = 24;
const WIDEST_LINE: usize = 200;
/// Values that decided a step are shown at the end of its line up to this many characters, and below it
/// otherwise.
const LONGEST_READS: usize = 48;
/// A value is shown up to this many characters.
const LONGEST_VALUE: usize = 80;
/// Of what refers to an object, this many are shown.
const MOST_REFERRERS: usize = 6;
/// A report shows this many rows of a counterexample; `quotient replay` shows all.
pub const LONGEST_TRACE: usize = 200;
/// How many of them are the first ones.
const FIRST_ROWS: usize = 20;
/// A report shows this many lines of a state; `quotient replay` shows all.
const LONGEST_STATE: usize = 60;

/// A text of the model as a terminal may show it: what controls a terminal, or the direction of text, is
/// written out.
pub fn clean(text: &str) -> Cow<'_, str> {
    let is_harmful = |c: char| {
        c.is_control() && c != '\t'
            || matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
    };
    if !text.contains(is_harmful) {
        return Cow::Borrowed(text);
    }
    // As diagnostics show them: by pictures, where there are some.
    let escaped = |c: char| match c {
        '\u{7f}' => "␡".to_owned(),
        '\0'..'\u{20}' if is_harmful(c) => char::from_u32(0x2400 + u32::from(c)).unwrap_or('?').to_string(),
        c if is_harmful(c) => c.escape_default().to_string(),
        c => c.to_string(),
    };
    Cow::Owned(text.chars().map(escaped).collect())
}

/// A text, cut to a number of characters.
pub fn cut(text: &str, room: usize) -> String {
    let text = clean(text);
    match text.char_indices().nth(room) {
        Some((end, _)) => format!("{}…", text[..end].trim_end()),
        None => text.into_owned(),
    }
}

pub fn excerpt(place: &Place) -> String {
    cut(&place.text, LONGEST_LINE)
}

/// The room for source text on a screen of this width, after what comes before it on the line.
fn room(screen: Option<usize>, before: usize) -> usize {
    screen.map_or(LONGEST_LINE, |width| width.saturating_sub(before).clamp(SHORTEST_LINE, WIDEST_LINE))
}

/// The width of the terminal that standard output is, if it is one.
fn screen() -> Option<usize> {
    static WIDTH: OnceLock<Option<usize>> = OnceLock::new();
    *WIDTH.get_or_init(|| {
        let size = stdout().is_terminal().then(|| terminal_size::terminal_size_of(stdout())).flatten();
        size.map(|(width, _)| usize::from(width.0)).filter(|&width| width > 0)
    })
}

/// A row of a run: the steps that a thread takes without another one in between, inside of an atomic block,
/// or one step.
#[derive(Clone)]
pub struct Row {
    extent: Extent,
    pub steps: Vec<TraceStep>,
}

/// Which steps belong to one row.
#[derive(Clone, Copy, Default)]
pub struct Extent {
    /// The index of the first step of the row.
    first: u64,
    /// The index of the next step.
    next: u64,
    /// The thread that goes on with the row, if one does.
    thread: Option<u32>,
    /// The index of the first step of the cycle, which begins a row.
    cycle: Option<u64>,
}

impl Extent {
    /// Adds a step, and says whether it begins a row.
    pub fn add(&mut self, step: &TraceStep) -> bool {
        let at = self.next;
        let begins =
            self.thread != Some(step.thread_id) || self.cycle == Some(at) || at - self.first == MOST_STEPS;
        if begins {
            self.first = at;
        }
        self.next += 1;
        self.thread = step.is_continued.then_some(step.thread_id);
        begins
    }

    /// The numbers of the steps of the row so far: `7`, or `7-9`.
    fn number(self) -> String {
        let (first, last) = (self.first + 1, self.next);
        if first == last { first.to_string() } else { format!("{first}-{last}") }
    }
}

/// Puts steps into rows, as they come.
pub struct Rows {
    extent: Extent,
    open: Option<Row>,
}

impl Rows {
    pub fn new(cycle: Option<Cycle>) -> Self {
        let cycle = cycle.map(|cycle| cycle.start as u64);
        Self { extent: Extent { cycle, ..Extent::default() }, open: None }
    }

    /// The rows of a run from the step of this index on.
    pub fn starting_at(first: u64) -> Self {
        let extent = Extent { first, next: first, ..Extent::default() };
        Self { extent, open: None }
    }

    /// Adds a step. The row before it is complete if the step is not a part of it.
    pub fn add(&mut self, step: TraceStep) -> Option<Row> {
        let begins = self.extent.add(&step);
        match &mut self.open {
            Some(row) if !begins => {
                row.steps.push(step);
                row.extent = self.extent;
                None
            }
            _ => self.open.replace(Row { extent: self.extent, steps: vec![step] }),
        }
    }

    /// The last row.
    pub fn end(self) -> Option<Row> {
        self.open
    }
}

/// A row of very many steps is shown in pieces.
const MOST_STEPS: u64 = 1_000;

impl Row {
    /// The index of the first step.
    pub fn number(&self) -> String {
        self.extent.number()
    }

    pub fn first(&self) -> u64 {
        self.extent.first
    }

    /// The step that the row is called by: the first one that does something.
    pub fn head(&self) -> &TraceStep {
        self.steps.iter().find(|step| !step.is_jump).unwrap_or(&self.steps[0])
    }

    /// Whether all it does is to go on to another place.
    pub fn is_jump(&self) -> bool {
        let silent = |step: &TraceStep| step.messages.is_empty() && step.printed.is_none();
        self.steps.iter().all(|step| step.is_jump && step.unchanged.is_empty() && silent(step))
    }

    /// The statements of the row.
    fn statements(&self) -> Vec<Statement> {
        let own = |step: &TraceStep| match &step.statements[..] {
            [] => vec![Statement {
                thread: step.thread.clone(),
                location: step.location.clone(),
                test: step.test,
                reads: step.reads.clone(),
            }],
            several => several.to_vec(),
        };
        self.steps.iter().filter(|step| !step.is_jump).flat_map(own).collect()
    }

    fn further_statements(&self) -> u64 {
        self.steps.iter().map(|step| step.further_statements).sum()
    }

    /// What is different after the row: what several steps change is one change.
    pub fn changes(&self) -> Vec<Change> {
        let mut all: Vec<Change> = Vec::new();
        for change in self.steps.iter().flat_map(|step| &step.differences) {
            let Change::Value { what, to, .. } = change else {
                all.push(change.clone());
                continue;
            };
            let known = all.iter_mut().find_map(|known| match known {
                Change::Value { what: other, to, .. } if other == what => Some(to),
                _ => None,
            });
            match known {
                Some(known) => *known = to.clone(),
                None => all.push(change.clone()),
            }
        }
        all.retain(|change| !matches!(change, Change::Value { from, to, .. } if from == to));
        all
    }

    /// What was stored and does not show in the changes.
    fn unchanged(&self) -> Vec<&Stored> {
        let mut all: Vec<&Stored> = Vec::new();
        for stored in self.steps.iter().flat_map(|step| &step.unchanged) {
            all.retain(|other| other.what != stored.what);
            all.push(stored);
        }
        let changes = self.changes();
        all.retain(|stored| {
            !changes.iter().any(|change| matches!(change, Change::Value { what, .. } if *what == stored.what))
        });
        all
    }
}

/// How wide the columns of a run are.
#[derive(Clone, Copy, Default)]
pub struct Widths {
    /// The width of the numbers of steps.
    number: usize,
    who: usize,
    at: usize,
}

impl Widths {
    /// Makes room for a step, the last one of these.
    pub fn fit_step(&mut self, step: &TraceStep, extent: Extent) {
        self.number = self.number.max(extent.number().len());
        self.fit_place(&step.thread, &step.location);
    }

    /// Makes room for a row.
    pub fn fit(&mut self, row: &Row) {
        row.steps.iter().for_each(|step| self.fit_step(step, row.extent));
    }

    fn fit_place(&mut self, who: &str, place: &Place) {
        self.who = self.who.max(who.chars().count());
        self.at = self.at.max(at(place).chars().count());
    }

    fn line(self, who: &str, place: &Place, name: impl Fn(&str) -> String, paint: Paint) -> String {
        // Padding comes after the colours: escape sequences have no width.
        let pad = |text: &str, width: usize| " ".repeat(width.saturating_sub(text.chars().count()));
        let at = at(place);
        let (who_pad, at_pad) = (pad(who, self.who), pad(&at, self.at));
        // A number with a dot, and blanks between the columns.
        let before = self.number + self.who + self.at + 8;
        let text = cut(&place.text, room(screen(), before));
        format!("{}{who_pad}  {}{at_pad}  {text}{}", name(who), paint.dim(&at), via(place, paint))
    }

    /// How far what belongs to a step is indented: the steps are numbered.
    pub fn indent(self) -> String {
        " ".repeat(self.number + 6)
    }
}

fn at(place: &Place) -> String {
    format!("{}:{}", clean(&place.file), place.line)
}

/// The calls of inlines by which a statement got where it is.
fn via(place: &Place, paint: Paint) -> String {
    let calls = place.via.iter().map(|call| format!("in {} at line {}", cut(&call.text, 40), call.line));
    let calls = calls.collect::<Vec<_>>().join(", ");
    if calls.is_empty() { calls } else { paint.dim(&format!("  ({calls})")) }
}

/// Who, where, and the line there: one row each, in columns.
pub fn columns<'p>(
    rows: impl IntoIterator<Item = (String, &'p Place)>,
    name: impl Fn(&str) -> String,
    paint: Paint,
) -> Vec<String> {
    let rows: Vec<_> = rows.into_iter().collect();
    let mut widths = Widths::default();
    for (who, place) in &rows {
        widths.fit_place(who, place);
    }
    rows.iter().map(|(who, place)| widths.line(who, place, &name, paint)).collect()
}

/// How rows are shown.
#[derive(Clone, Copy)]
pub struct Style {
    pub paint: Paint,
    /// Whether the statements of atomic blocks are shown one by one.
    pub unfold: bool,
}

/// The rows of a counterexample. Of a long one, the middle is left out.
fn trace(trace: &Trace, style: Style) -> (String, Widths) {
    let mut rows = Rows::new(trace.cycle);
    let mut all: Vec<Row> = trace.steps.iter().filter_map(|step| rows.add(step.clone())).collect();
    all.extend(rows.end());
    let count = all.len();
    let left_out =
        if count > LONGEST_TRACE { FIRST_ROWS..count - (LONGEST_TRACE - FIRST_ROWS) } else { 0..0 };
    let mut widths = Widths::default();
    let shown = || all.iter().enumerate().filter(|(at, _)| !left_out.contains(at));
    shown().for_each(|(_, row)| widths.fit(row));
    let mut out = initially(trace, widths);
    for (at, next) in shown() {
        if !left_out.is_empty() && at == left_out.end {
            let steps = next.first() - all[left_out.start].first();
            let _ = writeln!(out, "{}… {} …", widths.indent(), plural(steps, "step"));
        }
        out += &row(next, trace.cycle, widths, style);
    }
    (out, widths)
}

/// A counterexample as a report shows it, with what is wrong in the end and the last state.
pub fn counterexample(run: &Trace, paint: Paint) -> String {
    let (steps, widths) = trace(run, Style { paint, unfold: false });
    steps + &ending(run, run.steps.len() as u64, widths, paint) + &last_state(run, widths, false)
}

/// The state that a run begins with.
pub fn initially(trace: &Trace, widths: Widths) -> String {
    let mut out = String::new();
    if !trace.initial.is_empty() {
        let _ = writeln!(out, "  initially");
        for line in &trace.initial {
            let _ = writeln!(out, "{}{line}", widths.indent());
        }
    }
    out
}

/// A row: who, where, what it read, and what changed.
pub fn row(row: &Row, cycle: Option<Cycle>, widths: Widths, style: Style) -> String {
    let Style { paint, unfold } = style;
    let mut out = String::new();
    if cycle.is_some_and(|cycle| cycle.start as u64 == row.first()) {
        let _ = writeln!(out, "  {}", paint.bad("the cycle starts here"));
    }
    if row.is_jump() {
        return out;
    }
    let head = row.head();
    let statements = row.statements();
    let line = widths.line(&head.thread, &head.location, |thread| paint.strong(thread), paint);
    let (mut aside, below) = outcome(head.test, &head.reads, paint);
    let others = statements.len() as u64 + row.further_statements() - 1;
    if others > 0 && !unfold {
        aside += &paint.dim(&format!("  (and {})", plural(others, "more statement")));
    }
    let width = widths.number;
    let _ = writeln!(out, "  {:>width$}. {line}{aside}", row.extent.number());
    let indent = widths.indent();
    if let Some(line) = below {
        let _ = writeln!(out, "{indent}{line}");
    }
    if unfold {
        for statement in statements.iter().skip(1) {
            let Statement { location, test, reads, .. } = statement;
            let (aside, below) = outcome(*test, reads, paint);
            let line = widths.line("", location, str::to_owned, paint);
            let _ = writeln!(out, "  {:>width$}  {line}{aside}", "");
            if let Some(line) = below {
                let _ = writeln!(out, "{indent}{line}");
            }
        }
        if row.further_statements() > 0 {
            let more = plural(row.further_statements(), "more statement");
            let _ = writeln!(out, "{indent}… {more}");
        }
    }
    for line in details(row, paint) {
        let _ = writeln!(out, "{indent}{line}");
    }
    out
}

/// What a row hands over to another thread, what it prints, and what is different afterwards.
pub fn details(row: &Row, paint: Paint) -> Vec<String> {
    let mut lines: Vec<String> = row.steps.iter().flat_map(said).collect();
    lines.extend(row.changes().iter().map(ToString::to_string));
    for Stored { what, shown, is_forgotten, .. } in row.unchanged() {
        let why = if *is_forgotten { "not needed afterwards" } else { "unchanged" };
        lines.push(format!("{what} = {} {}", cut(shown, LONGEST_VALUE), paint.dim(&format!("({why})"))));
    }
    lines
}

/// What a step hands over to another thread, and what it prints.
fn said(step: &TraceStep) -> Vec<String> {
    let mut lines = Vec::new();
    if let (Some(message), Some(partner)) = (step.messages.first(), &step.partner) {
        let at = &partner.location;
        let place = format!("{}:{}  {}", clean(&at.file), at.line, excerpt(at));
        lines.push(format!("{}!{} to {} at {place}", message.channel, message.text, partner.thread));
    }
    lines.extend(step.notes.iter().cloned());
    lines.extend(
        step.printed.iter().flat_map(|text| text.lines()).map(|line| format!("prints: {}", clean(line))),
    );
    lines
}

/// Values that decided something: `ended = 2, counter.value = 1`.
pub fn values(reads: &[Read]) -> String {
    let each = reads.iter().map(|read| format!("{} = {}", read.text, cut(&read.shown, LONGEST_VALUE)));
    each.collect::<Vec<_>>().join(", ")
}

/// Which way a test went, and the values that decided it: at the end of the line, and below it.
fn outcome(test: Option<bool>, reads: &[Read], paint: Paint) -> (String, Option<String>) {
    let reads = values(reads);
    let is_short = reads.chars().count() <= LONGEST_READS;
    let aside = match (test, reads.is_empty() || !is_short) {
        (None, true) => String::new(),
        (None, false) => paint.dim(&format!("  ({reads})")),
        (Some(test), true) => paint.dim(&format!("  ({test})")),
        (Some(test), false) => paint.dim(&format!("  ({test}: {reads})")),
    };
    (aside, (!is_short).then(|| format!("with {reads}")))
}

/// What is wrong at the end of a run of this number of steps.
pub fn ending(trace: &Trace, steps: u64, widths: Widths, paint: Paint) -> String {
    let mut out = String::new();
    let Some(ending) = &trace.ends_in else { return out };
    let Ending { kind, message, location, is_of_step: _, reads, objects, blocked, waiting_cycle } = ending;
    let indent = widths.indent();
    match trace.cycle {
        Some(cycle) if cycle.start as u64 == steps => {
            let _ = writeln!(out, "  the run ends here: nothing can move any more");
        }
        Some(cycle) => {
            let same = if cycle.closed { "" } else { ", up to the names of what is created on it" };
            let _ = writeln!(out, "  steps from {} on repeat forever{same}", cycle.start + 1);
        }
        None => {}
    }
    let _ = writeln!(out, "  {}", paint.bad(&what(*kind, message)));
    if let Some(place) = location {
        let _ = writeln!(out, "{indent}{}  {}", paint.dim(&at(place)), excerpt(place));
    }
    if !reads.is_empty() {
        let _ = writeln!(out, "{indent}with {}", values(reads));
    }
    for object in objects {
        out += &faulty(object, *kind, &indent, paint);
    }
    let stuck = blocked.iter().map(|blocked| (blocked.thread.clone(), &blocked.location));
    let rows = columns(stuck, |thread| format!("{} is stuck at", paint.strong(thread)), paint);
    for (blocked, row) in blocked.iter().zip(rows) {
        let _ = writeln!(out, "{indent}{row}");
        out += &waits(blocked, &format!("{indent}  "));
    }
    if let [first, ..] = &waiting_cycle[..] {
        let each = waiting_cycle.iter().chain([first]).map(String::as_str).collect::<Vec<_>>();
        let _ = writeln!(out, "{indent}{}", paint.bad(&format!("a cycle of waiting: {}", each.join(" → "))));
    }
    out
}

/// Where an object comes from, where it has ended, and what refers to it.
fn faulty(object: &FaultyObject, kind: FaultKind, indent: &str, paint: Paint) -> String {
    let FaultyObject { object, made, ended, contents: _, shown, referrers } = object;
    let mut out = String::new();
    let end = if kind == FaultKind::DanglingLocal { "out of scope" } else { "deleted" };
    let occurrences = std::iter::once(("made", made)).chain(ended.iter().map(|ended| (end, ended)));
    let each = occurrences.map(|(what, occurrence)| {
        let words = format!("{object} was {what} in step {} by {}", occurrence.step, occurrence.thread);
        (words, &occurrence.location)
    });
    for row in columns(each, str::to_owned, paint) {
        let _ = writeln!(out, "{indent}{row}");
    }
    if !shown.is_empty() {
        let _ = writeln!(out, "{indent}{object} holds {}", cut(shown, LONGEST_VALUE));
    }
    if !referrers.is_empty() {
        let refer = if referrers.len() == 1 { "refers" } else { "refer" };
        let shown = referrers.iter().take(MOST_REFERRERS).map(String::as_str).collect::<Vec<_>>().join(", ");
        let more = if referrers.len() > MOST_REFERRERS { ", …" } else { "" };
        let _ = writeln!(out, "{indent}{shown}{more} {refer} to {object}");
    }
    out
}

/// Where a thread waits, and for what.
pub fn stuck(blocked: &Blocked, paint: Paint) -> String {
    let who = [(blocked.thread.clone(), &blocked.location)];
    let mut out = String::new();
    for row in columns(who, |thread| format!("{} waits at", paint.strong(thread)), paint) {
        let _ = writeln!(out, "  {row}");
    }
    out + &waits(blocked, "    ")
}

fn waits(Blocked { location, waits, .. }: &Blocked, indent: &str) -> String {
    let mut out = String::new();
    for wait in waits {
        let _ = writeln!(out, "{indent}{}", waits_for(wait, location));
    }
    out
}

/// What a stuck thread waits for, at the place that is shown already.
fn waits_for(Wait { text, location, reads, on, what: _ }: &Wait, shown: &Place) -> String {
    let mut out = String::new();
    if location.line != shown.line || location.file != shown.file {
        let _ = write!(out, "line {}: ", location.line);
    }
    out += text;
    if !reads.is_empty() {
        let _ = write!(out, ": {}", values(reads));
    }
    // A lock and a channel name the thread in their words.
    if let Some(on) = on.as_ref().filter(|_| !reads.is_empty()) {
        let _ = write!(out, " (written last by {on})");
    }
    out
}

/// The state that a run ends in. Of a large one, a report shows only a part.
pub fn last_state(trace: &Trace, widths: Widths, is_whole: bool) -> String {
    let mut out = String::new();
    let Some(ending) = &trace.ends_in else { return out };
    // Only the fault of a step has a place and leads to no state.
    let _ = writeln!(
        out,
        "  {}",
        if ending.is_of_step { "the state before the last step" } else { "the last state" }
    );
    let most = if is_whole { usize::MAX } else { LONGEST_STATE };
    for line in trace.last.iter().take(most) {
        let _ = writeln!(out, "{}{}", widths.indent(), cut(line, 2 * LONGEST_LINE));
    }
    if let Some(more) = trace.last.len().checked_sub(most).filter(|&more| more > 0) {
        let _ = writeln!(out, "{}… {}", widths.indent(), plural(more as u64, "more line"));
    }
    out
}

/// The menu of an interactive run.
pub fn menu(choices: &[Choice], paint: Paint) -> String {
    let rows = choices.iter().map(|choice| (choice.thread.clone(), &choice.location));
    let rows = columns(rows, |thread| paint.strong(thread), paint);
    let mut out = String::new();
    for (index, (choice, row)) in choices.iter().zip(rows).enumerate() {
        let fault = if choice.faults { paint.bad("  (faults)") } else { String::new() };
        let partner = choice.partner.as_ref().map_or(String::new(), |partner| format!("  (to {partner})"));
        let (test, below) = outcome(choice.test, &choice.reads, paint);
        let _ = writeln!(out, "  {:>3}) {row}{test}{}{fault}", index + 1, paint.dim(&partner));
        if let Some(line) = below {
            let _ = writeln!(out, "       {line}");
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_fit_the_screen() {
        assert_eq!(room(None, 30), LONGEST_LINE);
        assert_eq!(room(Some(80), 30), 50);
        assert_eq!(room(Some(40), 30), SHORTEST_LINE);
        assert_eq!(room(Some(500), 30), WIDEST_LINE);
    }

    #[test]
    fn what_controls_a_terminal_is_written_out() {
        assert_eq!(clean("a\tb é"), "a\tb é");
        assert_eq!(clean("\u{1b}[0m\u{7f}\u{202e}"), "␛[0m␡\\u{202e}");
        assert_eq!(cut("abcdef", 3), "abc…");
    }
}
