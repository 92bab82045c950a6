// Where the nodes and edges of a graph are drawn, from top to bottom: layers, their order, their
// places across, the ways of the edges. The same graph has the same drawing everywhere.
import { boxOf, DATA, labelOf } from './box.js';
import { layersOf } from './layers.js';
import { order } from './order.js';
import { breakLayers } from './rows.js';
import { align } from './align.js';
import { route } from './route.js';

const LETTERS = 30; // of a line of a node
const FEWER = 12; // of the second line among many nodes that are side by side
const MANY = 4;

// layoutOf adds to a graph: box {x, y, width, height, title, sub}, row and place for each node, a
// path and the label's place for each edge, and the size of the whole. With data there is room for
// the last output below each node. A step that is a block has its own steps in it, unless it is closed: then they are among
// the nodes and edges, after it, each with its block as parent.
export function layoutOf(graph, data = false, closed = new Set()) {
  const { nodes, edges, ...laid } = layOut(graph, data, closed);
  const all = { nodes: [], edges: [] };
  flatten({ nodes, edges }, 0, 0, '', all);
  return {
    ...laid,
    ...all,
    ofSteps: graph.nodes.some((n) => n.name),
    byId: new Map(all.nodes.map((n) => [n.id, n])),
    caught: new Set(graph.edges.filter((e) => e.kind === 'error').map((e) => e.from)), // with an edge for errors
  };
}

// flatten moves the drawing of a block into it, and adds it to the others.
function flatten({ nodes, edges }, x, y, parent, all) {
  for (const e of edges) all.edges.push(parent ? { ...e, key: `${parent} ${e.key}`, shift: [x, y] } : e);
  for (const { inside, ...n } of nodes) {
    n.box.x += x;
    n.box.y += y;
    all.nodes.push({ ...n, parent, closed: n.steps ? !inside : undefined });
    if (inside) flatten(inside, n.box.x - inside.width / 2, n.box.y - (n.box.data ? DATA / 2 : 0) + n.box.top, n.id, all);
  }
}

function layOut(graph, data, closed) {
  const edges = graph.edges.map((e, i) => ({ ...e, key: i, text: labelOf(e.label) }));
  const ports = new Map(graph.nodes.map((n) => [n.id, [0, 0]])); // edges that leave and that arrive
  for (const e of edges) {
    ports.get(e.from)[0]++;
    ports.get(e.to)[1]++;
  }
  const beside = new Set(edges.filter((e) => ports.get(e.from)[0] > MANY).map((e) => e.to));
  const besides = new Map(); // node → the room that its loops take
  for (const e of edges) {
    if (e.from !== e.to) continue;
    e.beside = besides.get(e.from) ?? 0;
    besides.set(e.from, e.beside + 26 + (e.text?.width ?? 0));
  }
  const nodes = graph.nodes.map((n) => {
    const inside = n.steps && !closed.has(n.id) ? layOut({ nodes: n.steps, edges: n.edges ?? [] }, data, closed) : null;
    return {
      ...n,
      inside,
      box: boxOf(n, Math.max(...ports.get(n.id)), beside.has(n.id) ? FEWER : LETTERS, data, inside),
      beside: besides.get(n.id) ?? 0,
    };
  });
  let { layers, chains, items } = layersOf(nodes, edges);
  order(layers);
  layers.forEach((layer, row) => layer.filter((item) => item.node).forEach((item, place) => Object.assign(item.node, { row, place })));
  layers = breakLayers(layers, chains);
  align(layers);
  const { width, height, paths } = route(layers, chains);
  for (const [, { node, x, y }] of items) Object.assign(node.box, { x, y });
  const labels = new Map(layers.flat().filter((item) => item.label).map((item) => [item.label, item]));
  const backs = new Set(chains.filter((c) => c.back).map((c) => c.edge));
  return {
    ...graph,
    width,
    height,
    nodes,
    edges: edges.map((e) => (e.from === e.to ? loop(e, items.get(e.from).node.box) : { ...e, back: backs.has(e), path: paths.get(e), at: labels.get(e) && { x: labels.get(e).x, y: labels.get(e).y } })),
  };
}

// loop leads from the right side of a node back to it, around those before it.
function loop(e, { x, y, width, height }) {
  const [right, far, by] = [x + width / 2, 12 + e.beside, Math.min(e.beside ? 18 : 14, height / (e.beside ? 3 : 4))];
  return { ...e, back: true, path: `M${right} ${y + by}h${far}q10 0 10 ${-by}t-10 ${-by}h${-far}`, at: e.text && { x: right + far + 14 + e.text.width / 2, y } };
}
