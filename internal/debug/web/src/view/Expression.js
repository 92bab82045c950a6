import { html, cx } from '../lib/html.js';
import { tryOut } from '../state/tryout.js';
import { Button } from './Button.js';

// Expression of a step, and what it read from the context.
export const Expression = ({ expression: e, onPlace }) => html`
  <section class=${cx('box expression', e.taken && 'taken')}>
    <div class="box-head">
      <h3>${e.label}</h3>
      ${e.holds !== undefined && html`<span class=${cx('pill', e.holds && 'yes')}>${e.taken ? 'taken' : e.holds ? 'holds' : 'does not hold'}</span>`}
      <span class="spring"></span>
      ${e.line > 0 && html`<button type="button" class="linkish" onClick=${() => onPlace(e.line)}>line ${e.line}</button>`}
      ${e.source && html`<${Button} label="Try" onClick=${() => tryOut(e.kind, e.source)} />`}
    </div>
    ${e.source && html`<pre class="code">${e.source}</pre>`}
    ${e.reads.length > 0 && html`
      <dl class="reads" aria-label="what it read">
        ${e.reads.map((r) => html`<div key=${r.path}><dt class="mono">${r.path}</dt><dd class=${cx('mono', r.missing && 'missing')} title=${r.preview}>${r.missing ? 'nothing' : r.preview}</dd></div>`)}
      </dl>`}
    ${e.error && html`<p class="wrong">${e.error}</p>`}
  </section>`;
