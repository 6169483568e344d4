//! The README shows a model in Rust, and what a test of it prints.

use testing::book::pages;

use crate::lost_update;

#[test]
fn the_readme_shows_a_model_and_how_its_test_fails() {
    let readme = pages().into_iter().find(|page| page.name == "README.md").expect("a README");
    let block = |language: &str| readme.blocks.iter().find(|block| block.language == language);

    let code = block("rust").expect("a model in Rust").text.replace("#[test]\nfn ", "pub fn ");
    assert_eq!(code, include_str!("lost_update.rs"));

    let panic = std::panic::catch_unwind(lost_update::no_update_is_lost).expect_err("the model is wrong");
    let message = panic.downcast_ref::<String>().expect("a message");
    assert_eq!(block("text").expect("the message of the test").text.trim_end(), message.trim_end());
}
