import { html } from '../lib/html.js';
import { clock, duration, plural } from '../lib/format.js';
import { runs as isRunning } from '../state/run.js';
import { Elapsed } from './Elapsed.js';
import { Status } from './Status.js';

// Took is how long a run took, or has been running; of an interrupted one it is not known.
const Took = ({ r }) => (isRunning(r) ? html` · <${Elapsed} since=${Date.parse(r.started)} />` : r.ended && ` · ${duration(r.ms)}`);

// RunLines name a run, wherever it is listed; what is between stands above its time.
export const RunLines = ({ r, children }) => html`
  <span class="run-line"><span class="mono run-tool">${r.tool}</span>${r.mocked && html`<span class="badge">with mocks</span>`}<${Status} status=${r.status} /></span>
  <span class="run-line muted"><span class="mono run-args" title=${r.args}>${r.args}</span></span>
  ${r.error && r.status !== 'cancelled' && html`<span class="run-line"><span class="run-reason" title=${r.error.message}>${r.error.message.split('\n')[0]}</span></span>`}
  ${children}
  <span class="run-line muted"><span><time datetime=${r.started}>${clock(r.started)}</time></span><span>${plural(r.steps, 'step')}<${Took} r=${r} /></span></span>`;
