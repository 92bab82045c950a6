import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { assert, graph, newState, press, test, text, toolgraph, use } from './lib.mjs';

// dated records a run and gives it another date and id, so many days ago.
function dated(state, days, id, ...args) {
  toolgraph(['run', graph('live'), ...args, '--state', state]);
  const it = JSON.parse(toolgraph(['runs', 'export', 'last', '--state', state]));
  toolgraph(['runs', 'rm', it.run.id, '--state', state]);
  const then = (iso) => new Date(new Date(iso).getTime() - days * 86_400e3).toISOString();
  const text = JSON.stringify(it).replaceAll(it.run.id, id).replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, then);
  const path = join(state, `${id}.json`);
  writeFileSync(path, text);
  toolgraph(['runs', 'import', path, '--state', state]);
}
const ids = (page) => page.locator('.runs input').evaluateAll((all) => all.map((box) => box.getAttribute('aria-label').replace('compare run ', '')));
const listed = (page, want) => page.waitForFunction((list) => [...document.querySelectorAll('.runs input')].map((box) => box.getAttribute('aria-label').replace('compare run ', '')).join() === list, want.join());

test('a run of yesterday is found by an argument', () => {
  const state = newState();
  dated(state, 8, 'LASTWEEK', 'slow', 'ms=1', 'note=apples');
  dated(state, 1, 'YESTERDAYPEARS', 'slow', 'ms=1', 'note=pears');
  dated(state, 1, 'YESTERDAYAPPLES', 'slow', 'ms=1', 'note=apples');
  dated(state, 0, 'TODAY', 'slow', 'ms=1', 'note=apples');
  return use(graph('live'), { state }, async (page) => {
    await press(page, 'r');
    await listed(page, ['TODAY', 'YESTERDAYAPPLES', 'YESTERDAYPEARS', 'LASTWEEK']);
    await page.click('text=Yesterday');
    await page.fill('[placeholder^=Find]', 'apples');
    await listed(page, ['YESTERDAYAPPLES']);
    await page.click('.runs button');
    await page.waitForSelector('.runs .chosen');
    await page.click('text=Clear the filter');
    await listed(page, ['TODAY', 'YESTERDAYAPPLES', 'YESTERDAYPEARS', 'LASTWEEK']);
    await page.click('text=Last 7 days');
    await listed(page, ['TODAY', 'YESTERDAYAPPLES', 'YESTERDAYPEARS']);
    await page.click('text=From – to');
    const local = (days) => new Date(Date.now() - days * 86_400e3 - new Date().getTimezoneOffset() * 60e3).toISOString().slice(0, 19);
    await page.fill('.span input >> nth=0', local(9));
    await page.fill('.span input >> nth=1', local(7));
    await listed(page, ['LASTWEEK']);
    await page.fill('[placeholder^=Find]', 'none such');
    await page.click('text=Show all runs');
    await listed(page, ['TODAY', 'YESTERDAYAPPLES', 'YESTERDAYPEARS', 'LASTWEEK']);
  });
});

// A status has the word that the terminal has; its class and the request have the one of JSON.
test('a run that failed is called failed wherever its status is', () => {
  const state = newState();
  toolgraph(['run', graph('frames'), 'stop', 'n=2', '--state', state], { ok: false });
  return use(graph('frames'), { state }, async (page) => {
    await press(page, 'r');
    assert.deepEqual(await page.locator('select[aria-label=status] option').allTextContents(), ['any status', 'running', 'paused', 'waiting', 'finished', 'failed', 'cancelled', 'interrupted']);
    await page.selectOption('select[aria-label=status]', { label: 'failed' });
    await page.waitForSelector('.runs .status.error');
    assert.equal(await text(page, '.runs .status'), 'failed');
    assert.match(toolgraph(['runs', 'list', '--status', 'failed', '--state', state]), / failed /);
    assert.match(toolgraph(['runs', 'list', '--status', 'error', '--state', state]), / failed /);
    assert.equal(JSON.parse(toolgraph(['runs', 'list', '--json', '--state', state])).runs[0].status, 'error');
    await page.click('.runs button');
    await page.waitForSelector('.controls .status.error');
    assert.equal(await text(page, '.controls .status'), 'failed');
    await page.waitForFunction(() => document.title.startsWith('stop, failed'));
  });
});

test('a long list has pages, stays where it is while runs arrive, and the chosen run stays in sight', () => {
  const state = newState();
  return use(graph('live'), { state, viewport: { width: 1440, height: 500 } }, async (page, url) => {
    await page.evaluate(async () => {
      for (let i = 0; i < 60; i++) {
        const begun = await (await fetch('/api/runs', { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: `{"tool":"slow","args":{"ms":1,"note":"run ${i}"}}` })).json();
        for (let ended = false; !ended;) ended = (await (await fetch(`/api/runs/${begun.id}`)).json()).ended;
      }
    });
    await page.click('#tab-runs');
    await page.waitForFunction(() => document.querySelectorAll('.runs li').length === 50);
    assert.match(await text(page, '.runs li:first-child .run-args'), /run 59/);
    await page.locator('.runs button').nth(30).click();
    await page.waitForSelector('.runs .chosen');
    await page.click('text=older runs');
    await page.waitForFunction(() => document.querySelectorAll('.runs li').length === 60);
    assert.equal(new Set(await ids(page)).size, 60);
    await page.locator('.runs .chosen').scrollIntoViewIfNeeded();
    const before = await page.locator('.runs .chosen').boundingBox();
    toolgraph(['run', graph('live'), 'slow', 'ms=1', 'note=new', '--state', state]);
    await page.waitForFunction(() => document.querySelectorAll('.runs li').length === 61);
    const after = await page.locator('.runs .chosen').boundingBox();
    assert.ok(Math.abs(after.y - before.y) < 2, `the chosen run moved from ${before.y} to ${after.y}`);
    await page.evaluate(() => { document.querySelector('.side-body').scrollTop = 0; });
    await page.click('#tab-tools');
    await page.click('#tab-runs');
    await page.waitForFunction(() => {
      const box = document.querySelector('.runs .chosen')?.getBoundingClientRect();
      return box && box.top > 0 && box.bottom <= innerHeight + 1;
    });
    assert.ok(url);
  });
});
