//! Types.

use super::*;

pub(super) const COLLECTIONS: &[&str] = &["Set", "Bag", "Map", "Seq", "Queue"];

impl Parser {
    pub(super) fn ty(&mut self) -> Parsed<TypeTree> {
        Ok(self.dimensions(false)?.0)
    }

    /// A type, followed by the length of an array if `make`.
    pub(super) fn dimensions(&mut self, make: bool) -> Parsed<(TypeTree, Option<Tree>)> {
        let mut ty = self.base_type()?;
        for _ in 0..=MAX_TYPE_SIZE {
            if !self.take("[") {
                return Ok((ty, None));
            }
            if make && !self.is("]") {
                let length = self.expr()?;
                self.expect("]")?;
                return Ok((ty, Some(length)));
            }
            self.expect("]")?;
            let at = ty.at;
            ty = TypeTree { kind: TypeKind::Array(Box::new(ty)), at };
        }
        self.fail("fewer dimensions")
    }

    pub(super) fn base_type(&mut self) -> Parsed<TypeTree> {
        let at = self.at();
        let kind = if self.take("boolean") {
            TypeKind::Boolean
        } else if self.is("int") || self.is("long") {
            let long = self.take("long") || !self.take("int");
            let wrap = self.take("wrap");
            let range = if wrap || self.is("(") {
                self.expect("(")?;
                let lo = self.integer()?;
                self.expect(",")?;
                let hi = self.integer()?;
                self.expect(")")?;
                Some((lo, hi, wrap))
            } else {
                None
            };
            TypeKind::Int { long, range }
        } else if self.take("tid") {
            TypeKind::Tid
        } else if self.take("string") {
            TypeKind::String
        } else if self.take("lock") {
            TypeKind::Lock
        } else if self.take("pointer") {
            TypeKind::Pointer
        } else if self.take("chan") {
            TypeKind::Channel
        } else if self.take("null") {
            TypeKind::Null
        } else if self.take("enum") {
            TypeKind::Enum(self.name()?)
        } else if self.take("record") {
            TypeKind::Record(self.name()?)
        } else if COLLECTIONS.iter().any(|word| self.is(word)) {
            self.collection_type()?
        } else if self.is_name() {
            TypeKind::Named(self.name()?)
        } else {
            return self.fail("a type");
        };
        Ok(TypeTree { kind, at })
    }

    pub(super) fn collection_type(&mut self) -> Parsed<TypeKind> {
        self.enter()?;
        let Token::Word(word) = self.advance() else { return self.fail("a collection") };
        self.expect("<")?;
        let element = Box::new(self.ty()?);
        let kind = match word.as_str() {
            "Set" => TypeKind::Set(element),
            "Bag" => TypeKind::Bag(element),
            "Seq" => TypeKind::Seq(element),
            "Queue" => TypeKind::Queue(element),
            _ => {
                self.expect(",")?;
                TypeKind::Map(element, Box::new(self.ty()?))
            }
        };
        self.expect(">")?;
        self.nesting -= 1;
        Ok(kind)
    }

    /// An integer with its sign.
    pub(super) fn integer(&mut self) -> Parsed<i64> {
        let negative = self.take("-");
        let Token::Number(magnitude) = self.peek().token else { return self.fail("an integer") };
        let value = if negative { -i128::from(magnitude) } else { i128::from(magnitude) };
        let Ok(value) = i64::try_from(value) else { return self.fail("an integer of 64 bits") };
        self.next += 1;
        Ok(value)
    }
}
