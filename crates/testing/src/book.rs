//! The fenced blocks of the book and of the README, for the tests that run them.
//!
//! A block starts with a line of three backquotes and an info string, and ends with a line of three
//! backquotes. The info string is a language and attributes, separated by commas:
//! `bir,violated=deadlock,states=36`.

use std::fs;
use std::path::{Path, PathBuf};

use crate::models::root;

/// A page with its blocks in order.
pub struct Page {
    pub path: PathBuf,
    /// Relative to the root of the repository.
    pub name: String,
    pub text: String,
    pub blocks: Vec<Block>,
}

pub struct Block {
    /// Where the block is, as `page:line`.
    pub place: String,
    /// The line number of the first line of the contents, from 0.
    pub line: usize,
    pub language: String,
    pub attributes: Vec<(String, String)>,
    pub text: String,
}

impl Block {
    /// The value of an attribute; empty if it is only named.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.attributes.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }
}

/// The README and all pages of the book.
pub fn pages() -> Vec<Page> {
    let root = root();
    let mut paths = vec![root.join("README.md")];
    collect(&root.join("book/src"), &mut paths);
    paths.sort();
    paths.into_iter().map(|path| page(&root, path)).collect()
}

fn collect(folder: &Path, paths: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("the book is there") {
        let path = entry.expect("a folder can be read").path();
        if path.is_dir() {
            collect(&path, paths);
        } else if path.extension().is_some_and(|extension| extension == "md") {
            paths.push(path);
        }
    }
}

fn page(root: &Path, path: PathBuf) -> Page {
    let text = fs::read_to_string(&path).expect("a page is text");
    let name = path.strip_prefix(root).unwrap_or(&path).to_string_lossy().replace('\\', "/");
    let mut blocks: Vec<Block> = Vec::new();
    let mut open = false;
    for (number, line) in text.lines().enumerate() {
        let place = format!("{name}:{}", number + 1);
        match line.strip_prefix("```") {
            Some("") if open => open = false,
            Some(_) if open => panic!("{place}: a block starts inside of a block"),
            Some(info) => {
                open = true;
                blocks.push(block(info, place, number + 1));
            }
            None => {
                assert!(!line.trim_start().starts_with("```"), "{place}: blocks start at the margin");
                if open {
                    let block = blocks.last_mut().expect("a block is open");
                    block.text.push_str(line);
                    block.text.push('\n');
                }
            }
        }
    }
    assert!(!open, "{name}: the last block does not end");
    Page { path, name, text, blocks }
}

fn block(info: &str, place: String, line: usize) -> Block {
    let mut parts = info.split(',').map(str::trim);
    let language = parts.next().unwrap_or_default().to_owned();
    assert!(!language.is_empty(), "{place}: a block without a language; write `text` for plain text");
    let attributes = parts
        .map(|part| part.split_once('=').unwrap_or((part, "")))
        .map(|(key, value)| (key.to_owned(), value.to_owned()))
        .collect();
    Block { place, line, language, attributes, text: String::new() }
}
