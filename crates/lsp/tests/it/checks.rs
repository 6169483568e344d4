//! Checks from code lenses: verdicts, runs as places, and how checks end early.

use serde_json::{Value, json};

use crate::client::{Client, GOOD, range, uri};

/// A counter that is wrong, with the run to that.
const BAD: &str = "system Bad {
  int (0, 9) x;
  active thread T() {
    loc a: do {
      x := x + 1;
      assert x < 3;
    } goto a;
  }
}
";

/// More states than can be explored.
const ENDLESS: &str = "system Endless {
  int (0, 1000000) a;
  int (0, 1000000) b;
  active thread T() { while true do a := (a + 1) % 1000000; end }
  active thread U() { while true do b := (b + 1) % 999983; end }
}
";

fn lenses(client: &mut Client, path: &str) -> Vec<(String, String, Value)> {
    let found =
        client.request("textDocument/codeLens", json!({ "textDocument": { "uri": uri(path) } })).unwrap();
    let lens = |it: &Value| {
        let title = it["command"]["title"].as_str().unwrap().to_owned();
        (range(&it["range"]), title, it["command"].clone())
    };
    found.as_array().unwrap().iter().map(lens).collect()
}

fn run(client: &mut Client, command: &Value) -> Value {
    let params = json!({ "command": command["command"], "arguments": command["arguments"] });
    client.request("workspace/executeCommand", params).unwrap()
}

#[test]
fn a_model_that_holds() {
    let mut client = Client::opened("/good.bir", GOOD);
    let found = lenses(&mut client, "/good.bir");
    assert_eq!(found.len(), 2);
    assert_eq!((found[0].0.as_str(), found[0].1.as_str()), ("0:7-0:11", "▶ check"));
    assert_eq!((found[1].0.as_str(), found[1].1.as_str()), ("3:6-3:10", "▶ check"));
    assert_eq!(found[1].2["arguments"], json!([uri("/good.bir"), "Done"]));
    let answer = run(&mut client, &found[0].2);
    assert_eq!((answer["verdict"].as_str(), &answer["violation"]), (Some("holds"), &Value::Null));
    let found = lenses(&mut client, "/good.bir");
    assert!(found[0].1.starts_with("✓ holds: "), "{}", found[0].1);
    assert!(found[0].1.contains(" states, "), "{}", found[0].1);
    assert_eq!(found[1].1, "▶ check");
    let answer = run(&mut client, &found[1].2);
    assert_eq!(answer["verdict"], "holds");
    assert!(lenses(&mut client, "/good.bir")[1].1.starts_with("✓ holds"));
    assert!(client.requests.iter().any(|it| it.method == "workspace/codeLens/refresh"));
    let progress: Vec<_> = client.notifications.iter().filter(|it| it.method == "$/progress").collect();
    assert_eq!(progress[0].params["value"]["title"], "Checking good.bir");
    assert_eq!(progress[1].params["value"]["kind"], "end");
    // A change makes verdicts void.
    client.change("/good.bir", 2, &GOOD.replace("N = 3", "N = 4"));
    assert_eq!(lenses(&mut client, "/good.bir")[0].1, "▶ check");
}

#[test]
fn a_violation_is_shown_with_its_run() {
    let mut client = Client::opened("/bad.bir", BAD);
    assert!(client.diagnostics("/bad.bir").is_empty());
    let command = lenses(&mut client, "/bad.bir")[0].2.clone();
    let answer = run(&mut client, &command);
    assert_eq!(answer["verdict"], "violated");
    assert_eq!(answer["violation"]["kind"], "assertion");
    assert_eq!(answer["violation"]["steps"], 3);
    let found = client.diagnostics("/bad.bir");
    assert_eq!(found.len(), 1);
    assert_eq!(
        (found[0]["source"].as_str(), found[0]["severity"].as_u64()),
        (Some("quotient check"), Some(1))
    );
    assert_eq!(range(&found[0]["range"]).split('-').next(), Some("5:6"), "{}", found[0]);
    let related = found[0]["relatedInformation"].as_array().unwrap();
    assert_eq!(related.len(), 3);
    assert!(related[0]["message"].as_str().unwrap().starts_with("step 1, T"), "{}", related[0]);
    assert!(lenses(&mut client, "/bad.bir")[0].1.starts_with("✗ violated (assertion, 3 steps): "));
    // The model is put right, and the diagnostic goes.
    client.change("/bad.bir", 2, &BAD.replace("assert x < 3;", ""));
    assert!(client.diagnostics("/bad.bir").is_empty());
}

#[test]
fn promela_has_lenses_at_the_top_and_at_properties() {
    let text = "byte x;\nactive proctype P() { do :: x < 3 -> x++ od }\nltl small { [] (x < 3) }\nltl large { <> (x == 3) }\n";
    let mut client = Client::opened("/m.pml", text);
    let found = lenses(&mut client, "/m.pml");
    let places: Vec<_> = found.iter().map(|lens| lens.0.as_str()).collect();
    assert_eq!(places, ["0:0-0:0", "2:4-2:9", "3:4-3:9"]);
    let answer = run(&mut client, &found[1].2);
    assert_eq!(
        (answer["verdict"].as_str(), answer["violation"]["kind"].as_str()),
        (Some("violated"), Some("acceptance-cycle"))
    );
    let answer = run(&mut client, &found[2].2);
    assert_eq!(answer["verdict"], "holds", "{answer}");
    let answer = run(&mut client, &found[0].2);
    assert_eq!(answer["violation"]["kind"], "deadlock", "{answer}");
    client.open(
        "/claim.pml",
        "byte x;\nactive proctype P() { x = 1 }\nnever { do :: x == 0 :: x == 1 -> break od }\n",
    );
    let found = lenses(&mut client, "/claim.pml");
    assert_eq!(found[1].0, "2:0-2:5");
    assert_eq!(run(&mut client, &found[1].2)["verdict"], "violated");
}

#[test]
fn checks_are_cancelled_and_stopped() {
    let mut client = Client::opened("/endless.bir", ENDLESS);
    let command = lenses(&mut client, "/endless.bir")[0].2.clone();
    let params = json!({ "command": command["command"], "arguments": command["arguments"] });
    // By the request.
    let number = client.ask("workspace/executeCommand", params.clone());
    assert!(lenses(&mut client, "/endless.bir")[0].1.starts_with("◌ checking"));
    client.notify("$/cancelRequest", json!({ "id": number }));
    assert_eq!(client.answer(number).unwrap_err().code, -32800);
    assert_eq!(lenses(&mut client, "/endless.bir")[0].1, "▶ check");
    // By the lens.
    let number = client.ask("workspace/executeCommand", params.clone());
    let stop = lenses(&mut client, "/endless.bir")[0].2.clone();
    assert_eq!(stop["command"], "quotient.stop");
    run(&mut client, &stop);
    let answer = client.answer(number);
    assert!(answer.map_or(true, |answer| answer["interrupted"] == true));
    // By the progress that is shown.
    let number = client.ask("workspace/executeCommand", params.clone());
    lenses(&mut client, "/endless.bir");
    let tokens = client
        .notifications
        .iter()
        .rev()
        .find(|it| it.method == "$/progress" && it.params["value"]["kind"] == "begin");
    let token = tokens.unwrap().params["token"].clone();
    client.notify("window/workDoneProgress/cancel", json!({ "token": token }));
    let answer = client.answer(number);
    assert!(answer.map_or(true, |answer| answer["interrupted"] == true));
    // By a change of the text, and one that waits for another as well.
    let first = client.ask("workspace/executeCommand", params.clone());
    client.open("/other.bir", &ENDLESS.replace("Endless", "Other"));
    let other = json!({ "command": "quotient.check", "arguments": [uri("/other.bir")] });
    let second = client.ask("workspace/executeCommand", other);
    client.change("/other.bir", 2, GOOD);
    assert!(client.answer(second).unwrap_err().message.contains("interrupted"));
    client.change("/endless.bir", 2, GOOD);
    let answer = client.answer(first);
    assert!(answer.map_or(true, |answer| answer["interrupted"] == true));
    // At the end, what waits is answered.
    let last = client.ask("workspace/executeCommand", params);
    client.request("shutdown", Value::Null).unwrap();
    let _ = client.answer(last);
}

#[test]
fn limits_are_heeded() {
    let mut client = Client::with(&json!({ "check": { "states": 1000 } }));
    client.open("/endless.bir", ENDLESS);
    let command = lenses(&mut client, "/endless.bir")[0].2.clone();
    let answer = run(&mut client, &command);
    assert_eq!(answer["verdict"], "inconclusive", "{answer}");
    assert!(lenses(&mut client, "/endless.bir")[0].1.starts_with("? inconclusive ("));
}

#[test]
fn models_with_errors_are_not_checked() {
    let mut client = Client::opened("/m.bir", "system S { int x }");
    assert!(lenses(&mut client, "/m.bir").is_empty());
    let params = json!({ "command": "quotient.check", "arguments": [uri("/m.bir")] });
    let refused = client.request("workspace/executeCommand", params).unwrap_err();
    assert!(refused.message.contains("errors"), "{}", refused.message);
    let params = json!({ "command": "quotient.check", "arguments": [uri("/m.pml")] });
    assert!(client.request("workspace/executeCommand", params).unwrap_err().message.contains("not open"));
    let params = json!({ "command": "quotient.check", "arguments": [uri("/good.bir"), "Nothing"] });
    client.open("/good.bir", GOOD);
    let refused = client.request("workspace/executeCommand", params).unwrap_err();
    assert!(refused.message.contains("Nothing"), "{}", refused.message);
}
