// The main tasks by the keyboard alone: the mouse is never used, and each thing is reached with Tab or a key of the help.
import { assert, blur, graph, newState, press, status, test, text, use } from './lib.mjs';

const focused = (page) => page.evaluate(() => {
  const e = document.activeElement;
  return `${e.tagName.toLowerCase()} ${e.getAttribute('aria-label') ?? ''} ${e.labels?.[0]?.innerText ?? ''} ${e.textContent.slice(0, 60)}`.replace(/\s+/g, ' ');
});

// reach presses Tab until what has the focus matches, and fails when that is not reached.
async function reach(page, what, key = 'Tab') {
  const seen = [];
  for (let i = 0; i < 120; i++) {
    await press(page, key);
    seen.push(await focused(page));
    if (what.test(seen.at(-1))) {
      const visible = await page.evaluate(() => {
        const e = document.activeElement;
        const drawn = [e, ...e.children].some((part) => getComputedStyle(part).outlineStyle !== 'none' || getComputedStyle(part).boxShadow !== 'none');
        const box = e.getBoundingClientRect();
        return box.width > 0 && (drawn || e.matches('g'));
      });
      assert.ok(visible, `the focus is not visible on ${seen.at(-1)}`);
      return;
    }
  }
  assert.fail(`${what} is not reached by ${key}: ${seen.join(' | ')}`);
}

test('run, step, read a value, edit and continue', () => use(graph('orders'), { state: newState() }, async (page) => {
  await reach(page, /customer/);
  await page.keyboard.type('loop');
  await reach(page, /amount/);
  await page.keyboard.type('200');
  await press(page, 'ControlOrMeta+Enter');
  await status(page, 'finished');
  await blur(page);
  await press(page, '/');
  await page.keyboard.type('approve');
  await press(page, 'Enter');
  await page.waitForFunction(() => document.activeElement.dataset?.node === 'approve');
  await press(page, 'b', 'ControlOrMeta+Shift+Enter');
  await status(page, 'paused');
  await press(page, 'F8');
  await page.waitForSelector('.node.current[data-node=approve]');
  await blur(page);
  await press(page, 'k'); // the step before: the switch
  await page.waitForFunction(() => /taken/i.test(document.querySelector('.inspector').innerText));
  await press(page, 'k'); // the one before: its output can be edited
  await page.waitForFunction(() => document.querySelector('.step-head')?.innerText.includes('price'));
  await reach(page, /^li .*(limit|total)/);
  await press(page, 'ArrowDown');
  await reach(page, /^button .*Edit/, 'Shift+Tab');
  await press(page, 'Enter');
  await page.waitForFunction(() => document.querySelector('dialog textarea')?.value.includes('240'));
  await press(page, 'ControlOrMeta+a');
  await page.keyboard.type('{"total": 1, "limit": 100}');
  await press(page, 'ControlOrMeta+Enter');
  await page.waitForSelector('.row.edited');
  await press(page, 'F8');
  await status(page, 'finished');
}));

test('find runs, compare two, and look at one', () => use(graph('orders'), { state: newState() }, async (page) => {
  for (const amount of ['20', '200']) {
    await blur(page);
    await page.focus('#field-amount');
    await press(page, 'ControlOrMeta+a');
    await page.keyboard.type(amount);
    await page.focus('#field-customer');
    await press(page, 'ControlOrMeta+a');
    await page.keyboard.type('loop');
    await press(page, 'ControlOrMeta+Enter');
    await page.waitForFunction((total) => document.querySelector('.controls .status.finished') && document.querySelector('.inspector')?.innerText.includes(total), amount);
  }
  await blur(page);
  await press(page, 'r');
  await page.waitForSelector('.runs li:nth-child(2)');
  for (let i = 0; i < 2; i++) {
    await reach(page, /^input compare run/);
    await press(page, ' ');
  }
  await page.waitForFunction(() => document.querySelector('.compared')?.innerText.includes('240'));
  await reach(page, /^button .*Close/);
  await press(page, 'Enter');
  await page.waitForFunction(() => !document.querySelector('.compared'));
  await reach(page, /text in id/, 'Shift+Tab');
  await page.keyboard.type('"amount":20}');
  await page.waitForFunction(() => document.querySelectorAll('.runs li').length === 1);
  await reach(page, /^button .*place_order/);
  await press(page, 'Enter');
  await page.waitForFunction(() => document.querySelector('.inspector')?.innerText.includes('20'));
}));

test('answer a question', () => use(graph('ask'), { state: newState() }, async (page) => {
  await press(page, 'ControlOrMeta+Enter');
  await status(page, 'waiting');
  const shown = '.question:not([hidden])';
  await page.waitForSelector(shown);
  for (let i = 0; i < 60 && !await page.evaluate((at) => document.activeElement.matches(`${at} input`), shown); i++) await press(page, 'Tab');
  await page.keyboard.type('spring');
  for (let i = 0; i < 60 && !await page.evaluate((at) => document.activeElement.matches(`${at} select`), shown); i++) await press(page, 'Tab');
  await page.keyboard.type('t'); // true
  await press(page, 'ControlOrMeta+Enter');
  await page.waitForSelector(`${shown} h2 >> text=Allow the call`);
  await press(page, 'q', 'Enter'); // this is no decision
  await page.waitForFunction((at) => document.activeElement.matches(`${at} h2`), shown);
  await press(page, 'ControlOrMeta+Enter'); // nor is this
  assert.match(await text(page, `${shown} .question-meaning`), /nothing is called/);
  await reach(page, /^button .*Allow/);
  await press(page, 'Enter');
  await page.waitForFunction(() => !document.querySelector('.question'));
}));
