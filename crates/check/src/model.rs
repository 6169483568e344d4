//! From a file to a program.

use source::{Diagnostics, FileId, Provider, SourceMap, Span, Style};

use crate::report::Place;

/// A compiled model, with the text it came from.
#[derive(Debug)]
pub struct Model {
    pub name: String,
    pub map: SourceMap,
    pub program: ir::Program,
    pub defines: Vec<(String, String)>,
    pub warnings: Diagnostics,
    pub file: FileId,
}

/// A model that can't be compiled: the text of its diagnostics is ready to be printed.
#[derive(Debug)]
pub struct Rejected {
    pub text: String,
}

/// Which front end reads a file is told by how its name ends.
const FRONT_ENDS: &[(&str, &str)] = &[("bir", "BIR")];
const PLANNED: &[&str] = &["pml", "prom", "promela"];

impl Model {
    /// Reads and compiles a model.
    pub fn load(
        provider: &dyn Provider,
        path: &str,
        defines: &[(String, String)],
        style: Style,
    ) -> Result<Self, Rejected> {
        let reject = |text: String| Rejected { text: format!("error: {text}\n") };
        let extension = path.rsplit_once('.').map(|(_, extension)| extension.to_ascii_lowercase());
        match extension.as_deref() {
            Some(extension) if FRONT_ENDS.iter().any(|&(known, _)| known == extension) => {}
            Some(extension) if PLANNED.contains(&extension) => {
                return Err(reject(format!(
                    "`{path}` is a Promela model, which this version cannot read yet"
                )));
            }
            _ => {
                return Err(reject(format!(
                    "`{path}` does not end in .bir: the ending tells the language of a model"
                )));
            }
        }
        let mut map = SourceMap::new();
        let file = map
            .load(provider, path)
            .map_err(|diagnostic| Rejected { text: diagnostic.render(&map_of_nothing(), style) })?;
        match bir::compile(&map, file, defines) {
            Ok((program, warnings)) => {
                Ok(Self { name: path.to_owned(), map, program, defines: defines.to_vec(), warnings, file })
            }
            Err(diagnostics) => Err(Rejected { text: diagnostics.render(&map, style) }),
        }
    }

    /// Where a span is, for reports.
    pub fn place(&self, span: Span) -> Place {
        let position = self.map.position(span);
        let file = self.map.file(span.file);
        Place {
            file: file.name().to_owned(),
            line: position.line,
            column: position.column,
            text: file.line_text(position.line).trim().to_owned(),
        }
    }

    /// The compiled program, as text that can be parsed again.
    pub fn ir_text(&self) -> String {
        ir::text::print(&self.program)
    }

    /// A number that changes with whatever matters to a trail: which transitions there are, and what they do.
    /// Lines do not matter, and locations without a name of their own are called by their lines.
    pub fn fingerprint(&self) -> String {
        let mut program = self.program.clone();
        for (index, location) in program.locations.values_mut().enumerate() {
            if location.hidden {
                location.name = format!("hidden{index}");
            }
        }
        format!("{:016x}", xxhash_rust::xxh3::xxh3_64(ir::text::print(&program).as_bytes()))
    }
}

fn map_of_nothing() -> SourceMap {
    SourceMap::new()
}
