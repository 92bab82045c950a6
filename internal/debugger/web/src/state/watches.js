// The expressions that are watched, by tool. Each page keeps its own.
import { computed } from '@preact/signals';
import { remembered } from '../lib/remembered.js';
import { run } from './run.js';

const MOST = 20; // that the server takes
const all = remembered('watches', {});

export const watches = computed(() => all.value[run.value?.tool] ?? []);
export const full = computed(() => watches.value.length >= MOST);

const set = (list) => {
  all.value = { ...all.value, [run.value.tool]: list };
};

export function addWatch(source) {
  const text = source.trim();
  if (text && !full.value && !watches.value.includes(text)) set([...watches.value, text]);
}

export const removeWatch = (source) => set(watches.value.filter((w) => w !== source));
