import { html, cx } from '../lib/html.js';
import { useState } from 'preact/hooks';
import { count } from '../lib/format.js';
import { Button } from './Button.js';
import { copyPath, copyValue } from './copy.js';
import { Icon } from './Icon.js';

const inside = (work) => (e) => {
  e.stopPropagation();
  work(e);
};

// TreeRow is a part of a value with what is below it. A click opens or closes a branch, unless it is on a control
// of the row or ends a selection of text.
export function TreeRow({ id, item, path, place, size, array, depth, opened, branch, text, term, source, active, roving, onCurrent, onToggle, onTable, onMore }) {
  const [hover, setHover] = useState(false);
  const current = roving.id === id;
  const click = () => {
    onCurrent(id);
    if (branch && !getSelection().toString()) onToggle();
  };
  return html`
    <li role="treeitem" data-id=${id} aria-level=${depth} style=${indent(depth)} aria-expanded=${branch ? String(opened) : null} aria-setsize=${size} aria-posinset=${place + 1} tabindex=${current ? 0 : -1}
      class=${cx(item.change)} onClick=${inside(click)}>
      <span class="tree-row" onMouseEnter=${() => setHover(true)} onMouseLeave=${() => setHover(false)}>
        <span class=${cx('twist', branch && 'can', opened && 'open')} aria-hidden="true"></span>
        <span class=${cx('tree-key', array && 'index')}>${array ? count(item.key) : marked(item.key === '' ? '""' : item.key, term)}</span><span class="colon">:</span>
        <${Leaf} item=${item} brief=${opened} text=${text} term=${term} onMore=${onMore} />
        <${Change} item=${item} />
        ${(hover || (active && current)) && html`<${RowActions} item=${item} path=${path} source=${source} onTable=${onTable} reach=${current} />`}
      </span>
    </li>`;
}

// indent is the style of a row: its depth, as a number of steps.
export const indent = (depth) => ({ '--depth': String(depth - 1) });

// RangeRow is a range of the parts of a large level.
export function RangeRow({ id, range: [from, to], array, opened, depth, roving, onCurrent, onToggle }) {
  const click = () => {
    onCurrent(id);
    onToggle();
  };
  const text = `${array ? 'items' : 'keys'} ${count(from)} … ${count(to - 1)}`;
  return html`
    <li role="treeitem" data-id=${id} aria-level=${depth} style=${indent(depth)} aria-expanded=${String(opened)} tabindex=${roving.id === id ? 0 : -1} onClick=${inside(click)}>
      <span class="tree-row range"><span class=${cx('twist', 'can', opened && 'open')} aria-hidden="true"></span>${text}</span>
    </li>`;
}

// Change says how a value differs from what was at its place before.
export const Change = ({ item }) => item.change && html`<span class="change" title=${`${item.change} since the step before, or the execution before`}>${item.change === 'new' ? 'new' : item.was ? html`was <span class="mono">${item.was}</span>` : 'changed'}</span>`;

// RowActions are what can be done with a part of a value.
function RowActions({ item, path, source, onTable, reach }) {
  const tab = reach ? 0 : -1;
  return html`
    <span class="row-actions" onClick=${(e) => e.stopPropagation()}>
      ${onTable && html`<${Button} icon="table" only label="Show as a table" tabindex=${tab} onClick=${onTable} />`}
      ${source.root && html`<${Button} icon="path" only label="Copy path" tabindex=${tab} onClick=${() => copyPath(source, path)} />`}
      <${Button} icon="copy" only label="Copy value" hint="Ctrl+C" tabindex=${tab} onClick=${() => copyValue(source, path)} />
      ${(item.size > 0 || item.more) && html`<${Download} href=${source.file(path)} tabindex=${tab} />`}
    </span>`;
}

export const Download = ({ href, tabindex }) => html`
  <a class="button only" href=${href} download title="Download" aria-label="Download" tabindex=${tabindex}><${Icon} name="download" /></a>`;

const branches = { object: '{}', array: '[]' };

// Leaf is a scalar, or what stands for a branch while it is closed. text is what has been read of a long text.
export function Leaf({ item, brief, text, term, onMore }) {
  const brackets = branches[item.kind];
  if (brackets) return html`<span class="tree-size">${brackets[0]}${item.size ? count(item.size) : ''}${brackets[1]}</span>${!brief && item.size > 0 && html` <span class="tree-preview">${item.preview}</span>`}`;
  if (item.kind === 'nothing') return html`<span class="muted">nothing</span>`;
  if (item.kind !== 'string') return html`<span class=${`scalar ${item.kind}`}>${marked(item.text, term)}</span>`;
  const shown = text ?? { text: item.text ?? '', more: item.more };
  return html`<span class="scalar string">"${marked(shown.text, term)}${shown.more
    ? html`… <button type="button" class="linkish" tabindex="-1" onClick=${inside(() => onMore(shown))}>more of ${count(item.bytes)} bytes</button>` : '"'}</span>`;
}

// marked shows where a text has what is searched for.
export function marked(text, term) {
  if (!term) return text;
  const lower = text.toLowerCase();
  const what = term.toLowerCase();
  const out = [];
  let from = 0;
  for (let i = lower.indexOf(what); i >= 0 && out.length < 400; i = lower.indexOf(what, from)) {
    out.push(text.slice(from, i), html`<mark>${text.slice(i, i + what.length)}</mark>`);
    from = i + what.length;
  }
  return out.length ? [...out, text.slice(from)] : text;
}
