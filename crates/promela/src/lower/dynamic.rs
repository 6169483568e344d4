//! Dynamic programs: objects become records of the IR, functions become procedures.
//!
//! What a pointer leads to is a record with a field for each cell of its type, elements of arrays included; a
//! pointer to a number leads to a record of one field. A pointer is a reference to such a record, unless the
//! program takes the address of a part of an object that has its type, or makes several in a row: then it is
//! a pointer of the IR, to a leaf of whatever object. A value of type `ftype` is the number of a function, from 1.
//!
//! Places are in `spots`, variables that begin and end in `lifetimes`, functions in `calls`, statements in `acts`.

use ir::{Const, Expr, ExprKind, Field, FieldId, Id as _, IntType, Record, RecordId, Type, TypeId};
use source::{Diagnostic, Span};

use super::Lowering;
use super::exprs::Value;
use crate::codes;
use crate::objects::{Dynamic, Pointee};
use crate::symbols::{Cell, Init, Leaf, Scalar, Ty, cells, size_of};
use crate::tree::{Ex, ExKind, SymbolId};
use crate::typing::Kind;

/// The record that pointers of one type lead to.
pub(super) struct Shape {
    pub record: RecordId,
    /// For variables whose address is taken: an heir that ends with its scope.
    pub boxed: Option<RecordId>,
    /// By cell.
    pub fields: Vec<FieldId>,
    pub cells: Vec<Cell>,
    /// The type of the whole.
    pub ty: Ty,
}

/// A record with more fields than this is not supported as an object.
pub(super) const MAX_CELLS: u64 = 1 << 12;

impl Lowering<'_, '_> {
    /// Arrays of pointers are objects, even if their addresses are not taken.
    pub(super) fn find_arrays_of_pointers(&mut self) {
        for at in 0..self.builder.symbols.len() {
            let is_pointer = |leaf: &Leaf| matches!(leaf.scalar, Scalar::Pointer(_)) && !leaf.dims.is_empty();
            if self.builder.symbols[at].leaves.iter().any(is_pointer) {
                self.builder.put_in_object(SymbolId(at as u32));
            }
        }
    }

    /// The records that pointers lead to.
    pub(super) fn records(&mut self) {
        let count = self.builder.pointees.len();
        for at in 0..count {
            let pointee = self.builder.pointees[at].clone();
            let (name, ty, span) = match &pointee {
                Pointee::Record(name) => {
                    let found = self.builder.typedefs.iter().position(|known| known.name == *name);
                    let span = found.map_or(Span::default(), |at| self.builder.typedefs[at].span);
                    (name.to_string(), found.map(Ty::Record), span)
                }
                Pointee::Scalar(scalar) => {
                    (self.scalar_name(*scalar), Some(Ty::Scalar(*scalar)), Span::default())
                }
            };
            let size = ty.map_or(0, |ty| size_of(&self.builder.typedefs, ty));
            if size > MAX_CELLS {
                let message = format!("`{name}` has more than {MAX_CELLS} values");
                self.builder.diagnostics.push(
                    Diagnostic::error(codes::UNSUPPORTED_DYNAMIC, message)
                        .at(span, "pointers lead to this type")
                        .help("divide the type into several, with pointers from one to the other"),
                );
            }
            let cells = match ty {
                Some(ty) if size <= MAX_CELLS => cells(&self.builder.typedefs, ty),
                _ => Vec::new(),
            };
            let id = RecordId::from_index(self.program.records.len());
            self.program.records.push(Record {
                name,
                parents: Vec::new(),
                ancestors: vec![id],
                fields: Vec::new(),
                throwable: false,
                scoped: false,
                span,
            });
            let ty = ty.unwrap_or(Ty::Scalar(Scalar::Byte));
            self.shapes.push(Shape { record: id, boxed: None, fields: Vec::new(), cells, ty });
        }
        for at in 0..count {
            let owner = self.shapes[at].record;
            let span = self.program.records[owner].span;
            for cell in self.shapes[at].cells.clone() {
                let ty = self.scalar_type(cell.scalar, cell.scalar.range(cell.packed));
                if let Some(Init::Channel(_)) = cell.init {
                    let message = "a field with a channel as its initial value, in an object";
                    self.builder.diagnostics.push(
                        Diagnostic::error(codes::UNSUPPORTED_DYNAMIC, message)
                            .at(span, "pointers lead to this type")
                            .help("make the channel after the object: `p.c = new chan(1) of { byte }`"),
                    );
                }
                let name = if cell.name.is_empty() { "value".to_owned() } else { cell.name };
                let field = self.program.fields.push(Field { name, ty, owner, span });
                self.program.records[owner].fields.push(field);
                self.shapes[at].fields.push(field);
            }
        }
        for at in 0..self.builder.symbols.len() {
            let Some(pointee) = self.builder.symbols[at].boxed else { continue };
            let Shape { record, boxed: None, .. } = self.shapes[pointee.index()] else { continue };
            let of = &self.program.records[record];
            let id = RecordId::from_index(self.program.records.len());
            let heir = Record {
                name: format!("variable {}", of.name),
                parents: vec![record],
                ancestors: vec![record, id],
                scoped: true,
                ..of.clone()
            };
            self.program.records.push(heir);
            self.shapes[pointee.index()].boxed = Some(id);
        }
    }

    fn scalar_name(&self, scalar: Scalar) -> String {
        match scalar {
            Scalar::Bit => "bit".to_owned(),
            Scalar::Byte => "byte".to_owned(),
            Scalar::Short => "short".to_owned(),
            Scalar::Int => "int".to_owned(),
            Scalar::Unsigned(_) => "unsigned".to_owned(),
            Scalar::Chan => "chan".to_owned(),
            Scalar::Mtype(_) => "mtype".to_owned(),
            Scalar::Process => "pid".to_owned(),
            Scalar::Function => "ftype".to_owned(),
            Scalar::Pointer(pointee) => match &self.builder.pointees[pointee.index()] {
                Pointee::Record(name) => format!("{name}&"),
                Pointee::Scalar(inner) => format!("{}&", self.scalar_name(*inner)),
            },
        }
    }

    /// The type of a place that holds a scalar.
    pub(super) fn scalar_type(&mut self, scalar: Scalar, range: IntType) -> TypeId {
        match scalar {
            Scalar::Chan if self.builder.is_dynamic => self.program.types.intern(Type::Channel),
            Scalar::Pointer(pointee) => {
                let record = self.shapes[pointee.index()].record;
                let is_wide = self.builder.wide[pointee.index()];
                self.program.types.intern(if is_wide { Type::Pointer } else { Type::Record(record) })
            }
            Scalar::Process if self.has_references_to_processes() => self.program.types.intern(Type::Tid),
            _ => self.int(range),
        }
    }

    /// Whether a value of type `pid` is a process, and not its number.
    pub(super) fn has_references_to_processes(&self) -> bool {
        self.builder.is_dynamic && self.numbered.is_none()
    }

    /// The value of `null` or another expression, for a place of this kind.
    pub(super) fn of_kind(&mut self, ex: &Ex, kind: Kind) -> Expr {
        let is_null = matches!(ex.kind, ExKind::Dynamic(Dynamic::Null));
        if is_null && kind == Kind::Function {
            return self.natural(ExprKind::Const(Const::Int(0)), ex.span);
        }
        self.number(ex)
    }

    /// Two expressions that are compared, or of which one is chosen.
    pub(super) fn pair(&mut self, a: &Ex, b: &Ex) -> (Expr, Expr) {
        if !self.builder.is_dynamic {
            return (self.number(a), self.number(b));
        }
        let (left, right) = (self.builder.kind_of(a), self.builder.kind_of(b));
        (self.of_kind(a, right), self.of_kind(b, left))
    }

    /// The value of an expression that only dynamic programs have.
    pub(super) fn dynamic_value(&mut self, ex: &Dynamic, span: Span) -> Value {
        match ex {
            Dynamic::Null => Value { expr: self.natural(ExprKind::Const(Const::Null), span), lo: 0, hi: 0 },
            Dynamic::Function(id) => {
                let number = id.0 as i64 + 1;
                let expr = self.natural(ExprKind::Const(Const::Int(number)), span);
                Value { expr, lo: number, hi: number }
            }
            Dynamic::AddressOf(address, pointee) => {
                Value { expr: self.address(address, *pointee, span), lo: 0, hi: 0 }
            }
            Dynamic::Load(access) => {
                let spot = self.accessed(access);
                self.value_at(spot, access.scalar, span)
            }
            Dynamic::Call(id, args) => {
                let function = self.builder.functions[id.0].clone();
                let Some(fun) = self.funs[id.0] else {
                    let expr = self.natural(ExprKind::Const(Const::Int(0)), span);
                    return Value { expr, lo: 0, hi: 0 };
                };
                let args = self.arguments(&function.params, args, true);
                let range = function.result.unwrap_or(Scalar::Int).range(false);
                let expr = self.natural(ExprKind::Call(fun, args), span);
                Value { expr, lo: range.lo, hi: range.hi }
            }
        }
    }
}
