//! Verdicts that were wrong once, or nearly.

use std::collections::BTreeMap;
use std::sync::Arc;

use quotient_check::config::{Config, Fairness, Naming, OnBound, SearchKind, StoreKind, Symmetry};
use quotient_check::report::{Report, Verdict};
use quotient_check::{Model, Quiet};

fn check(text: &str, config: &Config) -> Report {
    check_file("m.bir", text, config)
}

/// The name of the file decides the language.
fn check_file(name: &str, text: &str, config: &Config) -> Report {
    let files = BTreeMap::from([(name.to_owned(), text.into())]);
    let model = Model::load(&files, name, &[]).unwrap_or_else(|rejected| panic!("{rejected}"));
    let checked = quotient_check::check(&model, config, 0, &Arc::default(), &mut Quiet);
    checked.unwrap_or_else(|error| panic!("{error:?}")).report
}

fn kinds(report: &Report) -> Vec<&str> {
    report.violations.iter().map(|violation| violation.kind.as_str()).collect()
}

#[test]
fn a_deadlock_that_also_breaks_an_invariant_is_both() {
    let text = "system S {
        int x;
        invariant Small = x < 1;
        active thread T() { loc a: do { x := 1; } goto b; loc b: when x == 0 do { } return; }
    }";
    for search in [SearchKind::Bfs, SearchKind::Dfs] {
        let report = check(text, &Config { search: Some(search), keep_going: true, ..Config::default() });
        assert_eq!(kinds(&report), ["invariant", "deadlock"]);
    }
}

/// An argument that does not fit is a fault, whether or not the call also exceeds a bound.
#[test]
fn arguments_are_looked_at_before_bounds() {
    let call = "system S {
        function f(int (0, 3) k) { invoke f(k + 1); }
        active thread T() { invoke f(0); }
    }";
    let fun = "system S {
        int x;
        fun f(int (0, 3) k) returns int = f(k + 1);
        active thread T() { x := f(0); }
    }";
    let invariant = "system S {
        int x;
        fun f(int (0, 3) k) returns int = f(k + 1);
        invariant I = f(x) == 0;
        active thread T() { x := 1; }
    }";
    // The argument 4 comes with the first call that is one too many.
    for (text, frames) in [(call, 5), (fun, 4), (invariant, 4)] {
        for on_bound in [OnBound::Truncate, OnBound::Error] {
            let mut config = Config::default();
            config.bounds.on_bound = on_bound;
            config.bounds.sizes.frames = frames;
            assert_eq!(kinds(&check(text, &config)), ["range"], "{text}");
        }
    }
}

/// Where no option asks for less, the properties of a model are checked; where they cannot be, nothing is
/// said to hold.
#[test]
fn a_model_with_temporal_properties_is_not_said_to_hold() {
    let text = "system S { boolean bad; ltl Never = [] !bad; active thread T() { bad := true; } }";
    let report = check(text, &Config::default());
    assert_eq!(report.verdict, Verdict::Violated);
    assert_eq!(kinds(&report), ["acceptance-cycle"]);
    for store in [StoreKind::Automaton, StoreKind::Compact, StoreKind::Bitstate] {
        let report = check(text, &Config { store, search: Some(SearchKind::Dfs), ..Config::default() });
        assert_eq!(report.verdict, Verdict::Inconclusive);
        assert!(report.incomplete.unwrap().contains("(Never) were not checked"));
    }
    let report = check(text, &Config { safety: true, ..Config::default() });
    assert_eq!((report.verdict, report.properties.len()), (Verdict::Holds, 0));
}

/// If a run never leaves an atomic block, the last state that is observed counts for ever.
#[test]
fn a_run_may_stay_inside_of_an_atomic_block() {
    let spin = "boolean flag; int (0, 1) x;
        active thread A() { atomic while !flag do LOOP end end }
        active thread B() { flag := true; }";
    let loops = ["x := 1 - x;", "choose do x := 1; do x := 0; end"];
    let ltl = [
        ("[] <> flag", true),
        ("<> [] flag", true),
        ("[] (!flag -> <> flag)", true),
        ("<> flag", true),
        ("flag", true),
        ("X flag", true),
        ("[] <> !flag", true),
        ("[] (flag -> [] flag)", false),
        ("!flag W flag", false),
    ];
    for (formula, is_violated) in ltl {
        for body in loops {
            let text = format!("system S {{ {} ltl P = {formula}; }}", spin.replace("LOOP", body));
            for fairness in [Fairness::None, Fairness::Weak] {
                for symmetry in [Symmetry::None, Symmetry::Full] {
                    let property = Some("P".to_owned());
                    let config = Config { property, fairness, symmetry, ..Config::default() };
                    let report = check_file("s.bir", &text, &config);
                    let expected = if is_violated { Verdict::Violated } else { Verdict::Holds };
                    assert_eq!(report.verdict, expected, "{formula}, {fairness}, {symmetry}: {body}");
                }
            }
        }
    }
}

/// A run inside of an atomic sequence in Promela, with the questions that are asked there.
#[test]
fn a_run_may_stay_inside_of_an_atomic_sequence() {
    let config = |change: fn(&mut Config)| {
        let mut config = Config::default();
        change(&mut config);
        config
    };
    let property = config(|config| config.property = Some("p".to_owned()));
    let fair = Config { fairness: Fairness::Weak, ..property.clone() };
    let progress = config(|config| config.non_progress = true);
    let acceptance = config(|config| config.acceptance = true);
    let (violated, holds) = (Verdict::Violated, Verdict::Holds);
    let cases = [
        (
            "bool f; bit x; active proctype A() { atomic { do :: !f -> x = 1 - x :: else -> break od } }
          active proctype B() { f = true } ltl p { [] <> f }",
            [&property, &fair],
            violated,
        ),
        (
            "bit x; bool f; active proctype P() { atomic { do :: x = 1 :: x = 0 od } } ltl p { <> f }",
            [&property, &fair],
            violated,
        ),
        (
            "bit x; bool f; active proctype P() { atomic { do :: x = 1 :: x = 0 od } } ltl p { [] !f }",
            [&property, &fair],
            holds,
        ),
        ("bit x; active proctype P() { atomic { do :: x = 1 - x od } }", [&progress, &progress], violated),
        (
            "bit x; active proctype P() { progress: x = 1; x = 0; atomic { do :: x = 1 - x od } }",
            [&progress, &progress],
            violated,
        ),
        (
            "bit x; active proctype P() { progress: atomic { do :: x = 1 - x od } }",
            [&progress, &progress],
            holds,
        ),
        (
            "bit x; active proctype P() { accept: atomic { do :: x = 1 - x od } }",
            [&acceptance, &acceptance],
            violated,
        ),
        (
            "bit x; active proctype P() { accept: x = 1; atomic { do :: x = 1 - x od } }",
            [&acceptance, &acceptance],
            holds,
        ),
    ];
    for (text, configs, expected) in cases {
        for config in configs {
            assert_eq!(check_file("s.pml", text, config).verdict, expected, "{text} {}", config.fairness);
        }
    }
}

/// A cycle of N states in an atomic block takes about N steps, in both languages and in every search.
#[test]
fn a_long_cycle_inside_of_an_atomic_block_is_passed_once() {
    let models = [
        (
            "s.bir",
            "system S { int wrap (0, 9999) x; active thread A() { atomic while true do x := x + 1; end end } }",
        ),
        (
            "s.pml",
            "short x; active proctype A() { atomic { do :: x < 10000 -> x++ :: x == 10000 -> x = 0 od } }",
        ),
    ];
    for (name, text) in models {
        for search in [SearchKind::Bfs, SearchKind::Dfs] {
            let report = check_file(name, text, &Config { search: Some(search), ..Config::unreduced() });
            assert_eq!(report.verdict, Verdict::Holds);
            assert!(report.transitions < 50_000, "{name}, {search}: {} transitions", report.transitions);
        }
    }
}

/// However long an atomic block is, and whether or not it branches: its middle breaks no invariant.
#[test]
fn invariants_do_not_see_into_atomic_blocks() {
    for (n, branch) in [(10, ""), (5000, ""), (3, "choose do skip; do i := i + 0; end")] {
        let text = format!(
            "system S {{
                int a;
                int b;
                invariant Same = a == b;
                active thread T() {{
                    int i;
                    atomic
                        a := 1;
                        while i < {n} do i := i + 1; {branch} end
                        b := 1;
                    end
                }}
            }}"
        );
        assert_eq!(check(&text, &Config::default()).verdict, Verdict::Holds, "{n} {branch}");
    }
    // But its end does.
    let text = "system S { int a; invariant Zero = a == 0; active thread T() { atomic a := 1; skip; end } }";
    assert_eq!(check(text, &Config::default()).verdict, Verdict::Violated);
}

/// More choices in one step than can be numbered are a bound that is exceeded, never successors that are
/// dropped.
#[test]
fn too_many_choices_are_not_dropped() {
    let text = "system S {
        lock l;
        int n;
        int turn := -1;
        thread W(int k) {
            loc a: when n == k do { lock(l); wait(l); n := n + 1; } goto b;
            loc b: when turn == k && wasNotified(l) do { assert k != 13; turn := turn + 1; } return;
                   when turn == k && !wasNotified(l) do { turn := turn + 1; } return;
        }
        main thread M() {
            int i;
            loc s: do { l := new lock; } goto c;
            loc c: when i < 14 do { start W(i); i := i + 1; } goto c;
                   when i == 14 && n == 14 do {
                       lock(l); NOTIFY turn := 0;
                   } return;
        }
    }";
    let many = text.replace("NOTIFY", &"notify(l); ".repeat(11));
    let report = check(&many, &Config::default());
    assert_eq!(report.verdict, Verdict::HoldsUpToBounds);
    assert_eq!(report.truncations.threads, 1);
    let mut config = Config::default();
    config.bounds.on_bound = OnBound::Error;
    assert_eq!(kinds(&check(&many, &config)), ["thread-bound"]);
    // As many as can be: 14 * 13 * 12 * 11.
    let few = text.replace("NOTIFY", &"notify(l); ".repeat(4));
    assert_eq!(kinds(&check(&few, &Config::default())), ["assertion"]);
}

/// One step that would take all memory is not taken, and the verdict says so.
#[test]
fn a_step_that_allocates_without_end_is_truncated() {
    let text = "system S {
        long[] a;
        active thread T() {
            atomic
                while true do a := new long[1000000]; end
            end
        }
    }";
    for on_bound in [OnBound::Truncate, OnBound::Error] {
        let mut config = Config::default();
        config.bounds.on_bound = on_bound;
        let report = check(text, &config);
        assert_eq!(report.verdict, Verdict::HoldsUpToBounds);
        assert!(report.truncations.objects > 0);
    }
}

fn every_symmetry() -> impl Iterator<Item = Config> {
    let levels = [Symmetry::None, Symmetry::Heap, Symmetry::Pc, Symmetry::Bots(None), Symmetry::Full];
    levels.into_iter().flat_map(|symmetry| {
        let searches = [SearchKind::Bfs, SearchKind::Dfs];
        searches.map(|search| Config {
            symmetry,
            search: Some(search),
            keep_going: true,
            ..Config::unreduced()
        })
    })
}

/// Which of two bounds that elements exceed counts must not depend on which element comes first.
#[test]
fn bounds_in_quantifiers_do_not_depend_on_names() {
    let text = "system S {
        abstract enum E { a, b }
        E y; E z;
        fun left(E n) returns boolean = left(n);
        fun right(E n) returns boolean = right(n);
        main thread M() {
            loc a: do { y := Set.choose(E.all); } goto b;
            loc b: do { z := Set.choose(Set.difference(E.all, Set.create(y))); } goto c;
            loc c: do { y := null; } goto d;
            loc d: do { assert forall x in E.all : (x == z ? left(x) : right(x)); } return;
        }
    }";
    for mut config in every_symmetry() {
        config.bounds.on_bound = OnBound::Error;
        config.bounds.sizes.frames = 5;
        assert_eq!(kinds(&check(text, &config)), ["stack-bound"]);
    }
}

#[test]
fn deep_quantifiers_do_not_use_up_the_native_stack() {
    let text = "system S {
        Set.type<int> s;
        fun f(int x) returns boolean = exists y in s : f(y);
        main thread M() {
            loc a: do { Set.add(s, 1); } goto b;
            loc b: do { assert f(0); } return;
        }
    }";
    let mut config = Config::default();
    config.bounds.sizes.frames = 20_000;
    assert_eq!(check(text, &config).verdict, Verdict::HoldsUpToBounds);
}

/// A collection that is passed on counts like one that is stored.
#[test]
fn copies_of_collections_do_not_use_up_the_memory() {
    let forty = |x: &str| vec![x; 40].join(", ");
    let text = format!(
        "system S {{
            typealias A Seq.type<int>; typealias B Seq.type<A>; typealias C Seq.type<B>; typealias D Seq.type<C>;
            D g;
            fun a(int x) returns A = Seq.create<int>({x});
            fun b(A x) returns B = Seq.create<A>({x});
            fun c(B x) returns C = Seq.create<B>({x});
            fun d(C x) returns D = Seq.create<C>({x});
            thread W(D p) {{ loc a: do {{ }} return; }}
            main thread M() {{
                loc a: do {{ g := d(c(b(a(1)))); }} goto b;
                loc b: do {{ start W(g); start W(g); start W(g); start W(g); }} goto c;
                loc c: do {{ assert false; }} return;
            }}
        }}",
        x = forty("x")
    );
    assert_eq!(check(&text, &Config::default()).verdict, Verdict::HoldsUpToBounds);
}

/// Ended threads that stay in a table, and threads that differ in nothing but what they once were.
#[test]
fn orbits_do_not_depend_on_the_search() {
    let text = "system S {
        record Cell { Cell next; }
        thread Worker(Cell a) { skip; skip; }
        main thread Main() {
            Cell a; tid[] w; int i;
            atomic a := new Cell; w := new tid[2]; end
            while true do
                assume w[i] == null || threadTerminated(w[i]);
                w[i] := start Worker(a);
                i := 1 - i;
            end
        }
    }";
    for naming in [Naming::Dfs, Naming::Chain] {
        for config in every_symmetry().filter(|config| config.symmetry == Symmetry::Full) {
            let report = check(text, &Config { naming: Some(naming), ..config });
            assert_eq!(report.states, 76);
            assert!(report.symmetry.canonical);
        }
    }
}

/// The second thread is not the first one that can be marked, and an `else` that starts both stays one.
#[test]
fn individuals_that_are_started_by_an_else() {
    let text = "system S {
        int (0, 3) made;
        ltl Never = forall W w: [] !w@bad;
        thread W(int (0, 3) k) {
            loc begin: when k == 1 do { } goto bad; when k != 1 do { } return;
            loc bad: do { } return;
        }
        active thread Main() {
            while made < 2 do
                atomic
                    choose when <made == 3> do skip; else do start W(made); made := made + 1; end
                end
            end
        }
    }";
    let report = check(text, &Config::default());
    assert_eq!(report.verdict, Verdict::Violated);
}

/// Runs past an endless loop in an `atomic` block are told by the steps of the search. To look for them would not end.
#[test]
fn runs_past_an_endless_atomic_loop_are_found() {
    let text = "bit x, y;
        active [2] proctype P() {
            atomic { if :: x = 1; do :: x = 1 - x od :: y = 1 fi };
            assert(y == 0)
        }";
    for (symmetry, threads) in [(Symmetry::None, 1), (Symmetry::None, 2), (Symmetry::Full, 1)] {
        let search = Some(SearchKind::Bfs);
        let config = Config { search, symmetry, threads: Some(threads), ..Config::default() };
        assert_eq!(kinds(&check_file("m.pml", text, &config)), ["assertion"]);
    }
}
