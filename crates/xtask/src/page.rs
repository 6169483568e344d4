//! Pages of the book that have measured tables, and what such a table says about the machine.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};

const END: &str = "<!-- end -->";

/// Writes tables into a file: between the marks of their command if the file has them, otherwise in place of
/// the whole contents.
pub fn write(path: &Path, command: &str, tables: &str) -> Result<()> {
    let old = fs::read_to_string(path).unwrap_or_default();
    let new = between_marks(&old, command, tables).unwrap_or_else(|| tables.to_owned());
    fs::write(path, new).with_context(|| format!("can't write {}", path.display()))
}

/// A text with other tables between its marks, if it has them.
fn between_marks(text: &str, command: &str, tables: &str) -> Option<String> {
    let start = format!("<!-- {command} -->");
    let (before, rest) = text.split_once(&start)?;
    let (_, after) = rest.split_once(END)?;
    Some(format!("{before}{start}\n\n{tables}\n{END}{after}"))
}

/// Processor, cores and memory, as far as the system reports them.
pub fn machine() -> String {
    let value = |path: &str, key: &str| {
        let text = fs::read_to_string(path).ok()?;
        let line = text.lines().find(|line| line.starts_with(key))?;
        Some(line.split_once(':')?.1.trim().to_owned())
    };
    let processor = value("/proc/cpuinfo", "model name").unwrap_or_else(|| "an unknown processor".to_owned());
    let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let memory = value("/proc/meminfo", "MemTotal")
        .and_then(|total| total.strip_suffix(" kB")?.parse::<u64>().ok())
        .map(|kilobytes| format!(", {:.1} GB of memory", kilobytes as f64 * 1024.0 / 1e9));
    format!("{processor}, {cores} cores{}", memory.unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_go_between_the_marks_of_their_command() {
        let page = "Before.\n\n<!-- a -->\nold\n<!-- end -->\n\n<!-- a b -->\nold\n<!-- end -->\nAfter.\n";
        let first =
            "Before.\n\n<!-- a -->\n\nnew\n\n<!-- end -->\n\n<!-- a b -->\nold\n<!-- end -->\nAfter.\n";
        let second =
            "Before.\n\n<!-- a -->\nold\n<!-- end -->\n\n<!-- a b -->\n\nnew\n\n<!-- end -->\nAfter.\n";
        assert_eq!(between_marks(page, "a", "new\n").as_deref(), Some(first));
        assert_eq!(between_marks(page, "a b", "new\n").as_deref(), Some(second));
        assert_eq!(between_marks(page, "b", "new\n"), None);
    }
}
