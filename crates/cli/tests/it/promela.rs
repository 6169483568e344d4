//! Promela models, and SPIN's trails of them.

use std::fs;
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use crate::support::{Run, Sandbox, finish, models};

/// Rendezvous, buffered messages, processes that start and end, `atomic`, `d_step` and `printf`. Who asks
/// second may get what is meant for the first.
const MAIL: &str = r#"mtype = { ask, ack };
chan wire = [0] of { mtype, byte };
chan box = [2] of { byte };
byte sum;

active proctype Server() {
  byte n;
end:
  do
  :: wire?ask,n ->
     d_step { sum = sum + n; box!sum }
     wire!ack,n
  od
}

proctype Client(byte k) {
  byte got;
  wire!ask,k;
  wire?ack,eval(k);
  box?got;
  printf("client %d got %d\n", k, got);
  assert(got == k)
}

init {
  atomic { run Client(1); run Client(2) }
}
"#;

/// Both take the forks in the wrong order, unless `ORDERED`.
const FORKS: &str = "bit held[2];
#ifdef ORDERED
#define first(p) 0
#else
#define first(p) p
#endif

active [2] proctype Diner() {
  atomic { !held[first(_pid)] -> held[first(_pid)] = 1 }
  atomic { !held[1 - first(_pid)] -> held[1 - first(_pid)] = 1 }
  held[0] = 0;
  held[1] = 0
}
";

fn sandbox(text: &str) -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.write("m.pml", text);
    sandbox
}

#[test]
fn verdicts_and_macros() {
    let sandbox = sandbox(FORKS);
    let (run, report) = sandbox.json("check m.pml");
    run.expect(1);
    assert_eq!(report["violation"]["kind"], "deadlock");
    assert_eq!(report["violation"]["steps"], 4);
    let message = report["violation"]["message"].as_str().expect("a message");
    assert!(message.starts_with("invalid end state: no process can move"), "{message}");
    let blocked = &report["violation"]["trace"]["ends_in"]["blocked"];
    let stuck: Vec<&Value> = blocked.as_array().expect("a list").iter().map(|one| &one["thread"]).collect();
    assert_eq!(stuck, ["Diner(0)", "Diner(1)"]);

    for define in ["-D ORDERED", "-D ORDERED=1"] {
        let run = sandbox.run(&format!("check m.pml {define}"));
        run.expect(0);
        assert!(
            run.stdout.contains("no invalid end state, no failed assertion, no fault."),
            "{}",
            run.stdout
        );
        let bounds =
            "at most 255 processes, 255 channels, 1048576 statements in a d_step; no step exceeded that";
        assert!(run.stdout.contains(bounds), "{}", run.stdout);
    }
}

/// A macro without a value is 1; constants of other languages need one.
#[test]
fn a_name_without_a_value() {
    let sandbox = sandbox("active proctype P() { assert(N == 1) }");
    sandbox.run("check m.pml -D N -q").expect(0);
    sandbox.run("check m.pml -D N=2 -q").expect(1);
    Sandbox::with("philosophers.bir")
        .run("check philosophers.bir -D N")
        .refused(&["-D N: expected NAME=VALUE"]);
}

#[test]
fn a_trace_tells_who_sends_what_to_whom() {
    let sandbox = sandbox(MAIL);
    let run = sandbox.run("check m.pml");
    run.expect(1);
    for text in [
        "  3. Client(2)  m.pml:18  wire!ask,k\n",
        "wire!ask(1) to Server(0) at m.pml:10  wire?ask,n\n",
        "  Client(2) starts (k: 1)\n",
        "  prints: client 2 got 1\n",
        "  assertion: the asserted condition is false\n",
        "  m.pml:22  assert(got == k)\n",
        "  with got = 1, k = 2\n",
    ] {
        assert!(run.stdout.contains(text), "no {text} in\n{}", run.stdout);
    }
    let (_, trace) = sandbox.json("replay m.pml m.trail.json");
    let step = &trace["steps"][2];
    assert_eq!(
        step["messages"],
        json!([{
            "channel": "wire",
            "direction": "rendezvous",
            "text": "ask(1)",
            "fields": ["ask", "1"],
            "values": [{ "enum": "mtype", "element": "ask" }, 1],
            "sender": "Client(2)",
            "receiver": "Server(0)",
            "number": null,
        }])
    );
    assert_eq!(step["partner"]["thread"], "Server(0)");
    assert_eq!(step["partner"]["thread_id"], 0);
    assert_eq!(step["partner"]["location"]["line"], 10);
    assert_eq!(step["partner"]["location"]["text"], "wire?ask,n");
    let sent = &trace["steps"][3]["messages"][0];
    let received = &trace["steps"][8]["messages"][0];
    assert_eq!((&sent["direction"], &received["direction"]), (&json!("send"), &json!("receive")));
    assert_eq!((&sent["number"], &received["number"]), (&json!(1), &json!(1)));
    assert_eq!((&received["sender"], &received["receiver"]), (&json!("Server(0)"), &json!("Client(3)")));
    assert_eq!(trace["steps"][9]["printed"], "client 2 got 1\n");
    assert_eq!(trace["steps"][9].get("messages"), None);
}

#[test]
fn message_sequence_charts() {
    let sandbox = sandbox(MAIL);
    sandbox.run("check m.pml -q").expect(1);
    let chart = |line: &str, width: &str| -> Run {
        let child = sandbox.command(line).env("COLUMNS", width).spawn().expect("quotient starts");
        finish(child)
    };
    let run = chart("replay m.pml m.trail.json --msc", "70");
    run.expect(1);
    assert_eq!(
        format!("\n{}", run.stdout),
        "
      Server(0)       init(1)
   1  |               * run Client(1) Client(2)
   2  |               * run Client(2) |               Client(3)
   3  |<---ask(1)---------------------|               |
   4  * box!1 #1      |               |               |
   5  |----ack(1)-------------------->|               |
   6  |<---ask(2)-------------------------------------|
   7  * box!3 #2      |               |               |
   8  |----ack(2)------------------------------------>|
   9  |               |               |               * box?1 #1
  10  |               |               |               * \"client 2 g..
  11  |               |               |               ! assert(got ..
  assertion: the asserted condition is false
        m.pml:22  assert(got == k)
        with got = 1, k = 2
"
    );
    let messages = chart("replay m.pml m.trail.json --msc=messages", "70");
    messages.expect(1);
    let without = |run: &Run| run.stdout.lines().filter(|line| !line.starts_with("  10")).count();
    assert_eq!(messages.stdout.lines().count(), without(&run));

    // Another language has no channels, and JSON no drawings.
    let other = Sandbox::with("philosophers.bir");
    other.run("check philosophers.bir -q").expect(1);
    let refused = other.run("replay philosophers.bir philosophers.trail.json --msc");
    refused.refused(&["--msc is for Promela models"]);
    sandbox.run("replay m.pml m.trail.json --msc --format json").refused(&["cannot be used with"]);
}

#[test]
fn those_who_are_stuck_are_marked_in_a_chart() {
    let sandbox = sandbox(FORKS);
    sandbox.run("check m.pml -q").expect(1);
    let run = sandbox.run("replay m.pml m.trail.json --msc");
    run.expect(1);
    let stuck = run.stdout.lines().find(|line| line.trim_start().starts_with("! line 10"));
    assert_eq!(stuck.map(|line| line.matches("! line 10").count()), Some(2), "{}", run.stdout);
}

#[test]
fn trails_in_the_format_of_spin() {
    for text in [MAIL, FORKS] {
        let sandbox = sandbox(text);
        sandbox.run("check m.pml -q").expect(1);
        sandbox.run("check m.pml -q --trail-format spin").expect(1);
        assert_eq!(sandbox.files(), ["m.pml", "m.pml.trail", "m.trail.json"]);
        let run = sandbox.run("replay m.pml m.pml.trail");
        assert_eq!(run, sandbox.run("replay m.pml m.trail.json"));
        run.expect(1);
        assert_eq!(
            sandbox.run("replay m.pml m.pml.trail --msc"),
            sandbox.run("replay m.pml m.trail.json --msc")
        );
    }
    // A run without steps is a file without lines.
    let stuck = sandbox("active proctype P() { false }");
    stuck.run("check m.pml -q --trail-format spin").expect(1);
    assert_eq!(stuck.read("m.pml.trail"), "");
    stuck.run("replay m.pml m.pml.trail").expect(1);

    let sandbox = sandbox(MAIL);
    sandbox.run("check m.pml -q --trail-format spin --trail there").expect(1);
    let trail = sandbox.read("there");
    assert_eq!(trail.lines().take(5).collect::<Vec<_>>(), ["1:1:15", "2:1:16", "3:2:9", "4:0:0", "5:0:3"]);
    // Half of it shows nothing wrong.
    sandbox.write("half", trail.lines().take(7).collect::<Vec<_>>().join("\n"));
    sandbox.run("replay m.pml half").expect(0);
    sandbox.write("other", trail.replace("3:2:9", "3:1:9"));
    sandbox
        .run("replay m.pml other")
        .refused(&["the trail does not fit the model: line 3: init(1) is at m.pml:"]);
    let other = Sandbox::with("philosophers.bir");
    other.run("check philosophers.bir --trail-format spin").refused(&["is for Promela models"]);
    other.write("m.trail", &trail);
    other.run("replay philosophers.bir m.trail").refused(&["only Promela models have trails of SPIN's"]);
}

#[test]
fn what_is_never_reached_and_what_is_checked() {
    let sandbox = sandbox(
        "byte x;
active proctype P() { x = 1; if :: x == 2 -> x = 3; goto far :: else fi; if :: x == 5 -> far: x = 4 :: else fi }
proctype Q() { skip }
ltl calm { [] (x < 3) }
",
    );
    let (run, report) = sandbox.json("check m.pml -q");
    run.expect(0);
    assert_eq!(report["verdict"], "holds");
    let dead: Vec<_> = report["dead_code"].as_array().expect("a list").iter().collect();
    let texts: Vec<_> = dead.iter().map(|one| (&one["procedure"], &one["location"]["text"])).collect();
    let expected =
        [("P", "x = 3"), ("P", "x = 4"), ("Q", "proctype Q() { skip }")].map(|(p, t)| (json!(p), json!(t)));
    assert_eq!(texts, expected.iter().map(|(p, t)| (p, t)).collect::<Vec<_>>());
    assert_eq!(dead[1]["name"], "far");
    let (name, verdict) = (&report["properties"][0]["name"], &report["properties"][0]["verdict"]);
    assert_eq!((name, verdict), (&json!("calm"), &json!("holds")));
    let (_, report) = sandbox.json("check m.pml -q --safety");
    assert_eq!((&report["verdict"], &report["properties"]), (&json!("holds"), &json!([])));
}

/// A formula, SPIN's never claim and an automaton, each in a file: the same verdict, and a trail that knows
/// the property.
#[test]
fn properties_in_files() {
    let sandbox =
        sandbox("byte x;\n#define low (x < 3)\nactive proctype P() { do :: x < 3 -> x++ :: x = 0 od }\n");
    sandbox.write("calm.ltl", "[] low\n");
    let run = sandbox.run("check m.pml --property calm.ltl");
    run.expect(1);
    assert!(run.stdout.contains("calm.ltl: violated"), "{}", run.stdout);
    sandbox.run("replay m.pml m.trail.json").expect(1);
    sandbox.write("calm.never", sandbox.run("print m.pml --automaton --property calm.ltl").stdout);
    sandbox.write("calm.hoa", sandbox.run("print m.pml --automaton --property calm.ltl --format hoa").stdout);
    let with_assertion =
        "never { T0: do :: atomic { !low -> assert(!(!low)) } :: true -> goto T0 od; accept_all: skip }";
    sandbox.write("spin.never", with_assertion);
    for file in ["calm.never", "calm.hoa", "spin.never"] {
        let (run, report) = sandbox.json(&format!("check m.pml --property ./{file}"));
        run.expect(1);
        let property = &report["properties"][0];
        assert_eq!(
            (&property["name"], &property["verdict"]),
            (&json!(format!("./{file}")), &json!("violated"))
        );
        sandbox.run("replay m.pml m.trail.json").expect(1);
    }
    sandbox.write("writes.never", "never { x = 1 }");
    sandbox.run("check m.pml --property writes.never").refused(&["writes.never:1:"]);
    sandbox.run("check m.pml --property none.hoa").refused(&["cannot read `none.hoa`"]);
    sandbox.write("bad.hoa", "HOA: v1\nStates: 1\n");
    sandbox.run("check m.pml --property bad.hoa").refused(&["bad.hoa:"]);
}

#[test]
fn other_commands() {
    let sandbox = sandbox(MAIL);
    let run = sandbox.run("simulate m.pml --seed 1 --steps 1000");
    assert!(run.stdout.contains("prints: client "), "{}", run.stdout);
    assert!(run.stdout.contains(" to Server(0) at m.pml:10  wire?ask,n"), "{}", run.stdout);
    let run = sandbox.run_with_input("simulate m.pml --interactive", "1\n1\n1\n1\n");
    run.expect(0);
    assert!(run.stdout.contains("Client(2)  m.pml:18  wire!ask,k  (to Server(0))"), "{}", run.stdout);
    let run = sandbox.run("print --ir m.pml");
    run.expect(0);
    assert!(run.stdout.contains("channel wire [0]"), "{}", run.stdout);
    ir::text::parse(&run.stdout).unwrap_or_else(|error| panic!("{error}\n{}", run.stdout));
    let run = sandbox.run("print --layout m.pml");
    run.expect(0);
    assert!(run.stdout.contains("channel box: 1 word for 2 messages"), "{}", run.stdout);
    let (_, report) = sandbox.json("check m.pml -q --continue --por off --merge off");
    let run = sandbox.run("graph m.pml --format aut");
    run.expect(0);
    // An assertion that fails does not end the run.
    let states = report["states"].as_u64().expect("a number");
    assert_eq!(run.stdout.lines().next(), Some(&*format!("des (0, {}, {states})", report["transitions"])));
    assert!(run.stdout.contains("\"Client 2: -end-\""), "{}", run.stdout);
}

/// In the middle of a step, too.
#[test]
fn what_a_model_prints() {
    let sandbox = sandbox(
        r#"mtype = { red, green };
active proctype P() {
  mtype m = red;
  byte i;
  d_step { i = 2; printf("i is %d\n", i); i++; printf("%e, now %x\n", m, i + 8) }
}
"#,
    );
    let run = sandbox.run("simulate m.pml");
    run.expect(0);
    let printed: Vec<&str> =
        run.stdout.lines().filter_map(|line| line.trim().strip_prefix("prints: ")).collect();
    assert_eq!(printed, ["i is 2", "red, now b"]);
    assert!(run.stdout.ends_with("All processes have ended or are at valid end states.\n"), "{}", run.stdout);
}

/// Whether a command can be run here.
fn is_installed(program: &str) -> bool {
    let run = Command::new(program).arg("--version").stdin(Stdio::null()).output();
    run.is_ok()
}

fn tool(sandbox: &Sandbox, line: &str) -> String {
    let mut words = line.split_whitespace();
    let program = words.next().expect("a command");
    let output = Command::new(program).args(words).current_dir(sandbox.path("")).output().expect("it starts");
    String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
}

/// SPIN replays what is written here, and what SPIN's verifiers write is replayed here, whether they merge
/// statements or not.
#[test]
fn spin_and_this_replay_each_other() {
    if !is_installed("spin") || !is_installed("cc") {
        return;
    }
    for model in ["handshake_bug", "coroutines_bug", "barrier_bug", "sessions_bug"] {
        let sandbox = Sandbox::new();
        sandbox.write(
            "m.pml",
            fs::read(models().join(format!("promela/{model}.pml"))).expect("a bundled model"),
        );
        let (run, report) = sandbox.json("check m.pml --trail-format spin --trail our.trail");
        run.expect(1);
        let replayed = tool(&sandbox, "spin -t -p -k our.trail m.pml");
        let lines = sandbox.read("our.trail").lines().count();
        assert!(replayed.contains(&format!("trail ends after {lines} steps")), "{model}: {replayed}");
        assert!(!replayed.contains("transition failed") && !replayed.contains("lost"), "{model}: {replayed}");
        let fails = report["violation"]["kind"] == "assertion";
        assert_eq!(replayed.contains("assertion violated"), fails, "{model}: {replayed}");

        for merging in ["-o3", ""] {
            tool(&sandbox, &format!("spin -a {merging} m.pml"));
            tool(&sandbox, "cc -w -DSAFETY -DNOREDUCE -DNOCLAIM -o pan pan.c");
            let found = tool(&sandbox, "./pan -m100000");
            let run = sandbox.run("replay m.pml m.pml.trail");
            run.expect(1);
            let kind = if found.contains("invalid end state (at") { "deadlock" } else { "assertion" };
            assert!(run.stdout.contains(&format!("\n  {kind}: ")), "{model}: {found}\n{}", run.stdout);
        }
    }
}

/// What is not called `.bir` is Promela, unless `--language` says otherwise.
#[test]
fn any_name_of_a_file() {
    let model = "byte x; active proctype P() { x = 1; assert(x == 2) }";
    let bir = "system S { active thread T() { assert false; } }";
    let sandbox = Sandbox::new();
    for name in ["m.pm", "m.prm", "m.spin", "m", "m.txt", "M.PML", "a.b/m"] {
        fs::create_dir_all(sandbox.path(name).parent().expect("a folder")).expect("a folder");
        sandbox.write(name, model);
        let (run, report) = sandbox.json(&format!("check {name}"));
        run.expect(1);
        assert_eq!(report["violation"]["kind"], "assertion", "{name}");
        sandbox.run(&format!("check {name} --language bir")).refused(&["error[E0"]);
    }
    sandbox.write("system", bir);
    sandbox.run("check system").refused(&["error[E1212]", "--language bir"]);
    let run = sandbox.run("check system --language bir");
    run.expect(1);
    let replay =
        run.stdout.lines().find_map(|line| line.split_once("quotient replay ")).expect("a command").1;
    assert!(replay.contains("--language bir"), "{replay}");
    sandbox.run(&format!("replay {replay}")).expect(1);
    sandbox.write("m.bir", model);
    sandbox.run("check m.bir --language promela").expect(1);
    sandbox.write("system", bir.replace("assert false", "skip"));
    for command in ["simulate", "print --ir", "graph --format aut"] {
        sandbox.run(&format!("{command} system --language bir")).expect(0);
    }
    sandbox.run("check m --language c").refused(&["expected bir or promela"]);
}

/// What the user names may be a pipe. What a model names must be a file: there may be no process that writes
/// into a pipe.
#[cfg(unix)]
#[test]
fn pipes() {
    let sandbox = Sandbox::new();
    let model = "byte x; active proctype P() { x = 1; assert(x == 2) }";
    sandbox.run_with_input("check /dev/stdin", model).expect(1);
    sandbox
        .run_with_input("check /dev/stdin --language bir", "system S { active thread T() { skip; } }")
        .expect(0);
    sandbox.write("m.pml", "byte x; active proctype P() { x = 1 }");
    sandbox.run_with_input("check m.pml --property /dev/stdin", "[] (x == 0)").expect(1);
    let made = Command::new("mkfifo").arg(sandbox.path("pipe")).status().expect("mkfifo");
    assert!(made.success());
    for name in ["pipe", "/dev/stdin", "/dev/zero", "/dev/tty", "."] {
        sandbox.write("including.pml", format!("#include \"{name}\"\ninit {{ skip }}\n"));
        sandbox.run("check including.pml").refused(&[
            "E1104",
            "it is not a regular file",
            "including.pml:1:10",
        ]);
    }
}

/// Comments and strings may be in Latin-1. Places are those that an editor shows.
#[test]
fn latin_1() {
    let sandbox = Sandbox::new();
    sandbox.write("name.h", b"/* \xe9 */\n");
    sandbox.write(
        "m.pml",
        b"// caf\xe9\n#include \"name.h\"\nbyte x;\ninit { printf(\"na\xefve\\n\"); /* \xff */ assert(x == 2) }\n",
    );
    let (run, report) = sandbox.json("check m.pml");
    run.expect(1);
    let step = &report["violation"]["trace"]["steps"][1];
    assert_eq!((&step["location"]["line"], &step["location"]["column"]), (&json!(4), &json!(35)), "{step}");
    sandbox.write("bad.pml", b"byte x;\ninit { x = \xe9 }\n");
    sandbox.run("check bad.pml").refused(&["bad.pml:2:12", "`\u{e9}`"]);
}

/// What the command line says is never passed over.
#[test]
fn macros_that_the_model_defines_itself() {
    let sandbox = Sandbox::new();
    let text = "#define N 2\nbyte x = N;\ninit { assert(x == 2) }\n";
    sandbox.write("m.pml", text);
    sandbox.run("check m.pml").expect(0);
    sandbox.run("check m.pml -D N=2").expect(0);
    for quiet in ["", " --quiet"] {
        sandbox.run(&format!("check m.pml -D N=1{quiet}")).refused(&["E1113", "m.pml:1:9", "#ifndef N"]);
    }
    sandbox.write("m.pml", format!("#ifndef N\n{}", text.replacen('\n', "\n#endif\n", 1)));
    sandbox.run("check m.pml").expect(0);
    sandbox.run("check m.pml -D N=1").expect(1);
    sandbox.write("m.pml", format!("#undef N\n{text}"));
    sandbox.run("check m.pml -D N=1").refused(&["E1113", "m.pml:1:8"]);
}

/// What would be too large is refused before memory is taken for it.
#[test]
fn sizes() {
    let sandbox = Sandbox::new();
    let twice = |n: u32| format!("typedef T{n} {{ T{0} a; T{0} b }}\n", n - 1);
    let doubled = (1..40).map(twice).collect::<Vec<_>>().concat();
    for (text, said) in [
        (
            "typedef T { byte a[1000] }\ntypedef U { T t[1000] }\nU u[1000];\ninit { skip }".to_owned(),
            "1000000000 elements",
        ),
        ("typedef T { byte a[50000] }\nT t[200];\ninit { t[3].a[4] = 1 }".to_owned(), "10000000 elements"),
        ("active [200] proctype P() { int a[50000]; a[1] = 1 }".to_owned(), "in 200 processes"),
        ("proctype P() { int a[500000]; int b[600000]; a[1] = b[1] }\ninit { skip }".to_owned(), "1100000"),
        ("typedef T { byte a[1024] }\nchan c[200] = [255] of { T };\ninit { skip }".to_owned(), "`c` alone"),
        ("typedef T { byte a[70000] }\nchan c = [255] of { T };\ninit { skip }".to_owned(), "1024 fields"),
        (format!("typedef T0 {{ byte x }}\n{doubled}T39 t;\ninit {{ skip }}"), "more than 10000 fields"),
        ("byte a[2000000000];\ninit { skip }".to_owned(), "E1304"),
        ("byte a[4294967297];\ninit { skip }".to_owned(), "`a`"),
    ] {
        sandbox.write("m.pml", &text);
        let run = sandbox.run("check m.pml --memory 100M");
        if text.contains("4294967297") {
            // SPIN wraps the number.
            run.expect(0);
        } else {
            run.refused(&[said, "m.pml:"]);
        }
    }
    sandbox
        .write("m.pml", "typedef T { byte a[1000] }\nT t[1000];\nint b[48575] = 3;\ninit { t[3].a[4] = 1 }");
    sandbox.run("check m.pml --memory 300M").expect(0);
}

/// What only a property asks does not stand in the way of a check that looks at none.
#[test]
fn safety_without_what_properties_ask() {
    let sandbox = Sandbox::new();
    let model = |asked: &str| {
        format!("byte x; active [2] proctype P() {{ byte i; i = 1; i = 2; x = i }} ltl p {{ [] ({asked}) }}")
    };
    for asked in ["_last < 2", "enabled(0) || x >= 0", "pc_value(0) >= 0"] {
        sandbox.write("m.pml", model(asked));
        let (run, report) = sandbox.json("check m.pml --safety");
        run.expect(0);
        assert_eq!(report["reduction"]["por"], "on", "{asked}: {}", report["reduction"]);
    }
    sandbox.write("m.pml", model("_last < 2"));
    let (run, report) = sandbox.json("check m.pml --property p");
    run.expect(0);
    assert_eq!(report["reduction"]["por"], "off");
}

/// Variables that are only written are no part of a state. Only those that the model calls hidden are said to
/// be so.
#[test]
fn hidden_is_what_the_model_hides() {
    let sandbox = Sandbox::new();
    let told = |text: &str| {
        sandbox.write("m.pml", text);
        let (run, report) = sandbox.json("check m.pml");
        run.expect(0);
        let assumptions = report["assumptions"].as_array().expect("a list").clone();
        assumptions
            .iter()
            .filter_map(|text| text.as_str())
            .find(|text| text.starts_with("hidden"))
            .map(str::to_owned)
    };
    assert_eq!(told("byte seen; active proctype P() { seen++; printf(\"%d\", seen) }"), None);
    let text =
        told("byte seen; hidden byte h; active proctype P() { seen++; h++; (h > 0) }").expect("it is told");
    assert!(text.starts_with("hidden variables (h): states"), "{text}");
}
