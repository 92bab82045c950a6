// What runs, plans and hosts say is text.
import { accessible, assert, connect, graph, shows, test, viewOf } from './lib.mjs';

const evil = '<img src=x onerror="window.hacked=1"></script><script>window.hacked=2</script>\u202egpj.exe\u0000';
const unhurt = async (frame) => {
  assert.equal(await frame.evaluate(() => window.hacked), undefined);
  assert.equal(await frame.locator('img').count(), 0);
  assert.ok(!(await frame.evaluate(() => document.body.innerText)).includes('\u202e'), 'a mark of the direction is drawn');
};

test('values of a run', async () => {
  const client = await connect(graph('hostile'), { args: ['--views', 'values'] });
  const of = await viewOf(client, 'echo');
  const input = { text: evil + 'x'.repeat(100_000) };
  const result = await client.callTool({ name: 'echo', arguments: input });
  assert.ok(JSON.stringify(result._meta['toolgraph/view']).length < 10_000, 'huge values are cut');
  await shows({ client, ...of, input, result, name: 'hostile' }, async (frame) => {
    await frame.waitForSelector('.row .bar .took');
    await frame.evaluate(() => window.postMessage({ jsonrpc: '2.0', method: 'ui/notifications/tool-result', params: { content: [{ type: 'text', text: 'from elsewhere' }] } }, '*'));
    await frame.locator('#step-1').click();
    assert.ok(!(await frame.evaluate(() => document.body.innerText)).includes('from elsewhere'), 'only the host is heard');
    assert.match(await frame.locator('.chosen pre').textContent(), /onerror/);
    await unhurt(frame);
    await accessible(frame, 'hostile');
  });
});

test('a plan, a host and a result of other forms', async () => {
  const client = await connect(graph('plan'));
  const { html, tool } = await viewOf(client, 'run_plan');
  const named = { ...tool, title: evil };
  const input = { steps: [null, 1, { id: evil, call: evil, if: { a: evil }, args: { [evil]: evil.repeat(2000) } }, { id: 'in', steps: { not: 'a list' } }] };
  await shows({ client, html, tool: named, input }, async (frame) => {
    await frame.getByRole('list', { name: 'calls of the plan' }).waitFor();
    await unhurt(frame);
    await frame.getByRole('button', { name: 'Check what they do' }).click();
    await frame.waitForSelector('.calls [role=alert]');
    await unhurt(frame);
  });
  for (const result of [{ content: [{ type: 'text', text: evil }], isError: true }, { content: [], _meta: { 'toolgraph/view': { run: { id: '__proto__', status: evil, ms: 1 } } } }]) {
    await shows({ client, html, tool: named, input: { steps: 'none' }, result }, async (frame) => {
      await frame.waitForSelector('header [role=status]');
      await unhurt(frame);
    });
  }
});
