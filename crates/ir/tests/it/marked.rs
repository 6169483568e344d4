//! Programs in which one thread is marked.

use ir::*;
use testing::program;

const THREADS: &str = "program p;
    global boolean on;
    thread T() {
      loc a: do { start U(); } goto b; when on call f() resume r;
      loc b: when !on do { start T(); on := true; start T(); } goto a; return;
      resume r of a goto b;
    }
    thread U() { loc c: do { start U(); } return; }
    function f() { loc d: do { start T(); } return; }
    active T, U, T;
    property own forall T t {
      prop \"t@b\" = individualAt(T, b) && on;
      prop \"all\" = threadsAt(T, a, b) + threadsAt(U, c) > 1;
      formula \"[] (p0 -> <> p1)\";
    }";

fn marked(origin: Origin) -> (Program, MarkedProgram) {
    let program = program(THREADS);
    let marked = program.mark_thread(&program.properties[0], origin).expect("it is about individuals");
    assert_eq!(verify(&marked.program), Ok(()));
    assert_eq!(text::parse(&text::print(&marked.program)).map(|_| ()), Ok(()));
    (program, marked)
}

fn property_text(program: &Program) -> String {
    let text = text::print(program);
    let property = text.split_once("property").expect("it has one").1;
    property.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn one_of_those_that_are_there_runs_a_copy() {
    let (program, marked) = marked(Origin::Initial);
    let names: Vec<_> =
        marked.program.active.iter().map(|&id| &marked.program.procedures[id].name[..]).collect();
    assert_eq!(names, ["T'", "U", "T"]);
    assert_eq!(marked.program.globals.len(), marked.globals);
    // Three locations, and four transitions.
    let copied = |all: usize, of: usize| all - of;
    assert_eq!(copied(marked.locations.len(), program.locations.len()), 3);
    assert_eq!(copied(marked.transitions.len(), program.transitions.len()), 4);
    assert_eq!(
        property_text(&marked.program),
        r#"own { prop "t@b" = threadsAt('T\'', b) > 0 && on; prop "all" = threadsAt(T, a, b) + threadsAt('T\'', a, b) + threadsAt(U, c) > 1; formula "[] (p0 -> <> p1)"; }"#
    );
}

#[test]
fn every_start_has_a_twin() {
    let (program, marked) = marked(Origin::Started);
    assert_eq!(marked.program.active, program.active);
    let marks = |transition: &Transition| {
        transition.body.iter().filter(|action| action.starts(marked.procedure)).count()
    };
    let twins: Vec<&Transition> =
        marked.program.transitions.values().filter(|transition| marks(transition) > 0).collect();
    // Both starts of the thread, both of its copy, and one of the function.
    assert_eq!(twins.len(), 5);
    assert!(twins.iter().all(|twin| marks(twin) == 1 && twin.guard != Guard::Always));
    assert_eq!(marked.transitions.len(), marked.program.transitions.len());
    let [.., mark] = &marked.program.properties[0].props[..] else { panic!("there are propositions") };
    assert_eq!(mark.text, "there is t");
    assert!(property_text(&marked.program).ends_with(r#"formula "<> p2 -> [] (p0 -> <> p1)"; }"#));
}

#[test]
fn an_else_stays_one() {
    let other = "thread V() { loc e: when on goto e; else do { start T(); } goto e; } function f";
    let text = THREADS.replace("function f", other);
    let program = program(&text);
    let marked =
        program.mark_thread(&program.properties[0], Origin::Started).expect("it is about individuals");
    assert_eq!(verify(&marked.program), Ok(()));
    let of_else = |id: TransitionId| program.transitions[marked.transitions[id.index()]].guard == Guard::Else;
    let all = marked.program.transitions.iter().filter(|&(id, _)| of_else(id));
    let (waiting, starting): (Vec<_>, Vec<_>) =
        all.map(|(_, one)| one).partition(|one| one.guard == Guard::Else);
    // From behind it, the individual is started, or some thread.
    assert!(waiting.len() == 1 && waiting.iter().all(|transition| transition.body.is_empty()));
    assert_eq!(starting.len(), 2);
    assert!(starting.iter().all(|transition| marked.program.locations[transition.source].atomic));
}

#[test]
fn individuals_come_from_somewhere() {
    let origins = |change: fn(&mut Program)| {
        let mut program = program(THREADS);
        change(&mut program);
        let each = program.properties[0].each.clone().expect("it is about individuals");
        (program.origins(&each), program.has_any(each.procedure))
    };
    let never = |program: &mut Program| {
        program.transitions.values_mut().for_each(|transition| transition.body.clear());
    };
    assert_eq!(origins(|_| {}), (vec![Origin::Initial, Origin::Started], true));
    assert_eq!(origins(|program| program.active.clear()), (vec![Origin::Started], true));
    assert_eq!(origins(never), (vec![Origin::Initial], true));
    assert_eq!(
        origins(|program| {
            program.active.clear();
            program.transitions.values_mut().for_each(|transition| transition.body.clear());
        }),
        (vec![Origin::Started], false)
    );
}
