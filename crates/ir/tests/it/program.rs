//! The functions of `Program`.

use testing::program;

#[test]
fn named_constants_are_those_of_properties_and_assertions() {
    let program = program(
        "program p;
        abstract enum I { a, b, c }
        enum E { a, b }
        abstract enum J { a, b }
        global I i;
        global J j;
        global E e = E::a;
        fun same(I v, I w) returns boolean = v == w;
        thread T() {
          loc l:
            do { assert j == J::b || exists(all I, same, i == null ? I::c : i); assume e == E::b; } goto l;
            do { i := choose all I; assert i != I::c; } return;
        }
        invariant one = i != I::a;
        invariant two = Set<I>(i, null) != Set<I>(I::a) && e == E::a;",
    );
    let names = |(id, element): (ir::EnumId, u32)| {
        let item = &program.enums[id];
        format!("{}::{}", item.name, item.elements[element as usize])
    };
    let named_constants: Vec<_> = program.named_constants().into_iter().map(names).collect();
    assert_eq!(named_constants, ["I::a", "I::c", "J::b"]);
}
