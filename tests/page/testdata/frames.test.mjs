import { assert, blur, graph, press, shot, status, submit, test, use } from './lib.mjs';

// Parts and frames: into one, an edit there, out again; what ended is looked into; many parts.
test('parts and frames are entered, edited and left', () => use(graph('frames'), {}, async (page) => {
  const held = (where) => page.waitForFunction((at) => document.querySelector('.controls .status.paused') && document.querySelector(at), where);
  await page.click('[data-stop="stops[]"] .reach', { force: true });
  await page.click('#debug-button');
  await held('.node.current[data-node=entry]');
  await press(page, 'F10');
  await held('.node.current[data-node=sides]');
  await press(page, 'F11');
  await held('[data-branch="sides.left"].current');
  await press(page, 'Shift+F11'); // out of the parts, to the breakpoint at the first of the next
  await held('.node.current[data-node=stops]');
  if (!(await page.locator('.step-head').innerText()).includes('item 0')) await press(page, 'F8');
  await page.waitForFunction(() => document.querySelector('.step-head')?.innerText.includes('item 0'));
  await press(page, 'F11');
  await held('.trail');
  await press(page, 'F10');
  await held('.node.current[data-node=twice]');
  await page.locator('.row').first().click();
  await page.click('.inspector >> text=Edit');
  await page.waitForFunction(() => document.querySelector('dialog textarea')?.value.includes('"n": 1'));
  await page.fill('dialog textarea', '{"n": 50}');
  await page.click('dialog >> text=Save');
  await page.waitForSelector('.row.edited');
  await shot(page, 'frame');
  await page.click('.held-parts [aria-label^="Continue 2.0"]'); // the others stay
  await page.waitForFunction(() => document.querySelector('.step-head')?.innerText.includes('item 1'));
  await page.locator('.row.begun .unfold').click();
  await page.waitForFunction(() => document.querySelector('.row.part .row-value')?.innerText.endsWith('100'));
  await page.locator('.row.part .row-into').first().click(); // into a frame that has ended
  await page.waitForSelector('.trail >> text=item 0');
  await blur(page);
  await press(page, 'o');
  await page.waitForFunction(() => !document.querySelector('.trail'));
  await page.click('[data-stop="stops[]"] .reach', { force: true });
  await press(page, 'F8');
  await status(page, 'finished');
  await page.waitForSelector('.row.part .tag.warn >> text=handled');
  await page.fill('#field-n', '10000');
  await submit(page);
  await status(page, 'finished');
  await page.locator('.unfold', { hasText: '10,000 parts' }).click();
  await page.waitForSelector('.row.part .row-value:not(:empty)');
  await page.evaluate(() => { document.querySelector('.timeline .virtual').scrollTop = 5000 * 30; });
  await page.waitForFunction(() => document.querySelector('#step-5003 .row-value')?.innerText);
  assert.ok(await page.locator('.row').count() < 80, 'parts that nobody sees are drawn');
}));

// News of a run may come before its path: a part is asked for when the path has its step.
test('a step is not asked for before the path has come to it', () => use(graph('frames'), {}, async (page) => {
  await page.route('**/path?*', async (route) => {
    await new Promise((done) => setTimeout(done, 400));
    await route.continue();
  });
  await page.click('#debug-button');
  await page.waitForSelector('.node.current[data-node=entry]');
  await blur(page);
  await press(page, 'F10');
  await page.waitForSelector('.node.current[data-node=sides]'); // by the news
  await press(page, 'F11');
  await page.waitForFunction(() => document.querySelector('.step-head')?.innerText.includes('left'));
  await page.click('[aria-label^="Stop"]');
  await status(page, 'cancelled');
}));
