//! Gives the command its version: that of the package, with the commit if it is built from a checkout.

use std::path::{Path, PathBuf};
use std::process::Command;

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    let package = env("CARGO_PKG_VERSION");
    let root = PathBuf::from(env("CARGO_MANIFEST_DIR")).join("../..");
    let version = match commit(&root) {
        Some(commit) => format!("{package} ({commit})"),
        None => package,
    };
    println!("cargo:rustc-env=QUOTIENT_VERSION={version}");
}

fn env(name: &str) -> String {
    std::env::var(name).unwrap_or_default()
}

/// The commit that is checked out, unless there is no git or the sources are not the root of a checkout: an
/// archive that was unpacked inside of another repository is not.
fn commit(root: &Path) -> Option<String> {
    let top = PathBuf::from(git(root, &["rev-parse", "--show-toplevel"])?);
    if top.canonicalize().ok()? != root.canonicalize().ok()? {
        return None;
    }
    // These change with each commit and checkout.
    for name in ["HEAD", "logs/HEAD", "packed-refs"] {
        let path = root.join(git(root, &["rev-parse", "--git-path", name])?);
        if path.exists() {
            println!("cargo:rerun-if-changed={}", path.display());
        }
    }
    git(root, &["rev-parse", "--short=12", "HEAD"])
}

/// What git says, if it says something.
fn git(root: &Path, args: &[&str]) -> Option<String> {
    let output = Command::new("git").arg("-C").arg(root).args(args).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?.trim().to_owned();
    (output.status.success() && !text.is_empty()).then_some(text)
}
