import { useEffect, useRef } from 'preact/hooks';
import { begin, move, resized, zoom } from '../state/graphview.js';
import { tipped } from '../state/latest.js';

// useGestures lets the graph be moved by dragging or two fingers on a trackpad, and enlarged by the
// wheel or by two fingers on the screen. It gives the ref of the element.
export function useGestures() {
  const ref = useRef(null);
  useEffect(() => {
    const el = ref.current;
    const fingers = new Map();
    const measure = () => {
      const { width, height } = el.getBoundingClientRect();
      resized(width, height);
    };
    measure();
    begin();
    const observer = new ResizeObserver(measure);
    observer.observe(el);
    const wheel = (e) => {
      e.preventDefault();
      tipped.value = '';
      const box = el.getBoundingClientRect();
      const y = e.deltaY * (e.deltaMode ? 30 : 1); // of lines: a wheel
      if (e.ctrlKey || e.metaKey || Math.abs(y) >= 50) zoom(Math.exp(-Math.sign(y) * Math.min(0.25, Math.abs(y) * 0.004)), e.clientX - box.x, e.clientY - box.y);
      else move(-e.deltaX, -y);
    };
    const down = (e) => {
      if (e.button > 0 || (e.pointerType === 'mouse' && e.target.closest('.node'))) return;
      tipped.value = '';
      fingers.set(e.pointerId, { x: e.clientX, y: e.clientY, far: 0 });
      if (!e.target.closest('.node')) el.setPointerCapture(e.pointerId);
    };
    const drag = (e) => {
      const from = fingers.get(e.pointerId);
      if (!from) return;
      const far = from.far + Math.hypot(e.clientX - from.x, e.clientY - from.y);
      if (fingers.size === 1) {
        move(e.clientX - from.x, e.clientY - from.y);
      } else {
        const other = [...fingers].find(([id]) => id !== e.pointerId)[1];
        const box = el.getBoundingClientRect();
        const apart = (a, b) => Math.hypot(a.x - b.x, a.y - b.y) || 1;
        zoom(apart({ x: e.clientX, y: e.clientY }, other) / apart(from, other), other.x - box.x, other.y - box.y);
      }
      fingers.set(e.pointerId, { x: e.clientX, y: e.clientY, far });
      if (far > 6) el.setPointerCapture(e.pointerId); // it is no tap on a node any more
    };
    const up = (e) => fingers.delete(e.pointerId);
    const on = [['wheel', wheel], ['pointerdown', down], ['pointermove', drag], ['pointerup', up], ['pointercancel', up]];
    for (const [name, f] of on) el.addEventListener(name, f, { passive: false });
    return () => {
      observer.disconnect();
      for (const [name, f] of on) el.removeEventListener(name, f);
    };
  }, []);
  return ref;
}
