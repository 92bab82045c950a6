import { assert, blur, graph, press, status, submit, test, text, use } from './lib.mjs';
import { entry, exit, file, set } from './graphs.mjs';

const name = (page, id) => page.locator(`[data-node=${id}]`).getAttribute('aria-label');
const badges = (page, id) => page.locator(`[data-node=${id}] .at`).evaluateAll((all) => all.map((el) => el.getAttribute('class').split(' ')[0]));

const caught = () => file('caught', {
  caught: [entry('work'), '{id: work, type: graph, tool: inner, args: {n: {expr: $.entry.n}}, onError: {next: mend}, next: exit}', set('mend', 'bad'), set('bad', 'exit', '$.entry.n > 5 ? $error("too much") : 1'), exit],
  inner: [entry('fail'), set('fail', 'exit', '$error("no")'), exit],
});

test('a handled error, a failure and the way between them each have a sign and words of their own', () => use(caught(), {}, async (page) => {
  await submit(page);
  await status(page, 'error');
  await page.waitForSelector('.node.failed');
  assert.deepEqual(await badges(page, 'work'), ['badge-caught']);
  assert.deepEqual(await badges(page, 'bad'), ['badge-failed']);
  assert.deepEqual(await badges(page, 'mend'), []);
  assert.match(await name(page, 'work'), /an error was handled/);
  assert.match(await name(page, 'bad'), /failed/);
  assert.match(await name(page, 'exit'), /, not run/);
  const dashes = (id) => page.evaluate((of) => getComputedStyle(document.querySelector(`[data-node=${of}] .body`)).strokeDasharray, id);
  assert.notEqual(await dashes('exit'), 'none');
  assert.equal(await dashes('mend'), 'none');
  const taken = await page.locator('.edge.error.taken > path').evaluate((el) => parseFloat(getComputedStyle(el).strokeWidth));
  const not = await page.locator('.edge.next:not(.taken) > path').first().evaluate((el) => parseFloat(getComputedStyle(el).strokeWidth));
  assert.ok(taken > not * 1.3, 'the way taken differs by its colour alone');
  await blur(page);
  for (let i = 0; i < 9; i++) await press(page, '-'); // the signs stay from far away
  assert.deepEqual(await badges(page, 'bad'), ['badge-failed']);
}));

test('a paused run, a breakpoint, counts and an edited output are seen at the nodes', () => use(graph('loop'), {}, async (page) => {
  await page.fill('#field-n', '3');
  await page.focus('[data-node=more]');
  await press(page, 'ArrowDown');
  await page.waitForFunction(() => document.activeElement.dataset.node === 'add');
  await press(page, 'b', 'Control+Enter');
  await status(page, 'paused');
  await page.waitForSelector('.node.current[data-node=add] .halo');
  assert.deepEqual(await badges(page, 'add'), ['badge-stands']);
  assert.match(await name(page, 'add'), /current, the run waits here, breakpoint/);
  await press(page, 'F8');
  await page.waitForFunction(() => document.querySelector('[data-node=more] .count')?.textContent === '×2');
  assert.match(await name(page, 'more'), /ran 2 times/);
  await page.locator('.row:has(.row-node:text-is("add"))').first().click();
  await page.click('.inspector >> text=Edit');
  await page.waitForFunction(() => document.querySelector('dialog textarea')?.value === '1');
  await page.fill('dialog textarea', '1001');
  await page.click('dialog >> text=Save');
  await page.waitForSelector('.row.edited');
  await blur(page);
  await press(page, 'End'); // the edit is a step after the one that is inspected
  await page.waitForSelector('[data-node=add] .badge-edited');
  assert.match(await name(page, 'add'), /its output was edited/);
  assert.match(await text(page, '[data-node=add] .badge-edited title'), /edited/);
}));

test('of several ways from a switch to one node none is drawn as the one that was taken', () => use(graph('orders'), {}, async (page) => {
  await page.fill('#field-customer', 'loop');
  await page.fill('#field-amount', '200');
  await submit(page);
  await status(page, 'finished');
  await page.waitForSelector('.node.ran[data-node=exit]');
  const ways = await page.evaluate(() => [...document.querySelectorAll('[data-label]')].map((e) => [e.getAttribute('class').includes('taken'), e.getAttribute('class').includes('either')]));
  assert.deepEqual(ways, [[true, true], [true, true], [false, false]]);
  assert.match(await page.locator('[data-label] title').first().textContent(), /the step says which/);
}));
