//! Reading recorded runs: trails of this program, and SPIN's.

use std::io::{self, BufRead as _, Read as _};
use std::path::Path;

use check::config::Bounds;
use check::{Model, Step, TrailFile, spin_trail};

use super::failure::{Failure, usage};
use super::load::{ExternalProperty, language, load_with};
use super::shell::definitions;
use crate::args::{Define, ModelArgs};
use crate::files::{Disk, open_trail};

/// A trail, as far as it can be read without its model.
pub enum TrailInput {
    Own(Box<TrailFile>),
    /// The text of a trail of SPIN's, which does not say what it shows, nor which constants and bounds it was
    /// made with.
    Spin(String),
}

/// Reads a trail of a model.
pub fn read_trail(path: &Path, of: &ModelArgs) -> Result<TrailInput, Failure> {
    let name = path.display();
    let unreadable = |error: io::Error| usage(format!("cannot read `{name}`: {error}"));
    let not_a_trail = |error: String| usage(format!("`{name}` is {error}"));
    let mut file = open_trail(path).map_err(unreadable)?;
    let start = file.fill_buf().map_err(unreadable)?;
    let own = if start.starts_with(b"<!DOCTYPE html>") {
        let mut text = String::new();
        file.read_to_string(&mut text).map_err(unreadable)?;
        let trail =
            page::trail_of(&text).ok_or_else(|| usage(format!("`{name}` is a page without a trail")))?;
        TrailFile::parse(trail)
    } else if start.trim_ascii_start().starts_with(b"{") {
        TrailFile::read(file)
    } else {
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).map_err(unreadable)?;
        let text =
            String::from_utf8(bytes).map_err(|_| unreadable(io::Error::other("it is not valid UTF-8")))?;
        // A run without steps is a file without lines.
        let is_empty = text.trim().is_empty() && language(of).dialect().is_spins;
        if spin_trail::is_spin_trail(&text) || is_empty {
            return Ok(TrailInput::Spin(text));
        }
        TrailFile::parse(&text)
    };
    own.map(|trail| TrailInput::Own(Box::new(trail))).map_err(not_a_trail)
}

impl TrailInput {
    /// The model with the constants of the trail, unless others are given.
    pub fn model_args(&self, args: &ModelArgs) -> ModelArgs {
        let mut args = args.clone();
        if let (Self::Own(trail), true) = (self, args.compile.defines.is_empty()) {
            let define =
                |(name, value): &(String, String)| Define { name: name.clone(), value: Some(value.clone()) };
            args.compile.defines = trail.defines.iter().map(define).collect();
        }
        if let (Self::Own(trail), true) = (self, args.compile.memory().is_default()) {
            (args.compile.heap, args.compile.leaks) = (trail.memory.heap, trail.memory.leaks);
        }
        args
    }

    /// The bounds of the trail, unless others are given.
    pub fn bounds(&self, given: Bounds) -> Bounds {
        match self {
            Self::Own(trail) if given == Bounds::default() => trail.bounds,
            _ => given,
        }
    }

    /// The steps of the trail, which need not be possible, and a warning if it is a trail of another model.
    pub fn steps(
        &self,
        model: &Model,
        args: &ModelArgs,
        bounds: Bounds,
    ) -> Result<(Vec<Step>, Option<String>), Failure> {
        match self {
            Self::Spin(text) => {
                let steps = spin_trail::read(model, bounds, text).map_err(|error| misfit(&error))?;
                Ok((steps, None))
            }
            Self::Own(trail) => {
                let fingerprint = match external(trail) {
                    Some(external) => load_with(args, Some(&external), &Disk::default(), true)?.fingerprint(),
                    None => model.fingerprint(),
                };
                let warning = (trail.fingerprint != fingerprint).then(|| other_model(trail));
                Ok((trail.steps().collect(), warning))
            }
        }
    }
}

/// The property that a trail violates, if it is not in the model.
pub fn external(trail: &TrailFile) -> Option<ExternalProperty> {
    let property = trail.violation.as_ref()?.property.as_ref()?;
    Some(ExternalProperty { name: property.name.clone(), text: property.text.clone()? })
}

pub fn misfit(reason: &dyn std::fmt::Display) -> Failure {
    usage(format!("the trail does not fit the model: {reason}"))
}

/// Why a trail might not fit.
pub fn other_model(trail: &TrailFile) -> String {
    let constants = match definitions(&trail.defines).collect::<Vec<_>>() {
        none if none.is_empty() => "no -D".to_owned(),
        some => some.join(" "),
    };
    format!(
        "the trail was made from another version of the model (`{}`), or with other constants (it was made \
         with {constants})",
        trail.model
    )
}
