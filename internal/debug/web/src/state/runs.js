// The list of runs, and its filter.
import { signal } from '@preact/signals';
import { get } from '../lib/api.js';
import { attempt } from './ui.js';

export const runs = signal([]);
export const filter = signal({ tool: '', status: '', text: '', since: '' });
export const more = signal(''); // where the next page begins; empty at the end
export const loading = signal(true);
export const picked = signal([]); // up to two runs to compare

const query = () => {
  const { tool, status, text, since } = filter.value;
  const from = since ? new Date(Date.now() - Number(since) * 3600e3).toISOString() : '';
  return { tool, status, text, since: from, limit: 50 };
};

export async function loadRuns() {
  const asked = filter.value;
  loading.value = true;
  const found = await attempt(() => get('runs', query()));
  loading.value = false;
  if (!found || filter.value !== asked) return;
  runs.value = found.runs;
  more.value = found.next ?? '';
}

export async function loadMore() {
  const found = await attempt(() => get('runs', { ...query(), before: more.value }));
  if (!found) return;
  const known = new Set(runs.value.map((r) => r.id));
  runs.value = [...runs.value, ...found.runs.filter((r) => !known.has(r.id))];
  more.value = found.next ?? '';
}

let soon = 0;
export function setFilter(change) {
  filter.value = { ...filter.value, ...change };
  clearTimeout(soon);
  soon = setTimeout(loadRuns, 150);
}

const fits = (r) => {
  const { tool, status, text } = filter.value;
  return (!tool || r.tool === tool) && (!status || r.status === status) && !text;
};

// heard takes news of a run from the server.
export function heard(news) {
  if (runs.value.some((r) => r.id === news.id)) {
    runs.value = runs.value.map((r) => (r.id === news.id && !(news.rev < r.rev) ? { ...r, ...news } : r));
  } else if (fits(news)) {
    runs.value = [news, ...runs.value];
  }
}

export function pick(id) {
  picked.value = picked.value.includes(id) ? picked.value.filter((p) => p !== id) : [...picked.value.slice(-1), id];
}
