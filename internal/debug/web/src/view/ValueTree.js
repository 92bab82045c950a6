import { html, cx } from '../lib/html.js';
import { useEffect, useState } from 'preact/hooks';
import { count } from '../lib/format.js';
import { attempt } from '../state/ui.js';

// ValueTree shows a value one level at a time: level is its first, load(path, from)
// reads the others when they are opened. Text is only ever text.
export function ValueTree({ level, load, label }) {
  if (!level) return null;
  if (!level.children) return html`<${Leaf} item=${level} load=${load} path=${[]} />`;
  return html`
    <ul class="tree" role="tree" aria-label=${label} onKeyDown=${treeKeys}>
      <${Children} level=${level} load=${load} path=${[]} first />
    </ul>`;
}

function Children({ level, load, path, first }) {
  const [items, setItems] = useState(level.children);
  const [busy, setBusy] = useState(false);
  useEffect(() => setItems(level.children), [level]);
  const more = level.size - items.length;
  const next = async () => {
    setBusy(true);
    try {
      const found = await load(path, items.length);
      setItems([...items, ...found.children]);
    } finally {
      setBusy(false);
    }
  };
  return html`
    ${items.map((item, i) => html`<${Branch} key=${item.key} item=${item} load=${load} path=${[...path, item.key]} first=${first && i === 0} array=${level.kind === 'array'} />`)}
    ${more > 0 && html`<li role="none"><button type="button" class="linkish" disabled=${busy} onClick=${next}>${busy ? 'reading …' : `${count(more)} more`}</button></li>`}`;
}

const open = { object: true, array: true };

function Branch({ item, load, path, first, array }) {
  const [state, setState] = useState({ open: false, level: null, error: '' });
  const branch = open[item.kind] && item.size > 0;
  useEffect(() => setState((s) => ({ open: s.open && branch, level: null, error: '' })), [item]);
  useEffect(() => {
    if (!state.open || state.level || state.error) return;
    load(path, 0).then((level) => setState((s) => ({ ...s, level })), (error) => setState((s) => ({ ...s, error: error.message })));
  }, [state]);
  const toggle = () => branch && setState((s) => ({ ...s, open: !s.open }));
  return html`
    <li role="treeitem" aria-expanded=${branch ? String(state.open) : null} tabindex=${first ? 0 : -1} data-toggle=${branch ? '1' : null}
      onClick=${(e) => { e.stopPropagation(); if (!getSelection().toString()) toggle(); }} onToggleBranch=${toggle}>
      <span class="tree-row">
        <span class=${cx('twist', branch && 'can', state.open && 'open')} aria-hidden="true"></span>
        <span class=${cx('tree-key', array && 'index')}>${item.key}</span><span class="colon">:</span>
        <${Leaf} item=${item} brief=${state.open} load=${load} path=${path} />
      </span>
      ${state.open && html`<ul role="group">
        ${state.error ? html`<li class="wrong" role="none">${state.error}</li>` : state.level ? html`<${Children} level=${state.level} load=${load} path=${path} />` : html`<li class="muted none" role="none">reading …</li>`}
      </ul>`}
    </li>`;
}

// Leaf is a scalar, or what stands for a branch while it is closed.
function Leaf({ item, brief, load, path }) {
  if (open[item.kind]) {
    const size = [item.kind === 'array' ? '[]' : '{}'].map(([begin, end]) => begin + (item.size ? count(item.size) : '') + end);
    return html`<span class="tree-size">${size}</span>${!brief && item.size > 0 && html` <span class="tree-preview">${item.preview}</span>`}`;
  }
  if (item.kind === 'nothing') return html`<span class="muted">nothing</span>`;
  if (item.kind === 'string') return html`<${Text} ...${{ item, load, path }} />`;
  return html`<span class=${`scalar ${item.kind}`}>${item.text}</span>`;
}

// Text of any length: what is too long to be shown at once is read on when it is asked for.
function Text({ item, load, path }) {
  const begun = { text: item.text ?? '', more: item.more };
  const [{ text, more }, set] = useState(begun);
  useEffect(() => set(begun), [item]);
  const next = () => attempt(async () => {
    const rest = await load(path, more);
    set({ text: text + rest.text, more: rest.more });
  });
  return html`<span class="scalar string">"${text}${more ? html`… <button type="button" class="linkish" onClick=${next}>more of ${count(item.bytes)} bytes</button>` : '"'}</span>`;
}

// treeKeys are those of ARIA's tree.
function treeKeys(e) {
  const items = [...e.currentTarget.querySelectorAll('[role=treeitem]')];
  const here = document.activeElement;
  const i = items.indexOf(here);
  if (i < 0) return;
  const opened = here.getAttribute('aria-expanded');
  const toggle = () => here.dispatchEvent(new CustomEvent('ToggleBranch'));
  const focus = (el) => el?.focus();
  switch (e.key) {
    case 'ArrowDown': focus(items[i + 1]); break;
    case 'ArrowUp': focus(items[i - 1]); break;
    case 'Home': focus(items[0]); break;
    case 'End': focus(items.at(-1)); break;
    case 'ArrowRight': if (opened === 'false') toggle(); else if (opened) focus(items[i + 1]); break;
    case 'ArrowLeft': if (opened === 'true') toggle(); else focus(here.parentElement.closest('[role=treeitem]')); break;
    case 'Enter': case ' ': toggle(); break;
    default: return;
  }
  e.preventDefault();
  e.stopPropagation();
}
