// The steps of the open run, in pages that are read when they are looked at.
import { signal } from '@preact/signals';
import { get, seg } from '../lib/api.js';

const PAGE = 100;
export const version = signal(0); // grows when a page has come
const pages = new Map(); // number → steps
const asked = new Set();

export function forgetSteps() {
  pages.clear();
  asked.clear();
  version.value++;
}

// stepAt is a step as lists show it, or undefined while it is on its way.
export function stepAt(run, i, total) {
  const number = Math.floor(i / PAGE);
  const page = pages.get(number);
  const want = Math.min(PAGE, total - number * PAGE);
  if ((page?.length ?? 0) < want) read(run, number);
  return page?.[i - number * PAGE];
}

async function read(run, number) {
  const key = `${run}/${number}`;
  if (asked.has(key)) return;
  asked.add(key);
  try {
    const found = await get(`runs/${seg(run)}/steps`, { from: number * PAGE, limit: PAGE });
    if (!asked.has(key)) return; // another run is open
    pages.set(number, found.steps);
    asked.delete(key);
    version.value++;
  } catch {
    setTimeout(() => asked.delete(key), 1000); // asked again when it is looked at again
  }
}
