//! Trails do not replace what a command reads, and are written as a whole or not at all.

use std::fs::{self, Permissions};
use std::io::Read as _;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, symlink};
use std::process::{Command, Stdio};

use serde_json::Value;

use crate::support::{Sandbox, finish};

/// A model that includes a file and violates a formula that is in another one.
fn promela() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.write("m.pml", "#include \"inc.h\"\nactive proctype P() { do :: x = 1 - x od }\n");
    sandbox.write("inc.h", "byte x;\n");
    sandbox.write("p.ltl", "<> [] (x == 1)\n");
    sandbox
}

#[test]
fn what_is_read_is_not_replaced() {
    let sandbox = promela();
    fs::create_dir(sandbox.path("folder")).expect("a folder");
    symlink("m.pml", sandbox.path("link.json")).expect("a link");
    symlink("../inc.h", sandbox.path("folder/link.h")).expect("a link");
    fs::hard_link(sandbox.path("p.ltl"), sandbox.path("hard.json")).expect("a link");
    let before = ["m.pml", "inc.h", "p.ltl"].map(|name| sandbox.read(name));
    let files = sandbox.files();
    let absolute = sandbox.path("m.pml").to_string_lossy().into_owned();
    for trail in [
        "m.pml",
        "./m.pml",
        "folder/../m.pml",
        &absolute,
        "link.json",
        "inc.h",
        "folder/link.h",
        "p.ltl",
        "hard.json",
    ] {
        let line = format!("check m.pml --property p.ltl --trail {trail}");
        sandbox.run(&line).refused(&["a trail would replace", "which this command reads", "--trail"]);
        let spin = format!("{line} --trail-format spin");
        sandbox.run(&spin).refused(&["a trail would replace"]);
    }
    for trail in ["m.pml", "link.json", "inc.h", "folder/link.h"] {
        sandbox.run(&format!("simulate m.pml --trail {trail}")).refused(&["a trail would replace"]);
        let by_hand =
            sandbox.run_with_input(&format!("simulate m.pml --interactive --trail {trail}"), "1\nq\n");
        by_hand.refused(&["a trail would replace"]);
    }
    assert_eq!(["m.pml", "inc.h", "p.ltl"].map(|name| sandbox.read(name)), before);
    assert_eq!(sandbox.files(), files, "nothing is left behind");
}

/// The name that a trail has if none is given can be that of an included file.
#[test]
fn the_usual_name_can_be_taken() {
    let sandbox = promela();
    sandbox.write("m.trail.json", "byte x;\n");
    sandbox.write("m.pml", sandbox.read("m.pml").replace("inc.h", "m.trail.json"));
    sandbox.run("check m.pml --ltl [](x==0)").refused(&["a trail would replace `m.trail.json`"]);
    assert_eq!(sandbox.read("m.trail.json"), "byte x;\n");
    sandbox.run("check m.pml --ltl [](x==0) --trail other.json").expect(1);
}

#[test]
fn output_and_trail_in_one_file() {
    let sandbox = Sandbox::with("philosophers.bir");
    for line in ["check philosophers.bir --trail out", "simulate philosophers.bir --trail ./out"] {
        for is_output in [true, false] {
            let out = fs::File::create(sandbox.path("out")).expect("a file");
            let mut command = sandbox.command(line);
            let command =
                if is_output { command.stdout(Stdio::from(out)) } else { command.stderr(Stdio::from(out)) };
            let run = finish(command.spawn().expect("quotient starts"));
            run.expect(2);
            let told = if is_output { run.stderr.clone() } else { sandbox.read("out") };
            let what = if is_output { "standard output" } else { "standard error" };
            assert!(told.contains(&format!("where {what} goes")), "{told}");
        }
    }
}

/// A trail that is written to standard output is there after the rest, whatever that is.
#[test]
fn standard_output_is_a_place_for_a_trail() {
    let sandbox = Sandbox::with("philosophers.bir");
    for path in ["-", "/dev/stdout", "/dev/fd/1"] {
        for line in ["check philosophers.bir --quiet", "simulate philosophers.bir"] {
            let line = format!("{line} --trail {path}");
            let piped = sandbox.run(&line);
            piped.expect(1);
            // A file that was there keeps what it has.
            sandbox.write("out", "before\n");
            let out = fs::OpenOptions::new().append(true).open(sandbox.path("out")).expect("a file");
            let run =
                finish(sandbox.command(&line).stdout(Stdio::from(out)).spawn().expect("quotient starts"));
            run.expect(1);
            assert_eq!(sandbox.read("out"), format!("before\n{}", piped.stdout));
            let start = piped.stdout.find("{\n").expect("a trail");
            let end = piped.stdout.rfind("\n}\n").expect("a trail") + 3;
            let trail: Value = serde_json::from_str(&piped.stdout[start..end]).expect("a trail");
            assert_eq!(trail["steps"].as_array().map(Vec::len), Some(4));
            assert!(!piped.stdout.contains("To see it again"), "{}", piped.stdout);
        }
    }
    assert_eq!(sandbox.files(), ["out", "philosophers.bir"]);
}

/// Not every file in the folder of devices is one.
#[cfg(target_os = "linux")]
#[test]
fn files_beside_devices_are_files() {
    let Ok(folder) = tempfile::tempdir_in("/dev/shm") else { return };
    let path = folder.path().join("trail.json");
    let sandbox = Sandbox::with("philosophers.bir");
    for _ in 0..2 {
        sandbox.run(&format!("check philosophers.bir --quiet --trail {}", path.display())).expect(1);
        sandbox.run(&format!("replay philosophers.bir {}", path.display())).expect(1);
    }
}

#[test]
fn pipes_are_written_into() {
    let sandbox = Sandbox::with("philosophers.bir");
    let made = Command::new("mkfifo").arg(sandbox.path("pipe")).status();
    assert!(made.expect("mkfifo starts").success());
    for line in ["check philosophers.bir --quiet", "simulate philosophers.bir"] {
        let child = sandbox.command(&format!("{line} --trail pipe")).spawn().expect("quotient starts");
        let mut text = String::new();
        let mut pipe = fs::File::open(sandbox.path("pipe")).expect("a pipe");
        pipe.read_to_string(&mut text).expect("a trail");
        finish(child).expect(1);
        let trail: Value = serde_json::from_str(&text).expect("a trail");
        assert_eq!(trail["violation"]["kind"], "deadlock");
    }
    assert_eq!(sandbox.files(), ["philosophers.bir", "pipe"]);
}

#[test]
fn what_is_replaced_keeps_its_permissions_and_its_links() {
    let sandbox = Sandbox::with("philosophers.bir");
    for line in ["check philosophers.bir --quiet", "simulate philosophers.bir"] {
        sandbox.write("old.json", "old");
        fs::set_permissions(sandbox.path("old.json"), Permissions::from_mode(0o640)).expect("permissions");
        sandbox.run(&format!("{line} --trail old.json")).expect(1);
        let mode = fs::metadata(sandbox.path("old.json")).expect("a file").permissions().mode();
        assert_eq!(mode & 0o777, 0o640);
        sandbox.run("replay philosophers.bir old.json").expect(1);

        // What a link leads to is replaced, or made.
        for target in ["old.json", "new.json"] {
            symlink(target, sandbox.path("link.json")).expect("a link");
            sandbox.run(&format!("{line} --trail link.json")).expect(1);
            assert!(sandbox.path("link.json").is_symlink());
            sandbox.run(&format!("replay philosophers.bir {target}")).expect(1);
            fs::remove_file(sandbox.path("link.json")).expect("it is there");
        }
        assert_eq!(sandbox.files(), ["new.json", "old.json", "philosophers.bir"]);
        fs::remove_file(sandbox.path("new.json")).expect("it is there");
    }
}

/// Whether permissions keep this user from anything.
fn is_mighty(sandbox: &Sandbox) -> bool {
    sandbox.write("probe", "");
    fs::set_permissions(sandbox.path("probe"), Permissions::from_mode(0o400)).expect("permissions");
    let is_mighty = fs::OpenOptions::new().write(true).open(sandbox.path("probe")).is_ok();
    fs::remove_file(sandbox.path("probe")).expect("it is there");
    is_mighty
}

#[test]
fn what_may_not_be_written() {
    let sandbox = Sandbox::with("philosophers.bir");
    if is_mighty(&sandbox) {
        return;
    }
    // The folder would let the file be replaced, but the file says that it is not to be written.
    sandbox.write("old.json", "old");
    fs::set_permissions(sandbox.path("old.json"), Permissions::from_mode(0o400)).expect("permissions");
    let run = sandbox.run("check philosophers.bir --trail old.json");
    run.expect(1);
    assert!(run.stderr.starts_with("warning: the trail could not be written"), "{}", run.stderr);
    assert_eq!(sandbox.read("old.json"), "old");
    // The folder admits no other file, but the file may be written.
    fs::create_dir(sandbox.path("folder")).expect("a folder");
    sandbox.write("folder/old.json", "old".repeat(10_000));
    let node = || fs::metadata(sandbox.path("folder/old.json")).expect("a file").ino();
    let before = node();
    fs::set_permissions(sandbox.path("folder"), Permissions::from_mode(0o500)).expect("permissions");
    let run = sandbox.run("check philosophers.bir --trail folder/old.json");
    let replay = sandbox.run("replay philosophers.bir folder/old.json");
    fs::set_permissions(sandbox.path("folder"), Permissions::from_mode(0o700)).expect("permissions");
    run.expect(1);
    replay.expect(1);
    assert_eq!((run.stderr.as_str(), node()), ("", before));
}

/// A run that is recorded while it goes on is a trail like others.
#[test]
fn what_is_recorded_is_read_again() {
    let sandbox = Sandbox::with("peterson.bir");
    for steps in [0, 1, 2, 300] {
        let run = sandbox.run(&format!("simulate peterson.bir --steps {steps} --trail run.json"));
        run.expect(0);
        let trail: Value = serde_json::from_str(&sandbox.read("run.json")).expect("a trail");
        assert_eq!(trail["steps"].as_array().map(Vec::len), Some(steps));
        let replay = sandbox.run("replay peterson.bir run.json");
        replay.expect(0);
        let shown = run.stdout.strip_suffix(&format!(
            "Stopped after {steps} step{} (use --steps for more).\n",
            if steps == 1 { "" } else { "s" }
        ));
        assert_eq!(Some(replay.stdout.as_str()), shown);
    }
}
