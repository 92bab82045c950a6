// The places of the items across, after Brandes and Köpf (2002): items are aligned with their
// median neighbour in four ways, to the left and to the right, from above and from below; the
// places between are taken. Long edges are straight.

// gap is what stays free between two items.
export function gap(a, b) {
  if (a.node && b.node) return 30;
  if (a.label && b.label) return 14;
  return a.node || b.node ? 15 : a.label || b.label ? 10 : 14;
}

export function align(layers) {
  const bad = conflicts(layers);
  const four = [];
  for (const side of ['up', 'down']) {
    for (const mirror of [false, true]) {
      const ls = (side === 'up' ? layers : [...layers].reverse()).map((layer) => (mirror ? [...layer].reverse() : layer));
      const x = compact(ls, blocks(ls, side, mirror, bad));
      if (mirror) for (const [item, v] of x) x.set(item, -v);
      four.push(x);
    }
  }
  const range = four.map((x) => {
    let [least, most] = [Infinity, -Infinity];
    for (const [item, v] of x) [least, most] = [Math.min(least, v - item.width / 2), Math.max(most, v + item.width / 2)];
    return [least, most];
  });
  const narrow = range.reduce((a, b) => (b[1] - b[0] < a[1] - a[0] ? b : a));
  const shift = range.map(([least, most], i) => (i % 2 ? narrow[1] - most : narrow[0] - least));
  for (const layer of layers) {
    for (const item of layer) {
      const places = four.map((x, i) => x.get(item) + shift[i]).sort((a, b) => a - b);
      item.x = Math.round(places[1] + places[2] - 2 * narrow[0]) / 2;
    }
  }
}

// conflicts are the pieces of edges that cross a piece of a long edge, which stays straight.
function conflicts(layers) {
  const bad = new Set();
  for (const layer of layers) {
    const pieces = layer.flatMap((item) => item.down.map((d) => ({ item, d, inner: !item.node && !d.item.node })));
    const inner = pieces.filter((p) => p.inner);
    for (const p of pieces) {
      const cross = (q) => (p.item.pos - q.item.pos) * (p.d.item.pos - q.d.item.pos) < 0 && (!p.inner || p.item.pos > q.item.pos);
      if (inner.some(cross)) bad.add(key(p.item, p.d.item));
    }
  }
  return bad;
}

const ids = new WeakMap();
let last = 0;
const id = (item) => ids.get(item) ?? (ids.set(item, ++last), last);
const key = (upper, lower) => `${id(upper)} ${id(lower)}`;

// weight is how much an edge wants to be straight: the way on more than that of an error, or back.
const weight = ({ back, edge }) => (back ? 0 : edge.kind === 'error' || edge.kind === 'order' ? 1 : edge.kind === 'next' ? 3 : 2);

// blocks maps each item to the first of those that are aligned with it.
// In a layer that is broken into many rows they bend instead, so that the rows are narrow.
function blocks(layers, side, mirror, bad) {
  const root = new Map();
  const taken = new Set(); // items with which one of the next layer is aligned
  for (const layer of layers) {
    let border = -Infinity;
    for (const item of layer) {
      root.set(item, item);
      if (item.loose && layer !== layers[0] && item[side].some((n) => n.item.loose === item.loose)) continue;
      const most = Math.max(...item[side].map((n) => weight(n.chain)));
      const near = item[side].filter((n) => weight(n.chain) === most).map((n) => n.item);
      const at = (n) => (mirror ? -n.pos : n.pos);
      near.sort((a, b) => at(a) - at(b));
      const middle = (near.length - 1) / 2;
      for (const m of near.length ? [...new Set([Math.floor(middle), Math.ceil(middle)])] : []) {
        const n = near[m];
        if (taken.has(n) || at(n) <= border || bad.has(side === 'up' ? key(n, item) : key(item, n))) continue;
        taken.add(n);
        root.set(item, root.get(n));
        border = at(n);
        break;
      }
    }
  }
  return root;
}

// compact gives each block the leftmost place, and then moves it towards what is right of it.
function compact(layers, root) {
  const after = new Map(); // block → [[block to the right, distance]]
  const before = new Map();
  const put = (map, a, b, by) => (map.get(a) ?? map.set(a, []).get(a)).push([b, by]);
  for (const layer of layers) {
    for (let i = 1; i < layer.length; i++) {
      const [a, b] = [layer[i - 1], layer[i]];
      const by = (a.width + b.width) / 2 + gap(a, b);
      put(after, root.get(a), root.get(b), by);
      put(before, root.get(b), root.get(a), by);
    }
  }
  const sorted = [];
  const seen = new Set();
  for (const start of new Set(root.values())) {
    const stack = [[start, 0]];
    while (stack.length) {
      const top = stack.at(-1);
      if (top[1] === 0 && seen.has(top[0])) {
        stack.pop();
        continue;
      }
      seen.add(top[0]);
      const next = before.get(top[0])?.[top[1]++];
      if (!next) {
        sorted.push(top[0]);
        stack.pop();
      } else if (!seen.has(next[0])) stack.push([next[0], 0]);
    }
  }
  const x = new Map();
  for (const b of sorted) x.set(b, Math.max(0, ...(before.get(b) ?? []).map(([a, by]) => x.get(a) + by)));
  for (const b of [...sorted].reverse()) {
    const most = Math.min(...(after.get(b) ?? []).map(([a, by]) => x.get(a) - by));
    if (most !== Infinity && most > x.get(b)) x.set(b, most);
  }
  const all = new Map();
  for (const [item, b] of root) all.set(item, x.get(b));
  return all;
}
