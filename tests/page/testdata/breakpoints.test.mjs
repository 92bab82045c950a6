import { accessible, assert, blur, graph, press, status, submit, test, use, watched } from './lib.mjs';

const stop = (node, more = '') => `[data-stop="${node}"].set${more}`;

// A condition that is no expression is refused where it is typed, with its place; nothing is set until it is right.
test('a wrong condition is refused at its place', () => use(graph('loop'), {}, async (page) => {
  await page.focus('[data-node=add]');
  await press(page, 'c');
  await page.waitForSelector('dialog[open]');
  assert.equal(await page.locator('dialog >> text=Remove').count(), 0, 'there is no breakpoint to remove');
  await page.fill('dialog input.mono', '$.add > (1 + 2');
  await press(page, 'Enter');
  await page.waitForSelector('dialog [role=alert] >> text=( is not closed');
  assert.equal(await page.locator('dialog .caret').textContent(), '$.add > (1 + 2\n        ^');
  const input = await page.evaluate(() => { const i = document.activeElement; return { at: i.selectionStart, wrong: i.ariaInvalid, about: document.getElementById(i.getAttribute('aria-describedby')).textContent }; });
  assert.equal(input.at, 8, 'the cursor is at the error');
  assert.equal(input.wrong, 'true');
  assert.match(input.about, /not closed/);
  await accessible(page, 'a wrong condition');
  assert.equal(await page.locator(stop('add')).count(), 0, 'it is shown as set');
  await page.fill('dialog input.mono', '$.add >= 3');
  assert.equal(await page.locator('dialog [role=alert]').count(), 0, 'the message stays while the text changes');
  await press(page, 'Enter');
  await page.waitForSelector(stop('add', '.conditional'));
  await page.fill('#field-n', '5');
  await submit(page);
  await status(page, 'paused'); // once its value is 3, after two executions
  await page.waitForSelector('.row >> nth=6');
  assert.equal(await page.locator('.row').count(), 7);
}));

// The breakpoints of all tools are one step away, with their number.
test('the breakpoints of all tools are listed, lead to their nodes, and are removed', () => use(graph('frames'), {}, async (page) => {
  const many = () => page.locator('.breakpoints-open .many').allTextContents();
  const rows = () => page.locator('.breakpoints tbody tr').evaluateAll((all) => all.map((tr) => [...tr.cells].slice(1, 4).map((cell) => cell.innerText.trim()).join(', ')));
  const toggled = async (name) => {
    await page.locator(`[data-stop="${name}"] .reach`).dispatchEvent('click');
    await page.waitForSelector(stop(name));
  };
  assert.deepEqual(await many(), []);
  await page.click('.breakpoints-open');
  await page.waitForSelector('dialog >> text=No breakpoints');
  await accessible(page, 'no breakpoints', 'dialog');
  await press(page, 'Escape');
  await toggled('stops');
  await toggled('stops[]');
  await toggled('sides.left');
  await page.click('.tools [data-tool=stop]');
  await page.focus('[data-node=twice]');
  await press(page, 'c');
  await page.fill('dialog input.mono', '$.entry.n > 2');
  await press(page, 'Enter');
  await page.waitForSelector(stop('twice', '.conditional'));
  assert.deepEqual(await many(), ['4']);
  await page.reload(); // the tools whose graphs were not drawn count, too
  await page.waitForSelector('.node');
  await page.waitForSelector('.breakpoints-open >> text=4');

  await blur(page);
  await press(page, 'B');
  await page.waitForSelector('dialog >> text=4 breakpoints');
  assert.deepEqual(await rows(), ['stop, twice, when $.entry.n > 2', 'trip, stops, always', 'trip, stops[], always', 'trip, sides.left, always']);
  await accessible(page, 'the list of breakpoints', 'dialog');
  await page.click('.breakpoints >> text=twice');
  await page.waitForSelector('.shown-tool h2 >> text=stop');
  await page.waitForFunction(() => document.activeElement.dataset.node === 'twice');
  assert.equal(await page.locator('dialog').count(), 0);
  await press(page, 'B');
  await page.click('.breakpoints >> text=sides.left');
  await page.waitForFunction(() => document.activeElement.dataset.node === 'sides');
  await press(page, 'B');
  await page.uncheck('.breakpoints [aria-label="breakpoint at twice of stop"]');
  await page.waitForFunction(() => !document.querySelector('.breakpoints input').checked);
  assert.deepEqual((await rows())[0], 'stop, twice, when $.entry.n > 2', 'a condition is lost');
  for (const left of [3, 2, 1]) {
    await page.focus('.breakpoints [data-remove]');
    await press(page, 'Enter');
    await page.waitForSelector(`dialog >> text=${left} breakpoint`);
    await page.waitForFunction(() => document.activeElement.dataset.remove !== undefined); // the next can be removed
  }
  assert.deepEqual(await rows(), ['trip, sides.left, always']);
  assert.equal(await page.locator(stop('stops')).count(), 0);
  await press(page, 'Enter');
  await page.waitForSelector('dialog >> text=No breakpoints');
  assert.deepEqual(await many(), []);
  await press(page, 'Escape');
  await page.waitForSelector('dialog', { state: 'detached' });
  for (const width of [1024, 390]) {
    await page.setViewportSize({ width, height: 800 });
    assert.ok(await page.locator('.breakpoints-open').evaluate((b) => b.getBoundingClientRect().right < innerWidth && document.documentElement.scrollWidth === innerWidth), `${width}`);
  }
}));

// Two pages have the same breakpoints, also those of runs in progress, and after a reload.
test('two pages agree on breakpoints', () => use(graph('loop'), {}, async (page, url) => {
  const other = await watched(page.context(), url);
  await other.goto(new URL('/', url).href);
  await other.waitForSelector('.node');
  await page.click('[data-stop=begin] .reach', { force: true });
  await other.waitForSelector(stop('begin'));
  await other.focus('[data-node=begin]');
  await press(other, 'c');
  await other.fill('dialog input.mono', 'false');
  await press(other, 'Enter');
  await page.waitForSelector(stop('begin', '.conditional'));
  await page.click('[data-stop=add] .reach', { force: true });
  await page.fill('#field-n', '5');
  await submit(page);
  await status(page, 'paused');
  await other.waitForSelector(stop('add'));
  await other.click('[data-stop=add] .reach', { force: true });
  await page.waitForSelector(stop('add'), { state: 'detached' });
  await press(page, 'F8');
  await status(page, 'finished');
  await page.reload();
  await page.waitForSelector(stop('begin', '.conditional'));
  assert.equal(await page.locator(stop('add')).count(), 0);
  assert.deepEqual(other.wrong, []);
}));
