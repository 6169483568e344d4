//! What the verifier accepts and refuses.

use ir::*;
use testing::{SplitMix64, effort, philosophers, random_program};

fn zoo() -> Program {
    text::parse(include_str!("zoo.ir")).unwrap()
}

/// The zoo after `change` must be refused with `message`.
#[track_caller]
fn refused(change: impl FnOnce(&mut Program), message: &str) {
    let mut program = zoo();
    change(&mut program);
    let errors = verify(&program).expect_err("a broken program verifies");
    assert!(errors.iter().any(|error| error.contains(message)), "{errors:#?}");
    // Broken programs can be printed.
    let _ = text::print(&program);
}

/// The text must be refused with `message`.
#[track_caller]
fn refused_text(declarations: &str, message: &str) {
    let program =
        text::parse(&format!("program p; {declarations}")).unwrap_or_else(|error| panic!("{error}"));
    let errors = verify(&program).expect_err("a broken program verifies");
    assert!(errors.iter().any(|error| error.contains(message)), "{errors:#?}");
}

const NOWHERE: u32 = 1000;

#[test]
fn good_programs_verify() {
    assert_eq!(verify(&zoo()), Ok(()));
    assert_eq!(verify(&philosophers(5)), Ok(()));
    assert_eq!(verify(&Program::default()), Ok(()));
    for seed in 0..effort(500) {
        assert_eq!(verify(&random_program(seed)), Ok(()), "{seed}");
    }
}

#[test]
fn tables() {
    refused(|p| _ = p.types.intern(Type::Enum(EnumId(NOWHERE))), "enum1000 does not exist");
    refused(|p| _ = p.types.intern(Type::Record(RecordId(NOWHERE))), "record1000 does not exist");
    let outside = TypeId(NOWHERE);
    for ty in [
        Type::Array(outside),
        Type::Set(outside),
        Type::Bag(outside),
        Type::Map(outside, TypeId(0)),
        Type::Map(TypeId(0), outside),
        Type::Seq(outside),
        Type::Queue(outside),
    ] {
        refused(|p| _ = p.types.intern(ty), "must stand after the types it is made of");
        refused(|p| _ = p.types.intern(ty), "type1000 does not exist");
    }
    let itself = TypeId::from_index(zoo().types.len());
    refused(|p| _ = p.types.intern(Type::Set(itself)), "must stand after the types it is made of");
    refused(
        |p| {
            let mut ty = TypeId(0);
            for _ in 0..9 {
                ty = p.types.intern(Type::Map(ty, ty));
            }
        },
        "is made of more than 500 types",
    );
    refused(|p| p.enums[EnumId(0)].is_abstract = true, "an enum is abstract and its type is not");
    refused(|p| p.enums[EnumId(1)].is_abstract = false, "an enum is abstract and its type is not");
    refused(|p| _ = p.types.intern(Type::Abstract(EnumId(NOWHERE))), "enum1000 does not exist");
    let upside_down = Type::Int(IntType { width: Width::Int, lo: 3, hi: 2, wrap: false });
    refused(|p| _ = p.types.intern(upside_down), "3..2 is no range");
    let too_wide = Type::Int(IntType { width: Width::Int, lo: 0, hi: 1 << 40, wrap: true });
    refused(|p| _ = p.types.intern(too_wide), "is no range of its width");
    refused(|p| p.enums[EnumId(0)].elements.clear(), "has no elements");
    refused(|p| p.enums[EnumId(0)].elements.push("ape".into()), "two elements have one name");
    refused(|p| _ = p.strings.push(String::new()), "two constants are equal");
    let null = zoo().types.intern(Type::Null);
    refused(|p| p.globals[GlobalId(0)].ty = null, "the type of null");
    refused(|p| p.fields[FieldId(0)].ty = null, "the type of null");
    refused(|p| p.funs[FunId(0)].params[1].1 = null, "the type of null");
    for ty in [
        Type::Array(null),
        Type::Set(null),
        Type::Bag(null),
        Type::Map(null, TypeId(0)),
        Type::Map(TypeId(0), null),
        Type::Seq(null),
        Type::Queue(null),
    ] {
        refused(|p| _ = p.types.intern(ty), "the type of null");
    }
    refused(|p| p.globals[GlobalId(0)].ty = TypeId(NOWHERE), "type1000 does not exist");
}

#[test]
fn records() {
    let lion = RecordId(3);
    refused(|p| p.records[lion].parents.push(RecordId(NOWHERE)), "its parent record1000 does not exist");
    refused(|p| p.records[lion].ancestors.retain(|&a| a != RecordId(0)), "ancestors are not");
    refused(|p| p.records[lion].ancestors.reverse(), "ancestors are not");
    refused(|p| p.records[RecordId(0)].parents.push(lion), "is an ancestor of its own parent");
    refused(|p| p.records[lion].fields.truncate(3), "fields are not those");
    refused(|p| p.records[lion].fields.push(FieldId(0)), "has a field twice");
    refused(|p| p.records[lion].fields.rotate_right(1), "own fields stand before");
    refused(|p| p.fields[FieldId(0)].owner = RecordId(NOWHERE), "its owner does not have it");
    refused(|p| p.fields[FieldId(0)].owner = RecordId(2), "its owner does not have it");
}

#[test]
fn variables() {
    for init in [Const::Int(4), Const::Int(-1), Const::Bool(true), Const::Null, Const::Enum(EnumId(0), 0)] {
        refused(
            |p| p.globals[GlobalId(0)].init = Some(init),
            "the initial value of count is not of its type",
        );
    }
    refused(|p| p.globals[GlobalId(5)].init = Some(Const::Enum(EnumId(0), 3)), "the initial value of best");
    refused(|p| p.globals[GlobalId(4)].init = Some(Const::String(StringId(9))), "the initial value of word");
    let (ticket, seen) = (GlobalId(10), GlobalId(11));
    refused(
        |p| p.globals[ticket].init = Some(Const::Enum(EnumId(1), 0)),
        "the initial value of ticket is not of its type",
    );
    for init in [Const::Null, Const::Int(0), Const::Enum(EnumId(0), 0)] {
        refused(|p| p.globals[seen].init = Some(init), "the initial value of seen is not of its type");
    }
    let keeper = ProcedureId(0);
    refused(|p| p.procedures[keeper].locals[LocalId(0)].init = Some(Const::Null), "has an initial value");
    refused(|p| p.procedures[keeper].params = 99, "more parameters than locals");
}

#[test]
fn expressions() {
    let declarations = "enum E { e } record A { int n; } record B {} global A a; global B b; global E e;
        global int[] array; global long big; global tid t; global lock l; global string s; global boolean yes;
        fun f(int v) returns int = v;";
    for (expr, message) in [
        ("1", "is not boolean"),
        ("a == 1", "operands of Eq"),
        ("e == null", "operands of Eq"),
        ("l == t", "operands of Eq"),
        ("yes && 1", "operands of And"),
        ("(1 & yes : int) == 1", "operands of BitAnd"),
        ("e < e", "operands of Lt"),
        ("!(1 : boolean)", "Int(1) is not of type"),
        ("!1", "operand of Not"),
        ("(-yes : int) == 1", "operand of Neg"),
        ("(big + 1 : int) == 1", "Add is not of type"),
        ("(big : int) == 1", "g4 is not of type"),
        ("(5 : int (0, 3)) == 1", "Int(5) is not of type"),
        ("(yes ? big : 1 : int) == 1", "a conditional is not of type"),
        ("(yes ? e : null : A) == a", "a conditional is not of type"),
        ("(yes ? a : b : A) == a", "a conditional is not of type"),
        ("(1 ? a : null) == a", "a condition is not boolean"),
        ("array[yes] == 1", "the index is no integer"),
        ("(a[1] : int) == 1", "what is indexed is no array"),
        ("a.length == 1", "only arrays have a length"),
        ("e instanceof A", "only records are cast"),
        ("(1 as A) == null", "only records are cast"),
        ("threadTerminated(l)", "the operand is no thread"),
        ("threadTerminated(1)", "the operand is no thread"),
        ("f() == 1", "f takes 1 arguments, not 0"),
        ("f(yes) == 1", "an argument of f does not fit"),
        ("lockAvailable(l)", "asks about the thread"),
        ("hasLock(l)", "asks about the thread"),
        ("wasNotified(l)", "asks about the thread"),
    ] {
        let text = format!("{declarations} invariant i = {expr};");
        refused_text(&text, message);
    }
    refused_text(
        "global lock l; fun f(int n) returns boolean = g(n - 1); fun g(int n) returns boolean = n == 0 || f(n) \
         || hasLock(l); invariant i = f(3);",
        "asks about the thread",
    );
    refused_text("fun f() returns int = true;", "the body is not of the type of the result");
    refused_text(
        "record A {} record B extends A {} fun f(A a) returns B = a;",
        "the body is not of the type",
    );
    let bool_type = zoo().types.intern(Type::Bool);
    let out_of = |kind| Expr { kind, ty: bool_type, span: source::Span::default() };
    refused(|p| p.invariants[0].expr = out_of(ExprKind::Local(LocalId(0))), "out of range or out of place");
    refused(|p| p.invariants[0].expr = out_of(ExprKind::Param(0)), "out of range or out of place");
    refused(|p| p.invariants[0].expr = out_of(ExprKind::Global(GlobalId(NOWHERE))), "out of range");
    refused(|p| p.invariants[0].expr = out_of(ExprKind::Call(FunId(NOWHERE), vec![])), "does not exist");
    refused(
        |p| p.invariants[0].expr = out_of(ExprKind::Const(Const::Enum(EnumId(0), 3))),
        "has no element 3",
    );
    refused(|p| p.invariants[0].expr = out_of(ExprKind::Const(Const::String(StringId(9)))), "does not exist");
    refused(|p| p.invariants[0].expr.ty = TypeId(NOWHERE), "type1000 does not exist");
    refused(
        |p| {
            for _ in 0..MAX_EXPR_DEPTH {
                let inner = p.invariants[0].expr.clone();
                p.invariants[0].expr = out_of(ExprKind::Unary(UnaryOp::Not, Box::new(inner)));
            }
        },
        "more than 500 deep",
    );
}

#[test]
fn collections() {
    let declarations = "enum E { e } abstract enum I { i, j } record A {} record B extends A {} global E e; global I i;
        global A a; global B b; global int n; global boolean yes; global Set<int> set; global Set<boolean> set2;
        global Bag<int> bag; global Map<E, A> map; global Seq<B> seq; global Queue<int (0, 3)> queue;
        global Set<Set<int>> sets;
        fun even(int v) returns boolean = v % 2 == 0; fun less(int v, int than) returns boolean = v < than;
        fun half(int v) returns int = v / 2; fun small(int (0, 3) v) returns boolean = v < 2;
        fun nothing() returns boolean = true; fun any(A v) returns boolean = v != null;";
    for expr in [
        "set.add(1).remove(2).union(set).intersection(set).difference(set).subset(set)",
        "bag.add(n).remove(n).contains(n) && bag.count(n) == bag.size()",
        "map.put(e, b).put(e, null).remove(e).get(e) == null && map.keys() == all E",
        "seq.add(b).add(null).put(n, null).remove(b).tail().head() == seq.get(0) && seq.contains(b)",
        "queue.add(n).put(n, n).remove(n).tail().head() == queue.get(0) + queue.capacity()",
        "Set<int>() == set && Bag<int>(1, n) == bag && Seq<B>(null, b) == seq",
        "Map<E, A>() != map && Map<E, A>(e, b, E::e, null) == map && Queue<int (0, 3)>(n, 1, 2) == queue",
        "sets.contains(set) && sets.add(Set<int>(3)) != Set<Set<int>>(set, set)",
        "forall(set, even) && exists(bag, less, n) && forall(queue, small)",
        "i == null && (all I).contains(i) && i != I::j && Set<I>(null, I::i) == all I",
    ] {
        let text = format!("program p; {declarations} invariant i = {expr};");
        let program = text::parse(&text).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(verify(&program), Ok(()), "{expr}");
    }
    let (kind, operand) = (" does not work on this", " does not fit its collection");
    for (expr, message) in [
        ("map.add(e) == map", format!("Add{kind}")),
        ("set.put(1, 2) == set", format!("Put{kind}")),
        ("bag.put(1, 2) == bag", format!("Put{kind}")),
        ("set.count(1) == 1", format!("Count{kind}")),
        ("seq.count(b) == 1", format!("Count{kind}")),
        ("set.get(1) == 1", format!("Get{kind}")),
        ("bag.get(1) == 1", format!("Get{kind}")),
        ("set.head() == 1", format!("Head{kind}")),
        ("map.head() == e", format!("Head{kind}")),
        ("bag.tail() == bag", format!("Tail{kind}")),
        ("set.keys() == set", format!("Keys{kind}")),
        ("seq.capacity() == 1", format!("Capacity{kind}")),
        ("bag.union(bag) == bag", format!("Union{kind}")),
        ("seq.intersection(seq) == seq", format!("Intersection{kind}")),
        ("map.difference(map) == map", format!("Difference{kind}")),
        ("queue.subset(queue)", format!("Subset{kind}")),
        ("n.size() == 1", format!("Size{kind}")),
        ("a.contains(n)", format!("Contains{kind}")),
        ("n.add(n) == n", format!("Add{kind}")),
        ("set.add() == set", "Add takes 2 operands, not 1".into()),
        ("set.add(1, 2) == set", "Add takes 2 operands, not 3".into()),
        ("set.size(1) == 1", "Size takes 1 operands, not 2".into()),
        ("map.put(e) == map", "Put takes 3 operands, not 2".into()),
        ("set.add(yes) == set", format!("Add{operand}")),
        ("seq.add(a) == seq", format!("Add{operand}")),
        ("sets.add(set2) == sets", format!("Add{operand}")),
        ("sets.add(null) == sets", format!("Add{operand}")),
        ("bag.remove(e) == bag", format!("Remove{operand}")),
        ("map.remove(a) == map", format!("Remove{operand}")),
        ("map.contains(a)", format!("Contains{operand}")),
        ("seq.contains(a)", format!("Contains{operand}")),
        ("bag.count(yes) == 1", format!("Count{operand}")),
        ("map.get(n) == a", format!("Get{operand}")),
        ("seq.get(yes) == a", format!("Get{operand}")),
        ("map.put(a, e) == map", format!("Put{operand}")),
        ("map.put(e, n) == map", format!("Put{operand}")),
        ("seq.put(b, 1) == seq", format!("Put{operand}")),
        ("queue.put(1, yes) == queue", format!("Put{operand}")),
        ("set.union(set2) == set", format!("Union{operand}")),
        ("set.intersection(bag) == set", format!("Intersection{operand}")),
        ("set.difference(1) == set", format!("Difference{operand}")),
        ("set.subset(set2)", format!("Subset{operand}")),
        ("Set<int>(1, yes) == set", format!("Create{operand}")),
        ("Seq<B>(a) == seq", format!("Create{operand}")),
        ("Map<E, A>(e) == map", "Create takes 2 operands, not 1".into()),
        ("Map<E, A>(e, a, e) == map", "Create takes 4 operands, not 3".into()),
        ("Map<E, A>(a, e) == map", format!("Create{operand}")),
        ("Queue<int (0, 3)>() == queue", "Create takes 1 operands, not 0".into()),
        ("Queue<int (0, 3)>(yes) == queue", format!("Create{operand}")),
        ("Queue<int (0, 3)>(1, yes) == queue", format!("Create{operand}")),
        ("set == set2", "operands of Eq".into()),
        ("set == Set<int (0, 3)>()", "operands of Eq".into()),
        ("set != bag", "operands of Ne".into()),
        ("set == null", "operands of Eq".into()),
        ("set < set", "operands of Lt".into()),
        ("(set + set : Set<int>) == set", "operands of Add".into()),
        ("(set & set : Set<int>) == set", "operands of BitAnd".into()),
        ("set.length == 1", "only arrays have a length".into()),
        ("i < i", "operands of Lt".into()),
        ("i == e", "operands of Eq".into()),
        ("(set.size() : int (0, 3)) == 1", "Size is not of type".into()),
        ("(all E : Set<int>) == set", "the set of enum0 is not of type".into()),
        ("forall(n, even)", "what is quantified over is no collection".into()),
        ("forall(set2, even)", "the first parameter of even is not of the element type".into()),
        ("forall(queue, even)", "the first parameter of even is not of the element type".into()),
        ("exists(seq, any)", "the first parameter of any is not of the element type".into()),
        ("forall(set, nothing)", "the first parameter of nothing is not of the element type".into()),
        ("forall(set, less)", "less takes 1 arguments, not 0".into()),
        ("forall(set, less, 1, 2)", "less takes 1 arguments, not 2".into()),
        ("forall(set, less, yes)", "an argument of less does not fit its parameter".into()),
        ("exists(set, half)", "half is quantified and not boolean".into()),
    ] {
        refused_text(&format!("{declarations} invariant i = {expr};"), &message);
    }
    let int_type = zoo().types.intern(Type::Int(IntType::INT));
    let odd = |kind, ty| Expr { kind, ty, span: source::Span::default() };
    let create = |ty| odd(ExprKind::Collection(CollectionOp::Create, vec![]), ty);
    refused(|p| p.invariants[0].expr = create(int_type), &format!("Create{kind}"));
    let size = odd(ExprKind::Collection(CollectionOp::Size, vec![]), int_type);
    refused(|p| p.invariants[0].expr = size, &format!("Size{kind}"));
    let all = odd(ExprKind::All(EnumId(NOWHERE)), int_type);
    refused(|p| p.invariants[0].expr = all, "enum1000 does not exist");
    refused(
        |p| {
            let over = Box::new(create(p.globals[GlobalId(11)].ty));
            let kind = ExprKind::Quantified { all: true, over, fun: FunId(NOWHERE), captures: Vec::new() };
            p.invariants[0].expr = odd(kind, int_type);
        },
        "fun1000 does not exist",
    );
    refused_text(
        "global lock l; fun f(int n) returns boolean = hasLock(l); fun g(int n) returns boolean =
         exists(Set<int>(), f); invariant i = forall(Set<int>(1), g);",
        "asks about the thread",
    );
}

/// A constant of an abstract enum is refused anywhere else.
#[test]
fn abstract_constants() {
    let declarations =
        "abstract enum I { i } global I v; global Set<I> set; fun is(I v, I w) returns boolean = v == w;";
    let thread = |transition: &str| {
        format!(
            "{declarations} function f(I w) returns I {{ loc l: return w; }} thread C(I w) {{ loc l: return; }}
            thread T() {{ local I[] array; loc l: {transition}; resume r of l into v return; }}"
        )
    };
    let good = thread("do { assert v != I::i && exists(set, is, I::i); } return");
    let good = text::parse(&format!("program p; {good} invariant i = set == Set<I>(I::i);")).unwrap();
    assert_eq!(verify(&good), Ok(()));
    let message = "a constant of an abstract enum is not in a property or assertion";
    for transition in [
        "when v == I::i return",
        "do { v := I::i; } return",
        "do { v := choose set.add(I::i); } return",
        "do { assert true; v := I::i; } return",
        "do { assume exists(set, is, I::i); } return",
        "do { array[v == I::i ? 0 : 1] := v; } return",
        "do { start C(I::i); } return",
        "call f(I::i) resume r",
    ] {
        refused_text(&thread(transition), message);
    }
    refused_text("abstract enum I { i } function f() returns I { loc l: return I::i; }", message);
    refused_text(&format!("{declarations} fun f() returns I = I::i; invariant i = f() == v;"), message);
}

#[test]
fn fields_belong_to_the_static_record() {
    refused(
        |p| {
            for transition in p.transitions.values_mut() {
                for action in &mut transition.body {
                    if let ActionKind::New(Place { kind: PlaceKind::Field(_, field), .. }, _) =
                        &mut action.kind
                    {
                        *field = FieldId(1);
                    }
                }
            }
        },
        "is selected from what does not have it",
    );
}

#[test]
fn procedures() {
    let (keeper, feed, main) = (ProcedureId(0), ProcedureId(1), ProcedureId(3));
    refused(|p| p.procedures[keeper].entry = LocationId(1), "entry loc1 is not a plain location");
    refused(|p| p.procedures[keeper].entry = LocationId(5), "entry loc5 is not a plain location");
    refused(|p| p.procedures[keeper].entry = LocationId(NOWHERE), "entry loc1000 is not a plain location");
    refused(|p| p.procedures[main].result = Some(TypeId(0)), "a thread has no result");
    refused(|p| p.procedures[feed].result = None, "returns a value without having a result");
    refused(|p| p.procedures[feed].kind = ProcedureKind::Thread, "cannot be called");
    refused(|p| p.procedures[keeper].kind = ProcedureKind::Function, "cannot be started");
    refused(|p| p.procedures[keeper].catches[0].handler = LocationId(3), "handler loc3 is not a plain");
    refused(|p| p.procedures[keeper].catches[0].covers.push(LocationId(1)), "covered location loc1");
    refused(|p| p.procedures[keeper].catches[0].variable = LocalId(0), "does not admit its record");
    refused(|p| p.procedures[keeper].catches[0].record = RecordId(NOWHERE), "does not admit its record");
    refused(|p| p.active.push(keeper), "is not a thread without parameters");
    refused(|p| p.active.push(feed), "is not a thread without parameters");
    refused(|p| p.active.push(ProcedureId(NOWHERE)), "is not a thread without parameters");
}

#[test]
fn virtual_tables() {
    let table = VirtualId(0);
    refused(|p| p.virtuals[table].targets.clear(), "has no targets");
    refused(|p| p.virtuals[table].targets.push((RecordId(1), ProcedureId(1))), "two targets for one record");
    refused(|p| _ = p.virtuals[table].targets.pop(), "an ancestor of Lion only");
    refused(|p| p.virtuals[table].targets[0].1 = ProcedureId(2), "feedLion does not admit");
    refused(|p| p.virtuals[table].targets[0].1 = ProcedureId(3), "Main is no function");
    refused(|p| p.virtuals[table].targets[0].1 = ProcedureId(NOWHERE), "proc1000 does not exist");
    let procedures = "record A {} record B extends A {} virtual v { A -> f; B -> g; }
        function f(A a, int n) { loc l: return; }";
    let differ = "its targets differ in parameters or result";
    refused_text(&format!("{procedures} function g(A a) {{ loc l: return; }}"), differ);
    refused_text(&format!("{procedures} function g(A a, int n) returns int {{ loc l: return n; }}"), differ);
    let call = "thread T() { local A a; loc l: call virtual v(a, 1) resume r; resume r of l return; }";
    refused_text(
        &format!("{procedures} {call} function g(A a, boolean n) {{ loc l: return; }}"),
        "an argument of g does not fit",
    );
}

#[test]
fn locations_and_transitions() {
    let (begin, back, work) = (LocationId(0), LocationId(1), LocationId(2));
    refused(|p| p.locations[begin].procedure = ProcedureId(NOWHERE), "proc1000 does not exist");
    refused(|p| p.locations[begin].transitions.push(TransitionId(1)), "its source lists it 2 times");
    refused(|p| _ = p.locations[begin].transitions.pop(), "its source lists it 0 times");
    refused(|p| p.locations[begin].transitions.push(TransitionId(5)), "t5 does not leave from here");
    refused(|p| p.locations[begin].transitions.push(TransitionId(NOWHERE)), "does not leave from here");
    refused(|p| p.transitions[TransitionId(1)].guard = Guard::Else, "more than one else");
    refused(|p| p.locations[begin].live = Some(vec![LocalId(77)]), "v77 does not exist");
    refused(|p| p.locations[begin].live = Some(vec![LocalId(1), LocalId(1)]), "v1 is live twice");
    refused(|p| p.locations[back].transitions.push(TransitionId(0)), "a resume location has transitions");
    refused(|p| p.locations[back].live = Some(vec![]), "a resume location has a live set");
    refused(|p| p.transitions[TransitionId(0)].source = LocationId(NOWHERE), "its source loc1000");
    let resume = |p: &mut Program, change: fn(&mut LocationId, &mut Jump)| {
        let LocationKind::Resume { origin, then, .. } = &mut p.locations[back].kind else { panic!() };
        change(origin, then);
    };
    refused(|p| resume(p, |origin, _| *origin = LocationId(1)), "origin loc1 is not a plain location");
    refused(|p| resume(p, |origin, _| *origin = LocationId(5)), "origin loc5 is not a plain location");
    refused(
        |p| resume(p, |_, then| *then = Jump::Goto(LocationId(5))),
        "target loc5 is not a plain location",
    );
    let goto = |p: &mut Program, to| p.transitions[TransitionId(5)].exit = Exit::Jump(Jump::Goto(to));
    refused(|p| goto(p, back), "target loc1 is not a plain location");
    refused(|p| goto(p, LocationId(5)), "target loc5 is not a plain location");
    let call = |p: &mut Program, to| {
        let Exit::Call { resume, .. } = &mut p.transitions[TransitionId(2)].exit else { panic!() };
        *resume = to;
    };
    refused(|p| call(p, work), "loc2 is no resume location of the procedure");
    refused(|p| call(p, LocationId(4)), "loc4 is no resume location of the procedure");
}

#[test]
fn actions() {
    let declarations = "record A { int n; } record B {} throwable record E {} record F extends E {}
        global A a; global B b; global F f; global int[] array; global int n; global tid t; global lock l;
        global boolean yes; function g(int v) returns A { loc l: return null; }
        thread Other(int v) { loc l: return; }";
    for (action, message) in [
        ("n := yes", "what is assigned does not fit"),
        ("a := b", "what is assigned does not fit"),
        ("a := new B", "what is made does not fit"),
        ("a := new lock", "what is made does not fit"),
        ("array := new boolean[1]", "what is made does not fit"),
        ("array := new int[yes]", "a length is no integer"),
        ("n := choose array", "what is chosen from is no collection"),
        ("n := choose n", "what is chosen from is no collection"),
        ("n := choose Set<boolean>(yes)", "what is chosen does not fit its place"),
        ("n := choose Map<boolean, int>()", "what is chosen does not fit its place"),
        ("f := choose Seq<A>()", "what is chosen does not fit its place"),
        ("assert 1", "what is asserted is not boolean"),
        ("assume n", "what is assumed is not boolean"),
        ("lock(a)", "the operand is no lock"),
        ("notify(t)", "the operand is no lock"),
        ("throw a", "not throwable"),
        ("throw n", "not throwable"),
        ("n := start Other(1)", "the result of a start does not fit its place"),
        ("t := start Other(yes)", "an argument of Other does not fit"),
        ("t := start Other()", "Other takes 1 arguments, not 0"),
        ("t := start g(1)", "g is a function and cannot be started"),
    ] {
        let text = format!("{declarations} thread T() {{ loc l: do {{ {action}; }} return; }}");
        refused_text(&text, message);
    }
    for (exit, message) in [
        ("when n return", "the guard is not boolean"),
        ("return 1", "returns a value without having a result"),
        ("call g(1, 2) resume r", "g takes 1 arguments, not 2"),
        ("call Other(1) resume r", "Other is a thread and cannot be called"),
        ("call g(1) resume s", "g has no result that fits where it goes"),
    ] {
        let resumes = "resume r of l into a return; resume s of l into n return;";
        refused_text(&format!("{declarations} thread T() {{ loc l: {exit}; {resumes} }}"), message);
    }
    refused_text("function f() returns int { loc l: return; }", "returns without a value");
    refused_text("function f() returns int { loc l: return true; }", "what is returned is not of the type");
}

/// For every wrong id the verifier reports something, and nothing panics.
#[test]
fn no_id_is_trusted() {
    for seed in 0..effort(300) {
        let mut rng = SplitMix64::new(seed);
        let mut program = random_program(seed % 50);
        let wild = if rng.chance(50) { NOWHERE } else { rng.below(30) as u32 };
        let wilder = |len: usize, rng: &mut SplitMix64| rng.below(len.max(1));
        let location = LocationId::from_index(wilder(program.locations.len(), &mut rng));
        let transition = TransitionId::from_index(wilder(program.transitions.len(), &mut rng));
        let procedure = ProcedureId::from_index(wilder(program.procedures.len(), &mut rng));
        let record = RecordId::from_index(wilder(program.records.len(), &mut rng));
        match rng.below(14) {
            0 => program.locations[location].procedure = ProcedureId(wild),
            1 => program.locations[location].transitions.push(TransitionId(wild)),
            2 => program.transitions[transition].source = LocationId(wild),
            3 => program.transitions[transition].exit = Exit::Jump(Jump::Goto(LocationId(wild))),
            4 => program.procedures[procedure].entry = LocationId(wild),
            5 => program.procedures[procedure].result = Some(TypeId(wild)),
            6 => program.procedures[procedure].params = wild as usize,
            7 => program.records[record].parents.push(RecordId(wild)),
            8 => program.records[record].ancestors.push(RecordId(wild)),
            9 => program.records[record].fields.push(FieldId(wild)),
            10 => program.fields.values_mut().for_each(|field| field.ty = TypeId(wild)),
            11 => program.globals.values_mut().for_each(|global| global.ty = TypeId(wild)),
            12 => program.funs.values_mut().for_each(|fun| fun.result = TypeId(wild)),
            _ => program.fields.values_mut().for_each(|field| field.owner = RecordId(wild)),
        }
        let _ = verify(&program);
        let _ = text::print(&program);
    }
}

#[test]
fn individuals() {
    let individual = |threads: &str, property: &str| {
        format!("global boolean b; {threads} active T; property i {property}")
    };
    let thread = "thread T() { loc a: do { start T(); } goto a; }";
    let good = individual(thread, "forall T t { prop \"\" = individualAt(T, a); formula \"[] p0\"; }");
    assert_eq!(verify(&text::parse(&format!("program p; {good}")).unwrap()), Ok(()));
    let prop = "prop \"\" = individualAt(T, a); formula \"[] p0\";";
    let unknown = "the individual is not one that the property is about";
    refused_text(&individual(thread, &format!("{{ {prop} }}")), unknown);
    let two = format!("{thread} thread U() {{ loc u: return; }}");
    refused_text(&individual(&two, &format!("forall U t {{ {prop} }}")), unknown);
    refused_text(&individual(thread, "{ formula \"[] true\"; } invariant j = individualAt(T, a);"), unknown);
    let function = format!("{thread} function f() {{ loc f: return; }}");
    refused_text(&individual(&function, "forall f t { formula \"[] true\"; }"), "about what is no thread");
    let claim = "forall T t { claim 0 sets 0 { state { goto 0 if {} marks {}; } } }";
    refused_text(&individual(thread, claim), "a claim is about no individual");
    let many = (0..64).map(|_| "prop \"\" = b;").collect::<String>();
    let many = |each: &str| individual(thread, &format!("{each} {{ {many} formula \"p63\"; }}"));
    refused_text(&many("forall T t"), "has more than 63 propositions");
    assert_eq!(verify(&text::parse(&format!("program p; {}", many(""))).unwrap()), Ok(()));
}
