//! Random programs that do interesting things.
//!
//! Random trees of statements would mostly fault at once or never interact. So programs are put together from
//! motifs that work: critical sections, monitors with notifications, recursive calls, virtual calls,
//! exceptions with handlers at various levels, lists and cycles that become garbage, threads that start and
//! join others, collections that fill and empty. Details are random: which variables, which guards, what is
//! in one transition and what in several, what is atomic. Operations that could fault have a guard against
//! it, except where the *danger* of the program says otherwise; nearly half of the programs have none.
//!
//! Programs are made as text, so that a failing test can be read, and spans distinguish all parts of a
//! program.

mod body;
mod changes;
mod collections;
mod expressions;
mod functions;
mod kinds;
mod questions;
mod statements;

use ir::Program;

use crate::SplitMix64;
use body::Body;
use collections::{Collections, Variable};
use kinds::Kind;

/// A program that verifies. Most have fewer than 10,000 states; equal seeds give equal programs.
pub fn random_program(seed: u64) -> Program {
    super::program(&random_text(seed))
}

/// The text of [`random_program`].
pub fn random_text(seed: u64) -> String {
    let mut rng = SplitMix64::new(seed);
    let danger = match rng.below(20) {
        0..=8 => 0,
        9..=15 => 50,
        _ => 140,
    };
    // Drawn from a separate generator: programs without collections do not depend on those with them.
    let collects = SplitMix64::new(!seed).chance(50);
    let mut generator = Generator {
        danger,
        monitor: rng.chance(55),
        exceptions: rng.chance(50),
        heap: rng.chance(65),
        table: rng.chance(30),
        handles: rng.chance(50),
        functions: Vec::new(),
        virtual_calls: false,
        children: false,
        collections: collects.then(Collections::default),
        rng,
    };
    generator.program()
}

/// The globals by kind. Their number limits the number of states.
const INTS: &[(&str, &str)] = &[("x", "int (0, 3)"), ("y", "int wrap (0, 2)"), ("z", "int (-1, 1)")];

struct Generator {
    rng: SplitMix64,
    /// How often in 1000 cases a guard against faults is left out.
    danger: usize,
    // The motifs of the program.
    monitor: bool,
    exceptions: bool,
    heap: bool,
    table: bool,
    handles: bool,
    /// Functions that can be called so far.
    functions: Vec<Function>,
    virtual_calls: bool,
    /// Whether there is a thread for others to start.
    children: bool,
    collections: Option<Collections>,
}

#[derive(Clone)]
struct Function {
    name: &'static str,
    throws: bool,
}

impl Generator {
    fn chance(&mut self, percent: usize) -> bool {
        self.rng.chance(percent)
    }

    fn pick<'a>(&mut self, items: &[&'a str]) -> &'a str {
        items[self.rng.below(items.len())]
    }

    fn dangerous(&mut self) -> bool {
        self.rng.below(1000) < self.danger
    }

    fn program(&mut self) -> String {
        let mut out = String::from("program random;\n");
        out.push_str(
            "strings \"on\", \"off\";
enum Color { red, green, blue }
record Node {
  int (0, 3) value;
  Node next;
}
record Leaf extends Node {
  boolean mark;
  tid owner;
}
record Twig extends Node {
  lock guard;
}
record Bush extends Leaf, Twig {}
throwable record Failure {
  int code;
}
throwable record Worse extends Failure {}
global lock m;
global lock n;
global boolean ready;
global boolean flag;
global boolean b;
global Color c;
global string word = \"on\";
global Node head;
global Node spare;
global tid who;
global tid other;
global int (0, 1)[] cells;
global Node[] table;
",
        );
        let wide = self.chance(30);
        for &(name, ty) in INTS {
            let ty = if wide && name == "z" { "long wrap (-1, 1)" } else { ty };
            let init = if self.chance(20) { " = 1" } else { "" };
            put(&mut out, &format!("global {ty} {name}{init};"));
        }
        let seed = self.pick(&["v * 2", "v + 1", "v & 5", "v shl 1"]).to_owned();
        put(
            &mut out,
            &format!(
                "fun twice(int v) returns int wrap (0, 4) = {seed};
fun count(int v) returns int = v <= 0 ? 0 : 1 + count(v - 1);
fun depth(Node v, int fuel) returns int = v == null || fuel <= 0 ? 0 : 1 + depth(v.next, fuel - 1);
fun mayEnter(lock v) returns boolean = v != null && lockAvailable(v);"
            ),
        );
        if self.collections.is_some() {
            self.add_collections(&mut out);
        }
        self.add_functions(&mut out);
        let workers = 2 + usize::from(self.chance(35));
        let statements = if workers == 2 { 3 } else { 2 };
        if self.chance(40) {
            let size = 1 + self.rng.below(2);
            self.thread(&mut out, "Child", size, false);
            self.children = true;
        }
        let mut starts = Vec::new();
        let mut active = vec!["Main"];
        let mut worker = None;
        for name in ["Worker0", "Worker1", "Worker2"].into_iter().take(workers) {
            // The same thread twice, a thread that runs from the start, or one that is started.
            let name = match (worker, self.rng.below(10)) {
                (Some(same), 0..=3) => same,
                (_, 4..=5) => {
                    let name = match active.len() {
                        1 => "Active0",
                        2 => "Active1",
                        _ => "Active2",
                    };
                    let size = statements + self.rng.below(2);
                    self.thread(&mut out, name, size, true);
                    active.push(name);
                    continue;
                }
                _ => {
                    let size = statements + self.rng.below(2);
                    self.thread(&mut out, name, size, false);
                    worker = Some(name);
                    name
                }
            };
            let handle = if self.handles { self.pick(&["", "who := ", "other := ", "who := "]) } else { "" };
            let node = if self.heap { self.pick(&["head", "spare", "null"]) } else { "null" };
            let number = self.rng.below(4);
            let carried = self.carried(&Body::default());
            starts.push(format!("{handle}start {name}({node}, {number}{carried});"));
        }
        self.main(&mut out, &starts);
        if self.chance(50) {
            active.rotate_left(1);
        }
        put(&mut out, &format!("active {};", active.join(", ")));
        self.properties(&mut out);
        out
    }

    /// Sets everything up and starts the others: in one step, or in several.
    fn main(&mut self, out: &mut String, starts: &[String]) {
        let mut body = Body { repeats: true, leave: "return", ..Body::default() };
        let mut setup = String::from("m := new lock; n := new lock; cells := new int (0, 1)[2]; ");
        setup.push_str("table := new Node[2]; ");
        if self.heap {
            let record = self.pick(&["Node", "Leaf", "Twig", "Bush"]);
            let head = format!("head := new {record}; head.value := 1; ");
            setup.push_str(&head);
            if self.chance(40) {
                setup.push_str("table[1] := head; ");
            }
        }
        setup.push_str(&self.collection_setup());
        setup.push_str("ready := true; ");
        let mut at = body.open();
        if self.chance(60) {
            setup.push_str(&starts.join(" "));
            at = body.then(at, &format!("do {{ {setup} }}"));
        } else {
            body.atomic = self.chance(40);
            at = body.then(at, &format!("do {{ {setup} }}"));
            for start in starts {
                at = body.then(at, &format!("do {{ {start} }}"));
            }
            body.atomic = false;
            at = body.then(at, "");
        }
        if self.monitor && self.chance(40) {
            at = self.monitor(&mut body, at, false);
        } else if self.chance(35) {
            let statements = 1 + self.rng.below(2);
            at = self.block(&mut body, at, statements, 1);
        }
        self.finish(&mut body, at, "return");
        self.print(out, "thread Main()", &body);
    }

    fn thread(&mut self, out: &mut String, name: &str, statements: usize, waits: bool) {
        let mut body = Body { caught: false, leave: "return", ..Body::default() };
        let params = if name.starts_with("Active") {
            String::new()
        } else {
            body.ints.push("k".into());
            body.nodes.push("q".into());
            body.params.extend(["k", "q"]);
            let carried = self.collections.as_ref().and_then(|collections| collections.carried.clone());
            let carried = carried.map(|kind| {
                body.params.push("s");
                let param = format!(", {kind} s");
                match kind {
                    Kind::Name => body.names.push("s".into()),
                    _ => body.collections.push(Variable { name: "s".into(), kind }),
                }
                param
            });
            format!("Node q, int (0, 3) k{}", carried.unwrap_or_default())
        };
        if self.chance(60) {
            let init = self.pick(&["", " = 1", " = 1"]);
            let local = body.local("l", "int (0, 1)", init);
            body.ints.push(local);
        }
        let entry = body.open();
        let mut at = if waits { body.then(entry, "when ready") } else { entry };
        let start = at;
        let again = self.chance(20);
        body.repeats = again;
        let mut statements = statements;
        if self.monitor && self.chance(70) {
            // Mostly the first ones wait and the last one notifies.
            let waits = self.chance(if name.ends_with('0') { 85 } else { 30 });
            at = self.monitor(&mut body, at, waits);
            statements -= 1;
        }
        if self.exceptions && statements > 1 && self.chance(50) {
            at = self.attempt(&mut body, at, 1);
            statements -= 1;
        }
        at = self.block(&mut body, at, statements, 2);
        if again {
            body.step(at, "", start);
        } else {
            self.finish(&mut body, at, "return");
        }
        self.print(out, &format!("thread {name}({params})"), &body);
    }

    fn properties(&mut self, out: &mut String) {
        for name in ["safe0", "safe1"] {
            if self.chance(40) {
                let always = ["x <= 3", "ready => m != null", "head == null || head.value >= 0", "y < 3"];
                let invariant = if self.dangerous() || self.dangerous() {
                    self.pick(&["x < 3", "b => x != y", "head.value < 3", "who == null || !flag"])
                } else {
                    self.pick(&always)
                };
                put(out, &format!("invariant {name} = {invariant};"));
            }
        }
        if self.collections.is_some() && self.chance(50) {
            let invariant = self.collection_invariant();
            put(out, &format!("invariant collected = {invariant};"));
        }
        if self.chance(20) {
            out.push_str("property later { prop \"b\" = b; formula \"[] (p0 -> <> !p0)\"; }\n");
        }
    }
}

/// Adds a line, or lines.
fn put(out: &mut String, line: &str) {
    out.push_str(line);
    out.push('\n');
}

#[cfg(test)]
mod tests;
