use super::*;
use testing::philosophers;

#[test]
fn the_published_counts() {
    for (n, states, matched) in [(3, 36, 41), (5, 393, 1024), (7, 4287, 17394)] {
        let program = philosophers(n);
        let summary = explore(&Naive::new(&program), 10_000);
        let expected = Summary {
            states,
            transitions: states - 1 + matched,
            matched,
            deadlocks: 1,
            complete: true,
            ..Summary::default()
        };
        assert_eq!(summary, expected);
    }
}

#[test]
fn a_limit_makes_it_incomplete() {
    let summary = explore(&Naive::new(&philosophers(5)), 100);
    assert_eq!((summary.states, summary.complete), (100, false));
}
