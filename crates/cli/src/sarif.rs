//! SARIF 2.1.0 (OASIS, 2020): a result for each violation and for each diagnostic with a place.
//!
//! All models of a call are one run, since readers take one run for each tool. What has no place in a file
//! (a refused option, a file that cannot be read, a search that is not complete) is a notification of the
//! invocation. A counterexample is a code flow of one thread flow: the order of steps across threads is what
//! it is about, and readers show thread flows one by one. Each step names its thread.
//!
//! A fingerprint is made from the kind, the property, and the text of the place, not from line numbers, so
//! that it stays the same while other lines of the model change.

use std::collections::BTreeMap;

use check::property::LTL;
use check::report::{
    self, Diagnostic, Extent, Place, Property, Report, Severity, TOOL, Verdict, Violation, ViolationCount,
};
use check::{FaultKind, Trace, TraceStep};
use serde_json::{Value, json};

use crate::render;
use crate::result::{
    Finding, Finished, INTERNAL, ModelResult, diagnostic_text, is_in_file, main_place, position,
};
use crate::uri::uri;

/// A log that grows by the results of one model after the other.
pub struct Sarif {
    rules: Vec<Value>,
    /// Where rules are in the list, by their ids.
    indices: BTreeMap<String, usize>,
    results: Vec<Value>,
    artifacts: Vec<Value>,
    /// About models and options.
    configuration: Vec<Value>,
    /// About searches.
    execution: Vec<Value>,
    /// How often a fingerprint was given.
    fingerprints: BTreeMap<u64, u64>,
}

/// A code flow has at most this many steps: readers refuse longer ones.
const LONGEST_FLOW: usize = 1000;
/// How many of them are the first ones.
const FIRST_STEPS: usize = 100;

/// The rule of a warning of the command, which has no code.
const WARNING: &str = "warning";

impl Sarif {
    /// An empty log, with a rule for each kind of violation.
    pub fn new() -> Self {
        let mut log = Self {
            rules: Vec::new(),
            indices: BTreeMap::new(),
            results: Vec::new(),
            artifacts: Vec::new(),
            configuration: Vec::new(),
            execution: Vec::new(),
            fingerprints: BTreeMap::new(),
        };
        for kind in FaultKind::ALL {
            log.rule(kind.as_str(), meaning(kind), "error");
        }
        log
    }

    /// The index of a rule.
    fn rule(&mut self, id: &str, meaning: &str, level: &str) -> usize {
        if let Some(&index) = self.indices.get(id) {
            return index;
        }
        self.rules.push(json!({
            "id": id,
            "shortDescription": { "text": meaning },
            "defaultConfiguration": { "level": level },
        }));
        self.indices.insert(id.to_owned(), self.rules.len() - 1);
        self.rules.len() - 1
    }

    pub fn add(&mut self, result: &ModelResult) {
        let mut about = json!({});
        match &result.finding {
            Finding::Checked(finished) => {
                let report = &finished.report;
                about = json!({
                    "verdict": report.verdict,
                    "states": report.states,
                    "seconds": report.seconds,
                });
                self.add_violations(finished);
                report
                    .diagnostics
                    .iter()
                    .for_each(|diagnostic| self.add_diagnostic(&result.model, diagnostic));
                if let Some(reason) = unproven(report) {
                    let text = format!("{}: {reason}", report.model);
                    self.execution.push(notification("warning", &text, Some(&report.model)));
                }
            }
            Finding::Failed { diagnostics, exit_code } if *exit_code == INTERNAL => {
                for diagnostic in diagnostics {
                    let text = diagnostic_text(diagnostic);
                    self.execution.push(notification("error", &text, Some(&result.model)));
                }
            }
            Finding::Failed { diagnostics, .. } => {
                for diagnostic in diagnostics {
                    self.add_diagnostic(&result.model, diagnostic);
                }
            }
            Finding::NotChecked => {
                let text = format!("{}: not checked, because of an interrupt", result.model);
                self.execution.push(notification("warning", &text, Some(&result.model)));
            }
        }
        let location = artifact(&result.model);
        let is_known = self.artifacts.iter().any(|artifact| artifact["location"] == location);
        if !result.model.is_empty() && !is_known {
            self.artifacts.push(json!({
                "location": location,
                "roles": ["analysisTarget"],
                "properties": about,
            }));
        }
    }

    /// The results of violations: the first one with its counterexample.
    fn add_violations(&mut self, finished: &Finished) {
        let report = &finished.report;
        if let Some(first) = &report.violation {
            let place = main_place(first);
            let same = |other: &&ViolationCount| {
                (other.kind, &other.message, &other.property, &other.location)
                    == (first.kind, &first.message, &first.property, &first.location)
            };
            let count = report.violations.iter().find(same).map_or(1, |violation| violation.count);
            let message = match &finished.replay {
                Some(command) => format!("{}\nTo replay it: {command}", first.message),
                None => first.message.clone(),
            };
            let mut result =
                self.result(report, first.kind, &message, first.property.as_deref(), place, count);
            result["codeFlows"] = json!([{ "threadFlows": [{ "locations": flow(first) }] }]);
            let related = related(first);
            relate(&mut result, related);
            self.results.push(result);
        }
        let first = report.violation.as_ref();
        for other in &report.violations {
            let ViolationCount { kind, message, property, location, count, steps: _ } = other;
            let is_first = first.is_some_and(|first| {
                (first.kind, &first.message, &first.property, &first.location)
                    == (*kind, message, property, location)
            });
            if !is_first {
                let place = location.as_ref().filter(|place| is_in_file(place));
                let result = self.result(report, *kind, message, property.as_deref(), place, *count);
                self.results.push(result);
            }
        }
    }

    /// The result of a violation, without what only the first one has.
    fn result(
        &mut self,
        report: &Report,
        kind: FaultKind,
        message: &str,
        property: Option<&str>,
        place: Option<&Place>,
        count: u64,
    ) -> Value {
        let index = self.rule(kind.as_str(), meaning(kind), "error");
        let location = match place {
            Some(place) => location(place, None),
            None => json!({ "physicalLocation": whole(&report.model) }),
        };
        let key = [
            kind.as_str(),
            &report.model,
            property.unwrap_or_default(),
            place.map_or("", |place| &place.file),
            place.map_or("", |place| &place.text),
        ];
        let mut about = json!({ "model": report.model });
        if let Some(name) = property {
            about["property"] = name.into();
            let formula = |property: &&Property| property.name == name && property.formula.is_some();
            if let Some(found) = report.properties.iter().find(formula) {
                about["formula"] = found.formula.clone().into();
            }
        }
        json!({
            "ruleId": kind.as_str(),
            "ruleIndex": index,
            "kind": "fail",
            "level": "error",
            "message": { "text": message },
            "locations": [location],
            "occurrenceCount": count.max(1),
            "partialFingerprints": self.fingerprint(&key),
            "properties": about,
        })
    }

    /// A diagnostic with a place is a result, another one a notification.
    fn add_diagnostic(&mut self, model: &str, diagnostic: &Diagnostic) {
        let level = match diagnostic.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Note => "note",
        };
        let Diagnostic { code, message, location: extent, label, labels, notes, help, .. } = diagnostic;
        let Some(extent) = extent.as_ref().filter(|extent| is_in_file(&extent.start)) else {
            let mut notification = notification(level, &diagnostic_text(diagnostic), Some(model));
            if let Some(code) = code {
                let index = self.rule(code, report::meaning(code).unwrap_or(message), level);
                notification["associatedRule"] = json!({ "id": code, "index": index });
            }
            self.configuration.push(notification);
            return;
        };
        let id = code.as_deref().unwrap_or(WARNING);
        let meaning = report::meaning(id).unwrap_or("Something in the model looks wrong.");
        let index = self.rule(id, meaning, level);
        let mut text = vec![message.clone()];
        text.extend(notes.iter().map(|note| format!("note: {note}")));
        text.extend(help.iter().map(|help| format!("help: {help}")));
        let key = [id, &extent.start.file, message, &extent.start.text];
        let mut result = json!({
            "ruleId": id,
            "ruleIndex": index,
            "kind": "fail",
            "level": level,
            "message": { "text": text.join("\n") },
            "locations": [location_of(extent, label.as_deref())],
            "partialFingerprints": self.fingerprint(&key),
        });
        let related = labels.iter().filter(|label| is_in_file(&label.location.start));
        let related: Vec<Value> =
            related.map(|label| location_of(&label.location, Some(&label.message))).collect();
        relate(&mut result, related);
        self.results.push(result);
    }

    /// A fingerprint that depends on these words alone. Results with equal words are counted.
    fn fingerprint(&mut self, words: &[&str]) -> Value {
        let hash = words.iter().fold(FNV_OFFSET, |hash, word| {
            word.bytes().chain([0]).fold(hash, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(FNV_PRIME))
        });
        let number = self.fingerprints.entry(hash).or_insert(0);
        *number += 1;
        json!({ "quotient/v1": format!("{hash:016x}:{number}") })
    }

    /// The whole log.
    pub fn finish(self, exit_code: u8) -> Value {
        let Self { rules, results, artifacts, configuration, execution, .. } = self;
        let (name, version) = TOOL.split_once(' ').unwrap_or((TOOL, ""));
        let description = match exit_code {
            0 => "all models hold",
            1 => "violated",
            2 => "bad usage or a bad model",
            3 => "inconclusive, or less than a proof",
            INTERNAL => "internal error",
            _ => "interrupted",
        };
        json!({
            "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
            "version": "2.1.0",
            "runs": [{
                "tool": { "driver": {
                    "name": name,
                    "version": version,
                    "semanticVersion": version,
                    "informationUri": env!("CARGO_PKG_REPOSITORY"),
                    "rules": rules,
                } },
                "invocations": [{
                    // Other exit codes are of checks that did what was asked for.
                    "executionSuccessful": matches!(exit_code, 0 | 1 | 3),
                    "exitCode": exit_code,
                    "exitCodeDescription": description,
                    "toolConfigurationNotifications": configuration,
                    "toolExecutionNotifications": execution,
                }],
                "artifacts": artifacts,
                "results": results,
                "columnKind": "unicodeCodePoints",
            }],
        })
    }
}

/// The parameters of the hash of Fowler, Noll and Vo (FNV-1a, 64 bits).
const FNV_OFFSET: u64 = 0xcbf2_9ce4_8422_2325;
const FNV_PRIME: u64 = 0x0100_0000_01b3;

/// Why a report is no proof, although it shows no violation.
fn unproven(report: &Report) -> Option<String> {
    let is_open = !matches!(report.verdict, Verdict::Holds | Verdict::Violated);
    let reason = report.incomplete.as_deref().unwrap_or("the search is not complete");
    is_open.then(|| format!("{}: {reason}", report.verdict.as_str()))
}

/// The steps of a counterexample. Of a long one, the middle is left out.
fn flow(violation: &Violation) -> Vec<Value> {
    let Trace { steps, cycle, .. } = &violation.trace;
    let count = steps.len();
    let left_out =
        if count > LONGEST_FLOW { FIRST_STEPS..count - (LONGEST_FLOW - FIRST_STEPS) + 1 } else { 0..0 };
    let mut flow = Vec::new();
    for (index, step) in steps.iter().enumerate() {
        if left_out.contains(&index) {
            if index == left_out.start {
                let text = format!("{} are left out", render::plural(left_out.len() as u64, "step"));
                flow.push(json!({
                    "location": { "message": { "text": text } },
                    "executionOrder": index + 1,
                    "importance": "important",
                }));
            }
            continue;
        }
        let starts_cycle = cycle.is_some_and(|cycle| cycle.start == index);
        let cycle = if starts_cycle { "the cycle starts here; " } else { "" };
        flow.push(json!({
            "location": location(&step.location, Some(&format!("{cycle}{}", words(step)))),
            "executionOrder": index + 1,
            "importance": if starts_cycle { "essential" } else { "important" },
        }));
    }
    // A run without steps ends where it starts.
    if flow.is_empty() {
        flow.push(json!({
            "location": { "message": { "text": "the initial state" } },
            "executionOrder": 0,
        }));
    }
    flow
}

/// A step on one line: who, what, and what changed.
fn words(step: &TraceStep) -> String {
    let test = match step.test {
        Some(true) => " (true)",
        Some(false) => " (false)",
        None => "",
    };
    let partner = step.partner.as_ref();
    let partner = partner.map_or(String::new(), |partner| format!(" with {}", partner.thread));
    let changes = match &step.changes[..] {
        [] => String::new(),
        changes => format!(" [{}]", changes.join("; ")),
    };
    format!("{}{partner}: {}{test}{changes}", step.thread, step.location.text)
}

/// Adds further places to a result, each with a number. The same place may be among them twice.
fn relate(result: &mut Value, mut places: Vec<Value>) {
    if places.is_empty() {
        return;
    }
    for (index, place) in places.iter_mut().enumerate() {
        place["id"] = (index + 1).into();
    }
    result["relatedLocations"] = places.into();
}

/// For a deadlock, the threads that are stuck.
fn related(violation: &Violation) -> Vec<Value> {
    let blocked = violation.trace.ends_in.iter().flat_map(|ending| &ending.blocked);
    let stuck = blocked.map(|blocked| {
        let text = format!("{} is stuck here", blocked.thread);
        location(&blocked.location, Some(&text))
    });
    stuck.collect()
}

fn notification(level: &str, text: &str, model: Option<&str>) -> Value {
    let mut notification = json!({ "level": level, "message": { "text": text } });
    if let Some(model) = model.filter(|model| !model.is_empty()) {
        notification["locations"] = json!([{ "physicalLocation": whole(model) }]);
    }
    notification
}

/// A file as a whole. Readers that show results in files want a line.
fn whole(file: &str) -> Value {
    json!({ "artifactLocation": artifact(file), "region": { "startLine": 1 } })
}

fn artifact(file: &str) -> Value {
    let uri = uri(file);
    let is_relative = !uri.contains("://");
    let mut location = json!({ "uri": uri });
    if is_relative {
        location["uriBaseId"] = "%SRCROOT%".into();
    }
    location
}

/// A place that ends with its line.
fn location(place: &Place, message: Option<&str>) -> Value {
    let region = json!({ "startLine": place.line, "startColumn": place.column });
    located(place, &region, message)
}

fn location_of(extent: &Extent, message: Option<&str>) -> Value {
    let Extent { start, end_line, end_column } = extent;
    let region = json!({
        "startLine": start.line,
        "startColumn": start.column,
        "endLine": end_line,
        "endColumn": end_column,
    });
    located(start, &region, message)
}

fn located(place: &Place, region: &Value, message: Option<&str>) -> Value {
    let mut location = if place.file == LTL {
        json!({ "message": { "text": format!("{}: {}", position(place), place.text) } })
    } else {
        json!({ "physicalLocation": { "artifactLocation": artifact(&place.file), "region": region } })
    };
    if let Some(message) = message.filter(|message| !message.is_empty()) {
        location["message"] = json!({ "text": message });
    }
    location
}

/// What a kind of violations means.
const fn meaning(kind: FaultKind) -> &'static str {
    match kind {
        FaultKind::Assertion => "An assertion fails.",
        FaultKind::Invariant => "An invariant is false in a reachable state.",
        FaultKind::Deadlock => "No thread can move, and not all threads have ended.",
        FaultKind::NullDereference => "A field, an element or a lock of null is used.",
        FaultKind::BadCast => "A record is cast to a type that it does not have.",
        FaultKind::Index => "An index is outside of its array or sequence.",
        FaultKind::Range => "A value is outside of the range of its type.",
        FaultKind::DivisionByZero => "A number is divided by zero.",
        FaultKind::Unlock => "A thread unlocks a lock that it does not hold.",
        FaultKind::Wait => "A thread waits for a lock that it does not hold.",
        FaultKind::Notify => "A thread notifies on a lock that it does not hold.",
        FaultKind::UncaughtException => "An exception is not caught.",
        FaultKind::Empty => "An element of an empty collection is taken.",
        FaultKind::MissingKey => "A map does not have the key that is looked up.",
        FaultKind::Overflow => "A queue has no room for another element.",
        FaultKind::Channel => "A channel is used that does not exist, or with a message that does not fit.",
        FaultKind::ExclusiveChannel => "A channel is used by a process other than its exclusive one.",
        FaultKind::InnerBlock => "A deterministic step cannot continue in its middle.",
        FaultKind::Monitor => "Messages come in another order than the model demands.",
        FaultKind::AcceptanceCycle => "An infinite run violates a temporal property.",
        FaultKind::Bound(_) => "A bound of the check is exceeded.",
    }
}
