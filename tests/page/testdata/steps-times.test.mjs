import { assert, blur, graph, newState, press, status, submit, test, text, toolgraph, use } from './lib.mjs';
import { entry, exit, file, set } from './graphs.mjs';

const tool = (page, name) => page.click(`.tools >> text="${name}"`);

test('a run that was seen live has the time of its record, and the axis ends with its last step', () => {
  const state = newState();
  return use(graph('live'), { state }, async (page) => {
    await tool(page, 'refused');
    await submit(page);
    await status(page, 'error');
    const kept = JSON.parse(toolgraph(['runs', 'list', '--json', '--state', state]));
    const run = (kept.runs ?? kept)[0];
    const shown = await page.evaluate((id) => fetch(`/api/runs/${id}`).then((r) => r.json()), run.id);
    assert.equal(shown.ms, run.durationMs ?? run.duration);
    const ends = await page.locator('.timeline .row .bar .took').evaluateAll((all) => Math.max(...all.map((bar) => (bar.getBoundingClientRect().right - bar.parentElement.getBoundingClientRect().left) / bar.parentElement.clientWidth)));
    assert.ok(ends > 0.9, `the last step ends at ${ends} of the axis`);
  });
});

test('the tab Step says how long a call has been running, and a pause that was asked for is taken back', () => use(graph('live'), { state: newState() }, async (page) => {
  await tool(page, 'slow');
  await page.fill('#field-ms', '6000');
  await submit(page);
  await page.waitForFunction(() => /running for [\d.]+ s/.test(document.querySelector('.step-head')?.innerText));
  const first = await text(page, '.step-head');
  await page.waitForFunction((was) => document.querySelector('.step-head')?.innerText !== was, first);
  await blur(page);
  await press(page, 'F8');
  await page.waitForFunction(() => document.querySelector('.doing')?.innerText === 'pausing after this call');
  await press(page, 'F8');
  await page.waitForFunction(() => /calls up\.slow/.test(document.querySelector('.doing')?.innerText));
  await page.click('[aria-label^="Pause"]');
  await page.click('[aria-label^="Continue: do not pause"]');
  await page.waitForSelector('[aria-label^="Pause"]:enabled');
  await status(page, 'finished');
}));

test('the node at which a run was cancelled has a sign of its own', () => use(graph('live'), { state: newState() }, async (page) => {
  await tool(page, 'slow');
  await submit(page);
  await page.waitForSelector('.row.begun .spinner');
  await blur(page);
  await press(page, 'Shift+F8');
  await status(page, 'cancelled');
  await page.waitForSelector('[data-node=call] .badge-cancelled');
  assert.match(await page.locator('[data-node=call]').getAttribute('aria-label'), /cancelled/);
  assert.equal(await page.locator('.badge-failed, .node.failed').count(), 0);
}));

const handled = () => file('handled', {
  each: [entry('stops'), "{id: stops, type: graph, tool: stop, forEach: {items: '[1..8]', maxParallel: 4}, args: {n: {expr: $item}}, onError: {value: null}, next: exit}", exit],
  stop: [entry('check'), set('check', 'exit', '$.entry.n % 2 = 0 ? $error("stop " & $.entry.n & " is closed") : $.entry.n'), exit],
});

test('failures of parts that onError took are counted, have a sign at the node, and are read in the rows', () => use(handled(), { state: newState() }, async (page) => {
  await submit(page);
  await status(page, 'finished');
  await page.waitForSelector('.row .unfold >> text=8 parts, 4 handled');
  await page.waitForSelector('[data-node=stops] .badge-caught');
  await page.click('.chip >> text=failed');
  await page.waitForFunction(() => document.querySelectorAll('.timeline .row').length === 4);
  for (const said of await page.locator('.row .row-value').allInnerTexts()) assert.match(said, /handled.*stop [2468] is closed/s);
}));
