// The layout by itself, as the page's script has it: what overlaps and crosses in it is counted.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { layoutOf } from '../../../internal/debugger/web/src/lib/layout.js';
import { any, chain, fan, handled, measure, points } from './graphs.mjs';

const graphs = [fan(2), fan(5), fan(12), fan(30), chain(8), chain(60), chain(60, true), handled(), any(12, 1), any(20, 2), any(40, 3), any(80, 4), any(300, 6)];
// What a pane of a window of 1440 × 900 pixels shows.
const scale = (g) => Math.min(740 / g.width, 500 / g.height);

for (const g of graphs) {
  for (const data of [false, true]) {
    test(`nothing overlaps: ${g.tool}${data ? ', with data' : ''}`, () => {
      const { crossings, ...overlaps } = measure(layoutOf(g, data));
      assert.deepEqual(overlaps, { nodes: 0, labels: 0, overNode: 0, overLabel: 0 });
      if (!g.tool.startsWith('any')) assert.equal(crossings, 0);
      else assert.ok(crossings < g.edges.length / 4, `${crossings} crossings`);
    });
  }
}

test('the ways out of a node leave it in the order of the file, and reach their nodes in it', () => {
  for (const g of graphs) {
    const drawn = layoutOf(g);
    for (const { id } of g.nodes) {
      const ways = drawn.edges.filter((e) => e.from === id && !e.back);
      const sorted = [...ways].sort((a, b) => (a.kind === 'error') - (b.kind === 'error')); // errors are apart, at the right
      const starts = sorted.map((e) => points(e.path)[0][0]);
      assert.deepEqual(starts, [...starts].sort((a, b) => a - b), `${g.tool}: ${id}`);
    }
  }
  for (const n of [5, 12, 30]) {
    const drawn = layoutOf(fan(n));
    const columns = drawn.edges.filter((e) => e.from === 'which').map((e) => drawn.byId.get(e.to).place);
    assert.deepEqual(columns, columns.map((_, i) => i));
  }
});

test('a label is on its own edge, next to the node that the edge leaves', () => {
  for (const g of graphs) {
    const drawn = layoutOf(g);
    for (const e of drawn.edges.filter((e) => e.at && e.from !== e.to)) {
      const line = points(e.path);
      const near = Math.min(...line.map(([x]) => Math.abs(x - e.at.x)));
      assert.ok(near < 1, `${g.tool}: ${e.label} is ${near} beside its edge`);
      const { box } = drawn.byId.get(e.from);
      const other = drawn.byId.get(e.to).box;
      const [from, to] = [Math.abs(e.at.y - box.y), Math.abs(e.at.y - other.y)];
      if (drawn.edges.filter((o) => o.from === e.from).length < 5 && Math.abs(box.x - other.x) < 300) assert.ok(from <= to + 40, `${g.tool}: ${e.from} → ${e.to}: ${from} from its start, ${to} from its end`);
    }
  }
});

test('a node keeps what the file says of it', () => {
  const g = fan(5);
  const nodes = g.nodes.map((n, i) => ({ ...n, line: 10 + i, column: 7 }));
  for (const [i, n] of layoutOf({ ...g, nodes }).nodes.entries()) assert.deepEqual([n.id, n.line, n.column], [g.nodes[i].id, 10 + i, 7]);
});

test('ways to the same node become one line, but for errors', () => {
  const ends = { type: 'transform', expr: '1' };
  const label = (i) => ({ from: 's', to: i % 2 ? 'odd' : 'even', kind: 'condition', label: `n == ${i}` });
  const g = { tool: 'turns', nodes: [{ id: 'entry', type: 'entry' }, { id: 's', type: 'switch', rules: 8 }, { id: 'odd', ...ends }, { id: 'even', ...ends }, { id: 'exit', type: 'exit' }],
    edges: [{ from: 'entry', to: 's', kind: 'next' }, ...[1, 2, 3, 4, 5, 6, 7, 8].map(label), { from: 's', to: 'odd', kind: 'error', label: 'error' }, { from: 'odd', to: 'exit', kind: 'next' }, { from: 'even', to: 'exit', kind: 'next' }] };
  const drawn = layoutOf(g);
  const endOf = (e) => points(e.path).at(-1).join();
  const ways = (to, kind) => new Set(drawn.edges.filter((e) => e.from === 's' && e.to === to && e.kind === kind).map(endOf));
  assert.deepEqual([ways('odd', 'condition').size, ways('even', 'condition').size, ways('odd', 'error').size], [1, 1, 1]);
  assert.notDeepEqual(ways('odd', 'condition'), ways('odd', 'error'), 'an error is a line of its own');
  assert.ok(measure(drawn).crossings <= 4, `${measure(drawn).crossings} crossings`); // 10 when each way runs by itself
});

test('loops of one node are around each other', () => {
  const loop = (i) => ({ from: 's', to: 's', kind: 'condition', label: `again == ${i}` });
  const { labels, nodes } = measure(layoutOf({ tool: 'loops', nodes: [{ id: 'entry', type: 'entry' }, { id: 's', type: 'switch', rules: 2 }, { id: 'exit', type: 'exit' }],
    edges: [{ from: 'entry', to: 's', kind: 'next' }, loop(1), loop(2), { from: 's', to: 'exit', kind: 'default', label: 'default' }] }));
  assert.deepEqual({ labels, nodes }, { labels: 0, nodes: 0 });
});

test('the drawing of a graph is the same each time', () => {
  for (const g of graphs) assert.deepEqual(layoutOf(structuredClone(g)), layoutOf(g));
});

test('wide layers are broken into rows, long ones into columns', () => {
  assert.ok(scale(layoutOf(fan(12))) > 0.65, `12 ways at ${scale(layoutOf(fan(12)))}`); // 11 pixels are 7
  assert.ok(scale(layoutOf(fan(30))) > 0.35, `30 ways at ${scale(layoutOf(fan(30)))}`);
  assert.ok(scale(layoutOf(chain(60))) > 0.45, `60 nodes at ${scale(layoutOf(chain(60)))}`);
  assert.ok(scale(layoutOf(chain(60, true))) > 0.42, `a loop of 60 nodes at ${scale(layoutOf(chain(60, true)))}`);
  const small = layoutOf(chain(4));
  assert.ok(new Set(small.nodes.map((n) => n.box.x)).size === 1, 'a short graph is one column');
});

test('all nodes and edges of odd graphs have a place', () => {
  const odd = [
    { tool: 'one', nodes: [{ id: 'entry', type: 'entry' }], edges: [] },
    { tool: 'apart', nodes: [{ id: 'entry', type: 'entry' }, { id: 'exit', type: 'exit' }, { id: 'alone', type: 'exit' }], edges: [{ from: 'entry', to: 'exit', kind: 'next' }] },
    { tool: 'twice', nodes: [{ id: 'entry', type: 'entry' }, { id: 's', type: 'switch', rules: 2 }, { id: 'exit', type: 'exit' }], edges: [
      { from: 'entry', to: 's', kind: 'next' }, { from: 's', to: 'exit', kind: 'condition', label: 'a' }, { from: 's', to: 'exit', kind: 'condition', label: 'b' }, { from: 's', to: 'exit', kind: 'default', label: 'default' }] },
    { tool: 'constructor', nodes: [{ id: '__proto__', type: 'entry' }, { id: 'toString', type: 'exit' }], edges: [{ from: '__proto__', to: 'toString', kind: 'next' }] },
  ];
  for (const g of odd) {
    const drawn = layoutOf(g);
    for (const n of drawn.nodes) assert.ok([n.box.x, n.box.y, n.box.width, n.box.height].every(Number.isFinite), `${g.tool}: ${n.id}`);
    for (const e of drawn.edges) assert.ok(points(e.path).flat().every(Number.isFinite) && points(e.path).length > 1, `${g.tool}: ${e.path}`);
    assert.equal(measure(drawn).nodes + measure(drawn).labels, 0, g.tool);
  }
});
