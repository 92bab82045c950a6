// The last output of each node of the frame that is looked at, up to the step under inspection.
import { computed, effect, signal } from '@preact/signals';
import { get, seg } from '../lib/api.js';
import { at, frame, own, run, total } from './run.js';
import { beside } from './ui.js';

export const tipped = signal(''); // the node whose values are shown beside it
const found = signal({ key: '', nodes: {} });
let wanted = '';

// key names what is wanted; empty: nothing.
const key = computed(() => (own.value && (beside.value || tipped.value) ? `${run.value.id}|${frame.value}|${Math.min(at.value, total.value)}|${total.value}` : ''));

export const latest = computed(() => (own.value && found.value.key.startsWith(`${run.value.id}|${frame.value}|`) ? found.value.nodes : {}));
// current is whether what is known is that of the step under inspection.
export const isLatest = computed(() => found.value.key === key.value);

// followLatest reads them while they are shown, until the function that it returns is called. Requests
// do not overtake each other: the next one begins when the last one has ended, with what is wanted then.
export function followLatest() {
  let reading = false;
  const read = async () => {
    if (reading) return;
    reading = true;
    while (wanted && wanted !== found.value.key) {
      const of = wanted;
      const [id, where, place] = of.split('|');
      try {
        found.value = { key: of, nodes: (await get(`runs/${seg(id)}/latest`, { frame: where, at: place })).nodes };
      } catch {
        found.value = { key: of, nodes: {} }; // what else fails then is reported there
      }
    }
    reading = false;
  };
  return effect(() => {
    wanted = key.value;
    if (wanted) read();
  });
}
