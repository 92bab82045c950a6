import { html } from '../lib/html.js';
import { get } from '../lib/api.js';
import { addressOf } from '../lib/address.js';
import { useLoaded } from '../lib/load.js';
import { openRun } from '../state/run.js';
import { plural } from '../lib/format.js';
import { Dialog, closeDialog } from './Dialog.js';
import { Empty } from './Empty.js';

// DiffDialog shows where two runs diverge, and the values that differ there.
export function DiffDialog({ a, b }) {
  const { value: d, error } = useLoaded(`${a} ${b}`, () => get('diff', { a, b }));
  return html`
    <${Dialog} title="How two runs differ" wide>
      ${error ? html`<${Empty} title="They cannot be compared" text=${error.message} />` : !d ? html`<${Empty} title="Comparing …" />` : html`<${Found} d=${d} a=${a} b=${b} />`}
    </${Dialog}>`;
}

function Found({ d, a, b }) {
  const at = (run, step) => {
    closeDialog();
    openRun(run, step.index, step.frame, step.part);
  };
  const heads = html`<tr><th scope="col">where</th><th scope="col"><span class="mono">${a.slice(0, 8)}</span></th><th scope="col"><span class="mono">${b.slice(0, 8)}</span></th></tr>`;
  if (d.same) return html`<${Empty} title="They are the same" text=${`Both took ${plural(d.steps[0], 'step')}, with the same values.`} />`;
  return html`
    ${d.first ? html`
      <p>They diverge at step ${addressOf(d.first.frame, d.first.index, d.first.part)}: <span class="mono">${d.first.nodes[0] || 'the end'}</span>${d.first.nodes[0] !== d.first.nodes[1] && html` and <span class="mono">${d.first.nodes[1] || 'the end'}</span>`}. ${' '}
        <button type="button" class="linkish" onClick=${() => at(a, d.first)}>in the first</button> · <button type="button" class="linkish" onClick=${() => at(b, d.first)}>in the second</button></p>`
      : html`<p>${d.args?.length ? 'Only their arguments differ.' : 'Their steps are the same; they ended differently.'}</p>`}
    ${[['Arguments', d.args], ['The step at which they diverge', d.first?.changes], ['Result', d.result]].map(([title, changes]) => changes?.length > 0 && html`
      <section key=${title}><h3>${title}</h3>
        <div class="scroll"><table class="changes"><thead>${heads}</thead><tbody>
          ${changes.map((c) => html`<tr key=${c.path}><th scope="row" class="mono">${c.path || 'value'}</th><td class="mono">${c.old ?? (c.path ? '–' : 'nothing')}</td><td class="mono">${c.new ?? (c.path ? '–' : 'nothing')}</td></tr>`)}
        </tbody></table></div>
      </section>`)}
    <section><h3>Steps that differ</h3>
      <p class="muted">${plural(d.differing, 'step')} of ${d.steps[0]} and ${d.steps[1]}${d.differing > d.rows.length ? `; the first ${d.rows.length}` : ''}</p>
      <div class="scroll"><table class="changes"><thead>${heads}</thead><tbody>
        ${d.rows.map((r) => html`<tr key=${addressOf(r.frame, r.index, r.part)}><th scope="row">${addressOf(r.frame, r.index, r.part)}</th>
          ${r.nodes.map((node, i) => html`<td><span class="mono">${node || '–'}</span><br /><span class="mono muted">${r.previews[i]}</span></td>`)}</tr>`)}
      </tbody></table></div>
    </section>`;
}
