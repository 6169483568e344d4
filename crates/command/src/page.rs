//! `check --report`: a check of a model in Rust as a page of HTML that stands alone.

use draw::diagram::Tone;
use draw::plot::Plot;
use page::{Block, Line, Page, Section};
use quotient_model::{Model, Shape, Violation};
use terminal::units;

use crate::picture::{Run, scene};
use crate::report::{Finished, Rank, plural};
use crate::{TOOL, show};

/// A page has at most this many steps of a run, the first and the last ones.
const MOST_STEPS: usize = 600;
const FIRST_STEPS: usize = 100;

impl<M: Model> Finished<'_, M> {
    /// The page. `samples` are numbers of states and bytes, as the search went on.
    pub fn page(&self, trail: Option<String>, samples: &[(f64, f64)]) -> String {
        let tone = match self.rank {
            Rank::Holds => Tone::Good,
            Rank::Violated => Tone::Bad,
            _ => Tone::Doubt,
        };
        let mut sections = Vec::new();
        let mut add = |title: &str, is_folded, blocks: Vec<Block>| {
            sections.push(Section { title: title.to_owned(), is_folded, blocks });
        };
        if let Some(violation) = self.violation() {
            let steps = plural(violation.run.len() as u64, "step");
            let title = format!("Counterexample: {steps} ({})", self.how_long(violation));
            add(&title, false, self.run(violation));
            if let Some(initial) = &violation.initial {
                let ending =
                    violation.cycle.is_none().then(|| format!("{}: {}", violation.kind, violation.message));
                let (steps, cycle) = (&violation.run[..], violation.cycle);
                let run = Run { program: self.program, initial, steps, cycle, ending };
                let (before, last) = run.last_states();
                let title = "The last state";
                let picture = scene(title, before.as_ref(), &last).diagram().part();
                let caption = "The last state. What the last step changed is highlighted.".to_owned();
                add("The state at the end", false, vec![Block::Picture(picture, caption)]);
                let overview = run.overview("The run: a line for each process").part();
                let chart = run.chart("The run: a column for each process").part();
                let blocks = vec![
                    Block::Picture(
                        overview,
                        "Which process takes which steps; what is repeated for ever is shaded.".to_owned(),
                    ),
                    Block::Picture(chart, "Time goes down.".to_owned()),
                ];
                add("As a chart", violation.run.len() > 60, blocks);
            }
        }
        let violations = self.report.violations.iter().map(|violation| {
            vec![violation.kind.to_string(), violation.message.clone(), violation.run.len().to_string()]
        });
        let rows: Vec<Vec<String>> = violations.collect();
        if rows.len() > 1 {
            let head = ["kind", "what", "first after steps"].map(str::to_owned).to_vec();
            add("All violations found", false, vec![Block::Table { head, rows }]);
        }
        let rows: Vec<Vec<String>> = self.goals().into_iter().map(|goal| goal.to_vec()).collect();
        let head = ["goal", "verdict", "formula"].map(str::to_owned).to_vec();
        add("Goals", false, vec![Block::Table { head, rows }]);
        add("Assumptions", false, vec![Block::List(self.assumptions())]);
        add("Statistics", false, self.statistics(samples));
        let fact = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        let options = vec![
            fact("Program", TOOL),
            fact("Model", self.name),
            fact("Search", if self.is_depth_first() { "dfs" } else { "bfs" }),
            fact("Store", self.store.as_str()),
            fact("Symmetry", self.symmetry),
            fact("Test of symmetry", self.tested),
            fact("Fairness", self.fairness),
        ];
        add("Options and versions", true, vec![Block::Facts(options)]);
        let words: Vec<String> = std::env::args().skip(1).collect();
        let mut commands = vec![
            Block::Text("The check:".to_owned()),
            Block::Code(format!("{} {}", self.name, words.join(" "))),
        ];
        if let Some(file) = self.trail.as_ref().filter(|file| *file != "-") {
            commands.push(Block::Text("The counterexample:".to_owned()));
            commands.push(Block::Code(format!("{} replay {file}", self.name)));
        }
        add("To reproduce", false, commands);
        Page {
            title: self.name.to_owned(),
            verdict: self.rank.as_str().to_owned(),
            tone,
            summary: vec![self.sentence()],
            sections,
            trail,
        }
        .html(TOOL)
    }

    fn run(&self, violation: &Violation<M::State, M::Action>) -> Vec<Block> {
        let said = |text: String, tone| Line { text, tone, ..Line::default() };
        let Some(initial) = &violation.initial else {
            return vec![Block::Text(violation.message.clone())];
        };
        let changes = show::state(self.program, initial);
        let mut lines = vec![Line { text: "initially".to_owned(), changes, ..Line::default() }];
        let count = violation.run.len();
        let left_out =
            if count > MOST_STEPS { FIRST_STEPS..count - (MOST_STEPS - FIRST_STEPS) } else { 0..0 };
        let mut before = initial;
        for (at, taken) in violation.run.iter().enumerate() {
            if violation.cycle == Some(at) {
                lines.push(said("From here on, the steps are repeated for ever.".to_owned(), Tone::Cycle));
            }
            let mut changes = show::remarks(&taken.remarks);
            if let Some(after) = &taken.state {
                changes.extend(show::changes(self.program, before, after));
                before = after;
            }
            if left_out.contains(&at) {
                if at == left_out.start {
                    let text = format!("… {} are left out here", plural(left_out.len() as u64, "step"));
                    lines.push(said(text, Tone::Doubt));
                }
                continue;
            }
            lines.push(Line {
                number: (at + 1).to_string(),
                thread: self.program.process_name(taken.process),
                text: taken.action.term().to_string(),
                changes,
                ..Line::default()
            });
        }
        if violation.cycle == Some(count) {
            lines.push(said("The run ends here.".to_owned(), Tone::Cycle));
        }
        if violation.cycle.is_none() {
            let mut last = said(format!("{}: {}", violation.kind, violation.message), Tone::Bad);
            last.changes = violation.obstacles.iter().map(show::obstacle).collect();
            lines.push(last);
        }
        vec![Block::Run(lines)]
    }

    fn statistics(&self, samples: &[(f64, f64)]) -> Vec<Block> {
        let Some(first) = self.report.goals.first() else { return Vec::new() };
        let fact = |name: &str, value: String| (name.to_owned(), value);
        let peak = store::peak_resident();
        let facts = vec![
            fact("States", units::count(self.report.states as u64)),
            fact("Transitions", units::count(self.report.transitions)),
            fact("Depth", units::count(first.depth.into())),
            fact("Time", units::seconds(self.seconds)),
            fact("Store", units::bytes(first.store.bytes as u64)),
            fact(
                "Peak memory",
                peak.map_or_else(|| "unknown".to_owned(), |bytes| units::bytes(bytes as u64)),
            ),
        ];
        let mut points = vec![(0.0, 0.0)];
        // Numbers grow during the first search; a later one starts again.
        points.extend(samples.iter().scan(0.0, |last, &point| {
            let grows = point.0 >= *last;
            *last = point.0;
            grows.then_some(point)
        }));
        points.push((self.report.states as f64, first.store.bytes as f64));
        let (title, across, up) = ("Memory".to_owned(), "states".to_owned(), "bytes of the store".to_owned());
        let plot = Plot { title, across, up, points };
        let caption = "The memory of the store, as the search goes on.".to_owned();
        vec![Block::Facts(facts), Block::Picture(plot.part(), caption)]
    }
}
