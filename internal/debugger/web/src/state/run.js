// The run that is open: its state, the frame that is looked at with the path that it took, and the
// step or part under inspection. A frame is shown as a run is: the run's own is the empty address.
import { signal, computed, batch } from '@preact/signals';
import { get, post, seg } from '../lib/api.js';
import { addressOf, nodeText, split, STEPS, stepId } from '../lib/address.js';
import { canDraw, chooseTool, drawTool, formName, giveGraphOf, given, graph, project, toolName } from './project.js';
import { breakpointsSent, qualified } from './breakpoints.js';
import { closeCompare } from './compare.js';
import { attempt, show } from './ui.js';
import { forgetSteps } from './steps.js';

const noPath = (tool = '') => ({ names: [], steps: [], edits: new Set(), handled: new Set(), caught: new Set(), failed: new Set(), tool, trail: [], open: null });

export const run = signal(null); // what GET runs/ID answers
export const frame = signal(''); // the address of the frame that is looked at
export const path = signal(noPath()); // of that frame
export const position = signal(null); // a step of the frame; null follows the end
export const part = signal(''); // a part of that step; empty: the whole step
export const selected = signal(''); // a node that has not run, when one was chosen
export const opening = signal(false);
export const moving = signal(0); // frames that are being opened
export const moved = { byRun: false }; // whether the run has gone to another frame, and not the user
let following = true; // the view goes along when the run pauses in another frame

export const total = computed(() => path.value.steps.length);
export const at = computed(() => (position.value === null ? total.value : Math.min(position.value, total.value)));
export const nodeAt = (i) => (i === total.value ? path.value.open?.node : path.value.names[path.value.steps[i]]);
// nameAt names the node of a step, or the step of a tool of steps, for people.
export const nameAt = (i, piece = '') => {
  const node = nodeAt(i);
  return node && nodeText(node, piece);
};
export const active = computed(() => ['running', 'paused', 'waiting', 'not_started'].includes(run.value?.status));
export const controlled = computed(() => Boolean(run.value?.live) && active.value);
// foreign is whether the open run is one that this process does not have, and that has not ended.
export const foreign = computed(() => Boolean(run.value) && !run.value.live && ['running', 'waiting', 'interrupted'].includes(run.value.status));
export const runs = (r) => r?.status === 'running' || r?.status === 'not_started' || r?.status === 'waiting';
export const paused = computed(() => run.value?.status === 'paused');
// pausing is whether the run pauses before its next node or part, which can be taken back.
export const pausing = computed(() => controlled.value && Boolean(run.value.pausing));
// stands is whether a run is at a step until the user does something.
export const stands = (r) => r?.status === 'paused' || r?.status === 'waiting';
// held is where the run is when that is the frame that is looked at, else null.
// Of several parts at which it is held it is the one that is shown.
export const held = computed(() => {
  const { next, held: all = [] } = run.value ?? {};
  const here = [next, ...all].filter((h) => h && (h.frame ?? '') === frame.value);
  return here.find((h) => part.value && h.part === part.value) ?? here[0] ?? null;
});
export const placeOf = (h) => addressOf(h.frame, h.index, h.part);
// heldParts are the parts at which the run is held, when there are several, or others run meanwhile.
export const heldParts = computed(() => {
  const all = run.value?.held ?? [];
  return controlled.value && (all.length > 1 || (all.length && !paused.value)) ? all : [];
});
// shownTool is the tool whose graph the frame runs.
export const shownTool = computed(() => path.value.tool || run.value?.tool);
// own is whether the graph on the screen is the graph of the frame.
export const own = computed(() => run.value && shownTool.value === toolName.value);
// looked names the step under inspection for requests.
export const looked = computed(() => ({ frame: frame.value, at: at.value, part: shownPart.value }));
// litPart is the part that the graph shows: the one under inspection, or at the end of the path the
// one at which the run is. That one is under inspection only while the run stands. News of the run may be
// ahead of the path: then the part is one of a step that is not in the path yet.
export const litPart = computed(() => part.value || (position.value === null ? (held.value?.index === total.value && held.value.part) || path.value.open?.part || '' : ''));
// stepsAt is the index of the steps of a tool in the frame; -1 where it is of nodes, or has not come to them.
export const stepsAt = computed(() => {
  const { names, steps, open } = path.value;
  const n = names.indexOf(STEPS);
  if (n >= 0) return steps.indexOf(n);
  return (open?.node ?? held.value?.node) === STEPS ? steps.length : -1;
});
export const stepParts = signal({}); // step → the part that the graph shows of it, as state/latest.js has read it
export const shownPart = computed(() => (stands(run.value) ? litPart.value : part.value));

// outdated is whether the run began with another version of its graph.
export const outdated = computed(() => own.value && !frame.value && Boolean(graph.value) && run.value.graph !== graph.value.hash);

// showOwn shows the graph that the frame walked, where the file still has it.
export const showOwn = () => attempt(() => drawTool(shownTool.value));

// lit is what the graph shows of the frame: how often each node ran up to the position,
// the edges taken, the node at the position and the node that failed.
export const lit = computed(() => {
  const counts = new Map();
  const edges = new Map();
  const handled = new Set();
  const edited = new Set();
  const none = { counts, edges, handled, edited, current: '', part: '', failed: '', cancelled: '', running: false, progress: '' };
  if (!own.value) return none;
  const { names, steps, edits, open } = path.value;
  const most = graph.value?.ofSteps ? steps.length : Math.min(steps.length, at.value + 1); // steps are shown as they are now
  let before = '';
  for (let i = 0; i < most; i++) {
    if (edits.has(i)) {
      edited.add(names[steps[i]]);
      continue;
    }
    const node = names[steps[i]];
    counts.set(node, (counts.get(node) ?? 0) + 1);
    if (before) {
      const edge = `${before}\n${node}`;
      edges.set(edge, (edges.get(edge) ?? 0) + 1);
    }
    before = node;
    if (path.value.caught.has(i)) handled.add(node);
    if (path.value.handled.has(i)) {
      handled.add(node);
      before += '\nerror'; // the edge that leads on is that of the error, where the node has one
    }
  }
  const end = at.value >= steps.length;
  const next = end ? held.value?.node ?? open?.node ?? '' : nodeAt(at.value);
  if (end && next && before) edges.set(`${before}\n${next}`, 1);
  const progress = end && open?.parts && open.node === next ? `${open.ended ?? 0}/${open.parts}` : '';
  const over = run.value.error?.code === 'cancelled' ? 'cancelled' : 'failed';
  return { ...none, current: next === STEPS ? stepId(litPart.value) : next, part: litPart.value, [over]: lastNode(), running: end && active.value, progress };
});

// lastNode is the node of the frame at which the run failed or was cancelled.
function lastNode() {
  const { names, steps, failed } = path.value;
  const error = run.value.error;
  if (frame.value) return failed.size ? names[steps[Math.max(...failed)]] : '';
  if (!error || at.value < steps.length - 1) return '';
  return error.callers?.length ? error.callers.at(-1).nodeId : error.node ?? '';
}

let reading = null; // the path is read by one request at a time
let stale = false;

// readPath reads what is new of the path.
export function readPath() {
  if (reading) {
    stale = true;
    return reading;
  }
  const { id } = run.value;
  const of = frame.value;
  const known = path.value;
  reading = (async () => {
    try {
      const more = await get(`runs/${seg(id)}/path`, { from: known.steps.length, frame: of });
      if (run.value?.id === id && frame.value === of && path.value === known) path.value = joined(known, more);
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

function joined(known, more) {
  const index = new Map(known.names.map((name, i) => [name, i]));
  const names = [...known.names];
  const translate = more.names.map((name) => {
    if (!index.has(name)) {
      index.set(name, names.length);
      names.push(name);
    }
    return index.get(name);
  });
  const grown = (set, list) => new Set([...set, ...(list ?? [])]);
  return {
    names,
    steps: known.steps.concat(more.path.map((i) => translate[i])),
    edits: grown(known.edits, more.edits),
    handled: grown(known.handled, more.handled),
    caught: grown(known.caught, more.caught),
    failed: grown(known.failed, more.failed),
    tool: more.tool ?? '',
    trail: more.trail ?? [],
    open: more.open ?? null,
  };
}

// showRun shows a run as openRun does; one that has failed, at the step with which it failed.
export const showRun = (id) => openRun(id, 'failed');

// openRun shows a run, live or recorded, at its end or at a step of one of its frames.
export async function openRun(id, step = null, of = '', piece = '') {
  opening.value = true; // before the next, so that both are one entry of the browser's history
  closeCompare();
  [awaited, early] = [id, null];
  const found = await attempt(() => get(`runs/${seg(id)}`));
  if (found) {
    if (reading) await reading.catch(() => {});
    const again = run.value?.id === id; // what is known of it stays in sight
    if (!again) forgetSteps();
    if (step === 'failed') ({ frame: of, index: step, part: piece } = found.failedAt ? split(found.failedAt) : { frame: '', index: null, part: '' });
    following = step === null;
    const first = following && stands(found) ? found.next?.frame ?? '' : of;
    batch(() => {
      if (!again || frame.value !== first) path.value = noPath();
      run.value = found;
      frame.value = first;
      position.value = step;
      part.value = piece;
      selected.value = '';
    });
    await attempt(() => giveGraphOf(found));
    if (!first) await drawn(found.tool, chooseTool);
    else if (project.value.tools.some((t) => t.name === found.tool)) formName.value = found.tool;
    if (early) update(early);
    await attempt(readPath);
    if (first) await drawn(shownTool.value);
  }
  if (awaited === id) awaited = '';
  opening.value = false;
}

async function drawn(tool, choose = drawTool) {
  if (canDraw(tool)) await attempt(() => choose(tool));
}

// lookAt shows another frame of the run, at its end or at a step. It gives false for one that does not exist.
export async function lookAt(of, step = null, piece = '') {
  following = step === null && of === (run.value.next?.frame ?? '');
  return enter(of, step, piece);
}

async function enter(...place) {
  moving.value++;
  try {
    return await enterFrame(...place);
  } finally {
    moving.value--;
  }
}

async function enterFrame(of, step = null, piece = '', byRun = false) {
  const { id } = run.value;
  const found = await attempt(() => get(`runs/${seg(id)}/path`, { frame: of }));
  if (!found || run.value?.id !== id) return false;
  batch(() => {
    moved.byRun = byRun;
    frame.value = of;
    path.value = joined(noPath(), found);
    position.value = step === null || step >= found.path.length ? null : step;
    part.value = piece;
    selected.value = '';
  });
  await drawn(shownTool.value);
  return true;
}

// closeRun shows no run; one that is live goes on.
export function closeRun() {
  forgetSteps();
  batch(() => {
    run.value = null;
    given.value = null;
    frame.value = '';
    path.value = noPath();
    position.value = null;
    part.value = '';
    selected.value = '';
  });
}

// lookOut shows the caller of the frame.
export function lookOut() {
  if (!frame.value) return;
  const { frame: of, index, part: piece } = split(frame.value);
  lookAt(of, index, piece);
}

let awaited = ''; // the run that is being opened
let early = null; // news of it that came before it was

// update takes news of a run from the server. News overtake each other: by stream and as
// answers; what is older than what is shown is dropped.
export function update(news) {
  if (news.id === awaited) early = news;
  const before = run.value;
  if (before?.id !== news.id || news.rev < before.rev) return;
  run.value = { ...before, stack: undefined, question: undefined, pausing: undefined, held: undefined, progress: undefined, failedAt: undefined, ...news };
  if (!active.value && path.value.open) path.value = { ...path.value, open: null }; // until it is read again
  const now = stands(news) ? news.next?.frame ?? '' : active.value ? frame.value : '';
  if (following && now !== frame.value) enter(now, null, '', true);
  else if (markOf(news) !== seen || stands(news)) attempt(readPath);
  seen = markOf(news);
}
let seen = ''; // the latest news that change the path
const markOf = (r) => `${r.steps} ${r.status} ${addressOf(r.next?.frame, r.next?.index, r.next?.part)} ${(r.held ?? []).map(placeOf)} ${r.next?.start ?? ''}${r.live ? '' : Date.now()}`;

// startRun starts a run of the chosen tool; the server's findings about the arguments
// come back as fields. mocks are JSON; null: servers are called.
export async function startRun(args, { debug = false, runTo = '', mocks = 'null' } = {}) {
  const options = JSON.stringify({ tool: formName.value, pause: debug, runTo });
  await breakpointsSent();
  const begun = await post('runs', `${options.slice(0, -1)},"args":${args},"mocks":${mocks}}`); // args as they were written, digits and all
  await openRun(begun.id);
  show('step');
  return begun;
}

// control sends a command; node is one of the graph on the screen, place the address of what is held. Steps are made
// where the run is held in what is looked at.
export async function control(action, node = '', place = '') {
  if (!run.value) return;
  const here = ['step', 'next', 'out'].includes(action) && (run.value.held ?? []).find((h) => held.value && placeOf(h) === placeOf(held.value));
  const state = await attempt(() => post(`runs/${seg(run.value.id)}/control`, { action, node: node && qualified(run.value.tool, toolName.value, node), at: place || (here ? placeOf(here) : '') }));
  if (!state) return;
  following = true;
  go(total.value);
  update(state);
}

// go moves the inspection by steps of the frame, or to a part of one.
export function go(step, piece = '') {
  selected.value = '';
  const n = Math.max(0, Math.min(total.value, step));
  position.value = n === total.value ? null : n;
  part.value = piece;
  following = position.value === null && !piece && (!active.value || Boolean(held.value));
}

// latestOf is the latest execution of a node up to the position, also one that has not ended; -1
// for none.
export function latestOf(id) {
  const { steps, names, open } = own.value ? path.value : noPath();
  if (own.value && graph.value?.byId.get(id)?.name) return stepsAt.value;
  if (at.value >= steps.length && own.value && (held.value?.node === id || open?.node === id)) return steps.length;
  for (let i = Math.min(at.value, steps.length - 1); i >= 0; i--) {
    if (names[steps[i]] === id) return i;
  }
  return steps.findIndex((s) => names[s] === id);
}

// goToNode inspects the latest execution of a node up to the position, or a part of it, or else
// the node.
export function goToNode(id, piece = '') {
  const i = latestOf(id);
  if (i >= 0 && (graph.value?.byId.get(id)?.name ? (piece ||= stepParts.value[id]) : true)) go(i, piece);
  else selected.value = id;
}
