// The steps of the frames of the open run and their parts, in pages that are read when they are
// looked at.
import { signal } from '@preact/signals';
import { get, seg } from '../lib/api.js';
import { addressOf } from '../lib/address.js';

const PAGE = 100;
export const version = signal(0); // grows when a page has come
export const unfolded = signal(new Set()); // addresses of steps whose parts are listed
const pages = new Map(); // key → { rows, done, steps }
const asked = new Set();

export function forgetSteps() {
  pages.clear();
  asked.clear();
  unfolded.value = new Set();
  version.value++;
}

// stepAt is a step as lists show it, or undefined while it is on its way.
export function stepAt(run, frame, i, total) {
  const number = Math.floor(i / PAGE);
  const key = `${run}|${frame}|${number}`;
  const page = pages.get(key);
  const want = Math.min(PAGE, total - number * PAGE);
  if ((page?.rows.length ?? 0) < want) read(key, `runs/${seg(run)}/steps`, { frame, from: number * PAGE, limit: PAGE }, (found) => ({ rows: found.steps }));
  return page?.rows[i - number * PAGE];
}

// partAt is a part of a step. Those that have not ended are read again when the run has gone on.
export function partAt(run, frame, at, i) {
  const number = Math.floor(i / PAGE);
  const key = `${run.id}|${addressOf(frame, at)}.|${number}`;
  const page = pages.get(key);
  if (!page || (!page.done && page.mark !== mark(run))) {
    const now = mark(run);
    read(key, `runs/${seg(run.id)}/parts`, { frame, at, from: number * PAGE, limit: PAGE }, (found) => ({
      rows: found.parts, mark: now, done: found.parts.every((p) => p.state === 'ended' || p.state === 'failed'),
    }));
  }
  return page?.rows[i - number * PAGE];
}
const mark = (run) => `${run.steps} ${run.status} ${addressOf(run.next?.frame, run.next?.index, run.next?.part)}`;

// fold shows the parts of a step below it, or hides them.
export function fold(address, open = !unfolded.value.has(address)) {
  const next = new Set(unfolded.value);
  if (open) next.add(address);
  else next.delete(address);
  unfolded.value = next;
}

async function read(key, path, query, pageOf) {
  if (asked.has(key)) return;
  asked.add(key);
  try {
    const found = await get(path, query);
    if (!asked.has(key)) return; // another run is open
    pages.set(key, pageOf(found));
    asked.delete(key);
    version.value++;
  } catch {
    setTimeout(() => asked.delete(key), 1000); // asked again when it is looked at again
  }
}
