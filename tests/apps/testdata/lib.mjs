// What the tests of views share: the program, an MCP client for it, the host's page in a browser.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath, pathToFileURL } from 'node:url';

export { assert, test };
const { BINARY, CHROMIUM, GRAPHS, MODULES, SHOTS, STATE } = process.env;
const require = createRequire(join(MODULES, 'x.js'));
const { chromium } = require('playwright-core');
const esbuild = require('esbuild');
const { Client } = await import(pathToFileURL(join(MODULES, '@modelcontextprotocol/client/dist/index.mjs')));
const { StdioClientTransport } = await import(pathToFileURL(join(MODULES, '@modelcontextprotocol/client/dist/stdio.mjs')));
const here = dirname(fileURLToPath(import.meta.url));

export const MIME = 'text/html;profile=mcp-app';
const UI = { extensions: { 'io.modelcontextprotocol/ui': { mimeTypes: [MIME] } } };
export const graph = (name) => join(GRAPHS, `${name}.yaml`);

const browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--headless', '--no-sandbox', '--disable-gpu', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync'] });
after(() => browser.close());

// The policy that the extension prescribes for a view that declares no domains; its frame has an origin of its own, and no storage.
const POLICY = "default-src 'none'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; media-src 'self' data:; connect-src 'none'; frame-src 'none'; object-src 'none'; base-uri 'self'";
const proxy = `<!doctype html><title>sandbox</title><style>html, body, iframe { margin: 0; border: 0; width: 100%; height: 100%; display: block }</style><script>
let inner;
addEventListener('message', ({ source, data }) => {
  if (source === parent && data.method === 'ui/notifications/sandbox-resource-ready') {
    inner = document.createElement('iframe');
    inner.title = 'view';
    inner.setAttribute('sandbox', 'allow-scripts');
    inner.srcdoc = data.params.html.replace('<head>', ${JSON.stringify(`<head><meta http-equiv="Content-Security-Policy" content="${POLICY}">`)});
    document.body.append(inner);
  } else if (source === parent) inner?.contentWindow.postMessage(data, '*');
  else if (source === inner?.contentWindow) parent.postMessage(data, '*');
});
parent.postMessage({ jsonrpc: '2.0', method: 'ui/notifications/sandbox-proxy-ready', params: {} }, '*');
</script>`;

const bundle = (await esbuild.build({
  entryPoints: [join(here, 'host.mjs')], bundle: true, format: 'esm', write: false, logLevel: 'error', nodePaths: [MODULES], platform: 'browser',
})).outputFiles[0].text;
const page = '<!doctype html><html lang="en"><title>host</title><style>body { margin: 0 } iframe { width: 100%; border: 0; display: block }</style><main></main><script type="module" src="/host.js"></script></html>';

// site serves a text for each path and returns its address.
async function site(texts) {
  const server = createServer((request, response) => {
    const [type, body] = texts[request.url] ?? ['text/plain', ''];
    response.writeHead(texts[request.url] ? 200 : 404, { 'Content-Type': type });
    response.end(body);
  });
  await new Promise((done) => { server.listen(0, '127.0.0.1', done); });
  after(() => server.close());
  return `http://127.0.0.1:${server.address().port}/`;
}
const host = await site({ '/': ['text/html', page], '/host.js': ['text/javascript', bundle], '/favicon.ico': ['image/x-icon', ''] });
const sandbox = await site({ '/': ['text/html', proxy] });

// connect starts the program for a graph file and returns a client of it. modern: of protocol 2026-07-28. answer answers
// questions.
export async function connect(file, { args = [], modern = false, capabilities = UI, answer } = {}) {
  const can = { ...capabilities, ...(answer ? { elicitation: { form: {} } } : {}) };
  const client = new Client({ name: 'tests', version: '1.0.0' }, { capabilities: can, versionNegotiation: { mode: modern ? { pin: '2026-07-28' } : 'legacy' } });
  if (answer) client.setRequestHandler('elicitation/create', async ({ params }) => answer(params));
  await client.connect(new StdioClientTransport({ command: BINARY, args: ['serve', '-g', file, ...args], cwd: GRAPHS, env: { ...process.env, TOOLGRAPH_STATE: STATE }, stderr: 'inherit' }));
  after(() => client.close());
  return client;
}

// view reads the view of a tool from the server.
export async function viewOf(client, name) {
  const { tools } = await client.listTools();
  const tool = tools.find((t) => t.name === name);
  const uri = tool._meta.ui.resourceUri;
  const { contents: [content] } = await client.readResource({ uri });
  assert.equal(content.mimeType, MIME);
  return { tool, html: content.text };
}

// shows opens a view in a host and calls work with its frame and the host's page. What goes wrong in scripts, by the policy or
// by requests elsewhere fails the test.
export async function shows({ client, tool, html, input, result, theme = 'light', width = 720, context = {}, can = { serverTools: {} }, name }, work) {
  const window = await browser.newContext({ viewport: { width, height: 900 } });
  window.setDefaultTimeout(Number(process.env.GUARD ?? 60_000)); // a guard against hanging
  const outer = await window.newPage();
  const wrong = [];
  outer.on('pageerror', (e) => wrong.push(e.stack));
  outer.on('console', (m) => ['error', 'warning'].includes(m.type()) && wrong.push(m.text()));
  outer.on('request', (r) => !r.url().startsWith(host) && !r.url().startsWith(sandbox) && !/^(about|data|blob):/.test(r.url()) && wrong.push(`asks for ${r.url()}`));
  outer.on('dialog', (d) => wrong.push(`a dialog: ${d.message()}`));
  const calls = [];
  await outer.exposeFunction('serverCalls', async (params) => {
    calls.push(params);
    return client.callTool(params);
  });
  try {
    await outer.goto(host);
    await outer.waitForFunction(() => globalThis.show);
    const opened = outer.evaluate((of) => globalThis.show(of), { html, sandbox, can, input, result, context: { theme, toolInfo: { tool }, displayMode: 'inline', ...context } });
    await Promise.race([opened, new Promise((_, no) => { setTimeout(() => no(new Error('the view has not begun')), Number(process.env.GUARD ?? 60_000)).unref(); })]);
    const frame = await (await outer.frames().find((f) => f.url() === sandbox).waitForSelector('iframe')).contentFrame();
    await work(frame, outer, calls);
    if (SHOTS && name) {
      await outer.waitForTimeout(300);
      await outer.screenshot({ path: join(SHOTS, `${name}.png`), fullPage: true });
    }
    assert.deepEqual(wrong, []);
  } catch (error) {
    if (SHOTS) await outer.screenshot({ path: join(SHOTS, 'failed.png'), fullPage: true }).catch(() => {});
    if (wrong.length) error.message += `\n${wrong.join('\n')}`;
    throw error;
  } finally {
    await window.close();
  }
}

// accessible fails when axe finds a violation of WCAG 2.2 AA in a frame.
const axe = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');
export async function accessible(frame, where) {
  await frame.evaluate(axe);
  const { violations } = await frame.evaluate(() => globalThis.axe.run(document, { runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'] }));
  const found = violations.map((v) => `${v.id}: ${v.help}\n${v.nodes.slice(0, 4).map((n) => `    ${n.target.join(' ')}: ${n.failureSummary.replace(/\s+/g, ' ')}`).join('\n')}`);
  assert.deepEqual(found, [], `axe (${where})`);
}
