import { html } from '../lib/html.js';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { chooseTool, formName as toolName } from '../state/project.js';
import { attempt, pane } from '../state/ui.js';

const MANY = 8; // tools; more can be searched
const ROW = 40; // pixels of a tool, at least

// ToolList chooses a tool: arrows move between them, a search leaves some of many. What is typed in the list goes to the search.
export function ToolList({ tools }) {
  const [text, setText] = useState('');
  const [reached, reach] = useState(toolName.value); // by the arrows
  const list = useRef(null);
  const search = useRef(null);
  const words = text.trim().toLowerCase().split(/\s+/);
  const shown = tools.filter((t) => words.every((w) => `${t.name} ${t.title} ${t.description}`.toLowerCase().includes(w)));
  const about = [toolName.value, shown.length, pane.value];
  const inSight = () => list.current?.querySelector('[aria-selected=true]')?.scrollIntoView({ block: 'nearest' });
  useLayoutEffect(() => {
    reach(toolName.value);
    inSight();
  }, about);
  useEffect(inSight, about); // once the form has taken its room
  const choose = (name) => attempt(() => chooseTool(name));
  const focusAt = (i) => {
    const t = shown[Math.max(0, Math.min(shown.length - 1, i))];
    if (!t) return;
    reach(t.name);
    [...list.current.querySelectorAll('[role=option]')].find((b) => b.dataset.tool === t.name)?.focus();
  };
  const keys = (e) => {
    const i = shown.findIndex((t) => t.name === e.target.dataset.tool);
    const to = { ArrowDown: i + 1, ArrowUp: i - 1, Home: 0, End: shown.length - 1 }[e.key];
    const typed = search.current && /^[^\s?/]$/u.test(e.key) && !e.ctrlKey && !e.metaKey && !e.altKey;
    if (to === undefined && !typed) return;
    e.preventDefault();
    if (typed) setText(text + e.key);
    if (typed || (to < 0 && search.current)) search.current.focus();
    else focusAt(to);
  };
  const searchKeys = (e) => {
    if (e.key === 'ArrowDown') focusAt(0);
    else if (e.key === 'Enter' && !e.ctrlKey && !e.metaKey && shown.length) choose(shown[0].name);
    else if (e.key === 'Escape' && text) setText('');
    else return;
    e.preventDefault();
  };
  const entry = shown.some((t) => t.name === reached) ? reached : shown[0]?.name; // what Tab comes to
  return html`
    ${tools.length > MANY && html`
      <div class="tool-search"><input id="find-tool" ref=${search} type="search" aria-label="search the tools" placeholder=${`Search ${tools.length} tools`} value=${text} spellcheck=${false} autocomplete="off"
        onInput=${(e) => setText(e.currentTarget.value)} onKeyDown=${searchKeys} />
        <span class="sr" role="status">${text && `${shown.length} of ${tools.length} tools`}</span></div>`}
    <ul class="tools" role="listbox" aria-label="tools" ref=${list} onKeyDown=${keys} style=${{ '--least': `${shown.length * ROW + 16}px` }}>
      ${shown.map((t) => html`
        <li key=${t.name} role="presentation">
          <button type="button" role="option" data-tool=${t.name} tabindex=${t.name === entry ? 0 : -1} aria-selected=${String(t.name === toolName.value)} onClick=${() => choose(t.name)}>
            <span><span class="mono">${t.name}</span>${t.title && t.title !== t.name && html` <span class="tool-title">${t.title}</span>`}${t.hidden && html` <span class="badge" title="Clients do not see this tool">hidden</span>`}</span>
            <span class="muted" title=${t.description}>${t.description}</span>
          </button>
        </li>`)}
    </ul>
    ${!shown.length && html`<p class="muted no-tools">No tool has this text. <button type="button" class="linkish" onClick=${() => setText('')}>Show all</button></p>`}`;
}
