import { html } from '../lib/html.js';
import { count, plural, truncate } from '../lib/format.js';
import { Button } from '../view/Button.js';
import { CallTags, Flows } from '../view/PlanParts.js';
import { can, check, checking, input, report, state } from './call.js';

const ARGS = 600; // letters of the arguments of a call
const CALLS = 100;

// callsIn are the calls among the steps of a plan, those in blocks included: { id, call, args, notes }.
function callsIn(steps, prefix = '') {
  return (Array.isArray(steps) ? steps : []).filter((s) => s && typeof s === 'object').flatMap((s) => {
    const id = prefix + String(s.id ?? '');
    const notes = [s.if !== undefined && `if ${textOf(s.if)}`, s.each !== undefined && `for each of ${textOf(s.each)}`].filter(Boolean);
    const own = typeof s.call === 'string' ? [{ id, call: s.call, args: s.args, notes }] : [];
    return [...own, ...callsIn(s.steps, `${id}.`)];
  });
}

const textOf = (v) => (typeof v === 'string' ? v : JSON.stringify(v) ?? '');

// Calls are those of a plan, as it was sent; after a check, with what each does.
export function Calls() {
  const calls = callsIn(input.value?.steps);
  const r = report.value;
  const known = new Map((r?.calls ?? []).map((c) => [c.step, c]));
  const open = ['waits', 'runs'].includes(state.value);
  return html`
    <details class="calls" open=${open || null}>
      <summary><h2>${plural(calls.length, 'call')} of the plan</h2></summary>
      ${open && html`<p class="note">${state.value === 'runs' && 'The plan was sent. '}What needs your agreement is asked by this application, in its own dialog; here is what is about to happen.</p>`}
      ${!calls.length && html`<p class="muted">It calls nothing.</p>`}
      <ol class="plan-calls" aria-label="calls of the plan">
        ${calls.slice(0, CALLS).map((c) => html`<li key=${c.id}>
          <span><span class="mono">${c.id}</span> <span class="mono muted">${c.call}</span></span>
          ${known.has(c.id) && html`<${CallTags} of=${known.get(c.id)} />`}
          ${c.notes.map((n) => html`<span class="plan-tool muted mono">${truncate(n, 200)}</span>`)}
          ${c.args !== undefined && html`<pre class="plan-tool">${truncate(JSON.stringify(c.args, null, 1), ARGS)}</pre>`}
        </li>`)}
      </ol>
      ${calls.length > CALLS && html`<p class="muted">and ${count(calls.length - CALLS)} more</p>`}
      ${r?.failed && html`<p class="wrong" role="alert">${r.failed}</p>`}
      ${r?.findings?.length > 0 && html`<ul class="found" aria-label="findings in the plan">${r.findings.map((f, i) => html`<li key=${i} class="wrong"><span class="mono">${f.path}</span> ${f.message}</li>`)}</ul>`}
      <${Flows} of=${r?.flows ?? []} />
      ${!r && can.value.serverTools && calls.length > 0 && html`<${Button} label=${checking.value ? 'Checking …' : 'Check what they do'} disabled=${checking.value} onClick=${check} />`}
    </details>`;
}
