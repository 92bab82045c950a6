import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { accessible, assert, graph, newState, status, submit, test, text, use } from './lib.mjs';

// Questions of runs: one at a time is shown, what was typed into another is kept; a form is filled in,
// a call confirmed, a question declined. What a question says is text.
test('questions are answered one at a time', () => use(graph('ask'), {}, async (page) => {
  const shown = '.question:not([hidden])';
  await submit(page);
  await status(page, 'waiting');
  await page.waitForSelector('.node.ask.current');
  assert.match(await text(page, `${shown} h2`), /The tool tidy asks/);
  assert.equal(await text(page, `${shown} .question-text`), 'Remove <img src=x onerror=alert(1)>?');
  await page.click(`${shown} [type=submit]`);
  await page.waitForSelector(`${shown} .wrong >> text=required`);
  await page.fill(`${shown} input`, 'spring');
  await submit(page); // another run, which asks too
  await page.click(`${shown} >> text=1 of 2, next`);
  await page.click(`${shown} button >> text=Decline`);
  await status(page, 'finished');
  await page.waitForFunction((at) => document.querySelector(`${at} input`)?.value === 'spring', shown);
  await page.click(`${shown} >> text=Show the run`);
  await status(page, 'waiting');
  await page.selectOption(`${shown} select`, 'true');
  await page.click(`${shown} [type=submit]`);
  await page.waitForSelector(`${shown} h2 >> text=Allow the call of files.list_directory?`);
  assert.match(await text(page, `${shown} .tag`), /effect: destroy/);
  // The call is described once on the screen: by the title, the effect and the arguments of the question.
  await page.waitForSelector('.inspector >> text=Its call is in the question');
  const said = await page.evaluate(() => document.querySelector('.question:not([hidden])').innerText + document.querySelector('.inspector').innerText);
  for (const [part, times] of [['files.list_directory', 1], ['{"path":"."}', 1], ['destroy', 1], ['overwrites something', 1], ['Arguments', 0], ['is about to call', 0]]) {
    assert.equal(said.split(part).length - 1, times, `${part} in ${said}`);
  }
  await accessible(page, 'a question about a call');
  await page.click('.inspector >> text=To the question');
  assert.ok(await page.evaluate(() => document.activeElement.matches('.question h2')));
  await page.click(`${shown} [type=submit]`);
  await status(page, 'finished');
  await page.waitForSelector('.row .tag >> text=confirmed');
  assert.equal(await page.locator('.question').count(), 0);
}));

// Arguments that the question truncates are shown as a whole at the step.
test('a call with long arguments has them at its step', () => {
  const path = join(newState(), 'long.yaml');
  writeFileSync(path, `version: "1.0"
server: {name: long, version: 1.0.0}
mcpServers: {files: {command: toolgraph, args: [demo-server, .]}}
tools:
  - name: send
    description: Sends much.
    nodes:
      - {id: entry, type: entry, next: call}
      - {id: call, type: mcp, server: files, tool: read_file, effect: write, confirm: true, args: {path: {expr: '$join([1..900].("word"))'}}, next: exit}
      - {id: exit, type: exit}
`);
  return use(path, {}, async (page) => {
    await submit(page);
    await page.waitForSelector('.question h2 >> text=Allow the call of files.read_file?');
    assert.match(await text(page, '.question .question-text'), /long texts are truncated/);
    await page.waitForSelector('.inspector [aria-label="Arguments of the call"]');
    await page.click('.question button >> text=Decline');
    await status(page, 'error');
  });
});
