//! What a check found out, for people and as JSON. Keys and words are those of the command `quotient`.

use std::fmt::Write as _;

use quotient_model::{
    Kind, Minimised, Model, Order, Program, Report, Shape, StopReason, StoreKind, Taken, Verdict, Violation,
};
use terminal::units;

use crate::json::Json;
use crate::show::{self, Writing};
use crate::{FORMAT_VERSION, TOOL};

/// What can be said of a check.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Rank {
    Holds,
    UpToBounds,
    NoErrorFound,
    Inconclusive,
    Violated,
}

impl Rank {
    /// A limit that ended a search leaves it inconclusive, a lossy store is no proof, and steps out of the part
    /// that is explored are bounds.
    pub fn of<S, A>(report: &Report<S, A>, store: StoreKind) -> Self {
        let is_stopped = report.goals.iter().any(|goal| goal.stopped.is_some());
        match report.verdict {
            Verdict::Holds => Self::Holds,
            Verdict::HoldsUpTo(_) if is_stopped => Self::Inconclusive,
            Verdict::HoldsUpTo(_) if is_lossy(store) => Self::NoErrorFound,
            Verdict::HoldsUpTo(_) => Self::UpToBounds,
            _ => Self::Violated,
        }
    }

    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Holds => "holds",
            Self::UpToBounds => "holds up to bounds",
            Self::NoErrorFound => "no error found",
            Self::Inconclusive => "inconclusive",
            Self::Violated => "violated",
        }
    }
}

pub const fn is_lossy(store: StoreKind) -> bool {
    matches!(store, StoreKind::Compact(_) | StoreKind::Bitstate(_))
}

/// A check with its options.
pub struct Finished<'a, M: Model> {
    pub name: &'a str,
    pub program: &'a Program<M>,
    pub report: &'a Report<M::State, M::Action>,
    pub rank: Rank,
    pub order: Order,
    pub store: StoreKind,
    pub symmetry: &'a str,
    pub tested: &'a str,
    pub fairness: &'a str,
    pub memory: Option<u64>,
    pub seed: u64,
    pub seconds: f64,
    /// The file with the trail.
    pub trail: Option<String>,
}

/// The place in a program, as JSON has it, if a text is one: `file:line:column`.
fn place(text: &str) -> Json {
    let mut parts = text.rsplitn(3, ':');
    let numbers = [parts.next(), parts.next()].map(|part| part.and_then(|part| part.parse::<u64>().ok()));
    match (numbers, parts.next()) {
        ([Some(column), Some(line)], Some(file)) => Json::Object(vec![
            ("file", Json::text(file)),
            ("line", Json::Count(line)),
            ("column", Json::Count(column)),
            ("text", Json::text("")),
        ]),
        _ => Json::Null,
    }
}

/// A run as JSON.
pub fn trace<M: Model>(
    program: &Program<M>,
    initial: &M::State,
    run: &[Taken<M::State, M::Action>],
    cycle: Option<usize>,
    ending: Option<&(Kind, String)>,
) -> Json {
    let value = |state: &M::State| Json::Raw(state.term().json());
    let mut before = initial;
    let mut steps = Vec::new();
    for Taken { action, process, choice, remarks, state } in run {
        let changes = state.as_ref().map(|after| show::changes(program, before, after)).unwrap_or_default();
        steps.push(Json::Object(vec![
            ("thread", Json::text(program.process_name(*process))),
            ("transition", Json::Count(action.variant() as u64)),
            ("choice", Json::Count((*choice).into())),
            ("action", Json::Raw(action.term().json())),
            ("text", Json::text(action.term().to_string())),
            ("changes", Json::texts(changes)),
            ("notes", Json::texts(show::remarks(remarks))),
            ("state", Json::maybe(state.as_ref(), value)),
        ]));
        before = state.as_ref().unwrap_or(before);
    }
    let blocked = match ending {
        Some((Kind::Deadlock, _)) => program.obstacles(before),
        _ => Vec::new(),
    };
    let blocked = blocked.iter().map(|obstacle| {
        Json::Object(vec![
            ("action", Json::text(&obstacle.action)),
            ("condition", Json::text(&obstacle.condition)),
            ("location", place(&obstacle.place)),
        ])
    });
    let mut entries = vec![
        ("initial", Json::texts(show::state(program, initial))),
        ("initial_state", value(initial)),
        ("steps", Json::List(steps)),
    ];
    if let Some(start) = cycle {
        let period = run.len().saturating_sub(start);
        entries.push((
            "cycle",
            Json::Object(vec![("start", Json::Count(start as u64)), ("period", Json::Count(period as u64))]),
        ));
    }
    entries.push((
        "ends_in",
        Json::maybe(ending, |(kind, message)| {
            Json::Object(vec![
                ("kind", Json::text(kind.as_str())),
                ("message", Json::text(message)),
                ("blocked", Json::List(blocked.collect())),
            ])
        }),
    ));
    entries.push(("last", Json::texts(show::state(program, before))));
    entries.push(("last_state", value(before)));
    Json::Object(entries)
}

impl<M: Model> Finished<'_, M> {
    pub fn violation(&self) -> Option<&Violation<M::State, M::Action>> {
        match &self.report.verdict {
            Verdict::Violated(violation) => Some(violation),
            _ => None,
        }
    }

    /// Why the search is not exhaustive, if it is not.
    fn incomplete(&self) -> Option<String> {
        match &self.report.verdict {
            Verdict::HoldsUpTo(reasons) => Some(reasons.join("; ")),
            Verdict::Violated(_) => {
                let stopped = self.report.goals.iter().find_map(|goal| goal.stopped);
                let is_first = self.report.violations.len() <= 1;
                stopped.map(|reason| reason.to_string()).or_else(|| {
                    is_first.then(|| {
                        "the search stopped at the first violation (use --continue to go on)".to_owned()
                    })
                })
            }
            _ => None,
        }
    }

    pub fn is_depth_first(&self) -> bool {
        self.order == Order::DepthFirst
    }

    /// What the verdict rests on.
    pub fn assumptions(&self) -> Vec<String> {
        let store = self.store.as_str();
        let mut all = vec![if is_lossy(self.store) {
            format!("store {store}: states may have been taken for others")
        } else {
            format!("store {store}: every state is kept in full")
        }];
        all.push(if self.symmetry == "none" {
            "symmetry none: only equal states count as one".to_owned()
        } else {
            let tested = match self.tested {
                "all" => "that they are interchangeable was tested in every state",
                "off" => "that they are interchangeable is claimed by types, and was not tested",
                _ => "that they are interchangeable is claimed by types, and was tested in some states",
            };
            format!("symmetry full: states that differ in which individuals and objects they mention count as one; {tested}")
        });
        all.push("partial order reduction: nothing was left out, every interleaving of the model's actions is explored".to_owned());
        all.push("the model is trusted to be a function of its state; violations were run twice".to_owned());
        for sort in self.program.sort_reports() {
            if let Some(size) = sort.size {
                let most = if sort.dynamic { "at most " } else { "" };
                all.push(format!("{most}{size} individuals of {}", sort.name));
            }
        }
        all
    }

    fn shown(&self, violation: &Violation<M::State, M::Action>) -> String {
        let Some(initial) = &violation.initial else { return String::new() };
        let mut writing = Writing::new(self.program, violation.run.iter().map(|taken| taken.process));
        let mut out = writing.beginning(initial);
        let mut before = initial;
        for (number, taken) in violation.run.iter().enumerate() {
            if violation.cycle == Some(number) {
                out += "  from here on, the rest is repeated for ever\n";
            }
            out += &writing.step(before, taken);
            before = taken.state.as_ref().unwrap_or(before);
        }
        if violation.cycle == Some(violation.run.len()) {
            out += "  the run ends here\n";
        } else if violation.cycle.is_some() && !violation.is_closed {
            out += "  the cycle is closed up to the names of individuals\n";
        }
        if violation.cycle.is_none() {
            let obstacles: Vec<String> = violation.obstacles.iter().map(show::obstacle).collect();
            out += &show::lines(&format!("  {}: {}", violation.kind, violation.message), &obstacles);
        }
        out + &show::lines("  the last state", &show::state(self.program, before))
    }

    /// What the verdict says.
    pub fn sentence(&self) -> String {
        let report = self.report;
        let incomplete = self.incomplete().unwrap_or_default();
        let formulas: Vec<&str> = report
            .goals
            .iter()
            .filter(|goal| !goal.formula.is_empty())
            .map(|goal| goal.name.as_str())
            .collect();
        let is_safety = formulas.len() < report.goals.len();
        match self.rank {
            Rank::Holds => {
                let safe = "The search is complete: no deadlock, no broken invariant, no failure, no panic.";
                let all = match &formulas[..] {
                    [] => String::new(),
                    [one] => format!("Every run satisfies `{one}`."),
                    _ => "Every run satisfies all temporal properties.".to_owned(),
                };
                [if is_safety { safe } else { "" }, &all]
                    .into_iter()
                    .filter(|text| !text.is_empty())
                    .collect::<Vec<_>>()
                    .join(" ")
            }
            Rank::UpToBounds => format!("No violation within the bounds, but {incomplete}."),
            Rank::NoErrorFound => format!("No violation, but {incomplete}."),
            Rank::Inconclusive => {
                format!("No violation found, but the search is not complete: {incomplete}.")
            }
            Rank::Violated => self
                .violation()
                .map_or_else(String::new, |violation| format!("{}: {}.", violation.kind, violation.message)),
        }
    }

    /// What is known about the length of a counterexample.
    pub fn how_long(&self, violation: &Violation<M::State, M::Action>) -> String {
        match (violation.cycle, self.order, &violation.minimised) {
            (Some(_), ..) => "an infinite run".to_owned(),
            (None, Order::BreadthFirst, _) => "shortest".to_owned(),
            (None, Order::DepthFirst, None) => "depth first; use --search bfs for a short one".to_owned(),
            (None, Order::DepthFirst, Some(minimised)) => {
                format!("found with {}; use --search bfs for a shortest one", minimised.from_steps)
            }
        }
    }

    /// Each goal: its name, the verdict, its formula.
    pub fn goals(&self) -> Vec<[String; 3]> {
        let goal = |goal: &quotient_model::GoalReport<M::State, M::Action>| {
            let verdict = verdict(&goal.verdict, goal.stopped, self.store).to_owned();
            [goal.name.clone(), verdict, goal.formula.clone()]
        };
        self.report.goals.iter().map(goal).collect()
    }

    pub fn human(&self, quiet: bool) -> String {
        let (report, rank) = (self.report, self.rank.as_str());
        let mut out = format!("{}: {rank}\n", self.name);
        if quiet {
            return out;
        }
        let incomplete = self.incomplete().unwrap_or_default();
        _ = writeln!(out, "{}", self.sentence());
        if let Some(violation) = self.violation()
            && violation.initial.is_some()
        {
            let how = self.how_long(violation);
            _ = writeln!(out, "\nCounterexample, {} ({how}):\n", plural(violation.run.len() as u64, "step"));
            out += &self.shown(violation);
            if let Some(file) = self.trail.as_ref().filter(|file| *file != "-") {
                _ = writeln!(out, "\nTo replay it:\n  {} replay {file}", self.name);
            }
        }
        if report.violations.len() > 1 {
            _ = writeln!(out, "\nAll violations found:");
            for violation in &report.violations {
                let steps = plural(violation.run.len() as u64, "step");
                _ = writeln!(out, "  {}: {} (first after {steps})", violation.kind, violation.message);
            }
        }
        if self.rank == Rank::Violated && !incomplete.is_empty() {
            _ = writeln!(out, "\nThe search is not complete: {incomplete}.");
        }
        if report.goals.iter().any(|goal| !goal.formula.is_empty()) {
            out += "\nTemporal properties:\n";
            for goal in report.goals.iter().filter(|goal| !goal.formula.is_empty()) {
                let verdict = verdict(&goal.verdict, goal.stopped, self.store);
                _ = writeln!(out, "  {}: {verdict}  {}", goal.name, goal.formula);
            }
        }
        let Some(first) = report.goals.first() else { return out };
        let seconds = self.seconds.max(1e-9);
        _ = writeln!(
            out,
            "\n{}, {} matched, {}, depth {}",
            plural(report.states as u64, "state"),
            units::count(first.matched),
            plural(report.transitions, "transition"),
            units::count(first.depth.into())
        );
        _ = writeln!(
            out,
            "{}, {} states/s, {} transitions/s",
            units::seconds(self.seconds),
            units::count((report.states as f64 / seconds) as u64),
            units::count((report.transitions as f64 / seconds) as u64)
        );
        _ = writeln!(
            out,
            "store {}: {} ({:.1} bytes per state); peak process memory {}",
            first.store.kind,
            units::bytes(first.store.bytes as u64),
            first.store.bytes as f64 / (report.states.max(1)) as f64,
            store::peak_resident().map_or_else(|| "unknown".to_owned(), |bytes| units::bytes(bytes as u64))
        );
        if self.symmetry != "none" {
            out += if report.not_canonical == 0 {
                "symmetry full: one state per class\n"
            } else {
                "symmetry full: classes may be stored more than once\n"
            };
        }
        for broken in &report.broken {
            _ = writeln!(
                out,
                "the individuals of {0} are not interchangeable, and were told apart: exchanging {0}{1} and {0}{2} in {3} \
                 matters: {4}",
                broken.sort, broken.exchanged.0, broken.exchanged.1, broken.state, broken.difference
            );
        }
        if !report.covered.is_empty() {
            _ = writeln!(out, "covered: {}", report.covered.join(", "));
        }
        out += "\nAssumptions:\n";
        for assumption in self.assumptions() {
            _ = writeln!(out, "  - {assumption}");
        }
        out
    }

    fn violation_json(&self, violation: &Violation<M::State, M::Action>) -> Json {
        let ending = violation.cycle.is_none().then(|| (violation.kind, violation.message.clone()));
        let trace = Json::maybe(violation.initial.as_ref(), |initial| {
            trace(self.program, initial, &violation.run, violation.cycle, ending.as_ref())
        });
        let mut entries = vec![
            ("kind", Json::text(violation.kind.as_str())),
            ("message", Json::text(&violation.message)),
            ("property", property(violation)),
            ("steps", Json::Count(violation.run.len() as u64)),
            ("location", place(&violation.place)),
            ("trace", trace),
        ];
        entries.extend(violation.minimised.map(|minimised| {
            let Minimised { from_steps, from_switches, to_switches, complete } = minimised;
            let of = Json::Object(vec![
                ("from_steps", Json::Count(from_steps as u64)),
                ("from_switches", Json::Count(from_switches as u64)),
                ("to_switches", Json::Count(to_switches as u64)),
                ("shortest", Json::Bool(false)),
                ("complete", Json::Bool(complete)),
            ]);
            ("minimised", of)
        }));
        Json::Object(entries)
    }

    pub fn json(&self) -> Json {
        let report = self.report;
        let first = report.goals.first();
        let safety = report.goals.iter().find(|goal| goal.formula.is_empty());
        let seconds = self.seconds.max(1e-9);
        let rate = |number: f64| Json::Real(number / seconds);
        let reduction = || {
            Json::Object(vec![
                ("por", Json::text("off")),
                ("merge", Json::text("off")),
                ("notice", Json::text("a model in Rust: what its actions read and write is not known")),
                ("merge_notice", Json::Null),
                ("dropped", Json::List(Vec::new())),
                ("ample", Json::Count(0)),
                ("full", Json::Count(0)),
            ])
        };
        let properties = report.goals.iter().filter(|goal| !goal.formula.is_empty()).map(|goal| {
            let (nodes, states) = goal.product.unwrap_or_default();
            Json::Object(vec![
                ("name", Json::text(&goal.name)),
                ("formula", Json::text(&goal.formula)),
                ("verdict", Json::text(verdict(&goal.verdict, goal.stopped, self.store))),
                ("automaton_states", Json::Count(states as u64)),
                ("product_states", Json::Count(nodes as u64)),
                ("states", Json::Count(goal.states as u64)),
                ("transitions", Json::Count(goal.transitions)),
                ("seconds", Json::Real(goal.elapsed.as_secs_f64())),
                ("fairness", Json::text(self.fairness)),
                ("reduction", reduction()),
                ("vacuous", Json::List(Vec::new())),
            ])
        });
        let counted = |violation: &Violation<M::State, M::Action>| {
            Json::Object(vec![
                ("kind", Json::text(violation.kind.as_str())),
                ("message", Json::text(&violation.message)),
                ("property", property(violation)),
                ("count", Json::Count(1)),
                ("steps", Json::Count(violation.run.len() as u64)),
                ("location", place(&violation.place)),
            ])
        };
        let violations: Vec<Json> = match (&report.violations[..], self.violation()) {
            ([], Some(violation)) => vec![counted(violation)],
            (all, _) => all.iter().map(counted).collect(),
        };
        let bytes = first.map_or(0, |goal| goal.store.bytes);
        let mut store = vec![
            ("kind", Json::text(self.store.as_str())),
            ("bytes", Json::Count(bytes as u64)),
            ("bytes_per_state", Json::Real(bytes as f64 / report.states.max(1) as f64)),
        ];
        store.extend(
            first.and_then(|goal| goal.store.omissions).map(|lost| ("expected_omissions", Json::Real(lost))),
        );
        let interchangeable = self.program.sort_reports().into_iter().filter(|sort| {
            self.symmetry != "none" && !report.broken.iter().any(|broken| broken.sort == sort.name)
        });
        let interchangeable = interchangeable.map(|sort| {
            Json::Object(vec![
                ("kind", Json::text(if sort.size.is_some() { "element" } else { "object" })),
                ("name", Json::text(sort.name)),
                ("count", Json::Count(sort.size.unwrap_or(0).into())),
            ])
        });
        let broken = report.broken.iter().map(|broken| {
            format!(
                "{}: exchanging {} and {} in {} matters: {}",
                broken.sort, broken.exchanged.0, broken.exchanged.1, broken.state, broken.difference
            )
        });
        // Names are found anew in every state, so each step touches all that has a name.
        let touched = report.naming.nodes as f64 / report.naming.states.max(1) as f64;
        let symmetry = Json::Object(vec![
            ("level", Json::text(self.symmetry)),
            ("chosen", Json::Null),
            ("naming", Json::Null),
            ("canonical", Json::Bool(report.not_canonical == 0)),
            ("ties_searched", Json::Count(report.naming.searched)),
            ("searches_exhausted", Json::Count(report.not_canonical)),
            ("touched_per_step", Json::Real(touched)),
            ("pinned", Json::List(Vec::new())),
            ("pinned_by", Json::List(Vec::new())),
            ("interchangeable", Json::List(interchangeable.collect())),
            ("not_interchangeable", Json::texts(broken)),
        ]);
        Json::Object(vec![
            ("version", Json::Count(FORMAT_VERSION)),
            ("tool", Json::text(TOOL)),
            ("model", Json::text(self.name)),
            ("verdict", Json::text(self.rank.as_str())),
            ("exhaustive", Json::Bool(self.incomplete().is_none())),
            ("incomplete", Json::maybe(self.incomplete(), Json::text)),
            ("violation", Json::maybe(self.violation(), |violation| self.violation_json(violation))),
            ("violations", Json::List(violations)),
            ("safety", Json::Bool(safety.is_some())),
            (
                "safety_verdict",
                Json::maybe(safety, |goal| Json::text(verdict(&goal.verdict, goal.stopped, self.store))),
            ),
            ("properties", Json::List(properties.collect())),
            ("unchecked", Json::List(Vec::new())),
            ("states", Json::Count(report.states as u64)),
            ("matched", Json::Count(first.map_or(0, |goal| goal.matched))),
            ("transitions", Json::Count(report.transitions)),
            ("depth", Json::Count(first.map_or(0, |goal| goal.depth.into()))),
            ("search", Json::text(if self.is_depth_first() { "dfs" } else { "bfs" })),
            // Models in Rust are searched by one thread.
            ("threads", Json::Count(1)),
            ("store", Json::Object(store)),
            ("symmetry", symmetry),
            ("reduction", reduction()),
            ("peak_memory_bytes", Json::Count(store::peak_resident().unwrap_or(0) as u64)),
            ("memory_limit_bytes", Json::maybe(self.memory, Json::Count)),
            ("seconds", Json::Real(self.seconds)),
            ("states_per_second", rate(report.states as f64)),
            ("transitions_per_second", rate(report.transitions as f64)),
            ("seed", Json::Count(self.seed)),
            ("assumptions", Json::texts(self.assumptions())),
            ("covered", Json::texts(&report.covered)),
            ("dead_code", Json::List(Vec::new())),
            ("warnings", Json::List(Vec::new())),
            ("diagnostics", Json::List(Vec::new())),
        ])
    }
}

/// The property that a run violates.
fn property<S, A>(violation: &Violation<S, A>) -> Json {
    if violation.kind == Kind::Property { Json::text(&violation.place) } else { Json::Null }
}

/// A verdict on one goal.
fn verdict<S, A>(verdict: &Verdict<S, A>, stopped: Option<StopReason>, store: StoreKind) -> &'static str {
    match verdict {
        Verdict::Holds => Rank::Holds,
        Verdict::HoldsUpTo(_) if stopped.is_some() => Rank::Inconclusive,
        Verdict::HoldsUpTo(_) if is_lossy(store) => Rank::NoErrorFound,
        Verdict::HoldsUpTo(_) => Rank::UpToBounds,
        Verdict::Violated(_) => Rank::Violated,
        Verdict::NotAFunction(_) | Verdict::Refused(_) => return "inconclusive",
    }
    .as_str()
}

pub fn plural(count: u64, noun: &str) -> String {
    match count {
        1 => format!("1 {noun}"),
        count => format!("{} {noun}s", units::count(count)),
    }
}
