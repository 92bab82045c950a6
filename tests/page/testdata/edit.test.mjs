import { accessible, assert, blur, graph, press, status, test, use } from './lib.mjs';

const BIG = '9007199254740993';

// paused stops after the output of a node that can be edited, and opens its dialog.
async function paused(page) {
  await page.fill('#field-id', BIG);
  await press(page, 'Control+Shift+Enter');
  await status(page, 'paused');
  await blur(page);
  await press(page, 'F10');
  await page.waitForSelector('.node.current[data-node=same]');
  await page.click('#step-0');
  await open(page);
}
const open = (page) => page.click('.inspector >> text=Edit');
const value = (page) => page.inputValue('dialog textarea');
const gone = (page) => page.waitForSelector('dialog', { state: 'detached' });

test('an edit keeps the digits of what it leaves alone', () => use(graph('form'), {}, async (page) => {
  await paused(page);
  await page.waitForFunction((n) => document.querySelector('dialog textarea')?.value.includes(n), `"id": ${BIG}`);
  await page.fill('dialog textarea', (await value(page)).replace('"small"', '"large"'));
  await press(page, 'Control+Enter');
  await gone(page);
  await press(page, 'F8');
  await status(page, 'finished');
  const result = await page.evaluate(async () => {
    const { runs } = await (await fetch('/api/runs')).json();
    return (await fetch(`/api/runs/${runs[0].id}/whole?of=result`)).text();
  });
  assert.match(result, new RegExp(`"id":${BIG},.*"large"`));
}));

test('an edit that was not saved is there again after Escape', () => use(graph('form'), {}, async (page) => {
  await paused(page);
  await page.waitForFunction(() => document.querySelector('dialog textarea')?.value.includes('small'));
  await page.fill('dialog textarea', '{"id": 5');
  await press(page, 'Control+Enter');
  await page.waitForSelector('dialog .wrong >> text=line 1, column 9: expected "," or "}", found the end of the text');
  await press(page, 'Escape', 'Escape'); // the second one closes in any case
  await gone(page);
  await open(page);
  assert.equal(await value(page), '{"id": 5');
  await page.waitForSelector('dialog >> text=This is the text that was not saved');
  await accessible(page, 'the dialog', 'dialog');
  await page.mouse.click(5, 5); // beside it
  await gone(page);
  await open(page);
  assert.equal(await value(page), '{"id": 5');
  await page.click('dialog >> text=Discard it');
  await page.waitForFunction(() => document.querySelector('dialog textarea')?.value.includes('small'));
  await press(page, 'Escape');
  await gone(page);
}));
