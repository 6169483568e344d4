//! New numbers for headers: what a change of a model changes. Its verdict is never changed by a program.

use std::fs;

use crate::common::{ModelFile, models};
use crate::header::{Expected, Header, leading_comment};
use crate::oracle::Case;
use crate::rejected::is_rejected;

/// Writes the number of states into the header of a model.
pub fn bless(file: &mut ModelFile) -> Result<(), String> {
    if is_rejected(file) {
        return Ok(());
    }
    let header = Header::parse(&file.text)?;
    let case = Case::new(file.clone(), header);
    let truth = case.truth()?;
    let text = blessed(&file.text, &case.header.expected, &truth.expected, truth.states)?;
    if text != file.text {
        let path = models().join(&file.name);
        fs::write(&path, &text).map_err(|error| format!("{}: {error}", path.display()))?;
        eprintln!("{}: {} states, were {}", file.name, truth.states, case.header.states);
        file.text = text;
    }
    Ok(())
}

/// The text with the number in it, if it has the verdict.
fn blessed(text: &str, has: &Expected, is: &Expected, states: u64) -> Result<String, String> {
    if has != is {
        return Err(format!(
            "the verdict is `{is}`, not `{has}`: that is not blessed, and nothing was written"
        ));
    }
    let line = leading_comment(text)
        .find(|line| line.starts_with("// states:"))
        .ok_or("there is no line `// states: N`")?;
    Ok(text.replacen(line, &format!("// states: {states}"), 1))
}

pub mod tests {
    use super::*;

    pub fn all() {
        let expected = |text: &str| text.parse::<Expected>().unwrap();
        let (holds, violated) = (expected("holds"), expected("violated index"));
        let text = "// A.\r\n// states: 12\r\nsystem S {} // states: 12\r\n";
        let new = blessed(text, &holds, &holds, 345).unwrap();
        assert_eq!(new, text.replacen("12", "345", 1));
        assert_eq!(blessed(&new, &holds, &holds, 345).unwrap(), new);
        assert!(blessed(text, &holds, &violated, 345).unwrap_err().contains("not blessed"));
        assert!(blessed(text, &violated, &expected("violated index, range"), 345).is_err());
    }
}
