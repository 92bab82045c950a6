// The graph of a run, from the result of its call.
import { accessible, assert, connect, graph, shows, test, viewOf } from './lib.mjs';

const called = async (client, name, input) => ({ client, ...await viewOf(client, name), input, result: await client.callTool({ name, arguments: input }) });

for (const modern of [false, true]) {
  test(`a run of steps, ${modern ? 'by 2026-07-28' : 'by initialize'}`, async () => {
    const client = await connect(graph('steps'), { modern });
    const call = await called(client, 'survey', { pages: 3 });
    for (const [name, theme, width] of [['light', 'light', 720], ['dark', 'dark', 720], ['narrow', 'light', 390]]) {
      await shows({ ...call, theme, width, name: modern ? '' : `run-${name}` }, async (frame, outer) => {
        await frame.waitForSelector('.row .bar .took');
        assert.equal(await frame.locator('h1').textContent(), 'survey');
        assert.equal(await frame.locator('header .status').textContent(), 'finished');
        assert.match(await frame.getByRole('button', { name: /^mcp saved/ }).getAttribute('aria-label'), /ran once/);
        assert.match(await frame.getByRole('button', { name: /graph deeper/ }).getAttribute('aria-label'), /, not run/);
        assert.equal(await frame.evaluate(() => document.documentElement.dataset.theme), theme);
        assert.ok(await frame.evaluate(() => document.documentElement.scrollWidth <= innerWidth), 'it is wider than its frame');
        const height = await frame.evaluate(() => document.body.getBoundingClientRect().height);
        await outer.waitForFunction((h) => Math.abs(globalThis.sizes.at(-1) - h) <= 1, height);
        await accessible(frame, name);
      });
    }
  });
}

test('by keyboard, and no values unless they are wanted', async () => {
  for (const values of [false, true]) {
    const client = await connect(graph('steps'), { args: values ? ['--views', 'values'] : [] });
    const call = await called(client, 'survey', { pages: 3 });
    assert.equal(JSON.stringify(call.result._meta['toolgraph/view']).includes('hello'), values, 'a value of a step');
    assert.equal(JSON.stringify(call.result._meta['toolgraph/view']).includes('$sum'), values, 'an expression of the file');
    await shows({ ...call, name: values ? 'run-values' : 'run-chosen' }, async (frame) => {
      await frame.waitForSelector('.row .bar .took');
      await frame.locator('[role=tree]').focus();
      await frame.locator('.row-node', { hasText: /^pages$/ }).click();
      await frame.locator('.chosen h2', { hasText: 'pages' }).waitFor();
      await frame.page().keyboard.press('ArrowUp');
      await frame.locator('.chosen h2', { hasText: 'greeting' }).waitFor();
      assert.match(await frame.locator('.chosen').textContent(), /It ended/);
      assert.equal(await frame.locator('.chosen pre').count(), values ? 1 : 0);
      if (values) assert.match(await frame.locator('.chosen pre').textContent(), /hello/);
      await frame.getByRole('button', { name: /^mcp saved/ }).focus();
      await frame.page().keyboard.press('Enter');
      assert.match(await frame.locator('.chosen h2').textContent(), /saved/);
      await accessible(frame, 'chosen');
    });
  }
});

test('a run that fails', async () => {
  const client = await connect(graph('steps'));
  const call = await called(client, 'fails', {});
  assert.ok(call.result.isError);
  await shows({ ...call, theme: 'dark', name: 'run-failed' }, async (frame) => {
    await frame.waitForSelector('.row .bar .took');
    assert.equal(await frame.locator('header .status').textContent(), 'failed');
    assert.match(await frame.locator('.failure').textContent(), /no b/);
    assert.match(await frame.getByRole('button', { name: /transform outer\.inner\.broken/ }).getAttribute('aria-label'), /failed/);
    await accessible(frame, 'failed');
  });
});

test('while a call runs, and when it is cancelled', async () => {
  const client = await connect(graph('steps'));
  const of = await viewOf(client, 'survey');
  await shows({ client, ...of, input: { pages: 3 }, name: 'run-waits' }, async (frame, outer) => {
    await frame.waitForSelector('header .status.running');
    assert.match(await frame.locator('[aria-label=arguments] pre').textContent(), /"pages": 3/);
    await accessible(frame, 'running');
    await outer.evaluate(() => globalThis.bridge.sendHostContextChange({ theme: 'dark' }));
    await frame.waitForFunction(() => document.documentElement.dataset.theme === 'dark');
    await outer.evaluate(() => globalThis.bridge.sendToolCancelled({ reason: 'enough' }));
    await frame.waitForSelector('header .status.cancelled');
    assert.deepEqual(await outer.evaluate(() => globalThis.bridge.teardownResource({})), {});
  });
});

test('the wheel moves the conversation; on the whole screen, the graph', async () => {
  const client = await connect(graph('steps'));
  const call = await called(client, 'survey', { pages: 2 });
  await shows({ ...call, context: { availableDisplayModes: ['inline', 'fullscreen'] }, name: 'run-fullscreen' }, async (frame) => {
    await frame.waitForSelector('.row .bar .took');
    const place = () => frame.locator('.canvas > g').getAttribute('transform');
    const before = await place();
    await frame.locator('.canvas').hover();
    await frame.page().mouse.wheel(0, 30);
    assert.equal(await place(), before);
    await frame.getByRole('button', { name: 'Full screen' }).click();
    await frame.getByRole('button', { name: 'Smaller', exact: true }).first().waitFor();
    const large = await place();
    await frame.locator('.canvas').hover();
    await frame.page().mouse.wheel(0, 30);
    await frame.waitForFunction((was) => document.querySelector('.canvas > g').getAttribute('transform') !== was, large);
  });
});
