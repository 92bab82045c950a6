// How the time of a run is looked at: as steps, lanes or totals; which part of it; and whether idle times are folded.
import { computed, effect, signal } from '@preact/signals';
import { get, seg } from '../lib/api.js';
import { axisOf, lengthOf } from '../lib/axis.js';
import { compared } from './compare.js';
import { frame, run, shownTool } from './run.js';
import { mark } from './steps.js';
import { toolName } from './project.js';
import { store, stored } from './ui.js';

export const timeViews = { steps: 'Steps', lanes: 'Lanes', nodes: 'Totals' };
export const timeView = signal('steps');
export const folding = signal(stored('folding', 'on') === 'on');
export const tinted = signal(stored('tinted', '') === 'on'); // the graph shows the share of each node
export const times = signal(null); // { key, run, nodes, idle } of the open run
const range = signal(null); // { of, from, to }: what is looked at of the axis

export const idle = computed(() => (times.value && times.value.run === run.value?.id ? times.value.idle : []));
export const idleTime = computed(() => lengthOf(idle.value));
const here = () => compared.value?.join() ?? `${run.value?.id} ${frame.value}`;
export const zoomed = computed(() => (range.value?.of === here() ? range.value : null));

// axisIn is the axis of an extent, or of what is looked at of it; away is what can be folded.
export function axisIn(whole, away = idle.value) {
  const z = zoomed.value;
  return { ...axisOf(z ?? whole, folding.value ? away : []), whole };
}

const NEAREST = 0.01; // ms

// lookAtTime looks at a part of the axis; at all of it when it is not a part.
export function lookAtTime({ whole }, from, to) {
  const most = whole.to - whole.from;
  const span = Math.min(most, Math.max(NEAREST, to - from));
  const first = Math.min(Math.max(whole.from, from), whole.to - span);
  range.value = span >= most * 0.999 ? null : { of: here(), from: first, to: first + span };
}
export const wholeTime = () => { range.value = null; };

// zoomTime enlarges around a time; panTime moves by a share of what is looked at.
export function zoomTime(axis, by, around = (axis.from + axis.to) / 2) {
  lookAtTime(axis, around - (around - axis.from) / by, around + (axis.to - around) / by);
}
export function panTime(axis, by) {
  const span = axis.to - axis.from;
  const from = Math.min(Math.max(axis.whole.from, axis.from + by * span), axis.whole.to - span);
  lookAtTime(axis, from, from + span);
}

export function setFolding(on) {
  folding.value = on;
  store('folding', on ? 'on' : 'off');
}
export function setTinted(on) {
  tinted.value = on;
  store('tinted', on ? 'on' : 'off');
}

// heat is the share of the run that each node of the graph on the screen took: id → 0 to 1. What runs at the same time
// adds up to more than 1.
export const heat = computed(() => {
  const all = new Map();
  const r = run.value;
  if (!tinted.value || times.value?.run !== r?.id || shownTool.value !== toolName.value || !r) return all;
  for (const n of times.value.nodes) if ((n.tool || r.tool) === toolName.value) all.set(n.node, Math.min(1, n.took / Math.max(r.ms, NEAREST)));
  return all;
});

const AGAIN = 1000; // ms, while a run goes on
const keyOf = (r) => `${r.id} ${mark(r)}`;
let pending = false;
let timer = 0;
let latest = -AGAIN; // when they were read last

async function read() {
  const r = run.value;
  if (!r || pending || times.value?.key === keyOf(r)) return;
  pending = true;
  latest = performance.now();
  const key = keyOf(r);
  try {
    const found = await get(`runs/${seg(r.id)}/times`);
    if (run.value?.id === r.id) times.value = { key, run: r.id, ...found };
  } catch { /* it is read again with the next news */ } finally {
    pending = false;
  }
  if (run.value && keyOf(run.value) !== key) soon();
}

// soon reads at once when another run is open or the run has ended, else after a while.
function soon() {
  clearTimeout(timer);
  const wait = run.peek()?.ended || times.peek()?.run !== run.peek()?.id ? 0 : Math.max(0, latest + AGAIN - performance.now());
  timer = setTimeout(read, wait);
}

// followTimes reads where the time went when a run is opened and while it goes on.
export const followTimes = () => effect(() => {
  if (run.value) soon();
});
