import { html } from '../lib/html.js';
import { control, controlled, foreign, heldParts, paused, pausing, run } from '../state/run.js';
import { hint } from '../state/keys.js';
import { BreakpointsButton } from './BreakpointsDialog.js';
import { Button } from './Button.js';
import { Elapsed } from './Elapsed.js';
import { Status } from './Status.js';

const why = { breakpoint: 'at a breakpoint', step: 'after a step', pause: 'paused by the user', 'run-to': 'at the target of “run to here”', start: 'before the first node', beside: 'beside another paused part' };

// Doing says what the run does or waits for.
function Doing({ run: r }) {
  if (r.status === 'paused') return [why[r.pausedBy], r.held?.length > 1 && `${r.held.length} parts`].filter(Boolean).join(', ');
  if (r.status === 'waiting') return r.live ? 'for an answer' : 'for an answer, in another process';
  if (r.pausing && r.status === 'running') return r.next?.server ? 'pausing after this call' : 'pausing after this step';
  if (r.status === 'running' && r.next?.server) {
    return html`calls <span class="mono">${r.next.server}.${r.next.tool}</span>, <${Elapsed} since=${Date.parse(r.started) + (r.next.start ?? 0)} />`;
  }
  if (r.status === 'running') return html`${r.live ? r.tool : 'in another process'}, <${Elapsed} since=${Date.parse(r.started)} />`;
  if (r.status === 'error' && r.error) return html`<span class="reason" title=${r.error.message}>${r.error.message.split('\n')[0]}</span>`;
  return r.tool;
}

// Controls of the open run. They keep their places, so that nothing jumps when a run
// begins or ends.
export function Controls() {
  const r = run.value;
  const live = controlled.value;
  return html`
    <div class="controls" role="toolbar" aria-label="the open run">
      ${paused.value
        ? html`<${Button} icon="run" only kind="primary" label=${heldParts.value.length ? 'Resume all parts' : 'Resume'} hint=${hint('resume')} onClick=${() => control('resume')} />`
        : pausing.value
          ? html`<${Button} icon="run" only label="Continue: do not pause" hint=${hint('resume')} onClick=${() => control('resume')} />`
          : html`<${Button} icon="pause" only label="Pause" hint=${hint('resume')} disabled=${!live} onClick=${() => control('pause')} />`}
      <${Button} icon="step" only label="Step over" hint=${hint('next')} disabled=${!paused.value} onClick=${() => control('next')} />
      <${Button} icon="into" only label="Step into" hint=${hint('step')} disabled=${!paused.value} onClick=${() => control('step')} />
      <${Button} icon="out" only label="Step out" hint=${hint('out')} disabled=${!paused.value} onClick=${() => control('out')} />
      <${Button} icon="stop" only label=${foreign.value ? 'Cancel this run, which this page has not started' : 'Stop'} hint=${hint('stop')} disabled=${!live && !foreign.value} onClick=${() => control('stop')} />
      <${BreakpointsButton} />
      <span class="controls-state" aria-live="polite">
        ${r ? html`<${Status} status=${r.status} /> <span class="muted doing"><${Doing} run=${r} /></span>` : html`<span class="muted wide">no run is open</span>`}
      </span>
    </div>`;
}
