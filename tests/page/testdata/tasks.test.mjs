// The five tasks of docs/ui.md, by mouse and keyboard, counted: a click is a step, a key or a chord is one, and so is
// a text that is typed. Each begins on the page as it opens.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { assert, graph, newState, status, STATE, test, toolgraph, use } from './lib.mjs';

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

// task is a test of a task in so many steps.
const task = (name, most, work) => test(name, () => use(file, { state: history() }, async (page) => {
  let steps = 0;
  const user = {
    click: (at) => { steps++; return page.locator(at).first().click(); },
    choose: (at, value) => { steps++; return page.selectOption(at, value); },
    press: (key) => { steps++; return page.keyboard.press(key); },
    type: (text) => { steps++; return page.keyboard.type(text); },
  };
  await work(user, page);
  console.log(`${name}: ${steps} steps`);
  assert.equal(steps, most, 'the table of docs/ui.md has another number');
}));

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
