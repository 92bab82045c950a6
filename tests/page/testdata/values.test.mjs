import { accessible, assert, blur, graph, press, status, submit, test, use } from './lib.mjs';

const row = (path) => `[data-id='${JSON.stringify(path).replaceAll('\\', '\\\\')}']`;
const step = (page, n) => page.locator('.timeline [role=treeitem]').nth(n).click();
const focused = (page) => page.evaluate(() => document.activeElement.getAttribute('data-id'));
const clipboard = { permissions: ['clipboard-read', 'clipboard-write'] };

async function opened(page, at = 1) {
  await submit(page);
  await status(page, 'finished');
  await page.waitForFunction(() => document.querySelectorAll('.timeline [role=treeitem]').length > 8);
  await step(page, at);
  await page.waitForSelector('.step-head h2:has-text("data")');
  await page.waitForSelector('.value .tree');
}

test('a list inside an object can be read to its end', () => use(graph('values'), {}, async (page) => {
  await opened(page);
  await page.click(`${row(['list'])} > .tree-row`);
  await page.click(`${row(['list', 'items'])} > .tree-row`);
  await page.waitForSelector(row(['list', 'items', 99]));
  await page.locator('.tree-row.range:has-text("items 19,000")').click();
  await page.locator('.tree-row.range:has-text("items 19,900")').click();
  await page.waitForSelector(row(['list', 'items', 19999]));
  assert.equal(await page.locator(row(['list', 'items'])).getAttribute('aria-expanded'), 'true', 'reading on has closed the list');
  await page.click(`${row(['list', 'items', 19999])} > .tree-row`);
  await page.waitForSelector(`${row(['list', 'items', 19999, 'name'])} :text("item 20000")`);
  assert.ok(await page.locator('[role=treeitem]').count() < 400, 'more is drawn than was opened');
}));

// The keys of ARIA's tree pattern, and no mouse.
test('a value is read by the keyboard alone', () => use(graph('values'), clipboard, async (page) => {
  await opened(page);
  await page.locator('.value .tree [role=treeitem]').first().focus();
  await press(page, 'ArrowRight');
  await page.waitForSelector(row(['list', 'items']));
  await press(page, 'ArrowRight');
  await page.waitForFunction(() => document.activeElement.getAttribute('data-id') === '["list","items"]');
  await press(page, 'Enter');
  await page.waitForSelector(row(['list', 'items', 99]));
  await press(page, 'ArrowRight');
  assert.equal(await focused(page), '["list","items",0]');
  await press(page, '1', '2', '1', '2', '3'); // an item by its number
  await page.waitForFunction(() => document.activeElement.getAttribute('data-id') === '["list","items",12123]');
  await press(page, 'ArrowUp', 'ArrowDown', ' ');
  await page.waitForSelector(row(['list', 'items', 12123, 'n']));
  await press(page, 'ArrowLeft', 'ArrowLeft', 'ArrowLeft', 'ArrowLeft'); // closes the item, leads out, closes the range, leads out
  assert.equal(await focused(page), '["list","items"]@12000-13000');
  await press(page, 'Home');
  assert.equal(await focused(page), '["list"]');
  await press(page, 'ArrowLeft');
  assert.equal(await page.locator(row(['list'])).getAttribute('aria-expanded'), 'false');
  await press(page, 'd', 'e');
  assert.equal(await focused(page), '["deep"]');
  await press(page, 'End');
  assert.equal(await focused(page), '["yes"]');
  await page.waitForTimeout(700); // what is typed later begins anew
  await press(page, 'l', 'o', 'n');
  assert.equal(await focused(page), '["long"]');
  const shown = () => page.locator(`${row(['long'])} .scalar`).textContent().then((text) => text.length);
  const before = await shown();
  await press(page, 'Enter'); // reads on
  await page.waitForFunction(([selector, least]) => document.querySelector(selector).textContent.length > least, [`${row(['long'])} .scalar`, before + 50_000]);
  await press(page, 'Tab'); // the controls of the row
  assert.equal(await page.evaluate(() => document.activeElement.getAttribute('aria-label')), 'Copy path');
  await press(page, 'Enter');
  await page.waitForSelector('.notice:has-text("$.data.long")');
  await press(page, 'Escape');
  assert.equal(await focused(page), '["long"]');
}));

test('a list of objects is a table, and leads back into the tree', () => use(graph('values'), {}, async (page) => {
  await opened(page);
  await page.click(`${row(['list'])} > .tree-row`);
  await page.hover(`${row(['list', 'items'])} > .tree-row`);
  await page.click('.row-actions [aria-label="Show as a table"]');
  await page.waitForSelector('.values tbody tr:nth-child(100)');
  assert.deepEqual(await page.locator('.values thead th').allTextContents(), ['#', 'n', 'name', 'kind', 'tags']);
  await page.click('[aria-label="Items after"]');
  await page.waitForSelector('.values tbody th:has-text("100")');
  await page.fill('.table-bar input', '19950');
  await press(page, 'Enter');
  await page.waitForSelector('.values tbody tr:has-text("item 20000")');
  await accessible(page, 'table', '.inspector');
  await page.click('.values [aria-label^="19,999:"]');
  await page.waitForFunction(() => document.activeElement.getAttribute('data-id') === '["list","items",19999]');
}));

// The path of any part works in Try, where it gives the same value; digits stay.
test('paths and values are copied, values are downloaded', () => use(graph('values'), clipboard, async (page) => {
  await opened(page);
  const copied = () => page.evaluate(() => navigator.clipboard.readText());
  const act = async (path, label) => {
    await page.hover(`${row(path)} > .tree-row`);
    await page.click(`${row(path)} > .tree-row .row-actions [aria-label="${label}"]`);
    await page.waitForSelector('.notice');
    await page.locator('.notice [aria-label=Dismiss]').first().click();
    return copied();
  };
  for (const key of ['odd keys', 'deep']) await page.click(`${row([key])} > .tree-row`);
  await page.locator(row(['odd keys'])).focus();
  const inside = [['odd keys', 'back`tick'], ['odd keys', 'quote"d'], ['odd keys', 'a.b'], ['deep', 'a'], ['deep', 'a', 'b'], ['deep', 'a', 'b', 'c'], ['deep', 'a', 'b', 'c', 'd'], ['deep', 'a', 'b', 'c', 'd', 1], ['deep', 'a', 'b', 'c', 'd', 1, 1]];
  for (const path of inside) await page.click(`${row(path)} > .tree-row`);
  await page.click(`${row(['odd keys', 'back`tick', 'in side'])} > .tree-row`);
  const paths = {};
  for (const path of [['odd keys', 'with space'], ['odd keys', 'quote"d', 'x'], ['odd keys', 'back`tick', 'in side', 1], ['odd keys', ''], ['odd keys', 'and'], ['odd keys', '1st'], ['odd keys', 'ключ'],
    ['odd keys', 'a.b', 'c[0]'], ['deep', 'a', 'b', 'c', 'd', 0], ['deep', 'a', 'b', 'c', 'd', 1, 1, 0], ['zero\u200Bwidth']]) {
    const selector = `${row(path)} > .tree-row .scalar, ${row(path)} > .tree-row .tree-preview`;
    paths[await act(path, 'Copy path')] = await page.locator(selector).textContent();
  }
  assert.equal(await act(['big'], 'Copy value'), '9007199254740993'.replace(/3$/, await page.locator(`${row(['big'])} .scalar`).textContent().then((t) => t.at(-1))));
  assert.equal(await act(['override'], 'Copy value'), 'abc\u202Egnp.exe');
  assert.equal(JSON.parse(await act(['list'], 'Copy value')).items.length, 20_000);
  const [file] = await Promise.all([page.waitForEvent('download'), page.click('.value .box-head [aria-label=Download]')]);
  assert.match(file.suggestedFilename(), /^[0-9A-Z]{26}-1-data\.json$/);
  const { readFileSync } = await import('node:fs');
  const whole = JSON.parse(readFileSync(await file.path(), 'utf8'));
  assert.equal(whole.list.items[19_999].name, 'item 20000');
  assert.match(whole.long, /the end$/);
  await step(page, 2);
  await blur(page);
  await press(page, '3');
  for (const [path, value] of Object.entries(paths)) {
    await page.fill('#try-source', path);
    await page.waitForFunction(([want]) => {
      const shown = document.querySelector('.answer .scalar') ?? document.querySelector('.answer .tree');
      return want[0] === '[' ? document.querySelectorAll('.answer .tree > [role=treeitem]').length === JSON.parse(want).length : shown?.textContent === want;
    }, [value], { timeout: 10_000 }).catch(() => assert.fail(`${path} is not ${value} in Try`));
  }
}));
