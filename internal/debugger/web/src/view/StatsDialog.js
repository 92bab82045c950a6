import { html } from '../lib/html.js';
import { bytes, count, duration, plural } from '../lib/format.js';
import { useLoaded } from '../lib/load.js';
import { gapless, savedTitle } from '../lib/usage.js';
import { openRun } from '../state/run.js';
import { filter, statsOf } from '../state/runs.js';
import { Dialog, closeDialog } from './Dialog.js';
import { Empty } from './Empty.js';

const MOST = 60; // days of the chart
const HEIGHT = 96;
const STEP = 12; // from one bar to the next

// StatsDialog shows what the runs have used, by tool and by day: those of the tool and the time of the filter.
export function StatsDialog() {
  const { tool, time } = filter.value;
  const { value: s, error } = useLoaded(`${tool} ${time}`, statsOf);
  return html`
    <${Dialog} title="What the runs have used" wide>
      ${error ? html`<${Empty} title="There are no figures" text=${error.message} />` : !s ? html`<${Empty} title="Adding …" />` : s.total.runs === 0 ? html`<${Empty} title="No run has ended" text="The filter of the list chooses the tool and the time." />` : html`<${Figures} s=${s} tool=${tool} />`}
    </${Dialog}>`;
}

function Figures({ s, tool }) {
  const t = s.total;
  const open = (id) => {
    closeDialog();
    openRun(id);
  };
  return html`
    <p>${plural(t.runs, 'run')}${tool && html` of <span class="mono">${tool}</span>`}, ${count(t.failures)} failed: ${plural(t.calls, 'call')}, ${bytes(t.bytesIn)} from servers, ${bytes(t.bytesOut)} to clients, about <strong>${count(t.tokensSaved)} tokens saved</strong> (${savedTitle}).
      ${t.unknown > 0 && html` <span class="muted">What ${plural(t.unknown, 'run')} of an earlier version has used is unknown.</span>`}</p>
    <section><h3 id="stats-days">Days</h3>
      <${Chart} groups=${s.groups.day} />
      <${Table} first="day" groups=${[...s.groups.day].reverse()} by="stats-days" id="stats-table" />
    </section>
    <section><h3 id="stats-tools">Tools</h3><${Table} first="tool" groups=${s.groups.tool} by="stats-tools" /></section>
    <section><h3>Slowest runs</h3>
      <ol class="stats-slow">${s.slowest.map((r) => html`<li key=${r.run}><button type="button" class="linkish mono" onClick=${() => open(r.run)}>${r.run.slice(0, 8)}</button> <span class="mono">${r.tool}</span>, ${duration(r.duration)}</li>`)}</ol>
    </section>
    ${s.chains.length > 0 && html`<section><h3>Most repeated chains of calls</h3>
      <ol class="stats-slow">${s.chains.map((c) => html`<li key=${c.chain.join()}>${plural(c.runs, 'run')}: <span class="mono">${c.chain.join(' → ')}</span></li>`)}</ol>
    </section>`}`;
}

// Chart has a bar for each day, as high as the tokens that its runs have saved; the table below says the same.
function Chart({ groups }) {
  const days = gapless(groups, MOST);
  const top = Math.max(1, ...days.map((d) => d.tokensSaved));
  const width = Math.max(1, days.length) * STEP;
  const label = `estimated tokens saved a day, ${days[0].name} to ${days.at(-1).name}; at most ${count(top)}`;
  return html`
    <figure class="stats-chart">
      <svg role="img" aria-label=${label} aria-describedby="stats-table" viewBox=${`0 0 ${width} ${HEIGHT}`} width=${width} height=${HEIGHT}>
        ${days.map((d, i) => {
          const high = Math.max(d.runs ? 1 : 0, Math.round((HEIGHT * d.tokensSaved) / top));
          return html`<rect key=${d.name} x=${i * STEP + 1} y=${HEIGHT - high} width=${STEP - 2} height=${high}><title>${`${d.name}: ≈ ${count(d.tokensSaved)} tokens saved, ${plural(d.runs, 'run')}`}</title></rect>`;
        })}
      </svg>
      <figcaption class="muted">${label}</figcaption>
    </figure>`;
}

const Table = ({ first, groups, by, id }) => html`
  <div class="scroll" tabindex="0" role="region" aria-labelledby=${by}><table class="stats" id=${id} aria-labelledby=${by}>
    <thead><tr>${[first, 'runs', 'failed', 'calls', 'bytes in', 'bytes out', 'tokens saved (est.)', 'p50', 'p95'].map((name) => html`<th scope="col" key=${name}>${name}</th>`)}</tr></thead>
    <tbody>${groups.map((g) => html`<tr key=${g.name}><th scope="row" class="mono">${g.name}</th>
      ${[g.runs, g.failures, g.calls].map((n) => html`<td>${count(n)}</td>`)}<td>${bytes(g.bytesIn)}</td><td>${bytes(g.bytesOut)}</td><td>${count(g.tokensSaved)}</td><td>${duration(g.p50)}</td><td>${duration(g.p95)}</td></tr>`)}
    </tbody>
  </table></div>`;
