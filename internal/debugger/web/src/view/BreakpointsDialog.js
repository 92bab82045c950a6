import { html } from '../lib/html.js';
import { useEffect, useRef } from 'preact/hooks';
import { plural } from '../lib/format.js';
import { focusNode } from '../lib/nodekey.js';
import { listed, setBreakpoint } from '../state/breakpoints.js';
import { drawTool, graph, project } from '../state/project.js';
import { attempt, dialog, notify, pane } from '../state/ui.js';
import { Button } from './Button.js';
import { Dialog, closeDialog } from './Dialog.js';

// drawnOf is the node of the graph on the screen at which a breakpoint is drawn: read[] and sides.left are at read and sides.
// Steps of a closed block are at that.
function drawnOf(place) {
  let id = place.replace(/\[\]$/, '');
  while (id && !graph.value?.byId.has(id)) id = id.slice(0, Math.max(0, id.lastIndexOf('.')));
  return id;
}

// toNode leads to a breakpoint's node, in the graph of its tool.
async function toNode({ tool, node }) {
  pane.value = 'graph';
  await attempt(() => drawTool(tool));
  const id = drawnOf(node);
  closeDialog();
  if (id) setTimeout(() => focusNode(id)); // after the dialog has given the keyboard back
  else notify(`the tool ${tool} has no node ${node}`, 'it may have been renamed; the breakpoint holds when it comes back', 'error', 'breakpoint');
}

// BreakpointsDialog lists the breakpoints of all tools.
export function BreakpointsDialog() {
  const all = listed.value;
  const body = useRef(null);
  const removed = useRef(-1); // the row that was removed: the keyboard goes to the one in its place
  useEffect(() => {
    if (removed.current < 0) return;
    const buttons = body.current?.querySelectorAll('[data-remove]') ?? [];
    (buttons[Math.min(removed.current, buttons.length - 1)] ?? document.querySelector('dialog .button'))?.focus();
    removed.current = -1;
  }, [all.length]);
  const change = ({ tool, node }, to) => attempt(() => setBreakpoint(node, to, tool));
  const remove = (b, i) => {
    removed.current = i;
    change(b, { removed: true });
  };
  return html`
    <${Dialog} title=${all.length ? plural(all.length, 'breakpoint') : 'No breakpoints'}>
      ${!all.length ? html`<p class="muted">Click the dot at the left of a node, or focus the node and press <kbd>b</kbd>. Breakpoints of all tools are listed here.</p>` : html`
      <div class="scroll" ref=${body}><table class="changes breakpoints">
        <thead><tr><th scope="col">on</th><th scope="col">tool</th><th scope="col">node</th><th scope="col">pauses</th><th scope="col"><span class="sr">remove</span></th></tr></thead>
        <tbody>${all.map((b, i) => html`<tr key=${`${b.tool} ${b.node}`}>
          <td><input type="checkbox" aria-label=${`breakpoint at ${b.node} of ${b.tool}`} checked=${!b.disabled} onChange=${(e) => change(b, { condition: b.condition, disabled: !e.currentTarget.checked })} /></td>
          <td class="mono">${b.tool}</td>
          <th scope="row" class="mono">${project.value.tools.some((t) => t.name === b.tool) ? html`<button type="button" class="linkish" data-first=${i === 0 ? '' : null} title="Show it in the graph" onClick=${() => toNode(b)}>${b.node}</button>` : html`${b.node} <span class="muted">not in the file</span>`}</th>
          <td>${b.condition ? html`when <code>${b.condition}</code>` : 'always'}</td>
          <td><${Button} icon="close" only data-remove label=${`Remove the breakpoint at ${b.node} of ${b.tool}`} onClick=${() => remove(b, i)} /></td></tr>`)}</tbody>
      </table></div>`}
    </${Dialog}>`;
}

// BreakpointsButton opens the list, and says how many there are.
export const BreakpointsButton = () => html`
  <button type="button" class="button breakpoints-open" title="Breakpoints of all tools (B)" aria-label=${`Breakpoints: ${listed.value.length}`} onClick=${() => { dialog.value = { kind: 'breakpoints' }; }}>
    <span class=${listed.value.some((b) => !b.disabled) ? 'spot set' : 'spot'} aria-hidden="true"></span>${listed.value.length > 0 && html`<span class="many">${listed.value.length}</span>`}</button>`;
