// The filter of the list of steps. The server evaluates it; the page has the pages that are looked at.
import { computed, signal } from '@preact/signals';
import { get, seg } from '../lib/api.js';
import { at, frame, go, part, run } from './run.js';
import { attempt } from './ui.js';

const PAGE = 100;
const nothing = { node: '', failed: false, edited: false, slower: '' };
export const sieve = signal(nothing);
export const sieving = computed(() => Object.values(sieve.value).some(Boolean));
export const found = signal(null); // { key, total }
export const version = signal(0); // grows when a page has come
let pages = new Map();
const asked = new Set();

const query = ({ node, failed, edited, slower } = sieve.value) => ({ frame: frame.value, node: node.trim(), failed: failed || '', edited: edited || '', slower });
const path = () => `runs/${seg(run.value.id)}/find`;
// keyOf is what an answer depends on.
const keyOf = () => JSON.stringify([run.value?.id, run.value?.steps, run.value?.status, frame.value, sieve.value]);

let pending = false;
// refresh counts the matches, again while a run goes on: one request at a time.
export async function refresh() {
  if (pending || !sieving.value || !run.value) return;
  const key = keyOf();
  if (found.value?.key === key) return;
  pending = true;
  const answer = await attempt(() => get(path(), { ...query(), limit: PAGE }));
  pending = false;
  if (!answer) return;
  pages = new Map([[0, answer.rows]]);
  found.value = { key, total: answer.total };
  if (keyOf() !== key) setTimeout(refresh, 200);
}

// matchAt is a match by its number, or undefined while it is on its way.
export function matchAt(k) {
  const number = Math.floor(k / PAGE);
  const rows = pages.get(number);
  const key = `${found.value?.key} ${number}`;
  if (!rows && !asked.has(key)) {
    asked.add(key);
    const into = pages;
    get(path(), { ...query(), from: number * PAGE, limit: PAGE }).then((answer) => {
      into.set(number, answer.rows);
      version.value++;
    }, () => {}).finally(() => asked.delete(key));
  }
  return rows?.[k - number * PAGE];
}

// toMatch goes to the next match after the step under inspection, or the previous one.
export const toMatch = (by) => attempt(async () => {
  const here = await get(path(), { ...query(), at: at.value, part: part.value, limit: 1 });
  const k = by > 0 ? here.before + (here.at ? 1 : 0) : here.before - 1;
  if (k < 0 || k >= here.total) return;
  const { rows: [row] } = await get(path(), { ...query(), from: k, limit: 1 });
  if (row) go(row.index, row.part ?? '');
});

export const setSieve = (change) => { sieve.value = { ...sieve.value, ...change }; };
export const clearSieve = () => { sieve.value = nothing; };
