// What the extension does, with stubs in place of the editor and of the language client.
import assert from 'node:assert/strict';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, beforeEach, test } from 'node:test';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';

const directory = mkdtempSync(join(tmpdir(), 'toolgraph-extension-'));
after(() => rmSync(directory, { recursive: true }));
const inHere = (name) => fileURLToPath(new URL(name, import.meta.url));
const stub = inHere('stub.mjs');
await build({
  entryPoints: [inHere('../src/extension.mjs')], bundle: true, platform: 'node', format: 'esm', logLevel: 'error',
  outfile: join(directory, 'extension.mjs'), external: [stub],
  plugins: [{ name: 'stub', setup: (b) => b.onResolve({ filter: /^vscode/ }, () => ({ path: pathToFileURL(stub).href, external: true })) }],
});
const { seen, state, listeners, commands, Uri } = await import(pathToFileURL(stub));
const extension = await import(pathToFileURL(join(directory, 'extension.mjs')));

const executable = join(directory, process.platform === 'win32' ? 'toolgraph.exe' : 'toolgraph');
writeFileSync(executable, '');
chmodSync(executable, 0o755);
const graph = 'version: "1.0"\nserver: {name: a, version: 1.0.0}\ntools: []\n';

let saved = 0;
const open = (name, text, languageId = 'yaml') => {
  const path = join(directory, name);
  return {
    fileName: path, uri: new Uri('file', path), languageId, isClosed: false, isDirty: false, getText: () => text,
    async save() {
      saved++;
      return true;
    },
  };
};
const activate = async (documents = []) => {
  state.documents = documents;
  await extension.activate({ subscriptions: [], extensionPath: directory });
};

beforeEach(() => {
  for (const list of Object.values(seen)) list.length = 0;
  Object.assign(state, { settings: { path: executable, arguments: [], env: {}, detect: true }, trusted: true, documents: [], editor: undefined, answers: [] });
  saved = 0;
});

test('starts the language server with the settings, outside of the folder that was opened', async () => {
  Object.assign(state.settings, { arguments: ['--log-level', 'debug'], env: { A: 'b' } });
  await activate();
  const [client] = seen.clients;
  assert.ok(client.started);
  assert.equal(client.server.command, executable);
  assert.deepEqual(client.server.args, ['lsp', '--log-level', 'debug']);
  assert.equal(client.server.options.cwd, directory);
  assert.equal(client.server.options.env.A, 'b');
  assert.deepEqual(client.options.documentSelector, [{ scheme: 'file', language: 'toolgraph' }, { scheme: 'untitled', language: 'toolgraph' }]);
  await listeners.configuration({ affectsConfiguration: (name) => name === 'toolgraph.env' });
  await listeners.configuration({ affectsConfiguration: (name) => name === 'toolgraph.detect' });
  assert.equal(seen.clients.length, 2);
  assert.ok(client.stopped);
});

test('restarts follow each other', async () => {
  await activate();
  const event = { affectsConfiguration: () => true };
  await Promise.all([listeners.configuration(event), listeners.configuration(event), listeners.trust()]);
  await commands.registered['toolgraph.restart']();
  assert.deepEqual(seen.clients.map(({ started, stopped }) => [started, Boolean(stopped)]),
    [[true, true], [true, true], [true, true], [true, true], [true, false]]);
});

test('an executable that is missing is reported, and the rest works', async () => {
  state.settings.path = join(directory, 'gone');
  await activate([open('a.yaml', graph)]);
  assert.match(seen.errors[0], /^Toolgraph: toolgraph\.path names .*gone, which does not exist$/);
  assert.equal(seen.languages.length, 1);
});

test('graph files get their language; other YAML files, and the choice of the user, remain', async () => {
  const a = open('a.yaml', graph);
  await activate([a, open('b.yaml', 'services: {}\nversion: 3\n'), open('c.json', graph, 'json')]);
  assert.deepEqual(seen.languages, [[a.fileName, 'toolgraph']]);
  listeners.close(a);
  a.languageId = 'yaml'; // the user's choice
  await listeners.open(a);
  await listeners.save(a);
  assert.equal(seen.languages.length, 1);
  a.isClosed = true;
  listeners.close(a);
  const again = open('a.yaml', graph);
  await listeners.open(again);
  assert.equal(seen.languages.length, 2);
  const growing = open('d.yaml', '');
  await listeners.open(growing);
  growing.getText = () => graph;
  await listeners.save(growing);
  assert.equal(seen.languages.length, 3);
  state.settings.detect = false;
  await listeners.open(open('e.yaml', graph));
  assert.equal(seen.languages.length, 3);
});

test('code lenses start toolgraph without a shell, after the file is saved', async () => {
  const a = Object.assign(open("it's; $(a).yaml", graph, 'toolgraph'), { isDirty: true });
  await activate([a]);
  const uri = a.uri.toString();
  const { registered } = commands;
  state.answers = ['{"directory": "."}'];
  await registered['toolgraph.run']({ uri, tool: 'count', args: { directory: '' } });
  await registered['toolgraph.run']({ uri, tool: 'none' });
  await registered['toolgraph.debug']({ uri, tool: 'count' });
  await registered['toolgraph.test']({ uri, test: 'a (b)' });
  await registered['toolgraph.test']({ uri });
  assert.equal(saved, 5);
  assert.equal(seen.asked[0].value, '{"directory":""}');
  assert.deepEqual(seen.tasks.map(({ execution }) => execution.args), [
    ['run', a.fileName, 'count', '--args', '{"directory": "."}'],
    ['run', a.fileName, 'none', '--args', '{}'],
    ['ui', a.fileName],
    ['test', a.fileName, '--run', '^a \\(b\\)(/|$)', '-v'],
    ['test', a.fileName, '-v'],
  ]);
  assert.ok(seen.tasks.every(({ execution }) => execution.process === executable && execution.options.cwd === directory));
  for (const [typed, problem] of [['{}', undefined], ['[1]', 'found [1], expected a JSON object'], ['{', /^not JSON: /]]) {
    const said = seen.asked[0].validateInput(typed);
    if (problem instanceof RegExp) assert.match(said, problem);
    else assert.equal(said, problem);
  }
});

test('commands take the active editor, and need a file on disk', async () => {
  const a = open('a.yaml', graph, 'toolgraph');
  await activate([a]);
  const { registered } = commands;
  await registered['toolgraph.test']();
  state.editor = { document: { uri: new Uri('untitled', 'Untitled-1') } };
  await registered['toolgraph.test']();
  assert.equal(seen.errors.length, 2);
  state.editor = { document: a };
  state.answers = ['count', undefined]; // a tool, then Escape
  await registered['toolgraph.run']();
  assert.equal(seen.tasks.length, 0);
  await registered['toolgraph.test']();
  assert.equal(seen.tasks.length, 1);
});

test('nothing is run in a folder that is not trusted', async () => {
  const a = open('a.yaml', graph, 'toolgraph');
  Object.assign(state, { trusted: false, settings: { ...state.settings, live: true, debounceMs: 20 } });
  await activate([a]);
  const asked = () => seen.clients.at(-1).options.middleware.workspace.configuration({ items: [{ section: 'toolgraph' }] });
  assert.equal(asked()[0].live, false);
  for (const name of ['run', 'debug', 'test']) await commands.registered[`toolgraph.${name}`]({ uri: a.uri.toString(), tool: 't' });
  assert.equal(seen.tasks.length, 0);
  assert.equal(seen.errors.length, 3);
  assert.equal(seen.clients.length, 1); // the user's own executable checks files
  state.trusted = true;
  await listeners.trust();
  assert.equal(seen.clients.length, 2);
  assert.deepEqual(asked(), [{ debounceMs: 20, hoverValues: undefined, inlayHints: undefined, live: true, mcp: undefined, state: undefined }]);
});
