// The breakpoints of each tool. They belong to the server, which all pages share, until toolgraph ends. A
// breakpoint is at a node (read), at each part of it (read[]) or at a branch (facts.weather).
import { computed, effect, signal } from '@preact/signals';
import { get, put, seg } from '../lib/api.js';
import { graph, toolName } from './project.js';
import { attempt } from './ui.js';

const all = signal(new Map()); // tool → list of { node, condition, disabled }

export const breakpoints = computed(() => all.value.get(toolName.value) ?? []);
export const breakpointOf = (node) => breakpoints.value.find((b) => b.node === node);

// qualified is the name of a place of a tool in a run of another one.
export const qualified = (run, tool, node) => (run === tool ? node : `${tool}:${node}`);

// heardBreakpoints takes the breakpoints of a tool from the server.
export function heardBreakpoints({ tool, breakpoints: list }) {
  all.value = new Map(all.value).set(tool, list);
}

const load = (tool) => attempt(async () => heardBreakpoints(await get(`breakpoints/${seg(tool)}`)));
effect(() => {
  if (graph.value && !all.peek().has(toolName.value)) load(toolName.value);
});
export const reloadBreakpoints = () => Promise.all([...all.value.keys()].map(load));

// breakpointsSent ends when the server has answered all changes: a run that begins then has them.
let sent = Promise.resolve();
export const breakpointsSent = () => sent;

// setBreakpoint sets or changes a breakpoint of the chosen tool, or removes it. It fails when the condition is
// no expression.
export function setBreakpoint(node, change) {
  const tool = toolName.value;
  const answer = put(`breakpoints/${seg(tool)}`, { condition: '', disabled: false, ...change, node }).then(heardBreakpoints);
  sent = Promise.allSettled([sent, answer]);
  return answer;
}

export const toggleBreakpoint = (node) => attempt(() => setBreakpoint(node, { removed: Boolean(breakpointOf(node)) }));
