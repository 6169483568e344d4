//! What models are compiled to.

use std::fs;

use crate::support::{Sandbox, models};

#[test]
fn the_program_is_text_that_can_be_read_back() {
    let sandbox = Sandbox::new();
    for folder in [models(), models().join("faults")] {
        for entry in fs::read_dir(folder).expect("the models") {
            let path = entry.expect("an entry").path();
            if path.extension().is_none_or(|extension| extension != "bir") {
                continue;
            }
            sandbox.write("model.bir", fs::read(&path).expect("a model"));
            let run = sandbox.run("print --ir model.bir");
            run.expect(0);
            let program = ir::text::parse(&run.stdout)
                .unwrap_or_else(|error| panic!("{}: {error}\n{}", path.display(), run.stdout));
            ir::verify(&program).unwrap_or_else(|errors| panic!("{}: {errors:?}", path.display()));
            assert_eq!(ir::text::print(&program), run.stdout, "{}", path.display());
        }
    }
}

#[test]
fn constants_are_in_the_program() {
    let sandbox = Sandbox::with("philosophers.bir");
    let three = sandbox.run("print --ir philosophers.bir");
    let nine = sandbox.run("print --ir philosophers.bir -D N=9");
    assert!(three.stdout.contains("new Fork[3]"), "{}", three.stdout);
    assert_eq!(three.stdout.replace("< 3", "< 9").replace("[3]", "[9]").replace("% 3", "% 9"), nine.stdout);
}

#[test]
fn the_layout_has_all_parts_and_follows_the_bounds() {
    let sandbox = Sandbox::with("philosophers.bir");
    let run = sandbox.run("print --layout philosophers.bir");
    run.expect(0);
    for part in
        ["globals: ", "frame of Philosopher: ", "frame of MAIN: ", "record Fork: ", "isHeld", "array of Fork"]
    {
        assert!(run.stdout.contains(part), "no {part} in\n{}", run.stdout);
    }
    // With fewer objects and threads, references need fewer bits.
    let small = sandbox.run("print --layout philosophers.bir --max-objects 6 --max-threads 6");
    small.expect(0);
    let width = |layout: &str| {
        let line = layout.lines().find(|line| line.contains(" left ")).expect("a parameter of philosophers");
        let bits = line.split("bits ").nth(1).and_then(|rest| rest.split(' ').next()).expect("bits");
        let (from, to) = bits.split_once("..").expect("a range");
        to.parse::<u32>().expect("a number") - from.parse::<u32>().expect("a number")
    };
    assert_eq!((width(&run.stdout), width(&small.stdout)), (16, 3));
}
