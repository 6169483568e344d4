use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Debug;

use ir::{ActionKind, ExprKind, Type, TypeId};

use super::*;

/// Constructs that random programs must have, and in how many of 400 at least.
const WANTED: &[(&str, usize)] = &[
    ("Add", 100),
    ("All", 100),
    ("Bag", 40),
    ("Capacity", 20),
    ("Choose into Field", 5),
    ("Choose into Global", 80),
    ("Choose into Index", 5),
    ("Choose into Local", 30),
    ("Contains", 100),
    ("Count", 10),
    ("Create", 100),
    ("Difference", 10),
    ("Get", 20),
    ("Head", 20),
    ("Intersection", 10),
    ("Keys", 10),
    ("Map", 60),
    ("Put", 40),
    ("Queue", 40),
    ("Remove", 80),
    ("Seq", 50),
    ("Set", 100),
    ("Size", 150),
    ("Subset", 10),
    ("Tail", 20),
    ("Union", 10),
    ("collections in arrays", 20),
    ("collections in fields", 30),
    ("collections in globals", 150),
    ("collections in locals", 40),
    ("collections in parameters", 100),
    ("collections in results", 80),
    ("exists", 40),
    ("forall", 40),
    ("neither collections nor abstract enums", 150),
    ("of Abstract", 80),
    ("of Array", 5),
    ("of Bag", 5),
    ("of Bool", 10),
    ("of Enum", 40),
    ("of Int", 40),
    ("of Lock", 10),
    ("of Map", 5),
    ("of Queue", 5),
    ("of Record", 30),
    ("of Seq", 5),
    ("of Set", 5),
    ("of String", 10),
    ("of Tid", 5),
    ("named constants", 30),
];

#[test]
fn random_programs_have_collections_of_all_sorts() {
    let mut found: BTreeMap<String, usize> = BTreeMap::new();
    for seed in 0..400 {
        for feature in features(&random_program(seed)) {
            *found.entry(feature).or_default() += 1;
        }
    }
    for &(feature, least) in WANTED {
        let times = found.get(feature).copied().unwrap_or(0);
        assert!(times >= least, "{feature}: {times} of 400, {found:#?}");
    }
}

fn features(program: &Program) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let collection = |ty: TypeId| program.types[ty].is_collection();
    for (_, ty) in program.types.iter() {
        if let Some(element) = ty.element() {
            found.extend([word(&ty), format!("of {}", word(&program.types[element]))]);
        }
        if matches!(ty, Type::Array(element) if collection(element)) {
            found.insert("collections in arrays".into());
        }
    }
    let mut places: Vec<_> = program.globals.values().map(|global| ("globals", global.ty)).collect();
    places.extend(program.fields.values().map(|field| ("fields", field.ty)));
    for procedure in program.procedures.values() {
        places.extend(
            procedure
                .locals
                .values()
                .enumerate()
                .map(|(at, local)| (if at < procedure.params { "parameters" } else { "locals" }, local.ty)),
        );
        places.extend(procedure.result.map(|result| ("results", result)));
    }
    for (place, ty) in places {
        if collection(ty) {
            found.insert(format!("collections in {place}"));
        }
    }
    for action in program.actions() {
        if let ActionKind::Choose(place, _) = &action.kind {
            found.insert(format!("Choose into {}", word(&place.kind)));
        }
    }
    program.each_expr(&mut |expr| {
        match &expr.kind {
            ExprKind::Collection(op, _) => found.insert(format!("{op:?}")),
            ExprKind::All(_) => found.insert("All".into()),
            ExprKind::Quantified { all, .. } => found.insert(if *all { "forall" } else { "exists" }.into()),
            _ => false,
        };
    });
    if !program.named_constants().is_empty() {
        found.insert("named constants".into());
    }
    let plain = |(_, ty): (TypeId, Type)| !ty.is_collection() && !matches!(ty, Type::Abstract(_));
    if program.types.iter().all(plain) {
        found.insert("neither collections nor abstract enums".into());
    }
    found
}

/// The name of a variant.
fn word(variant: &impl Debug) -> String {
    format!("{variant:?}").chars().take_while(char::is_ascii_alphabetic).collect()
}
