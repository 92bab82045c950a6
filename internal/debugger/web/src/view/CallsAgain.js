import { html, cx } from '../lib/html.js';
import { plural } from '../lib/format.js';

const effects = { read: 'only reads', write: 'writes', destroy: 'can remove or overwrite' };

// CallsAgain lists the calls that a run made and a new one makes again.
export function CallsAgain({ calls }) {
  if (!calls.length) return html`<p>From this step on, the run made no call.</p>`;
  const changing = calls.some((c) => c.effect !== 'read');
  return html`
    <div class="scroll"><table class="changes again">
      <caption>Calls that the run made from this step on; ${changing ? html`<strong>they are made again</strong>` : 'they are made again'} if it takes the same path</caption>
      <thead><tr><th scope="col">node</th><th scope="col">call</th><th scope="col">effect</th><th scope="col">times</th></tr></thead>
      <tbody>${calls.map((c) => html`<tr key=${`${c.node} ${c.server}.${c.tool}`}>
        <th scope="row" class="mono">${c.node}</th><td class="mono">${c.server}.${c.tool}</td>
        <td><span class=${cx('tag', c.effect !== 'read' && 'warn')}>${effects[c.effect] ?? 'effect unknown'}</span></td>
        <td>${plural(c.calls, 'call')}${c.inDoubt > 0 && html`, ${c.inDoubt} with unknown outcome`}</td></tr>`)}</tbody>
    </table></div>`;
}

// Decision is a box without which nothing begins.
export const Decision = ({ checked, onChange, text }) => html`
  <label class="switch decision"><input type="checkbox" required checked=${checked} onChange=${(e) => onChange(e.currentTarget.checked)} /> ${text}</label>`;
