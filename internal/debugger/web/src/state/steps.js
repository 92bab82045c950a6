// The steps of the frames of the open run and their parts, in pages that are read when they are
// looked at.
import { signal } from '@preact/signals';
import { get, seg } from '../lib/api.js';
import { addressOf, isTurn, lastOf, outerOf, split } from '../lib/address.js';
import { listOf } from '../lib/rowtree.js';

const PAGE = 100;
export const version = signal(0); // grows when a page has come
export const unfolded = signal(new Set()); // addresses of steps whose parts are listed
const pages = new Map(); // key → { rows, done, steps }
const asked = new Set();

export function forgetSteps() {
  pages.clear();
  asked.clear();
  listed.clear();
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

// partAt is a part of the step, or of the part, at an address. Those that have not ended are read again when the run has
// gone on; so is the last page of turns, of which there may be more.
export function partAt(run, of, i) {
  const number = Math.floor(i / PAGE);
  const key = `${run.id}|${of}.|${number}`;
  const page = pages.get(key);
  if (!page || (!page.done && page.mark !== mark(run)) || (i - number * PAGE >= page.rows.length && page.mark !== mark(run))) {
    const now = mark(run);
    const { frame, index, part } = split(of);
    read(key, `runs/${seg(run.id)}/parts`, { frame, at: index, part, from: number * PAGE, limit: PAGE }, (found) => ({
      rows: found.parts, mark: now, done: found.parts.every((p) => p.state === 'ended' || p.state === 'failed'),
    }));
  }
  return page?.rows[i - number * PAGE];
}
export const mark = (run) => `${run.steps} ${run.status} ${addressOf(run.next?.frame, run.next?.index, run.next?.part)} ${(run.held ?? []).map((h) => addressOf(h.frame, h.index, h.part))} ${run.live ? run.next?.start : run.ms}`;

// rowsOf is the tree of the rows of a frame with so many steps and maybe an open one: below each unfolded
// step or part its parts, and below one that has called a graph the steps of that.
export function rowsOf(run, frame, steps, open) {
  const places = [...unfolded.value].map((address) => ({ address, ...split(address) }));
  const stepsList = (of, count, extra) => listOf({ frame: of, steps: count, count: count + (extra ? 1 : 0) }, places
    .filter((p) => p.frame === of && !p.part && p.index < count + (extra ? 1 : 0))
    .map((p) => ({ at: p.index, list: below(p.index === count ? extra : stepAt(run.id, of, p.index, count), p.address) })));
  const partsList = (of, count) => listOf({ frame: split(of).frame, of, count }, places
    .filter((p) => p.part && outerOf(p.address) === of)
    .map((p) => {
      const at = placeIn(run, of, p.address, count);
      return { at, list: below(at < 0 ? null : partAt(run, of, at), p.address) };
    })
    .filter((s) => s.at >= 0));
  const below = (step, of) => (step?.parts ? partsList(of, step.parts) : stepsList(step?.frame ?? of, step?.inner ?? 0));
  return stepsList(frame, steps, open);
}

// placeIn is the number of a part among those beside it; -1 while that is not known.
export function placeIn(run, of, address, count) {
  const name = lastOf(address);
  if (isTurn(address)) return Number(name) - 1;
  if (/^\d+$/.test(name)) return Number(name);
  const { part } = split(address);
  for (let n = 0; n < count; n++) if (partAt(run, of, n)?.part === part) return n;
  return -1;
}

// fold shows the parts of a step below it, or hides them.
export function fold(address, open = !unfolded.value.has(address)) {
  const next = new Set(unfolded.value);
  if (open) next.add(address);
  else next.delete(address);
  unfolded.value = next;
}

// unfoldSteps lists the steps of a tool when they are first seen.
const listed = new Set();
export function unfoldSteps(run, address) {
  if (listed.has(`${run} ${address}`)) return;
  listed.add(`${run} ${address}`);
  fold(address, true);
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
