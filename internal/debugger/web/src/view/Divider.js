import { html } from '../lib/html.js';
import { useEffect, useRef, useState } from 'preact/hooks';
import { bounds, grow, reset, resize, sizeOf, widen } from '../state/panes.js';

const STEP = 16; // pixels for a key
const TWICE = 350; // ms in which a second click makes a double one

// Divider is the edge of a pane (side, inspector, timeline), which changes its size: by dragging it, by keys, or
// by a click, which makes the pane as large as it can be, and small again.
export function Divider({ name, label }) {
  const ref = useRef(null);
  const drag = useRef(null);
  const once = useRef(0); // the click that may become a double one
  const [now, setNow] = useState({ size: 0, least: 0, most: 0 });
  const across = name === 'timeline';
  useEffect(() => {
    const look = () => setNow({ size: sizeOf(name), ...bounds(name) });
    const observer = new ResizeObserver(look);
    for (const pane of [name, 'graph']) observer.observe(document.querySelector(`.${pane}`));
    return () => observer.disconnect();
  }, []);
  const position = (e) => (across ? -e.clientY : name === 'side' ? e.clientX : -e.clientX);
  const down = (e) => {
    if (e.button !== 0) return;
    clearTimeout(once.current);
    ref.current.setPointerCapture(e.pointerId);
    drag.current = { from: position(e), size: sizeOf(name), moved: false };
  };
  const move = (e) => {
    const d = drag.current;
    if (!d) return;
    const by = position(e) - d.from;
    d.moved ||= Math.abs(by) > 3;
    if (d.moved) resize(name, d.size + by);
  };
  const up = () => {
    if (drag.current && !drag.current.moved) once.current = setTimeout(() => widen(name), TWICE);
    drag.current = null;
  };
  const twice = () => {
    clearTimeout(once.current);
    reset(name);
  };
  const [larger, smaller] = across ? ['ArrowUp', 'ArrowDown'] : name === 'side' ? ['ArrowRight', 'ArrowLeft'] : ['ArrowLeft', 'ArrowRight'];
  const keys = (e) => {
    const by = (e.shiftKey ? 4 : 1) * STEP;
    const act = {
      [larger]: () => grow(name, by), [smaller]: () => grow(name, -by),
      Home: () => resize(name, 0), End: () => resize(name, Infinity), Enter: () => widen(name),
    }[e.key];
    if (!act || e.ctrlKey || e.metaKey || e.altKey) return;
    e.preventDefault();
    act();
  };
  return html`
    <div ref=${ref} class=${`divider of-${name}`} role="separator" tabindex="0" aria-label=${label} aria-orientation=${across ? 'horizontal' : 'vertical'} aria-controls=${`pane-${name}`}
      aria-valuenow=${now.size} aria-valuemin=${now.least} aria-valuemax=${now.most} aria-valuetext=${`${now.size} pixels`}
      title="Drag, or use the arrow keys; click for the largest size; double click for the usual one"
      onPointerDown=${down} onPointerMove=${move} onPointerUp=${up} onPointerCancel=${() => { drag.current = null; }} onDblClick=${twice} onKeyDown=${keys}></div>`;
}
