import { accessible, assert, graph, press, status, test, text, use } from './lib.mjs';

// A held step says what it would give and what it reads; a switch says where it goes and why.
test('a held step says what it reads and would give', () => use(graph('values'), {}, async (page) => {
  await page.fill('#field-items', '3');
  await press(page, 'Escape');
  await page.click('#debug-button');
  await status(page, 'paused');
  const next = async (node) => {
    await page.click('.controls [aria-label="Step into"], .controls [title^="Step into"]');
    await page.waitForSelector(`.step-head h2:has-text("${node}")`);
  };
  await next('data');
  await page.waitForSelector('.value:has-text("Would give") [data-id=\'["list"]\']');
  await next('turn');
  await next('more');
  await page.waitForSelector('.decision');
  assert.match(await text(page, '.decision'), /^\s*Would go to turn\s+because rule 1 holds: 1 < 3\s*$/);
  await next('turn');
  await page.waitForSelector('.reads');
  const reads = Object.fromEntries(await page.locator('.reads > div').evaluateAll((all) => all.map((one) => [one.querySelector('dt').innerText, one.querySelector('dd').innerText])));
  assert.equal(reads['$executionCount("turn")'], '1');
  assert.equal(reads['$previousNode()'], '"turn"');
  assert.match(reads['$nodeExecution("turn", $executionCount("turn") - 1)\n$nodeExecution("turn", 0)'], /^{"turn":1,/);
  await accessible(page, 'held', '.inspector');
  for (const node of ['more', 'turn', 'more']) await next(node);
  await page.waitForSelector('.decision:has-text("last")');
  assert.match(await text(page, '.decision'), /^\s*Would go to last\s+because no rule holds\s*$/);
  const rules = await page.locator('.expression').evaluateAll((all) => all.map((one) => [one.querySelector('h3').innerText, one.querySelector('.pill').innerText, one.querySelector('.gives code')?.innerText]));
  assert.deepEqual(rules, [['Rule 1 → turn', 'does not hold', '3 < 3'], ['Rule 2 → turn', 'does not hold', undefined], ['Otherwise → last', 'taken', undefined]]);
  await next('last');
  await page.locator('.timeline [role=treeitem]').nth(3).click();
  await page.waitForSelector('.decision:has-text("Went to")');
  assert.match(await text(page, '.decision'), /Went to turn\s+because rule 1 holds: 1 < 3/);
}));

test('each argument of a call has its name, its expression and its value', () => use(graph('frames'), {}, async (page) => {
  await page.click('#debug-button');
  await status(page, 'paused');
  const press1 = (key, node) => press(page, key).then(() => page.waitForSelector(`.step-head h2:has-text("${node}")`));
  await page.evaluate(() => document.activeElement.blur());
  await press1('F10', 'sides');
  await page.waitForSelector('.value:has-text("Arguments of the branches") [data-id=\'["right"]\']:has-text(\'{"n":2}\')');
  await press1('F10', 'stops');
  await page.waitForSelector('.value:has-text("Items") [data-id="[2]"]');
  assert.match(await text(page, '.expression:has-text("Items") .gives'), /\[1,2,3\]/);
  assert.equal(await page.locator('.expression:has-text("Argument") .gives').count(), 0, 'the arguments of all items have one value');
  await press(page, 'F11');
  await page.waitForSelector('.step-head h2:has-text("item 0")');
  assert.equal(await text(page, '.expression:has-text("Argument") h3'), 'Argument n');
  assert.equal(await text(page, '.expression:has-text("Argument") .code'), '$item');
  assert.equal(await text(page, '.expression:has-text("Argument") .gives .mono'), '1');
}));
