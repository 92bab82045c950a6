// The order of the items in their layers: few crossings, and the ways out of a node in the order of
// the file.

const SWEEPS = 14;

export function order(layers) {
  const groups = family(layers);
  const settle = (l) => {
    for (const group of groups[l]) {
      const slots = group.map((item) => item.pos).sort((a, b) => a - b);
      group.forEach((item, i) => {
        item.pos = slots[i];
        layers[l][slots[i]] = item;
      });
    }
  };
  layers.forEach(number);
  layers.forEach((_, l) => settle(l));
  let best = layers.map((layer) => [...layer]);
  let least = crossings(layers);
  for (let sweep = 0; sweep < SWEEPS && least > 0; sweep++) {
    const down = sweep % 2 === 0;
    for (let i = 1; i < layers.length; i++) {
      const l = down ? i : layers.length - 1 - i;
      sort(layers[l], down ? 'up' : 'down');
      settle(l);
    }
    exchange(layers);
    const now = crossings(layers);
    if (now < least) {
      least = now;
      best = layers.map((layer) => [...layer]);
    }
  }
  best.forEach((layer, l) => {
    layers[l] = layer;
    number(layer);
  });
}

export const number = (layer) => layer.forEach((item, i) => { item.pos = i; });

// sort puts each item at the mean of its neighbours on one side.
function sort(layer, side) {
  for (const item of layer) {
    const near = item[side];
    item.mean = near.length ? near.reduce((sum, n) => sum + n.item.pos, 0) / near.length : item.pos;
  }
  layer.sort((a, b) => a.mean - b.mean);
  number(layer);
}

// exchange swaps neighbours while that removes crossings.
function exchange(layers) {
  for (let round = 0, better = true; better && round < 6; round++) {
    better = false;
    for (const layer of layers) {
      for (let i = 0; i + 1 < layer.length; i++) {
        const [a, b] = [layer[i], layer[i + 1]];
        if (siblings(a, b) || between(a, b) <= between(b, a)) continue;
        [layer[i], layer[i + 1], a.pos, b.pos] = [b, a, i + 1, i];
        better = true;
      }
    }
  }
}

const siblings = (a, b) => a.family && a.family === b.family;

// family finds in each layer the items that keep their order: where the edges of a node pass, and
// the nodes to which nothing else leads.
function family(layers) {
  return layers.map((layer) => {
    const groups = new Map();
    for (const item of layer) {
      const above = item.up.length === 1 ? item.up[0].item : null;
      const of = above?.node && above.down.length > 1 && item.chain ? above : above?.label ? above.family : null;
      if (!of) continue;
      item.family = of;
      groups.set(of, [...(groups.get(of) ?? []), item]);
    }
    const turn = (of, item) => of.down.findIndex((d) => d.chain === item.up[0].chain);
    return [...groups].map(([of, group]) => group.sort((a, b) => turn(of, a) - turn(of, b)));
  });
}

// between counts the crossings of the edges of two neighbours, a to the left of b.
function between(a, b) {
  let n = 0;
  for (const side of ['up', 'down']) {
    for (const p of a[side]) for (const q of b[side]) if (p.item.pos > q.item.pos) n++;
  }
  return n;
}

// crossings counts the crossings of all edges between neighbouring layers.
export function crossings(layers) {
  let n = 0;
  for (let l = 0; l + 1 < layers.length; l++) {
    const ends = layers[l].flatMap((item) => item.down.map((d) => d.item.pos).sort((a, b) => a - b));
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
