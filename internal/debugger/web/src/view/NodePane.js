import { html } from '../lib/html.js';
import { graph, tool } from '../state/project.js';
import { breakpointOf, toggleBreakpoint } from '../state/breakpoints.js';
import { control, paused } from '../state/run.js';
import { dialog, inspector } from '../state/ui.js';
import { revealLine } from '../state/sourceview.js';
import { isRepeated, stepId } from '../lib/address.js';
import { detail } from '../lib/box.js';
import { wordOf } from '../lib/status.js';
import { Button } from './Button.js';

// NodeActions is what can be done at a node.
export function NodeActions({ id, part = '' }) {
  const ofStep = part && stepId(part) === id;
  const name = !part || (ofStep && !isRepeated(part)) ? id : `${id}${ofStep || /^\d+$/.test(part) ? '[]' : `.${part}`}`; // of the breakpoint
  const stop = breakpointOf(name);
  const toggle = () => toggleBreakpoint(name);
  return html`
    <div class="actions">
      <${Button} label=${`${stop ? 'Remove' : 'Set'} breakpoint${name.endsWith('[]') ? ` at each ${ofStep ? 'item and turn' : 'part'}` : ''}`} hint=${name === id ? 'b' : ''} aria-pressed=${String(Boolean(stop))} onClick=${toggle} />
      ${stop && html`<${Button} label="Condition …" hint="c" onClick=${() => { dialog.value = { kind: 'breakpoint', node: name }; }} />`}
      ${paused.value && html`<${Button} icon="until" label="Run to here" hint=${name === id ? 'u' : ''} onClick=${() => control('run-to', name)} />`}
    </div>
    ${stop?.condition && html`<p class="note">Pauses when <code>${stop.condition}</code></p>`}`;
}

// NodePane is a node that has not run.
export function NodePane({ id }) {
  const node = graph.value?.byId.get(id);
  if (!node) return null;
  const toFile = () => {
    inspector.value = 'source';
    revealLine(node.line);
  };
  return html`
    <div class="step-head"><span class=${`kind ${node.type}`} aria-hidden="true"></span><h2 class="mono">${id}</h2><span class="muted">${wordOf('none')}</span></div>
    <${NodeActions} id=${id} />
    <dl class="facts">
      <div><dt>kind</dt><dd>${node.type === 'steps' ? 'block' : node.type}</dd></div>
      ${node.if && html`<div><dt>if</dt><dd class="mono">${node.if}</dd></div>`}
      ${(node.each || node.repeat) && html`<div><dt>runs</dt><dd>${[node.each && 'for each item', node.repeat && 'until a condition holds'].filter(Boolean).join(', each ')}</dd></div>`}
      ${node.changes && html`<div><dt>order</dt><dd>changes something: it starts when all parts above have ended</dd></div>`}
      ${(node.line > 0 || tool.value?.file) && html`<div><dt>place</dt><dd>${node.line > 0 ? html`<button type="button" class="linkish" onClick=${toFile}>line ${node.line}</button>` : tool.value.file}</dd></div>`}
    </dl>
    ${detail(node) && html`<pre class="code">${detail(node)}</pre>`}`;
}
