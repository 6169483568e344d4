//! Pictures and pages of models in Rust.

use std::fs;

use crate::models::{counter, file, tokens, triangle};

/// Tags are closed in order; those of HTML that have no end are left out.
#[track_caller]
fn well_formed(markup: &str) {
    let mut open: Vec<&str> = Vec::new();
    for part in markup.split('<').skip(1) {
        let (tag, _) = part.split_once('>').expect("a tag ends");
        let name = tag.split([' ', '/']).next().unwrap_or_default();
        if let Some(name) = tag.strip_prefix('/') {
            assert_eq!(open.pop(), Some(name), "{tag}");
        } else if !tag.ends_with('/') && !matches!(name, "meta" | "!DOCTYPE") {
            open.push(name);
        }
    }
    assert!(open.is_empty(), "{open:?}");
}

#[test]
fn graphs() {
    let svg = triangle("graph --format svg").expect(0).out.clone();
    well_formed(&svg);
    assert_eq!(svg.matches("data-key=\"s").count(), 27);
    let orbits = triangle("graph --format svg --symmetry full --contents full");
    assert_eq!(orbits.expect(0).out.matches("data-key=\"s").count(), 6);
}

#[test]
fn runs_and_last_states() {
    let trail = file("pictures.json");
    let (name, page) = (trail.display(), file("pictures.html"));
    tokens(&format!("check --clients 2 --trail {name} --report {}", page.display()));
    let html = fs::read_to_string(&page).expect("a page");
    well_formed(&html);
    for text in ["Content-Security-Policy", "Assumptions", "Memory", "Goals"] {
        assert!(html.contains(text), "{text}");
    }
    for view in ["steps", "states"] {
        let svg = tokens(&format!("replay {name} --format svg --view {view}")).out;
        well_formed(&svg);
        assert!(svg.starts_with("<svg "), "{svg}");
    }
    // The page is read in place of the trail.
    assert_eq!(tokens(&format!("replay {}", page.display())).out, tokens(&format!("replay {name}")).out);
}

#[test]
fn what_is_wrong_is_drawn() {
    let trail = file("wrong.json");
    let page = file("wrong.html");
    let checked = counter(&format!("check --trail {} --report {}", trail.display(), page.display()));
    checked.expect(1);
    let html = fs::read_to_string(&page).expect("a page");
    well_formed(&html);
    assert!(html.contains("violated") && html.contains("Counterexample: "), "{html}");
    let svg = counter(&format!("replay {} --format svg", trail.display())).expect(1).out.clone();
    assert!(svg.contains("✗ "), "{svg}");
    let refused = counter("check --format svg");
    assert!(refused.expect(2).err.contains("--report FILE writes a page"), "{}", refused.err);
}
