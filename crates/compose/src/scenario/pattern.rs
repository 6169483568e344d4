//! Patterns of actions, and whether an action is one of them.

use quotient_model::Term;

/// A pattern of actions.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Pattern {
    /// Any action.
    Any,
    /// Any action that is not like this.
    Not(Box<Pattern>),
    /// An action of this name, if arguments are given with these.
    Named { name: String, arguments: Option<Arguments> },
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Arguments {
    InOrder(Vec<Value>),
    ByName(Vec<(String, Value)>),
}

/// A pattern of values.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Value {
    Any,
    Number(i128),
    Bool(bool),
    Text(String),
    Variant { name: String, arguments: Option<Arguments> },
}

/// `TmCommit` and `tm_commit` are one name.
pub(super) fn plain(name: &str) -> String {
    name.chars().filter(|letter| *letter != '_').flat_map(char::to_lowercase).collect()
}

impl Pattern {
    /// What an action is called.
    pub fn name_of(action: &Term) -> &str {
        match action {
            Term::Tuple { name, .. } | Term::Record { name, .. } => name,
            _ => "",
        }
    }

    pub fn matches(&self, action: &Term) -> bool {
        match self {
            Self::Any => true,
            Self::Not(pattern) => !pattern.matches(action),
            Self::Named { name, arguments } => {
                plain(Self::name_of(action)) == plain(name) && fits(arguments.as_ref(), action, name)
            }
        }
    }

    /// Adds the name of the actions that it is about.
    pub fn name(&self) -> Option<&str> {
        match self {
            Self::Any => None,
            Self::Not(pattern) => pattern.name(),
            Self::Named { name, .. } => Some(name),
        }
    }
}

/// Whether the fields of a value are like these arguments. Arguments that no such value has are a fault of
/// the scenario, which would silently forbid what it is to allow.
fn fits(arguments: Option<&Arguments>, of: &Term, name: &str) -> bool {
    let fields: Vec<(&str, &Term)> = match of {
        Term::Tuple { fields, .. } => fields.iter().map(|field| ("", field)).collect(),
        Term::Record { fields, .. } => fields.iter().map(|(name, field)| (*name, field)).collect(),
        _ => Vec::new(),
    };
    match arguments {
        None => true,
        Some(Arguments::InOrder(values)) => {
            assert!(
                values.len() == fields.len(),
                "the scenario gives `{name}` {} arguments, but it has {}",
                values.len(),
                fields.len()
            );
            values.iter().zip(fields).all(|(value, (_, field))| value.matches(field))
        }
        Some(Arguments::ByName(values)) => values.iter().all(|(wanted, value)| {
            let field = fields.iter().find(|(other, _)| other == wanted);
            let (_, field) = field.unwrap_or_else(|| {
                panic!("the scenario names an argument `{wanted}` of `{name}`: it has none")
            });
            value.matches(field)
        }),
    }
}

impl Value {
    fn matches(&self, term: &Term) -> bool {
        match (self, term) {
            (Self::Any, _) => true,
            (_, Term::Individual { sort, .. }) => {
                panic!("the scenario names an individual of {sort}: individuals have no names, write `_`")
            }
            (Self::Number(one), Term::Number(other)) => one == other,
            (Self::Bool(one), Term::Bool(other)) => one == other,
            (Self::Text(one), Term::Text(other)) => one == other,
            (
                Self::Variant { name, arguments },
                Term::Tuple { name: other, .. } | Term::Record { name: other, .. },
            ) => name == other && fits(arguments.as_ref(), term, name),
            _ => false,
        }
    }
}
