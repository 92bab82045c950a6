// The keyboard: one table, from which come the help dialog and the hints of buttons. A key with do works on
// the whole page; the others belong to what has the focus, which handles them.
import { dialog, letters, notify, show, side, pane, theme } from './ui.js';
import { control, controlled, foreign, go, lookOut, paused, pausing, run, total } from './run.js';
import { here, travel } from './travel.js';
import { begin } from './form.js';
import { toQuestion } from './questions.js';
import { copyLink } from './link.js';
import { forkHere } from './again.js';
import { graphKeys } from './graphview.js';

const act = (action, holds = () => controlled.value) => () => holds() && control(action);
const open = (which) => () => {
  side.value = which;
  pane.value = 'side';
  setTimeout(() => ((which === 'tools' && document.getElementById('find-tool')) || document.getElementById(`tab-${which}`))?.focus());
};

// ofRun opens a tab of the inspector that is about a run.
const ofRun = (tab) => () => (run.value ? show(tab) : notify('no run is open', 'run a tool, or open a recorded run, to see its context and try expressions on it', 'note', 'run'));

// find goes to the field that finds a node: at once, so that nothing that is typed is taken for other keys; in a
// narrow window once the graph is shown.
function find() {
  const field = () => document.getElementById('find-node');
  pane.value = 'graph';
  field()?.focus();
  if (document.activeElement !== field()) setTimeout(() => field()?.focus());
}

export const keys = [
  { id: 'run', key: 'Ctrl+Enter', group: 'Runs', text: 'run the chosen tool; in a question or a dialog, send that; a call is allowed by its button', do: () => begin(false) },
  { id: 'debug', key: 'Ctrl+Shift+Enter', group: 'Runs', text: 'debug: run the chosen tool and pause before its first node', do: () => begin(true) },
  { id: 'resume', key: 'F8', group: 'Runs', text: 'pause a run, continue a paused one or one that is about to pause', do: () => (paused.value || pausing.value ? control('resume') : run.value?.status === 'running' && act('pause')()) },
  { id: 'next', key: 'F10', group: 'Runs', text: 'step over: execute a node or part with all that is in it', do: act('next', () => paused.value) },
  { id: 'step', key: 'F11', group: 'Runs', text: 'step into parts and called graphs', do: act('step', () => paused.value) },
  { id: 'out', key: 'Shift+F11', group: 'Runs', text: 'step out: to the end of the frame, or of the parts', do: act('out', () => paused.value) },
  { id: 'stop', key: 'Shift+F8', group: 'Runs', text: 'stop the run; one of another process is cancelled', do: act('stop', () => controlled.value || foreign.value) },
  { key: 'q', group: 'Runs', text: 'to the question that a run or server asks', do: () => toQuestion() },

  { key: 'j', group: 'Steps', text: 'next step', do: () => travel(here.value + 1) },
  { key: 'k', group: 'Steps', text: 'previous step', do: () => travel(here.value - 1) },
  { key: 'Home', group: 'Steps', text: 'first step', do: () => go(0) },
  { key: 'End', group: 'Steps', text: 'end of the run', do: () => go(total.value) },
  { key: 'a', group: 'Steps', text: 'run again from this step, if wanted with another value', do: forkHere },
  { key: 'o', group: 'Steps', text: 'out of the frame, to its caller', do: () => lookOut() },

  { key: 'B', group: 'Page', text: 'breakpoints of all tools', do: () => { dialog.value = { kind: 'breakpoints' }; } },
  { key: '1', group: 'Page', text: 'inspect the step', do: () => show('step') },
  { key: '2', group: 'Page', text: 'its context', do: ofRun('context') },
  { key: '3', group: 'Page', text: 'try expressions', do: ofRun('try') },
  { key: '4', group: 'Page', text: 'the file', do: () => show('source') },
  { key: 't', group: 'Page', text: 'tools; to their search, where there are many', do: open('tools') },
  { key: 'r', group: 'Page', text: 'runs', do: open('runs') },
  { key: '/', group: 'Page', text: 'find a node', do: find },
  { key: 'f', group: 'Page', text: 'fit the graph into view', do: () => graphKeys.fit() },
  { key: '+', group: 'Page', text: 'enlarge the graph', do: () => graphKeys.zoom(1.25) },
  { key: '-', group: 'Page', text: 'reduce the graph', do: () => graphKeys.zoom(0.8) },
  { id: 'link', key: 'l', group: 'Page', text: 'copy a link to this place', do: () => copyLink() },
  { key: '0', group: 'Page', text: 'show the graph in its actual size', do: () => graphKeys.actual() },
  { key: 'v', group: 'Page', text: 'show the last output of each node beside it', do: () => graphKeys.showData() },
  { key: 'd', group: 'Page', text: 'dark, light, or as the system has it', do: () => { theme.value = { auto: 'dark', dark: 'light', light: 'auto' }[theme.value]; } },
  { key: '?', group: 'Page', text: 'this help', do: () => { dialog.value = { kind: 'help' }; } },

  { key: 'Arrows', group: 'On a node', text: 'up and down along the edges, to the sides to the nodes beside it' },
  { key: 'Escape', group: 'On a node', text: 'hide its last output' },
  { key: 'Enter', group: 'On a node', text: 'inspect its latest step' },
  { key: 'b', group: 'On a node', text: 'set or remove its breakpoint' },
  { key: 'c', group: 'On a node', text: 'condition of its breakpoint' },
  { key: 'e', group: 'On a node', text: 'breakpoint before each of its parts' },
  { key: 'i', group: 'On a node', text: 'look into the graph that it calls, or its parts; open or close a block' },
  { key: 'l', group: 'On a node', text: 'its line in the file' },
  { key: 'u', group: 'On a node', text: 'continue until it is next' },

  { key: 'Ctrl+S', group: 'In the file', text: 'save it' },
  { key: 'Ctrl+Space', group: 'In the file', text: 'list what can be written at the cursor' },
  { key: 'Ctrl+F', group: 'In the file', text: 'find and replace' },
  { key: 'Alt+Enter', group: 'In the file', text: 'the node of the cursor in the graph' },
  { key: 'Escape, Tab', group: 'In the file', text: 'leave the editor' },

  { key: 'Up, Down', group: 'In the list of steps', text: 'previous, next; Page Up and Page Down by twenty' },
  { key: 'Left, Right', group: 'In the list of steps', text: 'hide, list what is in a step: its parts, the steps of its graph' },
  { key: 'Enter', group: 'In the list of steps', text: 'inspect the step' },
  { key: 'i', group: 'In the list of steps', text: 'look into the graph that it has called' },

  { key: 'Arrows', group: 'In a value', text: 'next, previous; to the right opens, to the left closes or leads out' },
  { key: 'Enter', group: 'In a value', text: 'open or close; read more of a long text' },
  { key: '*', group: 'In a value', text: 'open all parts of the level' },
  { key: 'Typing', group: 'In a value', text: 'go to a key, or to an item by its number' },
  { key: 'Ctrl+C', group: 'In a value', text: 'copy the value; Tab leads to more' },

  { key: 'Arrows', group: 'On a divider', text: 'move it; with Shift further' },
  { key: 'Home, End', group: 'On a divider', text: 'smallest, largest size of the pane' },
  { key: 'Enter', group: 'On a divider', text: 'largest size; again, the usual one' },

  { key: 'Up, Down', group: 'In the list of tools', text: 'previous, next; Enter chooses' },
  { key: 'Typing', group: 'In the list of tools', text: 'search the tools, where there are many' },
  { key: 'Left, Right', group: 'On tabs', text: 'previous, next' },
  { key: 'Shift+Enter', group: 'In a text field', text: 'a new line' },
];

const mac = /Mac|iPhone|iPad/.test(navigator.platform);
export const shown = (key) => (mac ? key.replace('Ctrl', 'Cmd') : key);

// hint is the key of an action as buttons show it.
export const hint = (id) => shown(keys.find((k) => k.id === id).key);

const typing = (target) => target.closest('input:not([type=range]):not([type=checkbox]):not([type=radio]), textarea, select, [contenteditable]');

const nameOf = (e) => {
  const big = e.key.length > 1; // Shift is part of a character
  return `${e.ctrlKey || e.metaKey ? 'Ctrl+' : ''}${e.shiftKey && big ? 'Shift+' : ''}${e.key}`;
};

export function listenToKeys() {
  document.addEventListener('keydown', (e) => {
    if (e.defaultPrevented || e.altKey || e.isComposing) return;
    const name = nameOf(e);
    if (dialog.value && name !== 'Ctrl+Enter') return;
    const found = keys.find((k) => k.do && k.key === name);
    if (!found || (name.length === 1 && !letters.value)) return;
    if (typing(e.target) && !/^(Shift\+)?F\d|^Ctrl/.test(name)) return;
    if (['Home', 'End'].includes(name) && !e.target.closest('.timeline [role=tree]') && e.target.closest('[role=tree], [role=tablist], [role=separator], input')) return;
    if (name.startsWith('Ctrl')) {
      const form = e.target.closest('form');
      if (!form && typing(e.target)) return; // what is typed there is no argument of the tool
      if (dialog.value || (form && form.id !== 'run-form')) {
        e.preventDefault();
        if (!e.repeat) form?.requestSubmit();
        return;
      }
    }
    e.preventDefault();
    if (!e.repeat || !name.startsWith('Ctrl')) found.do();
  });
}
