// Two runs compared: a view of its own, with an address.
import { accessible, assert, graph, newState, press, status, test, text, toolgraph, use } from './lib.mjs';

// both have run the tool orders with two arguments, the later one first in the list.
function both() {
  const state = newState();
  for (const customer of ['loop', 'frames']) toolgraph(['run', graph('orders'), 'place_order', `customer=${customer}`, 'amount=20'], { state, ok: false });
  return state;
}
const pick = async (page) => {
  await press(page, 'r');
  await page.waitForSelector('.runs li:nth-child(2)');
  await page.click('.runs li:nth-child(1) input');
  await page.click('.runs li:nth-child(2) input');
  await page.waitForSelector('.compared .verdict');
};

test('two runs are compared as soon as the second is selected: on one axis, named as in the list, the earlier one first', () => use(graph('orders'), { state: both() }, async (page) => {
  await pick(page);
  const listed = await page.locator('.runs li').evaluateAll((all) => all.map((li) => li.querySelector('.run-args').innerText).reverse());
  assert.deepEqual(await page.locator('.compared-run .run-args').allInnerTexts(), listed);
  await page.waitForFunction(() => document.querySelectorAll('.compared .lanes svg .lane-bar').length >= 2);
  assert.equal(await page.locator('.graph').count(), 0, 'the run that was open is still shown');
  const [a, b] = await page.locator('.compared .axis-times').evaluateAll((all) => all.map((el) => el.ariaValueText));
  assert.equal(a, b);
  await page.waitForSelector('.compared .lanes .lit');
  assert.match(await text(page, '.compared .verdict'), /^They diverge at step \d/);
  assert.match(await text(page, '.compared'), /took about as long|took .* longer/);
  assert.match(page.url(), /compare=[^,]+,/);
  await accessible(page, 'compare');
  await page.locator('.compared .axis-times').first().focus();
  await press(page, '+');
  const zoomed = await page.locator('.compared .axis-times').evaluateAll((all) => all.map((el) => el.ariaValueText));
  assert.equal(zoomed[0], zoomed[1], 'one axis was zoomed alone');
  assert.notEqual(zoomed[0], a);
  await page.reload();
  await page.waitForSelector('.compared .verdict');
  await page.click('.compared .verdict >> text=in the second');
  await page.waitForSelector('.step-head');
  await page.waitForSelector('.compared', { state: 'detached' });
  await page.goBack();
  await page.waitForSelector('.compared .verdict');
  await page.click('.compared >> text=Close');
  await page.waitForSelector('.graph');
}));

test('runs that are the same are said to be; a bar opens its run at the step', () => {
  const state = newState();
  for (let i = 0; i < 2; i++) toolgraph(['run', graph('orders'), 'place_order', 'customer=loop', 'amount=20'], { state });
  return use(graph('orders'), { state }, async (page) => {
    await pick(page);
    assert.match(await text(page, '.compared .verdict'), /^They are the same: both took/);
    await page.waitForFunction(() => document.querySelectorAll('.compared .lanes svg .lane-bar').length >= 2);
    await page.locator('.compared .lanes-all').nth(1).focus();
    for (let i = 0; i < 8; i++) { // to a bar of one step
      await press(page, 'ArrowRight');
      if (!/steps from/.test(await page.locator('.lanes-said').nth(1).innerText())) break;
    }
    const said = await page.locator('.lanes-said').nth(1).innerText();
    await press(page, 'Enter');
    await page.waitForFunction((node) => document.querySelector('.step-head')?.innerText.includes(node), said.split(':')[0]);
  });
});

test('a run that was run again is compared with the one that it came from', () => use(graph('orders'), { state: both() }, async (page) => {
  await press(page, 'r');
  await page.click('.runs li button');
  await page.waitForSelector('.step-head');
  await page.click('.actions >> text="Replay"');
  await page.waitForSelector('.origin');
  await status(page, 'finished');
  await page.click('.origin >> text=Compare');
  await page.waitForSelector('.compared .verdict');
}));
