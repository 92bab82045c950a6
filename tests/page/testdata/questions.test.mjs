import { assert, graph, status, submit, test, text, use } from './lib.mjs';

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
  await page.click(`${shown} [type=submit]`);
  await status(page, 'finished');
  await page.waitForSelector('.row .tag >> text=confirmed');
  assert.equal(await page.locator('.question').count(), 0);
}));
