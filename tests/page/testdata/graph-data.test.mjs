import { accessible, assert, blur, graph, press, status, submit, test, text, use } from './lib.mjs';
import { entry, exit, file, set } from './graphs.mjs';

const tip = '.node-tip';
const said = (page, part) => page.waitForFunction((t) => document.querySelector('.node-tip')?.innerText.includes(t), part);
const gone = (page) => page.waitForSelector(tip, { state: 'detached' });

test('the pointer on a node shows its last output, which stays under the pointer and goes with Escape', () => use(graph('loop'), {}, async (page) => {
  await page.fill('#field-n', '3');
  await submit(page);
  await status(page, 'finished');
  await page.hover('[data-node=add] .body');
  await said(page, '6'); // 1 + 2 + 3
  assert.match(await text(page, tip), /last output, step 7/);
  assert.equal(await page.locator('[data-node=add]').getAttribute('aria-describedby'), 'node-tip');
  await page.hover(`${tip} pre`);
  await page.waitForTimeout(600); // longer than it stays without the pointer
  assert.equal(await page.locator(tip).count(), 1);
  await press(page, 'Escape');
  await gone(page);
  await page.hover('[data-node=total] .body');
  await said(page, '{"total":6}');
  await page.mouse.move(1400, 500);
  await gone(page);
}));

test('the keyboard on a node shows its last output at the step that is inspected', () => use(graph('loop'), {}, async (page) => {
  await page.fill('#field-n', '3');
  await submit(page);
  await status(page, 'finished');
  await blur(page);
  await press(page, 'Home', 'j', 'j', 'j'); // add for the first time
  await page.waitForSelector('.node.current[data-node=add]');
  await page.focus('[data-node=more]');
  await press(page, 'ArrowDown');
  await page.waitForFunction(() => document.activeElement.dataset.node === 'add');
  await said(page, 'step 3');
  assert.equal(await text(page, `${tip} pre`), '1');
  await press(page, 'j', 'j'); // and for the second
  await said(page, 'step 5');
  assert.equal(await text(page, `${tip} pre`), '3');
  await press(page, 'Escape');
  await gone(page);
  await press(page, 'ArrowUp');
  await page.waitForFunction(() => document.activeElement.dataset.node === 'more');
  await said(page, '"add"');
  for (const colorScheme of ['light', 'dark']) {
    await page.emulateMedia({ colorScheme });
    await accessible(page, colorScheme, '.graph');
  }
}));

test('data stand beside the nodes on demand, and are those of the step that is inspected', () => use(graph('loop'), {}, async (page) => {
  await page.fill('#field-n', '3');
  await submit(page);
  await status(page, 'finished');
  assert.equal(await page.locator('.canvas .data').count(), 0);
  await blur(page);
  await press(page, 'v');
  const data = (id) => page.evaluate((of) => document.querySelector(`[data-node="${of}"]`).nextElementSibling.querySelector('.data text').textContent, id);
  const becomes = (id, value) => page.waitForFunction(([of, v]) => document.querySelector(`[data-node="${of}"]`).nextElementSibling.querySelector('.data text')?.textContent === v, [id, value]);
  await becomes('total', '{"total":6}');
  assert.equal(await data('add'), '6');
  await page.reload(); // it is remembered
  await page.waitForSelector('.canvas .data');
  await page.waitForSelector('.node.ran');
  await blur(page);
  await press(page, 'Home', 'j', 'j', 'j');
  await becomes('add', '1');
  assert.equal(await data('total'), 'not run');
  await accessible(page, 'data', '.graph');
  await page.click('[aria-label="Data beside the nodes"]');
  await page.waitForFunction(() => !document.querySelector('.canvas .data'));
}));

test('what is long or would break out of the drawing is shortened text', () => use(file('wild', { wild: [entry('long'), set('long', 'marked', '$join([1..2000].$string($), " ")'), set('marked', 'exit', '"<img src=x onerror=alert(1)>"'), exit] }), {}, async (page) => {
  await submit(page);
  await status(page, 'finished');
  await page.hover('[data-node=long] .body');
  await said(page, '1 2 3');
  assert.ok((await text(page, `${tip} pre`)).length < 200, 'the preview is not bounded');
  await page.hover('[data-node=marked] .body');
  await said(page, '<img src=x');
  assert.equal(await page.locator(`${tip} img`).count(), 0);
}));
