//! Random edits: nothing panics, and a text that was edited is the text that it would have been.

use serde_json::{Value, json};
use testing::{SplitMix64, effort, files_below, root};

use crate::client::{Client, uri};

/// A random piece of a text, often with characters of several units.
fn piece(text: &[u16], random: &mut SplitMix64) -> String {
    match random.below(6) {
        0 => "\n".to_owned(),
        1 => "𝄞é\r\n".to_owned(),
        2 => ["{", "}", "end", "#define x", "/*", "\"", ";", "do"][random.below(8)].to_owned(),
        3 => String::new(),
        _ => {
            let start = random.below(text.len() + 1);
            let end = (start + random.below(20)).min(text.len());
            String::from_utf16_lossy(&text[start..end]).replace('\u{fffd}', "?")
        }
    }
}

/// A place in a text, and its position: lines end at `\n`, `\r\n` and `\r`.
fn place(text: &[u16], random: &mut SplitMix64) -> (usize, Value) {
    let mut at = random.below(text.len() + 1);
    // Not inside of a pair of surrogates, or of the end of a line.
    while at > 0
        && at < text.len()
        && ((0xdc00..0xe000).contains(&text[at]) || text[at] == 10 && text[at - 1] == 13)
    {
        at -= 1;
    }
    let before = &text[..at];
    let ends = |index: usize| before[index] == 10 || before[index] == 13 && text.get(index + 1) != Some(&10);
    let line = (0..at).filter(|&index| ends(index)).count();
    let start = (0..at).rev().find(|&index| ends(index)).map_or(0, |index| index + 1);
    (at, json!({ "line": line, "character": at - start }))
}

#[test]
fn random_edits_never_panic_and_leave_the_right_text() {
    let mut random = SplitMix64::new(22);
    let mut models: Vec<_> = ["bir", "pml"]
        .iter()
        .flat_map(|ending| {
            files_below(&root().join("models"), ending).into_iter().map(move |model| (*ending, model))
        })
        .collect();
    models.retain(|_| random.below(8) == 0);
    for (ending, model) in models {
        let path = format!("/m.{ending}");
        let mut client = Client::opened(&path, &model.text);
        let mut text: Vec<u16> = model.text.encode_utf16().collect();
        for version in 2..2 + effort(12) {
            let mut changes = Vec::new();
            for _ in 0..=random.below(3) {
                let (a, b) = (place(&text, &mut random), place(&text, &mut random));
                let (start, end) = if a.0 <= b.0 { (a, b) } else { (b, a) };
                // Large parts go seldom.
                let end = if end.0 - start.0 > 40 && random.below(10) > 0 { start.clone() } else { end };
                let new = piece(&text, &mut random);
                text.splice(start.0..end.0, new.encode_utf16());
                changes.push(json!({ "range": { "start": start.1, "end": end.1 }, "text": new }));
            }
            client.notify(
                "textDocument/didChange",
                json!({
                    "textDocument": { "uri": uri(&path), "version": version },
                    "contentChanges": changes,
                }),
            );
            let position = place(&text, &mut random).1;
            let at = json!({ "textDocument": { "uri": uri(&path) }, "position": position });
            let methods =
                ["hover", "definition", "completion", "documentHighlight", "documentSymbol", "codeLens"];
            let more = ["foldingRange", "semanticTokens/full"];
            for method in methods.iter().chain(&more) {
                client.request(&format!("textDocument/{method}"), at.clone()).unwrap_or_else(|error| {
                    panic!("{}: {method}: {}\n{}", model.name, error.message, String::from_utf16_lossy(&text))
                });
            }
        }
        // The same text, opened at once, has the same diagnostics and names.
        let text = String::from_utf16(&text).unwrap();
        let other = format!("/other.{ending}");
        client.open(&other, &text);
        let ask = |client: &mut Client, path: &str, method: &str| {
            client.request(method, json!({ "textDocument": { "uri": uri(path) } })).unwrap()
        };
        for method in
            ["textDocument/documentSymbol", "textDocument/semanticTokens/full", "textDocument/foldingRange"]
        {
            assert_eq!(ask(&mut client, &path, method), ask(&mut client, &other, method), "{}", model.name);
        }
        let last = |client: &Client, path: &str| {
            let mut shown = client.notifications.iter().rev();
            let is_it = |it: &&lsp_server::Notification| {
                it.method == "textDocument/publishDiagnostics" && it.params["uri"] == json!(uri(path))
            };
            let found = shown.find(is_it).expect("diagnostics").params["diagnostics"].to_string();
            found.replace(path, "")
        };
        assert_eq!(last(&client, &path), last(&client, &other), "{}\n{text}", model.name);
        let complaints: Vec<_> =
            client.notifications.iter().filter(|it| it.method == "window/showMessage").collect();
        assert!(complaints.is_empty(), "{complaints:?}");
    }
}
