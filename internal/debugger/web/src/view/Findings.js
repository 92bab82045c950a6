import { html } from '../lib/html.js';
import { source } from '../state/project.js';
import { checking, draft, findings, revealLine } from '../state/sourceview.js';

const count = (n, word) => `${n} ${word}${n === 1 ? '' : 's'}`;

// Findings are those of toolgraph check. Each leads to its line, and so does a place that its message names.
export function Findings() {
  const all = findings.value;
  const errors = all.filter((f) => f.severity === 'error').length;
  const parts = [errors && count(errors, 'error'), all.length > errors && count(all.length - errors, 'warning')].filter(Boolean);
  const said = draft.value && checking.value && !all.length ? 'Checking …' : parts.join(', ') || 'No problems found';
  return html`
    <details class="findings" open=${all.length > 0 || null}>
      <summary><span role="status">${said}</span></summary>
      ${all.length > 0 && html`
        <ul aria-label="findings" tabindex="0">
          ${all.map((f, i) => html`<li key=${i} class=${f.severity}>
            <span class="severity">${f.severity === 'error' ? '✖ error' : '▲ warning'}</span>
            <span>${f.line > 0 && !f.file ? html`<${Place} line=${f.line} column=${f.column} />` : f.file && html`<span class="mono">${f.file}:${f.line}:${f.column}</span>`} ${related(f.message)}${f.hint && html`<br /><span class="hint-text">${related(f.hint)}</span>`}${f.code && html` <span class="muted">[${f.code}]</span>`}</span></li>`)}
        </ul>`}
    </details>`;
}

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
