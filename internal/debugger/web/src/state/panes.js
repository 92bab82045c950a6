// The sizes of the panes that the user has set, in pixels; the others have those of the stylesheet.
import { computed, signal } from '@preact/signals';
import { stored, store } from './ui.js';

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
