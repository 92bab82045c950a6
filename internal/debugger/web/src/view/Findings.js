import { html } from '../lib/html.js';
import { plural } from '../lib/format.js';
import { source } from '../state/project.js';
import { checking, draft, findings, revealLine } from '../state/sourceview.js';

// counted says how many findings there are; empty for none.
export function counted(all) {
  const errors = all.filter((f) => f.severity === 'error').length;
  return [errors && plural(errors, 'error'), all.length > errors && plural(all.length - errors, 'warning')].filter(Boolean).join(', ');
}

// Findings are those of toolgraph check. Each leads to its line, and so does a place that its message names.
export function Findings() {
  const all = findings.value;
  const said = draft.value && checking.value && !all.length ? 'Checking …' : counted(all) || 'No problems found';
  return html`
    <details class="findings" open=${all.length > 0 || null}>
      <summary><span role="status">${said}</span></summary>
      ${all.length > 0 && html`
        <ul aria-label="findings" tabindex="0">
          ${all.map((f, i) => html`<${Finding} key=${i} f=${f} message=${related(f.message)} hint=${f.hint && related(f.hint)}
            place=${f.line > 0 && !f.file ? html`<${Place} line=${f.line} column=${f.column} />` : f.file && html`<span class="mono">${f.file}:${f.line}:${f.column}</span>`} />`)}
        </ul>`}
    </details>`;
}

// Finding is a row of such a list.
export const Finding = ({ f, place, message = f.message, hint = f.hint }) => html`
  <li class=${f.severity}>
    <span class="severity">${f.severity === 'error' ? '✖ error' : '▲ warning'}</span>
    <span>${place} ${message}${hint && html`<br /><span class="hint-text">${hint}</span>`}${f.code && html` <span class="muted">[${f.code}]</span>`}</span></li>`;

const Place = ({ line, column, text }) => html`<button type="button" class="linkish" aria-label=${`${text ?? `${line}:${column}`}, go to the line`} onClick=${() => revealLine(line, column, true)}>${text ?? `${line}:${column}`}</button>`;

// related makes links of the places of the file that a message names, as in graph.yaml:3:3 and line 3.
function related(message) {
  const name = source.value.path.split(/[/\\]/).pop().replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  const place = new RegExp(`((?:[^\\s()"]*[/\\\\])?${name}:(\\d+)(?::(\\d+))?|\\bline (\\d+)\\b)`, 'u');
  const out = [];
  let rest = message;
  for (let m = place.exec(rest); m; m = place.exec(rest)) {
    out.push(rest.slice(0, m.index), html`<${Place} line=${Number(m[2] ?? m[4])} column=${Number(m[3] ?? 1)} text=${m[0]} />`);
    rest = rest.slice(m.index + m[0].length);
  }
  return [...out, rest];
}
