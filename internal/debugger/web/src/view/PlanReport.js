import { html, cx } from '../lib/html.js';
import { plural } from '../lib/format.js';
import { placeIn } from '../lib/json.js';
import { graph, isGiven } from '../state/project.js';
import { checked } from '../state/plan.js';
import { goToNode } from '../state/run.js';
import { counted, Finding } from './Findings.js';
import { CallTags, Flows } from './PlanParts.js';

// PlanReport is what a check of the plan has found: what is wrong, each with its place in the text, the calls and what
// they do, and what flows where.
export function PlanReport({ text, field }) {
  const r = checked.value;
  if (!r) return null;
  const { findings = [], calls = [], flows = [] } = r;
  return html`
    <section class="plan-report" aria-label="check of the plan">
      <p class=${cx('plan-verdict', r.valid ? 'good' : 'bad')} role="status">${r.valid ? '✓ The plan can run' : '✖ The plan cannot run'}${findings.length > 0 && html`<span class="muted"> ${counted(findings)}</span>`}</p>
      ${r.text !== text && html`<p class="muted field-text">The plan has changed since this check.</p>`}
      ${findings.length > 0 && html`<div class="findings"><ul aria-label="findings in the plan">
        ${findings.map((f, i) => html`<${Finding} key=${i} f=${f} place=${html`<button type="button" class="linkish mono" title="Go to the place in the plan" onClick=${() => select(field.current.querySelector('textarea'), f.path)}>${f.path}</button>`} />`)}
      </ul></div>`}
      ${calls.length > 0 && html`<h3>${plural(calls.length, 'call')}</h3>
        <ul class="plan-calls" aria-label="calls of the plan">${calls.map((c) => html`<li key=${c.step}>
          <${Step} id=${c.step} />
          <${CallTags} of=${c} />
          <span class="mono muted plan-tool">${c.tool}</span>
        </li>`)}</ul>`}
      ${r.valid && !calls.length && html`<p class="muted">It calls nothing.</p>`}
      <${Flows} of=${flows} />
    </section>`;
}

const Step = ({ id }) => (isGiven.value && graph.value?.byId.has(id) ? html`<button type="button" class="linkish mono" title="Show the step in the graph" onClick=${() => goToNode(id)}>${id}</button>` : html`<span class="mono">${id}</span>`);

// select selects the value at a path in the text of the plan, which may be the list of steps alone.
function select(area, path) {
  const place = placeIn(area.value, path, area.value.trimStart().startsWith('[') ? 'steps' : '');
  area.focus();
  if (!place) return;
  area.setSelectionRange(...place);
  const line = area.value.slice(0, place[0]).split('\n').length - 1;
  area.scrollTop = Math.max(0, (line - 2) * parseFloat(getComputedStyle(area).lineHeight));
}
