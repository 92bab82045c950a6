import { accessible, assert, blur, graph, newState, press, shot, status, submit, test, use } from './lib.mjs';

const at = async (page, node) => {
  await page.focus(`[data-node="${node}"]`);
  await press(page, 'Enter');
};
const head = (page, has) => page.waitForFunction((words) => words.every((w) => document.querySelector('.step-head')?.innerText.includes(w)), has);
const label = (page, node) => page.getAttribute(`[data-node="${node}"]`, 'aria-label');
const row = (page, name) => page.locator('.row', { has: page.locator(`.row-node:text-is("${name}")`) });
const boxes = (page) => page.evaluate(() => Object.fromEntries([...document.querySelectorAll('.canvas .node')].map((n) => {
  const { x, y, right, bottom } = n.querySelector('.body:not(.behind)').getBoundingClientRect();
  return [n.dataset.node, { x, y, right, bottom }];
})));

// The drawing: an arrow for each read, for each step of after, and for the order around what changes; a block has its steps in it.
test('steps are a graph, and blocks are opened and closed', () => use(graph('steps'), {}, async (page) => {
  const edges = (kind) => page.locator(`.edge.${kind} > path[marker-end]`).count();
  assert.deepEqual([await edges('read'), await edges('after'), await edges('order')], [10, 2, 4]);
  const { texts, ...others } = await boxes(page);
  for (const name of ['texts.body', 'texts.extra', 'texts.both']) {
    const b = others[name];
    assert.ok(b.x > texts.x && b.right < texts.right && b.y > texts.y && b.bottom < texts.bottom, `${name} is not in its block`);
  }
  for (const name of ['pages', 'job', 'sum', 'saved']) {
    const b = others[name];
    assert.ok(b.right < texts.x || b.x > texts.right || b.bottom < texts.y || b.y > texts.bottom, `${name} is over the block`);
  }
  assert.match(await label(page, 'texts'), /block texts, 3 parts, for each item, skipped on error, not run/);
  assert.match(await label(page, 'deeper'), /if args\.deep/);
  assert.match(await label(page, 'saved'), /changes something/);
  assert.match(await label(page, 'job'), /repeated/);
  await page.focus('[data-node=texts]');
  await press(page, 'i');
  await page.waitForFunction(() => !document.querySelector('[data-node="texts.body"]'));
  assert.equal(await page.getAttribute('[data-node=texts]', 'aria-expanded'), 'false');
  await press(page, 'i');
  await page.waitForSelector('[data-node="texts.body"]');
  await page.focus('[data-node="texts.both"]');
  await press(page, 'ArrowUp', 'ArrowRight');
  assert.equal(await page.evaluate(() => document.activeElement.dataset.node), 'texts.extra');
  await press(page, 'ArrowUp'); // out of the block
  assert.equal(await page.evaluate(() => document.activeElement.dataset.node), 'texts');
  await page.fill('#find-node', 'both');
  await press(page, 'Enter');
  assert.equal(await page.evaluate(() => document.activeElement.dataset.node), 'texts.both');
  await accessible(page, 'steps');
}));

// A run: states, the list of steps, items and turns, the way from item to item, what each step evaluated, the time axis.
test('a run of steps', () => use(graph('steps'), { state: newState(), viewport: { width: 1440, height: 1060 } }, async (page) => {
  await blur(page);
  await press(page, '0'); // near enough for the words
  await submit(page);
  await status(page, 'finished');
  await page.waitForSelector('[data-node=saved].ran');
  assert.match(await label(page, 'deeper'), /not run: its if does not hold/);
  assert.match(await label(page, 'texts'), /ran, item 0, 4 items, an error was handled/);
  await page.waitForSelector('.row >> text=its if does not hold');
  assert.deepEqual(await page.locator('.row .row-node').allInnerTexts(), ['entry', 'steps', 'greeting', 'pages', 'texts', 'deeper', 'job', 'sum', 'saved', 'checked', 'exit']);

  await at(page, 'texts');
  await head(page, ['texts', 'step 1.texts']);
  await row(page, 'texts').locator('.unfold').click();
  await page.waitForFunction(() => document.querySelectorAll('.row[data-depth="2"] .took').length === 4);
  const bars = await page.locator('.row[data-depth="2"] .took').evaluateAll((all) => all.map((b) => b.getBoundingClientRect()).map(({ left, right }) => [left, right]));
  assert.ok(bars[1][0] < bars[0][1] && bars[2][0] >= Math.min(bars[0][1], bars[1][1]) - 2, `two items at a time: ${JSON.stringify(bars)}`);
  await shot(page, 'steps');

  await page.locator('.row[data-depth="2"]').nth(2).click(); // the item that failed
  await head(page, ['texts', 'item 2']);
  await page.waitForSelector('.inspector >> text=Handled by onError');
  await page.waitForFunction(() => /item 2/.test(document.querySelector('.along-text').textContent));
  await page.waitForSelector('[data-node="texts.extra"].failed');
  await page.click('[data-node=texts] .along >> nth=0'); // the next item
  await head(page, ['texts', 'item 3']);
  await page.waitForSelector('[data-node="texts.extra"].skipped');
  await at(page, 'texts.extra');
  await head(page, ['texts.extra', 'item 3 of texts']);
  await page.waitForSelector('.decision >> text=because its if does not hold');
  assert.match(await page.locator('[aria-label="If "]').innerText(), /\$page = 3[\s\S]*gives\s*false[\s\S]*\$page\s*4/);
  await press(page, '2');
  await page.waitForFunction(() => /\$page/.test(document.querySelector('.inspector [role=tree]')?.innerText));
  await press(page, '1');
  await at(page, 'sum'); // the block still shows the item
  await page.waitForFunction(() => /item 3/.test(document.querySelector('.along-text').textContent));

  await at(page, 'job');
  await page.click('.facts >> text=3 turns');
  await row(page, 'turn 2').click();
  await head(page, ['job', 'turn 2', 'step 1.job@2']);
  assert.match(await page.locator('[aria-label="Repeat until "]').innerText(), /gives\s*false/);
  await blur(page);
  await press(page, 'j', 'k', 'k'); // from step to step
  await head(page, ['deeper']);
  await page.waitForFunction(() => location.hash.endsWith('deeper')); // it follows a moment later
  await page.reload();
  await head(page, ['deeper', 'step 1.deeper']); // the place is in the address
  await page.fill('#find-step', 'extra');
  await page.waitForSelector('.sieve >> text=4 matches');
}));

// The graph that a step calls is looked into, for an item of many.
test('the graphs that items call', () => use(graph('steps'), {}, async (page) => {
  await page.click('[data-tool=calls]');
  await page.fill('#field-n', '1500');
  await submit(page);
  await status(page, 'finished');
  await at(page, 'each');
  await row(page, 'each').locator('.unfold', { hasText: '1,500 items' }).click();
  await page.waitForSelector('.row[data-depth="2"] .row-into');
  await page.evaluate(() => { document.querySelector('.timeline .virtual').scrollTop = 1200 * 30; });
  await page.waitForFunction(() => document.querySelector('#step-1203 .row-value')?.innerText.includes('2402'));
  assert.ok(await page.locator('.row').count() < 80, 'items that nobody sees are drawn');
  await page.locator('#step-1203 .row-into').click();
  await page.waitForSelector('.trail >> text=each, item 1200');
  await at(page, 'twice');
  await head(page, ['twice']);
  await blur(page);
  await press(page, 'o');
  await head(page, ['each', 'item 1200']);
}));

// Breakpoints at a step and at the items of one; several are paused; a value is edited before what reads it.
test('steps are debugged', () => use(graph('steps'), { state: newState() }, async (page) => {
  await page.focus('[data-node=texts]');
  await press(page, 'e');
  await page.focus('[data-node=sum]');
  await press(page, 'b', 'Control+Enter');
  await page.waitForFunction(() => [...document.querySelectorAll('.held-parts li button.mono')].some((b) => b.innerText === '1.texts.1'));
  await status(page, 'paused');
  await head(page, ['texts', 'item 0']);
  await press(page, 'F11'); // into the block of this item
  await head(page, ['texts.', 'item 0 of texts']);
  await page.waitForSelector('[data-node=texts].begun .badge-stands');
  await page.focus('[data-node=sum]');
  await press(page, 'Enter');
  await page.waitForFunction(() => /waits for\s*texts/.test(document.querySelector('.facts')?.innerText));
  await page.focus('[data-node=texts]');
  await press(page, 'e'); // no breakpoint at items any more
  await blur(page);
  await press(page, 'F8');
  await page.waitForFunction(() => document.querySelector('.step-head')?.innerText.startsWith('sum'));
  await page.waitForFunction(() => /Would give/.test(document.querySelector('.inspector')?.innerText));
  await accessible(page, 'paused at a step');
  await at(page, 'texts');
  await head(page, ['texts', 'step 1.texts']);
  await page.click('.inspector .button:has-text("Edit")');
  await page.waitForFunction(() => document.querySelector('dialog textarea')?.value.includes('40'));
  await page.fill('dialog textarea', '[1, 2]');
  await page.click('dialog >> text=Save');
  await page.waitForSelector('[data-node=texts] .badge-edited');
  await at(page, 'pages');
  await head(page, ['pages', 'step 1.pages']);
  assert.equal(await page.locator('.inspector .button:has-text("Edit")').count(), 0); // texts has read it
  await page.focus('[data-node=saved]');
  await press(page, 'u');
  await head(page, ['saved']);
  await blur(page);
  await press(page, 'F8');
  await status(page, 'finished');
  await page.waitForFunction(() => /sum 3 after job 3/.test(document.querySelector('.inspector')?.innerText));
}));

// A failed run opens at the step in the blocks; it is run again from a step with another value.
test('a step that failed, and a fork', () => use(graph('steps'), { state: newState() }, async (page) => {
  await page.click('[data-tool=fails]');
  await submit(page);
  await status(page, 'error');
  await page.click('.facts .linkish >> text=1.outer.inner.1.broken');
  await head(page, ['outer.inner.broken', 'item 1 of inner']);
  assert.equal(await page.locator('.node.failed').count(), 3); // the step and the blocks around it
  assert.ok(await page.locator('[data-node=report]:not(.ran)').count());
  await blur(page);
  await press(page, 'a');
  await page.waitForSelector('dialog select');
  assert.deepEqual(await page.locator('dialog option').allInnerTexts(), ['none', 'outer.inner.word']);
  await page.selectOption('dialog select', 'outer.inner.word');
  await page.waitForFunction(() => document.querySelector('dialog textarea')?.value === '"b"');
  await page.fill('dialog textarea', '"c"');
  await page.click('dialog [type=submit]');
  await page.waitForSelector('.origin');
  await status(page, 'finished');
  await page.waitForFunction(() => document.querySelector('.inspector [aria-label=Result]')?.innerText.includes('c'));
}));
