//! Programs for the tests of everything that reads or runs programs.

pub mod channels;
pub mod heap;
mod mixed;
mod processes;
mod properties;
mod random;

/// A program with objects, a recursive function and a channel of references.
pub const POST: &str = include_str!("post.ir");

pub use mixed::{random_mixed, random_mixed_text};
pub use processes::{random_processes, random_processes_text};
pub use properties::add_random_property;
pub use random::{random_program, random_text};

use ir::{Program, text, verify};

/// A program written as text. Panics with all errors if it does not verify.
pub fn program(text: &str) -> Program {
    let program = text::parse(text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    if let Err(errors) = verify(&program) {
        panic!("{}\n{text}", errors.join("\n"));
    }
    program
}

/// Dining philosophers with forks on the heap: `n` threads, started by one that builds the ring in a single
/// step. There are 36, 393 and 4287 states for 3, 5 and 7 philosophers.
pub fn philosophers(n: usize) -> Program {
    program(&format!(
        "program philosophers;
        record Object {{}}
        record Fork extends Object {{ boolean isHeld; }}
        thread Philosopher(Fork left, Fork right) {{
          loc loc0: when !left.isHeld do {{ left.isHeld := true; }} goto loc1;
          loc loc1: when !right.isHeld do {{ right.isHeld := true; }} goto loc2;
          loc loc2: do {{ right.isHeld := false; }} goto loc3;
          loc loc3: do {{ left.isHeld := false; }} goto loc0;
        }}
        thread MAIN() {{
          local int i;
          local Fork first;
          local Fork left;
          local Fork right;
          loc loc0: do {{ first := new Fork; left := first; i := 1; }} goto loop;
          loc loop atomic:
            when i < {n} do {{ right := new Fork; start Philosopher(left, right); left := right; i := i + 1; }}
              goto loop;
            when i >= {n} do {{ start Philosopher(left, first); }} return;
        }}
        active MAIN;"
    ))
}
