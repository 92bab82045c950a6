import { html } from '../lib/html.js';
import { useRef, useState } from 'preact/hooks';
import { bytes } from '../lib/format.js';
import { pathOf } from '../lib/jsonata.js';
import { idOf } from '../lib/pages.js';
import { valueSource } from '../lib/source.js';
import { treeOf } from '../state/trees.js';
import { Button } from './Button.js';
import { copyPath, copyValue } from './copy.js';
import { Change, Download } from './TreeRow.js';
import { ValueSearch } from './ValueSearch.js';
import { ValueTable } from './ValueTable.js';
import { ValueTree } from './ValueTree.js';

// ValueBox is a titled value of a run: of is output, context, input, item, foreseen, args or result; place is
// the step or part, { frame, at, part }; keep says whose value it is, for what is open in it; root is its
// JSONata path.
export const ValueBox = ({ run, of, place, root, keep, ...more }) => html`
  <${ValueView} key=${`${keep} ${of}`} ...${more} keep=${`${keep} ${of}`} source=${valueSource(run, { of, ...place }, root)} stamp=${JSON.stringify(place)} />`;

// ValueView is a value from any source. stamp is another when the value is.
export function ValueView({ title, level, source, keep, stamp, note, children }) {
  const memory = treeOf(keep);
  const [search, setSearch] = useState(memory.term);
  const [table, setTable] = useState(memory.table);
  const tree = useRef(null);
  const find = (to) => {
    memory.term = to;
    setSearch(to);
  };
  const show = (path) => {
    memory.table = path;
    memory.from = 0;
    setTable(path);
  };
  // goTo leaves the table for a part of the tree.
  const goTo = (path, at, focused) => {
    show(null);
    setTimeout(() => tree.current?.reveal(path, at, focused));
  };
  if (!level) return null;
  const branch = level.size > 0;
  const isTable = table && (table.length || level.table);
  const some = level.kind !== 'nothing';
  return html`
    <section class="box value" aria-label=${title}>
      <div class="value-head"><div class="box-head">
        <h3>${title}</h3>
        ${note}
        ${level.bytes > 0 && html`<span class="muted">${bytes(level.bytes)}</span>`}
        ${(level.was || !branch) && html`<${Change} item=${level} />`}
        <span class="spring"></span>
        ${children}
        <span class="head-tools">
        ${branch && html`<${Button} icon="search" only label="Search" aria-pressed=${String(Boolean(search))} onClick=${() => find(search ? null : { text: '', index: 0 })} />`}
        ${(level.table || isTable) && html`<${Button} icon=${isTable ? 'tree' : 'table'} only label=${isTable ? 'Show as a tree' : 'Show as a table'} onClick=${() => show(isTable ? null : [])} />`}
        ${some && source.root && html`<${Button} icon="path" only label="Copy path" onClick=${() => copyPath(source, [])} />`}
        ${some && html`<${Button} icon="copy" only label="Copy value" onClick=${() => copyValue(source, [])} />`}
        ${some && html`<${Download} href=${source.file([])} />`}
        </span>
      </div>
      ${search && html`<${ValueSearch} source=${source} search=${search} stamp=${stamp} label=${title} onSearch=${find} onShow=${(m) => (isTable ? goTo(m.path, m.at) : tree.current?.reveal(m.path, m.at))}
        onClose=${() => { find(null); tree.current?.focus(); }} />`}
      </div>
      ${isTable ? html`
        ${table.length > 0 && html`<p class="mono table-path">${pathOf(source.root ?? '$', table)}</p>`}
        <${ValueTable} key=${idOf(table)} source=${source} path=${table} title=${title} keep=${keep} stamp=${stamp} onItem=${(i) => goTo([...table, i], [...table.map((step) => (typeof step === 'number' ? step : 0)), i], true)} />`
        : html`<${ValueTree} level=${level} source=${source} label=${title} keep=${keep} control=${tree} term=${search?.text} onTable=${show} />`}
    </section>`;
}
