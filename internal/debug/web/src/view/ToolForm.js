import { html } from '../lib/html.js';
import { useEffect, useRef } from 'preact/hooks';
import { tool } from '../state/project.js';
import { begin, busy, found as wrong } from '../state/form.js';
import { draftOf, argumentsOf } from '../lib/draft.js';
import { draftNow, setDraft } from '../state/drafts.js';
import { hint } from '../state/keys.js';
import { Field } from './Field.js';
import { Button } from './Button.js';

// ToolForm makes a form of the tool's inputSchema. What the arguments must be is for
// the server to say: its findings stand by the fields.
export function ToolForm() {
  const t = tool.value;
  const form = useRef(null);
  const found = t && wrong.value.tool === t.name ? wrong.value.list : [];
  useEffect(() => form.current?.querySelector('[aria-invalid=true]')?.focus(), [wrong.value]);
  if (!t) return null;
  const draft = draftNow(t);
  const change = (next) => setDraft(t.name, next);
  const raw = draft.raw !== undefined;
  const top = found.filter((f) => raw || !f.path.length || !(f.path[0] in (t.inputSchema.properties ?? {})));
  return html`
    <form id="run-form" ref=${form} class="form" onSubmit=${(e) => { e.preventDefault(); begin(false); }} aria-label=${`arguments of ${t.name}`} novalidate>
      <div class="form-head">
        <h2>Arguments</h2>
        <label class="switch"><input type="checkbox" checked=${raw} onChange=${(e) => change(toggleRaw(t.inputSchema, draft, e.currentTarget.checked))} /> as JSON</label>
      </div>
      <${Field} schema=${t.inputSchema} draft=${draft} onChange=${change} path=${[]} found=${found} top />
      ${top.map((f) => html`<p class="wrong" role="alert">${f.message}</p>`)}
      <div class="form-end">
        <button type="submit" class="button primary" disabled=${busy.value} title=${`Run (${hint('run')})`}><span>Run</span></button>
        <${Button} id="debug-button" label="Debug" hint=${hint('debug')} disabled=${busy.value} onClick=${() => begin(true)} />
      </div>
    </form>`;
}

function toggleRaw(schema, draft, on) {
  if (!on) return draftOf(schema, draft.raw);
  const { json } = argumentsOf(schema, draft);
  return { raw: JSON.stringify(JSON.parse(json), null, 2) };
}
