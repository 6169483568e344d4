//! A system of actors as a model.
//!
//! A step is one call of a handler with everything it causes: the message is taken off the network, the monitor
//! sees it, the actor changes, and its commands are carried out in their order. In a synchronous network the
//! step goes on with what was sent.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::rc::Rc;

use quotient_model::{Cx, Doing, Individual, Model, Process, Properties, Set, Shape, number_of};

use crate::actor::{Command, Commands};
use crate::monitor::Monitor;
use crate::network::Network;
use crate::system::{Conditions, Layout, Settings};
use crate::world::{Local, View, WorldOf};
use crate::{Action, Actor, Addr, Draft, Envelope, Flight, NoOps, OnFull, Out, World};

/// Messages that may arrive in one step of a synchronous network.
const LONGEST_STEP: usize = 1_000;

/// A [system](crate::System) as a model.
///
/// ```
/// # use quotient_actors::{Actor, Addr, Draft, Out, System};
/// # use quotient_model::Set;
/// # /// Tells its peers 1, once.
/// # struct Node { peers: Set<Addr> }
/// # impl Actor for Node {
/// #     type State = u8;
/// #     type Msg = u8;
/// #     type Timer = ();
/// #     type Random = ();
/// #     type Storage = u8;
/// #     fn on_start(&self, _: Addr, stored: Option<&u8>, out: &mut Out<Self>) -> u8 {
/// #         if stored.is_none() {
/// #             out.broadcast(&self.peers, &1);
/// #         }
/// #         stored.copied().unwrap_or(0)
/// #     }
/// #     fn on_msg(&self, _: Addr, state: &mut Draft<'_, u8>, _: Addr, msg: &u8, out: &mut Out<Self>) {
/// #         if **state < *msg {
/// #             state.set(*msg);
/// #             out.save(*msg);
/// #         }
/// #     }
/// # }
/// # fn nodes(count: usize) -> System<Node> {
/// #     System::new().group("node", count, |place| Node { peers: place.peers() })
/// # }
/// use quotient_actors::ActorModel;
/// use quotient_model::Program;
/// let program: Program<ActorModel<Node, ()>> = nodes(2).program();
/// assert_eq!(program.labels().show(|| program.initial_states()).map(|states| states.len()), Ok(1));
/// ```
pub struct ActorModel<A: Actor, W: Monitor<A::Msg>> {
    pub(crate) actors: Vec<A>,
    pub(crate) layout: Rc<Layout>,
    pub(crate) settings: Settings,
    pub(crate) monitor: W,
    pub(crate) conditions: Conditions<A, W>,
}

/// What is carried out in one step.
struct Turn<'t, 'd, A: Actor, W: Monitor<A::Msg>> {
    world: &'t mut WorldOf<A, W>,
    /// `None` before the first step.
    doing: Option<&'t mut Doing<'d>>,
    /// Where something was sent in this step.
    lines: Vec<(Addr, Addr)>,
}

impl<A: Actor, W: Monitor<A::Msg>> ActorModel<A, W> {
    fn actor(&self, at: Addr) -> &A {
        &self.actors[number_of(at.index()) as usize]
    }

    fn view<'a>(&'a self, world: &'a WorldOf<A, W>) -> View<'a, A, W> {
        View { world, layout: &self.layout, noops: self.settings.noops }
    }

    fn can_arrive(world: &WorldOf<A, W>, sent: &Envelope<A::Msg>) -> bool {
        world.actors.get(&sent.to).is_some_and(Option::is_some) && !world.cuts.contains(&(sent.from, sent.to))
    }

    fn is_ignored(&self, changed: Option<&A::State>, is_nothing: bool) -> bool {
        self.settings.noops == NoOps::Ignore
            && self.settings.network.is_unordered()
            && changed.is_none()
            && is_nothing
    }

    /// Whether a message is known to do nothing, so that it does not arrive. A handler that panics does
    /// something.
    fn does_nothing(&self, world: &WorldOf<A, W>, sent: &Envelope<A::Msg>) -> bool {
        if self.settings.noops == NoOps::Consume || !self.settings.network.is_unordered() {
            return false;
        }
        let Some(Some(local)) = world.actors.get(&sent.to) else { return false };
        let ignores = || {
            let (mut draft, mut out) = (Draft::new(&local.state), Out::default());
            self.actor(sent.to).on_msg(sent.to, &mut draft, sent.from, &sent.msg, &mut out);
            self.is_ignored(draft.into_changed().as_ref(), out.is_empty())
        };
        catch_unwind(AssertUnwindSafe(ignores)).unwrap_or(false)
    }

    fn start(&self, turn: &mut Turn<'_, '_, A, W>, at: Addr) {
        let mut out = Out::default();
        let state = self.actor(at).on_start(at, turn.world.stored.get(&at), &mut out);
        let local = Local { state, timers: Set::new(), random: quotient_model::Map::new() };
        turn.world.actors.insert(at, Some(local));
        self.obey(turn, at, out.0);
    }

    /// A message arrives. Returns whether that happens at all.
    fn deliver(&self, turn: &mut Turn<'_, '_, A, W>, sent: &Envelope<A::Msg>) -> bool {
        let Envelope { from, to, msg } = sent;
        let local = turn.world.actors[*to].as_ref().expect("messages arrive at actors that are up");
        let (mut draft, mut out) = (Draft::new(&local.state), Out::default());
        self.actor(*to).on_msg(*to, &mut draft, *from, msg, &mut out);
        let changed = draft.into_changed();
        if self.is_ignored(changed.as_ref(), out.is_empty()) {
            return false;
        }
        turn.world.network.arrived(sent);
        self.monitor.on_deliver(&mut turn.world.seen, *from, *to, msg);
        self.become_and_obey(turn, *to, changed, out.0);
        true
    }

    fn become_and_obey(
        &self,
        turn: &mut Turn<'_, '_, A, W>,
        at: Addr,
        changed: Option<A::State>,
        commands: Commands<A>,
    ) {
        if let (Some(state), Some(Some(local))) = (changed, turn.world.actors.get_mut(&at)) {
            local.state = state;
        }
        self.obey(turn, at, commands);
    }

    /// Carries out what an actor asked for.
    fn obey(&self, turn: &mut Turn<'_, '_, A, W>, me: Addr, commands: Commands<A>) {
        for command in commands {
            if let Command::Send(to, msg) = command {
                self.send(turn, Envelope { from: me, to, msg });
                continue;
            }
            let World { actors, stored, .. } = &mut *turn.world;
            let Some(Some(local)) = actors.get_mut(&me) else { unreachable!("it is up") };
            match command {
                Command::Send(..) => {}
                Command::SetTimer(timer) => _ = local.timers.insert(timer),
                Command::CancelTimer(timer) => _ = local.timers.remove(&timer),
                Command::ChooseRandom(key, alternatives) if alternatives.is_empty() => {
                    local.random.remove(&key);
                }
                Command::ChooseRandom(key, alternatives) => _ = local.random.insert(key, alternatives),
                Command::Save(storage) => _ = stored.insert(me, storage),
            }
        }
    }

    fn send(&self, turn: &mut Turn<'_, '_, A, W>, sent: Envelope<A::Msg>) {
        self.monitor.on_send(&mut turn.world.seen, sent.from, sent.to, &sent.msg);
        if let (Some(capacity), OnFull::Fail | OnFull::Lose) = (self.settings.capacity, self.settings.on_full)
            && turn.world.network.company(&sent) >= capacity
        {
            if self.settings.on_full == OnFull::Fail {
                let message = format!("there is no room for {sent:?}");
                match &mut turn.doing {
                    Some(doing) => doing.fail(message),
                    None => panic!("{message}"),
                }
            }
            return;
        }
        if self.settings.network == Network::Synchronous {
            turn.lines.push((sent.from, sent.to));
        }
        turn.world.network.send(sent);
    }

    /// In a synchronous network, goes on until nothing that was sent in this step is on its way.
    fn settle(&self, turn: &mut Turn<'_, '_, A, W>) {
        for _ in 0..LONGEST_STEP {
            let Flight::Lines(lines) = &turn.world.network else { return };
            let mut first: Vec<(Envelope<A::Msg>, bool)> = Vec::new();
            for (&(from, to), line) in lines.iter().filter(|(key, _)| turn.lines.contains(key)) {
                let sent = Envelope { from, to, msg: line[0].clone() };
                let arrives = Self::can_arrive(turn.world, &sent);
                if arrives && self.settings.lossy {
                    first.push((sent.clone(), false));
                }
                first.push((sent, arrives));
            }
            let Some(doing) = turn.doing.as_mut().filter(|_| !first.is_empty()) else { return };
            let chosen = if first.len() == 1 { first.pop() } else { doing.choose(first) };
            let Some((sent, arrives)) = chosen else { return };
            if arrives {
                self.deliver(turn, &sent);
            } else {
                turn.world.network.remove(&sent);
            }
        }
        if let Some(doing) = &mut turn.doing {
            doing.fail(format!("more than {LONGEST_STEP} messages arrive in one step"));
        }
    }
}

impl<A: Actor, W: Monitor<A::Msg>> Model for ActorModel<A, W> {
    type State = WorldOf<A, W>;
    type Action = Action<A::Msg, A::Timer, A::Random>;

    fn initial(&self, cx: &Cx<'_>, out: &mut Vec<Self::State>) {
        let mut world = World {
            actors: cx.all::<Addr>().map(|at| (at, None)).collect(),
            network: Flight::new(self.settings.network),
            stored: quotient_model::Map::new(),
            cuts: Set::new(),
            seen: self.monitor.initial(),
        };
        let mut turn = Turn { world: &mut world, doing: None, lines: Vec::new() };
        for at in cx.all::<Addr>() {
            self.start(&mut turn, at);
        }
        assert!(self.within(cx, &world), "the first state is out of bounds");
        out.push(world);
    }

    fn actions(&self, cx: &Cx<'_>, world: &Self::State, out: &mut Vec<Self::Action>) {
        let Settings { network, lossy, crashes, recover, partitions, .. } = self.settings;
        world.network.arriving(network.window(), |sent| {
            if lossy {
                out.push(Action::Drop(sent.clone()));
            }
            if Self::can_arrive(world, &sent) && !self.does_nothing(world, &sent) {
                out.push(Action::Deliver(sent));
            }
        });
        let mut down = 0;
        for (&at, local) in world.actors.iter() {
            let Some(local) = local else {
                down += 1;
                continue;
            };
            out.extend(local.timers.iter().map(|timer| Action::Timeout(at, timer.clone())));
            for (key, alternatives) in local.random.iter() {
                for (place, random) in alternatives.iter().enumerate() {
                    if !alternatives[..place].iter().any(|other| other.order(random).is_eq()) {
                        out.push(Action::Choose(at, key.clone(), random.clone()));
                    }
                }
            }
        }
        if down < crashes {
            let up = world.actors.iter().filter(|(_, local)| local.is_some());
            out.extend(up.map(|(&at, _)| Action::Crash(at)));
        }
        if recover && down > 0 {
            let all = world.actors.iter().filter(|(_, local)| local.is_none());
            out.extend(all.map(|(&at, _)| Action::Recover(at)));
        }
        if partitions > 0 {
            let is_cut = |a, b| world.cuts.contains(&(a, b));
            let can_cut = world.cuts.len() / 2 < partitions;
            for (number, a) in cx.all::<Addr>().enumerate() {
                for b in cx.all::<Addr>().skip(number + 1) {
                    let pair = || [a, b].into_iter().collect();
                    if is_cut(a, b) {
                        out.push(Action::Heal(pair()));
                    } else if can_cut {
                        out.push(Action::Cut(pair()));
                    }
                }
            }
        }
    }

    fn apply(&self, doing: &mut Doing<'_>, world: &mut Self::State, action: &Self::Action) {
        let mut turn = Turn::<A, W> { world, doing: Some(doing), lines: Vec::new() };
        let happens = match action {
            Action::Deliver(sent) => self.deliver(&mut turn, sent),
            Action::Drop(sent) => {
                turn.world.network.remove(sent);
                true
            }
            Action::Timeout(at, timer) => self.timeout(&mut turn, *at, timer),
            Action::Choose(at, key, random) => {
                let Some(Some(local)) = turn.world.actors.get_mut(at) else { unreachable!("it is up") };
                local.random.remove(key);
                let (mut draft, mut out) = (Draft::new(&local.state), Out::default());
                self.actor(*at).on_random(*at, &mut draft, random, &mut out);
                let changed = draft.into_changed();
                self.become_and_obey(&mut turn, *at, changed, out.0);
                true
            }
            Action::Crash(at) => {
                turn.world.actors.insert(*at, None);
                true
            }
            Action::Recover(at) => {
                self.start(&mut turn, *at);
                true
            }
            Action::Cut(pair) => {
                turn.world.cuts.extend(both_ways(pair));
                true
            }
            Action::Heal(pair) => {
                both_ways(pair).for_each(|way| _ = turn.world.cuts.remove(&way));
                true
            }
        };
        if !turn.lines.is_empty() {
            self.settle(&mut turn);
        }
        if !happens {
            // Without alternatives, the action does not happen.
            doing.choose(None::<()>);
        }
    }

    fn properties(&self, to: &mut Properties<Self::State>) {
        let Conditions { invariants, reachable, propositions, propositions_of, messages, formulas, .. } =
            &self.conditions;
        let (layout, noops) = (&self.layout, self.settings.noops);
        let judge = |holds: &crate::system::Holds<A, W>| {
            let (holds, layout) = (Rc::clone(holds), Rc::clone(layout));
            move |_: &Cx<'_>, world: &Self::State| holds(&View { world, layout: &layout, noops })
        };
        if let Some(name) = self.monitor.name() {
            let monitor = self.monitor.clone();
            to.invariant(name, move |_, world| monitor.is_consistent(&world.seen));
        }
        for (name, holds) in invariants {
            to.invariant(name, judge(holds));
        }
        for (name, holds) in reachable {
            to.reachable(name, judge(holds));
        }
        for (name, holds) in propositions {
            to.proposition(name, judge(holds));
        }
        for (name, holds) in propositions_of {
            let (holds, layout) = (Rc::clone(holds), Rc::clone(layout));
            to.proposition_of::<Addr>(name, move |_, world, at| {
                holds(&View { world, layout: &layout, noops }, at)
            });
        }
        for (name, sent, is_sought) in messages {
            let (sent, is_sought) = (Rc::clone(sent), *is_sought);
            let is_there = move |world: &Self::State| world.network.any(|from, to, msg| sent(from, to, msg));
            if is_sought {
                to.reachable(name, move |_, world| is_there(world));
            } else {
                to.invariant(name, move |_, world| !is_there(world));
            }
        }
        for (name, formula, is_about_each) in formulas {
            if *is_about_each {
                to.forall::<Addr>(name, formula);
            } else {
                to.ltl(name, formula);
            }
        }
        if self.settings.fair {
            for variant in ["Deliver", "Timeout", "Choose", "Recover"] {
                to.weakly_fair(variant);
            }
        }
    }

    fn accepting(&self, _: &Cx<'_>, world: &Self::State) -> bool {
        self.conditions.accepting.iter().all(|holds| holds(&self.view(world)))
    }

    fn within(&self, _: &Cx<'_>, world: &Self::State) -> bool {
        let has_room = self.settings.on_full != OnFull::Bound
            || self.settings.capacity.is_none_or(|capacity| world.network.crowd() <= capacity);
        has_room
            && self.monitor.is_within(&world.seen)
            && self.conditions.within.iter().all(|holds| holds(&self.view(world)))
    }

    fn process(&self, _: &Cx<'_>, action: &Self::Action) -> Process {
        match action {
            Action::Deliver(sent) => Process::of(sent.to),
            Action::Timeout(at, _) | Action::Choose(at, ..) | Action::Crash(at) | Action::Recover(at) => {
                Process::of(*at)
            }
            Action::Drop(_) | Action::Cut(_) | Action::Heal(_) => Process::Named("network"),
        }
    }
}

impl<A: Actor, W: Monitor<A::Msg>> ActorModel<A, W> {
    /// A timer expires. Returns whether that happens at all.
    fn timeout(&self, turn: &mut Turn<'_, '_, A, W>, at: Addr, timer: &A::Timer) -> bool {
        let Some(Some(local)) = turn.world.actors.get_mut(&at) else { unreachable!("it is up") };
        let (mut draft, mut out) = (Draft::new(&local.state), Out::default());
        self.actor(at).on_timeout(at, &mut draft, timer, &mut out);
        let changed = draft.into_changed();
        let only_again = matches!(&out.0[..], [Command::SetTimer(again)] if again.order(timer).is_eq());
        if self.is_ignored(changed.as_ref(), only_again) {
            return false;
        }
        local.timers.remove(timer);
        self.become_and_obey(turn, at, changed, out.0);
        true
    }
}

fn both_ways(pair: &Set<Addr>) -> impl Iterator<Item = (Addr, Addr)> {
    pair.iter().flat_map(|&a| pair.iter().filter(move |&&b| a != b).map(move |&b| (a, b)))
}
