import { html } from '../lib/html.js';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { count } from '../lib/format.js';
import { pathOf } from '../lib/jsonata.js';
import { Button } from './Button.js';

const PAUSE = 200; // ms without a key before the search begins

// ValueSearch searches the keys and texts of a value on the server, also those that are not on the page. search
// is { text, index }; onShow leads to a match.
export function ValueSearch({ source, search, stamp, label, onSearch, onShow, onClose }) {
  const [found, setFound] = useState(null); // { text, stamp, total, partial, pages: Map }
  const [error, setError] = useState('');
  const first = useRef(null);
  const { text, index } = search;
  useLayoutEffect(() => {
    if (!search.kept) first.current?.focus(); // opened just now; at once, so that what is typed next is in it
    search.kept = true;
  }, []);
  const load = async (from, known) => {
    const answer = await source.search(text, from);
    return { ...(known ?? { text }), total: answer.total, partial: answer.partial, pages: new Map(known?.pages).set(from, answer.matches) };
  };
  useEffect(() => {
    if (!text) {
      setFound(null);
      return undefined;
    }
    let old = false;
    const timer = setTimeout(() => load(0).then((f) => {
      if (old) return;
      setFound(f);
      setError('');
      if (f.total) show(Math.min(index, f.total - 1), f);
    }, (e) => !old && setError(e.message)), found?.text === text ? 0 : PAUSE);
    return () => {
      old = true;
      clearTimeout(timer);
    };
  }, [text, stamp]);
  const size = found?.pages.get(0)?.length || 1;
  const matchAt = (f, i) => f?.pages.get(Math.floor(i / size) * size)?.[i % size];
  const show = async (i, f = found) => {
    const from = Math.floor(i / size) * size;
    let known = f;
    if (!known.pages.has(from)) setFound(known = await load(from, known));
    onSearch({ ...search, text, index: i });
    const match = known.pages.get(from)?.[i - from];
    if (match) onShow(match);
  };
  const step = (by) => found?.total && show((index + by + found.total) % found.total).catch((e) => setError(e.message));
  const keys = (e) => {
    if (e.key === 'Enter') step(e.shiftKey ? -1 : 1);
    else if (e.key === 'Escape') onClose();
    else return;
    e.preventDefault();
    e.stopPropagation();
  };
  const match = matchAt(found, index);
  return html`
    <div class="value-search" role="search" aria-label=${`in ${label}`}>
      <input type="search" ref=${first} aria-label=${`search in ${label}`} placeholder="keys and values" value=${text} spellcheck=${false} autocomplete="off" onKeyDown=${keys}
        onInput=${(e) => onSearch({ ...search, text: e.currentTarget.value, index: 0 })} />
      <span class="muted found" role="status">${error || (found && text ? (found.total ? `${count(index + 1)} of ${count(found.total)}${found.partial ? ' or more' : ''}` : found.partial ? 'none so far' : 'none') : '')}</span>
      <${Button} icon="back" only label="Previous match" hint="Shift+Enter" disabled=${!found?.total} onClick=${() => step(-1)} />
      <${Button} icon="forward" only label="Next match" hint="Enter" disabled=${!found?.total} onClick=${() => step(1)} />
      <${Button} icon="close" only label="Close the search" hint="Esc" onClick=${onClose} />
      ${match && text && html`<p class="match"><span class="mono">${pathOf(source.root ?? '$', match.path)}</span> <span class="muted">${match.in === 'key' ? 'key' : match.excerpt}</span></p>`}
    </div>`;
}
