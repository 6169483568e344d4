//! The explorer in a real browser: Chromium, driven over `WebDriver`.
//!
//! Each case starts `quotient explore`, opens its page, and does what a person would. Without a browser and its driver
//! nothing can be said, and the task says that.

mod cases;
mod driver;

use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Instant;

use anyhow::{Context as _, Result, anyhow};
use clap::Args;

use driver::Driver;

#[derive(Args)]
pub struct BrowserArgs {
    /// The command `quotient` [default: build it, in the profile release]
    #[arg(long)]
    binary: Option<PathBuf>,

    /// Run only cases with this in their names
    #[arg(long)]
    only: Option<String>,

    /// Also write screenshots of the pages into this folder
    #[arg(long)]
    screenshots: Option<PathBuf>,
}

/// Runs all cases. False if one of them fails.
pub fn run(args: &BrowserArgs) -> Result<bool> {
    let binary = match &args.binary {
        Some(binary) => std::path::absolute(binary)?,
        None => crate::ours::build("release")?,
    };
    let mut driver =
        Driver::start().context("cannot start chromedriver; install chromium and chromium-driver")?;
    let mut all_pass = true;
    for (name, case) in cases::CASES {
        if args.only.as_ref().is_some_and(|only| !name.contains(only)) {
            continue;
        }
        let started = Instant::now();
        let mut stage = Stage::new(&mut driver, &binary, args.screenshots.as_deref())?;
        let result = case(&mut stage);
        let notes = std::mem::take(&mut stage.notes).join(", ");
        drop(stage);
        match result {
            Ok(()) => println!("ok    {name} ({:.1} s) {notes}", started.elapsed().as_secs_f64()),
            Err(error) => {
                println!("FAIL  {name}: {error:#}");
                all_pass = false;
            }
        }
    }
    Ok(all_pass)
}

/// What a case has: a browser window, a folder for models, and the command.
pub struct Stage<'d> {
    pub driver: &'d mut Driver,
    binary: &'d Path,
    folder: tempfile::TempDir,
    screenshots: Option<&'d Path>,
    servers: Vec<Child>,
    /// What is worth to be said of a case that passes.
    pub notes: Vec<String>,
}

impl<'d> Stage<'d> {
    fn new(driver: &'d mut Driver, binary: &'d Path, screenshots: Option<&'d Path>) -> Result<Self> {
        driver.open_session()?;
        let folder = tempfile::tempdir()?;
        Ok(Self { driver, binary, folder, screenshots, servers: Vec::new(), notes: Vec::new() })
    }

    pub fn model(&self, name: &str, text: &str) -> Result<()> {
        Ok(std::fs::write(self.folder.path().join(name), text)?)
    }

    /// A bundled model.
    pub fn bundled(&self, name: &str) -> Result<()> {
        self.model(name, &std::fs::read_to_string(testing::root().join("models").join(name))?)
    }

    /// Runs the command to its end.
    pub fn quotient(&self, line: &str) -> Result<()> {
        let mut command = Command::new(self.binary);
        command.args(line.split_whitespace()).current_dir(self.folder.path());
        command.stdout(Stdio::null()).stderr(Stdio::null()).status()?;
        Ok(())
    }

    /// Starts an explorer, and returns its address.
    pub fn explore(&mut self, line: &str) -> Result<String> {
        let mut command = Command::new(self.binary);
        command.arg("explore").args(line.split_whitespace()).current_dir(self.folder.path());
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn()?;
        let stdout = child.stdout.take().context("no output")?;
        self.servers.push(child);
        for line in BufReader::new(stdout).lines() {
            let line = line?;
            if line.trim().starts_with("http://") {
                return Ok(line.trim().to_owned());
            }
        }
        Err(anyhow!("the explorer did not start"))
    }

    /// Kills the explorers.
    pub fn kill(&mut self) {
        for mut server in self.servers.drain(..) {
            drop(server.kill());
            drop(server.wait());
        }
    }

    pub fn screenshot(&mut self, name: &str) -> Result<()> {
        if let Some(folder) = self.screenshots {
            std::fs::create_dir_all(folder)?;
            std::fs::write(folder.join(format!("{name}.png")), self.driver.screenshot()?)?;
        }
        Ok(())
    }
}

impl Drop for Stage<'_> {
    fn drop(&mut self) {
        self.kill();
        drop(self.driver.close_session());
    }
}
