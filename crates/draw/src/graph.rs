//! State graphs: states in columns by their distance from the initial one, and the steps between them.
//!
//! A picture of more states than a person looks at is folded, and says so. Drawn are a marked run, the shortest ways to
//! states with errors, and then the states that are nearest to the initial one. A state says how many steps to states
//! that are not drawn it has, so that nothing looks complete that is not.

use std::collections::BTreeMap;

use crate::diagram::{Connection, Diagram, Item, Look, Mark, Row, Tone};

/// A state graph.
#[derive(Clone, Default, Debug)]
pub struct StateGraph {
    pub title: String,
    pub states: Vec<State>,
    /// The steps, in the order of the states that they start from.
    pub steps: Vec<Step>,
    /// Whether the picture has rows for components: not if all states are one component, or all by themselves.
    pub components: usize,
}

/// A state.
#[derive(Clone, Default, Debug)]
pub struct State {
    pub name: String,
    /// Its distance from the initial state.
    pub level: u32,
    /// What is shown of its contents.
    pub lines: Vec<String>,
    pub is_initial: bool,
    pub is_deadlock: bool,
    /// A run may end here.
    pub is_end: bool,
    /// It has steps that the graph does not have.
    pub is_cut: bool,
    pub violations: Vec<String>,
    /// The number of states that are this one up to symmetry.
    pub members: Option<u64>,
    /// The strongly connected component that it is in, if that is more than the state.
    pub component: Option<Component>,
    /// The marked run stays here for ever.
    pub is_stay: bool,
}

/// States that can all be reached from each other.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Component {
    /// Its number, from 1.
    pub number: usize,
    /// No step leaves it.
    pub is_final: bool,
}

/// A step.
#[derive(Clone, Default, Debug)]
pub struct Step {
    pub from: usize,
    pub to: usize,
    pub text: String,
    /// Whether it is on a marked run.
    pub look: Look,
}

/// A picture has at most this many states.
pub const MOST_STATES: usize = 200;
/// The ways to at most this many states with errors are drawn before others.
const MOST_ERRORS: usize = 16;

impl State {
    const fn is_bad(&self) -> bool {
        self.is_deadlock || !self.violations.is_empty()
    }
}

impl StateGraph {
    /// The graph as a diagram of at most `most` states.
    pub fn diagram(&self, most: usize) -> Diagram {
        let drawn = self.drawn(most.max(1));
        let number: BTreeMap<usize, usize> = drawn.iter().copied().zip(0..).collect();
        let mut hidden = vec![0_usize; self.states.len()];
        let mut links: BTreeMap<(usize, usize), Connection> = BTreeMap::new();
        for step in &self.steps {
            let (Some(&from), Some(&to)) = (number.get(&step.from), number.get(&step.to)) else {
                hidden[step.from] += 1;
                continue;
            };
            let link =
                links.entry((from, to)).or_insert_with(|| Connection { from, to, ..Connection::default() });
            link.look = link.look.max(step.look);
            if !link.label.contains(&step.text) {
                link.label.push(step.text.clone());
            }
        }
        let mut caption = Vec::new();
        if drawn.len() < self.states.len() {
            let bad =
                |states: &mut dyn Iterator<Item = &State>| states.filter(|state| state.is_bad()).count();
            let (shown, all) =
                (bad(&mut drawn.iter().map(|&at| &self.states[at])), bad(&mut self.states.iter()));
            let errors = if all > 0 {
                format!(" {shown} of {all} states with errors are among them.")
            } else {
                String::new()
            };
            caption.push(format!(
                "{} of {} states are drawn, those nearest to the initial state first.{errors}",
                drawn.len(),
                self.states.len()
            ));
            caption.push("Dashed boxes have steps to states that are not drawn.".to_owned());
        }
        let columns = drawn.iter().map(|&at| self.states[at].level).collect();
        let boxes = drawn.iter().map(|&at| self.item(at, hidden[at])).collect();
        Diagram {
            title: self.title.clone(),
            boxes,
            links: links.into_values().collect(),
            columns: Some(columns),
            caption,
        }
    }

    /// The states that are drawn, in order.
    fn drawn(&self, most: usize) -> Vec<usize> {
        if self.states.len() <= most {
            return (0..self.states.len()).collect();
        }
        let mut parent: Vec<Option<usize>> = vec![None; self.states.len()];
        for step in &self.steps {
            let is_forwards = self.states[step.from].level < self.states[step.to].level;
            if is_forwards && parent[step.to].is_none() {
                parent[step.to] = Some(step.from);
            }
        }
        let way = |to: usize| std::iter::successors(Some(to), |&at| parent[at]);
        let run =
            self.steps.iter().filter(|step| step.look > Look::Plain).flat_map(|step| [step.from, step.to]);
        let bad =
            (0..self.states.len()).filter(|&at| self.states[at].is_bad()).take(MOST_ERRORS).flat_map(way);
        let mut nearest: Vec<usize> = (0..self.states.len()).collect();
        nearest.sort_by_key(|&at| self.states[at].level);
        let mut is_drawn = vec![false; self.states.len()];
        let mut count = 0;
        let initial = (0..self.states.len()).filter(|&at| self.states[at].is_initial);
        for at in initial.chain(run).chain(bad).chain(nearest) {
            if count < most && !std::mem::replace(&mut is_drawn[at], true) {
                count += 1;
            }
        }
        (0..self.states.len()).filter(|&at| is_drawn[at]).collect()
    }

    fn item(&self, at: usize, hidden: usize) -> Item {
        let state = &self.states[at];
        let row = |text: String, tone| Row { text, tone, is_changed: false };
        let mut rows: Vec<Row> = Vec::new();
        if let Some(members) = state.members.filter(|&members| members > 1) {
            rows.push(row(format!("stands for {members} states"), Tone::Link));
        }
        if state.is_deadlock {
            rows.push(row("✗ deadlock".to_owned(), Tone::Bad));
        }
        for violation in &state.violations {
            let text = format!("✗ {violation}");
            if rows.iter().all(|known| known.text != text) {
                rows.push(row(text, Tone::Bad));
            }
        }
        if state.is_end {
            rows.push(row("✓ may end here".to_owned(), Tone::Good));
        }
        if state.is_stay {
            rows.push(row("↻ the run stays here".to_owned(), Tone::Cycle));
        }
        if let Some(Component { number, is_final }) = state.component.filter(|_| self.components > 1) {
            let exit = if is_final { ", no way out" } else { "" };
            rows.push(row(format!("◌ component {number}{exit}"), Tone::Cycle));
        }
        rows.extend(state.lines.iter().map(|line| row(line.clone(), Tone::Plain)));
        if state.is_cut {
            rows.push(row("… steps beyond the depth limit".to_owned(), Tone::Doubt));
        }
        match hidden {
            0 => {}
            1 => rows.push(row("… 1 step not drawn".to_owned(), Tone::Doubt)),
            n => rows.push(row(format!("… {n} steps not drawn"), Tone::Doubt)),
        }
        let mark = match () {
            () if state.is_bad() => Mark::Bad,
            () if state.is_end => Mark::End,
            () if hidden > 0 || state.is_cut => Mark::Open,
            () => Mark::None,
        };
        Item {
            key: state.name.clone(),
            title: state.name.clone(),
            rows,
            mark,
            is_first: state.is_initial,
            is_here: false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A chain of states, of which one is bad, with another successor for each.
    fn comb(length: usize, bad: usize) -> StateGraph {
        let mut graph = StateGraph::default();
        for at in 0..length {
            let (name, is_initial, is_deadlock) = (format!("s{at}"), at == 0, at == bad);
            graph.states.push(State { name, level: at as u32, is_initial, is_deadlock, ..State::default() });
            if at + 1 < length {
                graph.steps.push(Step { from: at, to: at + 1, text: "go".to_owned(), ..Step::default() });
            }
        }
        for at in 0..length {
            let name = format!("t{at}");
            graph.states.push(State { name, level: at as u32 + 1, ..State::default() });
            let (from, to, text) = (at, length + at, "turn".to_owned());
            graph.steps.push(Step { from, to, text, ..Step::default() });
        }
        graph
    }

    #[test]
    fn small_graphs_are_drawn_as_they_are() {
        let diagram = comb(5, 3).diagram(10);
        assert_eq!((diagram.boxes.len(), diagram.links.len(), diagram.caption.len()), (10, 9, 0));
        assert_eq!(diagram.boxes[3].rows[0].text, "✗ deadlock");
    }

    #[test]
    fn a_folded_graph_has_the_ways_to_errors_and_counts_what_is_left_out() {
        let graph = comb(50, 40);
        let diagram = graph.diagram(60);
        assert_eq!(diagram.boxes.len(), 60);
        for at in 0..=40 {
            assert!(diagram.boxes.iter().any(|item| item.title == format!("s{at}")), "s{at}");
        }
        let hidden = |item: &Item| {
            let rows = item.rows.iter().find_map(|row| row.text.strip_suffix(" not drawn"));
            let count = rows.and_then(|text| text.split(' ').nth(1)).map(str::parse::<usize>);
            count.map_or(0, |count| count.expect("a number"))
        };
        let hidden: usize = diagram.boxes.iter().map(hidden).sum();
        let is_drawn = |at: usize| diagram.boxes.iter().any(|item| item.title == graph.states[at].name);
        let own = graph.steps.iter().filter(|step| is_drawn(step.from));
        let (drawn, others): (Vec<&Step>, Vec<&Step>) = own.partition(|step| is_drawn(step.to));
        assert_eq!((diagram.links.len(), hidden), (drawn.len(), others.len()));
        assert!(hidden > 0);
        assert!(diagram.caption[0].starts_with("60 of 100 states are drawn"), "{:?}", diagram.caption);
        assert!(diagram.caption[0].contains("1 of 1 states with errors"), "{:?}", diagram.caption);
    }

    #[test]
    fn steps_between_the_same_states_are_one_link() {
        let mut graph = comb(2, 9);
        graph.steps.push(Step { from: 0, to: 1, text: "leap".to_owned(), look: Look::Cycle });
        graph.steps.push(Step { from: 0, to: 1, text: "go".to_owned(), ..Step::default() });
        let diagram = graph.diagram(9);
        let link = diagram.links.iter().find(|link| link.from == 0 && link.to == 1).expect("a link");
        assert_eq!((link.label.join(" "), link.look), ("go leap".to_owned(), Look::Cycle));
    }
}
