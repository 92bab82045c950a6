import { accessible, assert, blur, example, graph, press, status, submit, test, text, use } from './lib.mjs';

const runs = (page) => page.evaluate(() => fetch('/api/runs').then((a) => a.json()).then((a) => a.runs.length));

test('F5 reloads the page and runs nothing', () => use(graph('loop'), {}, async (page) => {
  await page.fill('#field-n', '3');
  await blur(page);
  const took = await page.evaluate(() => {
    const e = new KeyboardEvent('keydown', { key: 'F5', bubbles: true, cancelable: true });
    document.body.dispatchEvent(e);
    return e.defaultPrevented;
  });
  assert.equal(took, false, 'the page keeps F5 from the browser');
  await press(page, 'F5', 'Shift+F5');
  await page.waitForTimeout(300); // a run would begin
  assert.equal(await runs(page), 0);
}));

test('runs are begun, continued and stopped by keys', () => use(graph('loop'), {}, async (page) => {
  await page.focus('#field-n'); // also while typing
  await page.fill('#field-n', '3');
  await press(page, 'Control+Shift+Enter');
  await status(page, 'paused');
  const standsAfter = (steps) => page.waitForFunction((n) => document.querySelector('.controls .status.paused') && document.querySelector('.timeline-head').innerText.includes(n), steps);
  await press(page, 'F10');
  await standsAfter('1 step');
  await press(page, 'F11');
  await standsAfter('2 steps');
  await press(page, 'Shift+F11');
  await status(page, 'finished');
  await blur(page);
  await press(page, 'r'); // the form is not on the screen any more
  await page.waitForSelector('.runs li');
  await press(page, 'Control+Enter');
  await page.waitForFunction(() => document.querySelectorAll('.runs li').length === 2);
  await press(page, 't');
  const ended = async () => { // also for the page, which begins no run while it begins one
    await page.waitForSelector('#debug-button:enabled');
    await status(page, 'finished');
  };
  await ended();
  await press(page, 'Control+Shift+Enter');
  await status(page, 'paused');
  await press(page, 'F8');
  await ended();
  await press(page, 'Control+Shift+Enter');
  await status(page, 'paused');
  await press(page, 'Shift+F8');
  await status(page, 'cancelled');
  assert.equal(await runs(page), 4);
  await press(page, '3');
  await page.focus('#try-source');
  await press(page, 'Control+Enter'); // an expression is no argument
  await page.waitForTimeout(300);
  assert.equal(await runs(page), 4);
}));

test('Ctrl+Enter shows what is wrong in the form', () => use(graph('loop'), {}, async (page) => {
  await page.fill('#field-n', 'many');
  await blur(page);
  await press(page, 'r');
  await press(page, 'Control+Enter');
  await page.waitForSelector('#field-n-wrong');
  await page.waitForFunction(() => document.activeElement.id === 'field-n');
}));

test('Ctrl+Enter in a question sends its answer', () => use(graph('ask'), {}, async (page) => {
  await submit(page);
  await status(page, 'waiting');
  await page.focus('.question input');
  await press(page, 'Control+Enter');
  await page.waitForSelector('.question .wrong >> text=required');
  assert.equal(await runs(page), 1);
}));

// Every key that is described has an effect, and every key that a button names is described.
test('the help has all keys, and each of them works', () => use(example('03-collect-todos'), {}, async (page) => {
  await press(page, '?');
  const listed = await page.locator('dialog kbd').allTextContents();
  assert.ok(listed.includes('Ctrl+Enter') && listed.includes('F8') && listed.includes('Shift+F8'), listed.join());
  assert.ok(!listed.includes('F5') && !listed.includes('F6'), listed.join());
  await accessible(page, 'help');
  await press(page, 'Escape');
  await page.waitForSelector('dialog', { state: 'detached' });
  const named = () => page.evaluate(() => [...document.querySelectorAll('button[title]')].map((b) => b.title.match(/\(([^()]{1,20})\)$/)?.[1]).filter(Boolean));
  const missing = (names) => assert.deepEqual(names.filter((n) => !listed.includes(n) && n !== 'Esc'), []);
  missing(await named());
  await page.fill('#field-directory', 'data/notes');
  await page.fill('#field-pattern', '*.md');
  await press(page, 'Control+Enter');
  await status(page, 'finished');
  await blur(page);
  const at = () => text(page, '.slider-text');
  await press(page, 'Home');
  assert.match(await at(), /^0 /);
  await press(page, 'j', 'j', 'k');
  assert.match(await at(), /^1 /);
  await press(page, 'End');
  assert.equal(await at(), 'end');
  for (const [key, tab] of [['2', 'context'], ['3', 'try'], ['4', 'source'], ['1', 'step']]) {
    await blur(page);
    await press(page, key);
    await page.waitForSelector(`#panel-${tab}`);
  }
  for (const [key, tab] of [['r', 'runs'], ['t', 'tools']]) {
    await press(page, key);
    await page.waitForFunction((id) => document.activeElement.id === `tab-${id}`, tab);
  }
  const theme = () => page.evaluate(() => document.documentElement.dataset.theme);
  const before = await theme();
  await press(page, 'd');
  assert.notEqual(await theme(), before);
  const scale = () => page.evaluate(() => document.querySelector('.canvas').innerHTML);
  for (const key of ['+', 'f', '-']) {
    const was = await scale();
    await press(page, key);
    await page.waitForFunction((old) => document.querySelector('.canvas').innerHTML !== old, was);
  }
  await press(page, '/');
  await page.waitForFunction(() => document.activeElement.id === 'find-node');
  missing(await named());
}));

test('single letters can be switched off', () => use(graph('loop'), {}, async (page) => {
  await press(page, '?');
  await page.uncheck('dialog .switch input');
  await press(page, 'Escape');
  await press(page, '4');
  await page.waitForTimeout(200);
  assert.equal(await page.locator('#panel-source').count(), 0);
  await page.reload();
  await page.waitForSelector('.node');
  await press(page, '4', '?');
  await page.waitForTimeout(200);
  assert.equal(await page.locator('#panel-source').count(), 0);
  assert.equal(await page.locator('dialog').count(), 0);
}));

test('the keys of nodes, steps, tabs and the list of tools', () => use(graph('frames'), {}, async (page) => {
  const focused = (name) => page.waitForFunction((n) => document.activeElement.dataset.node === n, name);
  await page.focus('[data-node=entry]');
  await press(page, 'ArrowDown', 'ArrowDown');
  await focused('stops');
  await page.focus('[data-node=entry]');
  await page.evaluate(() => { // keys that come before the page draws again
    for (let n = 0; n < 2; n++) document.activeElement.dispatchEvent(new KeyboardEvent('keydown', { key: 'ArrowDown', bubbles: true }));
  });
  await focused('stops');
  for (const [key, name] of [['b', 'stops'], ['e', 'stops[]']]) {
    await press(page, key);
    await page.waitForSelector(`[data-stop="${name}"].set`);
    if (key === 'b') {
      await press(page, 'c');
      await page.waitForSelector('dialog >> text=Pause the run when');
      await press(page, 'Escape');
      await page.waitForSelector('dialog', { state: 'detached' });
      await page.focus('[data-node=stops]');
    }
    await press(page, key);
    await page.waitForSelector(`[data-stop="${name}"].set`, { state: 'detached' });
  }
  await press(page, 'Control+Shift+Enter');
  await status(page, 'paused');
  await page.waitForSelector('.node.current[data-node=entry]');
  await page.focus('[data-node=stops]');
  await press(page, 'u');
  await page.waitForSelector('.node.current[data-node=stops]');
  await press(page, 'F8');
  await status(page, 'finished');
  await page.focus('[data-node=stops]');
  await press(page, 'Enter');
  await page.waitForFunction(() => document.querySelector('.step-head')?.innerText.includes('stops'));
  await page.focus('[data-node=stops]');
  await press(page, 'i');
  await page.waitForSelector('.row.part');
  await page.focus('.timeline .virtual');
  await press(page, 'ArrowLeft');
  await page.waitForSelector('.row.part', { state: 'detached' });
  await press(page, 'ArrowRight');
  await page.waitForSelector('.row.part');
  const at = await page.locator('.row[aria-selected=true]').getAttribute('id');
  await press(page, 'ArrowDown');
  await page.waitForFunction((id) => document.querySelector('.row[aria-selected=true]')?.id !== id, at);
  await press(page, 'Enter');
  await page.waitForSelector('#panel-step');
  await press(page, 'i');
  await page.waitForSelector('.trail');
  await blur(page);
  await press(page, 'o');
  await page.waitForSelector('.trail', { state: 'detached' });
  await page.focus('#tab-step');
  await press(page, 'ArrowRight');
  await page.waitForSelector('#tab-context:focus');
  await press(page, 'End');
  await page.waitForSelector('#tab-source:focus');
  await page.focus('.tools [aria-selected=true]');
  await press(page, 'ArrowDown', 'Enter');
  await page.waitForSelector('#run-form h2 >> text=stop');
}));
