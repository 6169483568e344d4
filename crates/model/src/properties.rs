//! What must hold in the states and runs of a model.

use std::any::TypeId;
use std::fmt;

use search::emptiness::Fairness;

use crate::{Cx, Index, Individual};

/// A condition of states.
pub(crate) type Condition<S> = Box<dyn Fn(&Cx<'_>, &S) -> bool>;
/// A condition of an individual in a state.
pub(crate) type ConditionOf<S> = Box<dyn Fn(&Cx<'_>, &S, Index) -> bool>;
/// What is shown of a state.
pub(crate) type View<S> = Box<dyn Fn(&Cx<'_>, &S) -> String>;

/// What must hold in the states and runs of a model, and what is assumed of its runs.
///
/// Formulas are written in SPIN's notation, over the names of propositions: `[] (request -> <> answer)`.
///
/// ```
/// use quotient_model::{Cx, Doing, Map, Model, Process, Program, Properties, Shape, sort};
/// sort! { struct Light; }
/// #[derive(Clone, Debug, Shape)]
/// enum Act { Switch(Light) }
/// struct Lights;
/// impl Model for Lights {
///     type State = Map<Light, bool>;
///     type Action = Act;
///     fn initial(&self, cx: &Cx<'_>, out: &mut Vec<Self::State>) {
///         out.push(cx.all().map(|light| (light, false)).collect());
///     }
///     fn actions(&self, cx: &Cx<'_>, _: &Self::State, out: &mut Vec<Act>) { out.extend(cx.all().map(Act::Switch)); }
///     fn apply(&self, _: &mut Doing<'_>, lights: &mut Self::State, Act::Switch(light): &Act) {
///         lights[*light] = !lights[*light];
///     }
///     fn process(&self, _: &Cx<'_>, Act::Switch(light): &Act) -> Process { Process::of(*light) }
///     fn properties(&self, to: &mut Properties<Self::State>) {
///         to.invariant("complete", |cx, lights| lights.len() == cx.count::<Light>());
///         to.reachable("all on", |_, lights| lights.values().all(|is_on| *is_on));
///         to.proposition("dark", |_, lights| lights.values().all(|is_on| !is_on));
///         to.proposition_of::<Light>("on", |_, lights, light| lights[light]);
///         to.ltl("it gets light", "<> !dark");
///         to.forall::<Light>("each is on again and again", "[] <> on");
///         to.view("on", |_, lights| lights.values().filter(|is_on| **is_on).count());
///         to.weakly_fair("Switch");
///         to.strongly_fair("Switch");
///     }
/// }
/// assert_eq!(Program::new(Lights).sort::<Light>(3).check().assert_holds().states, 4);
/// ```
pub struct Properties<S> {
    pub(crate) invariants: Vec<(String, Condition<S>)>,
    pub(crate) reachable: Vec<(String, Condition<S>)>,
    pub(crate) propositions: Vec<(String, Proposition<S>)>,
    pub(crate) formulas: Vec<Written>,
    pub(crate) views: Vec<(String, View<S>)>,
    /// The variants of actions that are fair.
    pub(crate) fair: Vec<(String, Fairness)>,
    /// Why formulas cannot be checked.
    pub(crate) obstacles: Vec<String>,
}

/// What a name in a formula stands for.
pub(crate) enum Proposition<S> {
    OfState(Condition<S>),
    /// It is about an individual of this sort.
    OfIndividual(TypeId, ConditionOf<S>),
}

/// A formula as it is written.
#[derive(Clone, Debug)]
pub(crate) struct Written {
    pub name: String,
    pub text: String,
    /// What the names of its propositions begin with, without the `_` after it.
    pub scope: String,
    /// It is about each individual of this sort: its type, and what it is called.
    pub each: Option<(TypeId, &'static str)>,
}

impl<S> Default for Properties<S> {
    fn default() -> Self {
        Self {
            invariants: Vec::new(),
            reachable: Vec::new(),
            propositions: Vec::new(),
            formulas: Vec::new(),
            views: Vec::new(),
            fair: Vec::new(),
            obstacles: Vec::new(),
        }
    }
}

impl<S> Properties<S> {
    /// A condition that holds in every state.
    pub fn invariant(&mut self, name: &str, holds: impl Fn(&Cx<'_>, &S) -> bool + 'static) {
        self.invariants.push((name.to_owned(), Box::new(holds)));
    }

    /// A condition that holds in some state.
    pub fn reachable(&mut self, name: &str, holds: impl Fn(&Cx<'_>, &S) -> bool + 'static) {
        self.reachable.push((name.to_owned(), Box::new(holds)));
    }

    /// A condition that formulas can name.
    pub fn proposition(&mut self, name: &str, holds: impl Fn(&Cx<'_>, &S) -> bool + 'static) {
        self.propositions.push((name.to_owned(), Proposition::OfState(Box::new(holds))));
    }

    /// A condition of individuals that formulas [of each individual](Properties::forall) can name.
    pub fn proposition_of<I: Individual>(
        &mut self,
        name: &str,
        holds: impl Fn(&Cx<'_>, &S, I) -> bool + 'static,
    ) {
        let holds = move |cx: &Cx<'_>, state: &S, index| holds(cx, state, I::at(index));
        let proposition = Proposition::OfIndividual(TypeId::of::<I>(), Box::new(holds));
        self.propositions.push((name.to_owned(), proposition));
    }

    /// A formula that holds in every run.
    pub fn ltl(&mut self, name: &str, formula: &str) {
        self.formulas.push(Written {
            name: name.to_owned(),
            text: formula.to_owned(),
            scope: String::new(),
            each: None,
        });
    }

    /// A formula that holds in every run for each individual of a sort. Propositions of its individuals are
    /// about that individual. The sort must not be dynamic.
    pub fn forall<I: Individual>(&mut self, name: &str, formula: &str) {
        let each = Some((TypeId::of::<I>(), I::NAME));
        self.formulas.push(Written {
            name: name.to_owned(),
            text: formula.to_owned(),
            scope: String::new(),
            each,
        });
    }

    /// Something to be shown with each state. It is no part of the state.
    pub fn view<T: fmt::Debug>(&mut self, name: &str, view: impl Fn(&Cx<'_>, &S) -> T + 'static) {
        self.views.push((name.to_owned(), Box::new(move |cx, state| format!("{:?}", view(cx, state)))));
    }

    /// What must hold of a part of the state, for models that consist of several. Names begin with `prefix`
    /// and `_`, if it is not empty.
    ///
    /// With a prefix, which stands for one of several parts, actions are not fair any more: the same action
    /// may be one of the part alone, or one that it takes with another part. A check of formulas is then
    /// refused.
    pub fn of_part<P: 'static>(
        &mut self,
        prefix: &str,
        part: Properties<P>,
        project: impl Fn(&S) -> &P + Copy + 'static,
    ) {
        let named = |name: String| if prefix.is_empty() { name } else { format!("{prefix}_{name}") };
        let Properties { invariants, reachable, propositions, formulas, views, fair, obstacles } = part;
        for (of_part, all) in [(invariants, &mut self.invariants), (reachable, &mut self.reachable)] {
            all.extend(of_part.into_iter().map(|(name, holds)| {
                let holds: Condition<S> = Box::new(move |cx, state| holds(cx, project(state)));
                (named(name), holds)
            }));
        }
        self.propositions.extend(propositions.into_iter().map(|(name, proposition)| {
            let proposition = match proposition {
                Proposition::OfState(holds) => {
                    Proposition::OfState(Box::new(move |cx, state| holds(cx, project(state))))
                }
                Proposition::OfIndividual(sort, holds) => Proposition::OfIndividual(
                    sort,
                    Box::new(move |cx, state, index| holds(cx, project(state), index)),
                ),
            };
            (named(name), proposition)
        }));
        self.formulas.extend(formulas.into_iter().map(|written| Written {
            name: named(written.name),
            scope: if written.scope.is_empty() { prefix.to_owned() } else { named(written.scope) },
            ..written
        }));
        self.views.extend(views.into_iter().map(|(name, view)| {
            let view: View<S> = Box::new(move |cx, state| view(cx, project(state)));
            (named(name), view)
        }));
        self.obstacles.extend(obstacles);
        if prefix.is_empty() {
            self.fair.extend(fair);
        } else {
            self.obstacles.extend(fair.into_iter().map(|(variant, _)| {
                format!("the part `{prefix}` says that its action {variant} is fair, which a composition cannot say")
            }));
        }
    }

    /// A process that can take actions of this variant continuously, from some point on for ever, takes one
    /// again and again. Runs that are not fair do not violate formulas.
    pub fn weakly_fair(&mut self, variant: &str) {
        self.fair.push((variant.to_owned(), Fairness::Weak));
    }

    /// A process that can take actions of this variant again and again takes one again and again.
    pub fn strongly_fair(&mut self, variant: &str) {
        self.fair.push((variant.to_owned(), Fairness::Strong));
    }
}
