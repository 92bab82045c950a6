import { assert, blur, graph, press, status, submit, test, text, use } from './lib.mjs';

// N06: what a value holds is shown as text.
test('what a value holds is text', () => use(graph('hostile'), {}, async (page, url) => {
  await page.fill('#field-many', '99');
  await submit(page);
  await page.waitForSelector('#field-many-wrong');
  assert.match(await text(page, '#field-many-wrong'), /expected at most 10/);
  await page.fill('#field-many', '');
  await submit(page);
  await status(page, 'finished');
  for (const tab of ['2', '3', '4', '1']) {
    await blur(page);
    await press(page, tab);
    await page.waitForTimeout(200);
  }
  await page.waitForFunction(() => document.querySelector('.inspector .tree')?.innerText.includes('javascript:window.hacked=3'));
  assert.equal(await page.evaluate(() => window.hacked), undefined);
  assert.equal(await page.locator('img:not(.brand img), a[href^=javascript], script:not([src])').count(), 0);
  // Another page of the same browser gets nothing.
  const other = await page.context().newPage();
  await other.goto('about:blank');
  const got = await other.evaluate(async (base) => {
    const ask = (path, options) => fetch(base + path, { credentials: 'include', ...options }).then((a) => a.status, () => 'refused');
    return [await ask('api/project'), await ask('api/runs', { method: 'POST', mode: 'no-cors', body: '{"tool":"echo","args":{"text":"x"}}' })];
  }, new URL('/', url).href);
  assert.notEqual(got[0], 200);
  await blur(page);
  await press(page, 'r');
  assert.equal(await page.locator('.runs li').count(), 1, 'another page has started a run');
  await other.close();
}));
