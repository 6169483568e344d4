//! The rules for features of programs.

use ir::*;
use testing::program;

fn harbour() -> Program {
    text::parse(include_str!("harbour.ir")).unwrap()
}

#[track_caller]
fn refused_program(mut program: Program, change: impl FnOnce(&mut Program), message: &str) {
    assert_eq!(verify(&program), Ok(()));
    change(&mut program);
    let errors = verify(&program).expect_err("a broken program verifies");
    assert!(errors.iter().any(|error| error.contains(message)), "{errors:#?}");
    // Broken programs can be printed.
    let _ = text::print(&program);
}

/// A program of processes and channels after `change` must be refused with `message`.
#[track_caller]
fn refused(change: impl FnOnce(&mut Program), message: &str) {
    refused_program(harbour(), change, message);
}

/// A program without observable ids of threads after `change` must be refused with `message`.
#[track_caller]
fn refused_elsewhere(change: impl FnOnce(&mut Program), message: &str) {
    let plain =
        program("program p; global int x; thread T() { loc a: do { x := 1; start T(); } goto a; } active T;");
    refused_program(plain, change, message);
}

const NOWHERE: u32 = 1000;
const FIRST: TransitionId = TransitionId(0);
const PILOT: ProcedureId = ProcedureId(0);

fn location(program: &Program, name: &str) -> LocationId {
    program.locations.iter().find(|(_, location)| location.name == name).unwrap().0
}

fn constant(program: &mut Program, value: i64) -> Expr {
    let ty = program.types.intern(Type::Int(IntType::INT));
    Expr { kind: ExprKind::Const(Const::Int(value)), ty, span: source::Span::default() }
}

fn action(kind: ActionKind) -> Action {
    Action { kind, span: source::Span::default() }
}

#[test]
fn without_observable_ids_threads_are_alike() {
    refused_elsewhere(|p| p.features.remembers_last = true, "remembers the last thread");
    refused_elsewhere(|p| p.globals[GlobalId(0)].untracked = true, "has untracked variables");
    refused_elsewhere(|p| p.transitions[FIRST].exclusive = true, "has exclusive transitions");
    refused_elsewhere(|p| p.procedures[PILOT].channels.push(ChannelId(0)), "has channels of threads");
    refused_elsewhere(|p| p.procedures[PILOT].priority = 2, "has priorities");
    let priority = |p: &mut Program| ActionKind::SetPriority(constant(p, 1), constant(p, 1));
    refused_elsewhere(|p| p.transitions[FIRST].body = vec![action(priority(p))], "sets a priority");
    for kind in [ExprKind::ThreadNumber, ExprKind::LastThread, ExprKind::FirstThread(PILOT)] {
        let asked = |p: &mut Program| {
            let ActionKind::Assign(_, value) = &mut p.transitions[FIRST].body[0].kind else { unreachable!() };
            value.kind = kind;
        };
        refused_elsewhere(asked, "asks for ids of threads");
    }
}

#[test]
fn observable_ids() {
    refused(|p| _ = p.types.intern(Type::Lock), "has types of threads, locks");
    refused(|p| _ = p.types.intern(Type::Tid), "has types of threads, locks");
}

#[test]
fn features_that_do_not_meet() {
    refused(|p| _ = p.types.intern(Type::Array(TypeId(1))), "has channels of threads");
    let quiet = |change: fn(&mut Program)| {
        move |p: &mut Program| {
            p.procedures[PILOT].channels.clear();
            p.procedures[PILOT].claims.clear();
            change(p);
        }
    };
    let function = |p: &mut Program| p.procedures[ProcedureId(1)].kind = ProcedureKind::Function;
    refused(function, "has functions and claims");
    refused(function, "has channels with numbers");
    refused(quiet(function), "has functions, and asks where threads are");
    refused(|p| p.locations[LocationId(0)].atomic = true, "has exclusive transitions too");
    refused(|p| p.locations[LocationId(0)].atomic = true, "asks for timeouts");
    refused(|p| _ = p.types.intern(Type::Set(TypeId(1))), "is untracked beside collections");
    let wait = || action(ActionKind::Assume(harbour().procedures[PILOT].provided.clone().unwrap()));
    refused(|p| p.transitions[TransitionId(13)].body.push(wait()), "where bodies choose or wait");
    refused(|p| p.transitions[FIRST].body.push(wait()), "chooses or waits after a message");
    refused(|p| p.transitions[TransitionId(12)].body.push(wait()), "or at a fused location");
}

/// A program whose channels are objects after `change` must be refused with `message`.
#[track_caller]
fn refused_post(change: impl FnOnce(&mut Program), message: &str) {
    let post = program(
        "program post;
        record R { int x; }
        channel box [2] { record R, int wrap (0, 7) };
        global chan box; global record R r; global int n; global boolean b;
        prologue { box := new chan(box); }
        thread T() {
          loc a:
            t0: do { send(box, r, 1); } goto a;
            t1: do { receive(box, r :=, n :=); } goto a;
            t2: when has(box, r, *) > 0 goto a;
        }
        active T;",
    );
    refused_program(post, change, message);
}

fn opening(p: &mut Program, id: u32) -> &mut ActionKind {
    &mut p.transitions[TransitionId(id)].body[0].kind
}

#[test]
fn channels_as_objects() {
    let one = |p: &mut Program| {
        let one = constant(p, 1);
        let ActionKind::Send { channel, .. } = opening(p, 0) else { unreachable!() };
        *channel = one;
    };
    refused_post(one, "an operand is no channel");
    let truth = |p: &mut Program| {
        let (id, ty) = (GlobalId(3), p.globals[GlobalId(3)].ty);
        let ActionKind::Send { message, .. } = opening(p, 0) else { unreachable!() };
        (message[1].kind, message[1].ty) = (ExprKind::Global(id), ty);
    };
    refused_post(truth, "an operand is no field of a message");
    refused_post(|p| p.first_channels.push(ChannelId(0)), "has channels with numbers");
    refused_post(|p| p.procedures[PILOT].channels.push(ChannelId(0)), "has channels of threads");
    let nowhere = |p: &mut Program| {
        let ActionKind::New(_, new) = &mut p.prologue[0].kind else { unreachable!() };
        *new = New::Channel(ChannelId(NOWHERE));
    };
    refused_post(nowhere, "chan1000 does not exist");
    let (span, states) = (source::Span::default(), vec![MonitorState { events: vec![], end: true }]);
    refused_post(|p| p.monitor = Some(Monitor { states, negated: false, span }), "has a monitor");
}

#[test]
fn functions_are_no_threads() {
    let threads = "only threads have channels, prologues, conditions, claims and priorities";
    let function = |change: fn(&mut Procedure)| {
        move |p: &mut Program| {
            p.procedures[PILOT].kind = ProcedureKind::Function;
            change(&mut p.procedures[PILOT]);
        }
    };
    refused_elsewhere(function(|p| p.priority = 2), threads);
    refused_elsewhere(function(|p| p.channels.push(ChannelId(0))), threads);
    refused_elsewhere(function(|p| p.prologue.push(action(ActionKind::Exit))), threads);
    refused_elsewhere(
        |p| p.transitions[FIRST].guard = Guard::Ready(LocationId(0)),
        "is not a fused location",
    );
}

#[test]
fn arrays() {
    let ships = GlobalId(0);
    refused(|p| p.globals[ships].dims = vec![2, 0], "has no elements");
    refused(|p| p.globals[ships].dims = vec![1024, 1024], "or more than 1048575");
    refused(|p| p.globals[ships].dims = vec![u32::MAX; 9], "or more than 1048575");
    refused(|p| p.globals[ships].dims = vec![2], "has other dimensions");
    refused(|p| p.globals[ships].dims.clear(), "has other dimensions");
    refused(|p| p.globals[GlobalId(1)].dims = vec![2], "is an array and needs indices");
    refused(|p| p.procedures[PILOT].locals[LocalId(2)].dims = vec![2], "assigned to without indices");
    refused(|p| p.procedures[PILOT].locals[LocalId(0)].dims = vec![2], "parameter who is an array");
    refused(|p| p.procedures[PILOT].locals[LocalId(2)].untracked = true, "untracked and no global");
    refused(|p| p.globals[ships].meaning = Meaning::Symbol(EnumId(NOWHERE)), "enum1000 does not exist");
    let open = GlobalId(5);
    refused(|p| p.globals[open].meaning = Meaning::Channel, "open is no integer, and means one");
    let collection = "program p; global Set<int> x;";
    let array = |p: &mut Program| p.globals[GlobalId(0)].dims = vec![2];
    refused_program(program(collection), array, "an array of collections or strings");
}

#[test]
fn channels() {
    let quay = ChannelId(0);
    refused(|p| p.channels[quay].fields.clear(), "messages have no field");
    refused(|p| p.channels[quay].fields = vec![p.channels[quay].fields[0]; 1025], "or more than 1024");
    refused(|p| p.channels[quay].capacity = 65536, "its capacity is more than 65535");
    refused(|p| p.channels[quay].fields[0].ty = TypeId(1), "no integer that wraps");
    refused(|p| p.channels[quay].fields[0].ty = TypeId(0), "no integer that wraps");
    refused(
        |p| p.channels[quay].fields[0].meaning = Meaning::Symbol(EnumId(NOWHERE)),
        "enum1000 does not exist",
    );
    refused(|p| p.first_channels.push(ChannelId(NOWHERE)), "chan1000 does not exist");
    refused(|p| p.first_channels.push(quay), "chan0 comes twice");
    refused(|p| p.procedures[PILOT].channels = vec![ChannelId(NOWHERE)], "chan1000 does not exist");
    refused(|p| p.procedures[PILOT].channels.clear(), "is no channel that is there");
    refused(|p| p.first_channels.clear(), "is no channel that is there");
}

#[test]
fn prologues_and_threads() {
    refused(|p| p.prologue.push(action(ActionKind::Exit)), "something else than to assign");
    refused(|p| p.procedures[PILOT].prologue.push(action(ActionKind::Exit)), "something else than to assign");
    refused(|p| p.prologue = p.procedures[PILOT].prologue.clone(), "out of scope");
    refused(|p| p.procedures[PILOT].priority = 0, "has no priority");
    refused(|p| p.procedures[PILOT].provided = Some(constant(p, 1)), "what it is provided is not boolean");
    refused(
        |p| p.procedures[PILOT].claims[0].channel = p.procedures[PILOT].provided.clone().unwrap(),
        "an operand is no channel",
    );
    refused(|p| p.features.remembers_last = false, "asks for the last thread, which is not remembered");
    let last = TransitionId(12);
    let unranked = |p: &mut Program| {
        let ActionKind::Start { priority, .. } = &mut p.transitions[last].body[0].kind else {
            unreachable!()
        };
        *priority = Some(0);
    };
    refused(unranked, "starts without a priority");
    let misplaced = |p: &mut Program| {
        let ActionKind::Start { result: Some(place), .. } = &mut p.transitions[last].body[1].kind else {
            unreachable!()
        };
        (place.kind, place.ty) = (PlaceKind::Global(GlobalId(5)), TypeId(0));
    };
    refused(misplaced, "the result of a start does not fit its place");
}

#[test]
fn fused_locations() {
    let message = || harbour().transitions[FIRST].body[0].clone();
    let middle_of = "a message is sent or received in the middle";
    refused(|p| p.transitions[TransitionId(1)].body.push(message()), middle_of);
    refused(|p| p.transitions[TransitionId(2)].body.push(message()), middle_of);
    refused(|p| p.transitions[TransitionId(4)].body.push(message()), middle_of);
    let assume = || match &harbour().transitions[TransitionId(1)].guard {
        Guard::When(guard) => action(ActionKind::Assume(guard.clone())),
        _ => unreachable!(),
    };
    refused(|p| p.transitions[FIRST].body.push(assume()), "chooses or waits after a message");
    let [middle, stop, work, sea] = ["middle", "stop", "work", "sea"].map(|name| location(&harbour(), name));
    let ready = TransitionId(4);
    refused(|p| p.locations[middle].fused = false, "is not a fused location");
    refused(|p| p.transitions[ready].guard = Guard::Ready(LocationId(NOWHERE)), "not a plain location");
    refused(|p| p.transitions[ready].guard = Guard::Ready(sea), "not a plain location");
    refused(
        |p| p.transitions[TransitionId(12)].guard = Guard::Ready(middle),
        "asks whether another is ready",
    );
    refused(|p| p.locations[stop].fused = true, "a fused location has no transitions");
    refused(|p| p.procedures[PILOT].entry = middle, "its threads start at a fused location");
    let elses = "has more than one else";
    refused(|p| p.transitions[TransitionId(3)].rank = 1, elses);
    refused(|p| p.locations[work].fused = true, elses);
}

#[test]
fn monitors() {
    let changed = |change: fn(&mut Monitor)| move |p: &mut Program| change(p.monitor.as_mut().unwrap());
    refused(changed(|m| m.states.clear()), "has no states");
    refused(changed(|m| m.states.reverse()), "its last state has events");
    refused(changed(|m| m.states[0].events[0].target = 2), "state 2 does not exist");
    refused(changed(|m| m.states[0].events[0].channel.kind = ExprKind::Local(LocalId(0))), "out of place");
    refused(
        changed(|m| m.states[0].events[0].channel.kind = ExprKind::ThreadNumber),
        "asks about the thread",
    );
    let open = |p: &mut Program| {
        let open = Expr { kind: ExprKind::Global(GlobalId(5)), ty: TypeId(0), span: source::Span::default() };
        p.monitor.as_mut().unwrap().states[0].events[0].pattern[1] = Some(open);
    };
    refused(open, "an operand is no integer");
}
