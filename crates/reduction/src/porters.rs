//! Threads that let all others in wherever they are sticky: one on every circle of threads that wait for messages of each
//! other to get past sticky locations. See the crate's documentation.
//!
//! Who feeds whom depends on what threads may still do, which for a thread that goes round is the same everywhere, and on the
//! channels that variables name which keep their values. So there are few answers, and they are remembered.

use std::cell::{Cell, RefCell};

use ir::{Array, Expr, ExprKind, Id, LocationId, Table};
use rustc_hash::FxHashMap;
use state::ThreadId;

use crate::analysis::{Analysis, Future};
use crate::channels::View;
use crate::cycles::break_cycles;
use crate::footprint::UseKind;

/// More answers are not remembered.
const MOST: usize = 1 << 10;

/// What is known of a program in which threads have one frame each.
#[derive(Default)]
pub struct Porters {
    /// By location: a number that those have which have the same future, as far as it is about messages.
    prospects: Table<LocationId, u32>,
    /// By such a number: the names of channels that depend on variables of the thread.
    names: Vec<Vec<Expr>>,
    /// By the prospects of all threads, and the channels that they name.
    known: RefCell<FxHashMap<Vec<i64>, Vec<bool>>>,
    question: Cell<Vec<i64>>,
}

impl Porters {
    pub fn new(analysis: &Analysis) -> Self {
        let mut porters = Self::default();
        let mut found = Vec::<&Future>::new();
        for future in analysis.futures.values() {
            let is_same = |other: &&Future| other.own == future.own && other.sticky == future.sticky;
            let number = found.iter().position(is_same).unwrap_or_else(|| {
                found.push(future);
                porters.names.push(names(analysis, future));
                found.len() - 1
            });
            porters.prospects.push(number as u32);
        }
        porters
    }

    /// Whether a thread is one.
    pub fn has(&self, view: View<'_>, thread: ThreadId) -> bool {
        let mut question = self.question.take();
        question.clear();
        for thread in (0..view.state.thread_limit()).map(ThreadId) {
            if !view.state.is_running(thread) {
                question.push(-1);
                continue;
            }
            let prospect = self.prospects[view.location(thread)];
            question.push(prospect.into());
            for name in &self.names[prospect as usize] {
                let for_good = !matches!(name.kind, ExprKind::Local(_));
                question.push(view.value(name, thread, for_good).unwrap_or(-1));
            }
        }
        let mut known = self.known.borrow_mut();
        if known.len() > MOST {
            known.clear();
        }
        let answer = match known.get(&question[..]) {
            Some(answer) => answer,
            None => known.entry(question.clone()).or_insert_with(|| choose(view)),
        };
        let is_one = answer[thread.0 as usize];
        self.question.set(question);
        is_one
    }
}

/// The names of channels in a future that depend on variables, unless that may be any channel anyway.
fn names(analysis: &Analysis, future: &Future) -> Vec<Expr> {
    let mut names = Vec::new();
    for found in future.own.iter().map(|at| &analysis.uses[at]) {
        let Some(channel) = &found.channel else { continue };
        let mut depends = false;
        channel.each(&mut |expr| {
            depends |= matches!(expr.kind, ExprKind::Local(_) | ExprKind::Element(Array::Local(_), _));
        });
        let is_any = match channel.kind {
            ExprKind::Local(id) => analysis.assigned_channels[found.procedure.index()].contains(id.index()),
            _ => false,
        };
        if depends && !is_any && !names.contains(channel) {
            names.push(channel.clone());
        }
    }
    names
}

/// By thread: whether it is chosen.
fn choose(view: View<'_>) -> Vec<bool> {
    let threads = view.state.thread_limit() as usize;
    let mut feeds = vec![Vec::new(); threads];
    for fed in view.running() {
        for at in view.futures(fed).flat_map(|future| future.sticky.iter()) {
            let awaited = &view.analysis.uses[at];
            let number = awaited.channel.as_ref().and_then(|channel| view.value(channel, fed, true));
            let is_fed = |other: ThreadId| {
                view.futures(other).flat_map(|future| future.own.iter()).any(|at| {
                    let found = &view.analysis.uses[at];
                    let fits = matches!(
                        (awaited.kind, found.kind),
                        (UseKind::Receive { .. }, UseKind::Send { .. })
                            | (UseKind::Send { .. }, UseKind::Receive { keep: false, .. })
                    );
                    fits && number.is_none_or(|number| view.may_use(found, Some(other), number))
                })
            };
            for feeder in view.running().filter(|&other| is_fed(other)) {
                feeds[feeder.0 as usize].push(fed.0 as usize);
            }
        }
    }
    break_cycles(&feeds, &vec![0; threads])
}
