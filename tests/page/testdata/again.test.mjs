import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { accessible, assert, blur, graph, GRAPHS, newState, press, shot, status, STATE, submit, test, toolgraph, use } from './lib.mjs';

const log = join(GRAPHS, 'again.txt');
const calls = () => {
  try {
    return readFileSync(log, 'utf8').trim().split('\n');
  } catch {
    return [];
  }
};
// fresh is a state with one finished run of the tool, and no call since.
function fresh() {
  const state = newState();
  rmSync(log, { force: true });
  toolgraph(['run', graph('again'), 'pay'], { state });
  rmSync(log, { force: true });
  return state;
}
const last = (state) => JSON.parse(toolgraph(['runs', 'export', 'last'], { state }));
const openLast = async (page) => {
  await press(page, 'r');
  await page.locator('.runs button').first().click();
  await page.waitForSelector('.timeline .row');
};
const result = (page, text) => page.waitForFunction((want) => document.querySelector('.inspector')?.innerText.includes(want), text);

// A step is run again with another value: what is before it is copied, and only what follows is called.
test('run again from a step with an edited value', () => {
  const state = fresh();
  return use(graph('again'), { state }, async (page) => {
    await openLast(page);
    await page.locator('.row', { hasText: 'pay' }).first().click();
    await blur(page);
    await press(page, 'a');
    await page.waitForSelector('dialog .again');
    const said = await page.locator('dialog').innerText();
    assert.match(said, /3 steps before this one are copied; 1 call of them is not made again/);
    assert.match(said, /pay\s+files\.append_line\s+writes\s+1 call/);
    await accessible(page, 'the fork dialog');
    await page.selectOption('dialog select', 'amount');
    await page.waitForFunction(() => document.querySelector('dialog textarea')?.value === '{\n  "n": 8\n}');
    await shot(page, 'fork');
    await page.fill('dialog textarea', '{"n": 90071992547409931');
    await page.click('dialog .primary');
    await page.waitForSelector('dialog [role=alert] >> text=expected JSON');
    await page.fill('dialog textarea', '{"n": 90071992547409931}');
    await page.click('dialog .primary');
    await status(page, 'finished');
    await result(page, '90071992547409931');
    assert.deepEqual(calls(), ['pay 90071992547409931'], 'the first call was made again, or a digit is lost');
    await page.waitForSelector('.row.edited >> text=amount');
    const bars = await page.locator('.timeline .row').evaluateAll((all) => all.map((row) => (row.querySelector('.bar .took') ? 'bar' : row.querySelector('.tag')?.innerText)));
    assert.deepEqual(bars.map((b) => b === 'copied'), bars.map((_, i) => i < 3), `steps that were copied have bars: ${bars}`);
    const made = last(state);
    assert.match(made.events[0].start.forkedFrom, /^\w+\/3$/);
    await page.click('.origin >> text=Compare');
    await page.waitForSelector('.compared >> text=They diverge at step 3');
    await press(page, 'Escape');
    await page.locator('.origin .mono').click();
    await page.waitForFunction(() => !document.querySelector('.origin') && document.querySelector('.step-head')?.innerText.includes('step 3'));
  });
});

// In the debugger the run stands before the step, and nothing was called.
test('a fork begins paused before its step', () => {
  const state = fresh();
  return use(graph('again'), { state }, async (page) => {
    await openLast(page);
    await page.locator('.row', { hasText: 'pay' }).first().click();
    await page.click('.inspector >> text=Run again from here');
    await page.click('dialog >> text=Debug');
    await status(page, 'paused');
    await page.waitForSelector('.node.current[data-node=pay]');
    assert.equal(await page.locator('.row').count(), 3, 'the copied steps');
    assert.deepEqual(calls(), []);
    await press(page, 'F8');
    await status(page, 'finished');
    assert.deepEqual(calls(), ['pay 8']);
  });
});

// A replay calls nothing, and says whether it is the same.
test('replay, whole and in steps', () => {
  const state = fresh();
  return use(graph('again'), { state }, async (page) => {
    await openLast(page);
    await blur(page);
    await press(page, 'End');
    await page.click('.inspector >> text="Replay"');
    await page.waitForSelector('.origin .badge >> text=the same');
    await page.locator('.origin .mono').click();
    await page.waitForFunction(() => !document.querySelector('.origin'));
    await press(page, 'End');
    await page.click('.inspector >> text=Replay in steps');
    await status(page, 'paused');
    await press(page, 'F10');
    await page.waitForSelector('.node.current[data-node=order]'); // a key is not kept while the run goes on
    await press(page, 'F10');
    await page.waitForSelector('.node.current[data-node=amount]');
    await press(page, 'F8');
    await status(page, 'finished');
    assert.deepEqual(calls(), [], 'a replay has called a server');
  });
});

// An interrupted run is resumed; what to do about its call in flight is asked as by the command line.
test('resume, with a decision about an in-doubt call', () => {
  const state = fresh();
  const run = last(state);
  const cut = run.events.findIndex((e) => e.kind === 'call-started' && e.step.nodeId === 'pay');
  for (const id of ['CUTA', 'CUTB']) {
    const events = run.events.slice(0, cut + 1).map((e) => ({ ...e, run: id, time: new Date().toISOString() }));
    writeFileSync(join(STATE, `${id}.json`), JSON.stringify({ ...run, run: { ...run.run, id }, events }));
    toolgraph(['runs', 'import', join(STATE, `${id}.json`)], { state });
  }
  return use(graph('again'), { state }, async (page) => {
    await press(page, 'r');
    await page.locator('.runs button', { hasText: 'interrupted' }).first().click();
    await page.waitForSelector('.inspector >> text=Resume the run');
    await blur(page);
    await press(page, 'a'); // a fork has to decide about the call as well
    await page.waitForSelector('dialog .decision');
    assert.ok(await page.locator('dialog .primary').isDisabled(), 'the call can be made again without a decision');
    await press(page, 'Escape');
    await page.click('.inspector >> text=Resume the run');
    await page.waitForSelector('dialog >> text=files.append_line');
    await accessible(page, 'the resume dialog');
    await page.click('dialog .primary'); // nothing decided: it ends before the call
    await status(page, 'error');
    await result(page, 'outcome is unknown');
    assert.deepEqual(calls(), []);
    await page.click('.inspector >> text=Resume the run');
    await page.click('dialog >> text=returned this value');
    await page.fill('dialog textarea', '{"line": 7}');
    await page.click('dialog .primary');
    await status(page, 'finished');
    assert.deepEqual(calls(), [], 'a call whose value was given was made');
    await page.locator('.runs button', { hasText: 'interrupted' }).first().click();
    await page.click('.inspector >> text=Resume the run');
    await page.click('dialog >> text=Repeat it');
    await page.click('dialog .primary');
    await status(page, 'finished');
    assert.deepEqual(calls(), ['pay 8']);
  });
});
