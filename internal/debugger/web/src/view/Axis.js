import { html } from '../lib/html.js';
import { useEffect, useRef, useState } from 'preact/hooks';
import { at, ticks, timeAt } from '../lib/axis.js';
import { duration } from '../lib/format.js';
import { lookAtTime, panTime, wholeTime, zoomTime, zoomed } from '../state/timeview.js';

const DRAG = 4; // pixels from which on a press is a drag
const NUDGE = 0.2; // of what is looked at

// useTimeGestures gives { ref, picking, width } for an element whose width is the axis: the wheel on it zooms, and moves
// sideways; a drag chooses a part. tap takes a press that is none. Where all the wheel does is scroll, it needs Ctrl.
export function useTimeGestures(axis, { tap, plain = true } = {}) {
  const ref = useRef(null);
  const now = useRef();
  now.current = { axis, tap };
  const [picking, pick] = useState(null); // [left, right] in per cent
  const [width, setWidth] = useState(0);
  useEffect(() => {
    const el = ref.current;
    const observer = new ResizeObserver(() => setWidth(el.clientWidth));
    observer.observe(el);
    const placeOf = (e) => {
      const box = el.getBoundingClientRect();
      return Math.min(100, Math.max(0, ((e.clientX - box.left) / box.width) * 100));
    };
    const wheel = (e) => {
      const { axis: a } = now.current;
      if (!plain && !e.ctrlKey && !e.metaKey && Math.abs(e.deltaX) <= Math.abs(e.deltaY)) return;
      e.preventDefault();
      if (Math.abs(e.deltaX) > Math.abs(e.deltaY) || e.shiftKey) panTime(a, (e.deltaX || e.deltaY) / 500);
      else zoomTime(a, 1.0015 ** -e.deltaY, timeAt(a, placeOf(e)));
    };
    let from = null;
    const down = (e) => {
      if (e.button !== 0) return;
      from = { x: e.clientX, place: placeOf(e) };
      el.setPointerCapture(e.pointerId);
    };
    const move = (e) => {
      if (from && Math.abs(e.clientX - from.x) > DRAG) from.dragged = true;
      if (from?.dragged) pick([from.place, placeOf(e)].sort((a, b) => a - b));
    };
    const up = (e) => {
      if (!from) return;
      const [a, b] = [from.place, placeOf(e)].sort((x, y) => x - y);
      if (from.dragged) lookAtTime(now.current.axis, timeAt(now.current.axis, a), timeAt(now.current.axis, b));
      else now.current.tap?.(e);
      from = null;
      pick(null);
    };
    const cancel = () => { from = null; pick(null); };
    const on = { wheel, pointerdown: down, pointermove: move, pointerup: up, pointercancel: cancel, ...(plain && { dblclick: wholeTime }) };
    for (const [name, f] of Object.entries(on)) el.addEventListener(name, f, { passive: false });
    return () => {
      observer.disconnect();
      for (const [name, f] of Object.entries(on)) el.removeEventListener(name, f);
    };
  }, []);
  return { ref, picking, width };
}

// timeKeys handles the keys of an axis and reports whether one was.
export function timeKeys(e, axis, sideways = true) {
  const by = { '+': () => zoomTime(axis, 2), '=': () => zoomTime(axis, 2), '-': () => zoomTime(axis, 0.5), 0: wholeTime, Escape: () => zoomed.value && wholeTime(),
    ...(sideways && { ArrowLeft: () => panTime(axis, -NUDGE), ArrowRight: () => panTime(axis, NUDGE), Home: () => panTime(axis, -1e9), End: () => panTime(axis, 1e9) }) }[e.key];
  if (!by || e.ctrlKey || e.metaKey || e.altKey) return false;
  by();
  e.preventDefault();
  e.stopPropagation();
  return true;
}

export const spanText = ({ from, to }) => `${duration(from) || '0'} to ${duration(to)}`;

// Folds are the marks of times that are left out.
export const Folds = ({ axis }) => axis.folds.map((f) => html`<i key=${f.from} class="folded" style=${{ left: `${f.left.toFixed(2)}%`, width: `${f.width.toFixed(2)}%` }} title=${`nothing ran for ${duration(f.to - f.from)}: folded`}></i>`);

// Axis is the head of what is drawn over time.
export function Axis({ axis, whole }) {
  const { ref, picking, width } = useTimeGestures(axis);
  return html`
    <div class=${whole ? 'axis whole' : 'axis'}>
      <div class="axis-times" ref=${ref} tabindex="0" role="slider" aria-label="time that is shown" aria-valuemin=${Math.round(axis.whole.from)} aria-valuemax=${Math.round(axis.whole.to)} aria-valuenow=${Math.round(axis.from)} aria-valuetext=${spanText(axis)}
        title="Wheel or + and − zoom, a drag chooses a part, arrows move, 0 shows all" onKeyDown=${(e) => timeKeys(e, axis)}>
        <${Folds} axis=${axis} />
        ${ticks(axis, width).map((t) => html`<span key=${t.text} style=${{ left: `${t.at.toFixed(2)}%` }}>${t.text}</span>`)}
        ${picking && html`<i class="picking" style=${{ left: `${picking[0]}%`, width: `${picking[1] - picking[0]}%` }}></i>`}
      </div>
    </div>`;
}
