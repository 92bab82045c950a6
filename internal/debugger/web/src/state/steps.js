// The steps of the frames of the open run and their parts, in pages that are read when they are
// looked at.
import { signal } from '@preact/signals';
import { get, seg } from '../lib/api.js';
import { addressOf, split } from '../lib/address.js';
import { listOf } from '../lib/rowtree.js';

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
const mark = (run) => `${run.steps} ${run.status} ${addressOf(run.next?.frame, run.next?.index, run.next?.part)} ${(run.held ?? []).map((h) => addressOf(h.frame, h.index, h.part))} ${run.live ? run.next?.start : run.ms}`;

// rowsOf is the tree of the rows of a frame with so many steps and maybe an open one: below each unfolded
// step its parts, and below a step or part that has called a graph the steps of that.
export function rowsOf(run, frame, steps, open) {
  const places = [...unfolded.value].map((address) => ({ address, ...split(address) }));
  const stepsList = (of, count, extra) => listOf({ frame: of, steps: count, count: count + (extra ? 1 : 0) }, places
    .filter((p) => p.frame === of && !p.part && p.index < count + (extra ? 1 : 0))
    .map((p) => ({ at: p.index, list: below(p.index === count ? extra : stepAt(run.id, of, p.index, count), of, p.index) })));
  const partsList = (of, index, count) => listOf({ frame: of, index, count }, places
    .filter((p) => p.frame === of && p.part && p.index === index)
    .map((p) => {
      const at = /^\d+$/.test(p.part) ? Number(p.part) : branchAt(run, of, index, p.part, count);
      return { at, list: below(at < 0 ? null : partAt(run, of, index, at), of, index, p.part) };
    })
    .filter((s) => s.at >= 0));
  const below = (step, of, index, part = '') => (step?.parts && !part ? partsList(of, index, step.parts) : stepsList(step?.frame ?? addressOf(of, index, part), step?.inner ?? 0));
  return stepsList(frame, steps, open);
}

const branchAt = (run, frame, index, name, count) => {
  for (let n = 0; n < count; n++) if (partAt(run, frame, index, n)?.part === name) return n;
  return -1;
};

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
