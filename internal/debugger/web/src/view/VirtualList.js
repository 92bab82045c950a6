import { html } from '../lib/html.js';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';

const OVER = 12; // rows drawn above and below what is seen

// VirtualList draws the rows that are seen, of any number of rows of one height. follow
// is the row to keep in view; about, what it shows: the list moves only when that changes; above is how many rows to show above it when it comes in.
export function VirtualList({ count, height, row, follow, label, role = 'listbox', onKeyDown, active, wide, above = 1, about }) {
  const ref = useRef(null);
  const [range, setRange] = useState({ top: 0, seen: 400 });
  const look = () => {
    const el = ref.current;
    if (el) setRange((old) => (old.top === el.scrollTop && old.seen === el.clientHeight ? old : { top: el.scrollTop, seen: el.clientHeight }));
  };
  useEffect(() => {
    const observer = new ResizeObserver(look);
    observer.observe(ref.current);
    return () => observer.disconnect();
  }, []);
  useLayoutEffect(() => {
    const el = ref.current;
    if (follow === null || follow === undefined || follow < 0) return;
    const top = follow * height;
    const out = top < el.scrollTop || top + height * Math.min(3, above + 1) > el.scrollTop + el.clientHeight;
    if (out && above > 1) el.scrollTop = Math.max(0, top - above * height);
    else if (top < el.scrollTop) el.scrollTop = Math.max(0, top - height);
    else if (out) el.scrollTop = top + 2 * height - el.clientHeight;
    look();
  }, about === undefined ? [follow, count] : [about]);
  const first = Math.max(0, Math.floor(range.top / height) - OVER);
  const last = Math.min(count, Math.ceil((range.top + range.seen) / height) + OVER);
  const rows = [];
  for (let i = first; i < last; i++) rows.push(row(i, { top: `${i * height}px`, height: `${height}px` }));
  return html`
    <div class="virtual" ref=${ref} role=${role} aria-label=${label} tabindex="0" aria-activedescendant=${active ?? null} onScroll=${look} onKeyDown=${onKeyDown}>
      <div class="virtual-all" style=${{ height: `${count * height}px`, minWidth: wide ?? '100%' }}>${rows}</div>
    </div>`;
}
