//! New numbers for headers: what a change of a model changes. Its verdict is never changed by a program.

use std::fs;
use testing::{ModelFile, models, root};

use crate::SYMMETRIC;
use crate::header::{Expected, Header, leading_comment};
use crate::oracle::Case;
use crate::rejected::is_rejected;

/// Writes the numbers of states, without symmetry and with all of it, into the header of a model.
pub fn bless(file: &mut ModelFile) -> Result<(), String> {
    if is_rejected(file) {
        return Ok(());
    }
    let header = Header::parse(&file.text)?;
    let case = Case::new(file.clone(), header);
    let truth = case.truth()?;
    let mut text = blessed(&file.text, &case.header.expected, &truth.expected, "states", truth.states)?;
    if case.header.orbits.is_some() {
        let orbits = case.orbits()?.ok_or("nobody knows how many orbits there are")?;
        text = blessed(&text, &case.header.expected, &truth.expected, "orbits", orbits)?;
    }
    if text != file.text {
        let folder = if file.name.starts_with(SYMMETRIC) { root() } else { models() };
        let path = folder.join(&file.name);
        fs::write(&path, &text).map_err(|error| format!("{}: {error}", path.display()))?;
        eprintln!("{}: {} states, were {}", file.name, truth.states, case.header.states);
        file.text = text;
    }
    Ok(())
}

/// The text with the number in it, if it has the verdict.
fn blessed(text: &str, has: &Expected, is: &Expected, key: &str, count: u64) -> Result<String, String> {
    if has != is {
        return Err(format!(
            "the verdict is `{is}`, not `{has}`: that is not blessed, and nothing was written"
        ));
    }
    let start = format!("// {key}:");
    let line = leading_comment(text)
        .find(|line| line.starts_with(&start))
        .ok_or_else(|| format!("there is no line `{start} N`"))?;
    Ok(text.replacen(line, &format!("{start} {count}"), 1))
}

pub mod tests {
    use super::*;

    pub fn all() {
        let expected = |text: &str| text.parse::<Expected>().unwrap();
        let (holds, violated) = (expected("holds"), expected("violated index"));
        let text = "// A.\r\n// states: 12\r\n// orbits: 6\r\nsystem S {} // states: 12\r\n";
        let new = blessed(text, &holds, &holds, "states", 345).unwrap();
        assert_eq!(new, text.replacen("12", "345", 1));
        assert_eq!(blessed(&new, &holds, &holds, "states", 345).unwrap(), new);
        assert_eq!(blessed(text, &holds, &holds, "orbits", 5).unwrap(), text.replacen('6', "5", 1));
        assert!(blessed(text, &holds, &holds, "states of mind", 345).is_err());
        assert!(blessed(text, &holds, &violated, "states", 345).unwrap_err().contains("not blessed"));
        assert!(blessed(text, &violated, &expected("violated index, range"), "states", 345).is_err());
    }
}
