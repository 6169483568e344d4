//! The loop of the server: messages in, answers and diagnostics out.
//!
//! Everything but checks happens in one thread, in the order of the messages: an analysis takes milliseconds. Texts
//! are analysed when they have been left alone for a moment, or when something is asked about them. Messages that have
//! arrived are looked through for cancellations before the first of them is answered.

use std::any::Any;
use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use check::report::Verdict;
use crossbeam_channel::select;
use lsp_server::{Connection, ErrorCode, Message, Notification, Request, RequestId, Response, ResponseError};
use lsp_types::{
    ClientCapabilities, CodeLens, CodeLensOptions, CodeLensParams, Command, CompletionOptions,
    CompletionParams, DidChangeConfigurationParams, DidChangeTextDocumentParams, DidCloseTextDocumentParams,
    DidOpenTextDocumentParams, DocumentFormattingParams, DocumentHighlightParams, DocumentSymbolParams,
    ExecuteCommandOptions, ExecuteCommandParams, FoldingRangeParams, GotoDefinitionParams, HoverParams,
    InitializeParams, InitializeResult, Location, OneOf, Position, PrepareRenameResponse,
    PublishDiagnosticsParams, ReferenceParams, RenameOptions, RenameParams, SemanticTokens,
    SemanticTokensFullOptions, SemanticTokensOptions, SemanticTokensParams, ServerCapabilities, ServerInfo,
    TextDocumentIdentifier, TextDocumentPositionParams, TextDocumentSyncCapability, TextDocumentSyncKind,
    TextEdit, Uri, WorkDoneProgressOptions, WorkspaceEdit,
};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use source::plain;

use crate::checks::{Checks, Goal, Job, News, Outcome, grouped};
use crate::documents::Files;
use crate::lines::Lines;
use crate::settings::Settings;
use crate::uri::{path_of, uri_of};
use crate::workspace::Workspace;
use crate::{completion, names, outline};

/// The command of the code lenses.
pub const CHECK: &str = "quotient.check";
pub const STOP: &str = "quotient.stop";

/// Without anything to do, the loop looks again after this time.
const LONGEST_WAIT: Duration = Duration::from_hours(1);

/// How often the figures of a running check are shown.
const TOLD: Duration = Duration::from_secs(1);

/// What the loop waits for.
enum Event {
    Message(Message),
    News(News),
    Nothing,
    /// The editor is gone.
    Gone,
}

/// How a conversation has ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ended {
    /// The editor said so, and had asked for it before.
    Properly,
    /// The editor is gone, or has left without a word.
    Abruptly,
}

/// Talks with an editor until it leaves. Files that are not open are read through `files`.
pub fn serve(connection: &Connection, files: Files) -> Ended {
    let mut server = Server {
        connection,
        workspace: Workspace::new(files),
        phase: Phase::New,
        inbox: VecDeque::new(),
        cancelled: BTreeSet::new(),
        checks: Checks::new(),
        asked: BTreeMap::new(),
        next_number: 0,
        client: Client::default(),
    };
    let ended = server.run();
    server.checks.stop_all();
    ended
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Phase {
    New,
    Running,
    ShutDown,
}

/// What the editor understands.
#[derive(Default)]
struct Client {
    refreshes_lenses: bool,
    shows_progress: bool,
}

/// A check that was asked for and has not ended.
struct Asked {
    request: RequestId,
    root: String,
    goal: Goal,
    states: u64,
    told: Instant,
    is_cancelled: bool,
}

struct Server<'c> {
    connection: &'c Connection,
    workspace: Workspace,
    phase: Phase,
    inbox: VecDeque<Message>,
    /// Requests that were cancelled before they were looked at.
    cancelled: BTreeSet<RequestId>,
    checks: Checks,
    asked: BTreeMap<u64, Asked>,
    next_number: u64,
    client: Client,
}

/// Why a request has no result.
struct Refusal {
    code: ErrorCode,
    message: String,
}

impl Refusal {
    fn new(code: ErrorCode, message: impl Into<String>) -> Self {
        Self { code, message: message.into() }
    }
}

/// An answer; `None` if it comes later.
type Answer = Result<Option<Value>, Refusal>;

impl Server<'_> {
    fn run(&mut self) -> Ended {
        loop {
            if let Some(message) = self.inbox.pop_front() {
                match message {
                    Message::Notification(notification) if notification.method == "exit" => {
                        return if self.phase == Phase::ShutDown { Ended::Properly } else { Ended::Abruptly };
                    }
                    Message::Notification(notification) => self.notified(notification),
                    Message::Request(request) => self.requested(request),
                    Message::Response(_) => {}
                }
            } else if self.workspace.analyse_due() {
                self.publish();
                self.refresh_lenses();
            } else if !self.wait() {
                return Ended::Abruptly;
            }
        }
    }

    /// Waits for messages, news of checks, or the next analysis. Returns false if the editor is gone.
    fn wait(&mut self) -> bool {
        let now = Instant::now();
        let left = self.workspace.due().map_or(LONGEST_WAIT, |due| due.saturating_duration_since(now));
        let event = select! {
            recv(self.connection.receiver) -> message => message.map_or(Event::Gone, Event::Message),
            recv(self.checks.news) -> news => news.map_or(Event::Nothing, Event::News),
            default(left) => Event::Nothing,
        };
        match event {
            Event::Message(message) => self.arrived(message),
            Event::News(news) => self.told(news),
            Event::Nothing => {}
            Event::Gone => return false,
        }
        true
    }

    /// Takes a message, and those that have arrived with it.
    fn arrived(&mut self, first: Message) {
        let mut next = Some(first);
        while let Some(message) = next {
            let cancels = matches!(&message, Message::Notification(it) if it.method == "$/cancelRequest");
            if let (Message::Notification(notification), true) = (&message, cancels) {
                self.cancel(&notification.params);
            } else {
                self.inbox.push_back(message);
            }
            // If the editor is gone, the next wait says so.
            next = self.connection.receiver.try_recv().ok();
        }
    }

    fn send(&self, message: impl Into<Message>) {
        // If the editor is gone, the next wait says so.
        let _ = self.connection.sender.send(message.into());
    }

    fn notify(&self, method: &str, params: impl Serialize) {
        self.send(Notification::new(method.to_owned(), params));
    }

    fn ask(&mut self, method: &str, params: impl Serialize) {
        self.next_number += 1;
        let id = RequestId::from(format!("quotient-{}", self.next_number));
        self.send(Request::new(id, method.to_owned(), params));
    }

    fn respond(&self, id: RequestId, answer: Result<Value, Refusal>) {
        let response_result = answer.map_err(|refusal| ResponseError {
            code: refusal.code as i32,
            message: refusal.message,
            data: None,
        });
        self.send(Response { id, response_result });
    }

    // Cancellation.

    fn cancel(&mut self, params: &Value) {
        let Some(id) = params.get("id").and_then(|id| serde_json::from_value::<RequestId>(id.clone()).ok())
        else {
            return;
        };
        let running = self.asked.iter_mut().find(|(_, asked)| asked.request == id);
        if let Some((&number, asked)) = running {
            asked.is_cancelled = true;
            self.checks.stop(number);
        } else if self.inbox.iter().any(|message| matches!(message, Message::Request(it) if it.id == id)) {
            self.cancelled.insert(id);
        }
    }

    // Requests.

    fn requested(&mut self, request: Request) {
        let id = request.id.clone();
        if self.cancelled.remove(&id) {
            return self.respond(id, Err(Refusal::new(ErrorCode::RequestCanceled, "cancelled")));
        }
        let answered = catch_unwind(AssertUnwindSafe(|| self.answer(request)));
        match answered {
            Ok(Ok(None)) => {}
            Ok(Ok(Some(value))) => self.respond(id, Ok(value)),
            Ok(Err(refusal)) => self.respond(id, Err(refusal)),
            Err(panic) => {
                let message = format!("internal error: {}", panic_message(&*panic));
                self.respond(id, Err(Refusal::new(ErrorCode::InternalError, message)));
            }
        }
    }

    fn answer(&mut self, request: Request) -> Answer {
        match (self.phase, request.method.as_str()) {
            (Phase::New, "initialize") => return self.initialize(request).map(Some),
            (Phase::New, _) => {
                return Err(Refusal::new(
                    ErrorCode::ServerNotInitialized,
                    "the first request is `initialize`",
                ));
            }
            (Phase::ShutDown, _) => {
                return Err(Refusal::new(ErrorCode::InvalidRequest, "the server was shut down"));
            }
            (Phase::Running, _) => {}
        }
        match request.method.as_str() {
            "shutdown" => {
                self.phase = Phase::ShutDown;
                self.checks.stop_all();
                let waiting = std::mem::take(&mut self.asked);
                for asked in waiting.into_values() {
                    self.respond(asked.request, Err(Refusal::new(ErrorCode::ServerCancelled, "shut down")));
                }
                Ok(Some(Value::Null))
            }
            "initialize" => Err(Refusal::new(ErrorCode::InvalidRequest, "`initialize` comes once")),
            "textDocument/hover" => self.of::<HoverParams, _>(request, Self::hover),
            "textDocument/definition" | "textDocument/declaration" => self.of(request, Self::definition),
            "textDocument/references" => self.of(request, Self::references),
            "textDocument/documentHighlight" => self.of(request, Self::highlights),
            "textDocument/documentSymbol" => self.of(request, Self::symbols),
            "textDocument/completion" => self.of(request, Self::completion),
            "textDocument/codeLens" => self.of(request, Self::lenses),
            "textDocument/foldingRange" => self.of(request, Self::folds),
            "textDocument/semanticTokens/full" => self.of(request, Self::tokens),
            "textDocument/formatting" => self.of(request, Self::formatting),
            "textDocument/prepareRename" => self.of(request, Self::prepare_rename),
            "textDocument/rename" => self.of(request, Self::rename),
            "workspace/executeCommand" => {
                let id = request.id.clone();
                let params = params(request.params)?;
                self.execute(id, params)
            }
            method => Err(Refusal::new(ErrorCode::MethodNotFound, format!("there is no method `{method}`"))),
        }
    }

    /// Answers a request with parameters.
    fn of<P: DeserializeOwned, R: Serialize>(
        &mut self,
        request: Request,
        answer: impl FnOnce(&mut Self, &P) -> Result<R, Refusal>,
    ) -> Answer {
        let result = answer(self, &params(request.params)?)?;
        let value = serde_json::to_value(result);
        value.map(Some).map_err(|error| Refusal::new(ErrorCode::InternalError, error.to_string()))
    }

    fn initialize(&mut self, request: Request) -> Result<Value, Refusal> {
        let params: InitializeParams = params(request.params)?;
        self.client = Client::of(&params.capabilities);
        if let Some(options) = &params.initialization_options {
            match Settings::read(options) {
                Ok(settings) => self.workspace.settings = settings,
                Err(problem) => self.complain(&problem),
            }
        }
        self.phase = Phase::Running;
        let info =
            ServerInfo { name: "quotient".to_owned(), version: Some(env!("CARGO_PKG_VERSION").to_owned()) };
        let result = InitializeResult { capabilities: capabilities(), server_info: Some(info) };
        serde_json::to_value(result)
            .map_err(|error| Refusal::new(ErrorCode::InternalError, error.to_string()))
    }

    fn complain(&self, message: &str) {
        self.notify("window/showMessage", json!({ "type": 2, "message": format!("quotient: {message}") }));
    }

    /// The path of a text that is open, and the models that it belongs to.
    fn models(&mut self, document: &TextDocumentIdentifier) -> Result<(String, Vec<String>), Refusal> {
        let path = plain(&path_of(&document.uri));
        if self.workspace.document(&path).is_none() {
            let message = format!("`{path}` is not open");
            return Err(Refusal::new(ErrorCode::InvalidParams, message));
        }
        // What is asked about has to be up to date, and so has what the editor shows.
        let roots = self.workspace.roots_of(&path);
        self.publish();
        Ok((path, roots))
    }

    /// The place that is asked about, with its first model.
    fn place(
        &mut self,
        at: &TextDocumentPositionParams,
    ) -> Result<(String, Option<String>, Position), Refusal> {
        let (path, roots) = self.models(&at.text_document)?;
        Ok((path, roots.into_iter().next(), at.position))
    }

    fn hover(&mut self, params: &HoverParams) -> Result<Option<lsp_types::Hover>, Refusal> {
        let (path, root, position) = self.place(&params.text_document_position_params)?;
        let language = self.workspace.language(&path);
        let known = root.and_then(|root| self.workspace.root(&root));
        Ok(known.and_then(|root| names::hover(&root.analysed, &path, position, language)))
    }

    fn definition(&mut self, params: &GotoDefinitionParams) -> Result<Vec<Location>, Refusal> {
        let (path, root, position) = self.place(&params.text_document_position_params)?;
        let known = root.and_then(|root| self.workspace.root(&root));
        Ok(known.map_or(Vec::new(), |root| names::definitions(&root.analysed, &path, position)))
    }

    fn references(&mut self, params: &ReferenceParams) -> Result<Vec<Location>, Refusal> {
        let at = &params.text_document_position;
        let (path, roots) = self.models(&at.text_document)?;
        let with_definitions = params.context.include_declaration;
        let mut all: Vec<Location> = Vec::new();
        for root in roots.iter().filter_map(|root| self.workspace.root(root)) {
            for location in names::references(&root.analysed, &path, at.position, with_definitions) {
                if !all.contains(&location) {
                    all.push(location);
                }
            }
        }
        Ok(all)
    }

    fn highlights(
        &mut self,
        params: &DocumentHighlightParams,
    ) -> Result<Vec<lsp_types::DocumentHighlight>, Refusal> {
        let (path, root, position) = self.place(&params.text_document_position_params)?;
        let known = root.and_then(|root| self.workspace.root(&root));
        Ok(known.map_or(Vec::new(), |root| names::highlights(&root.analysed, &path, position)))
    }

    fn symbols(&mut self, params: &DocumentSymbolParams) -> Result<Vec<lsp_types::DocumentSymbol>, Refusal> {
        let (path, roots) = self.models(&params.text_document)?;
        let known = roots.first().and_then(|root| self.workspace.root(root));
        let file = known.and_then(|root| Some((root, root.analysed.file(&path)?)));
        Ok(file.map_or(Vec::new(), |(root, file)| outline::symbols(&root.analysed, file)))
    }

    fn completion(&mut self, params: &CompletionParams) -> Result<Vec<lsp_types::CompletionItem>, Refusal> {
        let (path, root, position) = self.place(&params.text_document_position)?;
        let language = self.workspace.language(&path);
        let known = root.and_then(|root| self.workspace.root(&root));
        Ok(known.map_or(Vec::new(), |root| completion::complete(&root.analysed, &path, position, language)))
    }

    fn folds(&mut self, params: &FoldingRangeParams) -> Result<Vec<lsp_types::FoldingRange>, Refusal> {
        let (path, _) = self.models(&params.text_document)?;
        Ok(self.workspace.document(&path).map_or(Vec::new(), |document| outline::folds(&document.text)))
    }

    fn tokens(&mut self, params: &SemanticTokensParams) -> Result<SemanticTokens, Refusal> {
        let (path, roots) = self.models(&params.text_document)?;
        let known = roots.first().and_then(|root| self.workspace.root(root));
        let file = known.and_then(|root| Some((root, root.analysed.file(&path)?)));
        let data = file.map_or(Vec::new(), |(root, file)| outline::tokens(&root.analysed, file));
        Ok(SemanticTokens { result_id: None, data })
    }

    fn formatting(&mut self, params: &DocumentFormattingParams) -> Result<Option<Vec<TextEdit>>, Refusal> {
        let (path, _) = self.models(&params.text_document)?;
        let Some(document) = self.workspace.document(&path) else { return Ok(None) };
        if document.language != check::Language::Bir {
            return Err(Refusal::new(ErrorCode::RequestFailed, "only BIR has a formatter"));
        }
        let formatted = check::Formatted::of(&self.workspace.overlay(), &path);
        let formatted = formatted.map_err(|_| failed("a text with errors is not formatted"))?.after;
        if *formatted == *document.text {
            return Ok(Some(Vec::new()));
        }
        let range = Lines::of(&document.text).range(&document.text, 0, document.text.len() as u32);
        Ok(Some(vec![TextEdit { range, new_text: formatted }]))
    }

    // Renaming.

    fn prepare_rename(&mut self, at: &TextDocumentPositionParams) -> Result<PrepareRenameResponse, Refusal> {
        let (path, root, position) = self.place(at)?;
        let language = self.workspace.language(&path);
        let known = root.and_then(|root| self.workspace.root(&root));
        let known = known.ok_or_else(|| failed("this text belongs to no model"))?;
        let (range, _) = names::renamable(&known.analysed, &path, position, language).map_err(failed)?;
        Ok(PrepareRenameResponse::Range(range))
    }

    fn rename(&mut self, params: &RenameParams) -> Result<WorkspaceEdit, Refusal> {
        let at = &params.text_document_position;
        let (path, roots) = self.models(&at.text_document)?;
        let language = self.workspace.language(&path);
        let (overlay, defines) = (self.workspace.overlay(), self.workspace.settings.defines.clone());
        #[allow(clippy::mutable_key_type, reason = "the key is that of the protocol, and is not changed")]
        let mut all: HashMap<Uri, Vec<TextEdit>> = HashMap::new();
        if roots.is_empty() {
            return Err(failed("this text belongs to no model"));
        }
        for name in &roots {
            let Some(root) = self.workspace.root(name) else { continue };
            let (_, definition) =
                names::renamable(&root.analysed, &path, at.position, language).map_err(failed)?;
            let edit = names::rename(
                &root.analysed,
                (name, language),
                definition,
                &params.new_name,
                &overlay,
                &defines,
            );
            for (uri, edits) in edit.map_err(failed)?.changes.unwrap_or_default() {
                let known = all.entry(uri).or_default();
                for edit in edits {
                    if !known.contains(&edit) {
                        known.push(edit);
                    }
                }
            }
        }
        Ok(WorkspaceEdit { changes: Some(all), ..WorkspaceEdit::default() })
    }

    // Checks.

    fn lenses(&mut self, params: &CodeLensParams) -> Result<Vec<CodeLens>, Refusal> {
        let (path, roots) = self.models(&params.text_document)?;
        let Some(name) = roots.into_iter().next() else { return Ok(Vec::new()) };
        let Some(root) = self.workspace.root(&name) else { return Ok(Vec::new()) };
        let Some(uri) = uri_of(&name) else { return Ok(Vec::new()) };
        if root.analysed.analysis.diagnostics.has_errors() {
            return Ok(Vec::new());
        }
        let lens = |(span, goal): (source::Span, Goal)| {
            let running = self.asked.values().find(|asked| asked.root == name && asked.goal == goal);
            let arguments = Some(vec![json!(uri), json!(goal)]);
            let (title, command) = match (running, root.outcomes.get(&goal)) {
                (Some(asked), _) if asked.states > 0 => {
                    (format!("◌ checking: {} states so far (stop)", grouped(asked.states)), STOP)
                }
                (Some(_), _) => ("◌ checking (stop)".to_owned(), STOP),
                (None, Some(outcome)) => (format!("{} {}", sign(outcome), outcome.summary), CHECK),
                (None, None) => ("▶ check".to_owned(), CHECK),
            };
            let command = Command { title, command: command.to_owned(), arguments };
            CodeLens { range: root.analysed.range(span), command: Some(command), data: None }
        };
        Ok(self.workspace.goals(&name, &path).into_iter().map(lens).collect())
    }

    fn execute(&mut self, id: RequestId, params: ExecuteCommandParams) -> Answer {
        let mut arguments = params.arguments.into_iter();
        let uri = arguments.next().and_then(|uri| serde_json::from_value::<Uri>(uri).ok());
        let goal = arguments.next().and_then(|goal| serde_json::from_value::<Goal>(goal).ok()).flatten();
        let path = uri.map(|uri| plain(&path_of(&uri)));
        match (params.command.as_str(), path) {
            (CHECK, Some(path)) => self.check(id, &path, goal),
            (CHECK, None) => {
                Err(Refusal::new(ErrorCode::InvalidParams, "the first argument is the URI of a model"))
            }
            (STOP, path) => {
                let is_meant = |asked: &Asked| {
                    path.as_ref().is_none_or(|path| asked.root == *path && asked.goal == goal)
                };
                let numbers: Vec<_> = self
                    .asked
                    .iter()
                    .filter(|(_, asked)| is_meant(asked))
                    .map(|(&number, _)| number)
                    .collect();
                for number in numbers {
                    self.checks.stop(number);
                }
                Ok(Some(Value::Null))
            }
            (other, _) => {
                Err(Refusal::new(ErrorCode::InvalidParams, format!("there is no command `{other}`")))
            }
        }
    }

    fn check(&mut self, id: RequestId, path: &str, goal: Goal) -> Answer {
        let Some(document) = self.workspace.document(path) else {
            return Err(Refusal::new(ErrorCode::InvalidParams, format!("`{path}` is not open")));
        };
        let language = document.language;
        self.workspace.roots_of(path);
        self.publish();
        let again = self.asked.iter().find(|(_, asked)| asked.root == *path && asked.goal == goal);
        if let Some((&number, _)) = again {
            self.checks.stop(number);
        }
        self.next_number += 1;
        let number = self.next_number;
        let asked = Asked {
            request: id,
            root: path.to_owned(),
            goal: goal.clone(),
            states: 0,
            told: Instant::now(),
            is_cancelled: false,
        };
        self.asked.insert(number, asked);
        self.begin_progress(number, path, goal.as_deref());
        let Settings { defines, limits } = self.workspace.settings.clone();
        self.checks.add(Job {
            number,
            path: path.to_owned(),
            language,
            goal,
            files: self.workspace.overlay(),
            defines,
            limits,
            interrupt: Arc::new(AtomicBool::new(false)),
        });
        self.refresh_lenses();
        Ok(None)
    }

    fn told(&mut self, news: News) {
        match news {
            News::Progress { number, states } => {
                let Some(asked) = self.asked.get_mut(&number) else { return };
                asked.states = states;
                if asked.told.elapsed() >= TOLD {
                    asked.told = Instant::now();
                    self.report_progress(number, states);
                    self.refresh_lenses();
                }
            }
            News::Done { number, found } => {
                self.checks.ended(number);
                let Some(asked) = self.asked.remove(&number) else { return };
                self.end_progress(number, &found);
                self.conclude(asked, found);
                self.publish();
                self.refresh_lenses();
            }
        }
    }

    fn conclude(&mut self, asked: Asked, found: Result<Outcome, String>) {
        let Asked { request, root, goal, is_cancelled, .. } = asked;
        let answer = match found {
            _ if is_cancelled => Err(Refusal::new(ErrorCode::RequestCanceled, "cancelled")),
            Ok(outcome) => {
                let violation = outcome.violation.as_ref().map(|violation| {
                    let steps = violation.steps.len() + violation.more;
                    json!({ "kind": violation.kind, "message": violation.message, "steps": steps })
                });
                let answer = json!({
                    "verdict": outcome.verdict,
                    "summary": outcome.summary,
                    "interrupted": outcome.interrupted,
                    "violation": violation,
                });
                if !outcome.interrupted
                    && let Some(known) = self.workspace.root_mut(&root)
                {
                    known.outcomes.insert(goal, outcome);
                }
                Ok(answer)
            }
            Err(problem) => Err(Refusal::new(ErrorCode::RequestFailed, problem)),
        };
        self.respond(request, answer);
    }

    // What the editor shows.

    fn publish(&mut self) {
        for published in self.workspace.publish() {
            let Some(uri) = uri_of(&published.path) else { continue };
            let (diagnostics, version) = (published.diagnostics, published.version);
            self.notify(
                "textDocument/publishDiagnostics",
                PublishDiagnosticsParams { uri, diagnostics, version },
            );
        }
    }

    fn refresh_lenses(&mut self) {
        if self.client.refreshes_lenses {
            self.ask("workspace/codeLens/refresh", Value::Null);
        }
    }

    fn begin_progress(&mut self, number: u64, path: &str, goal: Option<&str>) {
        if !self.client.shows_progress {
            return;
        }
        self.ask("window/workDoneProgress/create", json!({ "token": token(number) }));
        let file = path.rsplit('/').next().unwrap_or(path);
        let title = goal.map_or(format!("Checking {file}"), |goal| format!("Checking {goal} of {file}"));
        let value = json!({ "kind": "begin", "title": title, "cancellable": true });
        self.notify("$/progress", json!({ "token": token(number), "value": value }));
    }

    fn report_progress(&self, number: u64, states: u64) {
        if self.client.shows_progress {
            let value = json!({ "kind": "report", "message": format!("{} states", grouped(states)) });
            self.notify("$/progress", json!({ "token": token(number), "value": value }));
        }
    }

    fn end_progress(&self, number: u64, found: &Result<Outcome, String>) {
        if self.client.shows_progress {
            let message = match found {
                Ok(outcome) => &outcome.summary,
                Err(problem) => problem,
            };
            let value = json!({ "kind": "end", "message": message });
            self.notify("$/progress", json!({ "token": token(number), "value": value }));
        }
    }

    // Notifications.

    fn notified(&mut self, notification: Notification) {
        if self.phase != Phase::Running {
            return;
        }
        let handled = catch_unwind(AssertUnwindSafe(|| self.heed(notification)));
        if let Err(panic) = handled {
            self.complain(&format!("internal error: {}", panic_message(&*panic)));
        }
    }

    fn heed(&mut self, notification: Notification) {
        let value = notification.params;
        let touched = match notification.method.as_str() {
            "textDocument/didOpen" => {
                let Ok(DidOpenTextDocumentParams { text_document: it }) = serde_json::from_value(value)
                else {
                    return;
                };
                self.workspace.open(&it.uri, &it.language_id, it.version, &it.text)
            }
            "textDocument/didChange" => {
                let Ok(it) = serde_json::from_value::<DidChangeTextDocumentParams>(value) else { return };
                let path = plain(&path_of(&it.text_document.uri));
                self.workspace.change(&path, it.text_document.version, it.content_changes)
            }
            "textDocument/didClose" => {
                let Ok(it) = serde_json::from_value::<DidCloseTextDocumentParams>(value) else { return };
                self.workspace.close(&plain(&path_of(&it.text_document.uri)))
            }
            // Files that are not open may have changed with it.
            "workspace/didChangeWatchedFiles" => self.workspace.refresh(),
            "workspace/didChangeConfiguration" => {
                let Ok(it) = serde_json::from_value::<DidChangeConfigurationParams>(value) else { return };
                // Some editors send nothing, and expect to be asked.
                if it.settings.is_null() {
                    return;
                }
                match Settings::read(&it.settings) {
                    Ok(settings) => self.workspace.settings = settings,
                    Err(problem) => return self.complain(&problem),
                }
                self.workspace.refresh()
            }
            "window/workDoneProgress/cancel" => {
                let wanted = value.get("token").and_then(Value::as_str);
                let number =
                    self.asked.keys().copied().find(|&number| Some(token(number).as_str()) == wanted);
                if let Some(number) = number {
                    self.checks.stop(number);
                }
                return;
            }
            _ => return,
        };
        // A check of an old text has no use.
        let outdated = self.asked.iter().filter(|(_, asked)| touched.contains(&asked.root));
        let outdated: Vec<_> = outdated.map(|(&number, _)| number).collect();
        for number in outdated {
            self.checks.stop(number);
        }
        if self.workspace.due().is_none_or(|due| due > Instant::now()) {
            self.publish_if_open(&touched);
        }
    }

    /// A text that was opened or closed is shown at once, one that changes when it has been left alone.
    fn publish_if_open(&mut self, touched: &BTreeSet<String>) {
        let is_settled = |path: &String| self.workspace.root(path).is_none_or(|root| !root.is_stale());
        if touched.iter().all(is_settled) {
            self.publish();
        }
    }
}

impl Client {
    fn of(capabilities: &ClientCapabilities) -> Self {
        let workspace = capabilities.workspace.as_ref();
        let lenses = workspace.and_then(|workspace| workspace.code_lens.as_ref());
        let window = capabilities.window.as_ref();
        Self {
            refreshes_lenses: lenses.and_then(|lenses| lenses.refresh_support).unwrap_or(false),
            shows_progress: window.and_then(|window| window.work_done_progress).unwrap_or(false),
        }
    }
}

fn token(number: u64) -> String {
    format!("quotient-check-{number}")
}

const fn sign(outcome: &Outcome) -> &'static str {
    match outcome.verdict {
        Verdict::Holds => "✓",
        Verdict::Violated => "✗",
        Verdict::HoldsUpToBounds | Verdict::NoErrorFound | Verdict::Inconclusive => "?",
    }
}

fn failed(message: impl Into<String>) -> Refusal {
    Refusal::new(ErrorCode::RequestFailed, message)
}

fn params<P: DeserializeOwned>(value: Value) -> Result<P, Refusal> {
    serde_json::from_value(value).map_err(|error| Refusal::new(ErrorCode::InvalidParams, error.to_string()))
}

fn panic_message(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_else(|| "a panic".to_owned())
}

fn capabilities() -> ServerCapabilities {
    let no_progress = WorkDoneProgressOptions::default;
    ServerCapabilities {
        text_document_sync: Some(TextDocumentSyncCapability::Kind(TextDocumentSyncKind::INCREMENTAL)),
        hover_provider: Some(true.into()),
        definition_provider: Some(OneOf::Left(true)),
        references_provider: Some(OneOf::Left(true)),
        document_highlight_provider: Some(OneOf::Left(true)),
        document_symbol_provider: Some(OneOf::Left(true)),
        document_formatting_provider: Some(OneOf::Left(true)),
        folding_range_provider: Some(true.into()),
        completion_provider: Some(CompletionOptions {
            trigger_characters: Some(vec![".".to_owned(), "@".to_owned()]),
            ..CompletionOptions::default()
        }),
        code_lens_provider: Some(CodeLensOptions { resolve_provider: None }),
        rename_provider: Some(OneOf::Right(RenameOptions {
            prepare_provider: Some(true),
            work_done_progress_options: no_progress(),
        })),
        execute_command_provider: Some(ExecuteCommandOptions {
            commands: vec![CHECK.to_owned(), STOP.to_owned()],
            work_done_progress_options: no_progress(),
        }),
        semantic_tokens_provider: Some(
            SemanticTokensOptions {
                legend: outline::legend(),
                full: Some(SemanticTokensFullOptions::Bool(true)),
                ..SemanticTokensOptions::default()
            }
            .into(),
        ),
        ..ServerCapabilities::default()
    }
}
