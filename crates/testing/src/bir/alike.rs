//! Random models with much symmetry: several threads of one kind, objects in rings and pairs, sets of
//! objects, threads and abstract ids, whose members cannot be distinguished. Most of them have a violation
//! somewhere.
//!
//! Every element of a list is a line, and nested parts are indented: `shrink` relies on that.

use crate::SplitMix64;

/// The model of this seed.
pub fn random_model_of_the_alike(seed: u64) -> String {
    let mut rng = SplitMix64::new(seed);
    let mut has = |percent| rng.chance(percent);
    let features = Features {
        keys: has(60),
        sets: has(60),
        nested: has(30),
        handles: has(50),
        monitor: has(30),
        locks: has(30),
        arrays: has(25),
        calls: has(30),
        failures: has(40),
        starts: has(30),
        names_elements: has(20),
        asserts: if has(50) { 15 } else { 5 },
        deletes: has(25),
    };
    Generator { features, rng, lines: Vec::new(), indent: 1, inside: false }.model(seed)
}

/// The features of a model in addition to objects and threads.
#[derive(Clone, Copy)]
struct Features {
    /// An abstract enum.
    keys: bool,
    /// Sets, bags, maps and sequences, also nested.
    sets: bool,
    nested: bool,
    /// Threads are referred to.
    handles: bool,
    /// A lock to wait for, and one of each object.
    monitor: bool,
    locks: bool,
    arrays: bool,
    calls: bool,
    failures: bool,
    /// Threads start others.
    starts: bool,
    /// Properties name elements of the abstract enum.
    names_elements: bool,
    /// The percentage of statements that are assertions.
    asserts: usize,
    /// Objects are deleted.
    deletes: bool,
}

struct Generator {
    features: Features,
    rng: SplitMix64,
    lines: Vec<String>,
    indent: usize,
    /// Inside an atomic block.
    inside: bool,
}

impl Generator {
    fn model(mut self, seed: u64) -> String {
        let Features {
            keys,
            sets,
            nested,
            handles,
            monitor,
            locks,
            arrays,
            calls,
            failures,
            names_elements,
            ..
        } = self.features;
        let members = [
            (!locks, "top record Node { Node a; Node b; int (0, 2) v; }"),
            (locks, "top record Node { Node a; Node b; int (0, 2) v; lock l; }"),
            (true, "Node g;"),
            (true, "Node h;"),
            (true, "int (0, 2) x;"),
            (keys, "abstract enum Key { K0, K1, K2 }"),
            (keys, "Key id;"),
            (keys, "record Box extends Node { Key key; }"),
            (keys && sets, "Set.type<Key> keys;"),
            (keys && sets, "Map.type<Key, Node> home;"),
            (keys && nested, "Set.type<Set.type<Key>> groups;"),
            (keys && nested, "abstract enum Hue { H0, H1 }"),
            (keys && nested, "Map.type<Key, Hue> paint;"),
            (keys && nested, "Queue.type<Map.type<Hue, Node>> jobs;"),
            (keys && names_elements, "invariant Named = id != Key.K1 || x < 2;"),
            (sets, "Set.type<Node> nodes;"),
            (sets, "Seq.type<Node> line;"),
            (sets, "record Bunch extends Node { Set.type<Node> all; }"),
            (nested, "Bag.type<Set.type<Node>> heaps;"),
            (nested, "Map.type<Node, Node> link;"),
            (handles, "tid who;"),
            (handles && sets, "Bag.type<tid> crew;"),
            (handles && sets, "Map.type<tid, Node> seat;"),
            (monitor, "lock m;"),
            (arrays, "Node[] cells;"),
            (
                calls,
                "fun far(Node n, int left) returns Node = n == null || left == 0 ? n : far(n.a, left - 1);",
            ),
            (failures, "throwable record Failure { Node about; }"),
        ];
        for (there, member) in members {
            if there {
                self.line(member);
            }
        }
        if self.rng.chance(30) {
            let test = self.test(&["g", "h"]);
            self.line(format!("invariant Tested = {test};"));
        }
        if calls {
            self.function();
        }
        self.worker();
        self.main();
        format!("system Alike{seed} {{\n{}}}\n", self.lines.concat())
    }

    fn line(&mut self, text: impl AsRef<str>) {
        self.lines.push(format!("{:indent$}{}\n", "", text.as_ref(), indent = 2 * self.indent));
    }

    fn within(&mut self, head: &str, end: &str, body: impl FnOnce(&mut Self)) {
        self.line(head);
        self.indent += 1;
        body(self);
        self.indent -= 1;
        self.line(end);
    }

    fn pick<'t>(&mut self, items: &[&'t str]) -> &'t str {
        items[self.rng.below(items.len())]
    }

    fn locals(&mut self) {
        let Features { keys, nested, handles, failures, arrays, .. } = self.features;
        self.line("Node p;");
        self.line("Node q;");
        if keys {
            self.line("Key k;");
        }
        if keys && nested {
            self.line("Hue hue;");
        }
        if handles {
            self.line("tid t;");
        }
        if failures {
            self.line("Failure e;");
        }
        if arrays {
            self.line("Node[] own;");
        }
    }

    /// Goes from object to object, and does something at each.
    fn function(&mut self) {
        self.within("function walk(Node mine, int (0, 2) left) returns Node {", "}", |this| {
            this.locals();
            this.block(1);
            this.within("if mine != null && left > 0 do", "end", |this| {
                this.line("p := invoke walk(mine.a, left - 1);");
            });
            this.line("return p == null ? mine : p;");
        });
    }

    fn worker(&mut self) {
        let loops = self.rng.chance(25);
        self.within("thread Worker(Node mine) {", "}", |this| {
            this.locals();
            let statements = 2 + this.rng.below(3);
            if loops {
                this.within("while x < 2 do", "end", |this| this.block(statements));
            } else {
                this.block(statements);
            }
        });
    }

    /// Builds something, and starts two or three threads that work on it.
    fn main(&mut self) {
        let workers = 2 + usize::from(self.rng.chance(40));
        let nodes: Vec<String> = (0..workers).map(|index| format!("n{index}")).collect();
        self.within("main thread Main() {", "}", |this| {
            this.locals();
            for node in &nodes {
                this.line(format!("Node {node};"));
            }
            this.line("Node mine;");
            this.inside = true;
            this.within("atomic", "end", |this| this.setup(&nodes));
            this.inside = false;
            let statements = this.rng.below(2);
            this.block(statements);
        });
    }

    fn setup(&mut self, nodes: &[String]) {
        let Features { keys, sets, nested, handles, monitor, locks, arrays, .. } = self.features;
        if monitor {
            self.line("m := new lock;");
        }
        if arrays {
            self.line("cells := new Node[3];");
        }
        if keys && nested {
            self.line("jobs := Queue.create<Map.type<Hue, Node>>(2);");
        }
        // Objects that are made differently are not alike.
        let (record, kept) = (self.record(), self.kept_handle());
        for node in nodes {
            let record = if self.rng.chance(95) { record } else { self.record() };
            self.line(format!("{node} := new {record};"));
            if locks {
                self.line(format!("{node}.l := new lock;"));
            }
        }
        let shape = self.rng.below(4);
        for (index, node) in nodes.iter().enumerate() {
            let next = &nodes[(index + 1) % nodes.len()];
            match shape {
                0 => {}
                1 => self.line(format!("{node}.a := {next};")),
                2 => self.line(format!("{node}.b := {};", nodes[0])),
                _ => {
                    let target = self.rng.pick(nodes).clone();
                    self.line(format!("{node}.a := {target};"));
                }
            }
        }
        let shared = self.rng.chance(20);
        for node in nodes {
            let argument = if shared { "null" } else { node };
            if handles {
                self.line(format!("t := start Worker({argument});"));
                let kept = if self.rng.chance(95) { kept } else { self.kept_handle() };
                self.line(kept);
            } else {
                self.line(format!("start Worker({argument});"));
            }
        }
        if self.rng.chance(40) {
            let known = self.rng.pick(nodes).clone();
            self.line(format!("g := {known};"));
        }
        if self.rng.chance(20) {
            let marked = self.rng.pick(nodes).clone();
            self.line(format!("{marked}.v := 1;"));
        }
        let list = nodes.join(", ");
        if sets && self.rng.chance(50) {
            self.line(format!("nodes := Set.create({list});"));
        }
        if nested && self.rng.chance(30) {
            let rotated = [&nodes[1..], &nodes[..1]].concat();
            let entries: Vec<String> =
                nodes.iter().zip(&rotated).map(|(node, next)| format!("{node}, {next}")).collect();
            self.line(format!("link := Map.create({});", entries.join(", ")));
            for (node, next) in nodes.iter().zip(&rotated) {
                self.line(format!("heaps := Bag.add(heaps, Set.create({node}, {next}));"));
            }
        }
        for node in nodes {
            self.line(format!("{node} := null;"));
        }
    }

    /// What to do with the thread `t`.
    fn kept_handle(&mut self) -> &'static str {
        let sets = self.features.sets;
        match self.rng.below(4) {
            0 => "who := t;",
            1 if sets => "crew := Bag.add(crew, t);",
            2 if sets => "seat := Map.put(seat, t, g);",
            _ => "t := null;",
        }
    }

    fn record(&mut self) -> &'static str {
        let mut records = vec!["Node"];
        records.extend(self.features.keys.then_some("Box"));
        records.extend(self.features.sets.then_some("Bunch"));
        self.pick(&records)
    }

    fn block(&mut self, statements: usize) {
        for _ in 0..statements {
            self.statement();
        }
    }

    fn statement(&mut self) {
        if self.rng.chance(self.features.asserts) {
            let test = self.test(&["g", "h", "p", "q", "mine"]);
            return self.line(format!("assert {test};"));
        }
        if self.features.deletes && self.rng.chance(15) {
            let delete = self.delete();
            return self.line(delete);
        }
        match self.rng.below(12) {
            0 | 1 if !self.inside => {
                self.inside = true;
                let statements = 2 + self.rng.below(2);
                self.within("atomic", "end", |this| this.block(statements));
                self.inside = false;
            }
            0..=2 => {
                let test = self.test(&["g", "h", "p", "q", "mine"]);
                self.within(&format!("if {test} do"), "end", |this| this.block(1));
            }
            3 => self.within("choose", "end", |this| {
                let alternatives = 2 + this.rng.below(2);
                for _ in 0..alternatives {
                    let test = this.test(&["g", "p", "mine"]);
                    let guard = if this.rng.chance(50) { "true" } else { &test };
                    this.line(format!("when <{guard}> do"));
                    this.indent += 1;
                    this.block(1);
                    this.indent -= 1;
                }
            }),
            4 if self.features.failures => self.failure(),
            5 if self.features.monitor && !self.inside => self.monitor("m"),
            5 | 6 if self.features.locks && !self.inside => {
                let node = self.pick(&["mine", "mine", "mine.a", "p", "g"]);
                let there = if node == "mine.a" {
                    "mine != null && mine.a != null"
                } else {
                    &format!("{node} != null")
                };
                self.within(&format!("if {there} && {node}.l != null do"), "end", |this| {
                    this.monitor(&format!("{node}.l"));
                });
            }
            7 if self.features.starts && !self.inside => {
                self.within("if x == 1 do", "end", |this| {
                    let node = this.node();
                    if this.features.handles {
                        this.within("atomic", "end", |this| {
                            this.line("x := 2;");
                            this.line(format!("t := start Worker({node});"));
                            let kept = this.kept_handle();
                            this.line(kept);
                        });
                    } else {
                        this.within("atomic", "end", |this| {
                            this.line("x := 2;");
                            this.line(format!("start Worker({node});"));
                        });
                    }
                });
            }
            8 => self.suspicion(),
            _ => {
                let change = self.change();
                self.line(change);
            }
        }
    }

    /// A choice in which one alternative may be wrong.
    fn suspicion(&mut self) {
        let Features { keys, sets, monitor, .. } = self.features;
        let node_test = self.pick(&["p != g", "p == null || p.v != 1", "p != mine", "p == null || p.a != g"]);
        match self.rng.below(3) {
            0 if sets => {
                let choice = self.chosen("p", "Set", "nodes");
                self.line(choice);
                self.line(format!("assert {node_test};"));
            }
            1 if keys => {
                self.line("k := Set.choose(Key.all);");
                let test = if self.features.names_elements { "k != Key.K2" } else { "id == null || k == id" };
                self.line(format!("assert {test};"));
                self.line("id := k;");
            }
            // Any of several threads may be notified.
            2 if monitor && !self.inside => {
                self.line("lock(m);");
                self.within("if mine == null || mine.v == x do", "else do", |this| this.line("wait(m);"));
                self.indent += 1;
                self.line("notify(m);");
                self.indent -= 1;
                self.line("end");
                self.line("assert mine == null || mine != g;");
                self.line("unlock(m);");
            }
            _ => {
                let change = self.change();
                self.line(change);
            }
        }
    }

    fn failure(&mut self) {
        let node = self.node();
        let throws = |this: &mut Self| {
            this.within("atomic", "end", |this| {
                this.line("e := new Failure;");
                this.line(format!("e.about := {node};"));
                this.line("throw e;");
            });
        };
        let test = self.test(&["g", "p", "mine"]);
        if self.rng.chance(15) {
            return self.within(&format!("if {test} do"), "end", throws);
        }
        self.within("try", "end", |this| {
            this.within(&format!("if {test} do"), "end", throws);
            this.block(1);
            this.indent -= 1;
            this.line("catch (Failure e)");
            this.indent += 1;
            this.line("p := e.about;");
        });
    }

    fn monitor(&mut self, monitor: &str) {
        let body = self.rng.below(6);
        self.line(format!("lock({monitor});"));
        match body {
            0 => self.within("if x == 0 do", "end", |this| this.line(format!("wait({monitor});"))),
            1 => {
                self.line("x := 1;");
                self.line(format!("notify({monitor});"));
            }
            2 => {
                self.line(format!("notify({monitor});"));
                self.block(1);
            }
            3 => self.line(format!("notifyAll({monitor});")),
            4 => self.line(format!("wait({monitor});")),
            _ => self.block(1),
        }
        // A missing unlock blocks others. If it is another lock by now, that is a mistake as well.
        if self.rng.chance(90) {
            self.line(format!("unlock({monitor});"));
        }
    }

    fn node(&mut self) -> &'static str {
        self.pick(&["g", "h", "p", "q", "mine", "mine", "null"])
    }

    /// A statement that deletes an object.
    fn delete(&mut self) -> String {
        let object = self.pick(&["g", "h", "p", "p", "q", "q", "mine"]);
        format!("if {object} != null do delete {object}; end")
    }

    /// A statement that takes one step.
    fn change(&mut self) -> String {
        let Features { keys, sets, nested, handles, arrays, calls, .. } = self.features;
        let (node, other) = (self.node(), self.node());
        let place = self.pick(&["g", "h", "p", "q", "p", "q"]);
        let mut kinds = vec![0, 0, 1, 2, 2, 3, 4, 5];
        kinds.extend([10, 11, 12].into_iter().filter(|_| keys));
        kinds.extend([20, 21, 22, 22, 23, 24].into_iter().filter(|_| sets));
        kinds.extend([30, 31, 32].into_iter().filter(|_| keys && sets));
        kinds.extend([40, 41, 42].into_iter().filter(|_| nested));
        kinds.extend([43, 44, 45, 46].into_iter().filter(|_| nested && keys));
        kinds.extend([50, 51].into_iter().filter(|_| handles));
        kinds.extend([52, 53].into_iter().filter(|_| handles && sets));
        kinds.extend([60, 61, 62, 63].into_iter().filter(|_| arrays));
        kinds.extend([70, 70, 71].into_iter().filter(|_| calls));
        let guarded = |what: &str, change: String| {
            if what == "null" { "skip;".to_owned() } else { format!("if {what} != null do {change} end") }
        };
        match *self.rng.pick(&kinds) {
            0 => format!("{place} := {node};"),
            1 => format!("{place} := new {};", self.record()),
            2 => {
                let field = self.pick(&["a", "b"]);
                guarded(node, format!("{node}.{field} := {other};"))
            }
            3 => {
                let field = self.pick(&["a", "b"]);
                guarded(node, format!("{place} := {node}.{field};"))
            }
            4 => "x := (x + 1) % 3;".to_owned(),
            5 if node == "null" => "x := 0;".to_owned(),
            // Without a check that it exists.
            5 => format!("{node}.v := {};", self.pick(&["x", "1"])),
            10 => "k := Set.choose(Key.all);".to_owned(),
            11 => format!("{};", self.pick(&["id := k", "k := id", "id := null"])),
            12 => guarded(node, format!("if {node} instanceof Box do ((Box) {node}).key := k; end")),
            20 => format!("nodes := Set.add(nodes, {node});"),
            21 => format!("nodes := Set.remove(nodes, {node});"),
            22 => self.chosen(place, "Set", "nodes"),
            23 => format!("line := Seq.size(line) < 3 ? Seq.append(line, {node}) : Seq.tail(line);"),
            24 => guarded(
                node,
                format!("if {node} instanceof Bunch do ((Bunch) {node}).all := Set.create({other}, g); end"),
            ),
            30 => "keys := Set.add(keys, k);".to_owned(),
            31 => self.chosen("k", "Set", "keys"),
            32 => format!("home := Map.put(home, k, {node});"),
            40 => {
                format!("heaps := Bag.size(heaps) < 3 ? Bag.add(heaps, Set.create({node}, {other})) : heaps;")
            }
            41 => format!("link := Map.put(link, {node}, {other});"),
            42 => self.chosen(place, "Map", "link"),
            43 => "groups := Set.add(groups, Set.create(k, id));".to_owned(),
            44 => "hue := Set.choose(Hue.all);".to_owned(),
            45 => "paint := Map.put(paint, k, hue);".to_owned(),
            46 => format!(
                "jobs := Queue.isFull(jobs) ? Queue.tail(jobs) : Queue.add(jobs, Map.create(hue, {node}));"
            ),
            50 => "who := t;".to_owned(),
            51 => "t := who;".to_owned(),
            52 => "crew := Bag.size(crew) < 3 ? Bag.add(crew, t) : Bag.remove(crew, who);".to_owned(),
            53 => format!("seat := Map.put(seat, t, {node});"),
            60 => format!("if cells != null do cells[x] := {node}; end"),
            61 => format!("if cells != null do {place} := cells[x]; end"),
            62 => format!("own := {};", self.pick(&["new Node[2]", "cells"])),
            63 => format!("if own != null do own[1] := {node}; end"),
            70 => format!("{place} := invoke walk({node}, {});", self.pick(&["1", "2", "x"])),
            _ => format!("{place} := far({node}, 2);"),
        }
    }

    /// Chooses from a collection, which others may have emptied in the meantime.
    fn chosen(&mut self, place: &str, kind: &str, from: &str) -> String {
        let choice = format!("{place} := {kind}.choose({from});");
        if self.rng.chance(90) { format!("if !{kind}.isEmpty({from}) do {choice} end") } else { choice }
    }

    /// A condition on these and the globals.
    fn test(&mut self, nodes: &[&str]) -> String {
        let Features { keys, sets, nested, handles, monitor, .. } = self.features;
        let (one, other) = (self.pick(nodes), self.pick(nodes));
        let mut tests = vec![
            format!("{one} == {other}"),
            format!("{one} != null"),
            format!("{one} == null || {one}.a != {other}"),
            format!("{one} == null || {one}.a == null || {one}.a.b == {other}"),
            format!("{one} == null || {one}.v != 1"),
            "x < 2".to_owned(),
            "x != 1".to_owned(),
        ];
        if keys {
            tests.extend(["id == null".to_owned(), "exists y in Key.all : y == id".to_owned()]);
            if sets {
                tests.push("Map.containsKey(home, id)".to_owned());
                tests.push("Set.size(keys) < 2".to_owned());
                tests.push(format!("forall y in Map.keys(home) : Map.get(home, y) != {one}"));
            }
            if nested {
                tests.push("forall y in groups : !Set.contains(y, id)".to_owned());
                tests.push("forall y in Map.keys(paint) : y == id || Map.get(paint, y) != null".to_owned());
                tests.push("Map.size(paint) < 2".to_owned());
            }
        }
        if sets {
            tests.push(format!("Set.contains(nodes, {one})"));
            tests.push(format!("forall y in nodes : y == null || y.a != {one}"));
            tests.push("Seq.size(line) < 2".to_owned());
        }
        if nested {
            tests.push(format!("exists y in heaps : Set.contains(y, {one})"));
            tests.push(format!("!Map.containsKey(link, {one})"));
        }
        if handles {
            tests.push("who == null".to_owned());
            tests.push("who == null || threadTerminated(who)".to_owned());
            if sets {
                tests.push("Bag.count(crew, who) < 2".to_owned());
                tests.push("!Map.containsKey(seat, who)".to_owned());
            }
        }
        if monitor && nodes.contains(&"mine") {
            tests.push("!hasLock(m)".to_owned());
        }
        self.rng.pick(&tests).clone()
    }
}
