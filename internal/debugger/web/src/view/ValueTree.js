import { html } from '../lib/html.js';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { idOf, isPage, PAGE, partOf, rangesOf, waysTo } from '../lib/pages.js';
import { treeOf } from '../state/trees.js';
import { attempt } from '../state/ui.js';
import { copyValue } from './copy.js';
import { indent, Leaf, RangeRow, TreeRow } from './TreeRow.js';

const MOST = 60; // open rows that are read again for another value of the same place

// ValueTree shows a value one level at a time: level is its first, source reads the others. What is open is kept
// by the key keep. control, a ref, is given { reveal, focus }. Text is only ever text.
export function ValueTree({ level, source, label, keep, control, term, onTable }) {
  const memory = treeOf(keep ?? label);
  const [model, setModel] = useState({ root: level, levels: new Map(), texts: new Map(), wrong: new Map() });
  const [at, setAt] = useState(memory.at);
  const [active, setActive] = useState(false);
  const list = useRef(null);
  const now = useRef(null); // what the handlers see
  now.current = { model, source, level };
  const pending = useRef(new Map()); // id → { root, answer }
  const missing = useRef([]); // open rows whose parts are not there
  const [, draw] = useState(0);

  // Another value at the same place: what is open is read before any of it is shown.
  useEffect(() => {
    let old = false;
    const wanted = [...memory.open].map(partOf).filter(({ path, range }) => (range ? isPage(range) : true) && isOpen(memory, path)).slice(-MOST);
    Promise.allSettled(wanted.map(({ path, range }) => source.level(path, range?.[0] ?? 0))).then((found) => {
      if (old) return;
      const levels = new Map();
      const wrong = new Map();
      found.forEach((f, i) => (f.value ? levels : wrong).set(idOf(wanted[i].path, wanted[i].range), f.value ?? f.reason.message));
      setModel((m) => (m.root === level ? { ...m, levels: new Map([...levels, ...m.levels]), wrong: new Map([...wrong, ...m.wrong]) } : { root: level, levels, texts: new Map(), wrong }));
    });
    return () => {
      old = true;
    };
  }, [level]);

  const change = (root, part, id, value) => setModel((m) => (m.root === root ? { ...m, [part]: new Map(m[part]).set(id, value) } : m));
  const read = async (path, range) => {
    const { root, levels } = now.current.model;
    const id = idOf(path, range);
    if (!path.length && !range) return root;
    if (levels.has(id)) return levels.get(id);
    const asked = pending.current.get(id);
    if (asked?.root === root) return asked.answer;
    const answer = now.current.source.level(path, range?.[0] ?? 0).then((found) => {
      change(root, 'levels', id, found);
      return found;
    }, (error) => {
      pending.current.delete(id);
      change(root, 'wrong', id, error.message);
      return null;
    });
    pending.current.set(id, { root, answer });
    return answer;
  };
  // What was opened while another value came is read of that.
  useEffect(() => missing.current.forEach(({ path, range }) => read(path, range)));
  const open = async (path, range) => {
    memory.open.add(idOf(path, range));
    draw((n) => n + 1);
    return !range || isPage(range) ? read(path, range) : null;
  };
  const toggle = (path, range) => {
    const id = idOf(path, range);
    if (!memory.open.delete(id)) return void open(path, range);
    return draw((n) => n + 1);
  };
  const more = (item, path, text) => attempt(async () => {
    const { root } = now.current.model;
    const rest = await now.current.source.level(path, text.more);
    change(root, 'texts', idOf(path), { text: text.text + rest.text, more: rest.more });
  });
  const rowOf = (id) => list.current?.querySelector(`[data-id="${CSS.escape(id)}"]`);
  const focus = (id) => {
    memory.at = id;
    setAt(id);
    rowOf(id)?.focus();
  };
  // reveal opens what is around a part; places are the numbers of the steps of its path among their neighbours.
  const reveal = async (path, places, focused) => {
    for (let i = 0; i < path.length; i++) {
      const inside = path.slice(0, i);
      const found = i ? await open(inside) : now.current.model.root;
      if (!found) return;
      for (const range of waysTo(places[i], found.size)) await open(inside, range);
    }
    const id = idOf(path);
    memory.at = id;
    setAt(id);
    requestAnimationFrame(() => requestAnimationFrame(() => {
      inSight(rowOf(id)?.querySelector('.tree-row'));
      if (focused) rowOf(id)?.focus({ preventScroll: true });
    }));
  };
  useLayoutEffect(() => {
    if (control) control.current = { reveal, focus: () => (rowOf(memory.at) ?? list.current?.querySelector('[role=treeitem]'))?.focus() };
  });

  const { root, levels, texts, wrong } = model;
  if (!root?.children) return root ? html`<p class="tree-row alone"><${Leaf} item=${root} text=${texts.get('[]')} term=${term} onMore=${(text) => more(root, [], text)} /></p>` : null;

  missing.current = [];
  const order = []; // the rows as they stand; each is below the nearest one before it of a smaller depth
  const rowsOf = (path, found, depth) => [
    ...found.children.map((item, i) => partRow(path, item, found, i, depth)),
    ...rangesOf(PAGE, found.size).map((range) => rangeRow(path, range, found, depth)),
  ];
  const partRow = (path, item, found, place, depth) => {
    const here = [...path, item.key];
    const id = idOf(here);
    order.push({ id, key: String(item.key), path: here, found, item, depth });
    const branch = Boolean(item.size);
    const opened = branch && memory.open.has(id);
    const below = opened ? levels.get(id) : null;
    const row = html`<${TreeRow} key=${id} ...${{ id, item, term, opened, branch, source, path: here, place, depth, size: found.size, text: texts.get(id), array: found.kind === 'array', onMore: (text) => more(item, here, text), ...shared }}
      onToggle=${() => toggle(here)} onTable=${item.table && onTable ? () => onTable(here) : null} />`;
    if (!opened) return row;
    if (!below && !wrong.has(id)) missing.current.push({ path: here });
    return below ? [row, rowsOf(here, below, depth + 1), html`<${Gone} key=${`${id} gone`} keys=${below.gone} depth=${depth + 1} />`] : [row, html`<${Waiting} key=${`${id} waits`} wrong=${wrong.get(id)} depth=${depth + 1} />`];
  };
  const rangeRow = (path, range, found, depth) => {
    const id = idOf(path, range);
    order.push({ id, key: String(range[0]), path, range, found, depth });
    const opened = memory.open.has(id);
    const row = html`<${RangeRow} key=${id} ...${{ id, range, opened, depth, array: found.kind === 'array', ...shared }} onToggle=${() => toggle(path, range)} />`;
    if (!opened) return row;
    if (!isPage(range)) return [row, rangesOf(...range).map((inner) => rangeRow(path, inner, found, depth + 1))];
    const below = levels.get(id);
    if (!below && !wrong.has(id)) missing.current.push({ path, range });
    return [row, below ? below.children.map((item, i) => partRow(path, item, found, range[0] + i, depth + 1)) : html`<${Waiting} key=${`${id} waits`} wrong=${wrong.get(id)} depth=${depth + 1} />`];
  };
  const roving = { id: '' }; // the row with the focus: known when all rows are
  const shared = { active, roving, onCurrent: (id) => { memory.at = id; setAt(id); } };
  const rows = rowsOf([], root, 1).flat(Infinity); // as siblings, so that a row stays when it is opened
  const current = order.some((row) => row.id === at) ? at : order[0]?.id;
  roving.id = current;

  const keys = (e) => {
    const i = order.findIndex((row) => row.id === e.target.dataset?.id);
    if (i < 0) {
      if (e.key === 'Escape' || e.key === 'ArrowLeft') rowOf(current)?.focus();
      else return;
      e.preventDefault();
      e.stopPropagation();
      return;
    }
    const row = order[i];
    const opened = e.target.getAttribute('aria-expanded');
    const go = (other) => other && focus(other.id);
    if (e.altKey) return;
    if (e.ctrlKey || e.metaKey) {
      if (e.key !== 'c' || getSelection().toString() || row.range) return;
      copyValue(source, row.path);
      e.preventDefault();
      return;
    }
    if (e.key.length > 1) list.current.typed = ''; // what is typed after another key begins anew
    switch (e.key) {
      case 'ArrowDown': go(order[i + 1]); break;
      case 'ArrowUp': go(order[i - 1]); break;
      case 'Home': go(order[0]); break;
      case 'End': go(order.at(-1)); break;
      case 'ArrowRight': if (opened === 'false') toggle(row.path, row.range); else if (opened && order[i + 1]?.depth > row.depth) go(order[i + 1]); break;
      case 'ArrowLeft':
        if (opened === 'true') toggle(row.path, row.range);
        else go(order.slice(0, i).findLast((other) => other.depth < row.depth));
        break;
      case 'Enter': case ' ':
        if (opened) toggle(row.path, row.range);
        else if (row.item?.more) more(row.item, row.path, texts.get(row.id) ?? row.item);
        break;
      case '*': order.filter((o) => o.found === row.found && (o.item?.size || o.range)).forEach((o) => open(o.path, o.range)); break;
      default:
        if (!/^[\p{L}\p{N}_$.-]$/u.test(e.key)) return;
        typed(e.key, i);
    }
    e.preventDefault();
    e.stopPropagation();
  };
  // typed goes to the next key that begins with what is typed; digits go to an item by its number.
  const typed = (key, i) => {
    const memo = list.current;
    memo.typed = (Date.now() - (memo.typedAt ?? 0) < 600 ? memo.typed : '') + key;
    memo.typedAt = Date.now();
    const { path, found, range } = order[i];
    const begin = memo.typed.toLowerCase();
    if (found.kind === 'array' && /^\d+$/.test(begin) && Number(begin) < found.size) {
      const to = [...(range ? path : path.slice(0, -1)), Number(begin)];
      reveal(to, to.map((step) => (typeof step === 'number' ? step : 0)), true); // what is around it is open
      return;
    }
    const rest = [...order.slice(i + (begin.length > 1 ? 0 : 1)), ...order.slice(0, i + 1)];
    const next = rest.find((row) => !row.range && row.key.toLowerCase().startsWith(begin));
    if (next) focus(next.id);
  };
  return html`
    <ul class="tree" role="tree" aria-label=${label} ref=${list} onKeyDown=${keys} onFocusIn=${() => setActive(true)} onFocusOut=${(e) => !e.currentTarget.contains(e.relatedTarget) && setActive(false)}>${rows}<${Gone} keys=${root.gone} depth=${1} /></ul>`;
}

// inSight scrolls to a row in the middle, unless it is in sight below the head of its box.
function inSight(row) {
  const body = row?.closest('.inspector-body')?.getBoundingClientRect();
  const head = row?.closest('.box')?.querySelector('.value-head')?.getBoundingClientRect().height ?? 0;
  const { top, bottom } = row?.getBoundingClientRect() ?? {};
  if (body && (top < body.top + head || bottom > body.bottom)) row.scrollIntoView({ block: 'center' });
}

// isOpen is whether all that is around a path is open.
const isOpen = (memory, path) => path.every((_, i) => i === 0 || memory.open.has(idOf(path.slice(0, i))));

const Waiting = ({ wrong, depth }) => html`<li class=${wrong ? 'wrong' : 'muted none'} role="none" style=${indent(depth)}>${wrong || 'reading …'}</li>`;

const Gone = ({ keys, depth }) => keys?.length > 0 && html`<li class="tree-gone" role="none" style=${indent(depth)}>gone: ${keys.map((key, i) => html`${i > 0 && ', '}<del class="mono">${key}</del>`)}</li>`;
