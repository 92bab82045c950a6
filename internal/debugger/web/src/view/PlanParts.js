import { html, cx } from '../lib/html.js';

// What the check of a plan has found, as the page and the views of hosts show it.

// CallTags say what a call does, as far as the check knows it.
export const CallTags = ({ of: c }) => html`
  <span class="plan-tags"><span class=${cx('tag', c.effect !== 'read' && 'warn')}>${c.effect === 'unknown' ? 'effect unknown' : c.effect}</span> ${c.asks && html`<span class="tag warn" title="The user has to agree to it">asks</span>`} ${!c.certain && html`<span class="tag" title="An if, an item or a turn decides whether it is made">perhaps</span>`}</span>`;

// Flows say which server's answers reach which tool.
export const Flows = ({ of: flows }) => flows.length > 0 && html`<h3>Flows</h3>
  <ul class="plan-flows" aria-label="flows of the plan">${flows.map((f) => html`<li key=${f.to}><span class="mono">${f.from.join(', ')}</span> → <span class="mono">${f.to}</span></li>`)}</ul>`;
