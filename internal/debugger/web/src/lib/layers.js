// The layers of a graph. An edge against the direction leads back; the others lead down. An edge
// over several layers has a place in each of them, and its label one in a layer of labels next to
// the node that it leaves. So a label has room of its own as a node has, and nothing else is drawn there.
// Edges to the same node become one line, which crosses others once: each way along it leads to that node.

const JOINT = { next: 'way', condition: 'way', default: 'way' }; // what becomes one line; others do so with their own kind
const APART = new Set(['read', 'after', 'order']); // between steps: those have no ways out that are in order
const JOINS = 3; // layers of joining lines, at most

// layersOf gives the layers, each a list of items in the order of the file, and for each edge its
// chain of items from the upper end to the lower. Sizes and labels come with the nodes and edges.
export function layersOf(nodes, edges) {
  const items = new Map(nodes.map((n) => [n.id, { node: n, width: n.box.width + 2 * n.beside, height: n.box.height, up: [], down: [] }]));
  const out = new Map(nodes.map((n) => [n.id, []]));
  for (const e of edges) if (e.from !== e.to) out.get(e.from).push(e);
  for (const list of out.values()) list.sort((a, b) => (a.kind === 'error') - (b.kind === 'error'));
  const { back, upwards } = walk(nodes, out);

  const rank = new Map(nodes.map((n) => [n.id, 0]));
  for (const id of upwards.reverse()) {
    for (const e of out.get(id)) if (!back.has(e)) rank.set(e.to, Math.max(rank.get(e.to), rank.get(id) + 1));
  }
  const topOf = (e) => rank.get(back.has(e) ? e.to : e.from);
  const bottomOf = (e) => rank.get(back.has(e) ? e.from : e.to);
  const gapOf = (e) => (back.has(e) ? bottomOf(e) - 1 : topOf(e)); // where its label is
  const real = edges.filter((e) => e.from !== e.to);
  const labelled = new Set(real.filter((e) => e.text).map(gapOf));
  const { turn, joins } = twins(real.filter((e) => e.text && !back.has(e)), topOf);
  const layers = [];
  const layerOf = []; // rank → index of its layer
  const last = Math.max(...rank.values());
  for (let r = 0; r <= last; r++) {
    layerOf.push(layers.length);
    layers.push([]);
    if (labelled.has(r)) layers.push([]);
    for (let n = joins.get(r) ?? 0; n > 0; n--) layers.push(Object.assign([], { joining: true }));
  }

  const chains = [];
  const place = (item, layer) => {
    item.layer = layer;
    layers[layer].push(item);
    return item;
  };
  const lines = new Map(); // what runs on together, and in which layer → its item
  // lineOf is what an edge shares a line with in a layer: nothing beside its label, where the ways out of a node are in
  // order; then those between the same nodes, by two; then all of its kind to the same node.
  const lineOf = (e, l) => {
    const beside = layerOf[gapOf(e)] + 1;
    if (l === beside && (labelled.has(gapOf(e)) || out.get(e.from).length > 1 && !APART.has(e.kind)) || back.has(e) && l > beside) return [e.key];
    const far = l - beside;
    const most = joins.get(topOf(e)) ?? 0;
    if (back.has(e) || far > most || !most) return [];
    return [e.from, far < most ? (turn.get(e) ?? 0) >> far : 0];
  };
  const chainOf = (e) => {
    const at = e.text ? layerOf[gapOf(e)] + 1 : -1;
    const chain = { edge: e, back: back.has(e), items: [items.get(back.has(e) ? e.to : e.from)] };
    for (let l = layerOf[topOf(e)] + 1; l < layerOf[bottomOf(e)]; l++) {
      const key = JSON.stringify([l, e.to, chain.back, JOINT[e.kind] ?? e.kind, ...lineOf(e, l)]);
      if (!lines.has(key)) lines.set(key, place({ ...(l === at ? { label: e, width: e.text.width, height: e.text.height } : { width: 0, height: 0 }), chain }, l));
      chain.items.push(lines.get(key));
    }
    chain.items.push(items.get(back.has(e) ? e.from : e.to));
    chains.push(chain);
  };
  preorder(nodes, out, (id) => place(items.get(id), layerOf[rank.get(id)]), chainOf);
  link(chains);
  return { layers, chains, items };
}

// twins finds the ways out of a node that lead to the same one: the turn of each among them, and for each rank how many
// layers they need to join. Two and two do, in each layer: so a line between them is crossed once, not by each.
function twins(edges, rankOf) {
  const joins = new Map();
  const turn = new Map();
  const same = new Map();
  for (const e of edges) {
    const key = JSON.stringify([e.from, e.to, e.kind === 'error']);
    const n = same.get(key) ?? 0;
    same.set(key, n + 1);
    turn.set(e, n);
    if (n) joins.set(rankOf(e), Math.max(joins.get(rankOf(e)) ?? 0, Math.min(JOINS, Math.ceil(Math.log2(n + 1)))));
  }
  return { turn, joins };
}

// link notes for each item its neighbours in the layers above and below: { item, chain, chains: all that run there }.
export function link(chains) {
  for (const { items } of chains) for (const item of items) item.up = item.down = null;
  const put = (item, side, other, chain) => {
    const near = item[side] ??= [];
    const known = !(item.node && other.node) && near.find((n) => n.item === other);
    if (known) known.chains.push(chain);
    else near.push({ item: other, chain, chains: [chain] });
  };
  for (const chain of chains) {
    for (const item of chain.items) [item.up, item.down] = [item.up ?? [], item.down ?? []];
    chain.items.slice(1).forEach((item, i) => {
      put(item, 'up', chain.items[i], chain);
      put(chain.items[i], 'down', item, chain);
    });
  }
}

// walk finds the edges that lead back to a node on the way to them, and the nodes from the ends upwards.
function walk(nodes, out) {
  const back = new Set();
  const upwards = [];
  const on = new Set();
  const seen = new Set();
  for (const { id: root } of nodes) {
    if (seen.has(root)) continue;
    const stack = [[root, 0]];
    seen.add(root);
    on.add(root);
    while (stack.length) {
      const top = stack.at(-1);
      const e = out.get(top[0])[top[1]++];
      if (!e) {
        upwards.push(top[0]);
        on.delete(top[0]);
        stack.pop();
      } else if (on.has(e.to)) {
        back.add(e);
      } else if (!seen.has(e.to)) {
        seen.add(e.to);
        on.add(e.to);
        stack.push([e.to, 0]);
      }
    }
  }
  return { back, upwards };
}

// preorder visits the nodes and edges as one reads them: a branch to its end before the next.
function preorder(nodes, out, node, edge) {
  const seen = new Set();
  for (const { id: root } of nodes) {
    const stack = seen.has(root) ? [] : [[root, -1]];
    while (stack.length) {
      const top = stack.at(-1);
      if (top[1] < 0) {
        seen.add(top[0]);
        node(top[0]);
        top[1] = 0;
      }
      const e = out.get(top[0])[top[1]++];
      if (!e) {
        stack.pop();
        continue;
      }
      edge(e);
      if (!seen.has(e.to)) stack.push([e.to, -1]);
    }
  }
}
