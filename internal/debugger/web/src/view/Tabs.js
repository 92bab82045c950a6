import { html } from '../lib/html.js';

// Tabs: arrows, Home and End move between them, as ARIA's pattern has it.
export function Tabs({ label, tabs, chosen, onChoose }) {
  const keys = (e) => {
    const here = tabs.findIndex((t) => t.id === chosen);
    const to = { ArrowRight: here + 1, ArrowLeft: here - 1, Home: 0, End: -1 }[e.key];
    if (to === undefined) return;
    e.preventDefault();
    const list = [...e.currentTarget.querySelectorAll('[role=tab]')];
    const i = (to + tabs.length) % tabs.length;
    onChoose(tabs[i].id);
    list[i].focus();
  };
  return html`
    <div class="tabs" role="tablist" aria-label=${label} onKeyDown=${keys}>
      ${tabs.map((t) => html`
        <button type="button" role="tab" id=${`tab-${t.id}`} key=${t.id} aria-selected=${String(t.id === chosen)} aria-controls=${t.id === chosen ? `panel-${t.id}` : null}
          tabindex=${t.id === chosen ? 0 : -1} onClick=${() => onChoose(t.id)}>${t.text}${t.badge ? html` <span class="badge">${t.badge}</span>` : ''}</button>`)}
    </div>`;
}
