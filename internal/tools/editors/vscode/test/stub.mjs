// Replaces the modules vscode and vscode-languageclient/node: it has what the extension uses of them, and records
// what the extension does. A test sets what the user answers.
export const seen = { clients: [], languages: [], tasks: [], errors: [], asked: [] };
export const state = { settings: {}, trusted: true, documents: [], editor: undefined, answers: [] };
export const listeners = {};

const listen = (name) => (listener) => {
  listeners[name] = listener;
  return { dispose() {} };
};

export class Uri {
  constructor(scheme, fsPath) { Object.assign(this, { scheme, fsPath }); }
  static parse(text) { return new Uri(text.split(':')[0], decodeURIComponent(text.replace(/^\w+:\/\//, ''))); }
  toString() { return `${this.scheme}://${this.fsPath}`; }
}

export const commands = {
  registered: {},
  registerCommand(name, action) {
    commands.registered[name] = action;
    return { dispose() {} };
  },
  executeCommand: async () => {},
};
export const workspace = {
  get isTrusted() { return state.trusted; },
  get textDocuments() { return state.documents; },
  getConfiguration: () => ({ get: (name) => state.settings[name] }),
  onDidOpenTextDocument: listen('open'),
  onDidSaveTextDocument: listen('save'),
  onDidCloseTextDocument: listen('close'),
  onDidGrantWorkspaceTrust: listen('trust'),
  onDidChangeConfiguration: listen('configuration'),
};
export const window = {
  get activeTextEditor() { return state.editor; },
  showErrorMessage: async (message) => void seen.errors.push(message),
  showInputBox: async (options) => {
    seen.asked.push(options);
    return state.answers.shift();
  },
};
export const languages = {
  setTextDocumentLanguage: async (document, language) => {
    seen.languages.push([document.fileName, language]);
    listeners.close(document);
    document.languageId = language;
    await listeners.open(document);
  },
};
export class ProcessExecution { constructor(process, args, options) { Object.assign(this, { process, args, options }); } }
export class Task { constructor(definition, scope, name, source, execution) { Object.assign(this, { definition, name, source, execution }); } }
export const TaskScope = { Workspace: 2 };
export const tasks = { executeTask: async (task) => void seen.tasks.push(task) };

export const TransportKind = { stdio: 0 };
export class LanguageClient {
  constructor(id, name, server, options) {
    Object.assign(this, { id, server, options });
    seen.clients.push(this);
  }
  async start() {
    await new Promise((resolve) => { setTimeout(resolve, 5); });
    this.started = true;
  }
  async stop() { this.stopped = true; }
  async dispose() {
    if (!this.started) throw new Error('the client is starting');
    this.stopped = true;
  }
}
