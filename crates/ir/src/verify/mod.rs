//! The rules that a [`Program`] must satisfy before it is run.
//!
//! Front ends report the mistakes of users; an error here is a mistake of a front end. Interpreters rely on
//! these rules and do not check them again. Everything is checked in one pass over the tables, without
//! panics, whatever the tables contain.
//!
//! *Tables*
//! - Every id is in the range of its table.
//! - The bounds of an integer type are in order and fit its width. The types of arrays and collections come
//!   after the types they are made of, which are at most [`MAX_TYPE_SIZE`].
//! - The type of an enum is abstract exactly if the enum is.
//! - Enums have an element, and no two of one name. String constants are distinct.
//! - The ancestors of a record are itself and the ancestors of its parents, in ascending order, and no record
//!   is an ancestor of its own parent.
//! - The fields of a record are those that its ancestors declare, each once, inherited ones first.
//! - No variable, field, parameter, result or element has the type of `null`.
//! - The initial value of a variable is of its type and in its range; parameters have none, and neither do
//!   collections and elements of abstract enums, unless `null`.
//! - An array variable has at least one element and fewer than [`MAX_ARRAY_SIZE`], which are integers,
//!   booleans, elements of enums, references or threads. Parameters are not arrays. The meaning of integers
//!   is an enum that exists, and only integers have a meaning.
//!
//! *Expressions*
//! - They have the type of [`Program::natural_type`], except that integer constants may have any type that
//!   holds them, arithmetic any integer type of its width, and `?:` any type that admits both of its cases,
//!   of no lesser width.
//! - Operands fit: integers, booleans, locks, threads, arrays or records where these are needed; both sides
//!   of `==` of one kind; a selected field belongs to the static record; constants are in their enum.
//! - `&&`, `||`, `=>`, `!`, guards, conditions, asserts, assumes and invariants are boolean.
//! - Arguments match parameters in number and type; so does the body of a pure function its result.
//! - An operation on a collection is one that its kind has. It has the right number of operands, which the
//!   types of elements, keys and values admit, or which are an index or a capacity. The operation that
//!   creates a collection has the type of one, and for a map has values for all keys. Two sets that are
//!   joined or compared are of one type.
//! - Quantifiers range over collections; their function takes an element, of exactly that type, and the
//!   captures, and returns a boolean.
//! - Constants of abstract enums occur in invariants, in propositions and in assertions.
//! - Parameters of pure functions occur in their bodies only, local variables in procedures only. Invariants
//!   have neither, and ask nothing about the thread that evaluates them (`lockAvailable`, `hasLock`,
//!   `wasNotified`), not even in functions they call.
//! - A property has at most [`MAX_PROPOSITIONS`] propositions, and its formula or claim has no others.
//!   Propositions follow the rules for invariants. A claim starts at one of its states, its edges lead to its
//!   states and have marks of its sets only. The locations where threads are counted are plain ones of the
//!   procedure, in order.
//! - A property [about individuals](crate::Property::each) is a formula about the threads of a thread
//!   procedure, in a program that has no observable ids of threads and no fused locations, and in which no
//!   `else` starts one of them. Only its own propositions ask where the individual is.
//! - Array variables occur with an index for each dimension, and nothing else has indices.
//! - They are at most [`MAX_EXPR_DEPTH`] deep.
//!
//! *Procedures*
//! - The entry, the handlers and all targets of gotos are plain locations of the same procedure.
//! - Threads have no result. A return has a value exactly in procedures with a result.
//! - A catch covers plain locations of its procedure, and its variable admits its record.
//! - Locals of a live set are locals of the procedure, each once.
//! - A location lists exactly the transitions that leave from it, each once; at most one of them is an `else`
//!   of each rank, and at a fused location at most one at all.
//! - A resume location has no transitions and no live set, its origin is a plain location of its procedure,
//!   and only calls of its procedure lead to it.
//! - Functions are called and threads are started, not the other way round. Where a call stores a result, the
//!   callee has one that fits.
//! - A virtual table has targets, one per record, that are functions of equally many parameters and all or
//!   none with a result; the first parameter admits the record; descendants of a record in the table are in
//!   it too. A virtual call fits every target.
//! - `Choose` takes a collection, and the place admits its elements.
//! - A thrown value is `null` or descends from a throwable record.
//! - Active procedures are threads, without parameters unless ids of threads are observable.
//!
//! *Observable ids of threads*
//! - Only programs that [have them](Features::thread_ids_observable) remember the last thread, have untracked
//!   variables (which are globals), priorities, exclusive transitions and channels of threads, and ask for
//!   ids of threads, for what threads of given ids do, and for timeouts.
//! - They have no types of threads, locks and elements of abstract enums. A start stores an integer.
//! - Only programs that remember the thread that took the last step ask for it.
//!
//! - Untracked variables are integers, booleans or elements of enums that are not abstract, and do not occur
//!   together with collections.
//!
//! *Channels*
//! - A message has 1 to [`MAX_MESSAGE_FIELDS`] fields: integers that wrap, references, threads or elements of
//!   abstract enums. The capacity of a channel is at most [`MAX_CHANNEL_CAPACITY`]. No channel occurs twice,
//!   from the start or with one thread, and only a thread that has a channel names it.
//! - In [flat](Program::is_flat) programs, channels are integers, and so are all fields of messages and
//!   patterns. In others, channels are references to objects, and fields may be what a message can carry; there
//!   are no channels with numbers, no channels of threads and no monitor.
//! - Messages are sent and received only by the first action of a transition, whose guard is neither `else`
//!   nor [`Guard::Ready`], and of which no other action chooses or waits.
//! - A monitor has at least one state, and its targets are among its states. Its expressions are integers
//!   over globals. The last state of a negated one has no events.
//!
//! *Processes*
//! - Only threads have channels, prologues, conditions, claims and priorities; functions have none of them.
//! - Prologues assign and make objects, that of the program for globals. Claims are integers. Priorities are not 0.
//! - Fused locations have transitions, at most one of them an `else`, and are not entries of threads. No
//!   action there chooses or waits, other than for a message. [`Guard::Ready`] names a fused location of its
//!   procedure and does not stand at one.
//! - Programs with functions have no claims, and do not ask for the locations, variables and possible steps of threads.
//! - Whether a thread can step is asked only where no body chooses or waits, other than for a message.
//! - Programs with atomic locations have no exclusive transitions and do not ask for timeouts.

mod code;
mod collections;
mod equivariance;
mod features;

pub use equivariance::{Exchange, Refuted, verify_exchange};

use std::collections::BTreeSet;
use std::fmt::Display;

use crate::*;

/// The largest nesting depth of expressions, so that recursive functions over them are safe.
pub const MAX_EXPR_DEPTH: usize = 500;

/// The largest number of types that a type is made of, including itself, so that it can always be printed.
pub const MAX_TYPE_SIZE: usize = 500;

/// An array variable has fewer elements than this.
pub const MAX_ARRAY_SIZE: usize = 1 << 20;

/// The largest number of fields of a message.
pub const MAX_MESSAGE_FIELDS: usize = 1024;

/// The largest capacity of a channel.
pub const MAX_CHANNEL_CAPACITY: u32 = 65535;

/// Checks `program`, and reports everything that is wrong with it.
pub fn verify(program: &Program) -> Result<(), Vec<String>> {
    let mut verifier = Verifier {
        program,
        context: String::new(),
        may_name_elements: false,
        individual: None,
        has_channel_numbers: program.is_flat(),
        errors: Vec::new(),
    };
    verifier.types();
    verifier.records();
    verifier.variables();
    verifier.funs();
    verifier.procedures();
    verifier.virtuals();
    verifier.locations();
    verifier.transitions();
    verifier.properties();
    verifier.features();
    if verifier.errors.is_empty() { Ok(()) } else { Err(verifier.errors) }
}

struct Verifier<'p> {
    program: &'p Program,
    /// What is being checked, for the messages.
    context: String,
    /// Whether constants of abstract enums may occur here.
    may_name_elements: bool,
    /// The procedure of the individual, where questions about it are allowed.
    individual: Option<ProcedureId>,
    /// Whether channels are known by numbers, rather than references.
    has_channel_numbers: bool,
    errors: Vec<String>,
}

impl Verifier<'_> {
    fn error(&mut self, message: impl Display) {
        self.errors.push(format!("{}: {message}", self.context));
    }

    fn demand(&mut self, holds: bool, message: impl Display) {
        if !holds {
            self.error(message);
        }
    }

    /// The type of this id, unless it is out of range.
    fn ty(&mut self, id: TypeId) -> Option<Type> {
        let ty = self.program.types.get(id);
        self.demand(ty.is_some(), format_args!("{id} does not exist"));
        ty
    }

    /// The type of a variable, parameter, result or element.
    fn place_type(&mut self, id: TypeId) {
        let null = self.ty(id) == Some(Type::Null);
        self.demand(!null, "nothing can be of the type of null");
    }

    /// Checks the type of an element of `of`.
    fn element_type(&mut self, element: TypeId, of: TypeId) {
        self.demand(element < of, "a type must stand after the types it is made of");
        let is_pointer = self.ty(element) == Some(Type::Pointer);
        self.demand(!is_pointer, "pointers are elements of blocks only");
        self.place_type(element);
    }

    fn types(&mut self) {
        let program = self.program;
        let mut sizes: Table<TypeId, usize> = Table::new();
        for (id, ty) in program.types.iter() {
            self.context = format!("{id}");
            let size = |part| sizes.get(part).copied().unwrap_or(0);
            let parts = match ty {
                Type::Array(element) => size(element),
                Type::Map(key, value) => size(key) + size(value),
                _ => ty.element().map_or(0, size),
            };
            self.demand(parts < MAX_TYPE_SIZE, format_args!("is made of more than {MAX_TYPE_SIZE} types"));
            sizes.push(MAX_TYPE_SIZE.min(1 + parts));
            match ty {
                Type::Int(int) => {
                    let whole = int.width.whole();
                    let fits = whole.lo <= int.lo && int.lo <= int.hi && int.hi <= whole.hi;
                    self.demand(fits, format_args!("{}..{} is no range of its width", int.lo, int.hi));
                }
                Type::Enum(item) | Type::Abstract(item) => {
                    self.demand(program.enums.get(item).is_some(), format_args!("{item} does not exist"));
                    let fits = program.enum_type(item).is_none_or(|fitting| fitting == ty);
                    self.demand(fits, "an enum is abstract and its type is not, or the other way round");
                }
                Type::Record(item) => {
                    self.demand(program.records.get(item).is_some(), format_args!("{item} does not exist"));
                }
                Type::Array(element)
                | Type::Set(element)
                | Type::Bag(element)
                | Type::Seq(element)
                | Type::Queue(element) => self.element_type(element, id),
                Type::Map(key, value) => {
                    self.element_type(key, id);
                    self.element_type(value, id);
                }
                Type::Bool
                | Type::Tid
                | Type::String
                | Type::Lock
                | Type::Pointer
                | Type::Channel
                | Type::Null => {}
            }
        }
        for item in program.enums.values() {
            self.context = format!("enum {}", item.name);
            self.demand(!item.elements.is_empty(), "has no elements");
            let names: BTreeSet<_> = item.elements.iter().collect();
            self.demand(names.len() == item.elements.len(), "two elements have one name");
        }
        let contents: BTreeSet<_> = program.strings.values().collect();
        self.context = "strings".into();
        self.demand(contents.len() == program.strings.len(), "two constants are equal");
    }

    fn records(&mut self) {
        let program = self.program;
        for (id, field) in program.fields.iter() {
            self.context = format!("field {} ({id})", field.name);
            self.place_type(field.ty);
            let listed = program.records.get(field.owner).is_some_and(|record| record.fields.contains(&id));
            self.demand(listed, "its owner does not have it");
        }
        for (id, record) in program.records.iter() {
            self.context = format!("record {}", record.name);
            let mut ancestors = BTreeSet::from([id]);
            for &parent in &record.parents {
                let Some(parent) = program.records.get(parent) else {
                    self.error(format_args!("its parent {parent} does not exist"));
                    continue;
                };
                self.demand(!parent.ancestors.contains(&id), "is an ancestor of its own parent");
                ancestors.extend(&parent.ancestors);
            }
            self.demand(
                record.ancestors.iter().eq(&ancestors),
                "ancestors are not those of the parents and itself in ascending order",
            );
            let declared = program.fields.iter().filter(|(_, field)| ancestors.contains(&field.owner));
            let declared: BTreeSet<_> = declared.map(|(field, _)| field).collect();
            let listed: BTreeSet<_> = record.fields.iter().copied().collect();
            self.demand(listed.len() == record.fields.len(), "has a field twice");
            self.demand(listed == declared, "fields are not those that its ancestors declare");
            let own = |field: FieldId| program.fields.get(field).is_some_and(|field| field.owner == id);
            self.demand(
                record.fields.iter().is_sorted_by_key(|&field| own(field)),
                "own fields stand before inherited ones",
            );
        }
    }

    fn variables(&mut self) {
        for variable in self.program.globals.values() {
            self.context = format!("global {}", variable.name);
            self.variable(variable);
        }
    }

    fn variable(&mut self, variable: &Variable) {
        self.place_type(variable.ty);
        let (Some(init), Some(ty)) = (variable.init, self.program.types.get(variable.ty)) else { return };
        let fits = match (init, ty) {
            (Const::Bool(_), Type::Bool) => true,
            (Const::Int(value), Type::Int(int)) => (int.lo..=int.hi).contains(&value),
            (Const::Enum(id, element), Type::Enum(of)) => id == of && self.element_exists(id, element),
            (Const::String(id), Type::String) => self.program.strings.get(id).is_some(),
            (Const::Null, _) => self.program.admits(ty, Type::Null),
            _ => false,
        };
        self.demand(fits, format_args!("the initial value of {} is not of its type", variable.name));
    }

    fn element_exists(&self, id: EnumId, element: u32) -> bool {
        self.program.enums.get(id).is_some_and(|item| (element as usize) < item.elements.len())
    }

    fn funs(&mut self) {
        let program = self.program;
        for (id, fun) in program.funs.iter() {
            self.context = format!("fun {}", fun.name);
            for (_, ty) in &fun.params {
                self.place_type(*ty);
            }
            self.place_type(fun.result);
            let body = self.expr(&fun.body, Scope::Fun(id));
            if let (Some(body), Some(result)) = (body, program.types.get(fun.result)) {
                self.demand(program.admits(result, body), "the body is not of the type of the result");
            }
        }
    }

    fn procedures(&mut self) {
        let program = self.program;
        for (id, procedure) in program.procedures.iter() {
            self.context = format!("procedure {}", procedure.name);
            self.demand(procedure.params <= procedure.locals.len(), "has more parameters than locals");
            for (local, variable) in procedure.locals.iter() {
                self.variable(variable);
                let initialized_param = local.index() < procedure.params && variable.init.is_some();
                self.demand(
                    !initialized_param,
                    format_args!("parameter {} has an initial value", variable.name),
                );
            }
            if let Some(result) = procedure.result {
                self.place_type(result);
                self.demand(procedure.kind == ProcedureKind::Function, "a thread has no result");
            }
            self.plain(procedure.entry, id, "entry");
            for catch in &procedure.catches {
                let ty = procedure.locals.get(catch.variable).and_then(|local| program.types.get(local.ty));
                let fits = program.records.get(catch.record).is_some()
                    && ty.is_some_and(|ty| program.admits(ty, Type::Record(catch.record)));
                self.demand(fits, "the variable of a catch does not admit its record");
                for &location in &catch.covers {
                    self.plain(location, id, "covered location");
                }
                self.plain(catch.handler, id, "handler");
            }
        }
        self.context = "active threads".into();
        for &active in &program.active {
            let fits = program.procedures.get(active).is_some_and(|procedure| {
                procedure.kind == ProcedureKind::Thread
                    && (procedure.params == 0 || program.features.thread_ids_observable)
            });
            self.demand(fits, format_args!("{active} is not a thread without parameters"));
        }
    }

    /// Whether `location` is a plain location of `procedure`.
    fn plain(&mut self, location: LocationId, procedure: ProcedureId, what: &str) {
        let fits =
            self.program.locations.get(location).is_some_and(|location| {
                location.procedure == procedure && location.kind == LocationKind::Plain
            });
        self.demand(fits, format_args!("{what} {location} is not a plain location of the procedure"));
    }

    fn virtuals(&mut self) {
        let program = self.program;
        for table in program.virtuals.values() {
            self.context = format!("virtual {}", table.name);
            self.demand(!table.targets.is_empty(), "has no targets");
            let records: BTreeSet<_> = table.targets.iter().map(|&(record, _)| record).collect();
            self.demand(records.len() == table.targets.len(), "has two targets for one record");
            let mut shapes = BTreeSet::new();
            for &(record, target) in &table.targets {
                let Some(procedure) = program.procedures.get(target) else {
                    self.error(format_args!("{target} does not exist"));
                    continue;
                };
                self.demand(
                    procedure.kind == ProcedureKind::Function,
                    format_args!("{} is no function", procedure.name),
                );
                let receiver = procedure.locals.values().take(procedure.params).next();
                let receiver = receiver.and_then(|receiver| program.types.get(receiver.ty));
                let fits = program.records.get(record).is_some()
                    && receiver.is_some_and(|ty| program.admits(ty, Type::Record(record)));
                self.demand(fits, format_args!("{} does not admit {record}", procedure.name));
                shapes.insert((procedure.params, procedure.result.is_some()));
            }
            self.demand(shapes.len() <= 1, "its targets differ in parameters or result");
            for (id, record) in program.records.iter() {
                let closed = records.contains(&id) || !record.ancestors.iter().any(|a| records.contains(a));
                self.demand(closed, format_args!("has a target for an ancestor of {} only", record.name));
            }
        }
    }

    fn properties(&mut self) {
        let program = self.program;
        let asking = code::asking_funs(program);
        for invariant in &program.invariants {
            self.context = format!("invariant {}", invariant.name);
            self.may_name_elements = true;
            self.boolean(&invariant.expr, Scope::Program, "the invariant");
            self.may_name_elements = false;
            self.demand(
                !code::asks_thread(&invariant.expr, &asking),
                "asks about the thread that evaluates it",
            );
        }
        for property in &program.properties {
            self.context = format!("property {}", property.name);
            if let Some(each) = &property.each {
                self.each(each, property);
            }
            self.individual = property.each.as_ref().map(|each| each.procedure);
            for prop in &property.props {
                self.may_name_elements = true;
                self.boolean(&prop.expr, Scope::Program, "the proposition");
                self.may_name_elements = false;
                let asks = code::asks_thread(&prop.expr, &asking);
                self.demand(!asks, "asks about the thread that evaluates it");
            }
            let fits = property.props.len() <= property.most_props();
            self.demand(fits, format_args!("has more than {} propositions", property.most_props()));
            for prop in property.used_props() {
                let exists = (prop.0 as usize) < property.props.len();
                self.demand(exists, format_args!("proposition {} does not exist", prop.0));
            }
            if let PropertyKind::Claim(claim) = &property.kind {
                self.claim_automaton(claim);
            }
        }
        self.individual = None;
    }

    fn each(&mut self, each: &Each, property: &Property) {
        let program = self.program;
        let is_thread = |procedure: &Procedure| procedure.kind == ProcedureKind::Thread;
        let known = program.procedures.get(each.procedure).is_some_and(is_thread);
        self.demand(
            known && !program.features.thread_ids_observable,
            "it is about what is no thread, or has a number",
        );
        self.demand(!program.has_fused_locations(), "it is about threads that may be at fused locations");
        let is_formula = matches!(property.kind, PropertyKind::Formula(_));
        self.demand(is_formula, "a claim is about no individual");
    }

    fn claim_automaton(&mut self, claim: &ltl::Automaton) {
        let exists = |state: ltl::State| state.index() < claim.edges.len();
        self.demand(exists(claim.initial), "its claim starts nowhere");
        self.demand(claim.sets <= ltl::Marks::LIMIT, "its claim has too many acceptance sets");
        for edge in claim.edges.iter().flatten() {
            self.demand(exists(edge.to), format_args!("state {} does not exist", edge.to.0));
            let marks = claim.sets > ltl::Marks::LIMIT || ltl::Marks::all(claim.sets).contains(edge.marks);
            self.demand(marks, "an edge has the mark of a set that does not exist");
        }
    }
}
