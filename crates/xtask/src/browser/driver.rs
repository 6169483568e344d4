//! A client of `WebDriver` (W3C Recommendation, 2018): requests in JSON over HTTP, on the standard library.

use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, anyhow, bail};
use serde_json::{Value, json};

/// How long a page may take until something is so.
const PATIENCE: Duration = Duration::from_secs(30);

/// The driver, and the session that is open.
pub struct Driver {
    process: Child,
    port: u16,
    session: Option<String>,
    profile: Option<tempfile::TempDir>,
}

impl Driver {
    pub fn start() -> Result<Self> {
        let port = TcpListener::bind("127.0.0.1:0")?.local_addr()?.port();
        let process = Command::new("chromedriver")
            .arg(format!("--port={port}"))
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()?;
        let driver = Self { process, port, session: None, profile: None };
        let started = Instant::now();
        while driver.send("GET", "/status", None).is_err() {
            if started.elapsed() > PATIENCE {
                bail!("chromedriver does not answer");
            }
            std::thread::sleep(Duration::from_millis(50));
        }
        Ok(driver)
    }

    fn send(&self, method: &str, path: &str, body: Option<&Value>) -> Result<Value> {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port))?;
        stream.set_read_timeout(Some(2 * PATIENCE))?;
        let body = body.map(Value::to_string).unwrap_or_default();
        write!(
            stream,
            "{method} {path} HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nContent-Type: application/json\r\n\
             Connection: close\r\nContent-Length: {}\r\n\r\n{body}",
            self.port,
            body.len()
        )?;
        let mut bytes = Vec::new();
        let mut buffer = vec![0; 1 << 16];
        // The driver may keep the connection open: the length says where the answer ends.
        let (head, length) = loop {
            let count = stream.read(&mut buffer)?;
            bytes.extend(&buffer[..count]);
            if let Some(end) = bytes.windows(4).position(|window| window == b"\r\n\r\n") {
                let head = String::from_utf8_lossy(&bytes[..end]).to_lowercase();
                let length = head.lines().find_map(|line| line.strip_prefix("content-length:"));
                break (end + 4, length.context("no length")?.trim().parse::<usize>()?);
            }
            if count == 0 {
                bail!("no answer of the driver");
            }
        };
        while bytes.len() < head + length {
            let count = stream.read(&mut buffer)?;
            if count == 0 {
                bail!("the answer of the driver is cut off");
            }
            bytes.extend(&buffer[..count]);
        }
        let answer: Value = serde_json::from_slice(&bytes[head..])?;
        if let Some(error) = answer["value"]["error"].as_str() {
            let message = answer["value"]["message"].as_str().unwrap_or_default();
            bail!("{error}: {}", message.lines().next().unwrap_or_default());
        }
        Ok(answer["value"].clone())
    }

    pub fn open_session(&mut self) -> Result<()> {
        let profile = tempfile::tempdir()?;
        let arguments = [
            "--headless".to_owned(),
            "--no-sandbox".to_owned(),
            "--disable-gpu".to_owned(),
            "--disable-background-networking".to_owned(),
            "--window-size=1400,1500".to_owned(),
            format!("--user-data-dir={}", profile.path().display()),
        ];
        let options = json!({ "args": arguments });
        let wanted = json!({ "capabilities": { "alwaysMatch": {
            "browserName": "chrome", "goog:chromeOptions": options, "unhandledPromptBehavior": "ignore",
        } } });
        let session = self.send("POST", "/session", Some(&wanted))?;
        self.session = Some(session["sessionId"].as_str().context("no session")?.to_owned());
        self.profile = Some(profile);
        Ok(())
    }

    pub fn close_session(&mut self) -> Result<()> {
        if let Some(session) = self.session.take() {
            self.send("DELETE", &format!("/session/{session}"), None)?;
        }
        self.profile = None;
        Ok(())
    }

    fn at(&self, path: &str) -> Result<String> {
        Ok(format!("/session/{}{path}", self.session.as_ref().context("no session is open")?))
    }

    fn post(&self, path: &str, body: &Value) -> Result<Value> {
        self.send("POST", &self.at(path)?, Some(body))
    }

    fn get(&self, path: &str) -> Result<Value> {
        self.send("GET", &self.at(path)?, None)
    }

    pub fn go(&self, url: &str) -> Result<()> {
        self.post("/url", &json!({ "url": url })).map(drop)
    }

    pub fn reload(&self) -> Result<()> {
        self.post("/refresh", &json!({})).map(drop)
    }

    pub fn url(&self) -> Result<String> {
        Ok(self.get("/url")?.as_str().unwrap_or_default().to_owned())
    }

    /// The value of an expression in the page.
    pub fn value(&self, expression: &str) -> Result<Value> {
        self.post("/execute/sync", &json!({ "script": format!("return {expression};"), "args": [] }))
    }

    pub fn text(&self, expression: &str) -> Result<String> {
        Ok(self.value(expression)?.as_str().unwrap_or_default().to_owned())
    }

    /// Waits until an expression is true.
    pub fn until(&self, expression: &str) -> Result<()> {
        let started = Instant::now();
        loop {
            if self.value(&format!("Boolean({expression})"))? == json!(true) {
                return Ok(());
            }
            if started.elapsed() > PATIENCE {
                let where_ = self.text("document.getElementById('where').textContent").unwrap_or_default();
                let trouble = self.text("document.getElementById('trouble').textContent").unwrap_or_default();
                return Err(anyhow!("never so: {expression} (at {where_}; {trouble})"));
            }
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    pub fn click(&self, selector: &str) -> Result<()> {
        let found = self.post("/element", &json!({ "using": "css selector", "value": selector }))?;
        let id = found.as_object().and_then(|object| object.values().next()).and_then(Value::as_str);
        let id = id.context("no element")?.to_owned();
        self.post(&format!("/element/{id}/click"), &json!({})).map(drop)
    }

    /// Presses and releases keys, one after the other.
    pub fn keys(&self, keys: &str) -> Result<()> {
        let actions: Vec<Value> = keys
            .chars()
            .flat_map(|key| {
                [json!({ "type": "keyDown", "value": key }), json!({ "type": "keyUp", "value": key })]
            })
            .collect();
        let all = json!({ "actions": [{ "type": "key", "id": "keyboard", "actions": actions }] });
        self.post("/actions", &all).map(drop)
    }

    pub fn windows(&self) -> Result<Vec<String>> {
        let handles = self.get("/window/handles")?;
        Ok(handles
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(|handle| handle.as_str().map(str::to_owned))
            .collect())
    }

    pub fn new_tab(&self) -> Result<()> {
        let made = self.post("/window/new", &json!({ "type": "tab" }))?;
        self.switch_to(made["handle"].as_str().context("no tab")?)
    }

    pub fn switch_to(&self, window: &str) -> Result<()> {
        self.post("/window", &json!({ "handle": window })).map(drop)
    }

    /// The page as a picture.
    pub fn screenshot(&self) -> Result<Vec<u8>> {
        let text = self.get("/screenshot")?;
        decoded(text.as_str().unwrap_or_default()).context("no picture")
    }
}

impl Drop for Driver {
    fn drop(&mut self) {
        drop(self.close_session());
        drop(self.process.kill());
        drop(self.process.wait());
    }
}

/// Base64.
fn decoded(text: &str) -> Option<Vec<u8>> {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut bytes = Vec::new();
    let (mut bits, mut count) = (0_u32, 0);
    for digit in text.bytes().filter(|&digit| digit != b'=') {
        let value = DIGITS.iter().position(|&other| other == digit)?;
        (bits, count) = (bits << 6 | value as u32, count + 6);
        if count >= 8 {
            count -= 8;
            bytes.push((bits >> count) as u8);
        }
    }
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64() {
        assert_eq!(decoded("Zm9vYg==").as_deref(), Some(&b"foob"[..]));
        assert_eq!(decoded("Zm8=").as_deref(), Some(&b"fo"[..]));
        assert_eq!(decoded("!"), None);
    }
}
