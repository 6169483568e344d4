//! The JSON schemas that are published: they are those of the code, and what the command prints is as they
//! say.

use std::path::PathBuf;

use serde_json::{Map, Value};

use crate::support::Sandbox;

/// The schemas, by the names of their files.
fn schemas() -> [(&'static str, Value); 2] {
    [("report", check::schema::report()), ("trail", check::schema::trail())]
        .map(|(name, schema)| (name, schema.to_value()))
}

fn file(name: &str) -> PathBuf {
    testing::models().parent().expect("the repository").join(format!("schema/{name}.json"))
}

/// `BLESS=1` writes them anew.
#[test]
fn the_files_are_those_of_the_code() {
    for (name, schema) in schemas() {
        let text = serde_json::to_string_pretty(&schema).expect("plain data") + "\n";
        if std::env::var_os("BLESS").is_some() {
            std::fs::write(file(name), &text).expect("a file");
        }
        let published = std::fs::read_to_string(file(name)).expect("a published schema");
        assert!(published == text, "schema/{name}.json is not up to date: run this test with BLESS=1");
    }
}

#[test]
fn what_is_printed_is_as_the_schema_says() {
    let [(_, report), (_, trail)] = schemas();
    let mut trails = 0;
    for (model, options) in [
        ("philosophers.bir", ""),
        ("philosophers.bir", "--continue --search dfs --symmetry bots=2"),
        ("philosophers_ordered.bir", "--symmetry none --por off"),
        ("philosophers_ordered.bir", "--store bitstate --refine"),
        ("philosophers_ordered.bir", "--store bitstate --coverage"),
        ("philosophers_ordered.bir", "--store bitstate --swarm 3 --threads 2"),
        ("philosophers_ordered.bir", "--store compact --max-states 10"),
        ("philosophers_ordered.bir", "--threads 2"),
        ("temporal/workers.bir", "--fairness weak"),
        ("temporal/starvation.bir", ""),
        ("temporal/guests.bir", ""),
        ("temporal/claim.pml", ""),
        ("temporal/leader.pml", "--non-progress"),
        ("promela/post_office.pml", ""),
        ("promela/sorting_pipeline_bug.pml", ""),
        ("no_such_model.pml", ""),
    ] {
        let sandbox = Sandbox::new();
        let path = testing::models().join(model);
        let (_, value) = sandbox.json(&format!("check {} {options} --trail t.json", path.display()));
        let check = |schema: &Value, value: &Value| {
            let checked = Validator { root: schema }.check(schema, value, "");
            checked.unwrap_or_else(|error| panic!("{model} {options}: {error}"));
        };
        check(&report, &value);
        if value["violation"].is_object() {
            check(&trail, &serde_json::from_str(&sandbox.read("t.json")).expect("JSON"));
            trails += 1;
        }
    }
    assert!(trails > 5, "{trails}");
    // Several models, one of which is not there.
    let sandbox = Sandbox::with("philosophers.bir");
    sandbox.write("holds.bir", "system S { active thread T() { skip; } }\n");
    let (_, value) = sandbox.json("check philosophers.bir holds.bir no_such_model.pml");
    Validator { root: &report }.check(&report, &value, "").expect("reports and a summary");
    let mut wrong = value.clone();
    wrong["summary"]["counts"]["holds"] = "1".into();
    assert!(Validator { root: &report }.check(&report, &wrong, "").is_err());
    // The one that is written while the run goes on.
    let sandbox = Sandbox::with("philosophers.bir");
    sandbox.run("simulate philosophers.bir --steps 5 --trail t.json");
    let value = serde_json::from_str(&sandbox.read("t.json")).expect("JSON");
    Validator { root: &trail }.check(&trail, &value, "").expect("a trail");
}

/// The report of every bundled model, as far as a short search gets, and the trail of every violation.
#[test]
fn reports_of_bundled_models() {
    let [(_, report), (_, trail), ..] = schemas();
    let (mut reports, mut trails) = (0, 0);
    for folder in ["", "faults", "triangle", "promela", "temporal"] {
        for entry in std::fs::read_dir(testing::models().join(folder)).expect("models") {
            let path = entry.expect("an entry").path();
            if path.extension().is_none_or(|ending| ending != "bir" && ending != "pml") {
                continue;
            }
            let sandbox = Sandbox::new();
            let line = format!("check {} --max-states 1000 --trail t.json", path.display());
            let (_, value) = sandbox.json(&line);
            let fits = |schema: &Value, value: &Value| {
                let checked = Validator { root: schema }.check(schema, value, "");
                checked.unwrap_or_else(|error| panic!("{}: {error}", path.display()));
            };
            fits(&report, &value);
            reports += 1;
            if value["violation"].is_object() {
                fits(&trail, &serde_json::from_str(&sandbox.read("t.json")).expect("JSON"));
                trails += 1;
            }
        }
    }
    assert!(reports > 150 && trails > 60, "{reports} reports, {trails} trails");
}

#[test]
fn what_is_wrong_is_found() {
    let [(_, report), (_, trail)] = schemas();
    let (_, value) = Sandbox::with("philosophers.bir").json("check philosophers.bir");
    let wrong = |change: &dyn Fn(&mut Map<String, Value>)| {
        let mut value = value.clone();
        change(value.as_object_mut().expect("an object"));
        assert!(Validator { root: &report }.check(&report, &value, "").is_err(), "{value}");
    };
    wrong(&|report| drop(report.remove("verdict")));
    wrong(&|report| drop(report.insert("states".to_owned(), Value::from(-1))));
    wrong(&|report| drop(report.insert("search".to_owned(), Value::from("depth first"))));
    wrong(&|report| drop(report.insert("assumptions".to_owned(), Value::from(vec![1]))));
    assert!(Validator { root: &trail }.check(&trail, &value, "").is_err());
}

/// Validates values by a schema. Keywords that it does not know are errors, so that none is passed over.
struct Validator<'s> {
    root: &'s Value,
}

impl Validator<'_> {
    fn check(&self, schema: &Value, value: &Value, at: &str) -> Result<(), String> {
        let schema = match schema {
            Value::Bool(true) => return Ok(()),
            Value::Object(schema) => schema,
            other => return Err(format!("{at}: {other} is no schema")),
        };
        schema.iter().try_for_each(|(keyword, rule)| self.keyword(schema, keyword, rule, value, at))
    }

    fn keyword(
        &self,
        schema: &Map<String, Value>,
        keyword: &str,
        rule: &Value,
        value: &Value,
        at: &str,
    ) -> Result<(), String> {
        let ensure = |holds: bool| {
            if holds { Ok(()) } else { Err(format!("{at}: {value} against {keyword}: {rule}")) }
        };
        let list = |rule: &Value| rule.as_array().cloned().unwrap_or_default();
        let valid = |rule: &Value| self.check(rule, value, at).is_ok();
        match keyword {
            "$schema" | "$defs" | "title" | "description" | "format" => Ok(()),
            "$ref" => {
                let pointer = rule.as_str().and_then(|text| text.strip_prefix('#')).unwrap_or("?");
                let target = self.root.pointer(pointer).ok_or(format!("{at}: no {rule}"))?;
                self.check(target, value, at)
            }
            "type" => {
                let is_one = |name: &Value| match name.as_str().unwrap_or_default() {
                    "null" => value.is_null(),
                    "boolean" => value.is_boolean(),
                    "integer" => value.is_i64() || value.is_u64(),
                    "number" => value.is_number(),
                    "string" => value.is_string(),
                    "array" => value.is_array(),
                    "object" => value.is_object(),
                    _ => false,
                };
                ensure(is_one(rule) || list(rule).iter().any(is_one))
            }
            "enum" => ensure(list(rule).contains(value)),
            "const" => ensure(rule == value),
            "minimum" => {
                ensure(value.as_f64().is_none_or(|number| rule.as_f64().is_some_and(|least| number >= least)))
            }
            "maximum" => {
                ensure(value.as_f64().is_none_or(|number| rule.as_f64().is_some_and(|most| number <= most)))
            }
            "minItems" => {
                ensure(value.as_array().is_none_or(|items| items.len() as u64 >= rule.as_u64().unwrap_or(0)))
            }
            "maxItems" => {
                ensure(value.as_array().is_none_or(|items| items.len() as u64 <= rule.as_u64().unwrap_or(0)))
            }
            "anyOf" => ensure(list(rule).iter().any(valid)),
            "oneOf" => ensure(list(rule).iter().filter(|rule| valid(rule)).count() == 1),
            "allOf" => list(rule).iter().try_for_each(|rule| self.check(rule, value, at)),
            "required" => {
                let has = |key: &Value| key.as_str().is_some_and(|key| value.get(key).is_some());
                ensure(!value.is_object() || list(rule).iter().all(has))
            }
            "properties" => {
                let rules = rule.as_object().into_iter().flatten();
                let mut there = rules.filter_map(|(key, rule)| Some((key, rule, value.get(key)?)));
                there.try_for_each(|(key, rule, value)| self.check(rule, value, &format!("{at}/{key}")))
            }
            "additionalProperties" => {
                let known = schema.get("properties").and_then(Value::as_object);
                let is_known = |key: &str| known.is_some_and(|known| known.contains_key(key));
                let all = value.as_object().into_iter().flatten();
                let mut others = all.filter(|(key, _)| !is_known(key));
                others.try_for_each(|(key, value)| self.check(rule, value, &format!("{at}/{key}")))
            }
            "prefixItems" => {
                let items = value.as_array().into_iter().flatten();
                let mut items = list(rule).into_iter().zip(items);
                items.try_for_each(|(rule, item)| self.check(&rule, item, at))
            }
            "items" => {
                let first = schema.get("prefixItems").map_or(0, |prefix| list(prefix).len());
                let mut items = value.as_array().into_iter().flatten().skip(first);
                items.try_for_each(|item| self.check(rule, item, &format!("{at}[]")))
            }
            other => Err(format!("{at}: the keyword {other} is not known here")),
        }
    }
}
