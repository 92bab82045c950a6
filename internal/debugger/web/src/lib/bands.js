// A long graph is read like a newspaper: its layers are several columns, side by side, when
// more of it can be read then. An edge from one column to the next runs in the space between.

const WIDTH = 800; // of a window as it is usual, in pixels
const HEIGHT = 560;
const MOST = 24; // columns
const LANES = 3; // edges from column to column, at most
export const LANE = 9;
export const GUTTER = 34;

// bandsOf gives the index of the first layer of each column.
export function bandsOf(layers, heights, gaps) {
  const cutting = layers.map((_, l) => crossing(layers, l).length);
  const tops = [0];
  for (let l = 0; l < layers.length; l++) tops.push(tops[l] + heights[l] + gaps[l]);
  const height = tops.at(-1);
  const widthOf = (from, to) => {
    const [a, b] = extent(layers.slice(from, to));
    return b - a;
  };
  const scale = (cuts) => {
    const ends = [...cuts.slice(1), layers.length];
    const width = cuts.reduce((sum, c, i) => sum + widthOf(c, ends[i]) + (i ? GUTTER + 3 * LANE : 0), 0);
    const tallest = Math.max(...cuts.map((c, i) => tops[ends[i]] - tops[c])) + (cuts.length > 1 ? 4 * LANE : 0);
    return Math.min(WIDTH / width, HEIGHT / tallest);
  };
  let best = [0];
  let most = scale(best);
  if (most > 0.6) return best;
  for (let n = 2; n <= MOST; n++) {
    const cuts = cut(layers, tops, cutting, n);
    if (!cuts) continue;
    const now = scale(cuts);
    if (now > most * (best.length > 1 ? 1.03 : 1.2)) [best, most] = [cuts, now];
  }
  return best;
}

// cut divides the layers into n columns of about the same height, where few edges are cut.
function cut(layers, tops, cutting, n) {
  const cuts = [0];
  for (let i = 1; i < n; i++) {
    const each = (tops.at(-1) - tops[cuts.at(-1)]) / (n - i + 1);
    let best = -1;
    let least = Infinity;
    for (let l = cuts.at(-1) + 1; l < layers.length; l++) {
      const off = Math.abs(tops[l] - tops[cuts.at(-1)] - each) / each;
      const cost = off * 6 + cutting[l];
      if (off < 0.4 && layers[l].some((item) => item.node) && !layers[l].within && cutting[l] <= LANES && cost < least) [best, least] = [l, cost];
    }
    if (best < 0) return null;
    cuts.push(best);
  }
  return cuts;
}

// crossing gives the pieces of edges that end in a layer.
export const crossing = (layers, l) => layers[l].flatMap((item) => item.up.map((u) => ({ from: u.item, to: item, chains: u.chains })));

// extent is the place of some layers across.
export function extent(layers) {
  let [a, b] = [Infinity, -Infinity];
  for (const layer of layers) for (const item of layer) [a, b] = [Math.min(a, item.x - item.width / 2), Math.max(b, item.x + item.width / 2)];
  return [a, b];
}
