import { html } from '../lib/html.js';
import { useEffect, useRef, useState } from 'preact/hooks';
import { tool } from '../state/project.js';
import { startRun } from '../state/run.js';
import { draftOf, argumentsOf } from '../lib/draft.js';
import { drafts, setDraft } from '../state/drafts.js';
import { notify } from '../state/ui.js';
import { Field } from './Field.js';
import { Button } from './Button.js';

// ToolForm makes a form of the tool's inputSchema. What the arguments must be is for
// the server to say: its findings stand by the fields.
export function ToolForm() {
  const t = tool.value;
  const [found, setFound] = useState([]);
  const [busy, setBusy] = useState(false);
  const form = useRef(null);
  useEffect(() => setFound([]), [t]);
  useEffect(() => form.current?.querySelector('[aria-invalid=true]')?.focus(), [found]);
  if (!t) return null;
  const draft = drafts.value[t.name] ?? draftOf(t.inputSchema);
  const change = (next) => setDraft(t.name, next);

  const start = async (debug) => {
    const { json, errors } = argumentsOf(t.inputSchema, draft);
    setFound(errors);
    if (errors.length) return;
    setBusy(true);
    try {
      await startRun(json, { debug });
    } catch (error) {
      const fields = error.more?.fields ?? [];
      setFound(fields);
      if (!fields.length) notify(error.message, error.hint);
    } finally {
      setBusy(false);
    }
  };
  const raw = draft.raw !== undefined;
  const top = found.filter((f) => raw || !f.path.length || !(f.path[0] in (t.inputSchema.properties ?? {})));
  return html`
    <form id="run-form" ref=${form} class="form" onSubmit=${(e) => { e.preventDefault(); start(false); }} aria-label=${`arguments of ${t.name}`} novalidate>
      <div class="form-head">
        <h2>Arguments</h2>
        <label class="switch"><input type="checkbox" checked=${raw} onChange=${(e) => change(toggleRaw(t.inputSchema, draft, e.currentTarget.checked))} /> as JSON</label>
      </div>
      <${Field} schema=${t.inputSchema} draft=${draft} onChange=${change} path=${[]} found=${found} top />
      ${top.map((f) => html`<p class="wrong" role="alert">${f.message}</p>`)}
      <div class="form-end">
        <button type="submit" class="button primary" disabled=${busy} title="Run (F5)"><span>Run</span></button>
        <${Button} id="debug-button" label="Debug" hint="F8" disabled=${busy} onClick=${() => start(true)} />
      </div>
    </form>`;
}

function toggleRaw(schema, draft, on) {
  if (!on) return draftOf(schema, draft.raw);
  const { json } = argumentsOf(schema, draft);
  return { raw: JSON.stringify(JSON.parse(json), null, 2) };
}
