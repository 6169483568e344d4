//! Channels, monitors, and questions about threads and channels by number.

use super::*;

impl Printer<'_> {
    /// The dimensions and the meaning of a variable.
    pub(super) fn shape(&self, variable: &Variable) -> String {
        let dims: Vec<String> = variable.dims.iter().map(|len| format!("[{len}]")).collect();
        format!("{}{}", dims.concat(), self.meaning(variable.meaning))
    }

    /// The indices of an element of an array variable.
    pub(super) fn indices(&self, indices: &[Expr], scope: Scope) -> String {
        let indices: Vec<String> =
            indices.iter().map(|index| format!("[{}]", self.expr(index, scope, 0))).collect();
        indices.concat()
    }

    fn meaning(&self, meaning: Meaning) -> String {
        match meaning {
            Meaning::Number => String::new(),
            Meaning::Symbol(id) => format!(" means enum {}", self.enum_name(id)),
            Meaning::Channel => " means channel".to_owned(),
        }
    }

    pub(super) fn channels(&self, out: &mut String) -> fmt::Result {
        let program = self.program;
        for (id, channel) in program.channels.iter() {
            let fields = channel.fields.iter();
            let fields =
                join(fields.map(|field| format!("{}{}", self.ty(field.ty), self.meaning(field.meaning))));
            let scoped = if channel.scoped { " scoped" } else { "" };
            writeln!(out, "\nchannel {} [{}] {{ {fields} }}{scoped};", self.channel(id), channel.capacity)?;
        }
        if !program.first_channels.is_empty() {
            let first = program.first_channels.iter().map(|&id| self.channel(id));
            writeln!(out, "\nchannels {};", join(first))?;
        }
        Ok(())
    }

    pub(super) fn prologue(
        &self,
        out: &mut String,
        actions: &[Action],
        scope: Scope,
        indent: &str,
    ) -> fmt::Result {
        if actions.is_empty() {
            return Ok(());
        }
        let gap = if scope == Scope::Program { "\n" } else { "" };
        writeln!(out, "{gap}{indent}prologue {{")?;
        for action in actions {
            writeln!(out, "{indent}  {};", self.action(action, scope))?;
        }
        writeln!(out, "{indent}}}")
    }

    pub(super) fn monitor(&self, out: &mut String, monitor: &Monitor) -> fmt::Result {
        writeln!(out, "\nmonitor {}{{", if monitor.negated { "negated " } else { "" })?;
        for state in &monitor.states {
            writeln!(out, "  state {}{{", if state.end { "end " } else { "" })?;
            for event in &state.events {
                let word = if event.send { "send" } else { "receive" };
                let operands = self.wanted(&event.channel, &event.pattern, Scope::Program);
                writeln!(out, "    {word}({operands}) goto {};", event.target)?;
            }
            writeln!(out, "  }}")?;
        }
        writeln!(out, "}}")
    }

    /// A channel, and the values that the fields of a message must have.
    pub(super) fn wanted(&self, channel: &Expr, pattern: &[Option<Expr>], scope: Scope) -> String {
        let field = |field: &Option<Expr>| match field {
            Some(value) => self.expr(value, scope, 0),
            None => "*".to_owned(),
        };
        join(std::iter::once(self.expr(channel, scope, 0)).chain(pattern.iter().map(field)))
    }
}
