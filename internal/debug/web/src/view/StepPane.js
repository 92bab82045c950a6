import { html } from '../lib/html.js';
import { get, seg } from '../lib/api.js';
import { useLoaded } from '../lib/load.js';
import { at, controlled, nodeAt, own, path, paused, run, selected, showOwn, total } from '../state/run.js';
import { bytes, clock, duration } from '../lib/format.js';
import { dialog, inspector } from '../state/ui.js';
import { revealLine } from '../state/sourceview.js';
import { Button } from './Button.js';
import { Empty } from './Empty.js';
import { Expression } from './Expression.js';
import { Failure } from './Failure.js';
import { NodeActions, NodePane } from './NodePane.js';
import { ResultPane } from './ResultPane.js';
import { ValueBox } from './ValueBox.js';

const EDITABLE = 1e6; // bytes; more is no text to type in

// StepPane shows the step under inspection: what it evaluated, what
// that read, and its output. At the end of a run it shows how the run ended.
export function StepPane() {
  const r = run.value;
  const n = at.value;
  const pending = n >= total.value;
  const ended = r && pending && !['running', 'paused', 'not_started'].includes(r.status);
  const key = r && !ended && (!pending || r.next) ? `${r.id} ${n} ${pending}` : null;
  const { value: step, error } = useLoaded(key, () => get(`runs/${seg(r.id)}/steps/${n}`), pending && r?.status === 'running');
  if (selected.value) return html`<${NodePane} id=${selected.value} />`;
  if (!r) return html`<${Empty} title="Nothing to inspect" text="Run a tool, or open a recorded run, and select one of its steps." />`;
  if (ended) return html`<${ResultPane} run=${r} />`;
  if (key === null || (pending && r.status === 'running' && step?.index !== n)) return html`<${Empty} title="Running …" text="Pause the run to inspect the current step." />`;
  if (error && !pending) return html`<${Empty} title="This step cannot be shown" text=${error.message} />`;
  if (!step) return html`<${Empty} title="Loading …" />`;
  return html`<${Details} r=${r} step=${step} pending=${step.pending} />`;
}

function Details({ r, step, pending }) {
  const latest = !pending && step.output?.bytes <= EDITABLE && controlled.value && paused.value && isLatest(step);
  const toFile = (line) => {
    inspector.value = 'source';
    revealLine(line);
  };
  return html`
    <div class="step-head">
      <span class=${`kind ${step.type}`} aria-hidden="true"></span>
      <h2 class="mono">${step.node}</h2>
      <span class="muted">${pending ? 'about to run' : `step ${step.index}`}</span>
    </div>
    ${own.value && html`<${NodeActions} id=${step.node} />`}
    <dl class="facts">
      <div><dt>kind</dt><dd>${step.type}${step.server && html` · <span class="mono">${step.server}.${step.tool}</span>`}</dd></div>
      ${!pending && html`<div><dt>took</dt><dd>${duration(step.ms)} <span class="muted">at ${clock(step.start)}</span></dd></div>`}
      ${step.bytes > 0 && html`<div><dt>size</dt><dd>${bytes(step.bytes)}</dd></div>`}
      ${step.line > 0 && html`<div><dt>place</dt><dd><button type="button" class="linkish" onClick=${() => toFile(step.line)}>line ${step.line}</button></dd></div>`}
      ${step.edited && html`<div><dt>edited</dt><dd>in the debugger, while the run was paused</dd></div>`}
    </dl>
    ${pending && r.problem && html`<p class="wrong">${r.problem}</p>`}
    ${!own.value && html`<p class="note">A step of <span class="mono">${r.tool}</span>. <button type="button" class="linkish" onClick=${showOwn}>Show its graph</button></p>`}
    ${step.changed && html`<p class="note">The graph has changed since this run, so its expressions are not shown.</p>`}
    ${step.error && html`<${Failure} error=${step.error} onPlace=${toFile} />`}
    ${step.expressions.map((e, i) => html`<${Expression} key=${`${step.index} ${i}`} expression=${e} onPlace=${toFile} />`)}
    ${step.input && html`<${ValueBox} title="Arguments of the call" run=${r.id} of="input" at=${step.index} level=${step.input} />`}
    ${step.inputError && html`<p class="wrong">${step.inputError}</p>`}
    ${step.output && html`
      <${ValueBox} title="Output" run=${r.id} of="output" at=${step.index} level=${step.output}>
        ${latest && html`<${Button} icon="edit" label="Edit" onClick=${() => { dialog.value = { kind: 'edit', node: step.node, at: step.index }; }} />`}
      </${ValueBox}>`}`;
}

// isLatest: only the latest output of a node can be edited.
function isLatest(step) {
  for (let i = path.value.steps.length - 1; i > step.index; i--) if (nodeAt(i) === step.node) return false;
  return true;
}
