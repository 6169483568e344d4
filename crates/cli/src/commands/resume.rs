//! `quotient resume`: goes on with a check from its checkpoint.
//!
//! The check is the command that was typed, in the folder where it was typed; only what shows in no result may
//! be changed.

use std::env;

use check::checkpoint::command_of;
use clap::Parser as _;

use super::check::check;
use super::failure::{Outcome, usage};
use crate::args::{Cli, Command, ResumeArgs};

pub fn resume(args: &ResumeArgs) -> Outcome {
    let ResumeArgs { folder, threads, memory, time, checkpoint_every, trail, format, quiet } = args;
    let folder = std::path::absolute(folder)?;
    let trail = trail.as_ref().map(std::path::absolute).transpose()?;
    let command = command_of(&folder).map_err(usage)?;
    env::set_current_dir(&command.folder)
        .map_err(|error| usage(format!("the check was started in `{}`: {error}", command.folder)))?;
    let words = std::iter::once("quotient").chain(command.words.iter().map(String::as_str));
    let Ok(Cli { command: Command::Check(mut check_args) }) = Cli::try_parse_from(words) else {
        return Err(usage(format!("the checkpoint in `{}` is of no check", folder.display())));
    };
    check_args.threads = threads.or(check_args.threads);
    check_args.memory = memory.or(check_args.memory);
    check_args.time = time.or(check_args.time);
    check_args.checkpoint_every = checkpoint_every.or(check_args.checkpoint_every);
    check_args.trail = trail.or(check_args.trail);
    check_args.format = format.unwrap_or(check_args.format);
    check_args.quiet |= quiet;
    check_args.checkpoint = Some(folder);
    check_args.resumed = Some(command);
    check(&check_args)
}
