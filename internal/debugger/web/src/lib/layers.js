// The layers of a graph. An edge against the direction leads back; the others lead down. An edge
// over several layers has a place in each of them, and its label one in a layer of labels next to
// the node that it leaves. So a label has room of its own as a node has, and nothing else is drawn there.

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
  const gapOf = (e) => (back.has(e) ? rank.get(e.from) - 1 : rank.get(e.from)); // where its label is
  const labelled = new Set(edges.filter((e) => e.text && e.from !== e.to).map(gapOf));
  const layers = [];
  const layerOf = []; // rank → index of its layer
  const last = Math.max(...rank.values());
  for (let r = 0; r <= last; r++) {
    layerOf.push(layers.length);
    layers.push([]);
    if (labelled.has(r)) layers.push([]);
  }

  const chains = [];
  const place = (item, layer) => {
    item.layer = layer;
    layers[layer].push(item);
  };
  const chainOf = (e) => {
    const [top, bottom] = back.has(e) ? [e.to, e.from] : [e.from, e.to];
    const at = e.text ? layerOf[gapOf(e)] + 1 : -1;
    const chain = { edge: e, back: back.has(e), items: [items.get(top)] };
    for (let l = layerOf[rank.get(top)] + 1; l < layerOf[rank.get(bottom)]; l++) {
      const item = l === at ? { label: e, width: e.text.width, height: e.text.height, up: [], down: [] } : { width: 0, height: 0, up: [], down: [] };
      item.chain = chain;
      place(item, l);
      chain.items.push(item);
    }
    chain.items.push(items.get(bottom));
    chains.push(chain);
  };
  preorder(nodes, out, (id) => place(items.get(id), layerOf[rank.get(id)]), chainOf);
  link(chains);
  return { layers, chains, items };
}

// link notes for each item its neighbours in the layers above and below.
export function link(chains) {
  for (const { items } of chains) for (const item of items) item.up = item.down = null;
  for (const chain of chains) {
    chain.items.forEach((item, i) => {
      item.up ??= [];
      item.down ??= [];
      if (i > 0) item.up.push({ item: chain.items[i - 1], chain });
      if (i < chain.items.length - 1) item.down.push({ item: chain.items[i + 1], chain });
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
