import { html, cx } from '../lib/html.js';
import { filter, loading, loadMore, more, pick, picked, runs, setFilter } from '../state/runs.js';
import { openRun, run } from '../state/run.js';
import { project } from '../state/project.js';
import { dialog, show } from '../state/ui.js';
import { clock, duration, plural } from '../lib/format.js';
import { Button } from './Button.js';
import { Empty } from './Empty.js';
import { Status } from './Status.js';

const statuses = ['running', 'paused', 'waiting', 'finished', 'error', 'cancelled', 'interrupted'];
const spans = [['', 'any time'], ['1', 'last hour'], ['24', 'last day'], ['168', 'last week']];

export function RunList() {
  const f = filter.value;
  const filtered = f.tool || f.status || f.text || f.since;
  return html`
    <div class="filters">
      <input type="search" aria-label="text in id, arguments or failure" placeholder="Filter by text" value=${f.text} spellcheck="false" onInput=${(e) => setFilter({ text: e.currentTarget.value })} />
      <${Choice} label="tool" value=${f.tool} onChange=${(tool) => setFilter({ tool })} choices=${[['', 'all tools'], ...project.value.tools.map((t) => [t.name, t.name])]} />
      <${Choice} label="status" value=${f.status} onChange=${(status) => setFilter({ status })} choices=${[['', 'any status'], ...statuses.map((s) => [s, s === 'error' ? 'failed' : s])]} />
      <${Choice} label="time" value=${f.since} onChange=${(since) => setFilter({ since })} choices=${spans} />
    </div>
    ${!project.value.history && html`<p class="note">Runs are not recorded (history is off): they are lost when toolgraph ui ends.</p>`}
    ${picked.value.length > 0 && html`
      <div class="compare">
        <span class="muted">${picked.value.length === 1 ? 'Select a second run to compare' : '2 runs selected'}</span>
        <${Button} label="Compare" kind="primary" disabled=${picked.value.length < 2} onClick=${() => { dialog.value = { kind: 'diff', a: picked.value[0], b: picked.value[1] }; }} />
        <${Button} icon="close" only label="Clear selection" onClick=${() => { picked.value = []; }} />
      </div>`}
    ${runs.value.length
      ? html`<ul class="runs">${runs.value.map((r) => html`<${Item} key=${r.id} r=${r} />`)}</ul>`
      : html`<${Empty} title=${loading.value ? 'Loading …' : filtered ? 'No matching run' : 'No runs yet'} text=${loading.value ? '' : filtered ? 'Change the filter to see others.' : 'Runs of this file stand here, also those of hosts that it serves.'} />`}
    ${more.value && html`<button type="button" class="linkish more" onClick=${loadMore}>older runs</button>`}`;
}

const Choice = ({ label, value, choices, onChange }) => html`
  <select aria-label=${label} value=${value} onChange=${(e) => onChange(e.currentTarget.value)}>
    ${choices.map(([id, text]) => html`<option key=${id} value=${id} selected=${id === value}>${text}</option>`)}
  </select>`;

const Item = ({ r }) => html`
  <li class=${cx(run.value?.id === r.id && 'chosen')}>
    <input type="checkbox" aria-label=${`compare run ${r.id}`} title="Select for comparison" checked=${picked.value.includes(r.id)} onChange=${() => pick(r.id)} />
    <button type="button" aria-current=${run.value?.id === r.id ? 'true' : null} onClick=${() => { openRun(r.id); show('step'); }}>
      <span class="run-line"><span class="mono run-tool">${r.tool}</span><${Status} status=${r.status} /></span>
      <span class="run-line muted"><span class="mono run-args" title=${r.args}>${r.args}</span></span>
      <span class="run-line muted"><span>${clock(r.started)}</span><span>${plural(r.steps, 'step')}${r.ended ? `, ${duration(r.ms)}` : ''}</span></span>
    </button>
  </li>`;
