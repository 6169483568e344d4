//! A run as a chart: a column for each thread, time downwards, a row for each step; messages as arrows.
//!
//! What concerns one thread only is text beside its line. A message that waits in a channel is an arrow from the row
//! where it is sent to the row where it is received; a rendezvous, and what one thread does to another, is an arrow
//! within its row. The steps that are repeated for ever have a line at the left, from the first to the last of them.
//!
//! A long run is folded in the middle, and says how many rows are left out.

use crate::diagram::{line, picture};
use crate::layered::Size;
use crate::look::{SMALL, TEXT};
use crate::markup::Markup;
use crate::text::{cut, width};

/// A run.
#[derive(Clone, Default, Debug)]
pub struct Chart {
    pub title: String,
    pub lanes: Vec<Lane>,
    pub rows: Vec<Row>,
    /// Messages that are received in a later row than the one where they are sent.
    pub messages: Vec<Message>,
    /// The row from which on the rest is repeated for ever.
    pub cycle: Option<usize>,
    /// What is wrong in the end, and with which lanes.
    pub ending: Option<String>,
    pub stuck: Vec<(usize, String)>,
}

/// A thread.
#[derive(Clone, Default, Debug)]
pub struct Lane {
    pub name: String,
    /// The row in which it starts, if not before all.
    pub starts: Option<usize>,
    /// The row in which it ends.
    pub ends: Option<usize>,
}

/// A step.
#[derive(Clone, Default, Debug)]
pub struct Row {
    /// The number of the step.
    pub number: String,
    pub lane: usize,
    pub text: String,
    /// What it changed, each on a line.
    pub notes: Vec<String>,
    /// The thread with which it communicates, and what is handed over.
    pub partner: Option<(usize, String)>,
    /// It is what is wrong.
    pub is_bad: bool,
}

/// A message that waits in a channel.
#[derive(Clone, Default, Debug)]
pub struct Message {
    pub from: usize,
    pub to: usize,
    pub text: String,
}

/// A chart has at most this many rows, the first and the last ones.
pub const MOST_ROWS: usize = 400;
const NOTE: f64 = 14.0;
const ROW: f64 = 20.0;
const HEAD: f64 = 34.0;
const MOST_NOTES: usize = 4;
const NARROWEST: usize = 18;
const WIDEST: usize = 44;

/// Which rows are shown: all before the first number, and all from the second on.
fn shown(rows: usize) -> (usize, usize) {
    if rows <= MOST_ROWS { (rows, rows) } else { (MOST_ROWS / 4, rows - MOST_ROWS / 4 * 3) }
}

impl Chart {
    pub fn svg(&self) -> Markup {
        self.write(true)
    }

    pub fn part(&self) -> Markup {
        self.write(false)
    }

    fn write(&self, has_style: bool) -> Markup {
        Drawing::new(self).write(has_style)
    }
}

/// The places of everything.
struct Drawing<'c> {
    chart: &'c Chart,
    /// How far the first lane is from the left.
    left: f64,
    /// The distance of lanes, and how many characters are between them.
    lane: f64,
    room: usize,
    /// Where each row begins. Rows that are left out begin where their gap is.
    tops: Vec<f64>,
    /// Behind the last row.
    bottom: f64,
    fold: (usize, usize),
}

impl<'c> Drawing<'c> {
    fn new(chart: &'c Chart) -> Self {
        let fold = shown(chart.rows.len());
        let rows = chart.rows.iter().enumerate().filter(|(at, _)| *at < fold.0 || *at >= fold.1);
        let texts = rows.clone().flat_map(|(_, row)| {
            let note = |note: &String| crate::text::columns(note) + 1;
            let partner = row.partner.as_ref().map(|(_, text)| crate::text::columns(text) + 6);
            row.notes.iter().map(note).chain([crate::text::columns(&row.text)]).chain(partner)
        });
        let names = chart.lanes.iter().map(|lane| crate::text::columns(&lane.name) + 1);
        let room = texts.chain(names).max().unwrap_or(0).clamp(NARROWEST, WIDEST);
        let numbers = rows.map(|(_, row)| width(&row.number, SMALL)).fold(0.0, f64::max);
        let mut at = HEAD;
        let mut tops = Vec::with_capacity(chart.rows.len());
        for (index, row) in chart.rows.iter().enumerate() {
            if index == fold.0 && fold.0 < fold.1 {
                tops.push(at);
                at += 2.0 * ROW;
                continue;
            }
            if index > fold.0 && index < fold.1 {
                tops.push(at - 2.0 * ROW);
                continue;
            }
            tops.push(at);
            let notes = row.notes.len().min(MOST_NOTES + 1);
            at += ROW + NOTE * notes as f64 + if notes > 0 { 3.0 } else { 0.0 };
        }
        let lane = (room as f64 * TEXT * 0.61 + 22.0).ceil();
        Self { chart, left: numbers + 34.0, lane, room, tops, bottom: at, fold }
    }

    fn is_shown(&self, row: usize) -> bool {
        row < self.fold.0 || row >= self.fold.1
    }

    fn x(&self, lane: usize) -> f64 {
        self.left + lane as f64 * self.lane
    }

    /// The height of the dot of a row.
    fn y(&self, row: usize) -> f64 {
        self.tops.get(row).map_or(self.bottom, |top| top + 11.0)
    }

    fn write(&self, has_style: bool) -> Markup {
        let chart = self.chart;
        let ending =
            chart.ending.as_ref().map_or(0.0, |_| 24.0) + if chart.stuck.is_empty() { 0.0 } else { ROW };
        let ending_width = chart.ending.as_ref().map_or(0.0, |text| width(text, TEXT) + self.left);
        let width = (self.x(chart.lanes.len().max(1)) + 8.0).max(ending_width + 16.0);
        let size = Size { width, height: self.bottom + ending + 12.0 };
        picture(size, &chart.title, has_style, |svg| {
            if let Some(cycle) = chart.cycle.filter(|&cycle| cycle < chart.rows.len()) {
                let (top, bottom) = (self.tops[cycle] + 2.0, self.bottom - 2.0);
                let path = format!(
                    "M20 {bottom:.1}H8V{top:.1}H18M14 {:.1}L20 {top:.1}L14 {:.1}",
                    top - 4.0,
                    top + 4.0
                );
                svg.element("path", &[("class", "mark-loop".into()), ("d", path.into())], |svg| {
                    svg.words("title", &[], "repeated for ever");
                });
            }
            for (index, lane) in chart.lanes.iter().enumerate() {
                self.life(index, lane, svg);
            }
            for message in &chart.messages {
                self.message(message, svg);
            }
            for (index, row) in chart.rows.iter().enumerate().filter(|(index, _)| self.is_shown(*index)) {
                self.row(index, row, svg);
            }
            if self.fold.0 < self.fold.1 {
                let text = format!("… {} rows are not drawn", self.fold.1 - self.fold.0);
                line(svg, "t-doubt o", [self.left, self.tops[self.fold.0] + 24.0], &text, 60);
            }
            for (lane, text) in &chart.stuck {
                let at = [self.x(*lane) + 8.0, self.bottom + 12.0];
                line(svg, "t-bad o", at, &format!("✗ {text}"), self.room);
            }
            if let Some(text) = &chart.ending {
                let y = self.bottom + ending - 4.0;
                line(svg, "t-bad h", [self.left - 8.0, y], &format!("✗ {text}"), 400);
            }
        })
    }

    fn life(&self, index: usize, lane: &Lane, svg: &mut Markup) {
        let x = self.x(index);
        // A thread that starts later is named where it starts.
        let starts = lane.starts.map(|row| self.y(row));
        let top = starts.map_or(HEAD - 8.0, |y| y + 6.0);
        let bottom = lane.ends.map_or(self.bottom, |row| self.y(row)).max(top);
        let at = [("class", "life".into()), ("x1", x.into()), ("x2", x.into())];
        svg.empty("line", &[&at[..], &[("y1", top.into()), ("y2", bottom.into())]].concat());
        if lane.starts.is_none_or(|row| self.is_shown(row)) {
            line(svg, "h o", [x - 4.0, starts.map_or(18.0, |y| y + 4.0)], &lane.name, self.room);
        }
    }

    /// A message goes down beside the line of its sender, and over to the receiver above the row where it is received:
    /// there is no text in either place.
    fn message(&self, message: &Message, svg: &mut Markup) {
        let Message { from, to, text } = message;
        let (Some(sent), Some(received)) = (self.chart.rows.get(*from), self.chart.rows.get(*to)) else {
            return;
        };
        if !self.is_shown(*from) || !self.is_shown(*to) || sent.lane == received.lane {
            return;
        }
        svg.element("g", &[("class", "e".into())], |svg| {
            svg.words("title", &[], text);
            let (start, target) = (self.x(sent.lane) + 5.0, self.x(received.lane));
            let (above, below) = (self.y(*from), self.tops[*to] + 2.0);
            let end = if start < target { target - 7.0 } else { target + 7.0 };
            let path = format!("M{:.1} {above:.1}H{start:.1}V{below:.1}H{end:.1}", self.x(sent.lane));
            svg.empty("path", &[("class", "line".into()), ("d", path.into())]);
            tip(svg, target, end, below);
        });
    }

    fn row(&self, index: usize, row: &Row, svg: &mut Markup) {
        let (x, y) = (self.x(row.lane), self.y(index));
        svg.element("g", &[("class", "r".into()), ("data-key", row.number.as_str().into())], |svg| {
            line(svg, "s", [26.0, y + 4.0], &row.number, 12);
            let partner = row.partner.as_ref().filter(|(other, _)| *other != row.lane);
            if let Some((other, text)) = partner {
                arrow([x, self.x(*other)], y, svg);
                let (left, right) = (x.min(self.x(*other)), x.max(self.x(*other)));
                let room = (((right - left - 28.0) / (TEXT * 0.61)) as usize).max(1);
                let shown = cut(text, room);
                let at = left + (self.lane.min(right - left) - width(&shown, TEXT)) / 2.0;
                line(svg, "o", [at, y - 4.0], text, room);
            }
            let radius = if row.is_bad { 5.0 } else { 3.5 };
            let class = if row.is_bad { "dot-bad" } else { "dot" };
            let at = [("class", class.into()), ("cx", x.into()), ("cy", y.into()), ("r", radius.into())];
            svg.empty("circle", &at);
            if partner.is_none() {
                let class = if row.is_bad { "t-bad o" } else { "o" };
                line(svg, class, [x + 10.0, y + 4.0], &row.text, self.room);
            }
            let notes = row.notes.iter().take(MOST_NOTES);
            for (at, note) in notes.enumerate() {
                let y = y + 4.0 + NOTE * (at as f64 + 1.0);
                line(svg, "s o", [x + 18.0, y], note, self.room - 1);
            }
            if row.notes.len() > MOST_NOTES {
                let y = y + 4.0 + NOTE * (MOST_NOTES as f64 + 1.0);
                svg.element(
                    "text",
                    &[("class", "s o".into()), ("x", (x + 18.0).into()), ("y", y.into())],
                    |svg| {
                        svg.words("title", &[], &row.notes[MOST_NOTES..].join("\n"));
                        svg.text(&format!("… {} more changes", row.notes.len() - MOST_NOTES));
                    },
                );
            }
        });
        svg.newline();
    }
}

/// An arrow within a row.
fn arrow([from, to]: [f64; 2], y: f64, svg: &mut Markup) {
    svg.element("g", &[("class", "e stem".into())], |svg| {
        let end = if from < to { to - 8.0 } else { to + 8.0 };
        svg.empty("path", &[("class", "line".into()), ("d", format!("M{from:.1} {y:.1}H{end:.1}").into())]);
        tip(svg, to, end, y);
    });
}

/// The head of an arrow from `back` to `to`.
fn tip(svg: &mut Markup, to: f64, back: f64, y: f64) {
    let (above, below) = (y - 3.5, y + 3.5);
    let path = format!("M{to:.1} {y:.1}L{back:.1} {above:.1}L{back:.1} {below:.1}Z");
    svg.empty("path", &[("class", "tip".into()), ("d", path.into())]);
}

/// The whole run in one look: a line for each thread, a mark for each of its steps.
#[derive(Clone, Default, Debug)]
pub struct Overview {
    pub title: String,
    pub lanes: Vec<String>,
    /// The lane of each step.
    pub steps: Vec<usize>,
    /// The step from which on the rest is repeated.
    pub cycle: Option<usize>,
    /// The last step is what is wrong.
    pub is_bad: bool,
}

/// The width of the marks of all steps.
const SPAN: f64 = 720.0;
const LINE: f64 = 18.0;

impl Overview {
    pub fn svg(&self) -> Markup {
        self.write(true)
    }

    pub fn part(&self) -> Markup {
        self.write(false)
    }

    fn write(&self, has_style: bool) -> Markup {
        let count = self.steps.len().max(1);
        let names = self.lanes.iter().map(|name| width(&cut(name, 24), TEXT)).fold(0.0, f64::max);
        let left = names + 20.0;
        let step = (SPAN / count as f64).min(22.0);
        let height = LINE * self.lanes.len() as f64 + 30.0;
        let size = Size { width: left + step * count as f64 + 24.0, height };
        picture(size, &self.title, has_style, |svg| {
            if let Some(cycle) = self.cycle {
                let x = left + step * cycle as f64;
                let width = step * (count - cycle.min(count)) as f64;
                let band = [("class", "band".into()), ("x", x.into()), ("y", 4.0.into())];
                svg.empty(
                    "rect",
                    &[&band[..], &[("width", width.max(2.0).into()), ("height", (height - 24.0).into())]]
                        .concat(),
                );
            }
            for (index, name) in self.lanes.iter().enumerate() {
                let y = 8.0 + LINE * index as f64;
                line(svg, "", [4.0, y + 10.0], name, 24);
                let life = [
                    ("class", "life".into()),
                    ("x1", left.into()),
                    ("x2", (left + step * count as f64).into()),
                ];
                let y = y + 6.0;
                svg.empty("line", &[&life[..], &[("y1", y.into()), ("y2", y.into())]].concat());
            }
            // Steps of one thread in a row are one mark, so that long runs stay small.
            let mut at = 0;
            while at < self.steps.len() {
                let lane = self.steps[at];
                let end = at + self.steps[at..].iter().take_while(|&&other| other == lane).count();
                let is_bad = self.is_bad && end == self.steps.len();
                let (x, width) = (left + step * at as f64, (step * (end - at) as f64 - 1.5).max(1.0));
                let bar = [
                    ("class", if is_bad { "dot-bad" } else { "dot" }.into()),
                    ("x", x.into()),
                    ("y", (9.0 + LINE * lane as f64).into()),
                    ("width", width.into()),
                    ("height", 10.0.into()),
                    ("rx", 2.0.into()),
                ];
                svg.empty("rect", &bar);
                at = end;
            }
            let y = height - 6.0;
            line(svg, "s", [left, y], "step 1", 12);
            let last = format!("{}", self.steps.len());
            let x = left + step * count as f64 - width(&last, SMALL);
            if self.steps.len() > 1 && x > left + width("step 1 ", SMALL) {
                line(svg, "s", [x, y], &last, 12);
            }
        })
    }
}
