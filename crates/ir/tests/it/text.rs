//! Programs as text and back.

use ir::text::*;
use ir::*;
use testing::{SplitMix64, effort, philosophers, random_program, random_text};

/// All constructs of the text form, as [`print`] writes them.
const ZOO: &str = include_str!("zoo.ir");

fn same(program: &Program) {
    let text = print(program);
    let again = parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    assert_eq!(again.without_spans(), program.without_spans(), "{text}");
    assert_eq!(print(&again), text);
}

#[test]
fn the_zoo_comes_back_as_it_is_printed() {
    let zoo = parse(ZOO).unwrap_or_else(|error| panic!("{error}"));
    let printed = print(&zoo);
    for (line, (printed, expected)) in printed.lines().zip(ZOO.lines()).enumerate() {
        assert_eq!(printed, expected, "line {}", line + 1);
    }
    assert_eq!(printed, ZOO);
    assert_eq!(verify(&zoo), Ok(()));
    same(&zoo);
}

#[test]
fn programs_come_back() {
    for n in [1, 3, 10] {
        same(&philosophers(n));
    }
    for seed in 0..effort(300) {
        same(&random_program(seed));
    }
}

/// Programs that front ends may make and the text has to keep apart: repeated names, ids in any order,
/// synthetic things.
#[test]
fn scrambled_programs_come_back() {
    for seed in 0..effort(300) {
        let mut rng = SplitMix64::new(seed);
        let mut program = random_program(seed);
        scramble(&mut program, &mut rng);
        assert_eq!(verify(&program), Ok(()));
        same(&program);
    }
}

fn scramble(program: &mut Program, rng: &mut SplitMix64) {
    const NAMES: &[&str] = &["a", "b", "t1", "length", "int", "x y", "", "it's", "Ü", "a#1", "\\n\n"];
    fn rename(name: &mut String, rng: &mut SplitMix64) {
        if rng.chance(40) {
            (*rng.pick(NAMES)).clone_into(name);
        }
    }
    rename(&mut program.name, rng);
    program.enums.values_mut().for_each(|item| rename(&mut item.name, rng));
    program.records.values_mut().for_each(|item| rename(&mut item.name, rng));
    program.fields.values_mut().for_each(|item| rename(&mut item.name, rng));
    program.virtuals.values_mut().for_each(|item| rename(&mut item.name, rng));
    for global in program.globals.values_mut() {
        rename(&mut global.name, rng);
        global.synthetic = rng.chance(20);
    }
    for fun in program.funs.values_mut() {
        rename(&mut fun.name, rng);
        fun.params.iter_mut().for_each(|(name, _)| rename(name, rng));
    }
    for procedure in program.procedures.values_mut() {
        rename(&mut procedure.name, rng);
        procedure.locals.values_mut().for_each(|local| rename(&mut local.name, rng));
    }
    for location in program.locations.values_mut() {
        rename(&mut location.name, rng);
        location.synthetic = rng.chance(20);
    }
    shuffle_locations(program, rng);
    shuffle_transitions(program, rng);
}

fn permutation(len: usize, rng: &mut SplitMix64) -> Vec<u32> {
    let mut to: Vec<_> = (0..len as u32).collect();
    for last in (1..len).rev() {
        to.swap(last, rng.below(last + 1));
    }
    to
}

fn moved<I: Id, T: Clone>(table: &Table<I, T>, to: &[u32]) -> Table<I, T> {
    let mut items: Vec<_> = to.iter().zip(table.values()).collect();
    items.sort_by_key(|&(&to, _)| to);
    items.into_iter().map(|(_, item)| item.clone()).collect()
}

fn shuffle_locations(program: &mut Program, rng: &mut SplitMix64) {
    let to = permutation(program.locations.len(), rng);
    let move_id = |id: &mut LocationId| id.0 = to[id.index()];
    let move_jump = |jump: &mut Jump| match jump {
        Jump::Goto(target) => move_id(target),
        Jump::Return(_) => {}
    };
    for procedure in program.procedures.values_mut() {
        move_id(&mut procedure.entry);
        for catch in &mut procedure.catches {
            catch.covers.iter_mut().for_each(move_id);
            move_id(&mut catch.handler);
        }
    }
    for location in program.locations.values_mut() {
        if let LocationKind::Resume { origin, then, .. } = &mut location.kind {
            move_id(origin);
            move_jump(then);
        }
    }
    for transition in program.transitions.values_mut() {
        move_id(&mut transition.source);
        match &mut transition.exit {
            Exit::Jump(jump) => move_jump(jump),
            Exit::Call { resume, .. } => move_id(resume),
        }
    }
    program.locations = moved(&program.locations, &to);
}

fn shuffle_transitions(program: &mut Program, rng: &mut SplitMix64) {
    let to = permutation(program.transitions.len(), rng);
    for location in program.locations.values_mut() {
        location.transitions.iter_mut().for_each(|id| id.0 = to[id.index()]);
    }
    program.transitions = moved(&program.transitions, &to);
}

#[test]
fn garbage_is_an_error_with_its_line() {
    let cases = [
        ("", 1, "expected `program`, found the end"),
        ("program p;\nthread T(", 2, "expected a type, found the end"),
        ("program p;\n\nglobal int x = y;", 3, "an initial value must be a constant"),
        ("program p;\nglobal Nobody x;", 2, "there is no type `Nobody`"),
        ("program p;\nglobal int x;\nglobal int x;\ninvariant i = x == 1;", 4, "`x` can mean more than one"),
        ("program p;\nabstract record R {}", 2, "expected `enum`, found `record`"),
        ("program p;\nglobal Set x;", 2, "expected `<`, found `x`"),
        ("program p;\nglobal Map<int> x;", 2, "expected `,`, found `>`"),
        ("program p;\nglobal Set<int, int> x;", 2, "expected `>`, found `,`"),
        ("program p;\ninvariant i = all Nobody == null;", 2, "there is no enum `Nobody`"),
        ("program p;\ninvariant i = forall(Set<int>(), f);", 2, "there is no fun `f`"),
        ("program p;\ninvariant i = exists(Set<int>());", 2, "expected `,`, found `)`"),
        ("program p;\ninvariant i = (Set<int>() : Set<int>).size() == 0;", 2, "one type is enough"),
        ("program p;\nglobal int x;\ninvariant i = x.head() == 1;", 3, "the operands do not fit"),
        ("program p;\nglobal int x;\ninvariant i = x.chop() == 1;", 3, "expected `;`, found `(`"),
        ("program p; record R extends R {}", 1, "a record extends itself"),
        ("program p;\nthread T() {}", 2, "a procedure needs a location"),
        ("program p;\nthread T() { loc a @3: return; }", 2, "index 3 leaves a gap"),
        ("program p;\nthread T() { loc a: t0: return; t0: return; }", 2, "index 0 is given twice"),
        ("program p;\ninvariant i = 99999999999999999999 > 1;", 2, "the number is too large"),
        ("program p;\ninvariant i = 9223372036854775808 > 1;", 2, "an integer of 64 bits"),
        ("program p;\n invariant i = (1 + true);", 2, "the operands do not fit"),
        ("program p;\ninvariant i = ~1;", 2, "`~` means nothing here"),
        ("program p;\ninvariant i = \"x;", 2, "the quotes are not closed"),
        ("program p;\nthread T() { local int x; loc a: do { x + 1 := 2; } return; }", 2, "expected `:=`"),
        (
            "program p;\nthread T() { local int x; loc a: do { (x + 1) := 2; } return; }",
            2,
            "cannot be assigned",
        ),
    ];
    for (text, line, message) in cases {
        let error = parse(text).expect_err(text);
        assert_eq!(error.line, line, "{text}: {error}");
        assert!(error.message.contains(message), "{text}: {error}");
    }
}

#[test]
fn deep_expressions_are_refused_before_the_stack_ends() {
    for (open, close) in [
        ("(", ")"),
        ("-(", ")"),
        ("!", ""),
        ("1 + (", ")"),
        ("true ? (", ") : 1"),
        ("f(", ")"),
        ("Seq<int>(", ").head()"),
        ("s.get(", ")"),
        ("exists(s, g, ", ") ? 1 : 2"),
    ] {
        for depth in [400, 40_000] {
            let (open, close) = (open.repeat(depth), close.repeat(depth));
            let text = format!(
                "program p; global Seq<int> s; fun f(int a) returns int = {open}1{close};
                fun g(int a, int b) returns boolean = a == b;"
            );
            match parse(&text) {
                Ok(program) => same(&program),
                Err(error) => {
                    assert_eq!(depth, 40_000, "{open}");
                    assert_eq!(error.message, "the expression is too deep");
                }
            }
        }
    }
    let long = format!("program p; global int{} x;", "[]".repeat(40_000));
    assert!(parse(&long).is_err());
    let nested = format!("program p; global {}int{} x;", "Set<".repeat(40_000), ">".repeat(40_000));
    assert_eq!(parse(&nested).expect_err("too deep").message, "the expression is too deep");
    let chain = format!("program p; fun f() returns int = 1{};", " + 1".repeat(40_000));
    assert!(parse(&chain).is_err());
}

/// The deepest expression that verifies, with a type at every level, comes back.
#[test]
fn the_deepest_expressions_come_back() {
    for (open, close) in [("(1 + ", " : int (0, 3))"), ("(true ? ", " : 1 : int (0, 3))")] {
        let (open, close) = (open.repeat(MAX_EXPR_DEPTH - 1), close.repeat(MAX_EXPR_DEPTH - 1));
        let text = format!("program p; fun f(int a) returns int = {open}1{close};");
        let program = parse(&text).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(verify(&program), Ok(()));
        same(&program);
    }
}

#[test]
fn the_largest_types_come_back() {
    let depth = MAX_TYPE_SIZE - 1;
    for (open, close) in [("", "[]"), ("Set<", ">")] {
        let nested = |depth: usize| {
            let ty = format!("{}int{}", open.repeat(depth), close.repeat(depth));
            parse(&format!("program p; global {ty} x;")).unwrap_or_else(|error| panic!("{error}"))
        };
        assert_eq!(verify(&nested(depth)), Ok(()));
        same(&nested(depth));
        assert!(verify(&nested(depth + 1)).is_err());
    }
}

/// A mutated text may fail to parse or to verify, but nothing panics.
#[test]
fn mutated_texts_do_no_harm() {
    const STRAY: &[&str] = &["#3", "@2", "::", "-", "[]", "(", "}", "\"", "'", "é", "0"];
    let mut rng = SplitMix64::new(1);
    let mut parsed = 0;
    for round in 0..4000 {
        let text = if round % 4 == 0 { random_text(round % 97) } else { ZOO.to_owned() };
        let mut words: Vec<&str> = text.split_inclusive([' ', '\n', ';', '(', ')', '.']).collect();
        let other = words.clone();
        for _ in 0..=rng.below(3) {
            let at = rng.below(words.len());
            match rng.below(5) {
                0 => drop(words.remove(at)),
                1 => words.insert(at, *rng.pick(&other)),
                2 => words[at] = *rng.pick(&other),
                3 => words.insert(at, *rng.pick(STRAY)),
                _ => words.truncate(at.max(1)),
            }
        }
        if let Ok(program) = parse(&words.concat()) {
            parsed += 1;
            let sound = verify(&program).is_ok();
            let text = print(&program);
            if sound {
                same(&program);
            } else {
                let _ = parse(&text);
            }
        }
    }
    assert!(parsed > 100, "only {parsed} mutants parse");
}

#[test]
fn people_read_names_without_indices_and_types() {
    let zoo = parse(ZOO).unwrap();
    let transition = &zoo.transitions[TransitionId(1)];
    let scope = Scope::Procedure(zoo.locations[transition.source].procedure);
    let ActionKind::Assign(to, value) = &transition.body[1].kind else { panic!() };
    assert_eq!(place(&zoo, scope, to), "count");
    assert_eq!(expr(&zoo, scope, value), "count + 1");
    let ActionKind::New(to, _) = &transition.body[4].kind else { panic!() };
    assert_eq!(place(&zoo, scope, to), "tmp.size");
    let transition = &zoo.transitions[TransitionId(12)];
    let scope = Scope::Procedure(zoo.locations[transition.source].procedure);
    let ActionKind::Assign(_, value) = &transition.body[8].kind else { panic!() };
    let written = "Map.put(Map.create<Set.type<tid>, long wrap (0, 255)>(Set.create<tid>(keeper), -1), \
                   Set.create<tid>(), 256)";
    assert_eq!(expr(&zoo, scope, value), written);
}

#[test]
fn spans_of_a_parsed_program_point_into_its_text() {
    let text =
        "program p; global int x; thread T() { loc a: when -x + 1 > 0 do { x := (2 : int); } return; }";
    let program = parse(text).unwrap();
    let at = |span: source::Span| &text[span.start as usize..span.end as usize];
    let transition = &program.transitions[TransitionId(0)];
    let Guard::When(guard) = &transition.guard else { panic!() };
    assert_eq!(at(guard.span), "-x + 1 > 0");
    assert_eq!(at(transition.body[0].span), "x := (2 : int)");
    let ActionKind::Assign(place, value) = &transition.body[0].kind else { panic!() };
    assert_eq!((at(place.span), at(value.span)), ("x", "2"));
}

/// All constructs of processes and channels, as [`print`] writes them.
const HARBOUR: &str = include_str!("harbour.ir");

#[test]
fn processes_and_channels_come_back() {
    let program = parse(HARBOUR).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(verify(&program), Ok(()));
    let printed = print(&program);
    for (line, (printed, expected)) in printed.lines().zip(HARBOUR.lines()).enumerate() {
        assert_eq!(printed, expected, "line {}", line + 1);
    }
    assert_eq!(printed, HARBOUR);
    same(&program);
}

#[test]
fn words_for_processes_can_be_names() {
    same(&testing::program(
        "program channel;
        global int first; global int send; global int rank; global int check; global boolean ready;
        fun has(int x) returns boolean = x > 0;
        fun 'number'(int x) returns int = x;
        thread monitor(int priority) {
          local int means;
          loc inner: when 'has'(rank) do { check := send; send := 'number'(means); } goto end;
          loc end end: when ready goto inner;
        }
        thread features() { loc number: do { start monitor(1); } return; }
        active features;",
    ));
}
