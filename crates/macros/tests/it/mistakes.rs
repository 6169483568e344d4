//! Mistakes that do not compile, with what the compiler says: the tokens that are wrong, and what to write.
//!
//! `TRYBUILD=overwrite cargo test -p quotient-macros --test it mistakes` writes what it says now.

#[test]
fn mistakes() {
    trybuild::TestCases::new().compile_fail("tests/mistakes/*.rs");
}
