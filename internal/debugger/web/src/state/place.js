// The place in the address: #tool=NAME&run=ID&at=ADDRESS&tab=context&side=runs&time=lanes, or #compare=ID,ID, only what differs from what the
// page begins with. at is a step or part; an address that ends with / is the end of a frame. A run, a tool and a
// frame that the user opens are entries of the browser's history; steps and tabs replace the entry.
import { computed, effect } from '@preact/signals';
import { get, seg } from '../lib/api.js';
import { addressOf, split } from '../lib/address.js';
import { plural } from '../lib/format.js';
import { wordOf } from '../lib/status.js';
import { plain } from '../lib/visible.js';
import { chooseTool, drawTool, graph, project, tool, toolName } from './project.js';
import { at, closeRun, frame, go, lookAt, moved, moving, opening, openRun, part, position, run, selected, shownTool, total } from './run.js';
import { compared } from './compare.js';
import { timeView, timeViews } from './timeview.js';
import { attempt, inspector, notify, side } from './ui.js';

const tabs = ['step', 'context', 'try', 'source'];
const first = () => project.value?.tools[0]?.name ?? '';

const here = computed(() => ({
  tool: toolName.value === (run.value ? shownTool.value : first()) ? '' : toolName.value,
  run: run.value?.id ?? '',
  at: !run.value ? '' : position.value !== null || part.value ? addressOf(frame.value, at.value, part.value) : frame.value && `${frame.value}/`,
  node: selected.value,
  tab: inspector.value === 'step' ? '' : inspector.value,
  side: side.value === 'tools' ? '' : side.value,
  time: timeView.value === 'steps' ? '' : timeView.value,
  compare: compared.value?.join() ?? '',
}));
const written = (p) => Object.entries(p).filter(([, v]) => v).map(([key, v]) => `${key}=${encodeURIComponent(v).replace(/%2F/g, '/').replace(/%2C/g, ',')}`).join('&');
const entryOf = (p) => [p.tool, p.run, p.at.slice(0, p.at.lastIndexOf('/') + 1), p.compare].join('\n'); // what an entry of the history is for

// keep puts the place into an address that has none.
export const keep = () => location.hash.length > 1 || write();

let entry = null; // of the address as it is
let restoring = 0;
let timer = 0; // browsers limit how often an address changes

function write() {
  clearTimeout(timer);
  timer = 0;
  if (moving.peek() || opening.peek()) return; // the place is written when it is there
  const text = written(here.value);
  if (text !== location.hash.slice(1)) history.replaceState(null, '', text ? `#${text}` : location.pathname);
}

// follow keeps the address at the place, from now on.
export function follow() {
  addEventListener('pagehide', () => timer && write());
  effect(() => {
    const now = entryOf(here.value);
    if (restoring || moving.value || opening.value) return;
    if (entry !== null && now !== entry && !moved.byRun) {
      const text = written(here.value);
      clearTimeout(timer);
      timer = 0;
      history.pushState(null, '', text ? `#${text}` : location.pathname);
    } else timer ||= setTimeout(write, 150);
    moved.byRun = false;
    entry = now;
  });
  effect(() => {
    const r = run.value;
    const name = r ? `${r.tool}, ${wordOf(r.status)}` : tool.value?.name;
    document.title = plain([name, project.value?.title, 'Toolgraph'].filter(Boolean).join(' · '));
  });
}

// restore goes to the place that the address names. Where there is no such place it says so, and shows what is there.
// A fresh one reads the run anew.
export async function restore(fresh = false) {
  clearTimeout(timer);
  const mine = ++restoring;
  const want = Object.fromEntries(new URLSearchParams(location.hash.slice(1)));
  try {
    inspector.value = tabs.includes(want.tab) ? want.tab : 'step';
    side.value = want.side === 'runs' ? 'runs' : 'tools';
    timeView.value = Object.hasOwn(timeViews, want.time) ? want.time : 'steps';
    if (want.run) await toRun(want, fresh);
    else if (run.value) closeRun();
    const wanted = want.tool || (run.value ? shownTool.value : first());
    const known = project.value.tools.some((t) => t.name === wanted);
    if (want.tool && !known) notify(`the file has no tool ${want.tool}`, 'it may have been renamed; the tools of the file are listed under Tools', 'error', 'place');
    if (mine === restoring && known && wanted !== toolName.value) await attempt(() => (want.tool || !run.value ? chooseTool : drawTool)(wanted));
    if (want.node && graph.value?.byId.has(want.node)) selected.value = want.node;
    if (mine === restoring) compared.value = /^[^,]+,[^,]+$/.test(want.compare) ? want.compare.split(',') : null;
  } finally {
    if (mine === restoring) {
      restoring = 0;
      entry = entryOf(here.value);
      write();
    }
  }
}

async function toRun({ run: id, at: address = '' }, fresh) {
  const open = fresh || run.value?.id !== id;
  if (open) {
    try {
      await get(`runs/${seg(id)}`);
    } catch (error) {
      if (error.status === 404) notify(`the run ${id} is not there any more`, 'it was deleted, was not recorded, or is of another graph file; recorded runs are listed under Runs', 'error', 'place');
      else notify(error.message, error.hint);
      if (run.value) closeRun();
      return;
    }
    await openRun(id);
  }
  if (open && !address) return; // at its end, or where it has paused
  const end = /^$|\/$/.test(address);
  const { frame: of, index: step, part: piece } = end ? { frame: address.slice(0, -1), index: null, part: '' } : split(address);
  if (of !== frame.value && !await lookAt(of, step, piece)) return; // the server's message is shown
  if (end) go(total.value);
  else if (step <= total.value) go(step, piece);
  else notify(`there is no step ${address}`, `${of ? `frame ${of}` : 'the run'} has ${plural(total.value, 'step')}; this is its end`, 'error', 'place');
}
