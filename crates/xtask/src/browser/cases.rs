//! What a person does with the page.

use std::time::Instant;

use anyhow::{Result, ensure};
use serde_json::json;

use super::Stage;

type Case = fn(&mut Stage<'_>) -> Result<()>;

pub const CASES: [(&str, Case); 11] = [
    ("a walk of ten steps, and back", walk),
    ("a deadlock is found, and its run opened", deadlock),
    ("with the keyboard only", keyboard),
    ("a run of 10000 steps is scrubbed", long_run),
    ("a lasso goes on where its cycle begins", lasso),
    ("a state in which something holds", goes_to),
    ("hostile names and texts", hostile),
    ("two tabs", tabs),
    ("the page is loaded again", reloaded),
    ("the explorer is killed and started anew", restarted),
    ("no requests but to the explorer", requests),
];

/// The page is there, and shows a state.
const READY: &str = "document.getElementById('where').textContent.startsWith('state s')";

fn position(text: &str) -> String {
    format!("document.getElementById('where').textContent.includes('step {text}')")
}

fn open(stage: &mut Stage<'_>, line: &str) -> Result<()> {
    let address = stage.explore(line)?;
    let started = Instant::now();
    stage.driver.go(&address)?;
    stage.driver.until(READY)?;
    stage.notes.push(format!("first page {} ms", started.elapsed().as_millis()));
    let url = stage.driver.url()?;
    ensure!(!url.contains("token"), "the token stays in the address: {url}");
    Ok(())
}

fn walk(stage: &mut Stage<'_>) -> Result<()> {
    stage.bundled("peterson.bir")?;
    open(stage, "peterson.bir")?;
    for step in 1..=10 {
        stage.driver.click("#steps button")?;
        stage.driver.until(&position(&format!("{step} of {step}")))?;
    }
    stage.screenshot("walk")?;
    for step in (0..10).rev() {
        stage.driver.click("#back")?;
        stage.driver.until(&position(&format!("{step} of 10")))?;
    }
    stage.driver.click("#forth")?;
    stage.driver.until(&position("1 of 10"))?;
    let drawn = stage.driver.value("document.querySelectorAll('#graph [data-key]').length")?;
    ensure!(drawn.as_u64().is_some_and(|count| count > 5), "few states are drawn: {drawn}");
    let threads = stage.driver.value("document.querySelectorAll('#source .hit').length")?;
    ensure!(threads.as_u64().is_some_and(|count| count > 0), "no thread is shown in the source");
    Ok(())
}

fn check(stage: &Stage<'_>) -> Result<()> {
    stage.driver.click("#check-form button")?;
    stage.driver.until("document.querySelector('#results li') !== null")
}

fn deadlock(stage: &mut Stage<'_>) -> Result<()> {
    stage.bundled("philosophers.bir")?;
    open(stage, "philosophers.bir")?;
    check(stage)?;
    stage.driver.until(&position("4 of 4"))?;
    stage.driver.until("document.getElementById('wrong').textContent.includes('deadlock')")?;
    let result = stage.driver.text("document.querySelector('#results li').textContent")?;
    ensure!(result.contains("violated"), "{result}");
    let threads = stage.driver.text("document.getElementById('threads').textContent")?;
    ensure!(threads.contains("waits until `!right.isHeld`"), "{threads}");
    stage.screenshot("explorer")?;
    // What differs from the state before can be shown alone, and two states side by side.
    stage.driver.click("#keep")?;
    stage.driver.click("#restart")?;
    stage.driver.until(&position("0 of 4"))?;
    stage.driver.until("document.querySelectorAll('#diff-list li').length > 1")?;
    stage.driver.click("#show-chart")?;
    stage.driver.until("document.querySelector('#chart svg') !== null")
}

fn keyboard(stage: &mut Stage<'_>) -> Result<()> {
    stage.bundled("philosophers.bir")?;
    open(stage, "philosophers.bir")?;
    for (key, at) in [("1", "1 of 1"), ("1", "2 of 2"), ("p", "1 of 2"), ("n", "2 of 2"), ("1", "3 of 3")] {
        stage.driver.keys(key)?;
        stage.driver.until(&position(at))?;
    }
    stage.driver.keys("e")?;
    stage.driver.until("document.getElementById('live').textContent.includes('next states')")?;
    stage.driver.keys("?")?;
    stage.driver.until("!document.getElementById('help').hidden")?;
    stage.driver.keys("g")?;
    stage.driver.until("document.activeElement.id === 'condition'")?;
    // In a field, keys are text.
    stage.driver.keys("p1")?;
    stage.driver.until("document.getElementById('condition').value === 'p1'")?;
    ensure!(stage.driver.value(&position("3 of 3"))? == json!(true), "keys in a field moved the run");
    let unnamed = stage.driver.value(
        "Array.from(document.querySelectorAll('button, input, select')).filter((one) => !one.textContent.trim() && \
         !one.getAttribute('aria-label') && !one.labels?.length).length",
    )?;
    ensure!(unnamed == json!(0), "{unnamed} controls have no names");
    Ok(())
}

fn long_run(stage: &mut Stage<'_>) -> Result<()> {
    let text = "system S { int (0, 9999) x;
        active thread Counter() { loc a: do { x := x + 1; assert x < 9999; } goto a; } }";
    stage.model("long.bir", text)?;
    stage.quotient("check long.bir --trail long.json")?;
    open(stage, "long.bir --trail long.json")?;
    stage.driver.until("Number(document.getElementById('scrub').max) > 9990")?;
    let started = Instant::now();
    for at in (0..=9900).step_by(330) {
        let scrub = format!(
            "(() => {{ const scrub = document.getElementById('scrub'); scrub.value = '{at}'; \
             scrub.dispatchEvent(new Event('input')); return true; }})()"
        );
        stage.driver.value(&scrub)?;
    }
    stage.driver.until("document.getElementById('where').textContent.includes('step 9900 of')")?;
    let each = started.elapsed().as_millis() / 31;
    stage.driver.until("document.getElementById('values').textContent.includes('x = 9900')")?;
    stage.driver.until("!document.getElementById('rows').textContent.includes('…')")?;
    let rows = stage.driver.value("document.querySelectorAll('#rows-inner > div').length")?;
    ensure!(rows.as_u64().is_some_and(|rows| (5..100).contains(&rows)), "{rows} rows exist");
    let here = stage.driver.text("document.querySelector('#rows-inner .here').textContent")?;
    ensure!(here.starts_with("9900"), "{here}");
    stage.notes.push(format!("{each} ms for each position"));
    stage.screenshot("long")
}

fn lasso(stage: &mut Stage<'_>) -> Result<()> {
    let text = "byte x; ltl p { <> (x == 3) } active proctype P() { do :: x = 1; x = 2 od }";
    stage.model("lasso.pml", text)?;
    open(stage, "lasso.pml")?;
    check(stage)?;
    stage.driver.until("document.getElementById('where').textContent.includes('repeated from step')")?;
    let cycle = stage.driver.value("document.querySelectorAll('#rows-inner .cycle').length")?;
    ensure!(cycle.as_u64().is_some_and(|count| count > 0), "no row is on the cycle");
    let length = stage.driver.value("Number(document.getElementById('scrub').max)")?;
    stage.driver.keys("n")?;
    stage.driver.until(&format!(
        "!document.getElementById('where').textContent.includes('step {length} of {length}')"
    ))
}

fn goes_to(stage: &mut Stage<'_>) -> Result<()> {
    let text =
        "system S { int (0, 9) x; active thread T() { loc a: when x < 9 do { x := x + 1; } goto a; } }";
    stage.model("c.bir", text)?;
    open(stage, "c.bir")?;
    stage.driver.click("#condition")?;
    stage.driver.keys("x == 4")?;
    stage.driver.keys("\u{e007}")?;
    stage.driver.until(&position("4 of 4"))?;
    stage.driver.until("document.getElementById('values').textContent.includes('x = 4')")?;
    stage
        .driver
        .value("(() => { document.getElementById('condition').value = 'x > 2 x'; return true; })()")?;
    stage.driver.click("#find-form button")?;
    stage.driver.until("document.querySelector('#results .bad') !== null")
}

/// Strings and names that would be markup if they were not text.
fn hostile(stage: &mut Stage<'_>) -> Result<()> {
    let text = "system S { int (0, 1) x; string s; active thread T() {
        loc a: do { s := \"</pre></text><script>window.hit = 1</script><img src=x onerror='window.hit = 2'>\"; } goto b;
        loc b: do { assert x == 1 : \"<svg onload='window.hit = 3'>\"; } goto b; // <img src=x onerror='window.hit = 4'>
    } }";
    stage.model("hostile.bir", text)?;
    open(stage, "hostile.bir")?;
    stage.driver.click("#steps button")?;
    stage.driver.until(&position("1 of 1"))?;
    stage.driver.until("document.getElementById('values').textContent.includes('<script>')")?;
    check(stage)?;
    stage.driver.click("#show-chart")?;
    stage.driver.until("document.querySelector('#chart svg') !== null")?;
    let found = stage.driver.value(
        "[window.hit ?? 0, document.querySelectorAll('img, script:not([src]), [onerror], [onload], foreignObject').length]",
    )?;
    ensure!(found == json!([0, 0]), "text became markup: {found}");
    let shown = stage.driver.text("document.getElementById('source').textContent")?;
    ensure!(shown.contains("<img src=x"), "the source is not shown as it is");
    stage.screenshot("hostile")
}

fn tabs(stage: &mut Stage<'_>) -> Result<()> {
    stage.bundled("philosophers.bir")?;
    let address = stage.explore("philosophers.bir")?;
    stage.driver.go(&address)?;
    stage.driver.until(READY)?;
    let first = stage.driver.windows()?[0].clone();
    stage.driver.new_tab()?;
    stage.driver.go(&address)?;
    stage.driver.until(READY)?;
    stage.driver.click("#steps button")?;
    stage.driver.until(&position("1 of 1"))?;
    check(stage)?;
    stage.driver.until(&position("4 of 4"))?;
    // The other one heard of the result, and stays where it is.
    stage.driver.switch_to(&first)?;
    stage.driver.until("document.querySelector('#results li') !== null")?;
    ensure!(stage.driver.value(&position("0 of 0"))? == json!(true), "the other tab moved");
    stage.driver.click("#results button")?;
    stage.driver.until(&position("4 of 4"))
}

fn reloaded(stage: &mut Stage<'_>) -> Result<()> {
    stage.bundled("peterson.bir")?;
    open(stage, "peterson.bir")?;
    for step in 1..=3 {
        stage.driver.click("#steps button")?;
        stage.driver.until(&position(&format!("{step} of {step}")))?;
    }
    stage.driver.click("#back")?;
    stage.driver.until(&position("2 of 3"))?;
    let before = stage.driver.text("document.getElementById('values').textContent")?;
    stage.driver.reload()?;
    stage.driver.until(&position("2 of 3"))?;
    stage.driver.until("document.getElementById('values').textContent !== ''")?;
    let after = stage.driver.text("document.getElementById('values').textContent")?;
    ensure!(before == after, "another state: {before} {after}");
    Ok(())
}

fn restarted(stage: &mut Stage<'_>) -> Result<()> {
    stage.bundled("philosophers.bir")?;
    open(stage, "philosophers.bir")?;
    stage.kill();
    stage.driver.until("!document.getElementById('trouble').hidden")?;
    stage.driver.keys("1")?;
    stage.driver.until("document.getElementById('trouble').textContent.includes('start it again')")?;
    open(stage, "philosophers.bir")?;
    stage.driver.keys("1")?;
    stage.driver.until(&position("1 of 1"))
}

fn requests(stage: &mut Stage<'_>) -> Result<()> {
    stage.bundled("philosophers.bir")?;
    open(stage, "philosophers.bir")?;
    check(stage)?;
    stage.driver.until(&position("4 of 4"))?;
    let foreign = stage.driver.value(
        "performance.getEntriesByType('resource').map((one) => one.name).filter((name) => !name.startsWith(location.origin))",
    )?;
    ensure!(foreign == json!([]), "requests to elsewhere: {foreign}");
    let cookie = stage.driver.text("document.cookie")?;
    ensure!(cookie.is_empty(), "scripts can read the cookie");
    Ok(())
}
