//! The names of types and places in messages for users.

use crate::{IntType, Program, Type, TypeId, Width};

impl Program {
    /// A type as BIR writes it.
    pub fn type_name(&self, ty: TypeId) -> String {
        match self.types[ty] {
            Type::Bool => "boolean".to_owned(),
            Type::Int(IntType::INT) => "int".to_owned(),
            Type::Int(IntType::LONG) => "long".to_owned(),
            Type::Int(int) => {
                let name = match int.width {
                    Width::Int => "int",
                    Width::Long => "long",
                };
                format!("{name} {}({}, {})", if int.wrap { "wrap " } else { "" }, int.lo, int.hi)
            }
            Type::Enum(id) | Type::Abstract(id) => self.enums[id].name.clone(),
            Type::Tid => "tid".to_owned(),
            Type::Record(id) => self.records[id].name.clone(),
            Type::Array(element) => format!("{}[]", self.type_name(element)),
            Type::Pointer => "pointer".to_owned(),
            Type::String => "string".to_owned(),
            Type::Lock => "lock".to_owned(),
            Type::Channel => "chan".to_owned(),
            Type::Null => "null".to_owned(),
            Type::Set(element) => format!("Set.type<{}>", self.type_name(element)),
            Type::Bag(element) => format!("Bag.type<{}>", self.type_name(element)),
            Type::Map(key, value) => format!("Map.type<{}, {}>", self.type_name(key), self.type_name(value)),
            Type::Seq(element) => format!("Seq.type<{}>", self.type_name(element)),
            Type::Queue(element) => format!("Queue.type<{}>", self.type_name(element)),
        }
    }
}
