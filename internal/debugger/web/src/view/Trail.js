import { html } from '../lib/html.js';
import { useEffect, useRef } from 'preact/hooks';
import { addressOf, partText } from '../lib/address.js';
import { tool } from '../state/project.js';
import { frame, lookAt, lookOut, own, path, run, shownTool, showOwn } from '../state/run.js';
import { inspects } from '../state/panes.js';
import { show } from '../state/ui.js';
import { Button } from './Button.js';

// Trail names the tool whose graph is shown. In a frame it is the way there from the run's own, and back out.
export function Trail() {
  const list = useRef(null);
  useEffect(() => list.current?.scrollTo({ left: list.current.scrollWidth }), [frame.value]); // the innermost is what matters
  const t = tool.value;
  if (!t) return null;
  if (!run.value || !frame.value || !own.value) {
    return html`
      <div class="shown-tool">
        <h2 class="mono">${t.name}</h2>${t.title && html`<span class="muted trail-text">${t.title}</span>`}
        ${run.value && !own.value && html`<span class="spring"></span><span class="muted trail-text">The run is of another tool. <button type="button" class="linkish" onClick=${showOwn}>Show <span class="mono">${shownTool.value}</span></button></span>`}
        ${!inspects.value && html`<span class="spring"></span><${Button} icon="file" label="File" hint="4" onClick=${() => show('source')} />`}
      </div>`;
  }
  const { trail, tool: inner } = path.value;
  const out = (level) => lookAt(level.frame, level.index, level.part ?? '');
  return html`
    <nav class="trail" aria-label="frames around the one that is shown">
      <${Button} icon="out" only label="To the caller" hint="o" onClick=${lookOut} />
      <ol ref=${list}>
        ${trail.map((level) => html`
          <li key=${addressOf(level.frame, level.index, level.part)}>
            <button type="button" class="linkish mono" onClick=${() => out(level)}>${level.tool}</button>
            <span class="muted" title=${`step ${addressOf(level.frame, level.index, level.part)}`}>${level.node}${level.part && partText(level.part, level.node) ? `, ${partText(level.part, level.node)}` : ''}</span>
          </li>`)}
        <li aria-current="location"><span class="mono">${inner}</span> <span class="muted mono">${frame.value}</span></li>
      </ol>
    </nav>`;
}
