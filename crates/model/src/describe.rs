//! What reports call things: processes and sorts.

use crate::sorts::Size;
use crate::{Model, Process, Program};

/// A sort of a program, for reports.
///
/// ```
/// # use quotient_model::{Shape, model, sort};
/// # sort! { pub struct Client; }
/// # #[derive(Clone, Debug, Default, Shape)]
/// # pub struct Lock { holder: Option<Client> }
/// # #[model]
/// # impl Lock {
/// #     #[initial]
/// #     fn free() -> Self { Self::default() }
/// #     #[action(when = self.holder.is_none(), process = client)]
/// #     fn acquire(&mut self, client: Client) { self.holder = Some(client); }
/// #     #[action(when = self.holder == Some(client), process = client)]
/// #     fn release(&mut self, client: Client) { self.holder = None; }
/// #     #[proposition]
/// #     fn is_held(&self) -> bool { self.holder.is_some() }
/// #     #[ltl("[] <> is_held")]
/// #     const HELD_AGAIN: () = ();
/// #     #[view]
/// #     fn holders(&self) -> usize { usize::from(self.holder.is_some()) }
/// # }
/// use quotient_model::Process;
/// let lock = Lock::program().sort::<Client>(3);
/// let [clients] = &lock.sort_reports()[..] else { panic!("there is one sort") };
/// assert_eq!((clients.name.as_str(), clients.size, clients.dynamic), ("Client", Some(3), false));
/// assert_eq!(lock.process_name(Process::Named("clock")), "clock");
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SortReport {
    /// Its name.
    pub name: String,
    /// Its individuals come into being while the model runs.
    pub dynamic: bool,
    /// How many individuals it has, or may have at a time; `None` for the objects of a heap.
    pub size: Option<u32>,
}

impl<M: Model> Program<M> {
    /// What a process is called; empty for the model as a whole.
    pub fn process_name(&self, process: Process) -> String {
        match process {
            Process::Whole => String::new(),
            Process::Named(name) => name.to_owned(),
            Process::Member(name, number) => format!("{name}({number})"),
            Process::Individual(who) => {
                let Some(sort) = self.sorts.find(who.sort).map(|sort| &self.sorts.all[sort]) else {
                    return format!("?{}", who.index);
                };
                let label = sort.labels.get(who.index.0 as usize);
                let (name, number) =
                    label.map_or((&sort.name, &who.index.0), |(name, number)| (name, number));
                format!("{name}{number}")
            }
        }
    }

    /// The sorts of the program.
    pub fn sort_reports(&self) -> Vec<SortReport> {
        let report = |sort: &crate::sorts::Sort| SortReport {
            name: sort.name.clone(),
            dynamic: sort.dynamic,
            size: match sort.size {
                Size::Given(count) => Some(count),
                Size::Open | Size::Unknown => None,
            },
        };
        self.sorts.all.iter().map(report).collect()
    }
}
