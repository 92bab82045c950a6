import { spawn } from 'node:child_process';
import { assert, BINARY, graph, newState, press, blur, status, submit, test, text, toolgraph, use } from './lib.mjs';

// A run of another process, as serve or run makes it; stop ends it as a user does.
function elsewhere(state, ...args) {
  const it = spawn(BINARY, ['run', graph('live'), ...args, '--state', state], { stdio: ['ignore', 'ignore', 'ignore'] });
  return () => it.kill('SIGKILL');
}
const tool = (page, name) => page.click(`.tools button:has(.mono:text-is("${name}"))`).catch(() => page.click(`.tools >> text="${name}"`));
const rows = (page) => page.locator('.runs li').evaluateAll((all) => all.map((li) => `${li.querySelector('.run-tool').innerText} ${li.querySelector('.status').innerText}`));

test('runs of all processes are listed by their age, as they happen', () => {
  const state = newState();
  toolgraph(['run', graph('live'), 'slow', 'ms=1', '--state', state]);
  return use(graph('live'), { state }, async (page) => {
    await tool(page, 'refused');
    await submit(page);
    await status(page, 'error');
    toolgraph(['run', graph('live'), 'slow', 'ms=1', 'note=later', '--state', state]); // while Tools is shown
    await page.click('#tab-runs');
    await page.waitForFunction(() => document.querySelectorAll('.runs li').length === 3);
    assert.deepEqual(await rows(page), ['slow finished', 'refused failed', 'slow finished']);
    const stop = elsewhere(state, 'many'); // while Runs is shown
    try {
      await page.waitForSelector('.runs li:first-child .status.running');
      assert.match(await text(page, '.runs li:first-child .elapsed'), /s$/);
      await page.click('.runs li:first-child button');
      await page.waitForFunction(() => document.querySelector('.row.begun .unfold')?.innerText.includes('4 running'));
      await page.waitForFunction(() => document.querySelector('.doing')?.innerText.includes('in another process'));
      await page.focus('.timeline .virtual');
      await press(page, 'ArrowRight'); // unfolds the step that runs
      await page.waitForFunction(() => document.querySelectorAll('.row.of-part.begun .spinner').length === 4);
      await page.waitForFunction(() => document.querySelectorAll('.row.of-part.begun .took.runs').length === 4);
    } finally {
      stop();
    }
    await page.waitForSelector('.runs li:first-child .status.interrupted');
    assert.equal(await page.locator('.row .spinner').count(), 0, 'what has ended does not run');
  });
});

test('a refused value looks failed, with the reason, in the list, the controls, the steps and the result', () => use(graph('live'), { state: newState() }, async (page) => {
  const reason = /does not fit its outputSchema/;
  await tool(page, 'refused');
  await submit(page);
  await status(page, 'error');
  assert.match(await text(page, '.doing'), reason);
  assert.match(await text(page, '.row.failed .row-value'), reason);
  assert.match(await text(page, '.inspector .failure'), reason);
  await page.click('#tab-runs');
  assert.match(await text(page, '.runs .run-reason'), reason);
}));

test('a cancelled run does not look like a failure; a failure has the lines of its own call', () => use(graph('live'), { state: newState() }, async (page) => {
  await tool(page, 'slow');
  await submit(page);
  await page.waitForSelector('.row.begun .spinner');
  await press(page, 'Shift+F8');
  await status(page, 'cancelled');
  await page.waitForSelector('.row.cancelled');
  assert.equal(await page.locator('.row.failed, .node.failed, .bar .failed, [role=alert]').count(), 0);
  const colour = (selector) => page.locator(selector).first().evaluate((e) => getComputedStyle(e).borderLeftColor);
  const quiet = await colour('.inspector .failure');
  await tool(page, 'refused');
  await page.fill('#field-text', 'in another run');
  await submit(page);
  await status(page, 'error');
  assert.notEqual(await colour('.inspector .failure'), quiet);
  await tool(page, 'die');
  await submit(page);
  await page.waitForFunction(() => document.querySelector('.inspector .failure')?.innerText.includes('out of paper'));
  assert.doesNotMatch(await text(page, '.inspector .failure'), /another run/);
}));
