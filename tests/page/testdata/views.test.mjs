import { assert, blur, example, graph, newState, press, shot, status, submit, test, use } from './lib.mjs';

// The views of the documentation.
const todos = example('03-collect-todos');
const begin = async (page) => {
  await page.fill('#field-directory', 'data/notes');
  await page.fill('#field-pattern', '*.md');
};

test('a loop, an expression and two runs in the light theme', () => use(todos, {}, async (page) => {
  await begin(page);
  await page.focus('[data-node=read]');
  await press(page, 'b');
  await page.click('#debug-button');
  await status(page, 'paused');
  for (let i = 0; i < 3; i++) {
    await press(page, 'F8');
    await page.waitForFunction((n) => document.querySelector('.controls .status.paused') && document.querySelector('.timeline-head')?.innerText.includes(`${3 + 2 * n} steps`), i);
    await page.waitForSelector('.node.current[data-node=read]');
  }
  await page.waitForSelector('.inspector .tree');
  await shot(page, 'paused');
  await press(page, 'F8');
  await status(page, 'finished');
  await page.locator('.row:has(.row-node:text-is("gather"))').click();
  await blur(page);
  await press(page, '3');
  await page.fill('#try-source', '$.find.entries[size > 60].{"name": name, "kB": size / 1000}');
  await page.waitForFunction(() => document.querySelector('.answer .tree')?.innerText.includes('kB'));
  await page.locator('.answer [role=treeitem]').first().click();
  await shot(page, 'try');
  await page.fill('#field-word', 'the');
  await submit(page);
  await status(page, 'paused'); // the breakpoint is still there
  await page.focus('[data-node=read]');
  await press(page, 'b', 'F8');
  await status(page, 'finished');
  await blur(page);
  await press(page, 'r');
  for (const i of [1, 0]) await page.locator('.runs input').nth(i).check();
  await page.click('text=Compare');
  await page.waitForSelector('.changes');
  await shot(page, 'compare');
}));

test('the dark theme', () => use(todos, { colorScheme: 'dark' }, async (page) => {
  await begin(page);
  await submit(page);
  await status(page, 'finished');
  await page.locator('.slider input').fill('6');
  await blur(page);
  await press(page, '4');
  await page.waitForSelector('.editor-host .lit');
  const ground = await page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  assert.equal(ground, 'rgb(15, 18, 22)', 'the page is not dark');
  await shot(page, 'dark');
}));
// Between wide and narrow: no pane covers another, and what is drawn stands beside them.

test('no pane covers another at 1024 pixels', () => use(todos, { viewport: { width: 1024, height: 700 } }, async (page) => {
  await begin(page);
  await submit(page);
  await status(page, 'finished');
  const edges = await page.evaluate(() => ['.side', '.graph', '.timeline', '.inspector'].map((name) => document.querySelector(name).getBoundingClientRect()).map((box) => [box.left, box.right]));
  assert.deepEqual(edges, [[0, 240], [240, 704], [240, 704], [704, 1024]]);
}));

test('nothing is wider than a window of 360 pixels', () => use(todos, { viewport: { width: 360, height: 740 } }, async (page) => {
  await page.click('.panebar >> text=Tools');
  await begin(page);
  await submit(page);
  await status(page, 'finished');
  for (const name of ['Graph', 'Steps', 'Inspect']) {
    await page.click(`.panebar >> text=${name}`);
    const wide = await page.evaluate(() => document.documentElement.scrollWidth);
    assert.equal(wide, 360, `${name} is ${wide} pixels wide`);
  }
  await page.click('.panebar >> text=Graph');
  await shot(page, 'narrow');
}));
test('a forEach of 200 items', () => use(graph('frames'), { state: newState() }, async (page) => {
  await page.fill('#field-n', '200');
  await submit(page);
  await status(page, 'finished');
  await page.locator('.unfold', { hasText: '200 parts' }).click();
  await page.waitForSelector('.row.of-part .row-value:not(:empty)');
  await page.locator('.row.of-part', { hasText: 'handled' }).first().click();
  await page.waitForFunction(() => document.querySelector('.inspector').innerText.includes('no stop here'));
  await shot(page, 'foreach');
}));
test('a failing run', () => use(graph('orders'), { state: newState() }, async (page) => {
  await page.fill('#field-customer', 'absent');
  await page.fill('#field-amount', '90');
  await submit(page);
  await status(page, 'error');
  await blur(page);
  await press(page, 'r');
  await page.locator('.runs li button').first().click();
  await page.waitForFunction(() => document.querySelector('.inspector').innerText.includes('does not exist'));
  await shot(page, 'failing');
}));
