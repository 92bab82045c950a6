// Graphs for the tests of the drawing, made here, and what is measured in it.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

const next = (from, to) => ({ from, to, kind: 'next' });
const when = (from, to, label) => ({ from, to, kind: 'condition', label });
const otherwise = (from, to) => ({ from, to, kind: 'default', label: 'default' });
const failed = (from, to) => ({ from, to, kind: 'error', label: 'error' });
const node = (id, type = 'transform') => ({ id, type, ...(type === 'mcp' ? { server: 'files', tool: 'read_text_file' } : type === 'switch' ? { rules: 2 } : { expr: '{"n": $.entry.n + 1}' }) });
const made = (tool, nodes, edges) => ({ tool, hash: tool, nodes, edges });

// fan is a switch with n conditions, whose nodes all lead to the exit.
export function fan(n) {
  const ways = Array.from({ length: n }, (_, i) => `way_${i + 1}`);
  return made(`fan ${n}`, [node('entry', 'entry'), node('which', 'switch'), ...ways.map((w) => node(w, 'mcp')), node('other'), node('exit', 'exit')],
    [next('entry', 'which'), ...ways.map((w) => when('which', w, `entry.operation == "${w}"`)), otherwise('which', 'other'), ...ways.map((w) => next(w, 'exit')), next('other', 'exit')]);
}

// chain is n nodes one after the other; with a loop, the last leads back to the first.
export function chain(n, loop = false) {
  const ids = ['entry', ...Array.from({ length: n }, (_, i) => `step_${i + 1}`), ...(loop ? ['again'] : []), 'exit'];
  const edges = ids.slice(1).map((id, i) => next(ids[i], id));
  if (loop) edges.splice(-1, 1, when('again', 'step_1', 'step_1.n < entry.n'), otherwise('again', 'exit'));
  return made(`chain ${n}${loop ? ' in a loop' : ''}`, ids.map((id) => node(id, { entry: 'entry', exit: 'exit', again: 'switch' }[id] ?? 'transform')), edges);
}

// handled is calls whose errors lead aside, and a node that leads to itself.
export function handled() {
  const calls = ['a', 'b', 'c', 'd'];
  return made('handled', [node('entry', 'entry'), ...calls.map((c) => node(c, 'mcp')), node('wait', 'switch'), node('exit', 'exit'), node('undo', 'mcp'), node('failed', 'exit')], [
    next('entry', 'a'), ...calls.flatMap((c, i) => [next(c, calls[i + 1] ?? 'wait'), failed(c, 'undo')]),
    when('wait', 'wait', '$executionCount("wait") < 3'), otherwise('wait', 'exit'), next('undo', 'failed'),
  ]);
}

// any is a graph of n nodes with switches, errors, loops and jumps; the same seed gives the same one.
export function any(n, seed) {
  let state = seed;
  const chance = () => {
    state = (state * 1103515245 + 12345) % 2147483648;
    return state / 2147483648;
  };
  const nodes = [node('entry', 'entry')];
  for (let i = 1; i < n - 1; i++) nodes.push(node(`n${i}`, chance() < 0.25 ? 'switch' : chance() < 0.5 ? 'mcp' : 'transform'));
  nodes.push(node('exit', 'exit'));
  const edges = [];
  const reached = new Set();
  const to = (i, first) => {
    const at = first && !reached.has(i + 1) ? i + 1 : chance() < 0.06 ? Math.max(1, i - Math.floor(chance() * 6)) : Math.min(n - 1, i + 1 + Math.floor(chance() * chance() * 8));
    reached.add(at);
    return nodes[at].id;
  };
  nodes.slice(0, -1).forEach(({ id, type }, i) => {
    if (type !== 'switch') {
      edges.push(next(id, to(i, true)));
      if (type === 'mcp' && chance() < 0.25) edges.push(failed(id, to(i)));
      return;
    }
    const ways = 1 + Math.floor(chance() * 4);
    for (let j = 0; j < ways; j++) edges.push(when(id, to(i, j === 0), `${id}.count > ${j}`));
    edges.push(otherwise(id, to(i)));
  });
  return made(`any ${n} (${seed})`, nodes, edges);
}

// measure counts what overlaps and crosses in a layout: { overNode, overLabel, nodes, labels, crossings }.
// overNode and overLabel are edges over what is not their own.
export function measure(g) {
  const box = (at, width, height) => ({ left: at.x - width / 2 + 1, right: at.x + width / 2 - 1, top: at.y - height / 2 + 1, bottom: at.y + height / 2 - 1 });
  const nodes = g.nodes.map((n) => ({ id: n.id, ...box(n.box, n.box.width, n.box.height) }));
  const labels = g.edges.filter((e) => e.at).map((e) => ({ of: e, ...box(e.at, e.text.width, e.text.height) }));
  const lines = g.edges.map((e) => points(e.path));
  const overlap = (a, b) => a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
  const pairs = (list, f) => list.reduce((n, a, i) => n + list.slice(i + 1).filter((b) => f(a, b)).length, 0);
  const found = { nodes: pairs(nodes, overlap), labels: pairs(labels, overlap), overNode: 0, overLabel: 0, crossings: 0 };
  for (const l of labels) found.labels += nodes.filter((n) => overlap(l, n)).length;
  g.edges.forEach((e, i) => {
    const runs = (area) => lines[i].some((p, k) => k > 0 && within(area, lines[i][k - 1], p));
    found.overNode += nodes.filter((n) => n.id !== e.from && n.id !== e.to && runs(n)).length;
    found.overLabel += labels.filter((l) => l.of !== e && !(l.of.from === e.from && l.of.to === e.to) && runs(l)).length;
  });
  found.crossings = pairs(lines, cross);
  return found;
}

// points follows a path of lines and curves.
export function points(path) {
  const all = [];
  for (const [, kind, rest] of path.matchAll(/([A-Za-z])([^A-Za-z]*)/g)) {
    const n = rest.match(/-?\d+(\.\d+)?/g)?.map(Number) ?? [];
    const [x, y] = all.at(-1) ?? [0, 0];
    if (kind === 'M' || kind === 'L') all.push([n[0], n[1]]);
    else if (kind === 'h') all.push([x + n[0], y]);
    else if (kind === 'q' || kind === 't') all.push([x + n.at(-2), y + n.at(-1)]);
    else {
      for (let k = 1; k <= 12; k++) {
        const [s, u] = [k / 12, 1 - k / 12];
        const at = (i) => (kind === 'C' ? u ** 3 * all.base[i] + 3 * u * u * s * n[i] + 3 * u * s * s * n[i + 2] + s ** 3 * n[i + 4] : u * u * all.base[i] + 2 * u * s * n[i] + s * s * n[i + 2]);
        if (k === 1) all.base = [x, y];
        all.push([at(0), at(1)]);
      }
    }
  }
  return all;
}

function within(area, a, b) {
  for (let k = 0; k <= 8; k++) {
    const [x, y] = [a[0] + ((b[0] - a[0]) * k) / 8, a[1] + ((b[1] - a[1]) * k) / 8];
    if (x > area.left && x < area.right && y > area.top && y < area.bottom) return true;
  }
  return false;
}

function cross(p, q) {
  const side = (a, b, c) => (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
  return p.some((b, i) => i > 0 && q.some((d, k) => {
    if (!k) return false;
    const [a, c] = [p[i - 1], q[k - 1]];
    return side(a, b, c) * side(a, b, d) < 0 && side(c, d, a) * side(c, d, b) < 0;
  }));
}

// file writes a graph file to the state's directory and gives its path. tools are names with their nodes.
export function file(name, tools) {
  const path = join(process.env.STATE, `${name}.yaml`);
  writeFileSync(path, `version: "1.0"
server: {name: ${name}, version: 1.0.0, title: ${name}}
tools:
${Object.entries(tools).map(([tool, nodes]) => `  - name: ${tool}
    description: Made for a test of the drawing.
    inputSchema: {type: object, properties: {n: {type: integer, default: 7}}}
    nodes:
${nodes.map((n) => `      - ${n}\n`).join('')}`).join('')}`);
  return path;
}

export const set = (id, to, expr = `{"from": "${id}", "n": $.entry.n}`) => `{id: ${id}, type: transform, transform: {expr: '${expr}'}, next: ${to}}`;
export const entry = (to) => `{id: entry, type: entry, next: ${to}}`;
export const exit = '{id: exit, type: exit}';
const numbers = (n) => Array.from({ length: n }, (_, i) => i + 1);

export const fanFile = () => file('fan', { fan: [entry('which'),
  `{id: which, type: switch, conditions: [${numbers(12).map((i) => `{rule: {"==": [{var: entry.n}, ${i}]}, next: way_${i}}`).join(', ')}], next: other}`,
  ...numbers(12).map((i) => set(`way_${i}`, 'exit')), set('other', 'exit'), exit] });
export const chainFile = (n) => file('chain', { chain: [entry('step_1'), ...numbers(n).map((i) => set(`step_${i}`, i < n ? `step_${i + 1}` : 'exit')), exit] });
export const branchesFile = () => file('branches', {
  branches: [entry('all'), `{id: all, type: parallel, branches: {${numbers(12).map((i) => `branch_${i}: {type: graph, tool: one, args: {n: ${i}}}`).join(', ')}}, next: exit}`, exit],
  one: [entry('exit'), exit],
});
