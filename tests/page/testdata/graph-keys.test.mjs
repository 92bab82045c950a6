import { assert, press, test, use } from './lib.mjs';
import { chainFile, entry, exit, fanFile, file, set } from './graphs.mjs';

const at = (page, id) => page.waitForFunction((of) => document.activeElement.dataset?.node === of, id);
const go = async (page, ...steps) => {
  for (const [key, id] of steps) {
    await press(page, `Arrow${key}`);
    await at(page, id);
  }
};
const inView = (page) => page.evaluate(() => {
  const pane = document.querySelector('.canvas').getBoundingClientRect();
  const { left, right, top, bottom } = document.activeElement.querySelector('.body').getBoundingClientRect();
  return left >= pane.left && right <= pane.right && top >= pane.top && bottom <= pane.bottom;
});

test('arrows lead along the edges, through rows in which neighbours are not side by side', () => use(fanFile(), {}, async (page) => {
  await page.focus('[data-node=entry]');
  await go(page, ['Down', 'which'], ['Down', 'way_1'], ['Right', 'way_2'], ['Right', 'way_3'], ['Down', 'exit'], ['Up', 'way_3'], ['Up', 'which'], ['Down', 'way_3'], ['Left', 'way_2']);
  for (let i = 3; i <= 12; i++) await go(page, ['Right', `way_${i}`]);
  await go(page, ['Right', 'other'], ['Down', 'exit'], ['Up', 'other']);
  await press(page, 'ArrowRight'); // the last one
  await at(page, 'other');
}));

test('arrows lead through columns, and what has the focus is in view', () => use(chainFile(60), {}, async (page) => {
  await page.focus('[data-node=entry]');
  await press(page, '0');
  for (let i = 1; i <= 60; i++) {
    await go(page, ['Down', `step_${i}`]);
    assert.ok(await inView(page), `step_${i} is out of view`);
  }
  await go(page, ['Down', 'exit'], ['Up', 'step_60']);
  const before = await page.evaluate(() => document.activeElement.getBoundingClientRect().left);
  await press(page, 'ArrowLeft'); // the column before
  await page.waitForFunction((x) => document.activeElement.getBoundingClientRect().right < x, before);
  assert.equal(await page.locator('.canvas [tabindex="0"]').count(), 1);
  assert.equal(await page.locator('.canvas [tabindex="0"]').getAttribute('data-node'), await page.evaluate(() => document.activeElement.dataset.node));
}));

test('loops and errors are not in the way of the arrows', () => use(file('turns', { turns: [entry('first'), set('first', 'more'),
  '{id: more, type: switch, conditions: [{rule: {"<": [{var: entry.n}, 3]}, next: work}], next: last}',
  '{id: work, type: graph, tool: inner, args: {n: 1}, onError: {next: mend}, next: more}', set('mend', 'last'), set('last', 'exit'), exit], inner: [entry('exit'), exit] }), {}, async (page) => {
  await page.focus('[data-node=entry]');
  await go(page, ['Down', 'first'], ['Down', 'more'], ['Down', 'work'], ['Down', 'mend'], ['Up', 'work'], ['Up', 'more'], ['Up', 'first'], ['Up', 'entry']);
  await press(page, 'ArrowUp');
  await at(page, 'entry');
}));
