import { html } from '../lib/html.js';
import { useRef } from 'preact/hooks';
import { asJSON, editorOf, fromValue, newId, startOf } from '../lib/draft.js';
import { invalid, parse } from '../lib/json.js';
import { describe, itemOf, nullable } from '../lib/schema.js';
import { About, Name, Wrong, idOf, wrongAt } from './FieldHead.js';
import { Branches } from './FieldBranches.js';
import { Choices, ListField } from './ListField.js';
import { ObjectField } from './ObjectField.js';
import { Scalar } from './Scalar.js';
import { Unseen, unseenId } from './Unseen.js';

// Field asks for the value of one schema. found are the findings of the whole form; those of this place are
// shown below it. actions are buttons for the place itself, such as those that move an item.
export function Field(props) {
  const { schema, root = schema, draft, required, top, onChange } = props;
  const s = describe(schema, root);
  const kind = draft?.raw !== undefined ? 'raw' : editorOf(s, draft);
  const more = { ...props, root, s, kind, star: required && !props.item };
  const Editor = editors[kind] ?? Scalar;
  if (top || kind === 'raw') return html`<${Editor} ...${more} />`;
  if (kind === 'list' && s.unique && describe(s.items ?? true, root).choices && fitsChoices(s, root, draft)) return html`<${Choices} ...${more} />`;
  if (!draft && (kind === 'list' || kind === 'object' || kind === 'branches')) {
    const first = () => ({ items: [{ id: newId(), of: startOf(itemOf(s, 0), root, true) }] });
    const start = () => onChange(kind === 'list' && s.default === undefined ? first() : startOf(schema, root, true));
    return html`<${Absent} ...${more} onStart=${kind === 'branches' ? () => onChange(startOf(s.branches[0], root, true) ?? { json: '' }) : start} />`;
  }
  const leave = !required && draft && ['list', 'object', 'branches'].includes(kind) ? html`<button type="button" class="linkish" onClick=${() => onChange(null)}>leave out</button>` : null;
  return html`<${Editor} ...${more} leave=${leave} />`;
}

const fitsChoices = (s, root, draft) => !draft || draft.items?.every((item, i) => describe(s.items, root).choices.some((c) => c.text === asJSON(item.of)) && draft.items.findIndex((other) => asJSON(other.of) === asJSON(item.of)) === i);

// Absent is a list or an object that is not given.
function Absent({ s, name, required, star, kind, path, found, onStart, actions }) {
  const wrong = wrongAt(found, path);
  const id = idOf(path);
  return html`
    <div class="field absent">
      <div class="field-head"><span class="label"><${Name} ...${{ name, star, s }} /></span><span class="spring"></span>
        <button type="button" class="linkish" id=${id} aria-invalid=${String(wrong.length > 0)} aria-label=${`add ${name}`} onClick=${onStart}>add</button>${actions}</div>
      <${About} s=${s} given />
      <${Wrong} wrong=${wrong} id=${`${id}-wrong`} />
    </div>`;
}

// JSONField is any value as its text.
function JSONField({ schema, root, s, kind, draft, onChange, path, found, name = 'arguments', required, star, actions, leave, top }) {
  const id = idOf(path);
  const whole = kind === 'raw';
  const wrong = whole ? found : wrongAt(found, path);
  const text = whole ? draft.raw : draft?.json ?? asJSON(draft);
  const set = (typed) => onChange(whole ? { ...draft, raw: typed } : typed.trim() === '' && !required ? null : { json: typed });
  const form = !whole && draft?.json && !invalid(draft.json) ? fromValue(parse(draft.json)) : null;
  const fits = form && editorOf(s, form) !== 'json';
  return html`
    <div class="field">
      <div class="field-head"><label for=${id}><${Name} ...${{ name, star, s, kind: 'JSON' }} /></label><span class="spring"></span>
        ${fits && html`<button type="button" class="linkish" onClick=${() => onChange(form)}>as fields</button>`}${leave}${actions}</div>
      <textarea id=${id} class="mono" rows=${whole ? Math.min(24, Math.max(8, text.split('\n').length)) : Math.min(12, Math.max(2, text.split('\n').length))} spellcheck=${false} autocomplete="off"
        aria-invalid=${String(wrong.length > 0)} aria-describedby=${[wrong.length && !whole && `${id}-wrong`, unseenId(id, text)].filter(Boolean).join(' ') || null} value=${text} onInput=${(e) => set(e.currentTarget.value)}></textarea>
      <${Unseen} id=${id} text=${text} />
      ${!top && html`<${About} s=${s} given=${draft} onTake=${(v) => onChange(fromValue(v))} />`}
      ${!whole && html`<${Wrong} wrong=${wrong} id=${`${id}-wrong`} />`}
    </div>`;
}

// NullSwitch gives null in place of a value, and the value back.
export function NullSwitch({ s, draft, onChange, name }) {
  const before = useRef(null);
  if (!nullable(s)) return null;
  const on = draft?.json === 'null';
  const set = () => {
    if (!on) before.current = draft;
    onChange(on ? before.current : { json: 'null' });
  };
  return html`<label class="switch"><input type="checkbox" checked=${on} aria-label=${`${name} is null`} onChange=${set} /> null</label>`;
}

const editors = { raw: JSONField, json: JSONField, list: ListField, object: ObjectField, branches: Branches };
