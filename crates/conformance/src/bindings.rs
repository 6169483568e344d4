//! Which handle of an implementation an individual of the model stands for.

use quotient_model::Individual;

/// Pairs of an individual and a handle: a key, a number of a session, a connection.
///
/// Individuals have no order and no number, so this is a list.
#[derive(Clone, Debug)]
pub struct Bindings<I, H>(Vec<(I, H)>);

impl<I, H> Default for Bindings<I, H> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<I: Individual, H> Bindings<I, H> {
    /// No pairs.
    pub fn new() -> Self {
        Self::default()
    }

    /// The handle of an individual, if it has one.
    pub fn handle(&self, individual: I) -> Option<&H> {
        self.0.iter().find(|(other, _)| *other == individual).map(|(_, handle)| handle)
    }

    /// The handle of an individual. `make` is asked for one when it is needed first, with the number of handles so far.
    pub fn handle_or(&mut self, individual: I, make: impl FnOnce(usize) -> H) -> &H {
        let at = self.0.iter().position(|(other, _)| *other == individual);
        let at = at.unwrap_or_else(|| {
            self.0.push((individual, make(self.0.len())));
            self.0.len() - 1
        });
        &self.0[at].1
    }

    /// The individual that a handle stands for.
    pub fn individual(&self, handle: &H) -> Option<I>
    where
        H: PartialEq,
    {
        self.0.iter().find(|(_, other)| other == handle).map(|(individual, _)| *individual)
    }

    /// Makes a handle that of an individual, instead of the one it had.
    pub fn bind(&mut self, individual: I, handle: H) {
        self.unbind(individual);
        self.0.push((individual, handle));
    }

    /// Takes the handle of an individual away.
    pub fn unbind(&mut self, individual: I) -> Option<H> {
        let at = self.0.iter().position(|(other, _)| *other == individual)?;
        Some(self.0.swap_remove(at).1)
    }
}
