import { html } from '../lib/html.js';
import { control, controlled, paused, run } from '../state/run.js';
import { hint } from '../state/keys.js';
import { Button } from './Button.js';
import { Status } from './Status.js';

const why = { breakpoint: 'at a breakpoint', step: 'after a step', pause: 'paused by the user', 'run-to': 'at the target of “run to here”', start: 'before the first node' };

// Controls of the open run. They keep their places, so that nothing jumps when a run
// begins or ends.
export function Controls() {
  const r = run.value;
  const live = controlled.value;
  return html`
    <div class="controls" role="toolbar" aria-label="the open run">
      ${paused.value
        ? html`<${Button} icon="run" only kind="primary" label="Resume" hint=${hint('resume')} onClick=${() => control('resume')} />`
        : html`<${Button} icon="pause" only label="Pause" hint=${hint('resume')} disabled=${!live} onClick=${() => control('pause')} />`}
      <${Button} icon="step" only label="Step over" hint=${hint('next')} disabled=${!paused.value} onClick=${() => control('next')} />
      <${Button} icon="into" only label="Step into" hint=${hint('step')} disabled=${!paused.value} onClick=${() => control('step')} />
      <${Button} icon="out" only label="Step out" hint=${hint('out')} disabled=${!paused.value} onClick=${() => control('out')} />
      <${Button} icon="stop" only label="Stop" hint=${hint('stop')} disabled=${!live} onClick=${() => control('stop')} />
      <span class="controls-state" aria-live="polite">
        ${r ? html`<${Status} status=${r.status} /> <span class="muted wide">${paused.value ? why[r.pausedBy] ?? '' : r.status === 'waiting' ? 'for an answer' : r.tool}</span>` : html`<span class="muted wide">no run is open</span>`}
      </span>
    </div>`;
}
