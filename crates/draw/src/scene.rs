//! The objects of a state: threads, objects, channels and locks as boxes, references as arrows, locks that are held and
//! wanted, and what the last step changed.
//!
//! Of many objects of one kind, those that did not change and to which no thread refers are put into one box, which says
//! how many they are.

use std::collections::{BTreeMap, BTreeSet};

use crate::diagram::{Connection, Diagram, Item, Look, Mark, Row, Tone};

/// A state, as a picture has it.
#[derive(Clone, Default, Debug)]
pub struct Scene {
    pub title: String,
    pub parts: Vec<Part>,
    /// What threads hold and want.
    pub claims: Vec<Claim>,
}

/// Something with a name.
#[derive(Clone, Default, Debug)]
pub struct Part {
    pub name: String,
    /// What it is one of: those that are not drawn are counted by it.
    pub kind: String,
    pub role: Role,
    pub fields: Vec<Field>,
    pub fate: Fate,
}

#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Role {
    /// Variables of the program.
    Globals,
    Thread,
    #[default]
    Object,
}

/// What the last step did to something.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Fate {
    #[default]
    Stays,
    Made,
    Ended,
}

/// A line of a box.
#[derive(Clone, Default, Debug)]
pub struct Field {
    pub text: String,
    /// The names of what it refers to.
    pub targets: Vec<String>,
    pub is_changed: bool,
    pub tone: Tone,
}

/// A lock or a channel, and a thread that has it or waits for it.
#[derive(Clone, Default, Debug)]
pub struct Claim {
    pub thread: String,
    pub what: String,
    pub is_held: bool,
    /// What is written at the arrow.
    pub label: String,
}

/// A picture has at most this many boxes, if it can be.
const MOST_PARTS: usize = 80;

impl Scene {
    pub fn diagram(&self) -> Diagram {
        let folded = self.folded();
        let mut diagram = Diagram { title: self.title.clone(), ..Diagram::default() };
        // Where the box of each part is.
        let mut places: BTreeMap<&str, usize> = BTreeMap::new();
        let mut rest: BTreeMap<&str, usize> = BTreeMap::new();
        for part in &self.parts {
            if folded.contains(part.name.as_str()) {
                let place = *rest.entry(&part.kind).or_insert_with(|| {
                    diagram.boxes.push(Item { key: part.kind.clone(), mark: Mark::Open, ..Item::default() });
                    diagram.boxes.len() - 1
                });
                places.insert(&part.name, place);
            } else {
                places.insert(&part.name, diagram.boxes.len());
                diagram.boxes.push(part.item());
            }
        }
        for (kind, place) in &rest {
            let count = self
                .parts
                .iter()
                .filter(|part| part.kind == *kind && folded.contains(part.name.as_str()))
                .count();
            diagram.boxes[*place].title = format!("{count} more: {kind}");
        }
        if !folded.is_empty() {
            diagram.caption.push(format!(
                "{} of {} objects are in dashed boxes: they did not change, and no thread refers to them.",
                folded.len(),
                self.parts.len()
            ));
        }
        let mut links: Vec<Connection> = Vec::new();
        for part in &self.parts {
            let from = places[part.name.as_str()];
            let is_folded = folded.contains(part.name.as_str());
            for (row, field) in part.fields.iter().enumerate() {
                for to in field.targets.iter().filter_map(|target| places.get(target.as_str())) {
                    let row = (!is_folded).then_some(row);
                    let known = links.iter().any(|link| (link.from, link.to, link.row) == (from, *to, row));
                    if !(known || is_folded && from == *to) {
                        links.push(Connection { from, to: *to, row, ..Connection::default() });
                    }
                }
            }
        }
        for claim in &self.claims {
            let (Some(&from), Some(&to)) =
                (places.get(claim.thread.as_str()), places.get(claim.what.as_str()))
            else {
                continue;
            };
            let look = if claim.is_held { Look::Holds } else { Look::Wants };
            links.push(Connection { from, to, label: vec![claim.label.clone()], look, row: None });
        }
        diagram.links = links;
        diagram
    }

    /// The names of parts that have no boxes of their own.
    fn folded(&self) -> BTreeSet<&str> {
        if self.parts.len() <= MOST_PARTS {
            return BTreeSet::new();
        }
        let mut kept: BTreeSet<&str> = BTreeSet::new();
        for part in &self.parts {
            let is_changed = part.fate != Fate::Stays || part.fields.iter().any(|field| field.is_changed);
            if part.role != Role::Object || is_changed {
                kept.insert(&part.name);
            }
            if part.role == Role::Thread || is_changed {
                kept.extend(part.fields.iter().flat_map(|field| field.targets.iter().map(String::as_str)));
            }
        }
        kept.extend(self.claims.iter().map(|claim| claim.what.as_str()));
        let others = self.parts.iter().map(|part| part.name.as_str()).filter(|name| !kept.contains(name));
        let room = MOST_PARTS.saturating_sub(kept.len());
        others.skip(room).collect()
    }
}

impl Part {
    fn item(&self) -> Item {
        let row =
            |field: &Field| Row { text: field.text.clone(), tone: field.tone, is_changed: field.is_changed };
        let mark = match self.fate {
            Fate::Stays => Mark::None,
            Fate::Made => Mark::New,
            Fate::Ended => Mark::Gone,
        };
        let title = match self.fate {
            Fate::Stays => self.name.clone(),
            Fate::Made => format!("{} (new)", self.name),
            Fate::Ended => format!("{} (ended)", self.name),
        };
        Item {
            key: self.name.clone(),
            title,
            rows: self.fields.iter().map(row).collect(),
            mark,
            ..Item::default()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn part(name: &str, role: Role, targets: &[&str]) -> Part {
        let targets = targets.iter().map(|&target| target.to_owned()).collect();
        let fields = vec![Field { text: "next".to_owned(), targets, ..Field::default() }];
        Part { name: name.to_owned(), kind: "Node".to_owned(), role, fields, fate: Fate::Stays }
    }

    #[test]
    fn references_and_claims_are_links() {
        let parts = vec![part("T#1", Role::Thread, &["N#1", "nothing"]), part("N#1", Role::Object, &["N#1"])];
        let claims = vec![Claim { thread: "T#1".to_owned(), what: "N#1".to_owned(), ..Claim::default() }];
        let scene = Scene { parts, claims, ..Scene::default() };
        let links = scene.diagram().links;
        let of = |link: &Connection| (link.from, link.to, link.row, link.look);
        let expect = [(0, 1, Some(0), Look::Plain), (1, 1, Some(0), Look::Plain), (0, 1, None, Look::Wants)];
        assert_eq!(links.iter().map(of).collect::<Vec<_>>(), expect);
    }

    #[test]
    fn what_threads_refer_to_or_changed_is_not_folded() {
        let mut scene = Scene::default();
        scene.parts.push(part("T#1", Role::Thread, &["N#290"]));
        scene.parts.extend((0..300).map(|at| part(&format!("N#{at}"), Role::Object, &[])));
        scene.parts[200].fields[0].is_changed = true;
        let diagram = scene.diagram();
        let titles: Vec<&str> = diagram.boxes.iter().map(|item| item.title.as_str()).collect();
        assert_eq!(titles.len(), MOST_PARTS + 1);
        for name in ["T#1", "N#290", "N#199"] {
            assert!(titles.contains(&name), "{name}");
        }
        assert!(titles.contains(&"221 more: Node"), "{titles:?}");
    }
}
