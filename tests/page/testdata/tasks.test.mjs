// The tasks of docs/ui.md, by mouse and keyboard, counted: a click is a step, a key or a chord is one, and so is
// a text that is typed. Each begins on the page as it opens.
import { spawn } from 'node:child_process';
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { assert, BINARY, graph, newState, status, STATE, test, toolgraph, use } from './lib.mjs';

const file = graph('orders');

// history records runs of today, the last of which fails, and one of yesterday.
function history() {
  const state = newState();
  const run = (customer, amount) => toolgraph(['run', file, 'place_order', `customer=${customer}`, `amount=${amount}`], { state, ok: false });
  run('frames', 20);
  const old = JSON.parse(toolgraph(['runs', 'export', 'last', '--state', state], { state }));
  const day = 24 * 3600e3;
  const before = JSON.parse(JSON.stringify(old).replaceAll(old.run.id, 'YESTERDAYSRUN').replaceAll('"frames', '"birch').replace(/"(\d{4}-\d\d-\d\dT[^"]+)"/g, (_, time) => `"${new Date(Date.parse(time) - day).toISOString()}"`));
  const path = join(STATE, 'yesterday.json');
  writeFileSync(path, JSON.stringify(before));
  toolgraph(['runs', 'import', path, '--state', state], { state });
  run('loop', 20);
  run('loop', 200);
  run('absent', 90);
  return state;
}

// task is a test of a task in so many steps, on the page of a file with some runs.
const task = (name, most, work, { of = file, state = history(), ...view } = {}) => test(name, () => use(of, { state, ...view }, async (page) => {
  let steps = 0;
  const user = {
    click: (at) => { steps++; return page.locator(at).first().click(); },
    press: (key) => { steps++; return page.keyboard.press(key); },
    type: (text) => { steps++; return page.keyboard.type(text); },
  };
  await work(user, page);
  console.log(`${name}: ${steps} steps`);
  assert.equal(steps, most, 'the table of docs/ui.md has another number');
}));
const inspector = (page, ...texts) => page.waitForFunction((all) => {
  const shown = document.querySelector('.inspector')?.innerText ?? '';
  return all.every((text) => shown.includes(text));
}, texts);

task('run a tool with arguments', 5, async (user, page) => {
  await user.click('#field-customer');
  await user.type('loop');
  await user.press('Tab');
  await user.type('20');
  await user.press('ControlOrMeta+Enter');
  await status(page, 'finished');
  await inspector(page, 'loop');
});

task('find the failing step of the last run and its input', 2, async (user, page) => {
  await user.press('r');
  await page.waitForSelector('.runs li');
  await user.click('.runs li button');
  await page.waitForFunction(() => {
    const shown = document.querySelector('.inspector')?.innerText ?? '';
    return shown.includes('absent.yaml') && shown.includes('does not exist') && document.querySelector('.step-head')?.innerText.includes('read');
  });
});

task('see why a switch went left', 3, async (user, page) => {
  await user.press('r');
  await user.click('.runs li button');
  await page.waitForSelector('.node.ran[data-node=large]');
  await user.click('[data-node=large]');
  await page.waitForFunction(() => {
    const shown = document.querySelector('.inspector').innerText;
    return shown.includes('108') && shown.includes('100') && /taken/i.test(shown); // 90 * 1.2 > 100
  });
});

task('change a value and go on', 5, async (user, page) => {
  await user.press('r');
  await user.click('.runs li button');
  await page.waitForSelector('.step-head');
  await user.press('a'); // run again from this step, with the value that it reads at hand
  await page.waitForFunction(() => { const field = document.activeElement; return field?.tagName === 'TEXTAREA' && field.value.includes('absent') && field.selectionEnd === field.value.length; });
  await user.type('{"customer": "loop", "amount": 90}');
  await user.press('ControlOrMeta+Enter');
  await status(page, 'finished');
});

task('compare two runs', 3, async (user, page) => {
  await user.press('r');
  await page.waitForSelector('.runs li:nth-child(3)');
  await user.click('.runs li:nth-child(2) input');
  await user.click('.runs li:nth-child(3) input');
  await page.waitForFunction(() => document.querySelector('.compared')?.innerText.includes('240'));
});

task('find a run of yesterday by an argument', 4, async (user, page) => {
  await user.press('r');
  await user.click('.side >> text=Yesterday');
  await user.click('.filters input');
  await user.type('birch');
  await page.waitForFunction(() => document.querySelectorAll('.runs li').length === 1 && document.querySelector('.runs li').innerText.includes('birch'));
});

// recorded runs a tool and gives the state that has its run.
function recorded(name, ...args) {
  const state = newState();
  toolgraph(['run', graph(name), ...args], { state, ok: false });
  return state;
}

task('find the item that failed, one of 10,000, and its arguments', 4, async (user, page) => {
  await user.press('r');
  await user.click('.runs li button');
  await page.waitForSelector('.row');
  await user.click('.chip >> text="failed"');
  await page.waitForFunction(() => document.querySelectorAll('.timeline .row').length === 2);
  await user.click('.timeline .row >> nth=1');
  await inspector(page, 'no stop here');
}, { of: graph('frames'), state: recorded('frames', 'trip', 'n=10000') });

task('stop inside a called tool when a condition holds', 6, async (user, page) => {
  await user.click('[data-node=stops] .into');
  await page.waitForSelector('[data-node=twice]');
  await user.click('[data-node=twice]');
  await user.press('c');
  await page.waitForSelector('dialog[open]');
  await user.type('$.entry.n = 3');
  await user.press('Enter');
  await page.waitForSelector('dialog[open]', { state: 'detached' });
  await user.press('ControlOrMeta+Enter');
  await status(page, 'paused');
  await page.waitForSelector('.node.current[data-node=twice]');
}, { of: graph('frames') });

const copy = join(STATE, 'edited.yaml');
copyFileSync(file, copy);
task('edit the line of a node, and save', 5, async (user, page) => {
  await user.click('[data-node=exit]');
  await user.press('l');
  await page.waitForFunction(() => document.activeElement?.matches('.editor-host[data-ready]'));
  await user.press('End');
  await user.type(' # net');
  await user.press('ControlOrMeta+s');
  for (let i = 0; i < 400 && !/id: exit.*# net/.test(readFileSync(copy, 'utf8')); i++) await page.waitForTimeout(25);
  assert.match(readFileSync(copy, 'utf8'), /id: exit.*# net/);
}, { of: copy, args: ['--allow-write'] });

task('hand on a link to the failing step of the last run', 3, async (user, page) => {
  await user.press('r');
  await user.click('.runs li button');
  await page.waitForSelector('.step-head');
  await user.press('l');
  await page.waitForSelector('.notice >> text=link copied');
}, { permissions: ['clipboard-read', 'clipboard-write'] });

task('run, and answer the question', 4, async (user, page) => {
  await user.press('ControlOrMeta+Enter');
  await page.waitForSelector('.question:not([hidden]) form');
  await user.press('q');
  await user.press('ArrowDown');
  await user.press('ControlOrMeta+Enter');
  await page.waitForFunction(() => /list/.test(document.querySelector('.question:not([hidden])')?.innerText)); // the call that it leads to
}, { of: graph('ask') });

const live = newState();
task('follow a run of another process, and stop it', 3, async (user, page) => {
  const run = spawn(BINARY, ['run', graph('live'), 'slow', '--state', live], { stdio: ['ignore', 'ignore', 'ignore'] });
  try {
    await user.press('r');
    await page.waitForSelector('.runs li .status.running');
    await user.click('.runs li button');
    await page.waitForSelector('.row.begun .spinner');
    await user.press('Shift+F8');
    await status(page, 'cancelled');
  } finally {
    run.kill('SIGKILL');
  }
}, { of: graph('live'), state: live });

task('find one of 60,000 items in a value of 5 MB', 6, async (user, page) => {
  await user.press('r');
  await user.click('.runs li button');
  await user.click('.timeline .row:has-text("data")');
  await inspector(page, 'Output');
  await user.click('.inspector [aria-label^="Search"]');
  await user.type('item 43210');
  await user.press('Enter');
  await inspector(page, 'item 43210');
}, { of: graph('values'), state: recorded('values', 'values', 'items=60000') });
