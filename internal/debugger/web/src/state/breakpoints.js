// The breakpoints of each tool. They belong to the server, which all pages share, until toolgraph ends. A
// breakpoint is at a node (read), at each part of it (read[]) or at a branch (facts.weather).
import { computed, effect, signal } from '@preact/signals';
import { get, put, seg } from '../lib/api.js';
import { project, toolName } from './project.js';
import { attempt } from './ui.js';

const all = signal(new Map()); // tool → list of { node, condition, disabled }

// listed are those of all tools: { tool, node, condition, disabled }.
export const listed = computed(() => [...all.value].flatMap(([tool, list]) => list.map((b) => ({ tool, ...b }))));
export const breakpoints = computed(() => all.value.get(toolName.value) ?? []);
export const breakpointOf = (node) => breakpoints.value.find((b) => b.node === node);

// qualified is the name of a place of a tool in a run of another one.
export const qualified = (run, tool, node) => (run === tool ? node : `${tool}:${node}`);

// heardBreakpoints takes the breakpoints of a tool from the server.
export function heardBreakpoints({ tool, breakpoints: list }) {
  all.value = new Map(all.value).set(tool, list);
}

export const reloadBreakpoints = () => attempt(async () => {
  const { tools } = await get('breakpoints');
  all.value = new Map(tools.map((t) => [t.tool, t.breakpoints]));
});
const begun = computed(() => Boolean(project.value));
effect(() => {
  if (begun.value) reloadBreakpoints();
});

// breakpointsSent ends when the server has answered all changes: a run that begins then has them.
let sent = Promise.resolve();
export const breakpointsSent = () => sent;

// setBreakpoint sets or changes a breakpoint of a tool, the chosen one if no other is named, or removes it. It fails when the
// condition is no expression.
export function setBreakpoint(node, change, tool = toolName.value) {
  const answer = put(`breakpoints/${seg(tool)}`, { condition: '', disabled: false, ...change, node }).then(heardBreakpoints);
  sent = Promise.allSettled([sent, answer]);
  return answer;
}

export const toggleBreakpoint = (node) => attempt(() => setBreakpoint(node, { removed: Boolean(breakpointOf(node)) }));
