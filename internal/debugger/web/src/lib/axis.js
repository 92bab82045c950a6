// A time axis: from one time to another, in milliseconds after the run began, as shares of its width in per cent. Times in
// which nothing ran can be folded: each is as wide as a mark then.
import { duration } from './format.js';

const FOLD = 2.5; // per cent that a folded time takes
const FOLDS = 40; // per cent that all of them take at most
const LEAST = 1e-3; // ms

// axisOf returns the axis of an extent; idle are [from, to], the earliest first.
export function axisOf({ from, to }, idle = []) {
  const end = Math.max(to, from + LEAST);
  const folds = idle.map(([a, b]) => [Math.max(a, from), Math.min(b, end)]).filter(([a, b]) => b > a);
  const away = lengthOf(folds);
  const fold = Math.min(FOLD, FOLDS / folds.length);
  const perMs = (100 - (folds.length && fold * folds.length)) / Math.max(end - from - away, LEAST);
  let [time, left] = [from, 0];
  const pieces = []; // { time, left, perMs } from the left
  const marks = [];
  for (const [a, b] of folds) {
    pieces.push({ time, left, perMs });
    left += (a - time) * perMs;
    pieces.push({ time: a, left, perMs: fold / (b - a) });
    marks.push({ from: a, to: b, left, width: fold });
    [time, left] = [b, left + fold];
  }
  pieces.push({ time, left, perMs });
  return { from, to: end, perMs, pieces, folds: marks };
}

// at is the place of a time, in per cent; beyond the axis, its end.
export function at(axis, time) {
  if (time <= axis.from) return 0;
  if (time >= axis.to) return 100;
  const p = axis.pieces.findLast((piece) => piece.time <= time);
  return p.left + (time - p.time) * p.perMs;
}

// timeAt is the time at a place.
export function timeAt(axis, percent) {
  const p = axis.pieces.findLast((piece) => piece.left <= percent) ?? axis.pieces[0];
  return Math.min(axis.to, p.time + Math.max(0, percent - p.left) / p.perMs);
}

// share is the left end and the width of an interval on the axis; null when it is beyond.
export function share(axis, start, ms) {
  if (start + ms < axis.from || start > axis.to) return null;
  const left = at(axis, start);
  return { left: `${left.toFixed(2)}%`, width: `${(at(axis, start + ms) - left).toFixed(2)}%` };
}

const LETTER = 6.2; // pixels of a label's letter

// ticks are round times of the axis with their labels, as many as do not touch in so many pixels.
export function ticks(axis, width = 300) {
  const most = Math.max(2, Math.min(8, Math.floor(width / 64)));
  const shown = 100 / axis.perMs; // ms, without what is folded
  const raw = Math.max(shown, LEAST) / most;
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 5, 10].map((n) => n * power).find((n) => n >= raw * 0.999);
  const all = [];
  let right = 0; // of the label before, in pixels
  const label = (time) => {
    const place = at(axis, time);
    const text = Math.abs(time) < LEAST ? '0' : duration(time).replace(/\.0+(?= )/, '');
    const x = (place / 100) * width;
    const end = x + 5 + text.length * LETTER;
    if (x < right || end > width) return;
    all.push({ at: place, text });
    right = end + 4;
  };
  let first = axis.from;
  for (const { to } of [...axis.folds, { to: axis.to }]) { // between what is folded
    const until = axis.folds.find((f) => f.to === to)?.from ?? axis.to;
    for (let i = Math.ceil(first / step - 1e-9); i * step <= until && all.length < 2 * most; i++) label(i * step);
    first = to;
  }
  return all;
}

// lengthOf is how long times are together, each [from, to].
export const lengthOf = (all) => all.reduce((sum, [from, to]) => sum + to - from, 0);

// common are the times that are in both lists of [from, to].
export function common(a, b) {
  const all = [];
  for (const [from, to] of a) for (const [since, until] of b) if (Math.max(from, since) < Math.min(to, until)) all.push([Math.max(from, since), Math.min(to, until)]);
  return all;
}
