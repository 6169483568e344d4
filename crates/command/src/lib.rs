//! The command line of a model in Rust.
//!
//! [`main`] gives a program the commands `check`, `simulate`, `replay` and `graph`, with the options, words, keys
//! of JSON and exit codes that the command `quotient` has for models in BIR and Promela. An option that means
//! nothing for a model in Rust is refused with its reason; none is ignored.
//!
//! ```no_run
//! use quotient_command::{FromArgs, main as command};
//! use quotient_model::{Program, Shape, model, sort};
//!
//! sort! { struct Client; }
//!
//! #[derive(Clone, Debug, Default, Shape)]
//! struct Lock { holder: Option<Client> }
//!
//! #[model]
//! impl Lock {
//!     #[initial]
//!     fn free() -> Self { Self::default() }
//!     #[action(when = self.holder.is_none())]
//!     fn acquire(&mut self, client: Client) { self.holder = Some(client); }
//!     #[action(when = self.holder == Some(client))]
//!     fn release(&mut self, client: Client) { self.holder = None; }
//! }
//!
//! fn main() -> std::process::ExitCode {
//!     command(Lock::program().sort_from_args::<Client>("clients", 3))
//! }
//! ```
//!
//! Not here: searches and verdicts, which are those of the library.

#![warn(missing_docs)]

mod check;
mod graph;
mod json;
mod options;
mod page;
mod picture;
mod replay;
mod report;
mod show;
mod simulate;
mod trail;

use std::ffi::OsString;
use std::io::{Write, stderr, stdout};
use std::process::ExitCode;

use quotient_model::{Individual, Model, Program};

use json::Json;

/// The version of the forms of JSON.
const FORMAT_VERSION: u64 = 1;
/// The name and the version of the program.
const TOOL: &str = concat!("quotient ", env!("CARGO_PKG_VERSION"));

/// A program with what its command line may set.
///
/// ```
/// # use quotient_command::{Command, FromArgs};
/// # use quotient_model::{Shape, model, sort};
/// # sort! { struct Client; }
/// # #[derive(Clone, Debug, Default, Shape)]
/// # struct Lock { holder: Option<Client> }
/// # #[model]
/// # impl Lock {
/// #     #[initial]
/// #     fn free() -> Self { Self::default() }
/// #     #[action(when = self.holder.is_none())]
/// #     fn acquire(&mut self, client: Client) { self.holder = Some(client); }
/// #     #[action(when = self.holder == Some(client))]
/// #     fn release(&mut self, client: Client) { self.holder = None; }
/// # }
/// let command: Command<_> = Lock::program().sort::<Client>(3).into();
/// let (mut out, mut err) = (Vec::new(), Vec::new());
/// let code = command.run(["check"].map(Into::into).into_iter(), &mut out, &mut err);
/// assert_eq!(code, 0, "{}", String::from_utf8_lossy(&err));
/// assert!(String::from_utf8_lossy(&out).contains("2 states"), "{}", String::from_utf8_lossy(&out));
/// ```
pub struct Command<M: Model> {
    program: Program<M>,
    name: Option<String>,
    sizes: Vec<SizeOption<M>>,
}

/// An option for the size of a sort.
struct SizeOption<M: Model> {
    option: &'static str,
    sort: &'static str,
    usual: u32,
    give: fn(Program<M>, u32) -> Program<M>,
}

/// Sizes of sorts that are options of the command line.
///
/// ```
/// # use quotient_command::{Command, FromArgs};
/// # use quotient_model::{Shape, model, sort};
/// # sort! { struct Client; }
/// # #[derive(Clone, Debug, Default, Shape)]
/// # struct Lock { holder: Option<Client> }
/// # #[model]
/// # impl Lock {
/// #     #[initial]
/// #     fn free() -> Self { Self::default() }
/// #     #[action(when = self.holder.is_none())]
/// #     fn acquire(&mut self, client: Client) { self.holder = Some(client); }
/// #     #[action(when = self.holder == Some(client))]
/// #     fn release(&mut self, client: Client) { self.holder = None; }
/// # }
/// let command = Lock::program().sort_from_args::<Client>("clients", 3).named("lock");
/// let (mut out, mut err) = (Vec::new(), Vec::new());
/// let words = ["check", "--clients", "5", "--symmetry", "none"].map(Into::into);
/// assert_eq!(command.run(words.into_iter(), &mut out, &mut err), 0);
/// assert!(String::from_utf8_lossy(&out).contains("6 states"), "{}", String::from_utf8_lossy(&out));
/// ```
pub trait FromArgs<M: Model>: Sized {
    /// The size of a sort is the option `--OPTION N`; without it, `usual`.
    fn sort_from_args<I: Individual>(self, option: &'static str, usual: u32) -> Command<M>;

    /// What reports call the model, instead of the name of the executable.
    fn named(self, name: &str) -> Command<M>;
}

impl<M: Model> From<Program<M>> for Command<M> {
    fn from(program: Program<M>) -> Self {
        Self { program, name: None, sizes: Vec::new() }
    }
}

impl<M: Model> FromArgs<M> for Program<M> {
    fn sort_from_args<I: Individual>(self, option: &'static str, usual: u32) -> Command<M> {
        Command::from(self).sort_from_args::<I>(option, usual)
    }

    fn named(self, name: &str) -> Command<M> {
        Command::from(self).named(name)
    }
}

impl<M: Model> FromArgs<M> for Command<M> {
    fn sort_from_args<I: Individual>(mut self, option: &'static str, usual: u32) -> Self {
        let give = |program: Program<M>, size| program.sort::<I>(size);
        self.sizes.push(SizeOption { option, sort: I::NAME, usual, give });
        self
    }

    fn named(mut self, name: &str) -> Self {
        self.name = Some(name.to_owned());
        self
    }
}

/// Runs the command line of this process.
///
/// ```no_run
/// # use quotient_command::{Command, FromArgs};
/// # use quotient_model::{Shape, model, sort};
/// # sort! { struct Client; }
/// # #[derive(Clone, Debug, Default, Shape)]
/// # struct Lock { holder: Option<Client> }
/// # #[model]
/// # impl Lock {
/// #     #[initial]
/// #     fn free() -> Self { Self::default() }
/// #     #[action(when = self.holder.is_none())]
/// #     fn acquire(&mut self, client: Client) { self.holder = Some(client); }
/// #     #[action(when = self.holder == Some(client))]
/// #     fn release(&mut self, client: Client) { self.holder = None; }
/// # }
/// # fn in_place_of_main() -> std::process::ExitCode {
/// quotient_command::main(Lock::program().sort_from_args::<Client>("clients", 3))
/// # }
/// ```
pub fn main<M: Model>(program: impl Into<Command<M>>) -> ExitCode {
    let (mut out, mut err) = (stdout().lock(), stderr());
    let code = program.into().run(std::env::args_os().skip(1), &mut out, &mut err);
    ExitCode::from(code)
}

/// Why a command has no result.
struct Failure {
    message: String,
    code: u8,
}

/// The exit code for a model or a command line that makes no sense.
const BAD: u8 = 2;

impl Failure {
    fn new(message: impl Into<String>) -> Self {
        Self { message: message.into(), code: BAD }
    }
}

impl From<std::io::Error> for Failure {
    fn from(error: std::io::Error) -> Self {
        Self::new(format!("cannot write: {error}"))
    }
}

/// Where results and messages go.
struct Streams<'a> {
    out: &'a mut dyn Write,
    err: &'a mut dyn Write,
}

impl<M: Model> Command<M> {
    /// Runs a command line without the name of the executable, and writes to these streams. Returns the exit
    /// code.
    pub fn run(self, args: impl Iterator<Item = OsString>, out: &mut dyn Write, err: &mut dyn Write) -> u8 {
        let name = self.name.clone().unwrap_or_else(executable);
        let sizes: Vec<_> = self.sizes.iter().map(|size| (size.option, size.sort, size.usual)).collect();
        let words: Vec<OsString> = args.collect();
        let matches = match options::command(&name, &sizes).try_get_matches_from(words.iter()) {
            Ok(matches) => matches,
            Err(error) => {
                let text = error.render().to_string();
                // If it cannot be printed, the exit code still shows it.
                drop(if error.use_stderr() {
                    err.write_all(text.as_bytes())
                } else {
                    out.write_all(text.as_bytes())
                });
                return u8::try_from(error.exit_code()).unwrap_or(BAD);
            }
        };
        let Some((command, matches)) = matches.subcommand() else { return BAD };
        let is_json = options::is_json(matches);
        let mut streams = Streams { out, err };
        let labels = self.program.labels();
        let run = || match command {
            "check" => check::check(self, &name, matches, &mut streams),
            "simulate" => simulate::simulate(self, &name, matches, &mut streams),
            "replay" => replay::replay(self, &name, matches, &mut streams),
            _ => graph::graph(self, matches, &mut streams),
        };
        let done = match options::refusal(matches) {
            Some(reason) => Err(Failure::new(reason)),
            None => labels.show(run),
        };
        match done {
            Ok(code) => code,
            Err(Failure { message, code }) => {
                drop(writeln!(streams.err, "error: {message}"));
                if is_json {
                    drop(writeln!(streams.out, "{}", failed(&name, &message)));
                }
                code
            }
        }
    }

    /// The program with the sizes of the command line, or else those of a trail, and what they are.
    fn sized(
        self,
        matches: &clap::ArgMatches,
        recorded: &[(String, u32)],
    ) -> (Program<M>, Vec<(String, u32)>) {
        let Self { mut program, sizes, .. } = self;
        let mut given = Vec::new();
        for SizeOption { option, usual, give, .. } in sizes {
            let of_trail = recorded.iter().find(|(name, _)| name == option).map(|(_, size)| *size);
            let asked = matches.get_one::<u64>(option).map(|&size| size as u32);
            let size = asked.or(of_trail).unwrap_or(usual);
            program = give(program, size);
            given.push((option.to_owned(), size));
        }
        (program, given)
    }
}

/// The name of the executable.
fn executable() -> String {
    let path = std::env::current_exe().ok();
    let stem = path.as_deref().and_then(std::path::Path::file_stem);
    stem.map_or_else(|| "model".to_owned(), |stem| stem.to_string_lossy().into_owned())
}

/// What is printed instead of a report, where there is none.
fn failed(name: &str, message: &str) -> Json {
    let diagnostic = Json::Object(vec![
        ("severity", Json::text("error")),
        ("code", Json::Null),
        ("message", Json::text(message)),
        ("location", Json::Null),
        ("label", Json::Null),
        ("labels", Json::List(Vec::new())),
        ("notes", Json::List(Vec::new())),
        ("help", Json::List(Vec::new())),
    ]);
    Json::Object(vec![
        ("version", Json::Count(FORMAT_VERSION)),
        ("tool", Json::text(TOOL)),
        ("model", Json::text(name)),
        ("verdict", Json::Null),
        ("diagnostics", Json::List(vec![diagnostic])),
    ])
}
