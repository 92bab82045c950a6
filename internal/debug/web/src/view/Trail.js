import { html } from '../lib/html.js';
import { useEffect, useRef } from 'preact/hooks';
import { addressOf, partText } from '../lib/address.js';
import { frame, lookAt, lookOut, path, run } from '../state/run.js';
import { Button } from './Button.js';

// Trail is the way from the run's own frame to the one that is looked at, and back out.
export function Trail() {
  const list = useRef(null);
  useEffect(() => list.current?.scrollTo({ left: list.current.scrollWidth }), [frame.value]); // the innermost is what matters
  if (!run.value || !frame.value) return null;
  const { trail, tool } = path.value;
  const out = (level) => lookAt(level.frame, level.index, level.part ?? '');
  return html`
    <nav class="trail" aria-label="frames around the one that is shown">
      <${Button} icon="out" only label="To the caller" hint="o" onClick=${lookOut} />
      <ol ref=${list}>
        ${trail.map((level) => html`
          <li key=${addressOf(level.frame, level.index, level.part)}>
            <button type="button" class="linkish mono" onClick=${() => out(level)}>${level.tool}</button>
            <span class="muted" title=${`step ${addressOf(level.frame, level.index, level.part)}`}>${level.node}${level.part ? `, ${partText(level.part)}` : ''}</span>
          </li>`)}
        <li aria-current="location"><span class="mono">${tool}</span> <span class="muted mono">${frame.value}</span></li>
      </ol>
    </nav>`;
}
