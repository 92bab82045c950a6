// The run that is open: its state, the path it took, and the step under inspection.
import { signal, computed, batch } from '@preact/signals';
import { get, post, put, seg } from '../lib/api.js';
import { toolName, chooseTool, graph, project } from './project.js';
import { breakpoints } from './breakpoints.js';
import { attempt, show } from './ui.js';
import { forgetSteps } from './steps.js';

export const run = signal(null); // what GET runs/ID answers
export const path = signal({ names: [], steps: [], edits: new Set() });
export const position = signal(null); // a step; null follows the end
export const selected = signal(''); // a node that has not run, when one was chosen
export const opening = signal(false);

export const total = computed(() => path.value.steps.length);
export const at = computed(() => (position.value === null ? total.value : Math.min(position.value, total.value)));
export const nodeAt = (i) => path.value.names[path.value.steps[i]];
export const active = computed(() => ['running', 'paused', 'not_started'].includes(run.value?.status));
export const controlled = computed(() => Boolean(run.value?.live) && active.value);
export const paused = computed(() => run.value?.status === 'paused');
// own is whether the graph on the screen is the graph of the run.
export const own = computed(() => run.value && run.value.tool === toolName.value);

// outdated is whether the run began with another version of its graph.
export const outdated = computed(() => own.value && Boolean(graph.value) && run.value.graph !== graph.value.hash);

// showOwn shows the graph that the run walked, where the file still has it.
export const showOwn = () => attempt(() => chooseTool(run.value.tool));

// lit is what the graph shows of the run: how often each node ran up to the position,
// the edges taken, the node at the position and the node that failed.
export const lit = computed(() => {
  const counts = new Map();
  const edges = new Map();
  const none = { counts, edges, current: '', failed: '', running: false };
  if (!own.value) return none;
  const { names, steps, edits } = path.value;
  const most = Math.min(steps.length, at.value + 1);
  let before = '';
  for (let i = 0; i < most; i++) {
    if (edits.has(i)) continue;
    const node = names[steps[i]];
    counts.set(node, (counts.get(node) ?? 0) + 1);
    if (before) {
      const edge = `${before}\n${node}`;
      edges.set(edge, (edges.get(edge) ?? 0) + 1);
    }
    before = node;
  }
  const end = at.value >= steps.length;
  const next = end ? run.value.next?.node ?? '' : nodeAt(at.value);
  if (end && next && before) edges.set(`${before}\n${next}`, 1);
  const failed = run.value.error?.node && at.value >= steps.length - 1 ? run.value.error.node : '';
  return { counts, edges, current: next, failed, running: end && active.value };
});

let reading = null; // the path is read by one request at a time
let stale = false;

// readPath reads what is new of the path.
export function readPath() {
  if (reading) {
    stale = true;
    return reading;
  }
  const id = run.value.id;
  const known = path.value;
  reading = (async () => {
    try {
      const more = await get(`runs/${seg(id)}/path`, { from: known.steps.length });
      if (run.value?.id !== id) return;
      const index = new Map(known.names.map((name, i) => [name, i]));
      const names = [...known.names];
      const translate = more.names.map((name) => {
        if (!index.has(name)) {
          index.set(name, names.length);
          names.push(name);
        }
        return index.get(name);
      });
      const steps = known.steps.concat(more.path.map((i) => translate[i]));
      path.value = { names, steps, edits: new Set([...known.edits, ...more.edits]) };
    } finally {
      reading = null;
    }
    if (stale) {
      stale = false;
      await readPath();
    }
  })();
  return reading;
}

// openRun shows a run, live or recorded.
export async function openRun(id, step = null) {
  opening.value = true;
  [awaited, early] = [id, null];
  const found = await attempt(() => get(`runs/${seg(id)}`));
  if (found) {
    if (reading) await reading.catch(() => {});
    forgetSteps();
    batch(() => {
      run.value = found;
      path.value = { names: [], steps: [], edits: new Set() };
      position.value = step;
      selected.value = '';
    });
    if (project.value.tools.some((t) => t.name === found.tool)) await attempt(() => chooseTool(found.tool));
    if (early) update(early);
    await attempt(readPath);
  }
  if (awaited === id) awaited = '';
  opening.value = false;
}

let awaited = ''; // the run that is being opened
let early = null; // news of it that came before it was

// update takes news of a run from the server. News overtake each other: by stream and as
// answers; what is older than what is shown is dropped.
export function update(news) {
  if (news.id === awaited) early = news;
  if (run.value?.id !== news.id || news.rev < run.value.rev) return;
  run.value = { ...run.value, ...news };
  if (news.steps > path.value.steps.length) attempt(readPath);
}

// startRun starts a run of the chosen tool; the server's findings about the arguments
// come back as fields.
export async function startRun(args, { debug = false, runTo = '' } = {}) {
  const options = JSON.stringify({ tool: toolName.value, pause: debug, runTo, breakpoints: breakpoints.value });
  const begun = await post('runs', `${options.slice(0, -1)},"args":${args}}`); // args as they were written, digits and all
  await openRun(begun.id);
  show('step');
  return begun;
}

export async function control(action, node = '') {
  if (!run.value) return;
  const state = await attempt(() => post(`runs/${seg(run.value.id)}/control`, { action, node }));
  if (!state) return;
  go(total.value);
  update(state);
}

// keepBreakpoints sends the breakpoints to a live run, which also hold for later runs.
export async function keepBreakpoints() {
  if (controlled.value && own.value) await attempt(() => put(`runs/${seg(run.value.id)}/breakpoints`, { breakpoints: breakpoints.value }));
}

// go moves the inspection by steps.
export function go(step) {
  selected.value = '';
  const n = Math.max(0, Math.min(total.value, step));
  position.value = n === total.value ? null : n;
}

// goToNode inspects the latest execution of a node up to the position, or else the node.
export function goToNode(id) {
  const { steps, names } = own.value ? path.value : { steps: [], names: [] };
  if (at.value >= steps.length && run.value?.next?.node === id && own.value) return go(steps.length);
  for (let i = Math.min(at.value, steps.length - 1); i >= 0; i--) {
    if (names[steps[i]] === id) return go(i);
  }
  const later = steps.findIndex((s) => names[s] === id);
  if (later >= 0) return go(later);
  selected.value = id;
  return undefined;
}
