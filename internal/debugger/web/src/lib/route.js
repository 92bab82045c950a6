// Where the layers are drawn, and the ways of the edges. Nodes and labels are in layers, between
// which the edges change their place: so an edge never runs over what is not its own.
import { inset, PORT } from './box.js';
import { GUTTER, LANE, bandsOf, crossing, extent } from './bands.js';

const MARGIN = 24;
const r = (n) => Math.round(n * 10) / 10;

// route sets x and y of each item, and gives the size of the whole and a path for each chain.
export function route(layers, chains) {
  const heights = layers.map((layer) => Math.max(0, ...layer.map((item) => item.height)));
  const gaps = layers.map((layer, l) => (l + 1 < layers.length ? space(layer, layers[l + 1]) : 0));
  const starts = bandsOf(layers, heights, gaps);
  const cuts = starts.slice(1).map((l) => lanes(layers, l));
  const most = Math.max(0, ...cuts.map((c) => c.length));
  const head = most ? MARGIN + 14 + most * LANE : MARGIN;
  let left = MARGIN;
  let width = 0;
  let height = 0;
  const lines = []; // of each layer: its upper and lower end
  starts.forEach((start, band) => {
    const end = starts[band + 1] ?? layers.length;
    const [a, b] = extent(layers.slice(start, end));
    let y = head;
    for (let l = start; l < end; l++) {
      lines[l] = [y, y + heights[l]];
      for (const item of layers[l]) {
        item.x += left - a;
        item.y = y + heights[l] / 2;
      }
      y += heights[l] + gaps[l];
    }
    y -= gaps[end - 1];
    width = left + b - a;
    const gone = cuts[band] ?? [];
    height = Math.max(height, y + (gone.length ? 14 + gone.length * LANE : 0));
    gone.forEach((piece, i) => {
      piece.below = y + 12 + (gone.length - 1 - i) * LANE;
      piece.beside = width + GUTTER / 2 + (gone.length - 1 - i) * LANE;
    });
    left = width + GUTTER + gone.length * LANE;
  });
  for (const cut of cuts) [...cut].sort((p, q) => p.to.x - q.to.x).forEach((piece, i) => { piece.above = head - 12 - i * LANE; });
  const ends = ports(layers);
  const leap = new Map(cuts.flat().map((piece) => [piece.to, []]));
  for (const piece of cuts.flat()) leap.get(piece.to).push(piece);
  return {
    width: width + MARGIN,
    height: height + MARGIN,
    bands: starts,
    paths: new Map(chains.map((chain) => [chain.edge, pathOf(chain, ends.get(chain), lines, (to, from) => leap.get(to)?.find((p) => p.from === from && p.chains.includes(chain)))])),
  };
}

// space is the distance of two layers: more where edges go far to a side.
function space(upper, lower) {
  const far = Math.max(0, ...upper.flatMap((item) => item.down.map((d) => Math.abs(d.item.x - item.x))));
  if (lower.within || lower.joining || upper.joining) return 16 + Math.min(20, far * 0.1);
  const labels = upper.some((i) => i.label) || lower.some((i) => i.label);
  return labels ? 20 + Math.min(40, far * 0.1) : 40 + Math.min(46, far * 0.1);
}

// lanes are the edges that go from the layer before l to the next column, from the left to the right.
const lanes = (layers, l) => crossing(layers, l).sort((p, q) => p.from.x - q.from.x || p.to.x - q.to.x);

// ports are the places where edges leave and reach the nodes: side by side in their order, one that
// goes straight in the middle.
function ports(layers) {
  const ends = new Map();
  const set = (chain, end, x) => {
    if (!ends.has(chain)) ends.set(chain, {});
    ends.get(chain)[end] = x;
  };
  for (const layer of layers) {
    for (const item of layer) {
      if (!item.node) continue;
      for (const [side, end] of [['up', 'bottom'], ['down', 'top']]) {
        const near = [...item[side]].sort((a, b) => a.item.pos - b.item.pos);
        const straight = near.length % 2 && near.length > 1 ? -1 : near.findIndex((n) => Math.abs(n.item.x - item.x) < 1 && n.item.layer === item.layer + (side === 'up' ? -1 : 1));
        const middle = straight < 0 ? (near.length - 1) / 2 : straight;
        const room = item.node.box.width / 2 - inset(item.node);
        const by = Math.min(PORT * 1.6, room / Math.max(1, middle, near.length - 1 - middle));
        near.forEach((n, i) => n.chains.forEach((chain) => set(chain, end, r(item.x + (i - middle) * by))));
      }
    }
  }
  return ends;
}

// pathOf draws a chain from its upper end to its lower, or the other way when it leads back.
function pathOf(chain, { top, bottom }, lines, leap) {
  const { items } = chain;
  const points = [[top, items[0].y + items[0].node.box.height / 2]]; // each: x, y and how to get there
  let x = top;
  items.slice(1).forEach((item, i) => {
    const before = items[i];
    const piece = leap(item, before);
    const to = item.node ? bottom : item.x;
    const from = lines[before.layer][1];
    const [upper, lower] = lines[item.layer];
    points.push([x, from]);
    if (piece) points.push([x, piece.below], [piece.beside, piece.below], [piece.beside, piece.above], [to, piece.above], [to, upper]);
    else points.push([to, upper, 'curve']);
    points.push(item.node ? [to, item.y - item.height / 2] : [to, lower]);
    x = to;
  });
  return draw(chain.back ? backwards(points) : points);
}

// backwards turns a way around: how one gets to a point is now noted at the point before.
const backwards = (points) => points.map((p, i) => [p[0], p[1], points[i + 1]?.[2]]).reverse();

function draw(points) {
  const way = points.filter((p, i) => !i || Math.abs(p[0] - points[i - 1][0]) > 0.05 || Math.abs(p[1] - points[i - 1][1]) > 0.05);
  let path = `M${r(way[0][0])} ${r(way[0][1])}`;
  for (let i = 1; i < way.length; i++) {
    const [ax, ay] = way[i - 1];
    const [x, y, how] = way[i];
    if (how === 'curve' && x !== ax) {
      const half = (y - ay) / 2;
      path += `C${r(ax)} ${r(ay + half)} ${r(x)} ${r(y - half)} ${r(x)} ${r(y)}`;
      continue;
    }
    const next = way[i + 1];
    const turns = next && next[2] !== 'curve' && (ax === x) !== (next[0] === x) && (ax === x || ay === y);
    const corner = turns ? Math.min(7, Math.hypot(x - ax, y - ay) / 2, Math.hypot(next[0] - x, next[1] - y) / 2) : 0;
    const short = (px, py) => [x + Math.sign(px - x) * corner, y + Math.sign(py - y) * corner];
    const [bx, by] = short(ax, ay);
    path += `L${r(bx)} ${r(by)}`;
    if (turns) {
      const [cx, cy] = short(...next);
      path += `Q${r(x)} ${r(y)} ${r(cx)} ${r(cy)}`;
      way[i] = [cx, cy];
    }
  }
  return path;
}
