// The list of runs, the newest first, and its filter. News of runs of all processes keep it current.
import { computed, signal } from '@preact/signals';
import { get } from '../lib/api.js';
import { closeCompare, compare } from './compare.js';
import { attempt } from './ui.js';
import { run } from './run.js';

const PAGE = 50;
const MOST = 1000; // rows that are held; older ones are read again

const nothing = { tool: '', status: '', text: '', time: '', from: '', until: '' };
export const runs = signal([]);
export const filter = signal(nothing); // time is a key of spans; from and until are local times of it
export const filtered = computed(() => Object.values(filter.value).some(Boolean));
export const more = signal(''); // where the next page begins; empty at the end
export const loading = signal(true);
export const picked = signal([]); // up to two runs to compare

const day = (ago) => {
  const at = new Date();
  return new Date(at.getFullYear(), at.getMonth(), at.getDate() - ago);
};
const before = (hours) => new Date(Date.now() - hours * 3600e3);
const parse = (text) => (text ? new Date(text) : null);

// spans are the choices of time, each with where it begins and ends.
export const spans = {
  hour: ['Last hour', () => [before(1)]],
  today: ['Today', () => [day(0)]],
  yesterday: ['Yesterday', () => [day(1), day(0)]],
  week: ['Last 7 days', () => [before(168)]],
  range: ['From – to', (f) => [parse(f.from), parse(f.until)]],
};
const spanOf = (f) => spans[f.time]?.[1](f) ?? [];

const query = () => {
  const { tool, status, text } = filter.value;
  const [since, until] = spanOf(filter.value).map((at) => at?.toISOString());
  return { tool, status, text, since, until, limit: PAGE };
};

// statsOf reads the figures of the runs of a tool and a time.
export const statsOf = () => {
  const { tool, since, until } = query();
  return get('stats', { tool, since, until });
};

let latest = 0; // the request whose answer counts
export async function loadRuns() {
  const mine = ++latest;
  loading.value = true;
  const found = await attempt(() => get('runs', query()));
  if (mine !== latest) return;
  loading.value = false;
  if (!found) return;
  runs.value = found.runs;
  more.value = found.next ?? '';
}

export async function loadMore() {
  const mine = latest;
  const found = await attempt(() => get('runs', { ...query(), before: more.value }));
  if (!found || mine !== latest) return;
  const known = new Set(runs.value.map((r) => r.id));
  runs.value = [...runs.value, ...found.runs.filter((r) => !known.has(r.id))];
  more.value = found.next ?? '';
}

let soon = 0;
export function setFilter(change) {
  filter.value = { ...filter.value, ...change };
  latest++; // what is on its way is of the filter before
  clearTimeout(soon);
  soon = setTimeout(loadRuns, 150);
}
export const clearFilter = () => setFilter(nothing);

function fits(r) {
  const { tool, status, text } = filter.value;
  const [since, until] = spanOf(filter.value);
  const at = new Date(r.started);
  return (!tool || r.tool === tool) && (!status || r.status === status) && (!since || at >= since) && (!until || at < until)
    && (!text || `${r.id} ${r.tool} ${r.args} ${r.error?.message ?? ''}`.toLowerCase().includes(text.toLowerCase()));
}

// heard takes news of a run from the server: it gets its place by its age. One that does not fit the
// filter any more stays while it is open.
export function heard(news) {
  const old = runs.value.find((r) => r.id === news.id);
  if (old && news.rev < old.rev) return;
  const all = runs.value.filter((r) => r !== old);
  if (fits(news) || (old && run.value?.id === news.id)) {
    const now = old ? { ...old, question: undefined, pausing: undefined, ...news } : news;
    let i = old ? runs.value.indexOf(old) : all.findIndex((r) => Date.parse(r.started) < Date.parse(now.started));
    if (i < 0) {
      if (more.value) return; // on a page that was not read
      i = all.length;
    }
    all.splice(i, 0, now);
  }
  if (all.length > MOST) {
    all.length = MOST;
    more.value = all[MOST - 1].id;
  }
  runs.value = all;
}

// pick selects a run for comparison, or no more; two are compared at once, the earlier one first.
export function pick(id) {
  picked.value = picked.value.includes(id) ? picked.value.filter((p) => p !== id) : [...picked.value.slice(-1), id];
  if (picked.value.length < 2) return closeCompare();
  const began = (of) => Date.parse(runs.value.find((r) => r.id === of)?.started);
  return compare(...[...picked.value].sort((a, b) => began(a) - began(b)));
}
