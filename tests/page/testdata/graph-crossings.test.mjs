// How often the edges of graphs cross, counted in the drawings: random graphs with fixed seeds, and those of all examples and of
// the tests of the page. The numbers that are held have little slack: a layout that crosses more has to say why. What came before
// is in docs/adr/0019-layout.md.
import { readdirSync } from 'node:fs';
import { layoutOf } from '../../../internal/debugger/web/src/lib/layout.js';
import { assert, EXAMPLES, GRAPHS, serve, test } from './lib.mjs';
import { against, any, levels, measure, mixed } from './graphs.mjs';
import { join } from 'node:path';

const SIZES = [8, 12, 20, 30, 40, 50, 60, 80, 100, 150];
const fifty = (make) => Array.from({ length: 50 }, (_, i) => make(SIZES[i % SIZES.length], 100 + i));

// count is the crossings of graphs in which nothing else is wrong.
function count(graphs) {
  let crossings = 0;
  for (const g of graphs) {
    for (const level of levels(layoutOf(g))) {
      const { crossings: n, ...overlaps } = measure(level);
      assert.deepEqual({ ...overlaps, against: against(level) }, { nodes: 0, labels: 0, overNode: 0, overLabel: 0, against: 0 }, g.tool);
      crossings += n;
    }
  }
  return crossings;
}

// graphsOf are the graphs of a file as the page gets them.
async function graphsOf(file) {
  const ui = await serve(file);
  try {
    const { origin, hash } = new URL(ui.url);
    const token = hash.match(/token=([\w-]+)/)[1];
    const session = await fetch(`${origin}/api/session`, { method: 'POST', headers: { 'Content-Type': 'application/json', Origin: origin }, body: JSON.stringify({ token }) });
    const headers = { cookie: session.headers.get('set-cookie').split(';')[0] };
    const get = async (path) => (await fetch(`${origin}/api/${path}`, { headers })).json();
    const { tools } = await get('project');
    return await Promise.all(tools.map(({ name }) => get(`graphs/${encodeURIComponent(name)}`)));
  } finally {
    await ui.stop();
  }
}

for (const [what, graphs, held] of [
  ['ways out in any order', fifty(any), 760],
  ['wide switches, parallels and loops, ways out in any order', fifty(mixed), 2220],
  ['the same, ways out in the order in which the nodes are written', fifty((n, seed) => mixed(n, seed, true)), 1230],
]) {
  test(`50 random graphs, ${what}: at most ${held} crossings`, (t) => {
    const n = count(graphs);
    t.diagnostic(`${n} crossings of ${graphs.reduce((sum, g) => sum + g.edges.length, 0)} edges`);
    assert.ok(n <= held, `${n} crossings`);
  });
}

test('the graphs of the examples and of these tests cross nowhere', async (t) => {
  process.env.FIRECRAWL_API_KEY ??= 'unused'; // an example asks for it when it is loaded
  const files = [EXAMPLES, GRAPHS].flatMap((dir) => readdirSync(dir).filter((f) => /^[^.]+\.yaml$/.test(f)).map((f) => join(dir, f)));
  assert.ok(files.length > 20, `${files}`);
  const graphs = [];
  for (const file of files) graphs.push(...await graphsOf(file));
  assert.ok(graphs.length > 40 && graphs.every((g) => g.nodes), `${graphs.length} graphs`);
  t.diagnostic(`${graphs.length} graphs of ${files.length} files`);
  assert.equal(count(graphs), 0);
});
