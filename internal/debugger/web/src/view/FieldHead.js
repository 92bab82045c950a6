import { html } from '../lib/html.js';
import { print } from '../lib/json.js';
import { typesOf } from '../lib/schema.js';

export const idOf = (path) => `field-${path.map((p) => encodeURIComponent(p)).join('-') || 'json'}`;

const same = (a, b) => a.length === b.length && a.every((part, i) => String(part) === String(b[i]));
const below = (a, b) => a.length >= b.length && b.every((part, i) => String(part) === String(a[i]));

// wrongAt are the findings of a field: those of its place, and those inside it that no field of its own has.
// shown are the keys that have one; without them it is all.
export const wrongAt = (found, path, shown) => found.filter((f) => same(f.path, path) || (below(f.path, path) && !shown?.has(String(f.path[path.length]))));

export const Wrong = ({ wrong, id }) => (wrong.length ? html`<p class="wrong" id=${id} role="alert">${wrong.map((f) => f.message).join('\n')}</p>` : null);

const typeText = (s) => [s.choices ? 'one of' : s.types.join(' | '), s.format, s.limits].filter(Boolean).join(', ');

// Name is what a field is called, and what its value must be.
export const Name = ({ name, star, s, kind }) => html`
  <span class="field-name mono">${name}</span>${star && html`<span class="star" title="required">*</span>`}
  ${s.title && s.title !== name && html`<span class="muted">${s.title}</span>`}
  <span class="muted field-type">${[typeText(s), kind].filter(Boolean).join(', ')}</span>`;

// About is what the schema says of a field, with its default and examples, which onTake takes over.
export function About({ s, id, given, onTake }) {
  const hints = given ? [] : s.examples.slice(0, 3);
  const standard = s.default !== undefined && typesOf(s)[0] !== 'object' && !given;
  const short = (v) => (typeof v === 'string' ? v : print(v));
  if (!s.description && !hints.length && !standard) return null;
  return html`
    <p class="muted field-text" id=${id}>${s.description}
      ${standard && html` <span class="hint-value">Default: <button type="button" class="linkish mono" onClick=${() => onTake(s.default)}>${short(s.default)}</button></span>`}
      ${hints.length > 0 && html` <span class="hint-value">${hints.length > 1 ? 'Examples' : 'Example'}: ${hints.map((v, i) => html`${i > 0 && ', '}<button type="button" class="linkish mono" onClick=${() => onTake(v)}>${short(v)}</button>`)}</span>`}
    </p>`;
}
