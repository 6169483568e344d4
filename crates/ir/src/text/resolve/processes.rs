//! Channels, monitors, and questions about threads and channels by number.

use super::*;

impl Resolver {
    pub(super) fn channels(&mut self, tree: &ProgramTree) -> Resolved<()> {
        for channel in &tree.channels {
            let mut fields = Vec::new();
            for (ty, meaning) in &channel.fields {
                fields.push(ChannelField { ty: self.ty(ty)?, meaning: self.meaning(meaning)? });
            }
            let (name, capacity, span) = (channel.name.text.clone(), channel.capacity, channel.span);
            self.program.channels.push(Channel { name, capacity, fields, scoped: channel.scoped, span });
        }
        self.program.first_channels = self.channel_ids(&tree.first_channels)?;
        Ok(())
    }

    pub(super) fn channel_ids(&self, names: &[Name]) -> Resolved<Vec<ChannelId>> {
        names.iter().map(|name| self.names.channels.find(name, "channel")).collect()
    }

    pub(super) fn meaning(&self, tree: &MeaningTree) -> Resolved<Meaning> {
        Ok(match tree {
            MeaningTree::Number => Meaning::Number,
            MeaningTree::Symbol(name) => Meaning::Symbol(self.names.enums.find(name, "enum")?),
            MeaningTree::Channel => Meaning::Channel,
        })
    }

    pub(super) fn monitor(&mut self, tree: &MonitorTree) -> Resolved<Monitor> {
        let mut states = Vec::new();
        for state in &tree.states {
            let mut events = Vec::new();
            for event in &state.events {
                events.push(MonitorEvent {
                    send: event.send,
                    channel: self.expr(&event.channel, Scope::Program)?,
                    pattern: self.wanted(&event.pattern, Scope::Program)?,
                    target: event.target,
                    span: event.span,
                });
            }
            states.push(MonitorState { events, end: state.end });
        }
        Ok(Monitor { states, negated: tree.negated, span: tree.span })
    }

    fn wanted(&mut self, pattern: &[Option<Tree>], scope: Scope) -> Resolved<Vec<Option<Expr>>> {
        let fields = pattern.iter();
        fields.map(|field| field.as_ref().map(|value| self.expr(value, scope)).transpose()).collect()
    }

    /// The array variable that a tree names and its indices, if it is an element of one.
    pub(super) fn element<'t>(&self, tree: &'t Tree, scope: Scope) -> Option<(Array, Vec<&'t Tree>)> {
        let mut indices = Vec::new();
        let mut base = tree;
        while let TreeKind::Index(array, index) = &base.kind {
            indices.push(&**index);
            base = array;
        }
        indices.reverse();
        let global = |name: &Name| self.names.globals.find(name, "global").ok().map(Array::Global);
        let array = match (&base.kind, scope) {
            (TreeKind::Name(name), Scope::Procedure(id))
                if self.names.locals[id.index()].get(name).is_some() =>
            {
                Array::Local(self.names.locals[id.index()].find(name, "local").ok()?)
            }
            (TreeKind::Name(name), Scope::Fun(id)) if self.names.params[id.index()].get(name).is_some() => {
                return None;
            }
            (TreeKind::Name(name) | TreeKind::Global(name), _) => global(name)?,
            _ => return None,
        };
        let variable = match (array, scope) {
            (Array::Local(local), Scope::Procedure(id)) => &self.program.procedures[id].locals[local],
            (Array::Local(_), _) => return None,
            (Array::Global(id), _) => &self.program.globals[id],
        };
        (variable.dims.len() == indices.len()).then_some((array, indices))
    }

    pub(super) fn process_action(&mut self, tree: &ActionTreeKind, scope: Scope) -> Resolved<ActionKind> {
        Ok(match tree {
            ActionTreeKind::Send { sorted, channel, message } => ActionKind::Send {
                channel: self.expr(channel, scope)?,
                sorted: *sorted,
                message: self.exprs(message, scope)?,
            },
            ActionTreeKind::Receive { anywhere, keep, channel, pattern } => {
                let channel = self.expr(channel, scope)?;
                let mut fields = Vec::new();
                for field in pattern {
                    fields.push(match field {
                        PatternTree::Store(place) => Pattern::Store(self.place(place, scope)?),
                        PatternTree::Match(value) => Pattern::Match(self.expr(value, scope)?),
                        PatternTree::Any => Pattern::Any,
                    });
                }
                ActionKind::Receive { channel, anywhere: *anywhere, keep: *keep, pattern: fields }
            }
            ActionTreeKind::SetPriority(thread, priority) => {
                ActionKind::SetPriority(self.expr(thread, scope)?, self.expr(priority, scope)?)
            }
            ActionTreeKind::Print(format, args) => {
                ActionKind::Print { format: self.string(format), args: self.exprs(args, scope)? }
            }
            _ => unreachable!("all programs have the others"),
        })
    }

    pub(super) fn process_kind(&mut self, tree: &TreeKind, scope: Scope) -> Resolved<ExprKind> {
        Ok(match tree {
            TreeKind::Fact(fact) => fact.clone(),
            TreeKind::FirstThread(name) => {
                ExprKind::FirstThread(self.names.procedures.find(name, "procedure")?)
            }
            TreeKind::ThreadsAt { individual, procedure, locations } => {
                let procedure = self.names.procedures.find(procedure, "procedure")?;
                let locations = locations.iter().map(|name| self.location_id(name, procedure));
                let locations = locations.collect::<Resolved<_>>()?;
                if *individual {
                    ExprKind::IndividualAt { procedure, locations }
                } else {
                    ExprKind::ThreadsAt { procedure, locations }
                }
            }
            TreeKind::Channel(name) => ExprKind::Channel(self.names.channels.find(name, "channel")?),
            TreeKind::ThreadAt { thread, procedure, locations } => {
                let procedure = self.names.procedures.find(procedure, "procedure")?;
                let locations = locations.iter().map(|name| self.location_id(name, procedure));
                let locations = locations.collect::<Resolved<_>>()?;
                ExprKind::ThreadAt { thread: self.boxed(thread, scope)?, procedure, locations }
            }
            TreeKind::ThreadLocal { thread, procedure, local, indices } => {
                let procedure: ProcedureId = self.names.procedures.find(procedure, "procedure")?;
                ExprKind::ThreadLocal {
                    thread: self.boxed(thread, scope)?,
                    procedure,
                    local: self.names.locals[procedure.index()].find(local, "local")?,
                    indices: self.exprs(indices, scope)?,
                }
            }
            TreeKind::ChannelHas { anywhere, channel, pattern } => ExprKind::ChannelHas {
                channel: self.boxed(channel, scope)?,
                anywhere: *anywhere,
                pattern: self.wanted(pattern, scope)?,
            },
            _ => unreachable!("all programs have the others"),
        })
    }
}
