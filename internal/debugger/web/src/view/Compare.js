import { html, cx } from '../lib/html.js';
import { useEffect } from 'preact/hooks';
import { get } from '../lib/api.js';
import { addressOf, nameOf, nodeText, split } from '../lib/address.js';
import { common, lengthOf } from '../lib/axis.js';
import { count, duration, plural } from '../lib/format.js';
import { useLoaded } from '../lib/load.js';
import { closeCompare } from '../state/compare.js';
import { openRun } from '../state/run.js';
import { axisIn } from '../state/timeview.js';
import { dialog, show } from '../state/ui.js';
import { Button } from './Button.js';
import { Empty } from './Empty.js';
import { Lanes } from './Lanes.js';
import { RunLines } from './RunLines.js';
import { Zoomed } from './TimeHead.js';

const NODES = 12; // in the table before the rest is asked for

// Compare shows two runs on one axis, where they diverge, the values that differ there, and where the time went.
export function Compare({ ids: [a, b] }) {
  const { value: d, error } = useLoaded(`${a} ${b}`, () => get('diff', { a, b }));
  useEffect(() => {
    const keys = (e) => e.key === 'Escape' && !dialog.value && !e.target.closest?.('input, textarea, select, .question') && closeCompare();
    addEventListener('keydown', keys);
    return () => removeEventListener('keydown', keys);
  }, []);
  return html`
    <section class="compared" aria-label="two runs compared">
      <div class="compared-head"><h2>How two runs differ</h2><${Button} icon="close" label="Close" onClick=${closeCompare} /></div>
      ${error ? html`<${Empty} title="They cannot be compared" text=${error.message} />` : !d ? html`<${Empty} title="Comparing …" />` : html`<${Found} d=${d} ids=${[a, b]} />`}
    </section>`;
}

const names = ['first', 'second'];

async function openAt(run, at) {
  const { frame, index, part } = at ? split(at) : {};
  await openRun(run, index ?? null, frame, part);
  show('step');
}

function Found({ d, ids }) {
  const away = common(...d.idle);
  const axis = axisIn({ from: 0, to: Math.max(...d.runs.map((r) => r.ms), 1e-3) }, away);
  const first = d.first && addressOf(d.first.frame, d.first.index, d.first.part);
  return html`
    <div class="compared-runs">${d.runs.map((r, i) => html`
      <article key=${r.id} aria-label=${`the ${names[i]} run`}>
        <h3>The ${names[i]}</h3>
        <button type="button" class="compared-run" title=${`open run ${r.id}`} onClick=${() => openAt(r.id)}><${RunLines} r=${r} /></button>
      </article>`)}</div>
    <p class="verdict"><${Verdict} d=${d} ids=${ids} first=${first} /></p>
    <section class="compared-time" aria-label="both over time">
      <div class="compared-head"><h3>Both over time</h3><${Zoomed} away=${lengthOf(away)} /></div>
      ${d.runs.map((r, i) => html`<${Lanes} key=${r.id} run=${r} frame="" axis=${axis} label=${`the ${names[i]} run over time`} lit=${first} open=${(at) => openAt(r.id, at)} quiet />`)}
    </section>
    <${Slower} d=${d} />
    ${[['Arguments', d.args], ['The step at which they diverge', d.first?.changes], ['Result', d.result]].map(([title, changes]) => changes?.length > 0 && html`
      <${Section} key=${title} title=${title}>${changes.map((c) => html`<tr key=${c.path}><th scope="row" class="mono">${c.path || 'value'}</th><td class="mono">${c.old ?? (c.path ? '–' : 'nothing')}</td><td class="mono">${c.new ?? (c.path ? '–' : 'nothing')}</td></tr>`)}</${Section}>`)}
    ${d.differing > 0 && html`
      <${Section} title="Steps that differ" said=${`${plural(d.differing, 'step')} of ${count(d.steps[0])} and ${count(d.steps[1])}${d.differing > d.rows.length ? `; the first ${d.rows.length}` : ''}`}>
        ${d.rows.map((r) => html`<${Differs} key=${addressOf(r.frame, r.index, r.part)} r=${r} ids=${ids} />`)}</${Section}>`}`;
}

// Verdict says in one sentence where they diverge.
function Verdict({ d, ids, first }) {
  if (d.same) return `They are the same: both took ${plural(d.steps[0], 'step')}, with the same values.`;
  if (!d.first) return d.args?.length ? 'Only their arguments differ.' : 'Their steps are the same; they ended differently.';
  const [a, b] = d.first.nodes.map((node) => nodeText(node || 'the end'));
  return html`They diverge at step ${first}: <span class="mono">${a}</span>${a !== b && html` and <span class="mono">${b}</span>`}. ${' '}
    <button type="button" class="linkish" onClick=${() => openAt(ids[0], first)}>in the first</button> · <button type="button" class="linkish" onClick=${() => openAt(ids[1], first)}>in the second</button>`;
}

const Section = ({ title, said, children }) => html`
  <section><h3>${title}</h3>${said && html`<p class="muted">${said}</p>`}
    <div class="scroll" tabindex="0" role="region" aria-label=${title}><table class="changes"><thead><tr><th scope="col">where</th>${names.map((name) => html`<th scope="col" key=${name}>${name}</th>`)}</tr></thead><tbody>${children}</tbody></table></div>
  </section>`;

const Differs = ({ r, ids }) => {
  const at = addressOf(r.frame, r.index, r.part);
  return html`<tr><th scope="row">${at}</th>${r.nodes.map((node, i) => html`<td>${node ? html`<button type="button" class="linkish mono" onClick=${() => openAt(ids[i], at)}>${nodeText(node)}</button>` : '–'}<br /><span class="mono muted">${r.previews[i]}</span></td>`)}</tr>`;
};

const signed = (ms) => (ms === 0 ? '0' : `${ms > 0 ? '+' : '−'}${duration(Math.abs(ms))}`);
const LITTLE = 0.05; // of the difference, below which a node is not named

// whySlower says what made one of the runs slower, or that nothing did.
export function whySlower({ runs, times, idle }) {
  const more = runs[1].ms - runs[0].ms;
  if (Math.abs(more) < 0.02 * Math.max(runs[0].ms, runs[1].ms)) return 'Both took about as long.';
  const [slow, fast] = more > 0 ? [1, 0] : [0, 1];
  const [idleFirst, idleSecond] = idle.map(lengthOf);
  const idleMore = more > 0 ? idleSecond - idleFirst : idleFirst - idleSecond;
  const reasons = times.flatMap((pair) => {
    const waited = pair[slow].waited - pair[fast].waited;
    const worked = pair[slow].took - pair[fast].took - waited;
    return [[worked, 'working'], [waited, 'waiting for an answer']].map(([ms, how]) => ({ ms, text: `${nameOf(pair[0])} ${duration(ms)} longer, ${how}` }));
  }).filter(({ ms }) => ms > LITTLE * Math.abs(more)).sort((x, y) => y.ms - x.ms).slice(0, 3);
  return `The ${names[slow]} took ${duration(Math.abs(more))} longer${reasons.length ? `: ${reasons.map(({ text }) => text).join('; ')}` : `; no node explains it${idleMore > LITTLE * Math.abs(more) ? `: nothing ran in it for ${duration(idleMore)} longer, since it was held or interrupted` : ''}`}.`;
}

function Slower({ d }) {
  const rows = d.times.filter(([a, b]) => a.took || b.took);
  const most = Math.max(...rows.map(([a, b]) => Math.abs(b.took - a.took)), 1e-3);
  const table = (list) => html`
    <div class="scroll" tabindex="0" role="region" aria-label="time by node, in both"><table class="slower-by">
      <thead><tr><th scope="col" rowspan="2">node</th>${names.map((name) => html`<th scope="colgroup" colspan="3" key=${name}>${name}</th>`)}<th scope="col" rowspan="2">second − first</th></tr>
        <tr>${[0, 1].flatMap((i) => ['ran', 'took', 'waited'].map((text) => html`<th scope="col" key=${i + text}>${text}</th>`))}</tr></thead>
      <tbody>${list.map(([a, b]) => html`<tr key=${`${a.tool}:${a.node}`}><th scope="row" class="mono">${nameOf(a)}</th>
        ${[a, b].flatMap((n, i) => [n.count ? count(n.count) : '–', n.count ? duration(n.took) : '', n.waited ? duration(n.waited) : ''].map((text, k) => html`<td key=${`${i} ${k}`}>${text}</td>`))}
        <td class=${cx(Math.abs(b.took - a.took) > LITTLE * most && 'more')}>${signed(b.took - a.took)}</td></tr>`)}</tbody>
    </table></div>`;
  return html`
    <section class="slower-why"><h3>Where the time went</h3>
      <p>${whySlower(d)} <span class="muted">What is inside a node is part of its time.</span></p>
      ${table(rows.slice(0, NODES))}
      ${rows.length > NODES && html`<details><summary>${plural(rows.length - NODES, 'other node')}</summary>${table(rows.slice(NODES))}</details>`}
    </section>`;
}
