import { html, cx } from '../lib/html.js';
import { useEffect, useRef } from 'preact/hooks';
import { detail } from '../lib/box.js';
import { addressOf } from '../lib/address.js';
import { wordOf } from '../lib/status.js';
import { visible } from '../lib/visible.js';
import { far, size, view } from '../state/graphview.js';
import { isLatest, latest, tipped } from '../state/latest.js';
import { own } from '../state/run.js';

const ends = ['ended', 'failed'];
const WAITS = 350; // ms before it appears under the pointer
const STAYS = 250; // and before it goes, so that the pointer can reach it
const [LEAST, MOST, MARGIN] = [220, 380, 8]; // pixels

// NodeTip shows what a node does and its last output, next to the node under the pointer or at the
// keyboard. It stays while the pointer is on it, and goes with Escape.
export function NodeTip({ g }) {
  const timer = useRef(0);
  const later = (id, ms) => {
    clearTimeout(timer.current);
    timer.current = setTimeout(() => { tipped.value = id; }, ms);
  };
  useEffect(() => {
    const nodeOf = (e) => e.target.closest?.('.canvas .node')?.dataset.node;
    const over = (e) => {
      if (e.pointerType === 'touch' || e.buttons) return;
      const id = nodeOf(e);
      if (e.target.closest?.('.node-tip')) clearTimeout(timer.current);
      else if (id) later(id, tipped.value ? 80 : WAITS);
      else later('', STAYS);
    };
    const focus = (e) => {
      const id = nodeOf(e);
      if (id && e.target.matches(':focus-visible')) later(id, 0);
      else if (!id && tipped.value) later('', 0);
    };
    const keys = (e) => {
      if (e.key !== 'Escape' || !tipped.value) return;
      clearTimeout(timer.current);
      tipped.value = '';
      e.preventDefault();
      e.stopPropagation();
    };
    const down = (e) => !e.target.closest?.('.node-tip') && later('', 0);
    const on = [['pointerover', over], ['focusin', focus], ['keydown', keys], ['pointerdown', down]];
    for (const [name, f] of on) document.addEventListener(name, f, true);
    return () => {
      clearTimeout(timer.current);
      tipped.value = '';
      for (const [name, f] of on) document.removeEventListener(name, f, true);
    };
  }, [g]);
  const node = g.byId.get(tipped.value);
  useEffect(() => {
    const at = node && document.querySelector(`[data-node="${CSS.escape(node.id)}"]`);
    at?.setAttribute('aria-describedby', 'node-tip');
    return () => at?.removeAttribute('aria-describedby');
  }, [node]);
  if (!node) return null;
  const style = placeOf(node.box);
  const last = latest.value[node.id];
  return html`
    <div class="node-tip" id="node-tip" role="tooltip" style=${style}>
      <p><span class=${cx('kind', node.type)}></span> <b class="mono">${visible(node.id)}</b> <span class="muted">${node.type === 'steps' ? 'block' : node.type}${node.each ? ' × each' : ''}${node.repeat ? ' ↻' : ''}</span></p>
      ${detail(node) && html`<p class="mono muted clip">${visible(detail(node))}</p>`}
      ${node.if && html`<p class="mono muted clip">if ${visible(node.if)}</p>`}
      ${last?.state && !ends.includes(last.state) ? html`<p class="muted">${wordOf(last.state)}</p>` : last?.skipped ? html`<p class="muted">not run, because its if does not hold</p>` : last ? html`
        <p class="muted">${last.error ? 'failed' : last.edited ? 'edited output' : last.preview ? 'last output' : 'has run'}, step ${addressOf('', last.index, last.part)}</p>
        ${(last.error || last.preview) && html`<pre class=${cx('clip', last.error && 'wrong')}>${visible(last.error || last.preview)}</pre>`}` : own.value && html`<p class="muted">${isLatest.value ? 'not run up to here' : '…'}</p>`}
      ${far.value > 0 && node.branches && html`<p class="mono muted clip">${node.branches.map((b) => b.id).join(', ')}</p>`}
    </div>`;
}

// placeOf is where the values are shown: at a side of the node, so that the nodes before and after it
// can be reached, else below or above it.
function placeOf({ x, y, width, height }) {
  const { x: dx, y: dy, k } = view.value;
  const pane = size.value;
  const [left, right, top, bottom] = [dx + (x - width / 2) * k, dx + (x + width / 2) * k, dy + (y - height / 2) * k, dy + (y + height / 2) * k];
  const at = (name, n) => ({ [name]: `${Math.round(n)}px` });
  const side = Math.max(left, pane.width - right) - 14 - MARGIN;
  if (side >= LEAST) {
    const across = pane.width - right >= left ? at('left', right + 14) : at('right', pane.width - left + 14);
    const down = bottom < pane.height / 2 ? at('top', Math.max(MARGIN, top)) : at('bottom', Math.max(MARGIN, pane.height - bottom));
    return { ...across, ...down, ...at('maxWidth', Math.min(MOST, side)) };
  }
  const most = Math.min(MOST, pane.width - 2 * MARGIN);
  const across = at('left', Math.max(MARGIN, Math.min(pane.width - most - MARGIN, (left + right - most) / 2)));
  return { ...across, ...at('maxWidth', most), ...(pane.height - bottom < top ? at('bottom', pane.height - top + 6) : at('top', Math.max(MARGIN, bottom + 6))) };
}
