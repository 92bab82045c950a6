import { html } from '../lib/html.js';
import { useEffect, useRef } from 'preact/hooks';
import { asJSON, newId } from '../lib/draft.js';
import { propertyOf } from '../lib/schema.js';
import { Button } from './Button.js';
import { Unseen, unseenId } from './Unseen.js';
import { Field, NullSwitch } from './Field.js';
import { About, Name, Wrong, idOf, wrongAt } from './FieldHead.js';

// ObjectField asks for the properties of an object: those of its schema, and rows of names and values for others.
export function ObjectField({ s, root, draft, onChange, path, found, name, required, star, top, actions, leave }) {
  const box = useRef(null);
  const next = useRef('');
  useEffect(() => {
    if (next.current) box.current?.querySelector(next.current)?.focus();
    next.current = '';
  });
  const entries = draft?.keys ?? [];
  const set = (keys) => onChange({ keys });
  const own = (key) => entries.find((e) => e.key === key && !e.extra);
  const order = [...s.properties.keys()];
  const placeOf = (key) => { // in the order of the schema
    const after = entries.findIndex((e) => e.extra || order.indexOf(e.key) > order.indexOf(key));
    return after < 0 ? entries.length : after;
  };
  const change = (key, of) => {
    const old = own(key);
    if (old) set(entries.flatMap((e) => (e === old ? (of ? [{ ...e, of }] : []) : [e])));
    else if (of) set([...entries.slice(0, placeOf(key)), { id: newId(), key, of }, ...entries.slice(placeOf(key))]);
  };
  const rows = entries.filter((e) => e.extra || !s.properties.has(e.key));
  const edit = (row, with_) => set(entries.map((e) => (e.id === row.id ? { ...e, extra: true, ...with_ } : e)));
  const open = s.patterns.length > 0 || (s.additional !== undefined && s.additional !== false) || (!s.properties.size && s.additional !== false && !top);
  const add = () => {
    const id = newId();
    next.current = `[data-row="${id}"] input`;
    set([...entries, { id, key: '', of: null, extra: true }]);
  };
  const remove = (row) => {
    next.current = '[data-do=add]';
    set(entries.filter((e) => e.id !== row.id));
  };
  const at = (row) => row.key || `(${row.id})`;
  const id = idOf(path);
  const wrong = wrongAt(found, path, new Set([...s.properties.keys(), ...rows.map(at)]));
  const none = draft?.json === 'null';
  const inner = none ? null : html`
    ${[...s.properties].map(([key, sub]) => html`
      <${Field} key=${key} name=${key} schema=${sub} root=${root} draft=${own(key)?.of ?? null} path=${[...path, key]} found=${found}
        required=${s.required.has(key)} onChange=${(of) => change(key, of)} />`)}
    ${rows.map((row) => html`
      <div key=${row.id} class="pair" data-row=${row.id}>
        <div class="field-head">
          <input type="text" class="mono" aria-label="name of the property" placeholder="name" value=${row.key} aria-describedby=${unseenId(`name-${row.id}`, row.key)} spellcheck=${false} autocomplete="off" onInput=${(e) => edit(row, { key: e.currentTarget.value })} />
          <${Button} icon="close" only label=${`Remove ${row.key || 'the property'}`} onClick=${() => remove(row)} /></div>
        <${Unseen} id=${`name-${row.id}`} text=${row.key} />
        <${Field} name=${row.key ? `value of ${row.key}` : 'value'} schema=${propertyOf(s, row.key) === false ? true : propertyOf(s, row.key)} root=${root} draft=${row.of} path=${[...path, at(row)]} found=${found} required onChange=${(of) => edit(row, { of })} />
      </div>`)}
    ${open && html`<div><${Button} icon="plus" data-do="add" label="Add property" aria-label=${name ? `Add property to ${name}` : 'Add property'} onClick=${add} /></div>`}`;
  if (top) return html`<div class="fields" ref=${box}>${s.properties.size || rows.length || open ? inner : html`<p class="muted none">This tool takes no arguments.</p>`}</div>`;
  return html`
    <fieldset ref=${box} id=${id} tabindex="-1" aria-invalid=${wrong.length ? 'true' : null}><legend><${Name} ...${{ name, star, s }} /></legend>
      <div class="field-head"><span class="spring"></span><${NullSwitch} ...${{ s, draft, onChange, name }} />
        ${!none && html`<button type="button" class="linkish" aria-label=${`${name} as JSON`} onClick=${() => onChange({ json: asJSON(draft) })}>as JSON</button>`}${leave}${actions}</div>
      <${About} s=${s} given />
      ${inner}<${Wrong} wrong=${wrong} id=${`${id}-wrong`} />
    </fieldset>`;
}
