//! The states in which an implementation may be.
//!
//! A model may leave things open: what an action leads to, which output comes next, what happens unseen. So there is a
//! set of states that agree with everything that was observed. An observation that no state agrees with is a difference
//! between implementation and model.

use std::fmt;

use quotient_model::{
    Failure, Model, Obstacle, Program, Reached, Remark, Role, Shape, Successor, Successors, Term,
};

/// The states that agree with what was observed, with what has been steps that nobody observes.
pub struct Possible<'p, M: Model> {
    program: &'p Program<M>,
    states: Vec<M::State>,
    most: usize,
}

/// A set of possible states cannot be followed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Lost {
    /// There are more possible states than were allowed for.
    TooMany(usize),
    /// The model breaks a rule of its own.
    Model(Failure),
    /// The model has no initial states, or no actions that are always possible.
    Initial(String),
    /// An action that threads call in any state is not possible in some.
    Impossible(String),
}

impl fmt::Display for Lost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooMany(most) => write!(f, "more than {most} states of the model are possible"),
            Self::Model(failure) => {
                write!(f, "the model breaks a rule of its own at {}: {}", failure.place, failure.message)
            }
            Self::Initial(why) => f.write_str(why),
            Self::Impossible(action) => {
                write!(f, "{action} was called, and there is a state in which the model does not allow it")
            }
        }
    }
}

/// A step that is possible in a state, and what is answered in it.
pub struct Move<M: Model> {
    pub action: M::Action,
    pub answers: Vec<Term>,
    pub to: M::State,
}

impl<'p, M: Model> Possible<'p, M> {
    /// The initial states.
    ///
    /// # Errors
    ///
    /// If there are more than `most`, or if the model cannot tell.
    pub fn new(program: &'p Program<M>, most: usize) -> Result<Self, Lost> {
        let states = program.initial_states().map_err(Lost::Initial)?;
        let mut possible = Self { program, states: Vec::new(), most };
        possible.states = possible.closed(states)?;
        Ok(possible)
    }

    /// The states, none twice.
    pub fn states(&self) -> &[M::State] {
        &self.states
    }

    /// Whether a run may end in each of them.
    pub fn are_accepting(&self) -> bool {
        self.states.iter().all(|state| self.program.is_accepting(state))
    }

    /// The actions of a role that every state allows, as the first one offers them.
    pub fn common(&self, role: Role) -> Result<Vec<M::Action>, Lost> {
        let Some((first, others)) = self.states.split_first() else { return Ok(Vec::new()) };
        let mut common: Vec<M::Action> = Vec::new();
        for step in self.moves(first)? {
            if self.role(&step.action) == role && !has(&common, &step.action) {
                common.push(step.action);
            }
        }
        for state in others {
            let moves = self.moves(state)?;
            common.retain(|action| moves.iter().any(|step| step.action.order(action).is_eq()));
        }
        Ok(common)
    }

    /// The actions of a role that some state allows.
    pub fn any(&self, role: Role) -> Result<Vec<M::Action>, Lost> {
        let mut any: Vec<M::Action> = Vec::new();
        for state in &self.states {
            for step in self.moves(state)? {
                if self.role(&step.action) == role && !has(&any, &step.action) {
                    any.push(step.action);
                }
            }
        }
        Ok(any)
    }

    /// What an action may be answered with.
    pub fn answers(&self, action: &M::Action) -> Result<Vec<Vec<Term>>, Lost> {
        let mut all: Vec<Vec<Term>> = Vec::new();
        for state in &self.states {
            for step in self.moves_by(state, action)? {
                if !all.contains(&step.answers) {
                    all.push(step.answers);
                }
            }
        }
        Ok(all)
    }

    /// An action was observed, with these answers; `None` if they are not known. Returns false, and leaves the states as
    /// they are, if none agrees with that.
    pub fn observe(&mut self, action: &M::Action, answers: Option<&[Term]>) -> Result<bool, Lost> {
        let mut next = Vec::new();
        for state in &self.states {
            let moves = self.moves_by(state, action)?.into_iter();
            let agrees = |step: &Move<M>| answers.is_none_or(|answers| step.answers == answers);
            next.extend(moves.filter(agrees).map(|step| step.to));
        }
        self.replace(next)
    }

    /// No output came. Returns false, and leaves the states as they are, if every one has an output that is due.
    pub fn observe_silence(&mut self) -> Result<bool, Lost> {
        let mut next = Vec::new();
        for state in &self.states {
            if self.moves(state)?.iter().all(|step| self.role(&step.action) != Role::Output) {
                next.push(state.clone());
            }
        }
        self.replace(next)
    }

    /// Why an action is not possible in any of the states, as far as the model says it.
    pub fn obstacles(&self, action: &M::Action) -> Vec<Obstacle> {
        let name = M::Action::VARIANTS.get(action.variant()).copied().unwrap_or_default();
        let mut all: Vec<Obstacle> = Vec::new();
        for obstacle in self.states.iter().flat_map(|state| self.program.obstacles(state)) {
            let of = obstacle.action.split(|char: char| !char.is_alphanumeric() && char != '_').next();
            let is_it = of.is_some_and(|of| of.replace('_', "").eq_ignore_ascii_case(name));
            if is_it && !all.contains(&obstacle) {
                all.push(obstacle);
            }
        }
        all
    }

    fn replace(&mut self, states: Vec<M::State>) -> Result<bool, Lost> {
        if states.is_empty() {
            return Ok(false);
        }
        self.states = self.closed(states)?;
        Ok(true)
    }

    /// A state with those that hidden steps lead to from it.
    pub fn hidden_from(&self, state: M::State) -> Result<Vec<M::State>, Lost> {
        self.closed(vec![state])
    }

    /// States with those that hidden steps lead to.
    fn closed(&self, mut states: Vec<M::State>) -> Result<Vec<M::State>, Lost> {
        sort(&mut states);
        let mut fresh = states.clone();
        while !fresh.is_empty() {
            if states.len() > self.most {
                return Err(Lost::TooMany(self.most));
            }
            let mut more = Vec::new();
            for state in &fresh {
                let moves = self.moves(state)?.into_iter();
                more.extend(moves.filter(|step| self.role(&step.action) == Role::Hidden).map(|step| step.to));
            }
            sort(&mut more);
            more.retain(|state| states.binary_search_by(|other| other.order(state)).is_err());
            states.extend_from_slice(&more);
            sort(&mut states);
            fresh = more;
        }
        Ok(states)
    }

    /// The steps of a state.
    pub fn moves(&self, state: &M::State) -> Result<Vec<Move<M>>, Lost> {
        self.program.successors(state).map_err(Lost::Model).and_then(moves)
    }

    /// The steps of a state by one action.
    pub fn moves_by(&self, state: &M::State, action: &M::Action) -> Result<Vec<Move<M>>, Lost> {
        self.program.successors_by(state, action).map_err(Lost::Model).and_then(moves)
    }

    fn role(&self, action: &M::Action) -> Role {
        self.program.model().role(action)
    }
}

fn moves<M: Model>(steps: Successors<M>) -> Result<Vec<Move<M>>, Lost> {
    let mut moves = Vec::new();
    for Successor { action, remarks, result, .. } in steps {
        let to = match result {
            Reached::State(to) => to,
            Reached::Failed(failure) => return Err(Lost::Model(failure)),
            Reached::Outside | Reached::Crowded => continue,
        };
        let answers = remarks.into_iter().filter_map(|remark| match remark {
            Remark::Output(term) => Some(term),
            _ => None,
        });
        moves.push(Move { action, answers: answers.collect(), to });
    }
    Ok(moves)
}

fn has<A: Shape>(list: &[A], action: &A) -> bool {
    list.iter().any(|other| other.order(action).is_eq())
}

fn sort<S: Shape>(states: &mut Vec<S>) {
    states.sort_by(Shape::order);
    states.dedup_by(|a, b| a.order(b).is_eq());
}
