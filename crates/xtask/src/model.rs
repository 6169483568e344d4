//! Models: their files, their names, and the options in their headers.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

/// A Promela file and the constants to define for it.
#[derive(Clone, Debug)]
pub struct Model {
    /// Its name in tables and in the list of known differences.
    pub name: String,
    /// Absolute.
    pub path: PathBuf,
    /// `NAME=VALUE`
    pub defines: Vec<String>,
}

impl Model {
    /// The model of a file; `defines` come after those of its header, and so override them.
    pub fn open(path: &Path, name: String, defines: &[String]) -> Result<Self> {
        let path = path.canonicalize().with_context(|| format!("no model {}", path.display()))?;
        let text = fs::read(&path).with_context(|| format!("can't read {}", path.display()))?;
        let mut all = header_defines(&String::from_utf8_lossy(&text))
            .with_context(|| format!("in the header of {}", path.display()))?;
        for define in defines {
            let name = |define: &str| define.split('=').next().map(str::to_owned);
            all.retain(|old| name(old) != name(define));
            all.push(define.clone());
        }
        Ok(Self { name, path, defines: all })
    }

    /// `-DNAME=VALUE` for each.
    pub fn define_options(&self) -> impl Iterator<Item = String> {
        self.defines.iter().map(|define| format!("-D{define}"))
    }

    /// Whether the text uses C statements or expressions; comments don't count.
    pub fn has_embedded_c(&self) -> bool {
        self.has_word(&["c_code", "c_expr", "c_decl", "c_state", "c_track"])
    }

    /// Whether the text can observe merging, which SPIN applies all the same: priorities, and questions about
    /// enabled or last processes.
    pub fn observes_merging(&self) -> bool {
        self.has_word(&["_last", "enabled", "pc_value", "local"]) || self.has_priorities()
    }

    /// Whether some processes may not step although their next statement is possible.
    pub fn restricts_processes(&self) -> bool {
        self.has_priorities() || self.has_word(&["provided"])
    }

    /// Whether processes have priorities.
    fn has_priorities(&self) -> bool {
        self.has_word(&["priority", "_priority", "get_priority", "set_priority"])
    }

    /// Whether there are labels that mark progress.
    pub fn has_progress_labels(&self) -> bool {
        self.text().split(|c: char| !c.is_alphanumeric() && c != '_').any(|word| word.starts_with("progress"))
    }

    fn text(&self) -> String {
        without_comments(&String::from_utf8_lossy(&fs::read(&self.path).unwrap_or_default()))
    }

    fn has_word(&self, words: &[&str]) -> bool {
        self.text().split(|c: char| !c.is_alphanumeric() && c != '_').any(|word| words.contains(&word))
    }
}

/// All `.pml` files below a folder, in order, named by their path from the root.
pub fn below(folder: &Path, root: &Path) -> Result<Vec<Model>> {
    let mut files = Vec::new();
    collect(folder, &mut files)?;
    files.sort();
    files
        .iter()
        .map(|path| {
            let name = path.strip_prefix(root).unwrap_or(path).display().to_string();
            Model::open(path, name, &[])
        })
        .collect()
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) -> Result<()> {
    for entry in fs::read_dir(folder).with_context(|| format!("can't list {}", folder.display()))? {
        let path = entry?.path();
        if path.is_dir() {
            collect(&path, files)?;
        } else if path.extension().is_some_and(|extension| extension == "pml") {
            files.push(path);
        }
    }
    Ok(())
}

/// The `-D NAME=VALUE` of a line `// options:` in the comment that a model begins with.
fn header_defines(text: &str) -> Result<Vec<String>> {
    let mut defines = Vec::new();
    for line in text.lines().map_while(|line| line.strip_prefix("//")) {
        let Some(options) = line.trim_start().strip_prefix("options:") else { continue };
        let mut words = options.split_whitespace();
        while let Some(word) = words.next() {
            match (word.strip_prefix("-D"), words.next()) {
                (Some(""), Some(define)) => defines.push(define.to_owned()),
                _ => bail!("options that are not `-D NAME=VALUE`: {options}"),
            }
        }
    }
    Ok(defines)
}

fn without_comments(text: &str) -> String {
    let mut rest = text;
    let mut kept = String::new();
    while let Some(start) = rest.find("/*") {
        kept.push_str(&rest[..start]);
        kept.push(' ');
        rest = rest[start + 2..].find("*/").map_or("", |end| &rest[start + 2 + end + 2..]);
    }
    kept.push_str(rest);
    kept.lines().map(|line| line.split("//").next().unwrap_or_default()).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn defines_of_a_header() {
        let text = "// A model.\n// options: -D N=3 -D SAFE=1\n// states: 7\nbyte x;\n// options: -D M=4\n";
        assert_eq!(header_defines(text).unwrap(), ["N=3", "SAFE=1"]);
        assert!(header_defines("// options: --fast 3\n").is_err());
    }

    #[test]
    fn comments_hide_embedded_c() {
        assert_eq!(without_comments("a /* c_code */ b // c_expr\nc"), "a   b \nc");
        assert_eq!(without_comments("a /* open"), "a  ");
    }
}
