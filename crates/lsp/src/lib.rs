//! The language server for BIR and Promela.
//!
//! An editor opens texts, changes them, and asks about them, in the Language Server Protocol. The server answers from
//! two sources only: the front ends, which say what is wrong with a text and what its names stand for
//! ([`check::Analysis`]), and checks, which run in a thread of their own.
//!
//! | what an editor shows | module |
//! |---|---|
//! | mistakes as one types, and the run to a violation | `diagnostics` |
//! | types, values, definitions, references, new names | `names` |
//! | symbols, folds, the kinds of names | `outline` |
//! | what can stand at the cursor | `completion` |
//! | *check*, with the verdict | `checks`, and the code lenses in `server` |
//!
//! The server opens no file and writes to no stream: [`serve`] gets a connection, and a provider for files that are
//! not open.

mod analysis;
mod checks;
mod completion;
mod diagnostics;
mod documents;
mod lines;
mod names;
mod outline;
mod server;
mod settings;
mod uri;
mod workspace;

pub use documents::Files;
pub use lsp_server::Connection;
pub use server::{CHECK, Ended, STOP, serve};
