//! The options, as users type them: those of the command `quotient`, as far as they mean something for a model
//! in Rust. The others are known and refused with their reasons.

use std::time::Duration;

use clap::builder::ValueParser;
use clap::{Arg, ArgAction, ArgMatches, Command};
use terminal::units::{parse_bits, parse_count, parse_duration, parse_size};

const EXIT_CODES: &str = "\
Exit codes:
  0 holds   1 violated   2 bad usage or bad model   3 inconclusive, or less than a proof
  130 interrupted";

const STORE: &str = "\
Where visited states are kept.
Exact stores (a completed search is a proof):
trie                as trees with shared equal parts
exact               as packed vectors
collapse            as numbers of their components
gzip                as packed vectors, compressed
automaton           as the words of a minimal automaton; slow, depth first
collapse+automaton  as the words of a minimal automaton, numbers of components; depth first
Lossy stores (may lose states; depth first only):
compact             8 bytes of a hash (--hash-bytes)
bitstate            a few bits (--arena)";

/// An option that is known and not available.
struct Refused {
    name: &'static str,
    /// The values that ask for nothing special. Without any, the option is refused whatever its value.
    accepted: &'static [&'static str],
    takes_value: bool,
    reason: &'static str,
}

const REFUSED: [Refused; 14] = [
    Refused {
        name: "por",
        accepted: &["auto", "off"],
        takes_value: true,
        reason: "what an action of a model in Rust reads and writes is not known, so no interleaving can be left out; use --por off",
    },
    Refused {
        name: "merge",
        accepted: &["auto", "off"],
        takes_value: true,
        reason: "a model in Rust has no statements to merge; use --merge off",
    },
    Refused {
        name: "threads",
        accepted: &["1"],
        takes_value: true,
        reason: "more than one thread is not available yet; use --threads 1",
    },
    Refused {
        name: "naming",
        accepted: &["auto"],
        takes_value: true,
        reason: "individuals and objects of a model in Rust are named in one way",
    },
    Refused {
        name: "trail-format",
        accepted: &["json"],
        takes_value: true,
        reason: "trails of models in Rust are written as JSON only",
    },
    Refused {
        name: "audit-symmetry",
        accepted: &[],
        takes_value: true,
        reason: "the symmetry of models in Rust is tested by every check; use --symmetry-check all to test it in every state",
    },
    Refused {
        name: "hashes",
        accepted: &[],
        takes_value: true,
        reason: "the number of hash functions is chosen for the arena",
    },
    Refused {
        name: "refine",
        accepted: &[],
        takes_value: false,
        reason: "refinement of the bitstate store is not available for models in Rust yet; give the size by --arena",
    },
    Refused {
        name: "coverage",
        accepted: &[],
        takes_value: false,
        reason: "estimates of coverage are not available for models in Rust yet",
    },
    Refused {
        name: "swarm",
        accepted: &[],
        takes_value: true,
        reason: "swarms of bitstate searches are not available for models in Rust yet",
    },
    Refused {
        name: "non-progress",
        accepted: &[],
        takes_value: false,
        reason: "a model in Rust has no progress labels; write a formula: --ltl '[] <> progress'",
    },
    Refused {
        name: "acceptance",
        accepted: &[],
        takes_value: false,
        reason: "a model in Rust has no accept labels; write a formula: --ltl '<> [] !accept'",
    },
    Refused {
        name: "max-objects",
        accepted: &[],
        takes_value: true,
        reason: "bound the number of objects in the model, by `#[within]` or by the size of a dynamic sort",
    },
    Refused {
        name: "max-threads",
        accepted: &[],
        takes_value: true,
        reason: "the processes of a model in Rust are those that its actions name",
    },
];

fn flag(name: &'static str, help: &'static str) -> Arg {
    Arg::new(name).long(name).action(ArgAction::SetTrue).help(help)
}

fn valued(
    name: &'static str,
    value: &'static str,
    help: impl clap::builder::IntoResettable<clap::builder::StyledStr>,
) -> Arg {
    Arg::new(name).long(name).value_name(value).help(help)
}

fn choice(
    name: &'static str,
    value: &'static str,
    values: &'static [&'static str],
    usual: &'static str,
    help: &'static str,
) -> Arg {
    valued(name, value, help).value_parser(values.to_vec()).default_value(usual)
}

fn number(least: u64) -> ValueParser {
    ValueParser::new(move |text: &str| parse_count(text, least))
}

/// The command line of a model with these sorts: option, sort and usual size.
pub fn command(name: &str, sizes: &[(&'static str, &'static str, u32)]) -> Command {
    let sized = |command: Command| {
        sizes.iter().fold(command, |command, &(option, sort, usual)| {
            let help = format!("The number of individuals of the sort {sort} [default: {usual}]");
            let parser = ValueParser::new(|text: &str| match parse_count(text, 0) {
                Ok(size) if size <= 1 << 16 => Ok(size),
                Ok(_) => Err("a sort has at most 65536 individuals".to_owned()),
                Err(error) => Err(error),
            });
            command.arg(valued(option, "N", help).value_parser(parser).help_heading("Sizes of sorts"))
        })
    };
    let quiet =
        Arg::new("quiet").long("quiet").short('q').action(ArgAction::SetTrue).help("Print only the verdict");
    let mut check = Command::new("check")
        .about("Explore all states and give a verdict")
        .arg(
            valued("search", "ORDER", "Search order: bfs (short counterexamples) or dfs [default: bfs if the store supports it]")
                .value_parser(["bfs", "dfs"]),
        )
        .arg(choice("store", "STORE", &["trie", "exact", "collapse", "gzip", "automaton", "collapse+automaton", "compact", "bitstate"], "trie", STORE).hide_possible_values(true))
        .arg(valued("hash-bytes", "N", "With compact: bytes kept per state, 4 to 8 [default: 8]").value_parser(clap::value_parser!(u32).range(4..=8)))
        .arg(valued("arena", "BITS", "With bitstate: the number of bits, a power of two such as 64Ki, 512Mi or 2^32 [default: 1Gi]").value_parser(ValueParser::new(|text: &str| parse_bits(text))))
        .arg(valued("symmetry", "LEVEL", "Which states count as one: none (only equal states) or full (states that differ only in which individuals and objects they mention)").default_value("full"))
        .arg(choice("symmetry-check", "STATES", &["all", "sample", "off"], "sample", "In which states the symmetry that types claim is tested by exchanging individuals"))
        .arg(valued("ltl", "FORMULA", "Check only this temporal formula over propositions of the model, such as '[] (asked -> <> answered)'"))
        .arg(valued("property", "NAME", "Check only this temporal property of the model [default: safety, and all properties one after the other]").conflicts_with("ltl"))
        .arg(flag("safety", "Check no temporal properties, only deadlocks, invariants, failures and panics").conflicts_with_all(["ltl", "property"]))
        .arg(choice("fairness", "KIND", &["none", "weak", "strong"], "none", "Which schedules count for temporal properties, besides what the model says is fair: none (all), weak (no process that can always move waits forever) or strong (no process that can move again and again waits forever)"))
        .arg(valued("max-depth", "N", "Explore at most this many steps deep").value_parser(number(0)))
        .arg(valued("max-states", "N", "Store at most this many states").value_parser(number(1)))
        .arg(valued("memory", "SIZE", "Memory limit of the process, such as 512M or 8G [default: none]").value_parser(ValueParser::new(|text: &str| parse_size(text))))
        .arg(valued("time", "DURATION", "Stop after this time, such as 30s, 5m or 1h").value_parser(ValueParser::new(|text: &str| parse_duration(text))))
        .arg(flag("continue", "Continue after a violation and report all violations"))
        .arg(choice("minimise", "SWITCH", &["on", "off"], "on", "With --search dfs: leave steps out of the counterexample before it is shown (on), or show it as the search found it (off)"))
        .arg(valued("trail", "FILE", "Where to write the trail of the first violation: a file, or - for standard output [default: MODEL.trail.json here]"))
        .arg(valued("format", "FORMAT", "How to print the report: human or json").default_value("human"))
        .arg(valued("report", "FILE", "Also write a page of HTML that stands alone: the verdict, the counterexample with pictures, statistics"))
        .arg(valued("seed", "N", "Recorded in the report; a check does not use randomness").value_parser(number(0)).default_value("0"))
        .arg(quiet);
    for Refused { name, takes_value, .. } in REFUSED {
        let action = if takes_value { ArgAction::Set } else { ArgAction::SetTrue };
        check = check.arg(Arg::new(name).long(name).action(action).hide(true));
    }
    let trail_out =
        valued("trail", "FILE", "Write the steps taken as a trail, for replay; - for standard output");
    let simulate = Command::new("simulate")
        .about("Run the model once, at random or step by step")
        .arg(valued("steps", "N", "Maximum number of steps").value_parser(number(0)).default_value("100"))
        .arg(flag("interactive", "Choose each step from a menu").conflicts_with("steps"))
        .arg(valued(
            "from-trail",
            "FILE",
            "Begin with the steps of a trail; --steps is then the number of further steps",
        ))
        .arg(valued("seed", "N", "Seed of the random choices").value_parser(number(0)).default_value("0"))
        .arg(trail_out);
    let replay = Command::new("replay")
        .about("Replay a trail on plain values and show it")
        .arg(Arg::new("file").value_name("TRAIL").required(true).help("A trail written by check or simulate"))
        .arg(
            valued("format", "FORMAT", "How to print it: human, json or svg (a picture)")
                .default_value("human"),
        )
        .arg(choice(
            "view",
            "VIEW",
            &["steps", "states"],
            "steps",
            "With --format svg: the steps, with a column for each process, or the last state",
        ));
    let graph = Command::new("graph")
        .about("Write the state graph of a (small) model")
        .arg(
            valued("format", "FORMAT", "svg (a picture), dot (Graphviz), aut (Aldebaran, as CADP and mCRL2 read it) or json")
                .value_parser(["svg", "dot", "aut", "json"])
                .required(true),
        )
        .arg(
            valued("max-states", "N", "Maximum number of states; a larger graph is refused")
                .value_parser(number(1))
                .default_value("10000"),
        )
        .arg(choice(
            "contents",
            "WHAT",
            &["none", "full"],
            "none",
            "What to show of each state: none or full",
        ))
        .arg(choice(
            "symmetry",
            "LEVEL",
            &["none", "full"],
            "none",
            "Which states are one node: none (only equal states) or full (states that differ only in which individuals and objects they mention; the first one found is shown)",
        ))
        .arg(
            valued("depth", "N", "Only states that are at most this many steps from the initial state")
                .value_parser(number(0)),
        );
    Command::new(name.to_owned())
        .bin_name(name.to_owned())
        .about("Checks a model: explores its states, and reports violations with runs that were replayed")
        .version(env!("CARGO_PKG_VERSION"))
        .after_help(EXIT_CODES)
        .max_term_width(100)
        .no_binary_name(true)
        .subcommand_required(true)
        .arg_required_else_help(true)
        .subcommand(sized(check))
        .subcommand(sized(simulate))
        .subcommand(sized(replay))
        .subcommand(sized(graph))
}

/// Whether the result is to be JSON.
pub fn is_json(matches: &ArgMatches) -> bool {
    text(matches, "format") == Some("json")
}

/// The value of an option that may not exist.
pub fn text<'a>(matches: &'a ArgMatches, name: &str) -> Option<&'a str> {
    matches.try_get_one::<String>(name).ok().flatten().map(String::as_str)
}

/// A number that was given.
pub fn count(matches: &ArgMatches, name: &str) -> Option<u64> {
    matches.get_one::<u64>(name).copied()
}

/// A time that was given.
pub fn time(matches: &ArgMatches) -> Option<Duration> {
    matches.get_one::<Duration>("time").copied()
}

/// Why the command cannot be as it was asked for.
pub fn refusal(matches: &ArgMatches) -> Option<String> {
    match text(matches, "format") {
        Some(format @ ("junit" | "sarif")) => {
            return Some(format!(
                "--format {format} is not available for models in Rust yet; use human or json"
            ));
        }
        Some("svg") if matches.try_contains_id("trail").is_ok() => {
            return Some(
                "--format svg is for replay and graph; --report FILE writes a page with pictures".to_owned(),
            );
        }
        Some("human" | "json" | "dot" | "aut" | "svg") | None => {}
        Some(other) => return Some(format!("--format {other} is unknown; use human or json")),
    }
    match text(matches, "symmetry") {
        Some("none" | "full") | None => {}
        Some(level @ ("heap" | "pc" | "bots")) => {
            return Some(format!("--symmetry {level} is not available for models in Rust; use none or full"));
        }
        Some(other) => return Some(format!("--symmetry {other} is unknown; use none or full")),
    }
    REFUSED.iter().find_map(|Refused { name, accepted, takes_value, reason }| {
        if *takes_value {
            let value = text(matches, name)?;
            (!accepted.contains(&value)).then(|| format!("--{name} {value}: {reason}"))
        } else {
            let is_set = matches.try_get_one::<bool>(name).ok().flatten().copied().unwrap_or(false);
            is_set.then(|| format!("--{name}: {reason}"))
        }
    })
}
