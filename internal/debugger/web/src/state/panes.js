// Which panes there are: those that have something to show. And the sizes that the user has set, in pixels; the others
// have those of the stylesheet.
import { computed, signal } from '@preact/signals';
import { opening, run, selected } from './run.js';
import { inspector, pane, stored, store } from './ui.js';

// Without a run there are no steps, and nothing to inspect but a node that was chosen, and the file.
export const hasRun = computed(() => Boolean(run.value) || opening.value);
export const inspects = computed(() => hasRun.value || Boolean(selected.value) || inspector.value === 'source');
export const shownTab = computed(() => (hasRun.value || inspector.value === 'source' ? inspector.value : 'step'));
// shownPane is the one pane of a narrow window.
export const shownPane = computed(() => ((pane.value === 'steps' && !hasRun.value) || (pane.value === 'inspect' && !inspects.value) ? 'graph' : pane.value));

// closeInspector gives its room to the graph, when no run is open.
export function closeInspector() {
  selected.value = '';
  inspector.value = 'step';
  if (pane.value === 'inspect') pane.value = 'graph';
}

const LEAST = { side: 200, inspector: 240, timeline: 96 };
const CENTRE = { side: 320, inspector: 320, timeline: 140 }; // what must be left for the graph
const read = () => {
  try {
    return JSON.parse(stored('panes', '{}'));
  } catch {
    return {};
  }
};
const sizes = signal(read());

const box = (name) => document.querySelector(`.${name}`)?.getBoundingClientRect();
const across = (name) => name === 'timeline';
export const sizeOf = (name) => Math.round(box(name)?.[across(name) ? 'height' : 'width'] ?? 0);

// bounds are how small and how large a pane can be now.
export function bounds(name) {
  const graph = box('graph');
  const room = graph ? graph[across(name) ? 'height' : 'width'] - CENTRE[name] : 0;
  return { least: LEAST[name], most: Math.max(LEAST[name], Math.round(sizeOf(name) + room)) };
}

// grow changes a size by pixels, also before the last change is drawn.
export const grow = (name, by) => resize(name, Math.min(sizes.value[name] ?? sizeOf(name), bounds(name).most) + by);

export function resize(name, size) {
  const { least, most } = bounds(name);
  sizes.value = { ...sizes.value, [name]: Math.round(Math.min(most, Math.max(least, size))) };
  store('panes', JSON.stringify(sizes.value));
}

export function reset(name) {
  const { [name]: gone, ...rest } = sizes.value;
  sizes.value = rest;
  store('panes', JSON.stringify(rest));
}

// widen gives a pane as much as there is, or its usual size again.
export function widen(name) {
  if (sizeOf(name) >= bounds(name).most - 1) reset(name);
  else resize(name, Infinity);
}

// sizeStyle has the sizes for the stylesheet, as tracks that give way in a window that has become smaller.
export const sizeStyle = computed(() => Object.fromEntries(Object.entries(sizes.value)
  .filter(([name, size]) => LEAST[name] && Number.isFinite(size)).map(([name, size]) => [`--${name}`, `minmax(${LEAST[name]}px, ${size}px)`])));
