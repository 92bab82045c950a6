// The layout of steps by itself: blocks are in each other, and nothing is over what is not its own.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { layoutOf } from '../../../internal/debugger/web/src/lib/layout.js';

// flow is a tool of n steps of which each may read some above it, and some are blocks; the same seed gives the same one.
function flow(n, seed) {
  let state = seed;
  const chance = (most) => {
    state = (state * 1103515245 + 12345) % 2147483648;
    return Math.floor((state / 2147483648) * most);
  };
  const block = (count, prefix, depth) => {
    const nodes = [];
    const edges = [];
    for (let i = 0; i < count; i++) {
      const name = `step_${i + 1}`;
      const id = prefix + name;
      const inner = depth < 3 && chance(5) === 0 ? block(1 + chance(4), `${id}.`, depth + 1) : null;
      nodes.push({ id, name, type: inner ? 'steps' : 'mcp', server: 'files', tool: 'read', each: chance(3) === 0, if: chance(4) ? '' : 'args.deep', ...(inner && { steps: inner.nodes, edges: inner.edges }) });
      for (let j = 0; j < i; j++) if (chance(i) < 2) edges.push({ from: nodes[j].id, to: id, kind: ['read', 'after', 'order'][chance(3)] });
    }
    return { nodes, edges };
  };
  const { nodes, edges } = block(n, '', 1);
  const ends = [{ id: 'entry', type: 'entry' }, { id: 'exit', type: 'exit' }];
  const around = nodes.flatMap(({ id }) => [!edges.some((e) => e.to === id) && { from: 'entry', to: id, kind: 'order' }, !edges.some((e) => e.from === id) && { from: id, to: 'exit', kind: 'read' }]).filter(Boolean);
  return { tool: `flow ${n}`, hash: String(seed), nodes: [ends[0], ...nodes, ends[1]], edges: [...edges, ...around] };
}

const sides = ({ x, y, width, height }) => [x - width / 2, x + width / 2, y - height / 2, y + height / 2];

for (let seed = 1; seed <= 12; seed++) {
  for (const data of [false, true]) {
    test(`steps are in their blocks and over nothing else: seed ${seed}${data ? ', with data' : ''}`, () => {
      const g = layoutOf(flow(4 + seed * 2, seed), data);
      for (const a of g.nodes) {
        const [left, right, top, bottom] = sides(a.box);
        const block = g.byId.get(a.parent);
        if (block) {
          const [l, r, t, b] = sides(block.box);
          assert.ok(left > l && right < r && top > t + 20 && bottom < b, `${a.id} is not in ${block.id}`);
        }
        for (const other of g.nodes) {
          if (other === a || other.parent !== a.parent) continue;
          const [l, r, t, b] = sides(other.box);
          assert.ok(right <= l || left >= r || bottom <= t || top >= b, `${a.id} is over ${other.id}`);
        }
      }
      for (const { box } of g.nodes) {
        const [left, right, top, bottom] = sides(box);
        assert.ok(left >= 0 && right <= g.width && top >= 0 && bottom <= g.height, 'a step is outside the drawing');
      }
    });
  }
}

test('a closed block is one node, and its steps are not drawn', () => {
  const g = flow(20, 3);
  const blocks = g.nodes.filter((n) => n.steps).map((n) => n.id);
  const closed = layoutOf(g, false, new Set(blocks));
  assert.ok(blocks.length > 0);
  assert.equal(closed.nodes.length, g.nodes.length);
  assert.ok(closed.height * closed.width < layoutOf(g).height * layoutOf(g).width);
});
