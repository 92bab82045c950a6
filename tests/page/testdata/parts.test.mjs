import { accessible, assert, graph, press, status, test, text, use } from './lib.mjs';

// Three parts are paused: each can be looked at and continued alone; all are continued by F8.
test('several paused parts', () => use(graph('parts'), {}, async (page) => {
  await page.focus('[data-node=stops]');
  await press(page, 'e', 'Control+Enter');
  await status(page, 'paused');
  await page.waitForFunction(() => document.querySelectorAll('.held-parts li').length === 3);
  assert.match(await text(page, '.controls-state'), /at a breakpoint, 3 parts/);
  assert.match(await text(page, '.form-head'), /trip/);
  await accessible(page, 'paused parts', '.held-parts');
  await page.click('.held-parts [aria-label="Continue 1.1 alone"]'); // the fourth takes its place
  await page.waitForFunction(() => [...document.querySelectorAll('.held-parts li button.mono')].map((b) => b.innerText).join() === '1.0,1.2,1.3');
  await page.click('.held-parts button.mono:has-text("1.2")');
  await page.waitForFunction(() => document.querySelector('.held-parts li.shown')?.innerText.includes('1.2'));
  await press(page, 'F11'); // into the graph that this part calls
  await page.waitForFunction(() => document.querySelector('.held-parts li.shown')?.innerText.includes('1.2/0'));
  await page.waitForSelector('.trail');
  assert.match(await text(page, '.form-head'), /trip/); // the form is that of the tool that was run
  assert.equal(await page.locator('.tools [aria-selected=true] .mono').innerText(), 'trip');
  await press(page, 'F8');
  await page.waitForFunction(() => /item 4/.test(document.querySelector('.step-head')?.innerText)); // the last one, at its breakpoint
  await press(page, 'F8');
  await status(page, 'finished');
}));

// A switch without conditions says so, and no bar is hatched where nothing was held.
test('a constant switch, and gaps that nothing held', () => use(graph('parts'), {}, async (page) => {
  await page.click('[data-tool=constant]');
  await page.waitForSelector('[data-node=way]');
  await page.waitForFunction(() => /no\srules/.test(document.querySelector('main').textContent));
  assert.ok(!(await page.textContent('main')).includes('undefined'));
  await press(page, 'Control+Enter');
  await status(page, 'finished');
  assert.equal(await page.locator('.bar .held').count(), 0);
}));
