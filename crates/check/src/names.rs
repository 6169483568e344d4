//! What a report says about names: which states counted as one, what was interchangeable, and what was not
//! because something mentions it.

use engine::Engine;
use ir::{Id, NamedBy, Program};
use state::{Layout, ObjectKind, UnitKind};

use crate::config;
use crate::model::Model;
use crate::pipeline::{Check, ladder};
use crate::processes::Processes;
use crate::report::{Interchangeable, InterchangeableKind, Pinned, Symmetry};
use crate::stack::LayerStats;
use crate::temporal::PropertySearch;

/// What a report says if the verifier found a mistake in what is interchangeable.
pub const REFUTED: &str = "the verifier does not confirm everything that seemed interchangeable, which is an error of \
                           this program: please report it";

/// The part of a report about the names in one search, of `program` by `engine`.
pub fn symmetry(
    check: &Check<'_>,
    level: config::Symmetry,
    layers: &LayerStats,
    (program, engine): (&Program, &Engine),
    property: Option<&PropertySearch<'_>>,
    processes: &Processes<'_>,
) -> Symmetry {
    let Check { model, config, .. } = *check;
    let stats = layers.naming;
    let is_named = level != config::Symmetry::None && ladder(model, config).is_some();
    let pinned_by = pinned(model, property);
    let refuted = (layers.refuted > 0).then(|| REFUTED.to_owned());
    let unused = check.chosen.as_ref().filter(|choice| choice.level == config::Symmetry::None);
    let unused = unused.map(|choice| choice.reason.clone());
    Symmetry {
        level,
        chosen: check.chosen.as_ref().map(|choice| choice.reason.clone()),
        naming: is_named.then(|| {
            let is_numbered = model.program.features.thread_ids_observable;
            if is_numbered { config::Naming::Dfs } else { config.naming.unwrap_or_default() }
        }),
        canonical: match level {
            _ if model.program.features.thread_ids_observable => stats.exhausted == 0,
            // Every state is its own class.
            config::Symmetry::None => true,
            // Ties are broken by the ids of threads.
            config::Symmetry::Pc | config::Symmetry::Bots(_) => false,
            config::Symmetry::Heap | config::Symmetry::Full | config::Symmetry::Auto => stats.exhausted == 0,
        },
        ties_searched: stats.searched,
        searches_exhausted: stats.exhausted,
        touched_per_step: stats.touched as f64 / stats.steps.max(1) as f64,
        pinned: pinned_by.iter().map(|pinned| pinned.name.clone()).collect(),
        pinned_by,
        interchangeable: if is_named {
            interchangeable(level, layers, program, engine.layout())
        } else {
            processes.groups.clone()
        },
        not_interchangeable: processes.reasons.iter().cloned().chain(refuted).chain(unused).collect(),
    }
}

/// The individuals that properties and assertions mention.
fn pinned(model: &Model, property: Option<&PropertySearch<'_>>) -> Vec<Pinned> {
    let program = &model.program;
    let place = |by: &NamedBy| match *by {
        NamedBy::Invariant(number) => format!("invariant `{}`", program.invariants[number].name),
        NamedBy::Property(number) => format!("property `{}`", program.properties[number].name),
        NamedBy::Assertion(span) => {
            let place = model.place(span);
            format!("assertion at {}:{}:{}", place.file, place.line, place.column)
        }
    };
    let constants = program.constants_by_place().into_iter().map(|((id, element), by)| {
        let of = &program.enums[id];
        let name = format!("{}.{}", of.name, of.elements[element as usize]);
        Pinned { name, by: by.iter().map(place).collect() }
    });
    let individual = property.map(PropertySearch::property).and_then(|property| {
        let each = property.each.as_ref()?;
        let name = format!("{} {}", program.procedures[each.procedure].name, each.variable);
        Some(Pinned { name, by: vec![format!("property `{}`", property.name)] })
    });
    constants.chain(individual).collect()
}

/// The kinds of things that a level of symmetry lets be exchanged, and that there were at least two of.
fn interchangeable(
    level: config::Symmetry,
    layers: &LayerStats,
    program: &Program,
    layout: &Layout,
) -> Vec<Interchangeable> {
    let units = layers.population.iter().filter_map(|&(kind, count)| {
        let (kind, name) = match kind {
            // At this level, threads keep their ids.
            UnitKind::Thread(_) if level == config::Symmetry::Heap => return None,
            UnitKind::Thread(id) => (InterchangeableKind::Thread, program.procedures[id].name.clone()),
            UnitKind::Object(kind) => {
                let name = match kind {
                    ObjectKind::Record(id) => program.records[id].name.clone(),
                    ObjectKind::Lock => "lock".to_owned(),
                    ObjectKind::Array(shape) => {
                        format!("{}[]", program.type_name(layout.arrays[shape as usize].element))
                    }
                    ObjectKind::Block(shape) => {
                        format!("{}[]", program.records[layout.blocks[shape as usize].record].name)
                    }
                    ObjectKind::Channel(id) => program.channels[id].name.clone(),
                    ObjectKind::Tombstone(_) => return None,
                };
                (InterchangeableKind::Object, name)
            }
        };
        Some(Interchangeable { kind, name, count, group: None })
    });
    let pinned = program.named_constants();
    let elements = program.enums.iter().filter(|(_, of)| of.is_abstract).map(|(id, of)| Interchangeable {
        kind: InterchangeableKind::Element,
        name: of.name.clone(),
        count: (of.elements.len() - pinned.iter().filter(|(named, _)| named.index() == id.index()).count())
            as u32,
        group: None,
    });
    units.chain(elements).filter(|group| group.count > 1).collect()
}
