import { accessible, assert, blur, graph, press, shot, status, submit, test, text, use } from './lib.mjs';

const row = (path) => `[data-id='${JSON.stringify(path).replaceAll('\\', '\\\\')}']`;

// What is open, the view and the scroll place stay at each execution of a node; what has changed is marked.
test('what is open stays, what has changed is marked', () => use(graph('values'), { viewport: { width: 1440, height: 700 } }, async (page) => {
  await submit(page);
  await status(page, 'finished');
  await page.waitForFunction(() => document.querySelectorAll('.timeline [role=treeitem]').length > 8);
  const step = (n) => page.locator('.timeline [role=treeitem]').nth(n).click();
  await step(2);
  await page.click(`${row(['same'])} > .tree-row`);
  await page.click(`${row(['same', 'y'])} > .tree-row`);
  await page.waitForSelector(row(['same', 'y', 2]));
  await page.evaluate(() => { document.querySelector('.inspector-body').scrollTop = 140; });
  await page.waitForTimeout(100);
  const place = await page.evaluate(() => document.querySelector('.inspector-body').scrollTop);
  assert.ok(place > 50);
  assert.equal(await page.locator('.change').count(), 0, 'the first execution has nothing to differ from');
  await step(3); // the switch, another node
  await page.waitForSelector('.decision');
  await step(4);
  await page.waitForSelector(`${row(['turn'])} .change:has-text("was 1")`);
  await page.waitForSelector(row(['same', 'y', 2]));
  assert.ok(Math.abs(await page.evaluate(() => document.querySelector('.inspector-body').scrollTop) - place) < 3, 'the scroll place is lost');
  assert.equal(await page.locator(`${row(['same'])} .change`).count(), 0, 'what is the same is marked');
  assert.equal(await text(page, `${row(['extra'])} .change`), 'new');
  assert.match(await page.locator('.value .tree').ariaSnapshot(), /treeitem "turn : 2 was 1"/, 'a screen reader does not say it');
  await accessible(page, 'marks', '.inspector');
  await page.setViewportSize({ width: 1440, height: 900 });
  await shot(page, 'values');
  await step(6);
  await page.waitForSelector('.tree-gone:has-text("extra")');
  await blur(page);
  await press(page, '2');
  await page.click(`${row(['turn'])} > .tree-row`);
  await page.waitForSelector(row(['turn', 'turn']));
  await blur(page);
  await press(page, 'j'); // step 7, after the third turn
  await page.waitForSelector(`${row(['turn', 'turn'])} .change:has-text("was 2")`);
  assert.equal(await page.locator(`${row(['data'])} > .tree-row .change`).count(), 0);
  await press(page, 'k', 'k', 'k');
  await page.waitForSelector(`${row(['more'])} .change`);
  await page.waitForSelector(`${row(['turn', 'turn'])} :text("1")`);
  assert.equal(await page.locator(`${row(['turn', 'turn'])} .change`).count(), 0);
}));

test('the table of a node stays while a run is stepped through', () => use(graph('values'), {}, async (page) => {
  await submit(page);
  await status(page, 'finished');
  await page.waitForFunction(() => document.querySelectorAll('.timeline [role=treeitem]').length > 8);
  const step = (n) => page.locator('.timeline [role=treeitem]').nth(n).click();
  await step(1);
  await page.click(`${row(['list'])} > .tree-row`);
  await page.hover(`${row(['list', 'items'])} > .tree-row`);
  await page.click('.row-actions [aria-label="Show as a table"]');
  await page.click('[aria-label="Items after"]');
  await page.waitForSelector('.values tbody th:has-text("100")');
  await step(2);
  await page.waitForSelector(row(['turn']));
  await step(1);
  await page.waitForSelector('.values tbody th:has-text("100")');
}));
