//! Promela programs with several processes that do the same, or nearly so.
//!
//! They use numbers of processes and channels in all the ways in which that is a question: as indices, with offsets,
//! in variables and messages, as literals in options that may or may not be alike, around a ring, and as numbers.

use bits::SplitMix64;

/// Adds to a text.
trait Add {
    fn add(&mut self, more: String);
}

impl Add for String {
    fn add(&mut self, more: String) {
        self.push_str(&more);
    }
}

/// The text of the program with this number of this seed.
pub fn alike(seed: u64, index: u64) -> String {
    let mut random = SplitMix64::stream(seed, index);
    let count = 2 + random.next_u64() % 2;
    let shift = u64::from(random.chance(30));
    let by_init = random.chance(30);
    Alike { random, count, shift, by_init, text: String::new() }.program()
}

struct Alike {
    random: SplitMix64,
    /// The number of processes, and the number of processes before them.
    count: u64,
    shift: u64,
    /// Processes are started by `init`, with a parameter.
    by_init: bool,
    text: String,
}

impl Alike {
    fn one_of(&mut self, choices: &[&str]) -> String {
        choices[(self.random.next_u64() % choices.len() as u64) as usize].to_owned()
    }

    /// A process, as an index.
    fn me(&mut self) -> String {
        let pid = if self.shift + u64::from(self.by_init) == 0 {
            "_pid".to_owned()
        } else {
            format!("_pid - {}", self.shift + u64::from(self.by_init))
        };
        if self.by_init && self.random.chance(50) { "me".to_owned() } else { pid }
    }

    /// A process, perhaps another one.
    fn some(&mut self) -> String {
        let n = self.count;
        match self.random.next_u64() % 8 {
            0..4 => self.me(),
            4 => format!("({} + 1) % {n}", self.me()),
            5 => (self.random.next_u64() % n).to_string(),
            _ => "x".to_owned(),
        }
    }

    fn statement(&mut self, depth: u32) -> String {
        let (me, some) = (self.me(), self.some());
        let n = self.count;
        match self.random.next_u64() % 22 {
            0 => format!("flag[{me}] = 1"),
            1 => format!("flag[{me}] = 0"),
            2 => format!("owner = {some}"),
            3 => format!("atomic {{ owner == {n} -> owner = {me} }}"),
            4 => format!("owner == {me} -> owner = {n}"),
            5 => format!("seen[{me}] = owner"),
            6 => format!("x = {some}"),
            7 => "x = 0".to_owned(),
            8 => format!("hub!{some}"),
            9 => "hub?x".to_owned(),
            10 => format!("hub??eval({me})"),
            11 => format!("box[{me}]!{some}, 1"),
            12 => format!("box[{me}]?x, _"),
            13 => format!("!flag[({me} + 1) % {n}]"),
            14 => "count = (count + 1) % 3".to_owned(),
            15 => format!("assert(!(flag[{me}] && owner == {some} && count == 2))"),
            16 => format!("seen[{me}] != {me}"),
            17 if depth > 0 => self.options(depth),
            18 if depth > 0 => format!("d_step {{ {} }}", self.fixed(depth)),
            19 if depth > 0 => {
                format!("atomic {{ {}; {} }}", self.statement(depth - 1), self.statement(depth - 1))
            }
            20 => "skip".to_owned(),
            21 if self.random.chance(20) => format!("count = (count + {me}) % 2"),
            _ => format!("last!!{me}; last?_"),
        }
    }

    /// Options that name processes, all of them or some.
    fn options(&mut self, depth: u32) -> String {
        let n = self.count;
        let subject = self.one_of(&["owner", "x", "seen[PID]"]);
        let me = self.me();
        let subject = subject.replace("PID", &me);
        let what = self.one_of(&[
            "flag[K] = 1",
            "owner = K",
            "flag[K] = 0; count = 1",
            "hub!K",
            "box[K]?x, _",
            "seen[K] = x",
        ]);
        let most = if self.random.chance(75) { n } else { n - 1 };
        let mut text = String::from("skip; if ");
        for k in 0..most {
            text.add(format!(":: {subject} == {k} -> {} ", what.replace('K', &k.to_string())));
        }
        if self.random.chance(30) {
            text.add(format!(":: {} ", self.statement(depth - 1)));
        }
        text + ":: else fi"
    }

    /// What does not wait, for a `d_step`.
    fn fixed(&mut self, depth: u32) -> String {
        let (me, some) = (self.me(), self.some());
        match self.random.next_u64() % 4 {
            0 => format!("x = {some}; flag[{me}] = !flag[{me}]"),
            1 => format!("if :: flag[0] -> owner = 0 :: flag[1] -> owner = 1 :: else -> owner = {me} fi"),
            2 => format!("owner = {some}; count = 0"),
            _ if depth > 1 => format!("{}; {}", self.fixed(depth - 1), self.fixed(depth - 1)),
            _ => "skip".to_owned(),
        }
    }

    fn program(mut self) -> String {
        let n = self.count;
        self.text.add(format!("byte owner = {n}; bool flag[{n}]; byte seen[{n}] = {n}; byte count;\n"));
        self.text.add(format!(
            "chan hub = [2] of {{ byte }}; chan box[{n}] = [1] of {{ byte, bit }}; chan last = [1] of {{ byte }};\n"
        ));
        if self.shift > 0 {
            self.text += "active proctype First() { end: do :: count == 2 -> count = 0 od }\n";
        }
        let head = if self.by_init {
            "proctype P(byte me)".to_owned()
        } else {
            format!("active [{n}] proctype P()")
        };
        let mut body = String::new();
        let loops = self.random.chance(60);
        let options = 1 + self.random.next_u64() % 3;
        let length = 1 + self.random.next_u64() % 3;
        for _ in 0..options {
            let statements: Vec<String> = (0..length).map(|_| self.statement(2)).collect();
            body.add(format!("  :: {}\n", statements.join("; ")));
        }
        let (open, close) = if loops { ("end: do", "od") } else { ("if", "fi") };
        self.text.add(format!("{head} {{\n  byte x;\n  {open}\n{body}  {close}\n}}\n"));
        if self.by_init {
            let runs: Vec<String> = (0..n).map(|k| format!("run P({k})")).collect();
            self.text.add(format!("init {{ atomic {{ {} }} }}\n", runs.join("; ")));
        }
        let formula = match self.random.next_u64() % 6 {
            0 => format!("[] (count < {})", 1 + self.random.next_u64() % 3),
            1 => "[] (flag[0] -> <> !flag[0])".to_owned(),
            2 => format!("<> (owner == {})", self.random.next_u64() % (n + 1)),
            3 => "[] <> (count == 0)".to_owned(),
            4 => "[] !(flag[0] && flag[1])".to_owned(),
            _ => "<> [] (len(hub) == 0)".to_owned(),
        };
        self.text.add(format!("ltl q {{ {formula} }}\n"));
        self.text
    }
}
