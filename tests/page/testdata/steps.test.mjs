import { assert, blur, graph, newState, press, status, submit, test, text, toolgraph, use } from './lib.mjs';

const tool = (page, name) => page.click(`.tools >> text="${name}"`);
const nodes = (page) => page.locator('.timeline .row').evaluateAll((all) => all.map((row) => `${row.querySelector('.row-index').innerText} ${row.querySelector('.row-node').innerText}`));

test('a call that runs is a row with its time and its progress, and Pause says what it waits for', () => use(graph('live'), { state: newState() }, async (page) => {
  await tool(page, 'slow');
  await page.fill('#field-ms', '30000');
  await submit(page);
  await page.waitForSelector('.row.begun .spinner');
  await page.waitForFunction(() => document.querySelector('.row.begun .report')?.innerText.includes('of 100'));
  assert.ok(await page.locator('.row.begun progress').evaluate((p) => p.value > 0 && p.max === 100));
  assert.match(await text(page, '.doing'), /calls up\.slow, [\d.]+ s/);
  const first = await text(page, '.row.begun .elapsed');
  await page.waitForFunction((was) => document.querySelector('.row.begun .elapsed').innerText !== was, first);
  await blur(page);
  await press(page, 'F8');
  await page.waitForFunction(() => document.querySelector('.doing')?.innerText === 'pausing after this call');
  await status(page, 'running'); // it has not paused yet
  await page.reload();
  await page.waitForFunction(() => document.querySelector('.row.begun .report')?.innerText.includes('of 100')); // not only by an event
  await page.waitForFunction(() => document.querySelector('.doing')?.innerText === 'pausing after this call');
  await blur(page);
  await press(page, 'Shift+F8');
  await status(page, 'cancelled');
  assert.equal(await page.locator('.spinner').count(), 0);
}));

// A number of steps is that of executions, wherever it is on the screen; what steps, items and turns a node has are its parts.
for (const [file, name, parts] of [['steps', 'survey', 8], ['frames', 'trip', 0], ['loop', 'sum', 0]]) {
  test(`all numbers of steps on the screen are the same, ${file}`, () => use(graph(file), { state: newState() }, async (page) => {
    if (file !== 'loop') await tool(page, name);
    await submit(page);
    await status(page, 'finished');
    await blur(page);
    await press(page, 'r', 'End');
    await page.waitForSelector('.runs .chosen');
    await page.waitForSelector('.step-head .status.finished');
    const steps = await page.evaluate(() => [...document.querySelector('main').innerText.matchAll(/([\d,]+) steps?\b/g)].map((m) => Number(m[1].replaceAll(',', ''))));
    const { steps: recorded } = await page.evaluate(async () => (await (await fetch('/api/runs?limit=1')).json()).runs[0]);
    assert.ok(steps.length >= 3, `${steps}`); // the list of runs, the head of the steps, the inspector
    assert.deepEqual(steps, steps.map(() => recorded));
    if (!parts) return;
    assert.ok(recorded > parts);
    assert.match(await text(page, '.row .unfold'), new RegExp(`${parts} parts`));
    assert.match(await page.locator('[data-node=texts]').getAttribute('aria-label'), /block texts, 3 parts, for each item/);
    await page.locator('.row', { hasText: 'steps' }).first().click();
    await page.waitForSelector(`.facts >> text=${parts} parts`);
  }));
}

test('a failed run opens at its failing step; parts and frames unfold by the keyboard, on one time axis', () => {
  const state = newState();
  toolgraph(['run', graph('live'), 'walk', '--state', state], { ok: false });
  return use(graph('live'), { state }, async (page) => {
    await press(page, 'r');
    await page.locator('.runs button').first().click();
    await page.waitForFunction(() => document.querySelector('.step-head')?.innerText.includes('step 2.5/2'));
    assert.match(await text(page, '.inspector .failure'), /stop 6 is closed/);
    await blur(page);
    await press(page, 'o', 'o');
    await page.waitForFunction(() => document.querySelector('.step-head')?.innerText.includes('item 5'));
    await page.waitForSelector('.row .unfold'); // the step with parts is drawn
    await page.focus('.timeline .virtual');
    await press(page, 'ArrowUp');
    await page.waitForFunction(() => document.querySelector('.step-head')?.innerText.includes('step 1'));
    await press(page, 'ArrowDown', 'ArrowRight');
    await page.waitForFunction(() => document.querySelectorAll('.row.of-part').length === 6);
    assert.match(await text(page, '.row .unfold'), /▾ 6 parts, 1 failed/);
    await press(page, 'ArrowDown', 'ArrowRight');
    await page.waitForFunction(() => [...document.querySelectorAll('.row[data-depth="2"]')].map((r) => r.querySelector('.row-node').innerText).join() === 'entry,slow,check,exit');
    // Parts that ran at the same time overlap on the axis, and a step of a frame is below its part.
    const bars = await page.locator('.row.of-part .bar .took').evaluateAll((all) => all.map((bar) => bar.getBoundingClientRect()).map(({ left, right }) => ({ left, right })));
    assert.ok(bars[1].left < bars[0].right && bars[2].left < bars[1].right, 'the parts are drawn one after the other');
    const inner = await page.locator('.row[data-depth="2"] .bar .took').nth(1).evaluate((bar) => bar.getBoundingClientRect().left);
    assert.ok(inner >= bars[0].left - 2 && inner <= bars[0].right, 'a step lies outside its part');
    await press(page, 'ArrowDown', 'ArrowDown', 'Enter');
    await page.waitForFunction(() => document.querySelector('.step-head')?.innerText.includes('step 2.0/1'));
  });
});

test('steps are found by node, failure, edit and time, by the server', () => use(graph('loop'), { state: newState() }, async (page) => {
  await submit(page); // 10,005 steps
  await status(page, 'finished');
  const matches = (n) => page.waitForFunction((want) => document.querySelector('.sieve [role=status]')?.innerText === want, n);
  await page.fill('#find-step', 'more');
  await matches('5,001 matches');
  await page.waitForSelector('.row .row-index:text-is("2")');
  assert.ok(await page.locator('.row').count() < 80);
  assert.ok((await nodes(page)).every((n) => n.endsWith(' more')));
  await page.locator('.slider input').fill('7000');
  await page.click('[aria-label="Next match"]');
  await page.waitForFunction(() => document.querySelector('.slider-text').innerText.startsWith('7002 '));
  await page.click('[aria-label="Previous match"]');
  await page.waitForFunction(() => document.querySelector('.slider-text').innerText.startsWith('7000 '));
  await page.evaluate(() => { document.querySelector('.timeline .virtual').scrollTop = 4000 * 30; });
  await page.waitForSelector('.row .row-index:text-is("8002")');
  await page.fill('.slower input', '3600000');
  await matches('0 matches');
  await page.waitForSelector('text=No step matches');
  await page.click('.sieve >> text=Clear');
  assert.equal(await page.inputValue('#find-step'), '');
  await page.click('.chip >> text=failed');
  await matches('0 matches');
}));

test('parts that failed are found', () => {
  const state = newState();
  return use(graph('live'), { state }, async (page) => {
    toolgraph(['run', graph('live'), 'walk', '--state', state], { ok: false });
    await press(page, 'r');
    await page.locator('.runs button').first().click();
    await page.waitForFunction(() => document.querySelector('.step-head')?.innerText.includes('step 2.5/2'));
    await blur(page);
    await press(page, 'o', 'o');
    await page.click('.chip >> text=failed');
    await page.waitForFunction(() => document.querySelectorAll('.timeline .row').length === 2);
    assert.deepEqual(await nodes(page), ['2 stops', '2.5 5']);
  });
});
