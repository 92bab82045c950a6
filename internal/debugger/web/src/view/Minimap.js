import { html, cx } from '../lib/html.js';
import { memo } from '../lib/memo.js';
import { lit } from '../state/run.js';
import { centre, move, shown, size, view, visible } from '../state/graphview.js';

const MOST = { width: 176, height: 120 };

// Minimap is a large graph as a whole, with a frame around the part that is shown. The frame is moved
// by dragging, a click, or the arrow keys.
export function Minimap({ g }) {
  const k = Math.min(MOST.width / g.width, MOST.height / g.height);
  const { x, y, width, height } = shown.value;
  const go = (e) => {
    const box = e.currentTarget.getBoundingClientRect();
    centre((e.clientX - box.x) / k, (e.clientY - box.y) / k);
  };
  const down = (e) => {
    if (e.button > 0) return;
    e.currentTarget.setPointerCapture(e.pointerId);
    go(e);
  };
  const drag = (e) => e.currentTarget.hasPointerCapture(e.pointerId) && go(e);
  const keys = (e) => {
    const by = { ArrowLeft: [1, 0], ArrowRight: [-1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1], PageUp: [0, 4], PageDown: [0, -4] }[e.key];
    if (!by || e.ctrlKey || e.metaKey || e.altKey) return;
    e.preventDefault();
    e.stopPropagation();
    move(by[0] * size.value.width * 0.2, by[1] * size.value.height * 0.2);
  };
  const seen = g.nodes.filter(visible).length;
  // The frame stays in the map, also when more than the graph is shown.
  const left = Math.max(0, x * k);
  const top = Math.max(0, y * k);
  const right = Math.min(g.width * k, (x + width) * k);
  const bottom = Math.min(g.height * k, (y + height) * k);
  return html`
    <div class=${cx('minimap', seen === g.nodes.length && 'idle')} role="group" tabindex="0" aria-label=${`overview: ${seen} of ${g.nodes.length} nodes are shown, at ${Math.round(view.value.k * 100)} %; arrows move the view`} title="Overview; drag, or focus it and press the arrows" onKeyDown=${keys}>
      <svg width=${g.width * k} height=${g.height * k} aria-hidden="true" onPointerDown=${down} onPointerMove=${drag}>
        <g transform=${`scale(${k})`}><${Dots} g=${g} /></g>
        ${right > left && bottom > top && html`<rect class="frame" x=${left + 0.75} y=${top + 0.75} width=${Math.max(6, right - left - 1.5)} height=${Math.max(6, bottom - top - 1.5)} />`}
      </svg>
    </div>`;
}

const Dots = memo(({ g }) => {
  const { counts, current, failed } = lit.value;
  const last = g.nodes.filter((n) => n.id === current || n.id === failed);
  const dot = (n, large) => html`<rect key=${n.id} class=${cx('dot', n.type, counts.get(n.id) && 'ran', n.id === current && 'current', n.id === failed && 'failed')}
    x=${n.box.x - n.box.width / 2 - large} y=${n.box.y - n.box.height / 2 - large} width=${n.box.width + 2 * large} height=${n.box.height + 2 * large} />`;
  return html`${g.nodes.map((n) => dot(n, 0))}${last.map((n) => dot(n, Math.max(g.width, g.height) / 70))}`;
});
