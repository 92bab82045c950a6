import { html, cx } from '../lib/html.js';
import { asText, choicesOf, kindOf } from '../lib/draft.js';

// Field asks for the value of one schema. found are the findings of the whole form;
// those of this place are shown below it.
export function Field({ schema, draft, onChange, path, found, name, required, top }) {
  if (draft.raw !== undefined) return html`<${JSONField} ...${{ schema, draft, onChange, path, found, name: name ?? 'arguments', required, whole: true }} />`;
  if (draft.fields) {
    const inner = Object.entries(draft.fields).map(([key, sub]) => html`
      <${Field} key=${key} name=${key} schema=${schema.properties[key]} draft=${sub} path=${[...path, key]} found=${found}
        required=${(schema.required ?? []).includes(key)} onChange=${(next) => onChange({ fields: { ...draft.fields, [key]: next } })} />`);
    if (top) return inner.length ? inner : html`<p class="muted none">This tool takes no arguments.</p>`;
    return html`<fieldset><legend><${Name} ...${{ name, required, schema }} /></legend>${inner}<${Wrong} found=${found} path=${path} /></fieldset>`;
  }
  if (kindOf(schema) === 'choices') return html`<${Choices} ...${{ schema, draft, onChange, path, found, name, required }} />`;
  if (kindOf(schema) === 'json') return html`<${JSONField} ...${{ schema, draft, onChange, path, found, name, required }} />`;
  return html`<${Scalar} ...${{ schema, draft, onChange, path, found, name, required }} />`;
}

const same = (a, b) => a.length === b.length && a.every((part, i) => String(part) === String(b[i]));
const below = (a, b) => a.length >= b.length && b.every((part, i) => String(part) === String(a[i]));

function Wrong({ found, path, deep, id }) {
  const mine = found.filter((f) => (deep ? below(f.path, path) : same(f.path, path)));
  return mine.length ? html`<p class="wrong" id=${id} role="alert">${mine.map((f) => f.message).join('\n')}</p>` : null;
}

const Name = ({ name, required, schema }) => html`
  <span class="field-name mono">${name}</span>${required && html`<span class="star" title="required">*</span>`}
  ${schema?.title && html`<span class="muted">${schema.title}</span>`}
  ${typeText(schema) && html`<span class="muted field-type">${typeText(schema)}</span>`}`;

function typeText(schema) {
  if (kindOf(schema) === 'enum') return 'one of';
  return [].concat(schema?.type ?? []).join(' | ');
}

function Scalar({ schema, draft, onChange, path, found, name, required }) {
  const id = `field-${path.join('-')}`;
  const set = (text) => onChange({ text, touched: true });
  const kind = kindOf(schema);
  const wrong = found.some((f) => same(f.path, path));
  const common = { id, value: draft.text, 'aria-invalid': String(wrong), 'aria-describedby': `${id}-wrong`, 'aria-required': String(Boolean(required)) };
  let input;
  if (kind === 'enum' || kind === 'boolean') {
    const choices = kind === 'enum' ? choicesOf(schema).map((c) => [asText(c.value), c.label]) : [['true', 'true'], ['false', 'false']];
    input = html`<select ...${common} onChange=${(e) => set(e.currentTarget.value)}>
      ${(!required || !choices.some(([value]) => value === draft.text)) && html`<option value="">–</option>`}
      ${choices.map(([value, label]) => html`<option key=${value} value=${value} selected=${value === draft.text}>${label}</option>`)}
    </select>`;
  } else {
    const number = kind === 'number' || kind === 'integer';
    input = html`<input ...${common} type="text" class=${cx(number && 'mono')} inputmode=${number ? 'decimal' : null} spellcheck="false" autocomplete="off"
      placeholder=${schema.examples?.length ? asText(schema.examples[0]) : null} onInput=${(e) => set(e.currentTarget.value)} />`;
  }
  return html`
    <div class="field">
      <label for=${id}><${Name} ...${{ name, required, schema }} /></label>
      ${input}
      ${schema.description && html`<p class="muted field-text">${schema.description}</p>`}
      <${Wrong} found=${found} path=${path} id=${`${id}-wrong`} deep />
    </div>`;
}

// Choices asks for any of a list's values.
function Choices({ schema, draft, onChange, path, found, name, required }) {
  const chosen = draft.text ? JSON.parse(draft.text) : [];
  const all = choicesOf(schema.items);
  const set = (value, on) => {
    const next = all.map((c) => c.value).filter((v) => (v === value ? on : chosen.includes(v)));
    onChange({ text: next.length ? JSON.stringify(next) : '', touched: true });
  };
  return html`
    <fieldset class="choices"><legend><${Name} ...${{ name, required, schema }} /></legend>
      ${all.map((c) => html`<label key=${asText(c.value)} class="switch"><input type="checkbox" checked=${chosen.includes(c.value)} onChange=${(e) => set(c.value, e.currentTarget.checked)} /> ${c.label}</label>`)}
      ${schema.description && html`<p class="muted field-text">${schema.description}</p>`}
      <${Wrong} found=${found} path=${path} deep />
    </fieldset>`;
}

function JSONField({ schema, draft, onChange, path, found, name, required, whole }) {
  const id = `field-${path.join('-') || 'json'}`;
  const key = draft.raw === undefined ? 'text' : 'raw';
  return html`
    <div class="field">
      <label for=${id}><${Name} ...${{ name, required, schema }} /> <span class="muted">JSON</span></label>
      <textarea id=${id} class="mono" rows=${whole ? 8 : 3} spellcheck="false" aria-invalid=${String(found.some((f) => whole || below(f.path, path)))} value=${draft[key]}
        onInput=${(e) => onChange({ ...draft, [key]: e.currentTarget.value })}></textarea>
      ${schema?.description && html`<p class="muted field-text">${schema.description}</p>`}
      ${!whole && html`<${Wrong} found=${found} path=${path} deep />`}
    </div>`;
}
