// Drives the debugger's page in a browser: what a user does, and what must then stand
// there. Where SHOTS names a folder, views are kept there as images.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { join } from 'node:path';

const { BINARY, CHROMIUM, EXAMPLES, GRAPHS, MODULES, SHOTS, STATE } = process.env;
const { chromium } = createRequire(join(MODULES, 'x.js'))('playwright-core');

const flags = ['--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync'];
const browser = await chromium.launch({ executablePath: CHROMIUM, args: flags });

// use serves a graph file, opens its page, and ends both. Whatever the page asks of
// another machine, and every error of a script or of the policy, fails the test.
async function use(graph, view, work) {
  const ui = spawn(BINARY, ['ui', '-g', graph, '--no-open', '--state', STATE], { cwd: EXAMPLES, stdio: ['ignore', 'inherit', 'pipe'] });
  let said = '';
  ui.stderr.on('data', (data) => { said += data; });
  let url;
  for (let i = 0; i < 400 && !url; i++) {
    await new Promise((done) => setTimeout(done, 25));
    url = said.match(/http:\S+/)?.[0];
  }
  assert.ok(url, `no address: ${said}`);
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, ...view });
  const page = await context.newPage();
  const wrong = [];
  page.on('pageerror', (e) => wrong.push(e.stack));
  page.on('console', (m) => m.type() === 'error' && !m.text().includes('422') && wrong.push(m.text()));
  page.on('request', (r) => new URL(r.url()).origin !== new URL(url).origin && wrong.push(`asks for ${r.url()}`));
  page.on('dialog', (d) => wrong.push(`a dialog: ${d.message()}`));
  try {
    await page.goto(url);
    await page.waitForSelector('.node');
    assert.equal(new URL(page.url()).hash, '', 'the token stays in the address');
    await work(page, url);
    assert.deepEqual(wrong, []);
  } catch (error) {
    if (SHOTS) await page.screenshot({ path: join(SHOTS, 'failed.png') });
    throw error;
  } finally {
    await context.close();
    ui.kill();
    await once(ui, 'exit');
  }
}

const shot = async (page, name) => {
  if (!SHOTS) return;
  await page.waitForTimeout(300); // for what fades in
  await page.screenshot({ path: join(SHOTS, `ui-${name}.png`) });
};
const status = (page, word) => page.waitForSelector(`.controls .status.${word}`);
const text = (page, selector) => page.locator(selector).first().textContent();
const press = (page, ...keys) => keys.reduce((before, key) => before.then(() => page.keyboard.press(key)), Promise.resolve());
const blur = (page) => page.evaluate(() => document.activeElement.blur());

// A breakpoint in a loop, by the keyboard; steps; an edit; the right result.
await use(join(GRAPHS, 'ui-loop.yaml'), {}, async (page) => {
  await page.fill('#field-n', '4');
  await page.focus('[data-node=more]');
  await press(page, 'ArrowDown'); // to add
  await page.waitForFunction(() => document.activeElement.dataset.node === 'add');
  await press(page, 'b', 'F5');
  await status(page, 'paused');
  assert.match(await text(page, '.controls-state'), /at a breakpoint/);
  await press(page, 'F10'); // add: 1
  await page.waitForSelector('.node.current[data-node=more]');
  await press(page, 'F5');
  await page.waitForSelector('.node.current[data-node=add]');
  assert.equal(await text(page, '[data-node=more] .count'), '×2');
  await blur(page);
  await press(page, '2'); // what is watched follows the run, and the step under inspection
  for (const source of ['$.add', '$executionCount("more")', '$join([1..2000].$string($), " ")', '1 +']) {
    await page.fill('#watch-source', source);
    await press(page, 'Enter');
  }
  const watched = (i, word) => page.waitForFunction(([n, w]) => document.querySelectorAll('.watches > ul > li')[n]?.innerText.includes(w), [i, word]);
  await watched(0, '\n1');
  await watched(3, 'expected an operand');
  await page.click('.watches .linkish:has-text("more of")');
  await watched(2, '1999 2000"');
  await page.click('.watches >> [aria-label="Remove watch"] >> nth=3');
  await page.waitForFunction(() => document.querySelectorAll('.watches > ul > li').length === 3 && document.activeElement.id === 'watch-source');
  await blur(page);
  await press(page, 'k');
  await watched(1, '\n1'); // before its second time
  await press(page, 'End');
  await watched(1, '\n2');
  await page.locator('.row:has(.row-node:text-is("add"))').first().click(); // its output, 1, can be edited
  await page.click('text=Edit');
  await page.waitForFunction(() => document.querySelector('dialog textarea')?.value === '1');
  await page.fill('dialog textarea', 'oops');
  await page.click('dialog >> text=Save');
  assert.match(await text(page, 'dialog .wrong'), /expected JSON/);
  await page.fill('dialog textarea', '1001');
  await page.click('dialog >> text=Save');
  await page.waitForSelector('.row.edited');
  await page.focus('[data-node=add]');
  await press(page, 'b', 'F5');
  await status(page, 'finished');
  await page.waitForFunction(() => document.querySelector('.inspector .tree')?.innerText.includes('1010')); // 10 + 1000
});

// A kept run of 10,000 steps opens at once, and its list is only as long as what is seen.
await use(join(GRAPHS, 'ui-loop.yaml'), {}, async (page) => {
  await page.click('#run-form [type=submit]');
  await status(page, 'finished');
  await page.reload();
  await page.waitForSelector('.node');
  await page.click('text=Runs');
  await page.waitForSelector('.runs li');
  const begun = Date.now();
  await page.locator('.runs button').first().click();
  await page.waitForFunction(() => document.querySelector('.timeline-head')?.innerText.includes('10,005') && document.querySelector('.row-value:not(:empty)'));
  const took = Date.now() - begun;
  assert.ok(took < 1000, `a run of 10,005 steps took ${took} ms to open`);
  await page.evaluate(() => { document.querySelector('.timeline .virtual').scrollTop = 5000 * 30; });
  await page.waitForFunction(() => document.querySelector('#step-5003 .row-value')?.innerText);
  assert.ok(await page.locator('.row').count() < 80, 'rows that nobody sees are drawn');
  await page.locator('.slider input').fill('7000'); // time travel
  await page.waitForFunction(() => document.querySelector('.step-head')?.innerText.includes('step 7000'));
  assert.equal(await text(page, '[data-node=more] .count'), '×3500');
  console.log(`10,005 steps opened in ${took} ms`);
});

// N06: what a value holds is shown as text.
await use(join(GRAPHS, 'ui-hostile.yaml'), {}, async (page, url) => {
  await page.fill('#field-many', '99');
  await page.click('#run-form [type=submit]');
  await page.waitForSelector('#field-many-wrong');
  assert.match(await text(page, '#field-many-wrong'), /expected at most 10/);
  await page.fill('#field-many', '');
  await page.click('#run-form [type=submit]');
  await status(page, 'finished');
  for (const tab of ['2', '3', '4', '1']) {
    await blur(page);
    await press(page, tab);
    await page.waitForTimeout(200);
  }
  await page.waitForFunction(() => document.querySelector('.inspector .tree')?.innerText.includes('javascript:window.hacked=3'));
  assert.equal(await page.evaluate(() => window.hacked), undefined);
  assert.equal(await page.locator('img:not(.brand img), a[href^=javascript], script:not([src])').count(), 0);
  // Another page of the same browser gets nothing.
  const other = await page.context().newPage();
  await other.goto('about:blank');
  const got = await other.evaluate(async (base) => {
    const ask = (path, options) => fetch(base + path, { credentials: 'include', ...options }).then((a) => a.status, () => 'refused');
    return [await ask('api/project'), await ask('api/runs', { method: 'POST', mode: 'no-cors', body: '{"tool":"echo","args":{"text":"x"}}' })];
  }, new URL('/', url).href);
  assert.notEqual(got[0], 200);
  await blur(page);
  await press(page, 'r');
  assert.equal(await page.locator('.runs li').count(), 1, 'another page has started a run');
  await other.close();
});

// Parts and frames: into one, an edit there, out again; what ended is looked into; many parts.
await use(join(GRAPHS, 'ui-frames.yaml'), {}, async (page) => {
  const held = (where) => page.waitForFunction((at) => document.querySelector('.controls .status.paused') && document.querySelector(at), where);
  await page.click('[data-stop="stops[]"] .reach', { force: true });
  await page.click('#debug-button');
  await held('.node.current[data-node=entry]');
  await press(page, 'F10');
  await held('.node.current[data-node=sides]');
  await press(page, 'F11');
  await held('[data-branch="sides.left"].current');
  await press(page, 'Shift+F11'); // out of the parts, to the breakpoint at the first of the next
  await held('.node.current[data-node=stops]');
  if (!(await page.locator('.step-head').innerText()).includes('item 0')) await press(page, 'F5');
  await page.waitForFunction(() => document.querySelector('.step-head')?.innerText.includes('item 0'));
  await press(page, 'F11');
  await held('.trail');
  await press(page, 'F10');
  await held('.node.current[data-node=twice]');
  await page.locator('.row').first().click();
  await page.click('.inspector >> text=Edit');
  await page.waitForFunction(() => document.querySelector('dialog textarea')?.value.includes('"n": 1'));
  await page.fill('dialog textarea', '{"n": 50}');
  await page.click('dialog >> text=Save');
  await page.waitForSelector('.row.edited');
  await shot(page, 'frame');
  await press(page, 'F5');
  await page.waitForFunction(() => document.querySelector('.step-head')?.innerText.includes('item 1'));
  await page.locator('.row.begun .unfold').click();
  await page.waitForFunction(() => document.querySelector('.row.part .row-value')?.innerText === '100');
  await page.locator('.row.part .row-into').first().click(); // into a frame that has ended
  await page.waitForSelector('.trail >> text=item 0');
  await blur(page);
  await press(page, 'o');
  await page.waitForFunction(() => !document.querySelector('.trail'));
  await page.click('[data-stop="stops[]"] .reach', { force: true });
  await press(page, 'F5');
  await status(page, 'finished');
  await page.waitForSelector('.row.part .tag.warn >> text=error handled');
  await page.fill('#field-n', '10000');
  await page.click('#run-form [type=submit]');
  await status(page, 'finished');
  await page.locator('.unfold', { hasText: '10,000 parts' }).click();
  await page.waitForSelector('.row.part .row-value:not(:empty)');
  await page.evaluate(() => { document.querySelector('.timeline .virtual').scrollTop = 5000 * 30; });
  await page.waitForFunction(() => document.querySelector('#step-5003 .row-value')?.innerText);
  assert.ok(await page.locator('.row').count() < 80, 'parts that nobody sees are drawn');
});

// Questions of runs: one at a time is shown, what was typed into another is kept; a form is filled in,
// a call confirmed, a question declined. What a question says is text.
await use(join(GRAPHS, 'ui-ask.yaml'), {}, async (page) => {
  const shown = '.question:not([hidden])';
  await page.click('#run-form [type=submit]');
  await status(page, 'waiting');
  await page.waitForSelector('.node.ask.current.running');
  assert.match(await text(page, `${shown} h2`), /The tool tidy asks/);
  assert.equal(await text(page, `${shown} .question-text`), 'Remove <img src=x onerror=alert(1)>?');
  await page.click(`${shown} [type=submit]`);
  await page.waitForSelector(`${shown} .wrong >> text=required`);
  await page.fill(`${shown} input`, 'spring');
  await page.click('#run-form [type=submit]'); // another run, which asks too
  await page.click(`${shown} >> text=1 of 2, next`);
  await page.click(`${shown} >> text=Decline`);
  await status(page, 'finished');
  await page.waitForFunction((at) => document.querySelector(`${at} input`)?.value === 'spring', shown);
  await page.click(`${shown} >> text=Show the run`);
  await status(page, 'waiting');
  await page.selectOption(`${shown} select`, 'true');
  await page.click(`${shown} [type=submit]`);
  await page.waitForSelector(`${shown} h2 >> text=Allow the call of files.list_directory?`);
  assert.match(await text(page, `${shown} .tag`), /effect: destroy/);
  await page.click(`${shown} [type=submit]`);
  await status(page, 'finished');
  await page.waitForSelector('.row .tag >> text=confirmed');
  assert.equal(await page.locator('.question').count(), 0);
});

// 300 nodes: drawn, found, moved.
await use(join(GRAPHS, 'ui-wide.yaml'), {}, async (page) => {
  assert.equal(await page.locator('.canvas .node').count(), 300);
  await press(page, '/');
  await page.keyboard.type('step_250');
  await press(page, 'Enter');
  await page.waitForFunction(() => document.activeElement.dataset?.node === 'step_250');
  const box = await page.locator('[data-node=step_250]').boundingBox();
  assert.ok(box.x > 300 && box.x < 1000 && box.y > 40 && box.y < 600, `the node is at ${JSON.stringify(box)}`);
});

// The views of the documentation.
const example = join(EXAMPLES, '03-collect-todos.yaml');
const begin = async (page) => {
  await page.fill('#field-directory', 'data/notes');
  await page.fill('#field-pattern', '*.md');
};
await use(example, {}, async (page) => {
  await begin(page);
  await page.focus('[data-node=read]');
  await press(page, 'b');
  await page.click('#debug-button');
  await status(page, 'paused');
  for (let i = 0; i < 3; i++) {
    await press(page, 'F5');
    await page.waitForFunction((n) => document.querySelector('.timeline-head')?.innerText.includes(`${3 + 2 * n} steps`), i);
    await page.waitForSelector('.node.current[data-node=read]');
  }
  await page.waitForSelector('.inspector .tree');
  await shot(page, 'paused');
  await press(page, 'F5');
  await status(page, 'finished');
  await page.locator('.row:has(.row-node:text-is("gather"))').click();
  await blur(page);
  await press(page, '3');
  await page.fill('#try-source', '$.find.entries[size > 60].{"name": name, "kB": size / 1000}');
  await page.waitForFunction(() => document.querySelector('.answer .tree')?.innerText.includes('kB'));
  await page.locator('.answer [role=treeitem]').first().click();
  await shot(page, 'try');
  await page.fill('#field-word', 'the');
  await page.click('#run-form [type=submit]');
  await status(page, 'paused'); // the breakpoint is still there
  await page.focus('[data-node=read]');
  await press(page, 'b', 'F5');
  await status(page, 'finished');
  await blur(page);
  await press(page, 'r');
  for (const i of [1, 0]) await page.locator('.runs input').nth(i).check();
  await page.click('text=Compare');
  await page.waitForSelector('.changes');
  await shot(page, 'compare');
});
await use(example, { colorScheme: 'dark' }, async (page) => {
  await begin(page);
  await page.click('#run-form [type=submit]');
  await status(page, 'finished');
  await page.locator('.slider input').fill('6');
  await blur(page);
  await press(page, '4');
  await page.waitForSelector('.line.on');
  const ground = await page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  assert.equal(ground, 'rgb(15, 18, 22)', 'the page is not dark');
  await shot(page, 'dark');
});
// Between wide and narrow: no pane covers another, and what is drawn stands beside them.
await use(example, { viewport: { width: 1024, height: 700 } }, async (page) => {
  await begin(page);
  await page.click('#run-form [type=submit]');
  await status(page, 'finished');
  const edges = await page.evaluate(() => ['.side', '.graph', '.timeline', '.inspector'].map((name) => document.querySelector(name).getBoundingClientRect()).map((box) => [box.left, box.right]));
  assert.deepEqual(edges, [[0, 240], [240, 704], [240, 704], [704, 1024]]);
});
await use(example, { viewport: { width: 360, height: 740 } }, async (page) => {
  await page.click('.panebar >> text=Tools');
  await begin(page);
  await page.click('#run-form [type=submit]');
  await status(page, 'finished');
  for (const name of ['Graph', 'Steps', 'Inspect']) {
    await page.click(`.panebar >> text=${name}`);
    const wide = await page.evaluate(() => document.documentElement.scrollWidth);
    assert.equal(wide, 360, `${name} is ${wide} pixels wide`);
  }
  await page.click('.panebar >> text=Graph');
  await shot(page, 'narrow');
});
await browser.close();
