// The last output of each node of the frame that is looked at, up to the step under inspection.
import { computed, effect, signal } from '@preact/signals';
import { get, seg } from '../lib/api.js';
import { at, frame, litPart, own, run, stepParts, total } from './run.js';
import { graph } from './project.js';
import { mark } from './steps.js';
import { beside } from './ui.js';

export const tipped = signal(''); // the node whose values are shown beside it
const NEAR = 6;
const none = { nodes: {}, shown: {} };
const found = signal({ key: '', ...none });
const near = { of: '', parts: [] }; // the items and turns that were under inspection last: their blocks show them on
let wanted = '';

// key names what is wanted; empty: nothing. Steps have states, which change while the run goes on.
const key = computed(() => {
  const ofSteps = graph.value?.ofSteps;
  if (!own.value || !(beside.value || tipped.value || ofSteps)) return '';
  const of = `${run.value.id}|${frame.value}`;
  if (near.of !== of) Object.assign(near, { of, parts: [] });
  if (/[.@]\d/.test(litPart.value)) near.parts = [litPart.value, ...near.parts.filter((p) => p !== litPart.value)].slice(0, NEAR);
  return `${of}|${ofSteps ? total.value : Math.min(at.value, total.value)}|${ofSteps ? near.parts.join(' ') : ''}|${ofSteps ? mark(run.value) : total.value}`;
});

const known = computed(() => (own.value && found.value.key.startsWith(`${run.value.id}|${frame.value}|`) ? found.value : none));
export const latest = computed(() => known.value.nodes);
// shownItems is by block the item or turn whose steps the graph shows.
export const shownItems = computed(() => known.value.shown);
// current is whether what is known is that of the step under inspection.
export const isLatest = computed(() => found.value.key === key.value);

// stateOf is the state of a step as the graph shows it: ran, running (runs, stands or nothing), failed, handled, skipped,
// progress of its parts. A step that has not begun has none of these.
export function stateOf({ id }) {
  const s = latest.value[id];
  if (!s?.state) return { ran: false };
  const ended = s.state === 'ended' || s.state === 'failed';
  return {
    ran: ended && !s.skipped,
    running: { runs: 'runs', paused: 'stands' }[s.state] ?? '',
    failed: s.state === 'failed',
    handled: Boolean(s.handled),
    skipped: Boolean(s.skipped),
    edited: Boolean(s.edited),
    progress: s.parts ? (ended ? `${s.parts}` : `${s.ended ?? 0}/${s.parts}`) : '',
  };
}

// edgeTaken reports whether the step to which an edge leads has begun, after that from which it leads.
export function edgeTaken({ from, to }, counts) {
  const ends = (id) => counts.get(id) > 0 || stateOf({ id }).ran;
  return ends(from) && (ends(to) || Boolean(stateOf({ id: to }).running)) ? 1 : 0;
}

// followLatest reads them while they are shown, until the function that it returns is called. Requests
// do not overtake each other: the next one begins when the last one has ended, with what is wanted then.
export function followLatest() {
  let reading = false;
  const read = async () => {
    if (reading) return;
    reading = true;
    while (wanted && wanted !== found.value.key) {
      const of = wanted;
      const [id, where, place, piece] = of.split('|');
      try {
        found.value = { shown: {}, ...await get(`runs/${seg(id)}/latest`, { frame: where, at: place, near: piece }), key: of };
      } catch {
        found.value = { key: of, ...none }; // what else fails then is reported there
      }
      stepParts.value = Object.fromEntries(Object.entries(found.value.nodes).filter(([, n]) => n.part).map(([id, n]) => [id, n.part]));
    }
    reading = false;
  };
  return effect(() => {
    wanted = key.value;
    if (wanted) read();
  });
}
