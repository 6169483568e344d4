//! The time per insertion and the bytes per state, on vectors of about 25 words that are mostly small.
//!
//! `cargo bench -p quotient-store -- [STATES]`. Times include writing the changed words into the encoding,
//! which is also measured by itself. States are visited in a scattered order, as by a search.

use std::time::Instant;

use quotient_store::{
    Access, Automaton, Budget, Collapse, CollapseAutomaton, Exact, Gzip, HashSetStore, Insert, StateId,
    StateStore,
};
use system::{Encoding, Key, Section};

/// Writes state `number`: five globals, four threads of four words, two objects of two words.
fn write(number: u64, encoding: &mut Encoding) {
    let digit = |place: u32| number >> (4 * place) & 0xf;
    let object = |index| Key { section: Section::Objects, index };
    encoding.set(Key { section: Section::Root, index: 0 }, &[digit(0), 1, 0, 300, digit(1)]);
    for index in 0..4 {
        let words = [digit(2 + index), u64::from(index), 0, digit(7) << 8 | 3];
        encoding.set(Key { section: Section::Threads, index }, &words);
    }
    encoding.set(object(0), &[digit(6), u64::MAX]);
    encoding.set(object(1), &[digit(8), 7]);
}

/// A permutation of the numbers below a power of two.
fn scattered(i: u64, n: u64) -> u64 {
    (i.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ i >> 7) & (n - 1)
}

fn per(n: u64, work: impl FnOnce()) -> f64 {
    let start = Instant::now();
    work();
    start.elapsed().as_nanos() as f64 / n as f64
}

fn measure(mut store: impl StateStore, n: u64) {
    let mut encoding = Encoding::new();
    let write_only = per(n, || {
        for i in 0..n {
            write(scattered(i, n), std::hint::black_box(&mut encoding));
        }
    });
    let new = per(n, || {
        for i in 0..n {
            write(i, &mut encoding);
            store.insert(&mut encoding, usize::MAX).expect("no limit");
        }
    });
    let mut seen = 0;
    let again = per(n, || {
        for i in 0..n {
            write(scattered(i, n), &mut encoding);
            seen += u64::from(matches!(store.insert(&mut encoding, usize::MAX), Ok(Insert::Seen(_))));
        }
    });
    assert_eq!((seen, store.len() as u64), (n, n));
    let decode = (store.access() == Access::ById).then(|| {
        per(n, || {
            for i in 0..n {
                store.decode(StateId(i), &mut encoding);
            }
        })
    });
    let decode = decode.map_or(String::new(), |decode| format!(", decode {decode:>4.0} ns"));
    println!(
        "{:>18} {n:>9} states: new {new:>4.0} ns, seen {again:>4.0} ns{decode} (writing alone {write_only:.0} ns), {:>5.1} bytes a state",
        store.kind(),
        store.bytes() as f64 / n as f64
    );
}

fn main() {
    let most: u64 = std::env::args().find_map(|arg| arg.parse().ok()).unwrap_or(1 << 20);
    for n in [1 << 10, 1 << 16, 1 << 20, 1 << 22, 1 << 24].into_iter().filter(|&n| n <= most) {
        let budget = &Budget::unlimited();
        measure(Exact::new(budget), n);
        measure(Collapse::new(budget), n);
        measure(CollapseAutomaton::new(budget), n);
        measure(Automaton::new(budget), n);
        if n <= 1 << 20 {
            measure(Gzip::new(budget), n);
            measure(HashSetStore::new(budget), n);
        }
    }
}
