import { assert, graph, status, submit, test, text, use } from './lib.mjs';

// A kept run of 10,000 steps opens at once, and its list is only as long as what is seen.
test('a recorded run of 10,000 steps opens at once', () => use(graph('loop'), {}, async (page, url) => {
  await submit(page);
  await status(page, 'finished');
  await page.goto('about:blank');
  await page.goto(url);
  await page.waitForSelector('.node');
  await page.click('text=Runs');
  await page.waitForSelector('.runs li');
  const begun = Date.now();
  await page.locator('.runs button').first().click();
  await page.waitForFunction(() => document.querySelector('.timeline-head')?.innerText.includes('10,005') && document.querySelector('.row-value:not(:empty)'));
  const took = Date.now() - begun;
  assert.ok(took < 1000, `a run of 10,005 steps took ${took} ms to open`);
  await page.evaluate(() => { document.querySelector('.timeline .virtual').scrollTop = 5000 * 30; });
  await page.waitForFunction(() => document.querySelector('#step-5003 .row-value')?.innerText);
  assert.ok(await page.locator('.row').count() < 80, 'rows that nobody sees are drawn');
  await page.locator('.slider input').fill('7000'); // time travel
  await page.waitForFunction(() => document.querySelector('.step-head')?.innerText.includes('step 7000'));
  assert.equal(await text(page, '[data-node=more] .count'), '×3500');
  console.log(`10,005 steps opened in ${took} ms`);
}));
