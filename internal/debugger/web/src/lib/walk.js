// Where the arrow keys lead from a node: down and up along its edges, to the sides to its
// neighbours in the same layer. Going back the way one came leads to the same nodes.

const came = new Map(); // node → the one above from which it was reached, and below

export function walk(g, from, key) {
  switch (key) {
    case 'ArrowDown': return step(g, from, 'to', 'down', 'up');
    case 'ArrowUp': return step(g, from, 'from', 'up', 'down');
    default: return aside(g, from, key === 'ArrowRight' ? 1 : -1);
  }
}

function step(g, from, end, way, back) {
  const other = end === 'to' ? 'from' : 'to';
  const near = g.edges.filter((e) => !e.back && e[other] === from.id).sort((a, b) => (a.kind === 'error') - (b.kind === 'error')).map((e) => e[end]);
  if (!near.length) return way === 'up' ? g.byId.get(from.parent) : undefined; // out of a block
  const before = came.get(`${g.tool}\n${way}\n${from.id}`);
  const id = near.includes(before) ? before : near[0];
  came.set(`${g.tool}\n${back}\n${id}`, from.id);
  return g.byId.get(id);
}

// aside is the neighbour in the same layer, else the nearest node on that side at about the same height.
function aside(g, from, by) {
  const mate = g.nodes.find((n) => n.parent === from.parent && n.row === from.row && n.place === from.place + by);
  if (mate) {
    const up = came.get(`${g.tool}\nup\n${from.id}`);
    if (g.edges.some((e) => e.from === up && e.to === mate.id)) came.set(`${g.tool}\nup\n${mate.id}`, up);
    if (up) came.set(`${g.tool}\ndown\n${up}`, mate.id);
    return mate;
  }
  const far = (n) => Math.abs(n.box.x - from.box.x) + 3 * Math.abs(n.box.y - from.box.y);
  return g.nodes.filter((n) => n.parent === from.parent && (n.box.x - from.box.x) * by > 20 && Math.abs(n.box.y - from.box.y) < 80).sort((a, b) => far(a) - far(b))[0];
}
