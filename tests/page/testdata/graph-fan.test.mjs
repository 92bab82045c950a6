import { assert, blur, press, shot, status, submit, test, use } from './lib.mjs';
import { branchesFile, fanFile } from './graphs.mjs';

// What is drawn, in pixels of the window: the ways of the edges, the boxes of labels and nodes.
const drawn = (page) => page.evaluate(() => {
  const box = (el) => {
    const { left, right, top, bottom } = el.getBoundingClientRect();
    return { left, right, top, bottom };
  };
  const line = (path) => {
    const to = path.getScreenCTM();
    const length = path.getTotalLength();
    return Array.from({ length: 101 }, (_, i) => {
      const { x, y } = path.getPointAtLength((length * i) / 100).matrixTransform(to);
      return [x, y];
    });
  };
  const all = (selector, f) => [...document.querySelectorAll(`.canvas ${selector}`)].map(f);
  return {
    edges: all('[data-edge]', (el) => ({ key: el.dataset.edge, line: line(el.querySelector('path')) })),
    labels: all('[data-label]', (el) => ({ key: el.dataset.label, words: el.querySelector('title').textContent, ...box(el.querySelector('rect')) })),
    nodes: all('.node', (el) => ({ id: el.dataset.node, ...box(el.querySelector('.body')) })),
    letters: all('text', (el) => parseFloat(getComputedStyle(el).fontSize) * el.getScreenCTM().a),
    pane: box(document.querySelector('.canvas')),
  };
});
const inside = (b) => ([x, y]) => x > b.left + 1 && x < b.right - 1 && y > b.top + 1 && y < b.bottom - 1;
const overlap = (a, b) => a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;

test('a switch with 12 conditions: each label on its own edge, in the order of the file, all in view when it is fitted', () => use(fanFile(), {}, async (page) => {
  await blur(page);
  await press(page, 'f');
  const { edges, labels, nodes, letters, pane } = await drawn(page);
  assert.equal(labels.length, 13);
  for (const l of labels) {
    assert.ok(edges.find((e) => e.key === l.key).line.some(inside(l)), `${l.words} is not on its edge`);
    for (const e of edges) assert.ok(e.key === l.key || !e.line.some(inside(l)), `an edge runs over ${l.words}`);
    for (const o of [...nodes, ...labels]) assert.ok(o === l || !overlap(o, l), `${l.words} overlaps ${o.words ?? o.id}`);
  }
  const across = (l) => (l.left + l.right) / 2;
  const inOrder = [...labels].sort((a, b) => across(a) - across(b)).map((l) => l.words);
  assert.deepEqual(inOrder, [...Array.from({ length: 12 }, (_, i) => `entry.n == ${i + 1}`), 'default']);
  const ways = nodes.filter((n) => /way_|other/.test(n.id)).sort((a, b) => across(a) - across(b)).map((n) => n.id);
  assert.deepEqual(ways, [...Array.from({ length: 12 }, (_, i) => `way_${i + 1}`), 'other']);
  for (const n of nodes) assert.ok(n.left >= pane.left && n.right <= pane.right && n.top >= pane.top && n.bottom <= pane.bottom, `${n.id} is out of view`);
  assert.ok(Math.min(...letters) >= 7, `letters of ${Math.min(...letters)} pixels`);
  await submit(page);
  await status(page, 'finished');
  assert.equal(await page.locator('.canvas .edge.label.taken').textContent(), 'entry.n == 7entry.n == 7'); // the title, the words
  await shot(page, 'fan');
}));

test('a parallel with 12 branches lists them in the order of the file', () => use(branchesFile(), {}, async (page) => {
  const names = await page.locator('.branch-name').allTextContents();
  assert.deepEqual(names, Array.from({ length: 12 }, (_, i) => `branch_${i + 1}`));
  const { letters, nodes, pane } = await drawn(page);
  assert.ok(Math.min(...letters) >= 7, `letters of ${Math.min(...letters)} pixels`);
  for (const n of nodes) assert.ok(n.left >= pane.left && n.right <= pane.right, `${n.id} is out of view`);
}));
