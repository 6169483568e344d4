//! The tables, as Markdown.

use super::contest::{COLLAPSE, Contestant, DEFAULT, Figures, MODES, Mode, STORES, Tool};
use crate::measure::geometric_mean;
use crate::spin::same_number;
use crate::table::{Table, grouped};

pub const NONE: &str = "–";

/// Which time speeds are computed from.
#[derive(Clone, Copy, PartialEq, Eq, Debug, clap::ValueEnum)]
pub enum Clock {
    /// From start to end
    Wall,
    /// Of the processor
    Cpu,
}

impl Clock {
    /// Transitions a second.
    pub fn speed(self, figures: &Figures) -> f64 {
        let seconds = match self {
            Self::Wall => figures.seconds,
            Self::Cpu => figures.cpu_seconds,
        };
        figures.transitions as f64 / seconds.max(0.001)
    }
}

/// All that was measured with one model.
pub struct Measured {
    pub model: String,
    /// Bytes of SPIN's state vector.
    pub vector: u64,
    pub contestants: Vec<Contestant>,
}

impl Measured {
    fn figures(&self, tool: Tool) -> Option<Result<Figures, String>> {
        self.contestants.iter().find(|contestant| contestant.tool == tool).map(Contestant::figures)
    }

    fn store(&self, name: &str) -> Option<Figures> {
        self.figures(Tool::Quotient(STORES.iter().find(|store| store.name == name)?))?.ok()
    }

    fn mode(&self, mode: &'static Mode) -> Option<Figures> {
        self.figures(Tool::Spin(mode))?.ok()
    }
}

/// Ours as multiples of SPIN's.
#[derive(Clone, Copy, PartialEq, Debug)]
struct Ratios {
    speed: f64,
    /// None where one of them hardly took more than at its start.
    memory: Option<f64>,
}

impl Ratios {
    /// In bytes: smaller differences are noise.
    const LEAST_MEMORY: f64 = 100_000.0;

    /// `None` unless both explored the same graph.
    fn new(ours: &Figures, spins: &Figures, clock: Clock) -> Option<Self> {
        let same = same_number(ours.states, spins.states) && same_number(ours.transitions, spins.transitions);
        let memory = [ours.memory(), spins.memory()];
        let known = memory.iter().all(|&bytes| bytes >= Self::LEAST_MEMORY);
        let memory = known.then(|| memory[0] / memory[1]);
        same.then(|| Self { speed: clock.speed(ours) / clock.speed(spins), memory })
    }
}

pub fn ratio(number: Option<f64>) -> String {
    number.map_or_else(|| NONE.to_owned(), |number| format!("{number:.2}"))
}

pub fn megabytes(bytes: f64) -> String {
    format!("{:.1}", bytes / 1e6)
}

/// Everything; `conditions` are lines on tools and machine.
pub fn markdown(measured: &[Measured], clock: Clock, conditions: &[String]) -> String {
    let mut blocks = vec![list(conditions), "## Summary\n".to_owned(), summary(measured, clock)];
    for measured in measured {
        blocks.push(format!("## {}\n", measured.model));
        blocks.push(format!("SPIN's state vector has {} bytes.\n", measured.vector));
        blocks.extend(details(measured, clock));
    }
    blocks.join("\n")
}

pub fn list(items: &[String]) -> String {
    items.iter().flat_map(|item| ["- ", item.as_str(), "\n"]).collect()
}

/// One row per model, ratios only.
fn summary(measured: &[Measured], clock: Clock) -> String {
    let mut table = Table::new(&[
        "model",
        ">vector",
        ">states",
        ">speed: trie / SPIN",
        ">trie dfs / SPIN",
        ">exact / SPIN",
        ">memory: trie / SPIN",
        ">trie / SPIN -DCOLLAPSE",
        ">trie dfs / SPIN",
        ">exact / SPIN",
    ]);
    let mut columns: [Vec<f64>; 7] = Default::default();
    for measured in measured {
        let [trie, dfs, exact] = ["trie", "trie dfs", "exact"].map(|name| measured.store(name));
        let (default, collapse) = (measured.mode(DEFAULT), measured.mode(COLLAPSE));
        let compare = |ours: &Option<Figures>, spins: &Option<Figures>| {
            Ratios::new(ours.as_ref()?, spins.as_ref()?, clock)
        };
        let ratios = [&trie, &dfs, &exact].map(|ours| compare(ours, &default));
        let [trie_speed, dfs_speed, exact_speed] = ratios.map(|ratios| Some(ratios?.speed));
        let [trie_memory, dfs_memory, exact_memory] = ratios.map(|ratios| ratios?.memory);
        let collapse = compare(&trie, &collapse).and_then(|ratios| ratios.memory);
        let numbers = [trie_speed, dfs_speed, exact_speed, trie_memory, collapse, dfs_memory, exact_memory];
        for (column, number) in columns.iter_mut().zip(numbers) {
            column.extend(number);
        }
        let states = default.map_or_else(|| NONE.to_owned(), |figures| grouped(figures.states));
        let mut cells = vec![measured.model.clone(), grouped(measured.vector), states];
        cells.extend(numbers.map(ratio));
        table.push(cells);
    }
    let mut cells = vec!["**geometric mean**".to_owned(), String::new(), String::new()];
    cells.extend(columns.map(|column| ratio(geometric_mean(&column))));
    table.push(cells);
    table.markdown()
}

const HEADINGS: &[&str] = &[
    "tool",
    ">states",
    ">transitions",
    ">seconds",
    ">CPU seconds",
    ">transitions/s",
    ">peak (MB)",
    ">less start-up (MB)",
    ">bytes/state",
    ">speed / SPIN",
    ">memory / SPIN",
];

/// One row per tool: each mode of SPIN after the stores that are compared with it. Below, what is missing and
/// why.
fn details(measured: &Measured, clock: Clock) -> Vec<String> {
    let mut table = Table::new(HEADINGS);
    let mut notes = Vec::new();
    for mode in MODES {
        let spins = measured.mode(mode);
        let tools = STORES.iter().filter(|store| store.against == mode).map(Tool::Quotient);
        for tool in tools.chain([Tool::Spin(mode)]) {
            let (figures, ratios) = match (measured.figures(tool), tool, &spins) {
                (None, _, _) => continue,
                (Some(Err(why)), _, _) => {
                    notes.push(format!("{}: {why}", tool.name()));
                    table.push(absent(tool));
                    continue;
                }
                (Some(Ok(figures)), Tool::Quotient(_), Some(spins)) => {
                    let ratios = Ratios::new(&figures, spins, clock);
                    if ratios.is_none() {
                        let [name, other] = [tool, Tool::Spin(mode)].map(Tool::name);
                        notes.push(format!("{name}: no ratio, since it did not explore what {other} did"));
                    }
                    (figures, ratios)
                }
                (Some(Ok(figures)), _, _) => (figures, None),
            };
            table.push(row(tool, &figures, ratios, clock));
        }
    }
    let notes = (!notes.is_empty()).then(|| list(&notes));
    [table.markdown()].into_iter().chain(notes).collect()
}

fn row(tool: Tool, figures: &Figures, ratios: Option<Ratios>, clock: Clock) -> Vec<String> {
    let [speed, memory] = match tool {
        Tool::Quotient(_) => {
            [ratios.map(|ratios| ratios.speed), ratios.and_then(|ratios| ratios.memory)].map(ratio)
        }
        Tool::Spin(_) => [String::new(), String::new()],
    };
    vec![
        tool.name(),
        grouped(figures.states),
        grouped(figures.transitions),
        format!("{:.2}", figures.seconds),
        format!("{:.2}", figures.cpu_seconds),
        grouped(clock.speed(figures) as u64),
        megabytes(figures.peak),
        megabytes(figures.memory()),
        format!("{:.1}", figures.memory() / figures.states as f64),
        speed,
        memory,
    ]
}

/// The row of a tool without figures.
fn absent(tool: Tool) -> Vec<String> {
    let mut cells = vec![tool.name()];
    cells.resize(HEADINGS.len(), NONE.to_owned());
    cells
}

#[cfg(test)]
mod tests {
    use super::*;

    fn figures(states: u64, transitions: u64, seconds: f64) -> Figures {
        Figures {
            states,
            transitions,
            seconds,
            cpu_seconds: seconds / 2.0,
            peak: 3e6,
            start_up: 1e6,
            store: None,
        }
    }

    #[test]
    fn ratios_are_those_of_the_same_graph() {
        let ours = figures(10, 30, 2.0);
        let ratios = |spins| Ratios::new(&ours, &spins, Clock::Wall);
        assert_eq!(ratios(figures(10, 30, 1.0)), Some(Ratios { speed: 0.5, memory: Some(1.0) }));
        assert_eq!(ratios(figures(11, 30, 1.0)), None);
        assert_eq!(ratios(figures(10, 31, 1.0)), None);
    }

    #[test]
    fn what_takes_no_memory_has_no_ratio() {
        let ours = figures(10, 30, 2.0);
        let spins = Figures { start_up: 3e6, ..figures(10, 30, 2.0) };
        assert_eq!(Ratios::new(&ours, &spins, Clock::Wall), Some(Ratios { speed: 1.0, memory: None }));
    }

    #[test]
    fn speeds_are_by_the_clock() {
        assert!((Clock::Wall.speed(&figures(10, 30, 2.0)) - 15.0).abs() < 1e-9);
        assert!((Clock::Cpu.speed(&figures(10, 30, 2.0)) - 30.0).abs() < 1e-9);
    }
}
