import { html, cx } from '../lib/html.js';
import { useEffect, useRef } from 'preact/hooks';
import { clearFilter, filter, filtered, loading, loadMore, more, pick, picked, runs, setFilter, spans } from '../state/runs.js';
import { run, showRun } from '../state/run.js';
import { project } from '../state/project.js';
import { closeCompare } from '../state/compare.js';
import { dialog, show } from '../state/ui.js';
import { saved, savedTitle, usage } from '../lib/usage.js';
import { wordOf } from '../lib/status.js';
import { Button } from './Button.js';
import { Empty } from './Empty.js';
import { RunLines } from './RunLines.js';

const statuses = ['running', 'paused', 'waiting', 'finished', 'error', 'cancelled', 'interrupted'];

export function RunList() {
  const chosen = run.value?.id;
  const list = useRef(null);
  useEffect(() => list.current?.querySelector('.chosen')?.scrollIntoView({ block: 'nearest' }), [chosen, loading.value]);
  return html`
    <${Filters} />
    ${!project.value.history && html`<p class="note">Runs are not recorded (history is off): they are lost when toolgraph ui ends.</p>`}
    ${project.value.history && html`<button type="button" class="linkish stats-open" onClick=${() => { dialog.value = { kind: 'stats' }; }}>What the runs have used</button> <button type="button" class="linkish stats-open" onClick=${() => { dialog.value = { kind: 'suggest' }; }}>What is done again and again</button>`}
    ${picked.value.length > 0 && html`
      <div class="compare">
        <span class="muted">${picked.value.length === 1 ? 'Select a second run to compare' : '2 runs are compared'}</span>
        <${Button} icon="close" only label="Clear selection" onClick=${() => { picked.value = []; closeCompare(); }} />
      </div>`}
    ${runs.value.length
      ? html`<ul class="runs" ref=${list} aria-label="runs, the newest first">${runs.value.map((r) => html`<${Item} key=${r.id} r=${r} chosen=${r.id === chosen} />`)}</ul>`
      : html`<${Empty} title=${loading.value ? 'Loading …' : filtered.value ? 'No matching run' : 'No runs yet'}
          text=${loading.value ? '' : filtered.value ? 'Change the filter to see others.' : 'Runs of this file stand here, also those of hosts that it serves.'}>
          ${filtered.value && !loading.value && html`<${Button} label="Show all runs" onClick=${clearFilter} />`}</${Empty}>`}
    ${more.value && html`<button type="button" class="linkish more" onClick=${loadMore}>older runs</button>`}`;
}

function Filters() {
  const f = filter.value;
  return html`
    <div class="filters" role="search" aria-label="runs">
      <input type="search" aria-label="text in id, tool, arguments or failure" placeholder="Find by argument, tool, failure" value=${f.text} spellcheck=${false} onInput=${(e) => setFilter({ text: e.currentTarget.value })} />
      <div class="chips" role="group" aria-label="time">
        ${Object.entries(spans).map(([id, [text]]) => html`
          <button type="button" key=${id} class="chip" aria-pressed=${String(f.time === id)} onClick=${() => setFilter({ time: f.time === id ? '' : id })}>${text}</button>`)}
      </div>
      ${f.time === 'range' && html`
        <label class="span">from <input type="datetime-local" step="1" value=${f.from} onInput=${(e) => setFilter({ from: e.currentTarget.value })} /></label>
        <label class="span">to <input type="datetime-local" step="1" value=${f.until} onInput=${(e) => setFilter({ until: e.currentTarget.value })} /></label>`}
      <${Choice} label="tool" value=${f.tool} onChange=${(tool) => setFilter({ tool })} choices=${[['', 'all tools'], ...project.value.tools.map((t) => [t.name, t.name])]} />
      <${Choice} label="status" value=${f.status} onChange=${(status) => setFilter({ status })} choices=${[['', 'any status'], ...statuses.map((s) => [s, wordOf(s)])]} />
      ${filtered.value && html`<button type="button" class="linkish clear" onClick=${clearFilter}>Clear the filter</button>`}
    </div>`;
}

const Choice = ({ label, value, choices, onChange }) => html`
  <select aria-label=${label} value=${value} onChange=${(e) => onChange(e.currentTarget.value)}>
    ${choices.map(([id, text]) => html`<option key=${id} value=${id} selected=${id === value}>${text}</option>`)}
  </select>`;

const Item = ({ r, chosen }) => html`
  <li class=${cx(chosen && 'chosen', r.status)}>
    <label class="pick" title="Select for comparison"><input type="checkbox" aria-label=${`compare run ${r.id}`} checked=${picked.value.includes(r.id)} onChange=${() => pick(r.id)} /></label>
    <button type="button" aria-current=${chosen ? 'true' : null} onClick=${() => { showRun(r.id); show('step'); }}>
      <${RunLines} r=${r}>
        ${r.forkedFrom && html`<span class="run-line muted"><span class="run-args" title=${`forked from ${r.forkedFrom}`}>forked from <span class="mono">${r.forkedFrom}</span></span></span>`}
      </${RunLines}>
      ${r.usage?.calls > 0 && html`<span class="run-line muted"><span>${usage(r.usage)}</span>${r.usage.tokensSaved > 0 && html`<span title=${savedTitle}>${saved(r.usage.tokensSaved)}</span>`}</span>`}
    </button>
  </li>`;
