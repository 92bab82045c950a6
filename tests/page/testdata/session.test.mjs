import { assert, browser, graph, newState, serve, status, submit, test, watched } from './lib.mjs';

// restarted opens a page, and starts toolgraph ui anew at the same address.
async function restarted(work) {
  const state = newState();
  let ui = await serve(graph('loop'), { state });
  const { host } = new URL(ui.url);
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
  const page = await watched(context, ui.url, ['401', 'ERR_CONNECTION_REFUSED', 'ERR_CONNECTION_RESET', 'ERR_INCOMPLETE_CHUNKED_ENCODING', 'ERR_EMPTY_RESPONSE']);
  try {
    await page.goto(ui.url);
    await page.waitForSelector('.link.live');
    await page.fill('#field-n', '3');
    await submit(page);
    await status(page, 'finished');
    await page.click('#step-2');
    await page.waitForFunction(() => location.hash.includes('at=2'));
    await page.fill('#field-n', '77');
    await ui.stop();
    await page.waitForSelector('.link.lost');
    ui = await serve(graph('loop'), { state, args: ['--addr', host] });
    await page.waitForSelector('.session >> text=This page belongs to an earlier start');
    await work(page, ui, context);
    assert.deepEqual(page.wrong, []);
  } finally {
    await context.close();
    await ui.stop();
  }
}

const same = async (page) => { // the place and the draft
  await page.waitForSelector('.link.live');
  await page.waitForSelector('.session', { state: 'detached' });
  await page.waitForSelector('#step-2[aria-selected=true]');
  assert.equal(await page.inputValue('#field-n'), '77');
  assert.ok(!page.url().includes('token'));
  await submit(page);
  await status(page, 'finished');
};

test('after a restart the page says so, asks no more, and goes on with the new address', () => restarted(async (page, ui) => {
  let asked = 0;
  page.on('request', () => { asked++; });
  await page.waitForTimeout(2500); // it tried again every two seconds
  assert.equal(asked, 0);
  await page.evaluate((url) => { location.href = url; }, ui.url); // pasted into the address of the tab
  await same(page);
}));

test('the new address can be pasted into the page', () => restarted(async (page, ui) => {
  await page.fill('.session input', 'nonsense at all');
  await page.click('.session button');
  await page.waitForSelector('.notice >> text=this is no address of toolgraph ui');
  await page.fill('.session input', new URL(ui.url).origin + '/#token=WRONG');
  await page.click('.session button');
  await page.waitForSelector('.notice >> text=the token is wrong');
  await page.fill('.session input', 'javascript:alert(1)');
  await page.click('.session button');
  await page.fill('.session input', ui.url);
  await page.click('.session button');
  await same(page);
}));

test('a session that another tab renews is used when the page is looked at', () => restarted(async (page, ui, context) => {
  const other = await context.newPage();
  await other.goto(ui.url);
  await other.waitForSelector('.link.live');
  await page.evaluate(() => dispatchEvent(new Event('focus')));
  await same(page);
}));

test('an address without its token asks for it', async () => {
  const ui = await serve(graph('loop'), { state: newState() });
  const context = await browser.newContext({ viewport: { width: 360, height: 740 } });
  const page = await watched(context, ui.url, ['401']);
  try {
    await page.goto(new URL('/', ui.url).href);
    await page.waitForSelector('text=This address needs its token');
    await page.fill('.session input', ui.url);
    await page.click('.session button');
    await page.waitForSelector('.link.live');
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 360);
    assert.deepEqual(page.wrong, []);
  } finally {
    await context.close();
    await ui.stop();
  }
});

test('the page of another version of the program is loaded, with the place and what was typed', () => restarted(async (page, ui) => {
  await page.route('**/api/project', async (route) => {
    const answer = await route.fetch();
    await route.fulfill({ response: answer, body: (await answer.text()).replace(/"version":"[^"]*"/, '"version":"9.9.9"') });
  });
  await page.evaluate(() => { globalThis.old = true; });
  await page.fill('.session input', ui.url);
  await page.click('.session button');
  await page.waitForFunction(() => !globalThis.old);
  await same(page);
  await page.evaluate(() => { globalThis.old = true; });
  await page.waitForTimeout(300); // it is loaded once
  assert.ok(await page.evaluate(() => globalThis.old));
}));
