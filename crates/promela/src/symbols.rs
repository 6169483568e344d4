//! Variables, types and scopes.
//!
//! A variable of a record type is flattened into its *leaves*: one array or scalar per field that is not a
//! record, with the dimensions of all arrays on the way. After name resolution there are only leaves.
//!
//! Only braces open scopes: a variable declared in one option of an `if` is known in the next. Names of the
//! top level and of the outermost scope of a process cannot be declared again inside.

use std::rc::Rc;

use ir::{IntType, Width};
use rustc_hash::FxHashMap;
use source::Span;

use crate::objects::PointeeId;
use crate::tree::{Ex, SymbolId};

/// A type that holds a number.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Scalar {
    /// `bit` and `bool`.
    Bit,
    /// `byte` and `pid`.
    Byte,
    Short,
    Int,
    Unsigned(u32),
    Chan,
    /// With the index of its list of names.
    Mtype(usize),
    /// A process, in dynamic programs; otherwise, the number of a process is a `Byte`.
    Process,
    Pointer(PointeeId),
    /// `ftype`: the number of a function from 1, or 0.
    Function,
}

impl Scalar {
    /// The values of a place of this type. Bits are bytes where they are `packed` into an array, or hidden.
    pub fn range(self, packed: bool) -> IntType {
        let (lo, hi) = match self {
            Self::Bit if !packed => (0, 1),
            Self::Bit | Self::Byte | Self::Chan | Self::Mtype(_) | Self::Process => (0, 255),
            Self::Function => (0, 65_535),
            // Its type is that of what it points to.
            Self::Pointer(_) => (0, 0),
            Self::Short => (i64::from(i16::MIN), i64::from(i16::MAX)),
            Self::Int => (i64::from(i32::MIN), i64::from(i32::MAX)),
            Self::Unsigned(bits) => (0, (1 << bits) - 1),
        };
        IntType { width: Width::Int, lo, hi, wrap: true }
    }

    /// The order in which the initial values of globals are computed.
    pub fn phase(self) -> usize {
        match self {
            Self::Unsigned(_) => 0,
            Self::Bit => 1,
            Self::Byte | Self::Process | Self::Pointer(_) | Self::Function => 2,
            Self::Chan => 3,
            Self::Mtype(_) => 4,
            Self::Short => 5,
            Self::Int => 6,
        }
    }
}

/// The phase of records: after all others.
pub const RECORD_PHASE: usize = 7;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ty {
    Scalar(Scalar),
    /// An index into the table of typedefs.
    Record(usize),
}

#[derive(Debug)]
pub struct Typedef {
    pub name: Rc<str>,
    pub fields: Vec<Field>,
    /// The number of leaves of a variable of this type.
    pub leaves: usize,
    pub span: Span,
}

#[derive(Debug)]
pub struct Field {
    pub name: Rc<str>,
    pub ty: Ty,
    pub size: Option<u32>,
    pub init: Option<Init>,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub enum Init {
    Value(Ex),
    List(Vec<Ex>),
    Channel(ChannelType),
}

impl Init {
    /// The expressions in it.
    pub fn values(&self) -> &[Ex] {
        match self {
            Self::Value(value) => std::slice::from_ref(value),
            Self::List(values) => values,
            Self::Channel(_) => &[],
        }
    }
}

#[derive(Clone, Debug)]
pub struct ChannelType {
    pub capacity: u32,
    /// Records flattened.
    pub fields: Vec<(Scalar, bool)>,
    /// The typedef, if there is exactly one field and it is a record.
    pub record: Option<usize>,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub struct Leaf {
    /// With the names of the fields.
    pub name: String,
    /// The fields that lead to it, as positions in their typedefs.
    pub path: Vec<usize>,
    pub scalar: Scalar,
    pub dims: Vec<u32>,
    /// Whether the innermost field, or the variable, is an array itself.
    pub packed: bool,
    pub init: Option<Init>,
}

#[derive(Debug)]
pub struct Symbol {
    pub name: Rc<str>,
    /// The process it belongs to, as an index into the table of processes.
    pub owner: Option<usize>,
    pub ty: Ty,
    pub size: Option<u32>,
    pub leaves: Vec<Leaf>,
    pub param: bool,
    /// Declared `hidden`.
    pub hidden: bool,
    /// Its value is read somewhere other than in `printf`.
    pub read: bool,
    /// It occurs somewhere, even if it is only set.
    pub used: bool,
    /// Made by the front end.
    pub made: bool,
    /// The scope that it is declared in.
    pub scope: u32,
    /// What pointers to it lead to, if its address is taken: then it is an object, and its place holds a
    /// reference to that.
    pub boxed: Option<PointeeId>,
    pub span: Span,
}

impl Symbol {
    pub fn scalar(&self) -> Option<Scalar> {
        match self.ty {
            Ty::Scalar(scalar) => Some(scalar),
            Ty::Record(_) => None,
        }
    }

    /// Whether it is not part of the state: it is `hidden`, or a global that is only written and neither a
    /// channel nor a record.
    pub fn untracked(&self) -> bool {
        let unread = self.owner.is_none()
            && !self.read
            && !matches!(self.ty, Ty::Record(_) | Ty::Scalar(Scalar::Chan));
        self.hidden || unread
    }

    /// The values of a leaf.
    pub fn range(&self, leaf: &Leaf) -> IntType {
        match leaf.scalar {
            // SPIN keeps these in a byte.
            Scalar::Unsigned(_) if self.untracked() && self.scalar().is_some() => Scalar::Byte.range(false),
            scalar => scalar.range(leaf.packed || (self.untracked() && self.scalar().is_some())),
        }
    }

    /// The number of scalars in the variable, including all elements of arrays and all fields of the messages
    /// that its channels hold.
    pub fn elements(&self) -> u64 {
        self.leaves.iter().map(Leaf::elements).fold(0, u64::saturating_add)
    }

    /// The channel type that the variable was declared with.
    pub fn channel(&self, leaf: usize) -> Option<&ChannelType> {
        match &self.leaves.get(leaf)?.init {
            Some(Init::Channel(channel)) => Some(channel),
            _ => None,
        }
    }
}

impl Leaf {
    /// The number of elements of an array, over all dimensions.
    pub fn count(&self) -> u64 {
        self.dims.iter().map(|&size| u64::from(size)).fold(1, u64::saturating_mul)
    }

    fn elements(&self) -> u64 {
        let held = match &self.init {
            Some(Init::Channel(channel)) => u64::from(channel.capacity) * channel.fields.len() as u64,
            _ => 0,
        };
        self.count().saturating_mul(1 + held)
    }
}

/// The number of leaves of a variable or field of a type.
pub fn leaf_count(typedefs: &[Typedef], ty: Ty) -> usize {
    match ty {
        Ty::Scalar(_) => 1,
        Ty::Record(id) => typedefs[id].leaves,
    }
}

/// The leaves of a variable or field.
pub fn leaves(typedefs: &[Typedef], name: &str, ty: Ty, size: Option<u32>, init: Option<&Init>) -> Vec<Leaf> {
    match ty {
        Ty::Scalar(scalar) => vec![Leaf {
            name: name.to_owned(),
            path: Vec::new(),
            scalar,
            dims: size.into_iter().collect(),
            packed: size.is_some(),
            init: init.cloned(),
        }],
        Ty::Record(id) => {
            let mut all = Vec::new();
            for (at, field) in typedefs[id].fields.iter().enumerate() {
                let inner = leaves(typedefs, &field.name, field.ty, field.size, field.init.as_ref());
                all.extend(inner.into_iter().map(|mut leaf| {
                    leaf.name = format!("{name}.{}", leaf.name);
                    leaf.path.insert(0, at);
                    leaf.dims.splice(0..0, size);
                    leaf
                }));
            }
            all
        }
    }
}

/// One value of a type, as it lies in objects: elements and fields come one after the other.
#[derive(Clone, Debug)]
pub struct Cell {
    /// What leads to it from the whole: `key`, `inner[1].key`.
    pub name: String,
    pub scalar: Scalar,
    /// Whether it is an element of an array of values.
    pub packed: bool,
    /// The initial value, of all elements of the array or by element.
    pub init: Option<Init>,
}

/// The number of cells of a value of a type.
pub fn size_of(typedefs: &[Typedef], ty: Ty) -> u64 {
    match ty {
        Ty::Scalar(_) => 1,
        Ty::Record(id) => {
            let fields = typedefs[id].fields.iter();
            let size =
                |field: &Field| size_of(typedefs, field.ty).saturating_mul(field.size.map_or(1, u64::from));
            fields.map(size).fold(0, u64::saturating_add)
        }
    }
}

/// The cells of a value of a type, in order.
pub fn cells(typedefs: &[Typedef], ty: Ty) -> Vec<Cell> {
    let id = match ty {
        Ty::Scalar(scalar) => {
            return vec![Cell { name: String::new(), scalar, packed: false, init: None }];
        }
        Ty::Record(id) => id,
    };
    let mut all = Vec::new();
    for field in &typedefs[id].fields {
        for index in 0..field.size.unwrap_or(1) {
            let name = match field.size {
                Some(_) => format!("{}[{index}]", field.name),
                None => field.name.to_string(),
            };
            for mut cell in cells(typedefs, field.ty) {
                let is_value = cell.name.is_empty();
                cell.name = if is_value { name.clone() } else { format!("{name}.{}", cell.name) };
                if is_value {
                    cell.packed = field.size.is_some();
                    cell.init = match &field.init {
                        Some(Init::List(list)) => {
                            list.get(index as usize).or(list.last()).cloned().map(Init::Value)
                        }
                        init => init.clone(),
                    };
                }
                all.push(cell);
            }
        }
    }
    all
}

/// An array on the way to a cell: its length, and the number of cells of an element.
pub type Stride = (u32, u64);

/// Where the cells of a path of fields begin in an array of a type, or in one value: the number of those before
/// them, in the first elements of all arrays on the way, and these arrays.
pub fn place_of(typedefs: &[Typedef], ty: Ty, size: Option<u32>, path: &[usize]) -> (u64, Vec<Stride>) {
    let mut strides: Vec<Stride> = size.map(|size| (size, size_of(typedefs, ty))).into_iter().collect();
    let (mut at, mut ty) = (0, ty);
    for &step in path {
        let Ty::Record(id) = ty else { break };
        let fields = &typedefs[id].fields;
        let size = |field: &Field| size_of(typedefs, field.ty) * field.size.map_or(1, u64::from);
        at += fields[..step].iter().map(size).sum::<u64>();
        ty = fields[step].ty;
        strides.extend(fields[step].size.map(|size| (size, size_of(typedefs, ty))));
    }
    (at, strides)
}

/// A range of the text between braces.
#[derive(Debug, Default)]
pub struct Scope {
    names: FxHashMap<Rc<str>, SymbolId>,
    /// Unique in the model.
    pub id: u32,
}

/// The scopes around a place, innermost last. The first one is that of the model.
#[derive(Debug)]
pub struct Scopes {
    stack: Vec<Scope>,
    /// By scope: the one around it.
    parents: Vec<u32>,
}

impl Scopes {
    pub fn new() -> Self {
        Self { stack: vec![Scope::default()], parents: vec![0] }
    }

    pub fn open(&mut self) {
        let id = self.parents.len() as u32;
        self.parents.push(self.id());
        self.stack.push(Scope { names: FxHashMap::default(), id });
    }

    /// The innermost scope.
    pub fn id(&self) -> u32 {
        self.stack.last().map_or(0, |scope| scope.id)
    }

    /// A scope and those around it, innermost first, without that of the model.
    pub fn around(&self, scope: u32) -> impl Iterator<Item = u32> {
        std::iter::successors(Some(scope), |&at| Some(self.parents[at as usize])).take_while(|&at| at != 0)
    }

    pub fn close(&mut self) {
        self.stack.pop();
    }

    pub fn declare(&mut self, name: &Rc<str>, symbol: SymbolId) {
        if let Some(scope) = self.stack.last_mut() {
            scope.names.insert(name.clone(), symbol);
        }
    }

    pub fn find(&self, name: &str) -> Option<SymbolId> {
        self.stack.iter().rev().find_map(|scope| scope.names.get(name)).copied()
    }

    /// All names that are known here.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.stack.iter().flat_map(|scope| scope.names.keys().map(|name| &**name))
    }

    /// The symbol of this name in the innermost scope.
    pub fn here(&self, name: &str) -> Option<SymbolId> {
        self.stack.last()?.names.get(name).copied()
    }

    /// The symbol that a declaration of this name would clash with.
    pub fn clash(&self, name: &str) -> Option<SymbolId> {
        // SPIN looks a name up before it declares it, and finds those of the enclosing scopes.
        self.find(name)
    }

    /// The ids of the scopes around this place.
    pub fn path(&self) -> Vec<u32> {
        self.stack.iter().map(|scope| scope.id).collect()
    }
}
