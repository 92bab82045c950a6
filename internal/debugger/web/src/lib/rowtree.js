// The rows of the list of steps: a tree of lists, of which only the counts are known. A list is the steps
// of a frame, or the parts of a step; below a row that is unfolded is another list.
//   { frame, count }         steps: row i is step i of the frame
//   { frame, of, count }     parts: row n is part n of the step or part at the address of
//   subs                     [{ at: the row, list }] in their order
const size = (list) => list.subs.reduce((n, s) => n + s.list.size, list.count);

export function listOf(list, subs = []) {
  const made = { ...list, subs: subs.filter((s) => s.list.count > 0 && s.at < list.count).sort((a, b) => a.at - b.at) };
  made.size = size(made);
  return made;
}

// rowAt is a row by its number: { list, n, depth }.
export function rowAt(list, row, depth = 0) {
  let left = row;
  let from = 0; // rows of this list that are before
  for (const { at, list: sub } of list.subs) {
    const own = at + 1 - from;
    if (left < own) break;
    left -= own;
    from = at + 1;
    if (left < sub.size) return rowAt(sub, left, depth + 1);
    left -= sub.size;
  }
  return { list, n: from + left, depth };
}

// numberOf is the reverse for a row of the list itself.
export const numberOf = (list, n) => n + list.subs.reduce((sum, s) => sum + (s.at < n ? s.list.size : 0), 0);
