import { html, cx } from '../lib/html.js';
import { tryOut } from '../state/tryout.js';
import { Button } from './Button.js';

const verdict = (e) => (e.beyond ? 'not reached' : e.taken ? 'holds, taken' : e.holds ? 'holds' : 'does not hold');

// Expression of a step, what it gave and what it read.
export function Expression({ expression: e, onPlace }) {
  const plain = e.kind === 'jsonata' && e.reads.length === 1 && e.gives && e.reads[0].path === e.source.trim(); // its value says it all
  return html`
    <section class=${cx('box expression', e.taken && 'taken', e.beyond && 'beyond')} aria-label=${`${e.label} ${e.name ?? ''}`}>
      <div class="box-head">
        <h3>${e.label}${e.name && html` <span class="mono argument">${e.name}</span>`}</h3>
        ${e.kind === 'rule' && (e.holds !== undefined || e.taken || e.beyond) && html`<span class=${cx('pill', e.taken && 'yes')}>${e.source || !e.taken ? verdict(e) : 'taken'}</span>`}
        <span class="spring"></span>
        ${e.line > 0 && html`<button type="button" class="linkish" onClick=${() => onPlace(e.line)}>line ${e.line}</button>`}
        ${e.source && html`<${Button} label="Try" onClick=${() => tryOut(e.kind, e.source)} />`}
      </div>
      ${e.source && html`<pre class="code" tabindex=${e.source.length > 300 ? 0 : null}>${e.source}</pre>`}
      ${e.gives !== undefined && html`<p class="gives"><span class="muted">gives</span> <span class="mono" title=${e.gives}>${e.gives}</span></p>`}
      ${e.filled && html`<p class="gives"><span class="muted">compares</span> <code>${e.filled}</code></p>`}
      ${e.reads.length > 0 && !plain && html`
        <dl class="reads" aria-label="what it read">${e.reads.map((r) => html`<${Read} key=${`${r.each} ${r.path}`} read=${r} rule=${e.kind === 'rule'} />`)}</dl>`}
      ${e.error && html`<p class="wrong">${e.error}</p>`}
    </section>`;
}

// Read is a path or a call that was read, with its value.
const Read = ({ read: r, rule }) => html`
  <div>
    <dt class="mono">${r.each ? html`${r.path} <span class="each">of each</span>` : html`
      <button type="button" class="linkish" title="Evaluate in Try" onClick=${() => tryOut('jsonata', rule && !r.path.startsWith('$') ? `$.${r.path}` : r.path)}>${r.source || r.path}</button>`}
      ${r.source && html`<br /><span class="resolved">${r.path}</span>`}</dt>
    <dd class=${cx('mono', r.missing && 'missing')} title=${r.preview}>${r.missing ? 'nothing' : r.preview}</dd>
  </div>`;
