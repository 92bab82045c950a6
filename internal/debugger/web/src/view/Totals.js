import { html, cx } from '../lib/html.js';
import { useState } from 'preact/hooks';
import { count, duration, percent, plural } from '../lib/format.js';
import { nameOf } from '../lib/address.js';
import { goToNode, own } from '../state/run.js';
import { toolName } from '../state/project.js';
import { setSieve } from '../state/find.js';
import { idleTime, setTinted, timeView, times, tinted } from '../state/timeview.js';
import { show } from '../state/ui.js';
import { Empty } from './Empty.js';

// columns are [name, head, meaning, whether it is left out where it has nothing].
const columns = [
  ['node', 'node'],
  ['share', 'of the run', 'what all its executions took, of the time of the run'],
  ['took', 'took', 'all its executions, with what is inside them'],
  ['count', 'ran', 'its executions that have ended'],
  ['parts', 'parts', 'its items and turns', true],
  ['failed', 'failed', 'also where onError took the failure', true],
  ['p50', 'p50', 'half took no longer: of its items and turns where it has such'],
  ['p95', 'p95', '95 of 100 took no longer: of its items and turns where it has such'],
  ['waited', 'waited', 'for answers', true],
];

// Totals say where the time of a run went, node by node.
export function Totals({ run: r }) {
  const [by, sort] = useState({ name: 'took', down: true });
  const of = times.value;
  if (!of || of.run !== r.id) return html`<${Empty} title="Adding …" />`;
  const rows = of.nodes.map((n) => ({ ...n, share: n.took / Math.max(r.ms, 1e-3) }));
  rows.sort((a, b) => (by.down ? -1 : 1) * (by.name === 'node' ? nameOf(a).localeCompare(nameOf(b)) : a[by.name] - b[by.name]));
  const shown = columns.filter(([name, , , optional]) => !optional || rows.some((n) => n[name] > 0));
  const order = (name) => () => sort({ name, down: by.name === name ? !by.down : name !== 'node' });
  return html`
    <div class="totals" role="region" aria-label="time by node" tabindex="0">
      <p class="totals-said">${duration(r.ms)} in all${idleTime.value > 0 && `, ${duration(idleTime.value)} of it idle`}: ${plural(rows.length, 'node')}
        <label><input type="checkbox" checked=${tinted.value} onChange=${(e) => setTinted(e.currentTarget.checked)} /> tint the graph by it</label>
        <span>p50 and p95 are of parts, where a node has such. What is inside a node, or runs beside it, has a share as well: they add up to more than the run.</span></p>
      <table>
        <thead><tr>${shown.map(([name, text, title]) => html`<th scope="col" key=${name} aria-sort=${by.name === name ? (by.down ? 'descending' : 'ascending') : null}>
          <button type="button" class="linkish" title=${title} onClick=${order(name)}>${text}${by.name === name ? (by.down ? ' ▾' : ' ▴') : ''}</button></th>`)}</tr></thead>
        <tbody>${rows.map((n) => html`<${Row} key=${`${n.tool} ${n.node}`} n=${n} tool=${n.tool || r.tool} names=${shown.map(([name]) => name)} />`)}</tbody>
      </table>
    </div>`;
}

function Row({ n, tool, names }) {
  const here = own.value && tool === toolName.value;
  const steps = () => {
    setSieve({ node: n.node });
    timeView.value = 'steps';
  };
  const cells = {
    share: html`<i style=${{ width: `${Math.min(100, n.share * 100).toFixed(1)}%` }}></i><span>${percent(n.share)}</span>`,
    took: duration(n.took), p50: duration(n.p50), p95: duration(n.p95), waited: n.waited > 0 && duration(n.waited),
    count: here ? html`<button type="button" class="linkish" title="List its steps" onClick=${steps}>${count(n.count)}</button>` : count(n.count),
    parts: n.parts > 0 && count(n.parts), failed: n.failed > 0 && count(n.failed),
  };
  return html`
    <tr class=${cx(n.failed > 0 && 'failed')}>
      <th scope="row" class="mono">${here ? html`<button type="button" class="linkish" onClick=${() => { goToNode(n.node); show('step'); }}>${nameOf(n)}</button>` : nameOf(n)}</th>
      ${names.slice(1).map((name) => html`<td key=${name} class=${name === 'share' ? 'share' : null}>${cells[name]}</td>`)}
    </tr>`;
}
