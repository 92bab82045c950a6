import { html, cx } from '../lib/html.js';
import { useEffect, useState } from 'preact/hooks';
import { count, plural } from '../lib/format.js';
import { PAGE } from '../lib/pages.js';
import { useLoaded } from '../lib/load.js';
import { treeOf } from '../state/trees.js';
import { Button } from './Button.js';
import { Change, Leaf } from './TreeRow.js';

// ValueTable shows a list of objects with a column for each key, a page at a time. onItem leads from a row to its
// item in the tree. stamp is another when the value is.
export function ValueTable({ source, path, title, keep, stamp, onItem }) {
  const memory = treeOf(keep);
  const [from, setFrom] = useState(memory.from);
  const { value: t, error } = useLoaded(`${keep} ${JSON.stringify(path)} ${from} ${stamp}`, () => source.table(path, from));
  const turn = (to) => {
    memory.from = Math.max(0, to);
    setFrom(memory.from);
  };
  useEffect(() => {
    if (t && from >= t.size && from > 0) turn(Math.floor(Math.max(0, t.size - 1) / PAGE) * PAGE);
  }, [t]);
  if (error) return html`<p class="wrong">${error.message}</p>`;
  if (!t) return html`<p class="muted">reading …</p>`;
  const last = Math.min(t.size, t.from + PAGE);
  return html`
    <div class="table-bar">
      <span class="muted">${t.size > PAGE ? `items ${count(t.from)} … ${count(last - 1)} of ${count(t.size)}` : plural(t.size, 'item')}${t.hidden ? `; ${plural(t.hidden, 'column')} more` : ''}</span>
      ${t.size > PAGE && html`
        <${Button} icon="back" only label="Items before" disabled=${t.from === 0} onClick=${() => turn(t.from - PAGE)} />
        <${Button} icon="forward" only label="Items after" disabled=${last >= t.size} onClick=${() => turn(t.from + PAGE)} />
        <label class="muted">item <input type="text" inputmode="numeric" size="6" onChange=${(e) => /^\d+$/.test(e.currentTarget.value.trim()) && turn(Math.floor(Math.min(t.size - 1, Number(e.currentTarget.value)) / PAGE) * PAGE)} /></label>`}
    </div>
    <div class="table-scroll" role="region" aria-label=${`${title} as a table`} tabindex="0">
      <table class="values">
        <thead><tr><th scope="col" aria-label="item">#</th>${t.columns.map((c) => html`<th scope="col" key=${c}>${c || '""'}</th>`)}</tr></thead>
        <tbody>${t.rows.map((r) => html`
          <tr key=${r.index}>
            <th scope="row"><button type="button" class="linkish" title="Show this item in the tree" aria-label=${`${count(r.index)}: show this item in the tree`} onClick=${() => onItem(r.index)}>${count(r.index)}</button></th>
            ${r.item ? html`<td colspan=${Math.max(1, t.columns.length)}><${Leaf} item=${r.item} onMore=${() => onItem(r.index)} /></td>`
              : r.cells.map((c, i) => html`<td key=${i} class=${cx(c?.change)} title=${c?.preview ?? c?.text}>${c ? html`<${Leaf} item=${c} onMore=${() => onItem(r.index)} /><${Change} item=${c} />` : html`<span class="muted" aria-label="missing">–</span>`}</td>`)}
          </tr>`)}</tbody>
      </table>
    </div>`;
}
