import { html } from '../lib/html.js';
import { useRef, useState } from 'preact/hooks';
import { editorOf, startOf } from '../lib/draft.js';
import { describe } from '../lib/schema.js';
import { Field, NullSwitch } from './Field.js';
import { About, Name, idOf } from './FieldHead.js';

// Branches asks for a value of oneOf or anyOf: which of them, then that. What was typed into one stays
// while another is looked at.
export function Branches({ s, root, draft, onChange, path, found, name, required, star, actions, leave }) {
  const all = s.branches.map((b) => describe(b, root));
  const [chosen, choose] = useState(() => Math.max(0, fitting(all, draft)));
  const others = useRef(new Map());
  const id = idOf([...path, 'kind']);
  const none = draft?.json === 'null' && s.nullable;
  const turn = (i) => {
    others.current.set(chosen, draft);
    choose(i);
    onChange(others.current.get(i) ?? startOf(s.branches[i], root, true) ?? { json: '' });
  };
  const text = (b, i) => b.title ?? (b.choices ? b.choices.map((c) => c.label).join(' or ') : [b.types.join(' | '), [...b.required].join(', ')].filter(Boolean).join(': ') || `form ${i + 1}`);
  const now = Math.min(chosen, all.length - 1);
  // A branch that is empty has its own editor, not that of JSON.
  const own = draft?.json === '' && editorOf(all[now], null) !== 'json' ? null : draft;
  return html`
    <fieldset class="branches"><legend><${Name} ...${{ name, star, s, kind: `one of ${all.length} forms` }} /></legend>
      <div class="field-head"><label for=${id} class="muted">form</label>
        <select id=${id} disabled=${none} value=${String(now)} onChange=${(e) => turn(Number(e.currentTarget.value))}>${all.map((b, i) => html`<option key=${i} value=${String(i)} selected=${i === now}>${text(b, i)}</option>`)}</select>
        <span class="spring"></span><${NullSwitch} ...${{ s, draft, onChange, name }} />${leave}${actions}</div>
      <${About} s=${s} given />
      ${!none && html`<${Field} key=${now} name=${text(all[now], now)} schema=${s.branches[now]} root=${root} draft=${own} path=${path} found=${found} required onChange=${(of) => onChange(of ?? { json: '' })} />`}
    </fieldset>`;
}

// fitting is the branch that a draft has the shape of: its kind, its properties and their constants.
function fitting(all, draft) {
  if (!draft) return 0;
  const score = (b) => {
    if (editorOf(b, draft) === 'json' && !(draft.json !== undefined && !b.types.length)) return -1;
    if (!draft.keys) return 1;
    const has = new Set(draft.keys.map((k) => k.key));
    if ([...b.required].some((key) => !has.has(key))) return 0;
    const constants = draft.keys.filter(({ key, of }) => {
      const sub = b.properties.get(key);
      const choices = sub && describe(sub).choices;
      return choices && editorOf({ choices }, of) === 'json';
    });
    return constants.length ? 0 : 1 + draft.keys.filter((k) => b.properties.has(k.key)).length;
  };
  const scores = all.map(score);
  return scores.indexOf(Math.max(...scores));
}
