// The calls of a plan, before it has run and after it.
import { accessible, assert, connect, graph, shows, test, viewOf } from './lib.mjs';

const plan = {
  steps: [
    { id: 'found', call: 'files.list_directory', args: { path: '.' } },
    { id: 'each', each: 'found.entries', as: 'entry', if: '$count(found.entries) > 0', steps: [{ id: 'said', call: 'notes.say', args: { text: { expr: '$entry.name' } } }] },
  ],
  return: '$count(found.entries)',
};

test('the calls are shown while the host asks, and checked without a call', async () => {
  let asked;
  const client = await connect(graph('plan'), { answer: (params) => {
    asked = params;
    return { action: 'decline' };
  } });
  const of = await viewOf(client, 'run_plan');
  for (const [name, theme, width] of [['light', 'light', 720], ['dark', 'dark', 720], ['narrow', 'light', 390]]) {
    await shows({ client, ...of, input: plan, theme, width, name: `plan-${name}` }, async (frame, outer, calls) => {
      const list = frame.getByRole('list', { name: 'calls of the plan' });
      await list.waitFor();
      assert.match(await list.textContent(), /found files\.list_directory.*each\.said notes\.say/s);
      assert.match(await list.textContent(), /if \$count\(found\.entries\) > 0|"path": "\."/);
      assert.match(await frame.locator('.calls .note').textContent(), /in its own dialog/);
      await accessible(frame, `${name}, sent`);
      await frame.getByRole('button', { name: 'Check what they do' }).click();
      await list.locator('.tag', { hasText: 'asks' }).waitFor();
      assert.equal(calls.length, 1);
      assert.equal(calls[0].arguments.dryRun, true, 'a view only ever checks');
      assert.match(await list.locator('li').nth(0).textContent(), /read/);
      await accessible(frame, `${name}, checked`);
      assert.equal(await outer.evaluate(() => globalThis.messages ?? 0), 0);
    });
  }
  assert.equal(asked, undefined, 'a check asks nobody');
  const result = await client.callTool({ name: 'run_plan', arguments: plan });
  assert.match(asked.message, /notes\.say/);
  await shows({ client, ...of, input: plan, result, name: 'plan-declined' }, async (frame) => {
    await frame.waitForSelector('.row .bar .took');
    assert.equal(await frame.locator('header .status').textContent(), 'failed');
    assert.match(await frame.getByRole('button', { name: /^mcp found/ }).getAttribute('aria-label'), /ran once/);
    await accessible(frame, 'declined');
  });
});

test('a host that passes no calls on', async () => {
  const client = await connect(graph('plan'));
  await shows({ client, ...await viewOf(client, 'run_plan'), input: plan, can: {} }, async (frame) => {
    await frame.getByRole('list', { name: 'calls of the plan' }).waitFor();
    assert.equal(await frame.getByRole('button', { name: 'Check what they do' }).count(), 0);
  });
});

test('a plan that was only checked is drawn; one with a mistake says it', async () => {
  const client = await connect(graph('plan'), { args: ['--no-history'] });
  const of = await viewOf(client, 'run_plan');
  const input = { ...plan, dryRun: true };
  await shows({ client, ...of, input, result: await client.callTool({ name: 'run_plan', arguments: input }), name: 'plan-checked' }, async (frame) => {
    await frame.getByRole('button', { name: /^mcp found/ }).waitFor();
    assert.match(await frame.locator('header [role=status]').textContent(), /checked, not run/);
    await accessible(frame, 'dry run');
  });
  const wrong = { steps: [{ id: 'a', call: 'files.nothing' }] };
  await shows({ client, ...of, input: wrong, result: await client.callTool({ name: 'run_plan', arguments: wrong }), name: 'plan-refused' }, async (frame) => {
    await frame.waitForSelector('[aria-label=result] pre');
    assert.match(await frame.locator('[aria-label=result] pre').textContent(), /unknown-tool/);
    await accessible(frame, 'refused');
  });
});
