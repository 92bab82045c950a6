import { spawn } from 'node:child_process';
import { assert, BINARY, blur, graph, newState, press, status, submit, test, text, toolgraph, use } from './lib.mjs';

const tool = (page, name) => page.click(`.tools >> text="${name}"`);
const shown = '.question:not([hidden])';

test('questions of runs and servers are answered by the keyboard, several at a time', () => use(graph('live'), { state: newState() }, async (page) => {
  await tool(page, 'wait');
  await submit(page);
  await page.waitForSelector(`${shown} >> text=Go on?`);
  await status(page, 'waiting');
  assert.match(await text(page, '.doing'), /for an answer/);
  await tool(page, 'colour');
  await submit(page);
  await page.waitForSelector('.question >> text=1 of 2, next');
  await blur(page);
  await press(page, 'q', 'Tab', 'Tab', 'Tab', 'Enter'); // Accept, Decline, Cancel, next
  await page.waitForSelector(`${shown} >> text=Which colour for the wall?`);
  await blur(page);
  await press(page, 'q');
  await page.keyboard.type('green');
  await press(page, 'Enter');
  await status(page, 'finished');
  await page.waitForFunction(() => document.querySelector('.inspector .tree')?.innerText.includes('green'));
  await page.waitForSelector(`${shown} >> text=Go on?`);
  await blur(page);
  await press(page, 'q', 'Enter');
  await page.waitForFunction(() => !document.querySelector('.question'));
  await press(page, 'r');
  await page.waitForFunction(() => [...document.querySelectorAll('.runs .status')].every((s) => s.innerText === 'finished'));
}));

// another serves the file in a process of its own, which calls its tool wait for a client that can be asked, and never answers.
function another(state) {
  const serve = spawn(BINARY, ['serve', graph('live'), '--state', state], { stdio: ['pipe', 'pipe', 'ignore'] });
  const send = (message) => serve.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  send({ id: 1, method: 'initialize', params: { protocolVersion: '2025-06-18', capabilities: { elicitation: {} }, clientInfo: { name: 'test', version: '1' } } });
  send({ method: 'notifications/initialized' });
  send({ id: 2, method: 'tools/call', params: { name: 'wait', arguments: {} } });
  serve.stdout.resume();
  return serve;
}

// openWaiting opens the run of another process, which waits for an answer.
async function openWaiting(page) {
  await press(page, 'r');
  await page.waitForSelector('.runs .status.waiting');
  await page.click('.runs button');
  await page.waitForFunction(() => document.querySelector('.doing')?.innerText === 'for an answer, in another process');
}

test('a run of another process is followed and cancelled', () => {
  const state = newState();
  const serve = another(state);
  return use(graph('live'), { state }, async (page) => {
    try {
      await openWaiting(page);
      await blur(page);
      await press(page, 'Shift+F8');
      await status(page, 'cancelled');
      await page.waitForSelector('.runs .status.cancelled');
      assert.ok(await page.locator('.controls [aria-label^=Stop]').isDisabled());
    } finally {
      serve.kill('SIGKILL');
    }
  });
});

test('a run of another process that waits says where its question is answered', () => {
  const state = newState();
  const serve = another(state);
  return use(graph('live'), { state }, async (page) => {
    try {
      await openWaiting(page);
      await page.waitForFunction(() => document.querySelector('.inspector')?.innerText.includes('answer it there'));
      assert.match(await text(page, '.question-text'), /Go on\?/);
      assert.equal(await page.locator(shown).count(), 0);
    } finally {
      serve.kill('SIGKILL');
    }
    await page.waitForSelector('.runs .status.interrupted');
    await page.waitForFunction(() => document.querySelector('.inspector')?.innerText.includes('Resume the run'));
    assert.ok(toolgraph(['runs', 'list', '--state', state]).includes('interrupted'));
  });
});
