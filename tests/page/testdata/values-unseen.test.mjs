import { assert, graph, status, submit, test, text, use } from './lib.mjs';

const unseen = /[\u0000-\u0008\u000B-\u001F\u007F-\u009F\u200B\u200E\u200F\u202A-\u202E\u2066-\u2069]/;

// Overrides of the direction, characters of no width and controls are drawn as escapes, wherever they come from.
test('characters that are not seen are shown', () => use(graph('values'), {}, async (page) => {
  await submit(page);
  await status(page, 'finished');
  await page.waitForFunction(() => document.querySelectorAll('.timeline [role=treeitem]').length > 8);
  await page.locator('.timeline [role=treeitem]').nth(1).click();
  await page.waitForSelector('.step-head h2:has-text("data")');
  await page.waitForSelector('.value .tree');
  assert.equal(await text(page, '[data-id=\'["override"]\'] .scalar'), '"abc\\u202Egnp.exe"');
  assert.match(await page.locator('[data-id=\'["override"]\'] .unseen').getAttribute('title'), /U\+202E right-to-left override/);
  const odd = page.locator('[data-id^=\'["zero\']');
  assert.equal(await odd.locator('.tree-key').textContent(), 'zero\\u200Bwidth');
  assert.equal(await odd.locator('.scalar').textContent(), '"pay\\u200Dpal, \\u001Bescape"');
  assert.equal(await text(page, '[data-id=\'["joined"]\'] .scalar'), '"\u{1F469}\u200D\u{1F4BB} \u0645\u06CC\u200C\u062E\u0648\u0627\u0647\u0645"', 'joiners of emoji and of Persian are shown');
  const raw = await page.evaluate(() => document.body.innerText);
  assert.ok(!unseen.test(raw), `the page draws ${JSON.stringify(raw.match(new RegExp(`.{0,20}${unseen.source}`))?.[0])}`);
}));

test('failures, names of fields and titles show them too', () => use(graph('hostile'), {}, async (page) => {
  await page.fill('#field-text', 'gpj\u202Eexe.\u2066x');
  await submit(page);
  await status(page, 'finished');
  await page.click('text=Runs');
  await page.waitForSelector('.runs li');
  assert.match(await text(page, '.run-args'), /gpj\\u202Eexe/);
  assert.match(await page.locator('.run-args').first().getAttribute('title'), /gpj\\u202Eexe/);
  assert.ok(!unseen.test(await page.evaluate(() => document.body.innerText)));
}));
