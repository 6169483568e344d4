//! Temporal properties of a model, and their automata.

use ir::{Property, PropertyKind};
use ltl::hoa::Hoa;
use ltl::{Automaton, Limits, Prop, never, smallest};

use crate::Model;

/// The name of a property that comes with the command rather than with the model.
pub const LTL: &str = "--ltl";

/// How automata are written down.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AutomatonFormat {
    /// A `never` claim of Promela.
    Never,
    /// The Hanoi Omega-Automata format.
    Hoa,
}

impl Model {
    /// The property of this name, or the only one there is. What is wrong otherwise is said.
    pub fn property(&self, name: Option<&str>) -> Result<&Property, String> {
        self.property_number(name).map(|at| &self.program.properties[at])
    }

    /// The number of the property of this name.
    pub(crate) fn property_number(&self, name: Option<&str>) -> Result<usize, String> {
        let all = &self.program.properties;
        let names: Vec<&str> = all.iter().map(|property| property.name.as_str()).collect();
        let which = match (name, &names[..]) {
            (_, []) => return Err(format!("`{}` has no temporal properties", self.name)),
            (None, [_]) => Some(0),
            (None, _) => {
                return Err(format!("name one of the temporal properties: {}", names.join(", ")));
            }
            (Some(name), _) => names.iter().rposition(|known| *known == name),
        };
        let missing = || {
            let name = name.unwrap_or_default();
            let meant = source::similar(name, names.iter().copied());
            let meant = meant.map_or(String::new(), |meant| format!(" (did you mean `{meant}`?)"));
            format!("there is no temporal property `{name}`{meant}: `{}` has {}", self.name, names.join(", "))
        };
        which.ok_or_else(missing)
    }
}

/// The automaton of the runs that violate a property, as text.
pub fn automaton(property: &Property, format: AutomatonFormat) -> Result<String, String> {
    let name = |prop: Prop| property.props[prop.0 as usize].text.clone();
    let (automaton, about) = violations(property)?;
    match format {
        AutomatonFormat::Hoa => {
            let props = property.props.iter().map(|prop| prop.text.clone()).collect();
            Ok(Hoa { name: Some(about), props, automaton }.write())
        }
        AutomatonFormat::Never => never::never(&automaton, &about, name).ok_or_else(|| {
            "a never claim has one set of accepting states, and this automaton has not: use --format hoa"
                .to_owned()
        }),
    }
}

fn violations(property: &Property) -> Result<(Automaton, String), String> {
    match &property.kind {
        PropertyKind::Formula(formula) => {
            let automaton = smallest::buchi(&formula.negated(), Limits::default())
                .map_err(|_| format!("the automaton of `{}` is too large", property.name))?;
            Ok((automaton, format!("!({})", property.formula_text().unwrap_or_default())))
        }
        PropertyKind::Claim(claim) => Ok((claim.clone(), property.name.clone())),
    }
}
