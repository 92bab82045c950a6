// The text of the file on the page: what was edited and is not saved, its findings, and which of its lines
// are looked at.
import { computed, effect, signal } from '@preact/signals';
import { ApiError, post, put } from '../lib/api.js';
import { remembered } from '../lib/remembered.js';
import { findings as savedFindings, graph, isGiven, project, renewing, source, toolName, unsaved } from './project.js';
import { at, lit, own, run } from './run.js';
import { inspector, notify } from './ui.js';

const asked = signal(null);
export const revealLine = (line, column = 1, focus = false) => {
  asked.value = { line, column, focus, at: at.value, tool: toolName.value };
};
// wanted is the place that the user asked for, until another step or tool is shown.
export const wanted = computed(() => (asked.value?.at === at.value && asked.value.tool === toolName.value ? asked.value : null));

// A draft is an edited text with the version of the file that it began with. It outlives a reload.
const stored = remembered('file-draft', null); // { path, text, base }
export const draft = computed(() => (stored.value && source.value?.writable && stored.value.path === source.value.path && stored.value.text !== source.value.text ? stored.value : null));
export const text = computed(() => draft.value?.text ?? source.value?.text ?? '');
export const lines = computed(() => text.value.split('\n'));
export const conflict = computed(() => Boolean(draft.value) && draft.value.base !== source.value.version);

// What was found in the draft; that of an older text stays until there is newer.
const checked = signal(null); // { findings, valid } or { error }
export const checking = signal(false);
export const problem = computed(() => (draft.value && checked.value?.error) || '');
export const findings = computed(() => (draft.value ? checked.value?.findings ?? [] : savedFindings.value));
// saving is what has to be decided before the text is saved: { outcome: 'errors' | 'changed', … }.
export const saving = signal(null);

export function edit(next) {
  const same = next === source.value.text && !conflict.value; // what was typed is taken back: nothing is unsaved
  stored.value = same ? null : { path: source.value.path, text: next, base: draft.value?.base ?? source.value.version };
  saving.value = null;
}

export function discard() {
  stored.value = null;
  saving.value = null;
}

// keep goes on with the draft although the file has changed: saving it overwrites that change.
export function keep() {
  stored.value = { ...stored.value, base: source.value.version };
  saving.value = null;
}

export async function save(broken = false) {
  const it = draft.value;
  if (!it) return notify('the file has no unsaved changes', '', 'note', 'file');
  try {
    const answer = await put('source', { text: it.text, version: it.base, broken });
    saving.value = answer.outcome === 'saved' ? null : answer;
    if (answer.outcome === 'changed') source.value = { ...source.value, text: answer.text, version: answer.version };
    if (answer.outcome !== 'saved') return undefined;
    source.value = { ...source.value, text: it.text, version: answer.version };
    stored.value = stored.value?.text === it.text ? null : { ...stored.value, base: answer.version };
    return notify('the file was saved', '', 'note', 'file');
  } catch (error) {
    return notify(error.message, error.hint, 'error', 'file');
  }
}

const STAYS = 350; // ms without a change before a text is checked
let timer = 0;
let newest = null; // ends the check of an older text

effect(() => {
  const it = draft.value;
  const tool = toolName.value;
  clearTimeout(timer);
  newest?.abort();
  checking.value = Boolean(it);
  if (!it) {
    checked.value = null;
    unsaved.value = null;
    return;
  }
  timer = setTimeout(async () => {
    newest = new AbortController();
    const { signal: ends } = newest;
    try {
      const answer = await post('check', { text: it.text, tool }, ends);
      if (ends.aborted) return;
      checked.value = answer;
      if (answer.graph) unsaved.value = answer.graph;
    } catch (error) {
      if (ends.aborted) return;
      checked.value = { error: error instanceof ApiError ? error.message : String(error) };
    }
    checking.value = false;
  }, STAYS);
});

// The page asks before it is left with unsaved changes; the draft is kept for a reload all the same.
const ask = (e) => e.preventDefault();
effect(() => {
  if (draft.value && !renewing.value) addEventListener('beforeunload', ask);
  else removeEventListener('beforeunload', ask);
});

export const complete = (body, pos) => post('complete', { text: body, at: pos });
export const describe = (body, pos) => post('describe', { text: body, at: pos });

// extent is the range of lines of a node: down to where the indentation ends.
export function extent(all, line, column) {
  let last = line;
  for (let i = line; i < all.length; i++) {
    const body = all[i];
    if (/^\s*(#.*)?$/.test(body)) continue;
    if (body.search(/\S/) < column - 1) break;
    last = i + 1;
  }
  return [line, last];
}

// current are the lines of the node at the position: [first, last], or null.
export const current = computed(() => {
  const id = own.value && run.value ? lit.value.current : '';
  const node = graph.value?.byId.get(id);
  return node?.line ? linesOf(node) : null;
});

// linesOf are the lines of a node. The entry and the exit of a tool of steps have only the line at which the steps begin.
const linesOf = (node) => (graph.value.ofSteps && !node.name ? [node.line, node.line] : extent(lines.value, node.line, node.column));

// cursor is the line of the cursor, under is the node around it.
export const cursor = signal(0);
export const under = computed(() => {
  if (inspector.value !== 'source') return null;
  void lines.value;
  const around = (graph.value?.nodes ?? []).filter((n) => {
    const [first, last] = n.line > 0 ? linesOf(n) : [0, -1];
    return cursor.value >= first && cursor.value <= last;
  });
  return around.find((n) => !around.some((other) => other.parent === n.id)) ?? null; // the innermost
});
export const rejected = computed(() => !draft.value && project.value?.rejected);

// behind says why the graph on the screen is older than the text: of the editor, or of the file. Empty: it is not.
export const behind = computed(() => {
  if (!draft.value) return project.value?.rejected ? 'The file has errors · graph and runs are of the last version that was whole' : '';
  if (inspector.value !== 'source' || isGiven.value || !checked.value || checked.value.graph) return '';
  return `The text ${checked.value.error ? 'was not checked' : 'has errors'} · the graph is of the last version that was whole`;
});
