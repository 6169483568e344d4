//! Reading the model that a command is about.

use std::io::{self, IsTerminal as _, Write as _};

use check::config::Bounds;
use check::property::LTL;
use check::{Language, Model, Rejected, Style};

use super::failure::{Failure, usage};
use super::style;
use crate::args::{Define, ModelArgs, SizeArgs};
use crate::explain;
use crate::files::Disk;

pub fn load(args: &ModelArgs, disk: &Disk, quiet: bool) -> Result<Model, Failure> {
    load_with(args, None, disk, quiet)
}

/// A property that is not in the model.
pub struct ExternalProperty {
    pub name: String,
    pub text: String,
}

/// What `--ltl` says, or the file that `--property` names: what has a dot or a slash is not the name of a
/// property in a model.
pub fn external_property(
    ltl: Option<&str>,
    property: Option<&str>,
    disk: &Disk,
) -> Result<Option<ExternalProperty>, Failure> {
    let named = |name: &str, text: String| ExternalProperty { name: name.to_owned(), text };
    match (ltl, property) {
        (Some(_), Some(_)) => {
            Err(usage("--ltl and --property ask for one thing only each: run one check for each"))
        }
        (Some(formula), None) => Ok(Some(named(LTL, formula.to_owned()))),
        (None, Some(path)) if path.contains(['.', '/']) => match disk.read_text(path) {
            Ok(text) => Ok(Some(named(path, text))),
            Err(error) => Err(usage(format!("cannot read `{path}`: {error}"))),
        },
        _ => Ok(None),
    }
}

/// The language of a model: what `--language` says, or the name of its file.
pub fn language(args: &ModelArgs) -> Language {
    args.compile.language.unwrap_or_else(|| Language::of(&args.model.to_string_lossy()))
}

pub fn load_with(
    args: &ModelArgs,
    external: Option<&ExternalProperty>,
    disk: &Disk,
    quiet: bool,
) -> Result<Model, Failure> {
    let model = compile(args, external, disk)?;
    if !quiet {
        warn(&model);
    }
    Ok(model)
}

/// Reads and compiles a model, and says nothing.
pub fn compile(args: &ModelArgs, external: Option<&ExternalProperty>, disk: &Disk) -> Result<Model, Failure> {
    let path = args.model.to_str().ok_or_else(|| usage("the name of the model is not valid UTF-8"))?;
    let language = language(args);
    let defines = values(&args.compile.defines, language)?;
    let properties: Vec<_> =
        external.map(|external| (&*external.name, &*external.text)).into_iter().collect();
    let rejected = |rejected: Rejected| {
        explain::remember(rejected.diagnostics.iter().map(|diagnostic| diagnostic.code));
        Failure::Rejected { text: rejected.render(for_errors()), diagnostics: rejected.list() }
    };
    let dialect = args.compile.dialect;
    if dialect.is_some() && language != Language::Promela {
        return Err(usage("--dialect is an option for models in Promela"));
    }
    let dialect = dialect.unwrap_or_default();
    let model = Model::load_as(disk, path, language, dialect, &defines, &properties);
    let mut model = model.map_err(rejected)?;
    model.set_memory(args.compile.memory()).map_err(usage)?;
    Ok(model)
}

/// Says what the compiler warns of.
pub fn warn(model: &Model) {
    if !model.warnings.is_empty() {
        explain::remember(model.warnings.iter().map(|warning| warning.code));
        drop(write!(io::stderr(), "{}", model.warnings.render(&model.map, for_errors())));
    }
}

/// Shows the warnings of the compiler that even `--quiet` does not hide: see [`check::MISLEADING`].
pub fn warn_of_misleading(model: &Model) {
    for warning in model.warnings.iter().filter(|warning| check::MISLEADING.contains(&warning.code)) {
        explain::remember([warning.code]);
        drop(writeln!(io::stderr(), "{}", warning.render(&model.map, for_errors())));
    }
}

/// The style of standard error.
pub(super) fn for_errors() -> Style {
    style(io::stderr().is_terminal())
}

/// Refuses bounds that would bound nothing.
pub fn fit_bounds(sizes: &SizeArgs, model: &Model) -> Result<Bounds, Failure> {
    let bounds = Bounds { sizes: sizes.sizes(), ..Bounds::default() };
    bounds.refusal(model.dialect()).map_or(Ok(bounds), |reason| Err(usage(reason)))
}

/// What names stand for. A macro without a value is 1, as compilers of C have it.
fn values(defines: &[Define], language: Language) -> Result<Vec<(String, String)>, Failure> {
    let default = language.dialect().default_value;
    let value = |Define { name, value }: &Define| match value.as_deref().or(default) {
        Some(value) => Ok((name.clone(), value.to_owned())),
        None => Err(usage(format!("-D {name}: expected NAME=VALUE"))),
    };
    defines.iter().map(value).collect()
}
