// What is open of each value: it stays while a run is stepped through. A value is known by the tool, the
// node and what is shown of it.
const MOST = 300;
const kept = new Map();

// treeOf is what is remembered of a value's tree: the ids of open rows, the row that has or had the focus,
// the path of the list that is shown as a table with its first row, and what is searched for.
export function treeOf(key) {
  const known = kept.get(key) ?? { open: new Set(), at: '', table: null, from: 0, term: null };
  kept.delete(key);
  kept.set(key, known); // the latest is the last
  if (kept.size > MOST) kept.delete(kept.keys().next().value);
  return known;
}

// The scroll places of the inspector, by what it shows.
const places = new Map();
let wanted = null;

// keepPlace returns to where the inspector was scrolled to when it last showed the same, as soon as there is
// enough to scroll, unless the user scrolls first. It returns how to end.
export function keepPlace(key) {
  const body = document.querySelector('.inspector-body');
  if (!body) return undefined;
  const here = { key };
  wanted = here;
  const to = places.get(key) ?? 0;
  let restoring = true;
  const restore = () => {
    if (restoring && wanted === here) body.scrollTop = to;
  };
  const stop = () => {
    restoring = false;
  };
  const note = () => {
    if (!restoring && wanted === here) places.set(key, body.scrollTop);
  };
  const watch = new MutationObserver(restore);
  watch.observe(body, { childList: true, subtree: true, characterData: true });
  restore();
  const timer = setTimeout(stop, 1000);
  const mine = ['wheel', 'touchmove', 'keydown', 'pointerdown'];
  mine.forEach((name) => body.addEventListener(name, stop, { passive: true }));
  body.addEventListener('scroll', note, { passive: true });
  return () => {
    clearTimeout(timer);
    watch.disconnect();
    mine.forEach((name) => body.removeEventListener(name, stop));
    body.removeEventListener('scroll', note);
  };
}
