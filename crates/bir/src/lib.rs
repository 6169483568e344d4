//! The BIR front end.
//!
//! BIR describes threads that share globals and a heap. A thread is written as guarded commands between
//! locations, or as statements, which are compiled to the same form. [`compile`] turns a file into a
//! [`Program`](ir::Program) in four passes: `lexer`, `parser`, `resolve` (names, constants, types) and
//! `lower` (bodies, with their checks). Every error of a model has a code in [`codes`].
//!
//! # Where the language leaves a choice
//!
//! - All names of the top level share one namespace, except for properties. Locals shadow them.
//! - Words that have a meaning at one place only can be names: `top`, `throwable`, `abstract`, `main`,
//!   `active`, `wrap`, `live`, `invisible`, `fair`, `at`, `length`, `size`, `forall`, `exists`, `in`, `all`,
//!   `type`, `for`, `break`, `continue`, `import`, `delete`, and the names of the collections and of their operations.
//! - Precedence is Java's; `=>` binds weaker than `||` and associates to the right, `?:` is the weakest. The
//!   condition of a quantifier reaches as far to the right as it can.
//! - A literal that does not fit an `int` is a `long`, with or without `L`. `(long) e` widens; there are no
//!   other casts of integers, since values are checked when they are stored.
//! - Constant expressions are possible wherever the grammar has a literal.
//! - Records can be compared, cast and tested if some record descends from both; otherwise it is an error.
//! - Arrays are invariant: an `S[]` is not an `R[]`, nor an `int (0, 3)[]` an `int[]`.
//! - A literal out of the range of its place is an error at compile time; other values are checked at run
//!   time.
//! - An atomic block covers the functions that it calls.
//! - `catch (R v)` declares `v` for its block, or uses an existing local `v`.
//! - Collections are values of exactly their types: a `Set.type<S>` is not a `Set.type<R>`. The types of a
//!   new collection can be left out where a place, the other side of `==` or the collection around it has
//!   them; the arguments of `create` alone do not determine them.
//! - `name:` before a statement is a label. A thread may stay for ever at `name end:`, and at
//!   `loc name end:`. The mark is a word rather than a part of the name, since old models have locations of
//!   any name, and it comes after the name, since `end` before it would end a block.
//! - A loop over a set, a bag or a map explores every order, because elements of sets have none.
//! - `new` inside of an expression makes its object before the rest of the statement, in the same step.
//! - `Set{1, 2}` has the kind in front, so that a brace never starts an expression, and brackets remain the
//!   operator `[]` of formulas. Its first element determines its type where nothing else does.
//! - `delete` followed by a name or a parenthesis is a statement, and never declares a variable of a type with
//!   that name. A program that deletes objects has explicit memory.
//! - `F` and `G` are not operators of formulas: they could be pure functions, as in `F (x)`.
//! - `Set.add(s, x);`, also written `s.add(x);`, is `s := Set.add(s, x);`, for all operations whose result is
//!   a collection of the type of their first argument. `v := Set.choose(s);` is an action.
//! - `E.all` is the set of all elements of an enum, unless an element has the name `all`.
//! - Elements of abstract enums are named in invariants and assertions only, and not in functions that these
//!   call.

pub mod codes;

mod ast;
mod collections;
mod foreign;
mod format;
mod imports;
mod index;
mod lexer;
mod lower;
mod parser;
mod resolve;
mod text;
mod unused;

use source::{Diagnostic, Diagnostics, FileId, Index, Provider, SourceMap};

pub use format::format;
use lower::Merge;
use resolve::{Defines, Value};

/// Compiles a model that imports no files. `defines` sets constants, by `NAME` or `GROUP.NAME`. There may be
/// warnings even on success.
pub fn compile(
    map: &SourceMap,
    file: FileId,
    defines: &[(String, String)],
) -> Result<(ir::Program, Diagnostics), Diagnostics> {
    let mut diagnostics = Diagnostics::new();
    if let Some((name, span)) = parser::imports(map, file, &mut diagnostics).into_iter().next() {
        let message = format!("`{}` is not imported: there are no other files", text::clip(&name));
        diagnostics.push(Diagnostic::error(codes::BAD_IMPORT, message).at(span, ""));
        return Err(diagnostics);
    }
    compile_merging(map, file, &[], defines, &[], Merge::Straight)
}

/// Compiles a model with the files that it imports, together with properties that are not in it. Each
/// property is a file of its own: a formula as after `ltl`, or an automaton in the HOA format whose
/// propositions are conditions of the model. The name of the file is the name of the property. They come
/// after those of the model.
pub fn compile_with(
    map: &mut SourceMap,
    provider: &dyn Provider,
    file: FileId,
    defines: &[(String, String)],
    properties: &[FileId],
) -> Result<(ir::Program, Diagnostics), Diagnostics> {
    let imports = imports::load(map, provider, file)?;
    compile_merging(map, file, &imports, defines, properties, Merge::Straight)
}

/// Like [`compile`], but every statement of an atomic block keeps its own location. Tests use it to check
/// that merging does not change results.
pub fn compile_unmerged(map: &SourceMap, file: FileId) -> Result<ir::Program, Diagnostics> {
    compile_merging(map, file, &[], &[], &[], Merge::Nothing).map(|(program, _)| program)
}

fn compile_merging(
    map: &SourceMap,
    file: FileId,
    imports: &[FileId],
    defines: &[(String, String)],
    properties: &[FileId],
    merge: Merge,
) -> Result<(ir::Program, Diagnostics), Diagnostics> {
    let mut diagnostics = Diagnostics::new();
    let parsed = parser::parse(map, file, imports, &mut diagnostics);
    let Some(mut system) = parsed else { return Err(diagnostics) };
    for &property in properties {
        let Some(property) = parser::parse_property(map, property, &mut diagnostics) else {
            return Err(diagnostics);
        };
        system.temporal.push(property);
    }
    resolve_and_lower(map, &system, defines, merge, diagnostics, Index::default()).0
}

fn resolve_and_lower(
    map: &SourceMap,
    system: &ast::System<'_>,
    defines: &[(String, String)],
    merge: Merge,
    mut diagnostics: Diagnostics,
    index: Index,
) -> (Result<(ir::Program, Diagnostics), Diagnostics>, Index) {
    let (defines, problems) = Defines::resolve(defines, system);
    for problem in problems {
        diagnostics.push(problem);
    }
    let mut model = resolve::declare(map, system, &defines, diagnostics, index);
    index::define(&mut model);
    lower::lower(&mut model, merge);
    if model.program.deletes() {
        model.program.memory = ir::Memory::Explicit(ir::Leaks::default());
    }
    if !model.diagnostics.has_errors() {
        unused::warn(&mut model);
    }
    let index = model.index;
    if model.diagnostics.has_errors() {
        (Err(model.diagnostics.without_warnings()), index)
    } else {
        (Ok((model.program, model.diagnostics)), index)
    }
}

/// A model as an editor sees it: what its names stand for, as far as that is known, and what [`compile_with`]
/// reports. Where the text is not a model yet, the names come from the parts that can be understood.
pub fn analyse(
    map: &mut SourceMap,
    provider: &dyn Provider,
    file: FileId,
    defines: &[(String, String)],
) -> (Result<Diagnostics, Diagnostics>, Index) {
    let mut unread = Diagnostics::new();
    let imports = imports::load_all(map, provider, file, &mut unread);
    let mut diagnostics = Diagnostics::new();
    let (system, sound) = parser::parse_all(map, file, &imports, &mut diagnostics);
    let (mut found, index) = if sound {
        let (compiled, index) =
            resolve_and_lower(map, &system, defines, Merge::Straight, diagnostics, Index::on());
        (compiled.map(|(_, warnings)| warnings), index)
    } else {
        // Mistakes after the first ones may be consequences.
        let (_, index) =
            resolve_and_lower(map, &system, defines, Merge::Straight, Diagnostics::new(), Index::on());
        (Err(diagnostics), index)
    };
    if unread.has_errors() {
        found = Err(unread);
    }
    (found, index)
}

/// Whether a text can be a name.
pub fn is_name(text: &str) -> bool {
    let mut lexer = lexer::Lexer::new(text, 0);
    let first = lexer.next();
    first.token == lexer::Token::Ident && first.end as usize == text.len()
}

/// The words that cannot be names.
pub fn keywords() -> impl Iterator<Item = &'static str> {
    lexer::KEYWORDS.iter().copied()
}

/// A constant that the command line can set.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ConstantInfo {
    pub group: String,
    pub name: String,
    /// The value in the model.
    pub value: String,
}

/// The constants of a model that are numbers or booleans. Imported files are not looked at.
pub fn constants(map: &SourceMap, file: FileId) -> Result<Vec<ConstantInfo>, Diagnostics> {
    let mut diagnostics = Diagnostics::new();
    let Some(system) = parser::parse(map, file, &[], &mut diagnostics) else { return Err(diagnostics) };
    let model = resolve::declare(map, &system, &Defines::default(), diagnostics, Index::default());
    let mut constants = Vec::new();
    for (index, group) in system.consts.iter().enumerate() {
        for (name, _) in &group.elements {
            let constant = model.constants.get(&(index, name.text));
            let value = match constant.and_then(|constant| constant.value.as_ref()) {
                Some(Value::Int(value, _)) => value.to_string(),
                Some(Value::Bool(value)) => value.to_string(),
                _ => continue,
            };
            let (group, name) = (group.name.text.to_owned(), name.text.to_owned());
            constants.push(ConstantInfo { group, name, value });
        }
    }
    if model.diagnostics.has_errors() { Err(model.diagnostics) } else { Ok(constants) }
}
