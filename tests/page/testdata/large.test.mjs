import { assert, graph, press, test, use } from './lib.mjs';

// 300 nodes: drawn, found, moved.
test('300 nodes are drawn and found', () => use(graph('wide'), {}, async (page) => {
  assert.equal(await page.locator('.canvas .node').count(), 300);
  await press(page, '/');
  await page.keyboard.type('step_250');
  await press(page, 'Enter');
  await page.waitForFunction(() => document.activeElement.dataset?.node === 'step_250');
  const box = await page.locator('[data-node=step_250]').boundingBox();
  assert.ok(box.x > 300 && box.x + box.width < 1440 && box.y > 40 && box.y + box.height < 900, `the node is at ${JSON.stringify(box)}`);
}));
