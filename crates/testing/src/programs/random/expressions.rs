//! Expressions, and the actions of one transition.

use super::{Generator, INTS, body::Body};

impl Generator {
    pub(super) fn int(&mut self, body: &Body, depth: usize) -> String {
        if depth == 0 || self.chance(35) {
            return match self.rng.below(8) {
                0..=1 => self.rng.below(4).to_string(),
                2..=4 => INTS[self.rng.below(INTS.len())].0.to_owned(),
                5 if self.table => "cells.length".to_owned(),
                5 => "-1".to_owned(),
                _ if body.ints.is_empty() => "x".to_owned(),
                _ => self.rng.pick(&body.ints).clone(),
            };
        }
        if self.collections.is_some() && self.chance(15) {
            return self.measure(body);
        }
        if self.dangerous() {
            let operand = self.int(body, 1);
            return match self.rng.below(4) {
                0 => format!("(9223372036854775806 + {operand})"),
                1 => format!("(1 shl (30 + {operand}))"),
                2 => format!("(7 / {operand})"),
                _ => format!("(5 % {operand})"),
            };
        }
        let (a, b) = (self.int(body, depth - 1), self.int(body, depth - 1));
        match self.rng.below(17) {
            0..=3 => format!("({a} + {b})"),
            4..=5 => format!("({a} - {b})"),
            6 => format!("({a} * {b})"),
            7 => format!("({a} {} {})", self.pick(&["/", "%"]), self.pick(&["2", "3", "-2"])),
            8 if self.chance(50) => format!("(({a} - 2) ushr 1) / 1073741823"),
            8 => format!("({a} {} {})", self.pick(&["shl", "shr", "ushr"]), self.pick(&["0", "1", "2"])),
            9 => format!("({a} {} {b})", self.pick(&["&", "|", "^"])),
            10 => format!("-({a})"),
            11 => {
                let condition = self.condition(body, depth - 1);
                format!("({condition} ? {a} : {b})")
            }
            12 if self.chance(40) => format!("count({a} & 3)"),
            12 => format!("twice({a})"),
            13..=14 if self.heap => {
                let node = self.node(body);
                if self.dangerous() {
                    format!("{node}.value")
                } else {
                    format!("({node} != null ? {node}.value : {a})")
                }
            }
            15 if self.heap => {
                let node = self.node(body);
                format!("depth({node}, {})", 1 + self.rng.below(3))
            }
            _ if self.table => format!("cells[{}]", self.index(&a)),
            _ => a,
        }
    }

    /// An index into arrays of two elements.
    pub(super) fn index(&mut self, value: &str) -> String {
        if self.dangerous() { value.to_owned() } else { format!("{value} & 1") }
    }

    pub(super) fn condition(&mut self, body: &Body, depth: usize) -> String {
        if depth > 0 && self.chance(30) {
            let (a, b) = (self.condition(body, depth - 1), self.condition(body, depth - 1));
            let op = self.pick(&["&&", "||", "=>", "&", "^", "=="]);
            return format!("({a} {op} {b})");
        }
        if depth > 0 && self.collections.is_some() && self.chance(30) {
            return format!("({})", self.question(body));
        }
        match self.rng.below(16) {
            0 => "!b".to_owned(),
            1..=5 => {
                let (a, b) = (self.int(body, depth), self.int(body, 0));
                format!("({a} {} {b})", self.pick(&["==", "!=", "<", "<=", ">", ">="]))
            }
            6 => format!("(c {} Color::{})", self.pick(&["==", "!="]), self.pick(&["red", "green", "blue"])),
            7..=8 if self.heap => {
                let (a, b) = (self.node(body), self.node(body));
                match self.rng.below(7) {
                    0 => format!("({a} == {b})"),
                    1 => format!("({a} != null)"),
                    2 => format!("({a} == null)"),
                    // An operand that is not needed is not evaluated.
                    3 => format!("({a} != null => {a}.value > x)"),
                    4 => format!("({a} == null || {a}.value == y)"),
                    5 => format!("({a} != null && {a}.next == {b})"),
                    _ => format!("({a} instanceof {})", self.pick(&["Leaf", "Twig", "Node"])),
                }
            }
            9..=10 if self.handles => {
                let handle = self.handle(body);
                match self.rng.below(4) {
                    _ if self.dangerous() => format!("threadTerminated({handle})"),
                    0 => format!("({handle} == {})", self.handle(body)),
                    1 => format!("({handle} != null)"),
                    _ => format!("({handle} != null && threadTerminated({handle}))"),
                }
            }
            11..=12 => {
                let question = self.pick(&["lockAvailable", "hasLock", "wasNotified", "mayEnter"]);
                format!("{question}({})", self.pick(&["m", "m", "n"]))
            }
            13 => {
                format!("(word {} {})", self.pick(&["==", "!="]), self.pick(&["\"on\"", "\"off\"", "null"]))
            }
            _ => "b".to_owned(),
        }
    }

    pub(super) fn node(&mut self, body: &Body) -> String {
        match self.rng.below(6) {
            0..=1 => "head".to_owned(),
            2 => "spare".to_owned(),
            3 if self.table => format!("table[{}]", self.rng.below(2)),
            _ if body.nodes.is_empty() => "head".to_owned(),
            _ => self.rng.pick(&body.nodes).clone(),
        }
    }

    pub(super) fn handle(&mut self, body: &Body) -> String {
        match self.rng.below(5) {
            0..=1 => "who".to_owned(),
            2 => "other".to_owned(),
            _ if body.tids.is_empty() => "who".to_owned(),
            _ => self.rng.pick(&body.tids).clone(),
        }
    }

    /// A value for a place of this type.
    pub(super) fn value_for(&mut self, body: &Body, ty: &str) -> String {
        let value = self.int(body, 2);
        match ty {
            _ if self.dangerous() => value,
            "int (0, 3)" => format!("{value} & 3"),
            "int (0, 1)" => format!("{value} & 1"),
            "int (-1, 1)" => format!("{value} % 2"),
            _ => value,
        }
    }

    /// An assignment of something small.
    pub(super) fn assignment(&mut self, body: &Body) -> String {
        if self.collections.is_some() && self.chance(30) {
            return self.collection_assignment(body);
        }
        match self.rng.below(12) {
            0..=4 => {
                let &(name, ty) = self.rng.pick(INTS);
                format!("{name} := {};", self.value_for(body, ty))
            }
            5 => format!("b := {};", self.condition(body, 1)),
            6 => "b := !b;".to_owned(),
            7 => format!("c := Color::{};", self.pick(&["red", "green", "blue"])),
            8 if !body.ints.is_empty() => {
                let name = self.rng.pick(&body.ints).clone();
                format!("{name} := {} & 1;", self.int(body, 2))
            }
            9 if self.table => {
                let (index, value) = (self.int(body, 1), self.value_for(body, "int (0, 1)"));
                format!("cells[{}] := {value};", self.index(&index))
            }
            10 => format!("word := {};", self.pick(&["\"on\"", "\"off\"", "null"])),
            _ => format!("y := y + {};", 1 + self.rng.below(2)),
        }
    }

    /// Actions of one transition: a few assignments, and rarely an obstacle.
    pub(super) fn actions(&mut self, body: &Body) -> String {
        let mut actions = self.assignment(body);
        while self.chance(25) {
            let next = match self.rng.below(6) {
                0 => format!("assume {};", self.condition(body, 1)),
                1 if self.collections.is_some() && self.chance(50) => self.collection_assertion(body),
                1 if self.dangerous() => format!("assert {};", self.condition(body, 1)),
                1 => format!("assert {};", self.pick(&["x >= 0", "y <= 2", "z * z <= 1", "b || !b"])),
                _ => self.assignment(body),
            };
            actions.push(' ');
            actions.push_str(&next);
        }
        actions
    }

    pub(super) fn int_arg(&mut self, body: &Body) -> String {
        let value = self.int(body, 1);
        if self.dangerous() { value } else { format!("{value} & 3") }
    }
}
