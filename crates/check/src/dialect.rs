//! Dialects: all that depends on the language of a model outside of its front end. Adding a language means
//! adding a dialect.

use std::collections::BTreeSet;

use ir::{ActionKind, BinaryOp, Exit, Expr, ExprKind, GlobalId, Guard, Jump, Scope, TransitionId};
use promela::Extension;
use source::{Diagnostics, FileId, Index, Provider, SourceMap, Span};

use crate::config::Sizes;
use crate::model::{Language, Model};
use crate::report::{Call, Place};

/// The words and rules of a language.
pub struct Dialect {
    /// What threads are called.
    pub actors: &'static str,
    /// What a check for safety finds absent if the verdict is `holds`.
    pub absent: &'static str,
    /// What a check of one temporal property leaves out.
    pub unchecked: &'static str,
    /// What a deadlock is called.
    pub deadlock: &'static str,
    /// The same, in a model with locations at which threads may stay.
    pub deadlock_outside: &'static str,
    /// What is said of a run that ends well.
    pub ended: &'static str,
    /// The same, in a model with locations at which threads may stay.
    pub ended_or_waiting: &'static str,
    /// Whether the bounds on objects and frames mean anything.
    pub has_objects_and_frames: bool,
    /// Whether a line often has several statements: then places show the statement rather than the line.
    pub has_statements_in_lines: bool,
    /// Whether runs are exchanged with SPIN.
    pub is_spins: bool,
    /// Whether runs have messages to draw.
    pub has_channels: bool,
    /// The value of a name that is defined without one.
    pub default_value: Option<&'static str>,
    pub(crate) bounds: fn(Sizes) -> BoundNames,
    pub(crate) end_of_thread: Option<&'static str>,
    pub(crate) tests_have_outcomes: bool,
    /// What a step begins with that only goes on to another place.
    pub(crate) jumps: &'static [&'static str],
    pub(crate) load: fn(&mut SourceMap, &dyn Provider, &str) -> Result<FileId, Diagnostics>,
    pub(crate) compile: Compile,
    pub(crate) analyse: Analyse,
}

type Compile = fn(
    &mut SourceMap,
    &dyn Provider,
    FileId,
    &[(String, String)],
    &[FileId],
    Extension,
) -> Result<Compiled, Diagnostics>;

/// What an editor asks for: warnings or errors, and what names stand for.
type Analyse = fn(
    &mut SourceMap,
    &dyn Provider,
    FileId,
    &[(String, String)],
    Extension,
) -> (Result<Diagnostics, Diagnostics>, Index);

/// What a front end makes of a model.
pub(crate) struct Compiled {
    pub program: ir::Program,
    pub chains: promela::Chains,
    pub hidden: BTreeSet<GlobalId>,
    pub inlined: promela::Inlined,
    pub is_dynamic: bool,
    pub numbered: Option<(Span, &'static str)>,
    pub warnings: Diagnostics,
}

/// The bounds of a check in words: for reports, and as the options that set them.
pub(crate) struct BoundNames {
    pub all: String,
    pub objects: String,
    pub frames: String,
}

impl Language {
    /// The dialect of most models.
    pub const fn dialect(self) -> &'static Dialect {
        match self {
            Self::Bir => &BIR,
            Self::Promela => &PROMELA,
        }
    }

    /// The dialects that a model may be in: which one it is shows when it is read.
    pub fn dialects(self) -> impl Iterator<Item = &'static Dialect> {
        let other = (self == Self::Promela).then(Dialect::dynamic);
        std::iter::once(self.dialect()).chain(other)
    }
}

impl Dialect {
    /// The dialect of Promela that has objects, pointers and functions.
    pub(crate) const fn dynamic() -> &'static Self {
        &DYNAMIC_PROMELA
    }
}

static BIR: Dialect = Dialect {
    actors: "threads",
    absent: "no deadlock, no failed assertion, no broken invariant, no fault",
    unchecked: "deadlocks, assertions, invariants and faults",
    deadlock: "no thread can move, and not all have ended",
    deadlock_outside: "no thread can move, and not all have ended or are at end locations",
    ended: "All threads have ended.",
    ended_or_waiting: "All threads have ended or are at end locations.",
    has_objects_and_frames: true,
    has_statements_in_lines: false,
    is_spins: false,
    has_channels: false,
    default_value: None,
    bounds: |sizes| BoundNames {
        all: format!(
            "at most {} objects, {} threads, {} frames per thread",
            sizes.objects, sizes.threads, sizes.frames
        ),
        objects: format!("--max-objects {}", sizes.objects),
        frames: format!("--max-frames {}", sizes.frames),
    },
    end_of_thread: None,
    tests_have_outcomes: true,
    jumps: &["break", "continue"],
    load: |map, provider, path| map.load(provider, path),
    compile: |map, provider, file, defines, properties, _| {
        let (program, warnings) = bir::compile_with(map, provider, file, defines, properties)?;
        let (chains, hidden, inlined, is_dynamic, numbered) = Default::default();
        Ok(Compiled { program, chains, hidden, inlined, is_dynamic, numbered, warnings })
    },
    analyse: |map, provider, file, defines, _| bir::analyse(map, provider, file, defines),
};

static PROMELA: Dialect = Dialect {
    actors: "processes",
    absent: "no invalid end state, no failed assertion, no fault",
    unchecked: "invalid end states, assertions and faults",
    deadlock: "invalid end state: no process can move, and not all are where they may stay",
    deadlock_outside: "invalid end state: no process can move, and not all are where they may stay",
    ended: "All processes have ended or are at valid end states.",
    ended_or_waiting: "All processes have ended or are at valid end states.",
    has_objects_and_frames: false,
    has_statements_in_lines: true,
    is_spins: true,
    has_channels: true,
    default_value: Some("1"),
    bounds: |sizes| BoundNames {
        all: format!(
            "at most {} processes, {} channels, {} statements in a d_step",
            sizes.threads,
            ir::MAX_CHANNELS,
            ir::MAX_FUSED_STEPS
        ),
        objects: format!("the limit of {} channels", ir::MAX_CHANNELS),
        frames: format!("the limit of {} statements in a d_step", ir::MAX_FUSED_STEPS),
    },
    end_of_thread: Some("-end-"),
    tests_have_outcomes: false,
    jumps: &["goto", "break", "fi", "od"],
    load: |map, provider, path| map.load_decoded(provider, path),
    compile: |map, provider, file, defines, properties, extension| {
        let compiled = promela::compile_as(map, provider, file, defines, properties, extension)?;
        let promela::Compiled { program, chains, hidden, inlined, is_dynamic, numbered, warnings } = compiled;
        Ok(Compiled { program, chains, hidden, inlined, is_dynamic, numbered, warnings })
    },
    analyse: promela::analyse,
};

/// Promela with objects, pointers and functions.
static DYNAMIC_PROMELA: Dialect = Dialect {
    actors: "processes",
    absent: "no invalid end state, no failed assertion, no fault",
    unchecked: "invalid end states, assertions and faults",
    deadlock: "invalid end state: no process can move, and not all are where they may stay",
    deadlock_outside: "invalid end state: no process can move, and not all are where they may stay",
    ended: "All processes have ended or are at valid end states.",
    ended_or_waiting: "All processes have ended or are at valid end states.",
    has_objects_and_frames: true,
    has_statements_in_lines: true,
    is_spins: false,
    has_channels: true,
    default_value: Some("1"),
    bounds: |sizes| BoundNames {
        all: format!(
            "at most {} objects, {} processes, {} frames per process",
            sizes.objects, sizes.threads, sizes.frames
        ),
        objects: format!("--max-objects {}", sizes.objects),
        frames: format!("--max-frames {}", sizes.frames),
    },
    end_of_thread: None,
    tests_have_outcomes: false,
    jumps: &["goto", "break", "fi", "od"],
    load: PROMELA.load,
    compile: PROMELA.compile,
    analyse: PROMELA.analyse,
};

/// The place of a step.
pub fn place_of_step(model: &Model, id: TransitionId) -> Place {
    if !model.dialect().has_statements_in_lines {
        return model.place_of_step(id);
    }
    let place = model.place(model.program.transitions[id].span);
    let via = model.inlined.get(&id).into_iter().flatten().map(|&span| {
        let Place { file, line, column, .. } = model.place(span);
        Call { file, line, column, text: model.one_line(span) }
    });
    Place { text: text_of_step(model, id), via: via.collect(), ..place }
}

/// Whether a step only goes on to another place: a `goto` or `break`, or the end of a selection or loop.
pub fn is_jump(model: &Model, id: TransitionId) -> bool {
    let transition = &model.program.transitions[id];
    let is_plain = transition.guard == Guard::Always && transition.body.is_empty();
    let Exit::Jump(Jump::Goto(_)) = transition.exit else { return false };
    let text = model.map.text(transition.span);
    let word = text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').next().unwrap_or_default();
    is_plain && model.dialect().jumps.contains(&word)
}

/// The statement of a step. The end of a process has no statement, and is called as SPIN calls it.
pub fn text_of_step(model: &Model, id: TransitionId) -> String {
    let transition = &model.program.transitions[id];
    match (model.dialect().end_of_thread, &transition.exit) {
        (Some(end), Exit::Jump(Jump::Return(_))) => end.to_owned(),
        _ => made_up(model, transition).unwrap_or_else(|| model.one_line(transition.span)),
    }
}

/// The text of a statement that a front end has made of a part of another one: a loop `for (i : 1 .. 3)` has
/// statements at the place of `i`.
fn made_up(model: &Model, transition: &ir::Transition) -> Option<String> {
    if !model.dialect().has_statements_in_lines {
        return None;
    }
    let variable = model.map.text(transition.span);
    let scope = Scope::Procedure(model.program.locations[transition.source].procedure);
    let text = |expr: &Expr| ir::text::expr(&model.program, scope, expr);
    match (&transition.guard, transition.body.first().map(|action| &action.kind)) {
        (Guard::Always, Some(ActionKind::Assign(place, value))) => {
            let is_it = ir::text::place(&model.program, scope, place) == variable;
            is_it.then(|| format!("{variable} = {}", text(value)))
        }
        (Guard::When(guard), None) => match &guard.kind {
            ExprKind::Binary(op, left, _) if *op != BinaryOp::Ne && text(left) == variable => {
                Some(text(guard))
            }
            _ => None,
        },
        _ => None,
    }
}

/// The place of a fault or a location.
pub fn place_of(model: &Model, span: Span) -> Place {
    let place = model.place(span);
    if model.dialect().has_statements_in_lines {
        return Place { text: model.one_line(span), ..place };
    }
    place
}
