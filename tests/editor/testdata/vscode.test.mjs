// Uses the extension as a user does, in VS Code in a browser (code-server). vscode_browser_test.go gives ADDRESS, PROJECT,
// CHROMIUM, MODULES, BINARY and TRUSTED.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { after, test } from 'node:test';

const { chromium } = createRequire(join(process.env.MODULES, 'x.js'))('playwright-core');
const { ADDRESS, PROJECT, CHROMIUM, BINARY } = process.env;
const trusted = process.env.TRUSTED === '1';
const patience = 120_000; // a guard against hanging

const browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox'] });
after(() => browser.close());
const page = await browser.newPage({ viewport: { width: 1400, height: 900 } });
page.setDefaultTimeout(patience);
await page.goto(`${ADDRESS}/?folder=${encodeURIComponent(PROJECT)}`);

const open = (name) => page.locator('.explorer-folders-view').getByText(name, { exact: true }).dblclick();
const language = (name) => page.locator('.statusbar-item', { hasText: name }).first().waitFor();
// goTo puts the cursor at a place, both counted from 1.
async function goTo(line, column) {
  await page.keyboard.press('Control+G');
  await page.locator('.quick-input-widget input').fill(`:${line}:${column}`);
  await page.keyboard.press('Enter');
  await page.locator('.statusbar-item', { hasText: `Ln ${line}, Col ${column}` }).waitFor();
}
const runs = () => JSON.parse(execFileSync(BINARY, ['runs', 'list', '--json'], { encoding: 'utf8' }));
const shot = async (t) => {
  if (process.env.SHOTS) await page.screenshot({ path: join(process.env.SHOTS, `${t.name.replace(/\W+/g, '-')}.png`) });
};

test('a graph file is recognized and checked; another YAML file is left alone', async (t) => {
  await open('other.yaml');
  await language('YAML');
  await open('notes.yaml');
  await language('Toolgraph');
  await page.locator('.squiggly-error').first().waitFor();
  await goTo(12, 91);
  await page.keyboard.press('F8');
  await page.getByText('has no node with this id').first().waitFor();
  await shot(t);
  await page.keyboard.press('Escape');
});

test('a tool is not run in a folder that is not trusted', { skip: trusted }, async (t) => {
  await page.locator('.codelens-decoration a', { hasText: 'Run' }).first().click();
  await page.getByText('only in a workspace that you trust').first().waitFor();
  await shot(t);
  assert.equal(runs().runs?.length ?? runs().length, 0);
});

test('the finding vanishes when the file is corrected', { skip: !trusted }, async () => {
  await goTo(12, 91);
  for (let i = 0; i < 4; i++) await page.keyboard.press('Delete');
  await page.keyboard.type('exit');
  await page.keyboard.press('Escape');
  await page.locator('.squiggly-error').first().waitFor({ state: 'detached' });
});

test('ids are completed behind $.', { skip: !trusted }, async (t) => {
  await goTo(12, 58);
  await page.keyboard.press('Control+Space');
  for (const id of ['entry', 'list']) await page.locator('.suggest-widget .monaco-list-row', { hasText: id }).first().waitFor();
  await shot(t);
  await page.keyboard.press('Escape');
});

test('a hover has the type', { skip: !trusted }, async (t) => {
  await goTo(11, 98);
  await page.keyboard.press('Control+K');
  await page.keyboard.press('Control+I');
  await page.locator('.monaco-hover', { hasText: 'inputSchema of tool largest' }).first().waitFor();
  await shot(t);
  await page.keyboard.press('Escape');
});

test('a node is renamed in all files', { skip: !trusted }, async (t) => {
  await goTo(12, 60);
  await page.keyboard.press('F2');
  const input = page.locator('.rename-input');
  await input.fill('entries_of');
  await input.press('Enter');
  await page.locator('.view-lines', { hasText: '$.entries_of.entries' }).first().waitFor();
  await page.keyboard.press('Control+K');
  await page.keyboard.press('s'); // save all
  for (const [name, text] of [['notes.yaml', 'id: entries_of'], ['notes.test.yaml', 'mocks: {entries_of']]) {
    for (const end = Date.now() + patience; !readFileSync(join(PROJECT, name), 'utf8').includes(text);) {
      assert.ok(Date.now() < end, `${name} does not have ${text}`);
      await page.waitForTimeout(50);
    }
  }
  await shot(t);
});

test('the lens Run runs the tool with the arguments that the user gives', { skip: !trusted }, async (t) => {
  await page.locator('.codelens-decoration a', { hasText: 'Run' }).first().click();
  const input = page.locator('.quick-input-widget input').first();
  await input.waitFor();
  assert.equal(await input.inputValue(), '{"folder":""}');
  await input.fill('{"folder": "."}');
  await input.press('Enter');
  for (const end = Date.now() + patience; !JSON.stringify(runs()).includes('"largest"');) {
    assert.ok(Date.now() < end, 'no run was recorded');
    await page.waitForTimeout(100);
  }
  await shot(t);
});

test('nothing was reported to the user', { skip: !trusted }, async () => {
  assert.deepEqual(await page.locator('.notification-list-item-message').allInnerTexts(), []);
});
