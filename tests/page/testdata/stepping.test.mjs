import { assert, blur, graph, press, status, test, text, use } from './lib.mjs';

// A breakpoint in a loop, by the keyboard; steps; an edit; the right result.
test('a loop is stepped, watched and edited', () => use(graph('loop'), {}, async (page) => {
  await page.fill('#field-n', '4');
  await page.focus('[data-node=more]');
  await press(page, 'ArrowDown'); // to add
  await page.waitForFunction(() => document.activeElement.dataset.node === 'add');
  await press(page, 'b', 'Control+Enter');
  await status(page, 'paused');
  assert.match(await text(page, '.controls-state'), /at a breakpoint/);
  await press(page, 'F10'); // add: 1
  await page.waitForSelector('.node.current[data-node=more]');
  await press(page, 'F8');
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
  await page.click('.inspector >> text=Edit');
  await page.waitForFunction(() => document.querySelector('dialog textarea')?.value === '1');
  await page.fill('dialog textarea', 'oops');
  await page.click('dialog >> text=Save');
  assert.match(await text(page, 'dialog .wrong'), /expected JSON/);
  await page.fill('dialog textarea', '1001');
  await page.click('dialog >> text=Save');
  await page.waitForSelector('.row.edited');
  await page.focus('[data-node=add]');
  await press(page, 'b', 'F8');
  await status(page, 'finished');
  await page.waitForFunction(() => document.querySelector('.inspector .tree')?.innerText.includes('1010')); // 10 + 1000
}));
