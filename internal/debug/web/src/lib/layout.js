// Where the nodes and edges of a graph are drawn. dagre finds the places; this file
// knows the sizes.
import { Graph, layout } from '@dagrejs/dagre';
import { truncate } from './format.js';
import { SLANT } from './shape.js';

const HEIGHT = { entry: 38, exit: 38, mcp: 50, transform: 50, switch: 50, graph: 50, ask: 50 };
const ROW = 26; // of a branch
const HEAD = 30; // of a box of branches
const COLUMN = 8; // branches in a column
const FONT = 'ui-monospace, SFMono-Regular, Menlo, Consolas, monospace';
const pen = document.createElement('canvas').getContext('2d');

function widthOf(text, size, weight = 500) {
  pen.font = `${weight} ${size}px ${FONT}`;
  return pen.measureText(text).width;
}

// detail is the second line of a node.
export function detail(node) {
  switch (node.type) {
    case 'mcp': return `${node.server} · ${node.tool}`;
    case 'graph': return `[[${node.tool}]]`;
    case 'parallel': return `${node.branches.length} branches`;
    case 'transform': return node.expr ?? '';
    case 'ask': return node.message ?? '';
    case 'switch': return node.rules === 1 ? '1 rule' : `${node.rules} rules`;
    default: return '';
  }
}

function boxOf(node) {
  const title = truncate(node.id, 30);
  if (node.type === 'parallel') return branchesOf(node, title);
  const each = node.each ? ' × each' : '';
  const sub = truncate(detail(node).replace(/\s+/g, ' '), 30 - each.length) + each;
  const pad = { switch: 56, mcp: 46, transform: 46, graph: 78, ask: 46 }[node.type] ?? 44;
  const width = Math.max(92, widthOf(title, 13, 600) + pad, widthOf(sub, 11, 400) + pad);
  return { title, sub, width: Math.round(width), height: HEIGHT[node.type] };
}

// branchesOf is the box of a parallel, with a row for each branch, in columns when there are many.
function branchesOf(node, title) {
  const rows = node.branches.map((b) => ({ ...b, title: truncate(b.id, 18), sub: truncate(detail(b), 26) }));
  const wide = Math.round(Math.max(110, ...rows.map((b) => widthOf(b.title, 12, 600) + widthOf(b.sub, 11, 400) + (b.type === 'graph' ? 66 : 46))));
  const columns = Math.ceil(rows.length / COLUMN);
  const deep = Math.ceil(rows.length / columns);
  const width = Math.round(Math.max(wide * columns + 8 * (columns + 1), widthOf(title, 13, 600) + 130));
  const height = HEAD + deep * ROW + 8;
  const each = (width - 8 * (columns + 1)) / columns;
  const branches = rows.map((b, i) => ({
    ...b, width: each, height: ROW - 4, left: 8 - width / 2 + Math.floor(i / deep) * (each + 8), top: HEAD - height / 2 + (i % deep) * ROW,
  }));
  return { title, sub: '', width, height, branches };
}

// layoutOf adds to a graph: box {x, y, width, height, title, sub} for each node, points
// and label place for each edge, and the size of the whole.
export function layoutOf(graph) {
  const types = new Map(graph.nodes.map((n) => [n.id, n.type]));
  const g = new Graph({ multigraph: true });
  g.setGraph({ rankdir: 'TB', nodesep: 34, ranksep: 46, edgesep: 18, marginx: 24, marginy: 24 });
  g.setDefaultEdgeLabel(() => ({}));
  const boxes = new Map(graph.nodes.map((n) => [n.id, boxOf(n)]));
  for (const [id, box] of boxes) g.setNode(id, { width: box.width, height: box.height });
  const edges = graph.edges.map((e, i) => {
    const label = truncate((e.label ?? '').replace(/\s+/g, ' '), 34);
    const width = label ? Math.round(widthOf(label, 11, 400)) + 14 : 0;
    g.setEdge(e.from, e.to, { width, height: label ? 18 : 0, labelpos: 'c', weight: e.kind === 'next' ? 3 : 1 }, String(i));
    return { ...e, key: i, short: label, labelWidth: width };
  });
  layout(g);
  const { width = 0, height = 0 } = g.graph();
  return {
    ...graph,
    width,
    height,
    nodes: graph.nodes.map((n) => {
      const { x, y } = g.node(n.id);
      return { ...n, box: { ...boxes.get(n.id), x, y } };
    }),
    edges: edges.map((e) => {
      const at = g.edge({ v: e.from, w: e.to, name: String(e.key) });
      touch(at.points, 0, g.node(e.from), types.get(e.from));
      touch(at.points, at.points.length - 1, g.node(e.to), types.get(e.to));
      return { ...e, path: curve(at.points), at: e.short ? { x: at.x, y: at.y } : null };
    }),
    byId: new Map(graph.nodes.map((n) => [n.id, n])),
    caught: new Set(graph.edges.filter((e) => e.kind === 'error').map((e) => e.from)), // with an edge for errors
  };
}

// touch moves the end of an edge from the box of a switch, which dagre knows, to the
// slanted sides of its hexagon.
function touch(points, i, box, type) {
  if (type !== 'switch') return;
  const p = points[i];
  const [w, h] = [box.width / 2, box.height / 2];
  const t = w / (Math.abs(p.x - box.x) + (SLANT * Math.abs(p.y - box.y)) / h);
  if (t < 1) points[i] = { x: box.x + (p.x - box.x) * t, y: box.y + (p.y - box.y) * t };
}

// curve runs smoothly through dagre's points and ends straight, for the arrow's sake.
function curve(points) {
  if (points.length < 3) return `M${points.map((p) => `${r(p.x)},${r(p.y)}`).join('L')}`;
  let path = `M${r(points[0].x)},${r(points[0].y)}`;
  for (let i = 1; i < points.length - 1; i++) {
    const p = points[i];
    const next = points[i + 1];
    const last = i === points.length - 2;
    const end = last ? next : { x: (p.x + next.x) / 2, y: (p.y + next.y) / 2 };
    path += `Q${r(p.x)},${r(p.y)} ${r(end.x)},${r(end.y)}`;
  }
  return path;
}
const r = (n) => Math.round(n * 10) / 10;
