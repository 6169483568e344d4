//! `quotient lsp`: the language server.

use std::io::{self, Write as _};
use std::process::ExitCode;
use std::sync::Arc;

use ::lsp::{Connection, Ended, serve};

use crate::files::SharedDisk;

/// The exit code if the editor left without a word, as the protocol wants it.
const ABRUPT: u8 = 1;

pub fn lsp() -> ExitCode {
    let (connection, threads) = Connection::stdio();
    let ended = serve(&connection, Arc::new(SharedDisk));
    drop(connection);
    if let Err(error) = threads.join() {
        drop(writeln!(io::stderr(), "error: the conversation with the editor has ended: {error}"));
    }
    match ended {
        Ended::Properly => ExitCode::SUCCESS,
        Ended::Abruptly => ExitCode::from(ABRUPT),
    }
}
