import { html } from '../lib/html.js';
import { useState } from 'preact/hooks';
import { post, seg } from '../lib/api.js';
import { rootOf } from '../lib/jsonata.js';
import { useLoaded } from '../lib/load.js';
import { valueSource } from '../lib/source.js';
import { addWatch, full, removeWatch, watches } from '../state/watches.js';
import { tryOut } from '../state/tryout.js';
import { Button } from './Button.js';
import { ValueTree } from './ValueTree.js';

// Watches are JSONata expressions and what they give at the step under inspection, also
// while a run is stepped through.
export function Watches({ run, place }) {
  const [text, setText] = useState('');
  const sources = watches.value;
  const key = sources.length ? JSON.stringify([run.id, place, sources]) : null;
  const { value, error } = useLoaded(key, () => post(`runs/${seg(run.id)}/watch`, { sources, ...place })
    .then((list) => new Map(list.map((found, i) => [sources[i], { ...found, place }]))), run.status === 'running');
  const add = (e) => {
    e.preventDefault();
    addWatch(text);
    setText('');
  };
  return html`
    <section class="box watches" aria-label="watch">
      <form class="watch-add" onSubmit=${add}>
        <h3>Watch</h3>
        <input type="text" id="watch-source" class="mono" aria-label="expression to watch" placeholder=${full.value ? 'limit reached' : '$.list.items[0]'} disabled=${full.value}
          spellcheck=${false} autocomplete="off" value=${text} onInput=${(e) => setText(e.currentTarget.value)} />
        <button type="submit" class="button" disabled=${!text.trim()}><span>Add</span></button>
      </form>
      ${error && html`<p class="wrong">${error.message}</p>`}
      <ul>${sources.map((source) => html`<${Watched} key=${source} run=${run} source=${source} found=${value?.get(source)} />`)}</ul>
    </section>`;
}

function Watched({ run, source, found }) {
  const values = valueSource(run.id, { of: 'expression', kind: 'jsonata', source, ...found?.place }, rootOf(source),
    (path, from = 0) => post(`runs/${seg(run.id)}/evaluate`, { kind: 'jsonata', source, ...found.place, path, from }).then((a) => a.value));
  const remove = () => {
    removeWatch(source);
    document.getElementById('watch-source')?.focus(); // the button that had the focus is gone
  };
  return html`
    <li>
      <div class="watch-head">
        <button type="button" class="linkish mono" title="Evaluate in Try" onClick=${() => tryOut('jsonata', source)}>${source}</button>
        <${Button} icon="close" only label="Remove watch" onClick=${remove} />
      </div>
      ${found?.error && html`<p class="wrong">${found.error.message}</p>`}
      ${found?.value && html`<${ValueTree} level=${found.value} label=${source} source=${values} keep=${`${run.tool} watch ${source}`} />`}
    </li>`;
}
