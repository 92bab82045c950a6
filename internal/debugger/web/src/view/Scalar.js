import { html, cx } from '../lib/html.js';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { asJSON, fromValue } from '../lib/draft.js';
import { nullable } from '../lib/schema.js';
import { NullSwitch } from './Field.js';
import { About, Name, Wrong, idOf, wrongAt } from './FieldHead.js';
import { Unseen, unseenId } from './Unseen.js';

const DATE = /^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])$/;
const samples = { 'date-time': '2026-01-31T09:30:00Z', time: '09:30:00Z', email: 'name@example.org', uri: 'https://…', duration: 'P1DT2H' };
const modes = { email: 'email', 'idn-email': 'email', uri: 'url', 'uri-reference': 'url' };

// Scalar asks for text, a number, true or false, or one of several values.
export function Scalar({ s, kind, draft, onChange, path, found, name, required, star, actions }) {
  const id = idOf(path);
  const wrong = wrongAt(found, path);
  const none = draft?.json === 'null' && nullable(s) && kind !== 'enum';
  const text = none ? '' : draft?.text ?? draft?.json ?? '';
  const common = {
    id, 'aria-invalid': String(wrong.length > 0), 'aria-describedby': [wrong.length > 0 && `${id}-wrong`, `${id}-text`, unseenId(id, text)].filter(Boolean).join(' '),
    'aria-required': String(Boolean(required)), disabled: none,
  };
  const Input = { string: TextInput, number: NumberInput }[kind] ?? Select;
  return html`
    <div class="field">
      <div class="field-head"><label for=${id}><${Name} ...${{ name, star, s }} /></label><span class="spring"></span>
        ${kind !== 'enum' && html`<${NullSwitch} ...${{ s, draft, onChange, name }} />`}${actions}</div>
      <${Input} ...${{ s, kind, draft, text, required, onChange, common, none }} />
      <${Unseen} id=${id} text=${text} />
      <${About} s=${s} id=${`${id}-text`} given=${draft && asJSON(draft) !== ''} onTake=${(v) => onChange(fromValue(v))} />
      <${Wrong} wrong=${wrong} id=${`${id}-wrong`} />
    </div>`;
}

// NumberInput takes a number as text, so that it keeps its digits.
const NumberInput = ({ text, onChange, common, none }) => html`
  <input ...${common} type="text" class="mono" value=${none ? 'null' : text} inputmode="decimal" spellcheck=${false} autocomplete="off"
    onInput=${(e) => onChange(e.currentTarget.value === '' ? null : { json: e.currentTarget.value })} />`;

function Select({ s, kind, draft, required, onChange, common }) {
  const choices = kind === 'enum' ? s.choices : ['true', 'false'].map((text) => ({ text, label: text }));
  const now = draft ? asJSON(draft) : '';
  const one = (text) => (kind === 'enum' ? fromValue(choices.find((c) => c.text === text).value) : { json: text });
  return html`
    <select ...${common} value=${now} onChange=${(e) => onChange(e.currentTarget.value === '' ? null : one(e.currentTarget.value))}>
      ${(!required || !now) && html`<option value="">–</option>`}
      ${choices.map((c) => html`<option key=${c.text} value=${c.text} selected=${c.text === now}>${c.label}</option>`)}
    </select>`;
}

// TextInput is one line, or several when the text has or gets them: by Shift+Enter, or pasted. Text that is
// cleared is not given any more, or empty where it is required.
function TextInput({ s, draft, text, required, onChange, common, none }) {
  const [touched, touch] = useState(false);
  const ref = useRef(null);
  const many = text.includes('\n');
  const caret = useRef(null);
  useLayoutEffect(() => {
    if (caret.current === null) return;
    ref.current.focus();
    ref.current.setSelectionRange(caret.current, caret.current);
    caret.current = null;
  }, [many, text]);
  const set = (typed) => {
    touch(true);
    onChange(typed === '' && !required ? null : { text: typed });
  };
  const insert = (e, piece) => {
    e.preventDefault();
    const { selectionStart: from, selectionEnd: to, value } = ref.current;
    caret.current = from + piece.length;
    set(value.slice(0, from) + piece + value.slice(to));
  };
  const paste = (e) => {
    const piece = e.clipboardData?.getData('text/plain').replace(/\r\n?/g, '\n') ?? '';
    if (piece.includes('\n')) insert(e, piece);
  };
  const keys = (e) => e.key === 'Enter' && e.shiftKey && !e.ctrlKey && !e.metaKey && insert(e, '\n');
  const date = s.format === 'date' && (text === '' || DATE.test(text)) && !none;
  const more = { ...common, ref, value: none ? 'null' : text, spellcheck: false, onInput: (e) => set(e.currentTarget.value) };
  return html`
    ${many ? html`<textarea ...${more} rows=${Math.min(12, text.split('\n').length + 1)}></textarea>`
      : html`<input ...${more} type=${date ? 'date' : 'text'} class=${cx(none && 'mono')} inputmode=${modes[s.format] ?? null} autocomplete="off"
          placeholder=${samples[s.format] ?? null} onPaste=${date ? null : paste} onKeyDown=${date ? null : keys} />`}
    ${draft?.text === '' && html`<p class="muted field-text">The text is empty. ${!required && html`<button type="button" class="linkish" onClick=${() => onChange(null)}>Leave it out</button>`}</p>`}
    ${!draft && touched && !required && html`<p class="muted field-text">Not given. <button type="button" class="linkish" onClick=${() => onChange({ text: '' })}>Give the empty text</button></p>`}`;
}
