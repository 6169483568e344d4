//! The models of the benchmark: small and large vectors, with and without channels, 10^5 to 10^7 states.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

use crate::model::Model;

/// A model at a size.
pub struct Entry {
    name: &'static str,
    source: Source,
    /// Name and value of the constants that give the size.
    size: &'static [(&'static str, u32)],
}

enum Source {
    /// Below `models`; sizes can be given from outside.
    Ours(&'static str),
    /// Below the examples that come with SPIN. Their sizes are fixed in the text, which is read and changed
    /// here, since the examples are not ours to copy.
    Example(&'static str),
}
use Source::{Example, Ours};

pub const ENTRIES: &[Entry] = &[
    Entry { name: "leader", source: Example("leader0.pml"), size: &[("N", 6), ("L", 12)] },
    Entry { name: "leader", source: Example("leader0.pml"), size: &[("N", 7), ("L", 14)] },
    Entry { name: "sort", source: Example("sort.pml"), size: &[("N", 7)] },
    Entry { name: "petersonN", source: Example("LTL/petersonN.pml"), size: &[("N", 4)] },
    Entry { name: "pftp", source: Example("LTL/pftp.pml"), size: &[("QSZ", 6)] },
    Entry { name: "cambridge", source: Example("cambridge.pml"), size: &[("QSZ", 9)] },
    Entry { name: "two_phase", source: Ours("bench/two_phase.pml"), size: &[("N", 9)] },
    Entry { name: "lamps", source: Ours("bench/lamps.pml"), size: &[] },
    Entry { name: "tiles", source: Ours("bench/tiles.pml"), size: &[] },
    Entry { name: "forks", source: Ours("bench/forks.pml"), size: &[("N", 11)] },
    Entry { name: "packets", source: Ours("bench/packets.pml"), size: &[("N", 4)] },
    Entry { name: "directory", source: Ours("bench/directory.pml"), size: &[("CACHES", 3)] },
    Entry { name: "bakery", source: Ours("promela/bakery.pml"), size: &[("N", 3), ("TICKETS", 8)] },
    Entry {
        name: "bounded_buffer",
        source: Ours("promela/bounded_buffer.pml"),
        size: &[("PRODUCERS", 4), ("CONSUMERS", 4), ("PLACES", 2)],
    },
    Entry {
        name: "chang_roberts",
        source: Ours("promela/chang_roberts.pml"),
        size: &[("N", 8), ("FACTOR", 3)],
    },
    Entry { name: "fibonacci", source: Ours("promela/fibonacci.pml"), size: &[("N", 4), ("VALUE", 3)] },
    Entry { name: "paxos", source: Ours("promela/paxos.pml"), size: &[("ACCEPTORS", 5)] },
    Entry { name: "philosophers", source: Ours("promela/philosophers.pml"), size: &[("N", 8)] },
    Entry {
        name: "sliding_window",
        source: Ours("promela/sliding_window.pml"),
        size: &[("WINDOW", 4), ("WIRE", 3)],
    },
];

/// Models with objects and threads whose names do not matter: around 10^5 states with full symmetry.
pub const DYNAMIC: &[Entry] = &[
    Entry { name: "philosophers_ordered", source: Ours("philosophers_ordered.bir"), size: &[("N", 10)] },
    Entry { name: "bounded_buffer", source: Ours("bounded_buffer.bir"), size: &[("N", 4), ("M", 3)] },
    Entry {
        name: "ordered_list",
        source: Ours("ordered_list.bir"),
        size: &[("N", 3), ("MAX", 3), ("KEYS", 3)],
    },
    Entry { name: "btree", source: Ours("btree.bir"), size: &[("INSERTERS", 2), ("KEYS", 3)] },
];

impl Entry {
    /// The model; a changed example is written into the folder.
    pub fn open(&self, examples: &Path, folder: &Path) -> Result<Model> {
        match self.source {
            Ours(path) => {
                let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models").join(path);
                let defines: Vec<_> =
                    self.size.iter().map(|(name, value)| format!("{name}={value}")).collect();
                Model::open(&path, self.title(), &defines)
            }
            Example(path) => {
                let path = examples.join(path);
                let text = fs::read_to_string(&path).with_context(|| {
                    format!("can't read {}, one of SPIN's examples (see --examples)", path.display())
                })?;
                let text = resized(&text, self.size).with_context(|| format!("in {}", path.display()))?;
                let copy: PathBuf = folder.join("example.pml");
                fs::write(&copy, text)?;
                Model::open(&copy, self.title(), &[])
            }
        }
    }

    /// Its name, with its size.
    pub fn title(&self) -> String {
        let size: Vec<_> = self.size.iter().map(|(name, value)| format!("{name} = {value}")).collect();
        match self.name {
            name if size.is_empty() => name.to_owned(),
            name => format!("{name} ({})", size.join(", ")),
        }
    }
}

/// The text with other values in its lines `#define NAME VALUE`.
fn resized(text: &str, size: &[(&str, u32)]) -> Result<String> {
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    for &(name, value) in size {
        let defines = |line: &&mut String| {
            let mut words = line.split_whitespace();
            words.next() == Some("#define") && words.next() == Some(name)
        };
        match lines.iter_mut().find(defines) {
            Some(line) => *line = format!("#define {name} {value}"),
            None => bail!("no line `#define {name}`"),
        }
    }
    Ok(lines.join("\n") + "\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_replaced() {
        let text = "#define N\t5\t/* of nodes */\n#define NN 1\nbyte n = N;";
        assert_eq!(resized(text, &[("N", 7)]).unwrap(), "#define N 7\n#define NN 1\nbyte n = N;\n");
        assert!(resized(text, &[("L", 7)]).is_err());
    }

    #[test]
    fn our_models_are_there() {
        let folder = Path::new("/");
        for entry in ENTRIES.iter().chain(DYNAMIC).filter(|entry| matches!(entry.source, Ours(_))) {
            entry.open(folder, folder).unwrap();
        }
    }
}
