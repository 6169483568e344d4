//! The output that the page of the book about models in Rust shows.

use quotient_command::FromArgs;
use quotient_model::{Set, Shape, model, sort};

sort! {
    struct Client;
}

/// The model of the page.
#[derive(Clone, Debug, Default, Shape)]
struct Lock {
    waiting: Set<Client>,
    holder: Option<Client>,
}

#[model]
impl Lock {
    #[initial]
    fn free() -> Self {
        Self::default()
    }

    #[action(when = !self.waiting.contains(&client) && self.holder != Some(client), process = client)]
    fn ask(&mut self, client: Client) {
        self.waiting.insert(client);
    }

    #[action(when = self.holder.is_none() && self.waiting.contains(&client), process = client, fair = strong)]
    fn enter(&mut self, client: Client) {
        self.waiting.remove(&client);
        self.holder = Some(client);
    }

    #[action(when = self.holder == Some(client), process = client, fair)]
    fn leave(&mut self, client: Client) {
        self.holder = None;
    }
}

#[test]
fn the_page_shows_what_is_printed() {
    let page = include_str!("../../../../book/src/modelling/rust-models.md");
    let (_, block) = page.split_once("```text\n").expect("a block of text");
    let (block, _) = block.split_once("\n```").expect("its end");
    let (command, wanted) = block.split_once('\n').expect("a command");
    let (_, words) = command.split_once(" -- ").expect("its words");
    let wanted = wanted.strip_suffix("…").expect("there is more");
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let lock = Lock::program().sort_from_args::<Client>("clients", 3).named("lock");
    assert_eq!(lock.run(words.split(' ').map(Into::into), &mut out, &mut err), 0);
    let out = String::from_utf8(out).expect("text");
    assert!(out.starts_with(wanted), "the page shows\n{wanted}\nand not\n{out}");
}
