import { html } from '../lib/html.js';
import { text as fetchText, get, seg } from '../lib/api.js';
import { bytes } from '../lib/format.js';
import { attempt, notify } from '../state/ui.js';
import { Button } from './Button.js';
import { ValueTree } from './ValueTree.js';

const COPY = 4e6; // bytes; more does no clipboard any good

// ValueBox is a titled value of a run: of is output, context, input, item, args or result; place is
// the step or part, { frame, at, part }.
export function ValueBox({ title, run, of, place, level, children }) {
  const query = { of, ...place };
  const load = (path, from) => get(`runs/${seg(run)}/value`, { ...query, path: JSON.stringify(path), from });
  const copy = () => attempt(async () => {
    await navigator.clipboard.writeText(await fetchText(`runs/${seg(run)}/whole`, query));
    notify('copied', '', 'note');
  });
  return html`
    <section class="box">
      <div class="box-head">
        <h3>${title}</h3>
        ${level?.bytes > 0 && html`<span class="muted">${bytes(level.bytes)}</span>`}
        <span class="spring"></span>
        ${children}
        ${level && level.kind !== 'nothing' && level.bytes <= COPY && html`<${Button} icon="copy" only label="Copy as JSON" onClick=${copy} />`}
      </div>
      <${ValueTree} key=${`${run} ${of} ${JSON.stringify(place)}`} level=${level} load=${load} label=${title} />
    </section>`;
}
