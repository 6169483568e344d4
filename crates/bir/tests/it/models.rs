//! The models of the repository.

use crate::common::compile;

#[test]
fn all_of_them_compile_without_warnings() {
    let models = testing::models();
    for folder in [models.clone(), models.join("faults")] {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.extension().is_some_and(|extension| extension == "bir") {
                let text = std::fs::read_to_string(&path).unwrap();
                match compile(&text) {
                    Ok((_, warnings)) => assert_eq!(warnings, "", "{}", path.display()),
                    Err(errors) => panic!("{}\n{errors}", path.display()),
                }
            }
        }
    }
}
