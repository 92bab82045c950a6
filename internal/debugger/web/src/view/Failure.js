import { html, cx } from '../lib/html.js';
import { nodeText, partText, STEPS } from '../lib/address.js';

// Failure shows an error with its place, and the levels that it has passed. A cancelled run has not
// failed: it says so quietly.
export function Failure({ error, onPlace, mild }) {
  const cancelled = error.code === 'cancelled';
  return html`
    <section class=${cx('failure', mild && 'mild', cancelled && 'cancelled')} role=${mild || cancelled ? null : 'alert'}>
      <p>${error.message}</p>
      ${error.caret && html`<pre class="caret">${error.caret}</pre>`}
      <p class="muted">${[error.node && `node ${error.node}`, error.code && `code ${error.code}${error.detail ? ` (${error.detail})` : ''}`].filter(Boolean).join(' · ')}
        ${error.line > 0 && html` · <button type="button" class="linkish" onClick=${() => onPlace(error.line)}>line ${error.line}, column ${error.column}</button>`}</p>
      ${error.callers?.length > 0 && html`<ul class="callers" aria-label="called by">${error.callers.map((c) => html`
        <li>${c.nodeId === STEPS ? html`step <span class="mono">${nodeText(c.nodeId, c.part)}</span>${partText(c.part, STEPS) && `, ${partText(c.part, STEPS)},`}` : html`${c.part && `${partText(c.part)} of `}node <span class="mono">${c.nodeId}</span>`} of <span class="mono">${c.tool}</span>${c.item && html`: <span class="mono muted">${c.item}</span>`}</li>`)}</ul>`}
    </section>`;
}
