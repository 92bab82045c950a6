import { accessible, assert, graph, press, status, submit, test, use, watched } from './lib.mjs';

const stop = (node, more = '') => `[data-stop="${node}"].set${more}`;

// A condition that is no expression is refused where it is typed, with its place; nothing is set until it is right.
test('a wrong condition is refused at its place', () => use(graph('loop'), {}, async (page) => {
  await page.focus('[data-node=add]');
  await press(page, 'c');
  await page.waitForSelector('dialog[open]');
  assert.equal(await page.locator('dialog >> text=Remove').count(), 0, 'there is no breakpoint to remove');
  await page.fill('dialog input.mono', '$.add > (1 + 2');
  await press(page, 'Enter');
  await page.waitForSelector('dialog [role=alert] >> text=( is not closed');
  assert.equal(await page.locator('dialog .caret').textContent(), '$.add > (1 + 2\n        ^');
  const input = await page.evaluate(() => { const i = document.activeElement; return { at: i.selectionStart, wrong: i.ariaInvalid, about: document.getElementById(i.getAttribute('aria-describedby')).textContent }; });
  assert.equal(input.at, 8, 'the cursor is at the error');
  assert.equal(input.wrong, 'true');
  assert.match(input.about, /not closed/);
  await accessible(page, 'a wrong condition');
  assert.equal(await page.locator(stop('add')).count(), 0, 'it is shown as set');
  await page.fill('dialog input.mono', '$.add >= 3');
  assert.equal(await page.locator('dialog [role=alert]').count(), 0, 'the message stays while the text changes');
  await press(page, 'Enter');
  await page.waitForSelector(stop('add', '.conditional'));
  await page.fill('#field-n', '5');
  await submit(page);
  await status(page, 'paused'); // once its value is 3, after two executions
  assert.equal(await page.locator('.row').count(), 7);
}));

// Two pages have the same breakpoints, also those of runs in progress, and after a reload.
test('two pages agree on breakpoints', () => use(graph('loop'), {}, async (page, url) => {
  const other = await watched(page.context(), url);
  await other.goto(new URL('/', url).href);
  await other.waitForSelector('.node');
  await page.click('[data-stop=begin] .reach', { force: true });
  await other.waitForSelector(stop('begin'));
  await other.focus('[data-node=begin]');
  await press(other, 'c');
  await other.fill('dialog input.mono', 'false');
  await press(other, 'Enter');
  await page.waitForSelector(stop('begin', '.conditional'));
  await page.click('[data-stop=add] .reach', { force: true });
  await page.fill('#field-n', '5');
  await submit(page);
  await status(page, 'paused');
  await other.waitForSelector(stop('add'));
  await other.click('[data-stop=add] .reach', { force: true });
  await page.waitForSelector(stop('add'), { state: 'detached' });
  await press(page, 'F8');
  await status(page, 'finished');
  await page.reload();
  await page.waitForSelector(stop('begin', '.conditional'));
  assert.equal(await page.locator(stop('add')).count(), 0);
  assert.deepEqual(other.wrong, []);
}));
