// The sizes and words of nodes and labels.
import { plural, truncate } from './format.js';
import { widthOf } from './measure.js';
import { SLANT } from './shape.js';

const HEIGHT = { entry: 38, exit: 38, mcp: 50, transform: 50, switch: 50, graph: 50, ask: 50, steps: 50 };
const ROW = 26; // of a branch
const HEAD = 30; // of a box of branches
const COLUMN = 8; // branches in a column
export const PORT = 13; // between the edges at a side of a node
export const DATA = 22; // of the last output below a node
const BLOCK = 34; // the head of a block of steps that is open
const NOTES = 14; // a third line
const ALONG = 150; // what leads through the items of a block, in its head
const LINE = 20; // letters of a label in one line; a longer one has two

// detail is the second line of a node.
export function detail(node) {
  switch (node.type) {
    case 'mcp': return `${node.server} · ${node.tool}`;
    case 'graph': return `calls ${node.tool}`;
    case 'parallel': return plural(node.branches.length, 'branch');
    case 'transform': return node.expr ?? '';
    case 'ask': return node.message ?? '';
    case 'steps': return plural(node.steps.length, 'part');
    case 'switch': return node.rules ? plural(node.rules, 'rule') : 'no rules';
    default: return '';
  }
}

// notes are what else is drawn of a step: that it changes something, when it runs, what a failure does.
const notesOf = (node) => [node.changes && 'changes', node.if && `if ${node.if.replace(/\s+/g, ' ')}`, { skip: 'skip on error', value: 'value on error' }[node.onError]].filter(Boolean).join(' · ');
const oftenOf = (node) => `${node.each ? ' × each' : ''}${node.repeat ? ' ↻' : ''}`;

// inset is the part of a node's upper and lower side, from its corner, where no edge ends.
export const inset = (node) => ({ switch: SLANT + 6, entry: 19, exit: 19, transform: 16 }[node.type] ?? 12);

// boxOf is the size of a node whose sides have room for the edges that end there, and with the
// data below it when they are shown. A block of steps that is open has inside as much room as its drawing takes.
export function boxOf(node, ports, letters, data, inside) {
  const box = node.type === 'parallel' ? branchesOf(node) : inside ? blockOf(node, inside) : plainOf(node, letters);
  box.width = Math.max(box.width, Math.min(420, (ports - 1) * PORT + 2 * inset(node)), data ? 130 : 0);
  if (data) box.height += DATA;
  box.data = data;
  return box;
}

function plainOf(node, letters) {
  const title = truncate(node.name ?? node.id, 30);
  const often = oftenOf(node);
  const sub = truncate(detail(node).replace(/\s+/g, ' '), Math.max(letters, title.length) - often.length) + often;
  const notes = truncate(notesOf(node), Math.max(letters, title.length));
  const pad = { switch: 56, mcp: 46, transform: 46, graph: 78, ask: 46, steps: 72 }[node.type] ?? 44;
  const width = Math.max(92, widthOf(title, 13, 600) + pad, Math.max(widthOf(sub, 11, 400), widthOf(notes, 11, 400)) + pad);
  return { title, sub, notes, width: Math.round(width), height: HEIGHT[node.type] + (notes ? NOTES : 0) };
}

// blockOf is the box of a block of steps, with its drawing below a head. inside is { width, height }; top is where that begins.
function blockOf(node, inside) {
  const title = truncate(node.name, 30);
  const sub = detail(node) + oftenOf(node);
  const notes = truncate(notesOf(node), 60);
  const head = BLOCK + (notes ? NOTES : 0);
  const words = Math.max(widthOf(title, 13, 600) + widthOf(sub, 11, 400) + 70 + (node.each || node.repeat ? ALONG : 0), widthOf(notes, 11, 400) + 60);
  const height = head + inside.height;
  return { title, sub, notes, block: true, width: Math.round(Math.max(inside.width, words)), height, top: head - height / 2 };
}

// branchesOf is the box of a parallel, with a row for each branch, in columns when there are many.
function branchesOf(node) {
  const title = truncate(node.id, 30);
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

// labelOf is the label of an edge, in at most two lines; null for none.
export function labelOf(text) {
  const all = (text ?? '').replace(/\s+/g, ' ').trim();
  if (!all) return null;
  const lines = [all];
  if (all.length > LINE) {
    const half = (i) => Math.max(i, all.length - i);
    const cut = [...all.matchAll(/ /g)].map((m) => m.index).reduce((a, b) => (half(b) < half(a) ? b : a), LINE + 2);
    lines.splice(0, 1, truncate(all.slice(0, cut), LINE + 4), truncate(all.slice(cut).trim(), LINE + 4));
  }
  return { lines, width: Math.round(Math.max(...lines.map((l) => widthOf(l, 11, 400)))) + 14, height: lines.length === 1 ? 18 : 31 };
}
