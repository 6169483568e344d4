use super::*;
use ir::testing::*;

#[test]
fn stats() {
    let n: u64 = std::env::var("N").map(|n| n.parse().unwrap()).unwrap_or(200);
    let mut sizes = vec![];
    let mut kinds = std::collections::BTreeMap::new();
    let mut clean = 0; let mut dead = 0; let mut trunc = 0; let mut incomplete = 0;
    let t0 = std::time::Instant::now();
    for seed in 0..n {
        let program = random_program(seed);
        let naive = Naive { bounds: Bounds { threads: 10, frames: 6, objects: 16 }, ..Naive::new(&program) };
        let t = std::time::Instant::now();
        let s = explore(&naive, 30_000);
        if t.elapsed().as_millis() > 2000 { println!("slow {seed} {:?} {}", t.elapsed(), s.states); }
        sizes.push(s.states);
        if !s.complete { incomplete += 1; }
        if s.faults.is_empty() { clean += 1; }
        if s.deadlocks > 0 { dead += 1; }
        if !s.truncations.is_empty() { trunc += 1; }
        let mut ks: Vec<_> = s.faults.keys().map(|k| k.0).collect(); ks.dedup();
        for k in ks { *kinds.entry(k).or_insert(0) += 1; }
    }
    sizes.sort();
    println!("{:?} sizes {:?}", t0.elapsed(), (0..=20).map(|i| sizes[(sizes.len()-1) * i / 20]).collect::<Vec<_>>());
    println!("clean {clean} dead {dead} trunc {trunc} incomplete {incomplete} {kinds:?}");
}
