//! Which places may ever hold which channels, by the whole program: messages outlive the text that sent them.

use ir::{ChannelId, GlobalId, LocalId, ProcedureId, Program};

use super::{Walk, shifted};
use crate::unify::Var;

/// A place that may hold channels.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum ChannelPlace {
    Global(GlobalId),
    Local(ProcedureId, LocalId),
    Field(ChannelId, usize),
}

/// Which places may hold which channels, at any time.
#[derive(Clone, Debug, Default)]
pub struct ChannelFlow {
    pairs: Vec<(ChannelPlace, ChannelId)>,
}

impl ChannelFlow {
    pub fn new(program: &Program) -> Self {
        let mut walk = Walk::new(program);
        walk.walk_all();
        let globals = program.globals.ids().map(ChannelPlace::Global);
        let procedures = program.procedures.iter();
        let locals = procedures.flat_map(|(id, procedure)| {
            procedure.locals.ids().map(move |local| ChannelPlace::Local(id, local))
        });
        let channels = program.channels.iter();
        let fields = channels
            .flat_map(|(id, channel)| (0..channel.fields.len()).map(move |at| ChannelPlace::Field(id, at)));
        let places: Vec<ChannelPlace> = globals.chain(locals).chain(fields).collect();
        let mut pairs = Vec::new();
        for place in places {
            let var = walk.var_of(place);
            let holds = |&channel: &ChannelId| walk.unifier.are_one(var, walk.channels[channel]);
            pairs.extend(program.channels.ids().filter(holds).map(|channel| (place, channel)));
        }
        Self { pairs }
    }
}

impl Walk<'_> {
    /// Joins the sorts of all places that ever hold a channel with that of the channel: messages are read as what
    /// they were sent as, also if the text that put the channel there is gone.
    pub fn join_channels(&mut self, flow: &ChannelFlow) {
        for &(place, channel) in &flow.pairs {
            let var = self.var_of(place);
            self.unifier.join(var, self.channels[channel], 0, shifted(self.program.channels[channel].span));
        }
    }

    fn var_of(&mut self, place: ChannelPlace) -> Var {
        match place {
            ChannelPlace::Global(id) => self.globals[id].value,
            ChannelPlace::Local(procedure, id) => self.locals[procedure][id].value,
            ChannelPlace::Field(channel, at) => self.unifier.field(self.channels[channel], at),
        }
    }
}
