// The extension: it starts `toolgraph lsp`, gives files their language, and runs what code lenses offer.
import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import * as vscode from 'vscode';
import { LanguageClient, TransportKind } from 'vscode-languageclient/node';
import { findExecutable } from './executable.mjs';
import { isToolgraph } from './files.mjs';
import { debugOf, problemOf, runOf, testOf } from './tasks.mjs';

const language = 'toolgraph';
let client;

export async function activate(context) {
  const changed = new Set(); // files that got their language here; the user may choose another one
  const detect = (document) => giveLanguage(document, changed);
  context.subscriptions.push(
    vscode.commands.registerCommand('toolgraph.run', (lens) => trusted(() => run(lens))),
    vscode.commands.registerCommand('toolgraph.debug', (lens) => trusted(() => start('ui', lens, debugOf))),
    vscode.commands.registerCommand('toolgraph.test', (lens) => trusted(() => start('test', lens, (file) => testOf(file, lens?.test)))),
    vscode.commands.registerCommand('toolgraph.restart', () => restart(context)),
    vscode.workspace.onDidOpenTextDocument(detect),
    vscode.workspace.onDidSaveTextDocument(detect),
    vscode.workspace.onDidCloseTextDocument((document) => {
      if (document.isClosed) changed.delete(document.uri.toString()); // it is open when only its language changes
    }),
    vscode.workspace.onDidGrantWorkspaceTrust(() => restart(context)),
    vscode.workspace.onDidChangeConfiguration((event) => {
      if (['path', 'arguments', 'env'].some((name) => event.affectsConfiguration(`toolgraph.${name}`))) restart(context);
    }),
  );
  await Promise.all([restart(context), ...vscode.workspace.textDocuments.map(detect)]);
}

export const deactivate = () => client?.stop();

const settings = () => vscode.workspace.getConfiguration('toolgraph');

async function giveLanguage(document, changed) {
  const key = document.uri.toString();
  if (document.languageId !== 'yaml' || document.uri.scheme !== 'file' || changed.has(key) || !settings().get('detect')) return;
  if (!await isToolgraph(document.fileName, document.getText(), existsSync)) return;
  changed.add(key);
  await vscode.languages.setTextDocumentLanguage(document, language);
}

// restart ends the language server and starts it again, one restart after the other: a client that is starting cannot be
// ended.
let restarted = Promise.resolve();
function restart(context) {
  restarted = restarted.then(async () => {
    const old = client;
    client = undefined;
    try {
      await old?.dispose();
    } catch {
      // It has not started, or has ended already.
    }
    try {
      client = newClient(context, findExecutable(settings().get('path')));
      await client.start();
    } catch (error) {
      report(error); // not awaited: a message remains until the user closes it
    }
  });
  return restarted;
}

async function report(error) {
  const choice = await vscode.window.showErrorMessage(`Toolgraph: ${error.message}`, 'Open Settings');
  if (choice) await vscode.commands.executeCommand('workbench.action.openSettings', 'toolgraph.path');
}

function newClient(context, command) {
  const server = {
    command,
    args: ['lsp', ...settings().get('arguments')],
    transport: TransportKind.stdio,
    // Not the folder that was opened: what is started must not depend on it.
    options: { cwd: context.extensionPath, env: { ...process.env, ...settings().get('env') } },
  };
  return new LanguageClient('toolgraph', 'Toolgraph', server, {
    documentSelector: ['file', 'untitled'].map((scheme) => ({ scheme, language })),
    synchronize: { configurationSection: 'toolgraph' }, // the server then asks for its settings
    middleware: { workspace: { configuration: (params) => params.items.map(serverSettings) } },
  });
}

// serverSettings are the settings that the language server reads. In a folder that the user does not trust it starts no
// upstream server, whatever the user's own settings are, because the graph file says which program that is.
function serverSettings() {
  const names = ['debounceMs', 'hoverValues', 'inlayHints', 'live', 'mcp', 'state'];
  const all = Object.fromEntries(names.map((name) => [name, settings().get(name)]));
  return { ...all, live: all.live === true && vscode.workspace.isTrusted };
}

// trusted does what starts programs that a graph file names, only in a folder that the user trusts.
function trusted(action) {
  if (vscode.workspace.isTrusted) return action();
  return vscode.window.showErrorMessage('Toolgraph: tools and tests are run only in a workspace that you trust.');
}

// fileOf is the file of a code lens or of the active editor, saved; undefined when there is none.
async function fileOf(lens) {
  const uri = lens?.uri ? vscode.Uri.parse(lens.uri) : vscode.window.activeTextEditor?.document.uri;
  const document = vscode.workspace.textDocuments.find((open) => open.uri.toString() === uri?.toString());
  if (uri?.scheme !== 'file') {
    vscode.window.showErrorMessage('Toolgraph: open a graph file that is saved on disk.');
    return undefined;
  }
  if (document?.isDirty && !await document.save()) return undefined;
  return uri.fsPath;
}

async function run(lens) {
  const tool = lens?.tool ?? await vscode.window.showInputBox({ title: 'Toolgraph: Run', prompt: 'Name of the tool' });
  if (!tool) return;
  const takesNone = lens?.tool && !lens.args;
  const args = takesNone ? '{}' : await vscode.window.showInputBox({
    title: `Toolgraph: Run ${tool}`, prompt: 'Arguments, as a JSON object', value: JSON.stringify(lens?.args ?? {}), validateInput: problemOf,
  });
  if (args !== undefined) await start(`run ${tool}`, lens, (file) => runOf(file, tool, args));
}

// start runs toolgraph as a task, whose terminal remains open when it has ended. There is no shell between, so nothing
// in a name or an argument has a special meaning.
async function start(name, lens, args) {
  const file = await fileOf(lens);
  if (!file) return;
  try {
    const execution = new vscode.ProcessExecution(findExecutable(settings().get('path')), args(file), { cwd: dirname(file), env: settings().get('env') });
    const task = new vscode.Task({ type: 'toolgraph', name }, vscode.TaskScope.Workspace, name, 'toolgraph', execution, []);
    task.presentationOptions = { clear: true };
    await vscode.tasks.executeTask(task);
  } catch (error) {
    vscode.window.showErrorMessage(`Toolgraph: ${error.message}`);
  }
}
