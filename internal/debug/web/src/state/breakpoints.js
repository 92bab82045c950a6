// The breakpoints of each tool. They belong to the page, which keeps them over a reload,
// until they are sent to a run.
import { computed } from '@preact/signals';
import { remembered } from '../lib/remembered.js';
import { toolName } from './project.js';

const all = remembered('breakpoints', {}); // tool → list of { node, condition, disabled }

export const breakpoints = computed(() => all.value[toolName.value] ?? []);
export const breakpointOf = (node) => breakpoints.value.find((b) => b.node === node);

const set = (list) => {
  all.value = { ...all.value, [toolName.value]: list };
};

export function toggleBreakpoint(node) {
  if (breakpointOf(node)) set(breakpoints.value.filter((b) => b.node !== node));
  else set([...breakpoints.value, { node, condition: '', disabled: false }]);
}

export function changeBreakpoint(node, change) {
  set(breakpoints.value.map((b) => (b.node === node ? { ...b, ...change } : b)));
}
