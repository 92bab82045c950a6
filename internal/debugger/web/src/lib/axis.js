// The time axis of the list of steps: shares of its width, in per cent.
import { duration } from './format.js';

// ticks are at most three round times and 0 of an extent, with their labels.
export function ticks({ from, to }) {
  const span = Math.max(to - from, 1e-3);
  const raw = span / 3;
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 5, 10].map((n) => n * power).find((n) => n >= raw);
  const all = [];
  for (let t = Math.ceil(from / step) * step; t <= to && all.length < 4; t += step) all.push({ at: ((t - from) / span) * 100, text: t === 0 ? '0' : duration(t).replace(/\.0+(?= )/, '') });
  return all.filter((t) => t.at < 92);
}

// share is the left end and the width of an interval on the axis.
export function share({ from, to }, start, ms) {
  const span = Math.max(to - from, 1e-3);
  const at = (t) => Math.min(100, Math.max(0, ((t - from) / span) * 100));
  const left = at(start);
  return { left: `${left.toFixed(2)}%`, width: `${(at(start + ms) - left).toFixed(2)}%` };
}
