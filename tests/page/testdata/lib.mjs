// What the tests of the page share: the program, a browser, and the questions that tests ask a page.
// The environment is that of page_test.go. Where SHOTS names a directory, views are stored there as images.
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { after, test } from 'node:test';

export { assert, test };
export const { BINARY, EXAMPLES, GRAPHS, SHOTS, STATE } = process.env;
const { CHROMIUM, MODULES } = process.env;
const require = createRequire(join(MODULES, 'x.js'));
const { chromium } = require('playwright-core');

const flags = ['--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync'];
export const browser = await chromium.launch({ executablePath: CHROMIUM, args: flags });
after(() => browser.close());

export const graph = (name) => join(GRAPHS, `${name}.yaml`);
export const example = (name) => join(EXAMPLES, `${name}.yaml`);
export const newState = () => mkdtempSync(join(STATE, 'state-'));

// toolgraph runs the program to its end and returns what it printed. A failure is an error unless ok is false.
export function toolgraph(args, { state = STATE, ok = true, ...more } = {}) {
  try {
    return execFileSync(BINARY, args, { cwd: EXAMPLES, encoding: 'utf8', env: { ...process.env, TOOLGRAPH_STATE: state }, stdio: ['ignore', 'pipe', 'pipe'], ...more });
  } catch (error) {
    if (ok) throw new Error(`${args.join(' ')}: ${error.stderr}`);
    return error.stdout;
  }
}

// serve starts `toolgraph ui` for a graph file and returns { url, stop, log }.
export async function serve(file, { state = STATE, args = [] } = {}) {
  const ui = spawn(BINARY, ['ui', '-g', file, '--no-open', '--state', state, ...args], { cwd: EXAMPLES, stdio: ['ignore', 'inherit', 'pipe'] });
  let said = '';
  ui.stderr.on('data', (data) => { said += data; });
  let url;
  for (let i = 0; i < 2400 && !url && ui.exitCode === null; i++) {
    await new Promise((done) => setTimeout(done, 25));
    url = said.match(/http:\S+/)?.[0];
  }
  assert.ok(url, `no address: ${said}`);
  const stop = async () => {
    if (ui.exitCode !== null) return;
    ui.kill();
    await once(ui, 'exit');
  };
  return { url, stop, log: () => said };
}

// watched opens a page whose faults are collected: errors of scripts and of the policy, requests to other
// machines, dialogs of the browser. expected are parts of texts that a test provokes.
export async function watched(context, url, expected = []) {
  const page = await context.newPage();
  const wrong = [];
  const note = (text) => expected.some((part) => text.includes(part)) || wrong.push(text);
  page.on('pageerror', (e) => note(e.stack));
  page.on('console', (m) => m.type() === 'error' && !m.text().includes('422') && note(m.text()));
  page.on('request', (r) => /^https?:/.test(r.url()) && new URL(r.url()).origin !== new URL(url).origin && note(`asks for ${r.url()}`));
  page.on('dialog', (d) => note(`a dialog: ${d.message()}`));
  page.wrong = wrong;
  return page;
}

// use serves a graph file, opens its page, and ends both. view is for the browser's context (viewport,
// colorScheme), but { state, args, expected } of it are for the program and the faults that are expected.
export async function use(file, view, work) {
  const { state, args, expected, ...more } = view;
  const ui = await serve(file, { state, args });
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, ...more });
  context.setDefaultTimeout(Number(process.env.GUARD ?? 60_000)); // a guard against hanging
  const page = await watched(context, ui.url, expected);
  try {
    await page.goto(ui.url);
    await page.waitForSelector('.node');
    assert.ok(!page.url().includes('token'), 'the token stays in the address');
    await work(page, ui.url, ui);
    assert.deepEqual(page.wrong, []);
  } catch (error) {
    if (SHOTS) await page.screenshot({ path: join(SHOTS, 'failed.png') }).catch(() => {});
    throw error;
  } finally {
    await context.close();
    await ui.stop();
  }
}

export { still as shot } from './pictures.mjs';
export const status = (page, word) => page.waitForSelector(`.controls .status.${word}`);
export const text = (page, selector) => page.locator(selector).first().textContent();
export const press = async (page, ...keys) => {
  for (const key of keys) await page.keyboard.press(key);
};
export const blur = (page) => page.evaluate(() => document.activeElement.blur());
export const submit = (page) => page.click('#run-form [type=submit]');

// accessible fails when axe finds a violation of WCAG 2.2 AA in the page as it is, or in a part of it.
const axe = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');
export async function accessible(page, where = '', within = 'html') {
  await page.evaluate(axe);
  const { violations } = await page.evaluate(async (part) => { // of the whole page: axe fails on a part that has a shadow root
    const { violations: all } = await globalThis.axe.run(document, { runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'] });
    const inside = ({ target }) => document.querySelector([target[0]].flat()[0])?.closest(part);
    return { violations: all.map((v) => ({ ...v, nodes: v.nodes.filter(inside) })).filter((v) => v.nodes.length) };
  }, within);
  const found = violations.map((v) => `${v.id}: ${v.help}\n${v.nodes.slice(0, 4).map((n) => `    ${n.target.join(' ')}: ${n.failureSummary.replace(/\s+/g, ' ')}`).join('\n')}`);
  assert.deepEqual(found, [], `axe${where && ` (${where})`}`);
}
