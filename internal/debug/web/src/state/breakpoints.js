// The breakpoints of each tool. They belong to the page, which keeps them over a reload,
// until they are sent to a run. A breakpoint is at a node (read), at each part of it (read[]) or at
// a branch (facts.weather).
import { computed } from '@preact/signals';
import { remembered } from '../lib/remembered.js';
import { project, toolName } from './project.js';

const all = remembered('breakpoints', {}); // tool → list of { node, condition, disabled }

export const breakpoints = computed(() => all.value[toolName.value] ?? []);
export const breakpointOf = (node) => breakpoints.value.find((b) => b.node === node);

// qualified is the name of a place of a tool in a run of another one.
export const qualified = (run, tool, node) => (run === tool ? node : `${tool}:${node}`);

// sendable are the breakpoints of a run of a tool: its own, and those of the tools that it calls.
export function sendable(tool) {
  const reached = project.value.tools.find((t) => t.name === tool)?.reaches ?? [];
  return [tool, ...reached].flatMap((name) => (all.value[name] ?? []).map((b) => ({ ...b, node: qualified(tool, name, b.node) })));
}

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
