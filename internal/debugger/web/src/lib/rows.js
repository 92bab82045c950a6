// A layer that is too wide is broken into rows: its nodes take turns, each in the row after that of
// its neighbour, and edges pass between them. The order stays, so that nothing new crosses.
import { link } from './layers.js';
import { number } from './order.js';
import { gap } from './align.js';

const WIDE = 780; // pixels
const MOST = 8; // rows

export function breakLayers(layers, chains) {
  const rows = layers.map(rowsOf);
  if (rows.every((n) => n === 1)) return layers;
  const first = []; // the index of the first row of each layer
  let total = 0;
  for (const n of rows) {
    first.push(total);
    total += n;
  }
  const broken = Array.from({ length: total }, (_, i) => Object.assign([], { within: !first.includes(i) }));
  const rowOf = new Map();
  const loose = rows.map((n, l) => (n > 2 ? l + 1 : 0)); // a mark of what may bend
  layers.forEach((layer, l) => {
    let turn = 0;
    for (const item of layer) rowOf.set(item, item.width ? turn++ % rows[l] : 0);
  });
  const passing = new Map(); // item → by row, what passes there instead of it
  const pass = (item, row, chain, dummy, along) => {
    if (!passing.has(item)) passing.set(item, []);
    (passing.get(item)[row] ??= []).push({ dummy, chain, along });
    return dummy;
  };
  for (const chain of chains) {
    const all = [];
    chain.items.forEach((item, i) => {
      const l = item.layer;
      for (let row = i ? 0 : rowOf.get(item); row < (i < chain.items.length - 1 ? rows[l] : rowOf.get(item) + 1); row++) {
        if (row === rowOf.get(item)) all.push(item);
        else {
          const along = i ? all.at(-1) : chain.items[1]; // one line stays one
          const line = !along.width && passing.get(item)?.[row]?.find((p) => p.along === along)?.dummy;
          all.push(line || pass(item, row, chain, { width: 0, height: 0, chain, layer: first[l] + row, loose: loose[l] }, along));
        }
      }
    });
    chain.next = chain.items; // as they were, for the order of what passes
    chain.items = all;
  }
  layers.forEach((layer, l) => {
    for (let row = 0; row < rows[l]; row++) {
      const to = broken[first[l] + row];
      for (const item of layer) {
        if (rowOf.get(item) === row) {
          to.push(item);
          continue;
        }
        const beyond = (p) => p.chain.next[p.chain.next.indexOf(item) + (row < rowOf.get(item) ? -1 : 1)].pos;
        to.push(...(passing.get(item)?.[row] ?? []).map((p) => ({ ...p, pos: beyond(p) })).sort((a, b) => a.pos - b.pos).map((p) => p.dummy));
      }
    }
  });
  layers.forEach((layer, l) => layer.forEach((item) => { Object.assign(item, { layer: first[l] + rowOf.get(item), loose: loose[l] }); }));
  broken.forEach(number);
  link(chains);
  return broken;
}

// rowsOf is in how many rows a layer is drawn: in one, in two between which edges pass straight on, or
// in so many that it fits.
function rowsOf(layer) {
  const wide = layer.filter((item) => item.width);
  const sum = (f) => layer.reduce((n, item) => n + f(item), 0);
  if (wide.length < 3 || sum((item) => item.width + gap(item, item)) <= WIDE) return 1;
  if (sum((item) => item.width / 2 + 15) <= 1.6 * WIDE) return 2;
  let rows = 3;
  while (rows < MOST && sum((item) => (item.width ? (item.width + gap(item, item)) / rows + 14 * (1 - 1 / rows) : 14)) > 1.3 * WIDE) rows++;
  return rows;
}
