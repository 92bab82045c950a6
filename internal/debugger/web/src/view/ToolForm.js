import { html } from '../lib/html.js';
import { useEffect, useRef } from 'preact/hooks';
import { formTool as tool } from '../state/project.js';
import { begin, busy, check, found as wrong, toggleRaw } from '../state/form.js';
import { describe } from '../lib/schema.js';
import { draftNow, forget, drafted, setDraft } from '../state/drafts.js';
import { hint } from '../state/keys.js';
import { Field } from './Field.js';
import { Button } from './Button.js';
import { Mocks, MocksSwitch } from './Mocks.js';
import { PlanReport } from './PlanReport.js';

// ToolForm makes a form of the tool's inputSchema. What the arguments must be is for
// the server to say: its findings are shown by the fields.
export function ToolForm() {
  const t = tool.value;
  const form = useRef(null);
  const found = t && wrong.value.tool === t.name ? wrong.value.list : [];
  useEffect(() => {
    if (wrong.value.list.length) form.current?.querySelector('[aria-invalid=true]')?.focus();
  }, [wrong.value]);
  if (!t) return null;
  const draft = draftNow(t);
  const raw = draft.raw !== undefined;
  const fields = new Set([...describe(t.inputSchema).properties.keys(), ...(draft.keys ?? []).map((k) => k.key || `(${k.id})`)]);
  const top = found.filter((f) => raw || !fields.has(f.path[0]));
  return html`
    <form id="run-form" ref=${form} class="form" key=${t.name} onSubmit=${(e) => { e.preventDefault(); begin(false); }} aria-label=${`arguments of ${t.name}`} novalidate>
      <div class="form-body">
        <div class="form-head">
          <h2 class="mono">${t.name}</h2>
          ${drafted(t) && html`<button type="button" class="linkish" title="Back to the defaults of the inputSchema" onClick=${() => forget(t)}>Reset</button>`}
          ${!t.plan && html`<label class="switch"><input type="checkbox" checked=${raw} onChange=${(e) => { if (!toggleRaw(t, e.currentTarget.checked)) e.currentTarget.checked = raw; }} /> as JSON</label>`}
        </div>
        ${(t.description || t.title) && html`<p class="muted tool-text">${t.plan ? 'Runs steps: paste what an agent sends, {"steps": […], "return": …}, or the list of steps. Check calls no tool.' : t.description || t.title}</p>`}
        <${Field} name=${t.plan && 'plan'} schema=${t.inputSchema} draft=${draft} onChange=${(next) => setDraft(t, next)} path=${[]} found=${found} top />
        ${top.map((f) => html`<p class="wrong" role="alert">${f.message}</p>`)}
        <${Mocks} tool=${t} />
        ${t.plan && html`<${PlanReport} text=${draft.raw} field=${form} />`}
      </div>
      <div class="form-end">
        ${t.plan && html`<${Button} id="check-button" label="Check" disabled=${busy.value} onClick=${check} />`}
        <button type="submit" class="button primary" disabled=${busy.value} title=${`Run (${hint('run')})`}><span>Run</span></button>
        <${Button} id="debug-button" label="Debug" hint=${hint('debug')} disabled=${busy.value} onClick=${() => begin(true)} />
        <${MocksSwitch} tool=${t} />
        ${found.length > 0 && html`<span class="wrong" role="status">${found.length === 1 ? '1 field is wrong' : `${found.length} fields are wrong`}</span>`}
      </div>
    </form>`;
}
