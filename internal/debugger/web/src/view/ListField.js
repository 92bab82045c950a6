import { html } from '../lib/html.js';
import { useEffect, useRef, useState } from 'preact/hooks';
import { asJSON, fromValue, newId, startOf } from '../lib/draft.js';
import { describe, itemOf } from '../lib/schema.js';
import { plural } from '../lib/format.js';
import { Button } from './Button.js';
import { Field, NullSwitch } from './Field.js';
import { About, Name, Wrong, idOf, wrongAt } from './FieldHead.js';

const SHOWN = 50; // items at first, and more each time

// ListField asks for the items of an array: they are added, removed and moved, each a field of its own.
export function ListField({ s, root, draft, onChange, path, found, name, required, star, actions, leave }) {
  const [shown, more] = useState(SHOWN);
  const box = useRef(null);
  const next = useRef(''); // what gets the focus when it is drawn
  useEffect(() => {
    if (!next.current) return;
    const at = box.current?.querySelector(next.current);
    (at?.matches('button') ? at : at?.querySelector('input, textarea, select') ?? at?.querySelector('button:not(:disabled)'))?.focus();
    next.current = '';
  });
  const items = draft?.items ?? [];
  const set = (list, focus) => {
    next.current = focus;
    onChange({ items: list });
  };
  const add = () => {
    const sub = itemOf(s, items.length);
    const id = newId();
    const types = describe(sub, root).types;
    more(Math.max(shown, items.length + 1));
    set([...items, { id, of: startOf(sub, root, true) ?? (types.length === 1 && types[0] === 'string' && !describe(sub, root).choices ? { text: '' } : null) }], `[data-item="${id}"]`);
  };
  const remove = (i) => set(items.filter((_, n) => n !== i), items.length > 1 ? `[data-item="${items[i === items.length - 1 ? i - 1 : i + 1].id}"] [data-do=remove]` : '[data-do=add]');
  const move = (i, by) => {
    const list = [...items];
    [list[i], list[i + by]] = [list[i + by], list[i]];
    const end = i + by === 0 ? 'down' : i + by === list.length - 1 ? 'up' : by < 0 ? 'up' : 'down';
    set(list, `[data-item="${items[i].id}"] > * [data-do=${end}]`);
  };
  const id = idOf(path);
  const drawn = items.slice(0, shown);
  const wrong = wrongAt(found, path, new Set(drawn.map((_, i) => String(i))));
  const none = draft?.json === 'null';
  return html`
    <fieldset class="list" ref=${box} id=${id} tabindex="-1" aria-invalid=${wrong.length ? 'true' : null} aria-describedby=${wrong.length ? `${id}-wrong` : null}>
      <legend><${Name} ...${{ name, star, s }} /></legend>
      <div class="field-head"><span class="muted" aria-live="polite">${none ? 'null' : plural(items.length, 'item')}</span><span class="spring"></span>
        <${NullSwitch} ...${{ s, draft, onChange, name }} />
        ${!none && html`<button type="button" class="linkish" aria-label=${`${name} as JSON`} onClick=${() => onChange({ json: asJSON(draft) })}>as JSON</button>`}${leave}${actions}</div>
      <${About} s=${s} given=${draft && items.length} onTake=${(v) => onChange(fromValue(v))} />
      ${drawn.map((item, i) => html`
        <div key=${item.id} class="item" data-item=${item.id}>
          <${Field} schema=${itemOf(s, i)} root=${root} draft=${item.of} path=${[...path, String(i)]} found=${found} name=${String(i)} required item
            onChange=${(of) => onChange({ items: items.map((it) => (it.id === item.id ? { ...it, of } : it)) })}
            actions=${html`<span class="item-actions">
              <${Button} icon="up" only data-do="up" label=${`Move item ${i} up`} disabled=${i === 0} onClick=${() => move(i, -1)} />
              <${Button} icon="down" only data-do="down" label=${`Move item ${i} down`} disabled=${i === items.length - 1} onClick=${() => move(i, 1)} />
              <${Button} icon="close" only data-do="remove" label=${`Remove item ${i}`} onClick=${() => remove(i)} /></span>`} />
        </div>`)}
      ${items.length > shown && html`<button type="button" class="linkish" onClick=${() => more(shown + SHOWN)}>${plural(items.length - shown, 'more item')}</button>`}
      <${Wrong} wrong=${wrong} id=${`${id}-wrong`} />
      ${!none && !(items.length >= s.most) && html`<div><${Button} icon="plus" data-do="add" label="Add item" aria-label=${`Add item to ${name}`} onClick=${add} /></div>`}
    </fieldset>`;
}

// Choices asks for any of a list's values, each at most once.
export function Choices({ s, root, draft, onChange, path, found, name, required, star, actions, leave }) {
  const all = describe(s.items, root).choices;
  const chosen = (draft?.items ?? []).map((item) => asJSON(item.of));
  const wrong = wrongAt(found, path);
  const set = (text, on) => {
    const kept = all.filter((c) => (c.text === text ? on : chosen.includes(c.text)));
    onChange(kept.length || required ? { items: kept.map((c) => ({ id: newId(), of: fromValue(c.value) })) } : null);
  };
  return html`
    <fieldset class="choices" id=${idOf(path)} aria-invalid=${wrong.length ? 'true' : null}><legend><${Name} ...${{ name, star, s }} /></legend>
      ${(leave || actions) && html`<div class="field-head"><span class="spring"></span>${leave}${actions}</div>`}
      ${all.map((c) => html`<label key=${c.text} class="switch"><input type="checkbox" checked=${chosen.includes(c.text)} onChange=${(e) => set(c.text, e.currentTarget.checked)} /> ${c.label}</label>`)}
      <${About} s=${s} given=${chosen.length} onTake=${(v) => onChange(fromValue(v))} />
      <${Wrong} wrong=${wrong} id=${`${idOf(path)}-wrong`} />
    </fieldset>`;
}
