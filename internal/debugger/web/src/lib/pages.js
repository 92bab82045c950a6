// How the parts of a large value are divided: a level has its first 100 parts, and the others in ranges.
export const PAGE = 100;
const RANGES = 60; // in a row at most

// idOf names a row: a part by its path, a range of the parts of that path by its ends.
export const idOf = (path, range) => JSON.stringify(path) + (range ? `@${range[0]}-${range[1]}` : '');

// partOf is the reverse: { path, range }.
export function partOf(id) {
  const cut = id.lastIndexOf('@');
  if (cut < 0 || id.endsWith(']')) return { path: JSON.parse(id), range: null };
  return { path: JSON.parse(id.slice(0, cut)), range: id.slice(cut + 1).split('-').map(Number) };
}

// rangesOf divides the parts from one number to another; a range of a page has parts and no ranges.
export function rangesOf(from, to) {
  let step = PAGE;
  while ((to - from) / step > RANGES) step *= 10;
  const out = [];
  for (let i = from; i < to; i = out.at(-1)[1]) out.push([i, Math.min(to, (Math.floor(i / step) + 1) * step)]);
  return out;
}
export const isPage = ([from, to]) => to - from <= PAGE;

// waysTo are the ranges around a part of a level of so many, from the outside in; none for the first ones.
export function waysTo(at, size) {
  const out = [];
  let inside = [PAGE, size];
  while (at >= PAGE && (!out.length || !isPage(inside))) {
    inside = rangesOf(...inside).find(([from, to]) => at >= from && at < to);
    out.push(inside);
  }
  return out;
}
