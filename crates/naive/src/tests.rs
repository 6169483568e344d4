use super::*;
use ir::testing::*;
use ir::*;
use std::collections::*;

#[test]
fn stats() {
    let n: u64 = std::env::var("N").map(|n| n.parse().unwrap()).unwrap_or(200);
    let mut sizes = vec![];
    let mut kinds = std::collections::BTreeMap::new();
    let mut feats: BTreeMap<String, usize> = BTreeMap::new();
    let mut clean = 0;
    let mut dead = 0;
    let mut trunc = BTreeMap::new();
    let mut incomplete = 0;
    let t0 = std::time::Instant::now();
    for seed in 0..n {
        let program = random_program(seed);
        let bounds =
            if seed % 3 == 0 { Bounds { threads: 4, frames: 3, objects: 8 } } else { Bounds::default() };
        let naive = Naive { bounds, ..Naive::new(&program) };
        let mut s = explore(&naive, 10_000);
        sizes.push(s.states);
        if !s.complete {
            incomplete += 1;
        }
        if s.faults.is_empty() {
            clean += 1;
        }
        if s.deadlocks > 0 {
            dead += 1;
        }
        for k in s.truncations.keys() {
            *trunc.entry(*k).or_insert(0) += 1;
        }
        let mut ks: Vec<_> = s.faults.keys().map(|k| k.0).collect();
        ks.dedup();
        for k in ks {
            *kinds.entry(k).or_insert(0) += 1;
        }
        // features
        let mut seen = BTreeSet::from([naive.initial()]);
        let mut q = vec![naive.initial()];
        let mut f: BTreeSet<String> = BTreeSet::new();
        while let Some(st) = q.pop() {
            if st.exclusive.is_some() {
                f.insert("exclusive".into());
            }
            if seen.len() > 2000 {
                break;
            }
            for (_, t) in &st.threads {
                if t.ended() {
                    f.insert("ended kept".into());
                }
                if t.frames.len() >= 2 {
                    f.insert(format!("frames{}", t.frames.len()));
                }
                if t.waiting.is_some_and(|w| w.notified) {
                    f.insert("notified".into());
                }
                if t.waiting.is_some_and(|w| w.count > 1) {
                    f.insert("wait count>1".into());
                }
            }
            f.insert(format!("live threads {}", st.threads.values().filter(|t| !t.ended()).count()));
            if st.threads.values().filter(|t| t.waiting.is_some()).count() > 1 {
                f.insert("two waiters".into());
            }
            for o in st.objects.values() {
                if let ObjectKind::Lock { count, owner } = o.kind {
                    if count > 1 {
                        f.insert("lock count>1".into());
                    }
                    if owner.is_some_and(|o| st.threads[&o].ended()) {
                        f.insert("ended owner".into());
                    }
                }
            }
            for step in naive.steps(&st).0 {
                let t = &program.transitions[TransitionId(step.transition)];
                if step.choice > 0 {
                    f.insert("choice>0".into());
                }
                let Ok(next) = naive.fire(&st, step) else { continue };
                if t.guard == Guard::Else {
                    f.insert("else".into());
                }
                for a in &t.body {
                    let d = format!("{:?}", a.kind);
                    f.insert(d.split(['(', ' ']).next().unwrap().to_string());
                    if matches!(a.kind, ActionKind::Throw(_)) {
                        let (b, a) = (
                            st.threads[&step.thread].frames.len(),
                            next.threads.get(&step.thread).map_or(0, |t| t.frames.len()),
                        );
                        f.insert(format!("caught {} up", b - a.min(b)));
                    }
                }
                if let Exit::Call { callee, .. } = &t.exit {
                    f.insert(format!("{callee:?}")[..6].to_string());
                }
                if next.objects.len() < st.objects.len() {
                    f.insert("garbage".into());
                }
                if seen.insert(next.clone()) {
                    q.push(next);
                }
            }
        }
        for x in f {
            *feats.entry(x).or_insert(0) += 1;
        }
        s.states = 0;
    }
    sizes.sort();
    println!(
        "{:?} sizes {:?}",
        t0.elapsed(),
        (0..=20).map(|i| sizes[(sizes.len() - 1) * i / 20]).collect::<Vec<_>>()
    );
    println!("clean {clean} dead {dead} trunc {trunc:?} incomplete {incomplete} {kinds:?}");
    println!("{feats:#?}");
}
