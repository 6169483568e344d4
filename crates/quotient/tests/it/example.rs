//! The page of the book about the library shows an example, and the example does what the page says.

use testing::book::{Page, pages};

/// The example as a part of these tests: its own tests run, too.
#[path = "../../examples/model_tests.rs"]
mod model_tests;

const EXAMPLE: &str = include_str!("../../examples/model_tests.rs");

fn page() -> Page {
    let page = pages().into_iter().find(|page| page.name == "book/src/checking/rust-api.md");
    page.expect("the page about the library")
}

#[test]
fn the_example_runs() {
    model_tests::main().expect("the example ends well");
}

#[test]
fn the_page_shows_what_a_test_prints_that_fails() {
    let page = page();
    let shown = page.blocks.iter().find(|block| block.language == "text").expect("a block of text");
    assert_eq!(shown.text, model_tests::counterexample().expect("the example ends well"));
}

/// All of the example but its first comment, and `main` with what comes after it, in the order of the page.
#[test]
fn the_page_shows_the_example() {
    let (_, code) = EXAMPLE.split_once("\n\n").expect("a comment and code");
    let (code, _) = code.split_once("\npub fn main() ").expect("a main function");
    let mut rest = code;
    for block in page().blocks.iter().filter(|block| block.language == "rust") {
        rest = rest
            .trim_start_matches('\n')
            .strip_prefix(&*block.text)
            .unwrap_or_else(|| panic!("{}: the example goes on with\n{rest}", block.place));
    }
    assert_eq!(rest, "", "the page leaves this out");
}
