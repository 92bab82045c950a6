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

// random gives numbers from 0 to 1, the same for the same seed.
function random(seed) {
  let state = seed;
  return () => {
    state = (state * 1103515245 + 12345) % 2147483648;
    return state / 2147483648;
  };
}

// any is a graph of n nodes with switches, errors, loops and jumps; the same seed gives the same one.
export function any(n, seed) {
  const chance = random(seed);
  const nodes = [node('entry', 'entry')];
  for (let i = 1; i < n - 1; i++) nodes.push(node(`n${i}`, chance() < 0.25 ? 'switch' : chance() < 0.5 ? 'mcp' : 'transform'));
  nodes.push(node('exit', 'exit'));
  return made(`any ${n} (${seed})`, nodes, edgesOf(nodes, chance, { back: 0.06, most: 4, failing: 0.25 }));
}

// mixed is like any, with all that a file may have: switches of 2 to 12 conditions, parallels of 2 to 12 branches, calls that run for
// each item, calls of other tools, more errors, loops to far above. Most of them have few ways out.
export function mixed(n, seed, written = false) {
  const chance = random(seed * 7919 + 17);
  const nodes = [node('entry', 'entry')];
  const some = () => 2 + Math.floor(chance() ** 3 * 11);
  for (let i = 1; i < n - 1; i++) {
    const kind = chance();
    const id = `n${i}`;
    if (kind < 0.2) nodes.push({ ...node(id, 'switch'), rules: some() });
    else if (kind < 0.28) nodes.push({ id, type: 'parallel', branches: Array.from({ length: some() }, (_, b) => node(`branch_${b + 1}`, 'mcp')) });
    else if (kind < 0.36) nodes.push({ id, type: 'graph', tool: 'other', each: chance() < 0.5 });
    else nodes.push({ ...node(id, kind < 0.65 ? 'mcp' : 'transform'), each: chance() < 0.2 });
  }
  nodes.push(node('exit', 'exit'));
  return made(`mixed ${n} (${seed})`, nodes, edgesOf(nodes, chance, { back: 0.05, far: 14, failing: 0.3, written }));
}

// edgesOf leads from each node to some below it, seldom to one above, so that each node is reached.
function edgesOf(nodes, chance, { back, far = 6, most = 0, failing, written }) {
  const edges = [];
  const reached = new Set();
  const last = nodes.length - 1;
  const to = (i, first) => {
    const at = first && !reached.has(i + 1) ? i + 1 : chance() < back ? Math.max(1, i - Math.floor(chance() * far)) : Math.min(last, i + 1 + Math.floor(chance() * chance() * 8));
    reached.add(at);
    return nodes[at].id;
  };
  nodes.slice(0, -1).forEach(({ id, type, rules }, i) => {
    if (type !== 'switch') {
      edges.push(next(id, to(i, true)));
      if ((type === 'mcp' || !most && type !== 'entry' && type !== 'transform') && chance() < failing) edges.push(failed(id, to(i)));
      return;
    }
    const ways = most ? 1 + Math.floor(chance() * most) : rules;
    const ends = Array.from({ length: ways + 1 }, (_, j) => to(i, j === 0));
    if (written) ends.sort((a, b) => nodes.findIndex((x) => x.id === a) - nodes.findIndex((x) => x.id === b));
    ends.forEach((end, j) => edges.push(j < ways ? when(id, end, `${id}.count > ${j}`) : otherwise(id, end)));
  });
  return edges;
}

// levels are the drawings of a layout: that of the whole and that within each block of steps, as layouts that measure takes.
export function levels(g) {
  return [...new Set(g.nodes.map((n) => n.parent))].map((parent) => {
    const nodes = g.nodes.filter((n) => n.parent === parent);
    const edges = g.edges.filter((e) => g.byId.get(e.from).parent === parent);
    const [x, y] = edges[0]?.shift ?? [0, 0];
    return { nodes: nodes.map((n) => ({ ...n, box: { ...n.box, x: n.box.x - x, y: n.box.y - y } })), edges };
  });
}

// against is how many pairs of ways out of a node leave it against the order of the file, in which errors are last, or have
// labels side by side that do.
export function against({ nodes, edges }) {
  let n = 0;
  for (const { id } of nodes) {
    const ways = edges.filter((e) => e.from === id && !e.back && !['read', 'after', 'order'].includes(e.kind));
    const starts = ways.sort((a, b) => (a.kind === 'error') - (b.kind === 'error')).map((e) => [points(e.path)[0][0], e.at ?? {}]);
    starts.forEach(([x, at], i) => starts.slice(0, i).forEach(([before, label]) => { if (x < before || at.y === label.y && at.x < label.x) n++; }));
  }
  return n;
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
  found.crossings = crossings(g.edges, lines);
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

// crossings counts where the ways of different edges cross: a pair that crosses three times counts three. Edges to the same
// node that run on as one line are one there, and do not cross where they meet.
function crossings(edges, lines) {
  const before = new Map(); // node → the ways to it that are counted already
  const pieces = lines.flatMap((line, of) => {
    const others = before.get(edges[of].to) ?? before.set(edges[of].to, []).get(edges[of].to);
    const same = (other) => line.findLastIndex((p, i) => {
      const q = other[other.length - line.length + i];
      return !q || Math.abs(p[0] - q[0]) + Math.abs(p[1] - q[1]) > 0.01;
    });
    const meets = Math.min(line.length - 1, ...others.map((other) => same(other) + 1));
    others.push(line);
    return line.slice(1, meets + 1).map((to, i) => {
      const a = line[i];
      const b = i + 1 === meets ? [0, 1].map((k) => a[k] + (to[k] - a[k]) * 0.98) : to;
      return { of, a, b, left: Math.min(a[0], b[0]), right: Math.max(a[0], b[0]), top: Math.min(a[1], b[1]), bottom: Math.max(a[1], b[1]) };
    });
  }).sort((p, q) => p.top - q.top);
  const right = (a, b, c) => (b[0] - a[0]) * (c[1] - a[1]) > (b[1] - a[1]) * (c[0] - a[0]); // of the line through a and b
  let n = 0;
  pieces.forEach((p, i) => {
    for (let k = i + 1; k < pieces.length && pieces[k].top <= p.bottom; k++) {
      const q = pieces[k];
      if (p.of === q.of || p.left > q.right || q.left > p.right) continue;
      if (right(p.a, p.b, q.a) !== right(p.a, p.b, q.b) && right(q.a, q.b, p.a) !== right(q.a, q.b, p.b)) n++;
    }
  });
  return n;
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
