//! Kinds of errors: SPIN's messages and our names for them, in one table.

use std::collections::BTreeSet;

/// Kinds by the name that reports of `quotient` give them.
pub type Kinds = BTreeSet<String>;

/// The beginning of a message of SPIN's verifier, and our name for it. The first match counts.
const TABLE: &[(&str, &str)] = &[
    ("assertion violated - invalid array index", "index"),
    ("assertion violated", "assertion"),
    ("invalid end state", "deadlock"),
    ("block in d_step seq", "d-step"),
    ("blocking sel in d_step", "d-step"),
    ("rv-attempt in d_step", "d-step"),
    ("ref to uninitialized chan", "channel"),
    ("ref to unknown chan", "channel"),
    ("qsend bad queue#", "channel"),
    ("qrecv bad queue#", "channel"),
    ("x[rs] claim on uninitialized channel", "channel"),
    ("error to poll rendezvous channel", "channel"),
    ("error, partial order reduction invalid", "exclusive-channel"),
    ("xs chans cannot be used for rv", "exclusive-channel"),
    ("xr chans cannot be used for rv", "exclusive-channel"),
    ("sorted send on xr channel", "exclusive-channel"),
    ("rand receive on xr channel", "exclusive-channel"),
    ("polling ", "exclusive-channel"),
    ("event_trace error", "trace"),
    ("non-determinism in event-trace", "trace"),
    ("non-determinism in D_proctype", "nondeterminism"),
    ("priority is out of range", "range"),
    ("too many processes", "thread-bound"),
    ("too many queues", "heap-bound"),
];

/// Kinds for behaviour that C leaves undefined: SPIN's verifier continues with whatever is in memory.
pub const UNDEFINED: &[&str] = &["index", "division-by-zero", "channel", "range"];

/// Kinds that SPIN does not search for without partial order reduction: the runs continue after them, with
/// the same states.
pub const OURS_ALONE: &[&str] = &["exclusive-channel"];

/// Our name for an error that SPIN reports.
pub fn from_spin(message: &str) -> String {
    TABLE
        .iter()
        .find(|(beginning, _)| message.starts_with(beginning))
        .map_or_else(|| format!("unknown ({message})"), |&(_, kind)| kind.to_owned())
}

/// For tables: `violated deadlock, index`.
pub fn describe(kinds: &Kinds) -> String {
    kinds.iter().map(String::as_str).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_index_error_is_no_mere_assertion() {
        assert_eq!(from_spin("assertion violated - invalid array index"), "index");
        assert_eq!(from_spin("assertion violated (i!=2)"), "assertion");
        assert_eq!(from_spin("invalid end state"), "deadlock");
    }

    #[test]
    fn unknown_messages_stay_visible() {
        assert_eq!(from_spin("cannot happen"), "unknown (cannot happen)");
    }
}
