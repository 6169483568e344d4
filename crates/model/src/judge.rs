//! Whether a run that somebody recorded violates a formula.

use ltl::lasso::Lasso;
use system::Encoding;

use crate::formula::{Compiled, Focus};
use crate::properties::Written;
use crate::sorts::Size;
use crate::{Model, Program, Shape};

impl<M: Model> Program<M> {
    /// Whether a run violates a formula, which is named or written: the run goes through `states`, and from the
    /// last of them on it is at the state with the number `cycle` again. If that is the last state, the run
    /// stays there. A formula about each individual is violated if it is for one of them. Fairness is not
    /// judged.
    ///
    /// # Errors
    ///
    /// If there is no such formula, if it cannot be evaluated, or if the run does not return to where its cycle
    /// begins, up to interchangeable individuals.
    ///
    /// ```
    /// # use quotient_model::{Shape, model, sort};
    /// # sort! { pub struct Client; }
    /// # #[derive(Clone, Debug, Default, Shape)]
    /// # pub struct Lock { holder: Option<Client> }
    /// # #[model]
    /// # impl Lock {
    /// #     #[initial]
    /// #     fn free() -> Self { Self::default() }
    /// #     #[action(when = self.holder.is_none(), process = client)]
    /// #     fn acquire(&mut self, client: Client) { self.holder = Some(client); }
    /// #     #[action(when = self.holder == Some(client), process = client)]
    /// #     fn release(&mut self, client: Client) { self.holder = None; }
    /// #     #[proposition]
    /// #     fn is_held(&self) -> bool { self.holder.is_some() }
    /// #     #[ltl("[] <> is_held")]
    /// #     const HELD_AGAIN: () = ();
    /// #     #[view]
    /// #     fn holders(&self) -> usize { usize::from(self.holder.is_some()) }
    /// # }
    /// let lock = Lock::program().sort::<Client>(2);
    /// let free = lock.initial_states().expect("it has one").remove(0);
    /// // A run that stays where it is.
    /// assert_eq!(lock.run_violates("HELD_AGAIN", &[free], 0), Ok(true));
    /// ```
    pub fn run_violates(&self, formula: &str, states: &[M::State], cycle: usize) -> Result<bool, String> {
        let Some(last) = states.len().checked_sub(1) else { return Err("a run has a state".to_owned()) };
        let cycle = cycle.min(last);
        let known = self.formulas.all.iter().find(|compiled| compiled.name == formula).cloned();
        let compiled = known.map_or_else(
            || {
                let written = Written {
                    name: formula.to_owned(),
                    text: formula.to_owned(),
                    scope: String::new(),
                    each: None,
                };
                Compiled::new(&self.properties, &written)
            },
            Ok,
        )?;
        if cycle < last && states[cycle].order(&states[last]).is_ne() {
            let [mut before, mut after] = [Encoding::new(), Encoding::new()];
            self.write(&states[cycle], &mut before);
            self.write(&states[last], &mut after);
            if !before.same(&after) {
                return Err("the run does not return to where its cycle begins".to_owned());
            }
        }
        for pinned in self.pins(&compiled) {
            let focus = Focus { propositions: compiled.propositions.clone(), pinned, is_fair: false };
            let mut word = Vec::new();
            for state in states {
                let valuation = self.valuation_of(state, &focus);
                word.push(valuation.map_err(|_| format!("a proposition of `{formula}` panics"))?);
            }
            let end = if cycle < last { last } else { last + 1 };
            let run = Lasso::new(&word[..cycle], &word[cycle..end]);
            if run.is_some_and(|run| !run.satisfies(&compiled.formula)) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// The individuals that a formula is about; `None` if it is about none.
    fn pins(&self, compiled: &Compiled) -> Vec<Option<(usize, u32)>> {
        let Some(each) = compiled.each else { return vec![None] };
        let Some(sort) = self.sorts.find(each) else { return Vec::new() };
        match self.sorts.all[sort].size {
            Size::Given(count) => (0..count).map(|index| Some((sort, index))).collect(),
            Size::Open | Size::Unknown => Vec::new(),
        }
    }
}
