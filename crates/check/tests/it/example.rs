//! The page of the book about the library shows an example, and the example does what the page says.

use testing::book::pages;

/// The example as a part of these tests: its own tests run, too.
#[path = "../../examples/model_tests.rs"]
mod model_tests;

const EXAMPLE: &str = include_str!("../../examples/model_tests.rs");

#[test]
fn the_example_runs() {
    model_tests::main().expect("the example ends well");
}

#[test]
fn the_page_shows_the_example() {
    let pages = pages();
    let page = pages.iter().find(|page| page.name == "book/src/checking/rust-api.md").expect("the page");
    let mut rest = EXAMPLE;
    let mut shown = 0;
    for block in page.blocks.iter().filter(|block| block.language == "rust") {
        let (_, after) = rest
            .split_once(&block.text)
            .unwrap_or_else(|| panic!("{}: not in the example, or not in this order", block.place));
        rest = after;
        shown += block.text.lines().count();
    }
    // All of it but its comment and its `main`.
    let main = "\npub fn main() ";
    assert!(rest.starts_with(main), "the page leaves out:\n{}", rest.split(main).next().unwrap_or_default());
    assert!(shown > 80, "the page shows only {shown} lines");
}
