// The extension for Visual Studio Code: it starts the language server, and adds the commands that are not the server's.
// Everything that is known about models comes from the server.

'use strict';

const { spawn } = require('node:child_process');
const vscode = require('vscode');
const { LanguageClient } = require('vscode-languageclient/node');
const { canExplore, explorerAddress } = require('./explorer');

const LANGUAGES = ['bir', 'promela'];

/** The client of the running server. */
let client;
/** The explorers that were started, by the path of their model. */
const explorers = new Map();

function settings() {
  return vscode.workspace.getConfiguration('quotient');
}

/** What the server is told about settings. */
function options() {
  const given = settings();
  const check = { seconds: given.get('check.seconds'), megabytes: given.get('check.megabytes') };
  const states = given.get('check.states');
  return { defines: given.get('defines'), check: states === null ? check : { ...check, states } };
}

async function start() {
  const path = settings().get('path');
  const server = { command: path, args: ['lsp'] };
  const candidate = new LanguageClient('quotient', 'Quotient', server, {
    documentSelector: LANGUAGES.map((language) => ({ language })),
    initializationOptions: options(),
    synchronize: { fileEvents: vscode.workspace.createFileSystemWatcher('**/*.{bir,pml,prom,promela,spin,h,inc}') },
  });
  try {
    await candidate.start();
    client = candidate;
  } catch (error) {
    const choice = await vscode.window.showErrorMessage(
      `Quotient: \`${path} lsp\` could not be started: ${error.message}`,
      'Open Settings',
    );
    if (choice) {
      vscode.commands.executeCommand('workbench.action.openSettings', 'quotient.path');
    }
  }
  vscode.commands.executeCommand('setContext', 'quotient.canExplore', await canExplore(path));
}

async function stop() {
  const running = client;
  client = undefined;
  await running?.stop();
}

/** The model in the active editor. */
function activeModel() {
  const document = vscode.window.activeTextEditor?.document;
  if (document && LANGUAGES.includes(document.languageId)) {
    return document;
  }
  vscode.window.showInformationMessage('Quotient: open a model in BIR or Promela first.');
  return undefined;
}

async function checkModel() {
  const document = activeModel();
  if (!document || !client) {
    return;
  }
  try {
    const uri = client.code2ProtocolConverter.asUri(document.uri);
    const answer = await vscode.commands.executeCommand('quotient.check', uri, null);
    const name = vscode.workspace.asRelativePath(document.uri);
    const show = answer.violation ? vscode.window.showWarningMessage : vscode.window.showInformationMessage;
    const choice = await show(`${name} ${answer.summary}`, ...(answer.violation ? ['Show the Run'] : []));
    if (choice) {
      vscode.commands.executeCommand('workbench.actions.view.problems');
    }
  } catch (error) {
    vscode.window.showErrorMessage(`Quotient: ${error.message}`);
  }
}

async function explore() {
  const document = activeModel();
  if (!document) {
    return;
  }
  if (document.isUntitled || document.uri.scheme !== 'file') {
    vscode.window.showInformationMessage('Quotient: save the model first, the explorer reads files.');
    return;
  }
  await document.save();
  const model = document.uri.fsPath;
  explorers.get(model)?.kill();
  const defines = settings().get('defines').flatMap((define) => ['-D', define]);
  const process = spawn(settings().get('path'), ['explore', model, ...defines], { stdio: ['ignore', 'pipe', 'pipe'] });
  explorers.set(model, process);
  process.on('exit', () => {
    if (explorers.get(model) === process) {
      explorers.delete(model);
    }
  });
  try {
    const address = await explorerAddress(process);
    // The page refuses to be shown inside of another one, so it goes to the browser. A remote window forwards the port.
    await vscode.env.openExternal(await vscode.env.asExternalUri(vscode.Uri.parse(address)));
  } catch (error) {
    vscode.window.showErrorMessage(`Quotient: the explorer has not started: ${error.message}`);
  }
}

async function activate(context) {
  context.subscriptions.push(
    vscode.commands.registerCommand('quotient.checkModel', checkModel),
    vscode.commands.registerCommand('quotient.stopChecks', () => vscode.commands.executeCommand('quotient.stop')),
    vscode.commands.registerCommand('quotient.explore', explore),
    vscode.commands.registerCommand('quotient.restart', async () => {
      await stop();
      await start();
    }),
    vscode.workspace.onDidChangeConfiguration(async (event) => {
      if (event.affectsConfiguration('quotient.path')) {
        await stop();
        await start();
      } else if (event.affectsConfiguration('quotient')) {
        client?.sendNotification('workspace/didChangeConfiguration', { settings: { quotient: options() } });
      }
    }),
  );
  await start();
}

async function deactivate() {
  for (const process of explorers.values()) {
    process.kill();
  }
  await stop();
}

module.exports = { activate, deactivate };
