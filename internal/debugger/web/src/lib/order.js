// The order of the items in their layers: few crossings, and the ways out of a node in the order of
// the file. Several orders are tried; where two of them agree in a layer, the better of each is taken above and below it.

const WORK = 15000; // items that are ordered, over all starts
const STARTS = [8, 60]; // from which an order is sought, at least and at most
const SWEEPS = 3; // up and down, from each start
const ROUNDS = 2; // of sifting after each sweep

export function order(layers) {
  const groups = family(layers);
  const first = layers.map((layer) => [...layer]);
  const chance = random();
  const best = layers.map((layer) => ({ layer: [...layer], crossings: Infinity })); // with those to the next layer
  const starts = Math.min(STARTS[1], Math.max(STARTS[0], Math.round(WORK / first.flat().length)));
  for (let start = 0; start < starts && best.some((b) => b.crossings); start++) {
    layers.forEach((layer, l) => {
      layers[l] = [...first[l]];
      if (start === 1) layers[l].reverse();
      else if (start > 1) shuffle(layers[l], chance);
      number(layers[l]);
      settle(layers[l], groups[l]);
    });
    if (!start) keep(layers, best);
    for (let sweep = 0; sweep < SWEEPS; sweep++) {
      const down = (sweep + start) % 2 === 0;
      for (let i = 1; i < layers.length; i++) {
        const l = down ? i : layers.length - 1 - i;
        sort(layers[l], down ? 'up' : 'down', start % 4 > 1 ? median : mean);
        settle(layers[l], groups[l]);
      }
      sift(layers);
      keep(layers, best);
    }
  }
  best.forEach(({ layer }, l) => {
    layers[l] = layer;
    number(layer);
  });
}

const places = (near) => near.map((n) => n.item.pos);
const byNumber = (a, b) => a - b;

export const number = (layer) => layer.forEach((item, i) => { item.pos = i; });

// random gives the same numbers each time: the picture depends on the graph alone.
function random() {
  let state = 1;
  return () => {
    state = (state * 1103515245 + 12345) % 2147483648;
    return state / 2147483648;
  };
}

function shuffle(layer, chance) {
  for (let i = layer.length - 1; i > 0; i--) {
    const j = Math.floor(chance() * (i + 1));
    [layer[i], layer[j]] = [layer[j], layer[i]];
  }
}

// settle gives the items that keep their order the places that they have together.
function settle(layer, groups) {
  for (const group of groups) {
    const slots = group.map((item) => item.pos).sort((a, b) => a - b);
    group.forEach((item, i) => {
      item.pos = slots[i];
      layer[slots[i]] = item;
    });
  }
}

// keep takes from an order each part, between layers in which it agrees with the best, that has fewer crossings.
function keep(layers, best) {
  const now = layers.map((layer, l) => (l + 1 < layers.length ? crossings([layer, layers[l + 1]]) : 0));
  const sum = (list, from, to) => list.slice(from, to).reduce((a, b) => a + b, 0);
  const were = best.map((b) => b.crossings);
  let from = 0;
  layers.forEach((layer, l) => {
    const end = l === layers.length - 1;
    if (!end && !layer.every((item, i) => item === best[l].layer[i])) return;
    const to = end ? l + 1 : l;
    if (sum(now, from, to) < sum(were, from, to)) for (let k = from; k <= l; k++) best[k] = { layer: [...layers[k]], crossings: k < to ? now[k] : best[k].crossings };
    from = l;
  });
}

const mean = (all) => all.reduce((sum, p) => sum + p, 0) / all.length;
const median = (all) => {
  const middle = all.sort(byNumber).length >> 1;
  return all.length % 2 ? all[middle] : (all[middle - 1] + all[middle]) / 2;
};

// sort puts each item in the middle of its neighbours on one side.
function sort(layer, side, middle) {
  for (const item of layer) item.middle = item[side].length ? middle(places(item[side])) : item.pos;
  layer.sort((a, b) => a.middle - b.middle);
  number(layer);
}

// sift moves each item to the place in its layer where its edges cross the fewest, past no item of its family.
function sift(layers) {
  let open = layers.map((layer) => layer.length > 1); // where something may be better now
  for (let round = 0; round < ROUNDS && open.includes(true); round++) {
    const again = layers.map(() => false);
    for (let i = 0; i < layers.length; i++) {
      const l = round % 2 ? layers.length - 1 - i : i;
      if (open[l] && siftOne(layers[l])) for (const near of [l - 1, l, l + 1]) again[near] = layers[near]?.length > 1;
    }
    open = again;
  }
}

function siftOne(layer) {
  let better = false;
  for (const item of layer) item.ends = [places(item.up).sort(byNumber), places(item.down).sort(byNumber)];
  for (const item of [...layer]) {
    let [to, least] = [item.pos, 0];
    for (let at = item.pos - 1, sum = 0; at >= 0 && !siblings(layer[at], item); at--) {
      sum += between(item, layer[at]) - between(layer[at], item);
      if (sum < least) [to, least] = [at, sum];
    }
    for (let at = item.pos + 1, sum = 0; at < layer.length && !siblings(layer[at], item); at++) {
      sum += between(layer[at], item) - between(item, layer[at]);
      if (sum < least) [to, least] = [at, sum];
    }
    if (!least) continue;
    layer.splice(item.pos, 1);
    layer.splice(to, 0, item);
    number(layer);
    better = true;
  }
  return better;
}

const siblings = (a, b) => a.family && a.family === b.family;

// family finds in each layer the items that keep their order: where the ways out of a node begin. Those that come back from
// below are free.
function family(layers) {
  return layers.map((layer) => {
    const groups = new Map();
    for (const item of layer) {
      const above = item.up.length === 1 && item.up[0].item;
      if (!item.chain || item.chain.back || !above?.node || above.down.length < 2) continue;
      item.family = above;
      groups.set(above, [...(groups.get(above) ?? []), item]);
    }
    const turn = (of, item) => of.down.findIndex((d) => d.item === item);
    return [...groups].map(([of, group]) => group.sort((a, b) => turn(of, a) - turn(of, b)));
  });
}

// between counts the crossings of the edges of two neighbours, a to the left of b.
const between = (a, b) => inversions(a.ends[0], b.ends[0]) + inversions(a.ends[1], b.ends[1]);

function inversions(left, right) {
  let n = 0;
  let before = 0;
  for (const end of left) {
    while (before < right.length && right[before] < end) before++;
    n += before;
  }
  return n;
}

// crossings counts the crossings of all edges between neighbouring layers.
export function crossings(layers) {
  let n = 0;
  for (let l = 0; l + 1 < layers.length; l++) {
    const ends = layers[l].flatMap((item) => places(item.down).sort(byNumber));
    const tree = new Array(layers[l + 1].length + 1).fill(0); // how many ends are up to a place
    ends.forEach((pos, i) => {
      let before = 0;
      for (let k = pos + 1; k > 0; k -= k & -k) before += tree[k];
      n += i - before;
      for (let k = pos + 1; k < tree.length; k += k & -k) tree[k]++;
    });
  }
  return n;
}
