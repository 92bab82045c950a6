import { html, cx } from '../lib/html.js';
import { control, heldParts, lookAt, held, placeOf, run } from '../state/run.js';
import { nodeText } from '../lib/address.js';
import { plural } from '../lib/format.js';
import { Button } from './Button.js';

const MOST = 16;

// HeldParts are the parts at which the run is held: each can be looked at and continued alone, or all.
export function HeldParts() {
  const all = heldParts.value;
  if (!all.length) return null;
  const shown = held.value && placeOf(held.value);
  const look = async (h) => {
    await control('choose', '', placeOf(h));
    lookAt(h.frame ?? '', null, h.part ?? '');
  };
  return html`
    <div class="held-parts" role="group" aria-label="paused parts">
      <span>${plural(all.length, 'paused part')}</span>
      <ul>
        ${all.slice(0, MOST).map((h) => html`
          <li key=${placeOf(h)} class=${cx(placeOf(h) === shown && 'shown')}>
            <button type="button" class="linkish mono" aria-current=${placeOf(h) === shown ? 'true' : null} title=${`Look at ${nodeText(h.node, h.part)}, step ${placeOf(h)}`} onClick=${() => look(h)}>${placeOf(h)}</button>
            <${Button} icon="run" only label=${`Continue ${placeOf(h)} alone`} onClick=${() => control('resume', '', placeOf(h))} />
          </li>`)}
        ${all.length > MOST && html`<li class="muted">and ${all.length - MOST} more</li>`}
      </ul>
      ${run.value.status !== 'paused' && html`<${Button} icon="run" label="Continue all" onClick=${() => control('resume')} />`}
    </div>`;
}
