//! The cycle cut: a set of threads that contains a thread of every cycle of threads that need messages of
//! each other to leave sticky locations. Its threads have no ample steps at sticky locations, so that all
//! steps are offered there. See the proviso in the crate's documentation.
//!
//! Whether a thread feeds another depends on what threads may still do, which for a thread that follows a
//! cycle is the same everywhere, and on the channels named by variables that keep their values. So there are
//! few different results, and they are cached.

use std::cell::{Cell, RefCell};

use ir::{Array, ExprKind, Id, LocationId, Table};
use rustc_hash::FxHashMap;
use state::ThreadId;

use crate::analysis::Analysis;
use crate::bits::Bits;
use crate::channels::View;
use crate::cycles::break_cycles;
use crate::footprint::{Use, UseKind};

/// The greatest number of cached results.
const MOST: usize = 1 << 10;

/// The cycle cuts of a program in which threads have one frame each.
#[derive(Default)]
pub struct CycleCut {
    /// By location: a number that identifies its future, as far as messages are concerned.
    prospects: Table<LocationId, u32>,
    /// The number of such numbers.
    count: u32,
    /// By the prospects of all threads, and the channels that they name.
    known: RefCell<FxHashMap<Vec<i64>, Vec<bool>>>,
    key: Cell<Vec<i64>>,
}

impl CycleCut {
    pub fn new(analysis: &Analysis) -> Self {
        let mut cut = Self::default();
        let mut known = FxHashMap::default();
        for id in analysis.program.locations.ids() {
            let future = analysis.futures.at(id);
            let number = *known.entry((future.own, future.sticky)).or_insert_with(|| {
                cut.count += 1;
                cut.count - 1
            });
            cut.prospects.push(number);
        }
        cut
    }

    /// Whether a thread is in the cycle cut.
    pub fn contains(&self, view: View<'_>, thread: ThreadId) -> bool {
        let mut key = self.key.take();
        key.clear();
        for thread in (0..view.state.thread_limit()).map(ThreadId) {
            if !view.state.is_running(thread) {
                key.push(-1);
                continue;
            }
            let location = view.location(thread);
            key.push(self.prospects[location].into());
            let Analysis { sets, futures, uses, named, .. } = view.analysis;
            sets.any_common(futures.at(location).own, *named, &mut |at| {
                let Some(name) = &uses[at].channel else { return false };
                let for_good = !matches!(name.kind, ExprKind::Local(_));
                key.push(view.value(name, thread, for_good).unwrap_or(-1));
                false
            });
        }
        let mut known = self.known.borrow_mut();
        if known.len() > MOST {
            known.clear();
        }
        let answer = match known.get(&key[..]) {
            Some(answer) => answer,
            None => known.entry(key.clone()).or_insert_with(|| choose(view)),
        };
        let is_one = answer[thread.0 as usize];
        self.key.set(key);
        is_one
    }
}

/// Whether a use names its channel by variables of its thread, and cannot be of any channel.
pub fn is_named(found: &Use, assigned_channels: &[Bits]) -> bool {
    let Some(channel) = &found.channel else { return false };
    let mut depends = false;
    channel.each(&mut |expr| {
        depends |= matches!(expr.kind, ExprKind::Local(_) | ExprKind::Element(Array::Local(_), _));
    });
    let is_any = match channel.kind {
        ExprKind::Local(id) => assigned_channels[found.procedure.index()].contains(id.index()),
        _ => false,
    };
    depends && !is_any
}

/// Computes the cycle cut: by thread, whether it is chosen.
fn choose(view: View<'_>) -> Vec<bool> {
    let threads = view.state.thread_limit() as usize;
    let mut feeds = vec![Vec::new(); threads];
    let sets = &view.analysis.sets;
    for fed in view.running() {
        for at in view.futures(fed).flat_map(|future| sets.numbers(future.sticky)) {
            let awaited = &view.analysis.uses[at];
            let number = awaited.channel.as_ref().and_then(|channel| view.value(channel, fed, true));
            let is_fed = |other: ThreadId| {
                let is_one = &mut |at: usize| {
                    let found = &view.analysis.uses[at];
                    let fits = matches!(
                        (awaited.kind, found.kind),
                        (UseKind::Receive { .. }, UseKind::Send { .. })
                            | (UseKind::Send { .. }, UseKind::Receive { keep: false, .. })
                    );
                    fits && number.is_none_or(|number| view.may_use(found, Some(other), number))
                };
                view.futures(other).any(|future| sets.any_common(future.own, future.own, is_one))
            };
            for feeder in view.running().filter(|&other| is_fed(other)) {
                feeds[feeder.0 as usize].push(fed.0 as usize);
            }
        }
    }
    break_cycles(&feeds, &vec![0; threads])
}
