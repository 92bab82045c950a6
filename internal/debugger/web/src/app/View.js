import { html, cx } from '../lib/html.js';
import { nodeText } from '../lib/address.js';
import { duration, plural, truncate } from '../lib/format.js';
import { graph, isGiven } from '../state/project.js';
import { at, nodeAt, part, path, position, run, selected } from '../state/run.js';
import { partAt, rowsOf, stepAt, version } from '../state/steps.js';
import { latest } from '../state/latest.js';
import { Button } from '../view/Button.js';
import { Failure } from '../view/Failure.js';
import { GraphPane } from '../view/GraphPane.js';
import { Status } from '../view/Status.js';
import { List } from '../view/Timeline.js';
import { about, enlarge, input, isPlan, said, state, tool, values } from './call.js';
import { Calls } from './Calls.js';

const [LEAST, MOST] = [170, 420]; // pixels of the graph
const LARGE = 0.6; // of the screen, when the view has the whole of it: the frame's own size follows that of the graph
const ROW = 30;
const ROWS = 8;

// View is one call: what is about to run, then what ran.
export function View() {
  const r = run.value;
  const { name, title } = tool();
  return html`
    <main class=${cx('view', !values.value && 'plain')}>
      <header>
        <h1>${title || name || r?.tool || 'Tool'}</h1>
        <${Head} run=${r} />
        ${about.value.availableDisplayModes?.includes('fullscreen') && html`<${Button} icon="fit" only label=${about.value.displayMode === 'fullscreen' ? 'Smaller' : 'Full screen'} onClick=${enlarge} />`}
      </header>
      ${isPlan() && input.value && html`<${Calls} />`}
      ${!isPlan() && !r && state.value === 'runs' && html`<${Arguments} />`}
      ${said.value && html`<${Said} />`}
      ${r?.error && html`<${Failure} error=${{ ...r.error, line: 0 }} />`}
      ${graph.value && html`<div class="pane" style=${{ height: `${heightOf(graph.value)}px` }}><${GraphPane} /></div>`}
      ${r && graph.value && html`<${Chosen} /><${Steps} run=${r} />`}
      ${r && !graph.value && html`<p class="note">The run is too large to be drawn here. See it with toolgraph ui.</p>`}
    </main>`;
}

// heightOf is as high as the graph needs, up to some.
function heightOf(g) {
  if (about.value.displayMode === 'fullscreen') return Math.max(MOST, Math.round(screen.availHeight * LARGE));
  return Math.round(Math.min(MOST, Math.max(LEAST, g.height + 84)));
}

// Head says how far the call is.
function Head({ run: r }) {
  if (r) {
    return html`<p role="status"><${Status} status=${r.status} /> <span class="muted">${[duration(r.ms), r.usage && plural(r.usage.calls, 'call')].filter(Boolean).join(', ')}</span></p>`;
  }
  if (isGiven.value && !said.value?.failed) return html`<p role="status" class="muted">checked, not run</p>`;
  const status = { runs: 'running', ended: said.value?.failed ? 'error' : 'finished', cancelled: 'cancelled' }[state.value];
  return html`<p role="status">${status ? html`<${Status} status=${status} />` : html`<span class="muted">${state.value === 'lost' ? 'This document is shown by an MCP host.' : 'waits for the call'}</span>`}</p>`;
}

const Arguments = () => html`<section aria-label="arguments"><h2>Arguments</h2><pre class="code" tabindex="0">${truncate(JSON.stringify(input.value, null, 1) ?? '', 1000)}</pre></section>`;

const Said = () => said.value.text && html`<section aria-label="result"><h2>Result</h2><pre class=${cx('code', said.value.failed && 'wrong')} tabindex="0">${said.value.text}</pre></section>`;

// Chosen is the step or node under inspection, in words.
function Chosen() {
  void version.value;
  const r = run.value;
  const index = at.value;
  const node = selected.value || nodeAt(index) || '';
  const whole = position.value === null && !part.value && !selected.value;
  if (whole) return html`<p class="chosen muted">Choose a node or a step to see how it ended${values.value && ', and what it gave'}.</p>`;
  const step = selected.value ? latest.value[node] : part.value ? partOf(r, index, part.value) ?? latest.value[node] : stepAt(r.id, '', index, path.value.steps.length);
  const text = step?.error || step?.preview || '';
  const took = step?.ms === undefined ? '' : duration(step.ms);
  return html`
    <section class="chosen" aria-label="chosen step" aria-live="polite">
      <h2><span class="mono">${nodeText(node, part.value)}</span> <span class="muted">${step?.skipped ? 'not run' : step && !selected.value ? took : 'not run'}</span></h2>
      <p class="muted">${step?.error ? 'It failed' : step && !step.skipped && !selected.value && 'It ended'}${step?.attempts > 1 && ` after ${step.attempts} attempts`}</p>
      ${values.value && text && !step.skipped && html`<pre class=${cx('code', step.error && 'wrong')} tabindex="0">${text}</pre>`}
    </section>`;
}

// partOf is a part of a step, where its list has come.
function partOf(r, index, piece) {
  const cut = piece.search(/[.@][^.@]*$/);
  const of = cut < 0 ? String(index) : `${index}.${piece.slice(0, cut)}`;
  for (let n = 0; n < 100; n++) {
    const found = partAt(r, of, n);
    if (!found) return undefined;
    if (found.part === piece) return found;
  }
  return undefined;
}

// Steps are listed in a pane of as many rows as there are, up to some.
function Steps({ run: r }) {
  void version.value;
  const rows = rowsOf(r, '', path.value.steps.length, path.value.open).size;
  return html`
    <section class="timeline" aria-label="steps" style=${{ height: `${Math.max(2, Math.min(ROWS, rows)) * ROW + 52}px` }}>
      <div class="timeline-head"><h2>Steps</h2></div>
      <${List} run=${r} />
    </section>`;
}
