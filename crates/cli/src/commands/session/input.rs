//! What users type in a session.

use std::path::PathBuf;

pub const HELP: &str = "  NUMBER                  take this step of the menu
  r, random [N]           take N random steps; without N, one
  run [N] [until EXPR]    take random steps until something is wrong, at most N (10000), or until EXPR holds
  until EXPR              the same as run until EXPR
  c, continue [N]         take random steps until the condition of the last until holds again
  u, undo [N]             take N steps back; without N, one
  redo [N]                take N steps again that were taken back; without N, one
  g, goto N               go to the state after step N; goto 0 goes to the initial state
  s, state                show the state
  d, diff [N]             show what is different from the last time that state or diff was asked for, or
                          from the state after step N
  w, why [THREAD]         show what a thread waits for; without THREAD, what all waiting threads wait for
  t, trail                show the steps so far
  l, load FILE            go on from the end of a trail
  save FILE               write the steps so far as a trail
  h, ?, help              show this list
  q, quit                 end
";

/// A line of input.
#[derive(PartialEq, Eq, Debug)]
pub enum Command {
    Nothing,
    Step(usize),
    Random(u64),
    Run { most: Option<u64>, until: Option<String> },
    Continue(Option<u64>),
    Undo(usize),
    Redo(usize),
    GoTo(usize),
    State,
    Diff(Option<usize>),
    Why(Option<String>),
    Trail,
    Load(PathBuf),
    Save(PathBuf),
    Help,
    Quit,
}

impl Command {
    /// Reads a line, or says what is wrong with it.
    pub fn parse(line: &str) -> Result<Self, String> {
        let line = line.trim();
        if let Ok(number) = line.parse() {
            return Ok(Self::Step(number));
        }
        let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let rest = rest.trim();
        let alone = |command: Self| match rest {
            "" => Ok(command),
            _ => Err(format!("`{word}` stands alone: `{rest}` is too much.")),
        };
        let file = || match rest {
            "" => Err(format!("`{word}` needs the name of a file.")),
            path => Ok(PathBuf::from(path)),
        };
        match word {
            "" => Ok(Self::Nothing),
            "r" | "random" => Ok(Self::Random(number(word, rest)?.unwrap_or(1))),
            "run" => run(rest),
            "until" => Ok(Self::Run { most: None, until: Some(expression(rest)?) }),
            "c" | "continue" => Ok(Self::Continue(number(word, rest)?)),
            "u" | "undo" => Ok(Self::Undo(number(word, rest)?.unwrap_or(1))),
            "redo" => Ok(Self::Redo(number(word, rest)?.unwrap_or(1))),
            "g" | "goto" => match number(word, rest)? {
                Some(step) => Ok(Self::GoTo(step)),
                None => Err(format!("`{word}` needs the number of a step, or 0 for the initial state.")),
            },
            "s" | "state" => alone(Self::State),
            "d" | "diff" => Ok(Self::Diff(number(word, rest)?)),
            "w" | "why" => Ok(Self::Why((!rest.is_empty()).then(|| rest.to_owned()))),
            "t" | "trail" => alone(Self::Trail),
            "l" | "load" => file().map(Self::Load),
            "save" => file().map(Self::Save),
            "h" | "help" | "?" => alone(Self::Help),
            "q" | "quit" => alone(Self::Quit),
            _ => Err(format!("There is no step `{line}`. help lists all commands.")),
        }
    }
}

/// What follows `run`: a number, a condition, or both.
fn run(rest: &str) -> Result<Command, String> {
    let (first, further) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
    let (most, rest) = match first {
        "" | "until" => (None, rest),
        count => (number("run", count)?, further.trim()),
    };
    let (word, condition) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
    match word {
        "" => Ok(Command::Run { most, until: None }),
        "until" => Ok(Command::Run { most, until: Some(expression(condition)?) }),
        _ => Err(format!("`run` takes a number of steps and `until EXPR`, not `{rest}`.")),
    }
}

fn number<N: std::str::FromStr>(word: &str, text: &str) -> Result<Option<N>, String> {
    match text {
        "" => Ok(None),
        text => text.parse().map(Some).map_err(|_| format!("`{word}` takes a number, not `{text}`.")),
    }
}

fn expression(text: &str) -> Result<String, String> {
    match text.trim() {
        "" => Err("`until` needs an expression over the variables of the model.".to_owned()),
        text => Ok(text.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_and_their_short_forms() {
        let until = |most, text: &str| Ok(Command::Run { most, until: Some(text.to_owned()) });
        for (line, command) in [
            ("", Ok(Command::Nothing)),
            (" 12 ", Ok(Command::Step(12))),
            ("r", Ok(Command::Random(1))),
            ("random 7", Ok(Command::Random(7))),
            ("run", Ok(Command::Run { most: None, until: None })),
            ("run 5", Ok(Command::Run { most: Some(5), until: None })),
            ("run 5 until x  > 1", until(Some(5), "x  > 1")),
            ("run until x > 1", until(None, "x > 1")),
            ("until x > 1", until(None, "x > 1")),
            ("c", Ok(Command::Continue(None))),
            ("u", Ok(Command::Undo(1))),
            ("undo 3", Ok(Command::Undo(3))),
            ("redo", Ok(Command::Redo(1))),
            ("g 0", Ok(Command::GoTo(0))),
            ("d", Ok(Command::Diff(None))),
            ("diff 2", Ok(Command::Diff(Some(2)))),
            ("w P#1", Ok(Command::Why(Some("P#1".to_owned())))),
            ("load a b.json", Ok(Command::Load("a b.json".into()))),
            ("?", Ok(Command::Help)),
            ("quit", Ok(Command::Quit)),
        ] {
            assert_eq!(Command::parse(line), command, "{line}");
        }
    }

    #[test]
    fn what_is_not_a_command() {
        for (line, part) in [
            ("fork", "There is no step `fork`."),
            ("-1", "There is no step `-1`."),
            ("undo x", "takes a number"),
            ("g", "needs the number of a step"),
            ("until", "needs an expression"),
            ("run 3 x", "takes a number of steps and `until EXPR`"),
            ("save", "needs the name of a file"),
            ("state now", "stands alone"),
        ] {
            let reason = Command::parse(line).expect_err(line);
            assert!(reason.contains(part), "{line}: {reason}");
        }
    }
}
