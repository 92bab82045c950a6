// The keyboard: one table, which the help dialog shows as well.
import { dialog, show, side, pane, theme } from './ui.js';
import { at, control, controlled, go, lookOut, paused, run, total } from './run.js';
import { graphKeys } from './graphview.js';

const act = (action, holds = () => controlled.value) => () => holds() && control(action);

export const keys = [
  { key: 'F5', group: 'Runs and steps', text: 'run, or resume when paused', do: () => (paused.value ? control('resume') : document.getElementById('run-form')?.requestSubmit()) },
  { key: 'F8', group: 'Runs and steps', text: 'debug: run and pause at the start', do: () => document.getElementById('debug-button')?.click() },
  { key: 'F10', group: 'Runs and steps', text: 'step over: execute a node or part with all that is in it', do: act('next', () => paused.value) },
  { key: 'F11', group: 'Runs and steps', text: 'step into parts and called graphs', do: act('step', () => paused.value) },
  { key: 'Shift+F11', group: 'Runs and steps', text: 'step out: to the end of the frame, or of the parts', do: act('out', () => paused.value) },
  { key: 'F6', group: 'Runs and steps', text: 'pause', do: act('pause', () => run.value?.status === 'running') },
  { key: 'Shift+F5', group: 'Runs and steps', text: 'stop', do: act('stop') },
  { key: 'j', group: 'Runs and steps', text: 'next step of the timeline', do: () => go(at.value + 1) },
  { key: 'k', group: 'Runs and steps', text: 'step before', do: () => go(at.value - 1) },
  { key: 'o', group: 'Runs and steps', text: 'look at the caller of the frame', do: () => lookOut() },
  { key: 'Home', group: 'Runs and steps', text: 'first step', do: () => go(0) },
  { key: 'End', group: 'Runs and steps', text: 'end of the run', do: () => go(total.value) },
  { key: '1', group: 'Page', text: 'inspect the step', do: () => show('step') },
  { key: '2', group: 'Page', text: 'its context', do: () => show('context') },
  { key: '3', group: 'Page', text: 'try expressions', do: () => show('try') },
  { key: '4', group: 'Page', text: 'the file', do: () => show('source') },
  { key: 't', group: 'Page', text: 'tools', do: () => { side.value = 'tools'; pane.value = 'side'; } },
  { key: 'r', group: 'Page', text: 'runs', do: () => { side.value = 'runs'; pane.value = 'side'; } },
  { key: '/', group: 'Page', text: 'find a node', do: () => { pane.value = 'graph'; setTimeout(() => document.getElementById('find-node')?.focus()); } },
  { key: 'f', group: 'Page', text: 'fit the graph into view', do: () => graphKeys.fit() },
  { key: '+', group: 'Page', text: 'larger', do: () => graphKeys.zoom(1.25) },
  { key: '-', group: 'Page', text: 'smaller', do: () => graphKeys.zoom(0.8) },
  { key: 'd', group: 'Page', text: 'dark, light or automatic', do: () => { theme.value = { auto: 'dark', dark: 'light', light: 'auto' }[theme.value]; } },
  { key: '?', group: 'Page', text: 'this help', do: () => { dialog.value = { kind: 'help' }; } },
];

// On a node of the graph that has the focus.
export const nodeKeys = [
  { key: 'Arrows', text: 'to the nodes around' },
  { key: 'Enter', text: 'inspect its latest step' },
  { key: 'b', text: 'set or remove its breakpoint' },
  { key: 'c', text: 'condition of its breakpoint' },
  { key: 'e', text: 'breakpoint before each of its parts' },
  { key: 'i', text: 'look into the graph that it calls, or its parts' },
  { key: 'u', text: 'run until here' },
];

const typing = (target) => target.closest('input:not([type=range]):not([type=checkbox]), textarea, select, [contenteditable]');

export function listenToKeys() {
  document.addEventListener('keydown', (e) => {
    if (e.defaultPrevented || e.ctrlKey || e.metaKey || e.altKey || dialog.value) return;
    const name = e.shiftKey && e.key.startsWith('F') ? `Shift+${e.key}` : e.key;
    const found = keys.find((k) => k.key === name);
    if (!found || (typing(e.target) && !name.includes('F'))) return;
    if (['Home', 'End'].includes(name) && e.target.closest('[role=tree], input')) return;
    e.preventDefault();
    found.do();
  });
}

