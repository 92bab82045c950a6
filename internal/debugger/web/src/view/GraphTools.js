import { html } from '../lib/html.js';
import { useState } from 'preact/hooks';
import { graph } from '../state/project.js';
import { fit, showData, zoom } from '../state/graphview.js';
import { beside } from '../state/ui.js';
import { focusNode } from '../lib/nodekey.js';
import { Button } from './Button.js';

// GraphTools: find a node, enlarge, fit.
export function GraphTools() {
  const [text, setText] = useState('');
  const [chosen, choose] = useState(0);
  const word = text.trim().toLowerCase();
  const hits = word ? graph.value.nodes.filter((n) => `${n.id} ${n.server ?? ''} ${n.tool ?? ''}`.toLowerCase().includes(word)).slice(0, 8) : [];
  const take = (n) => {
    setText('');
    focusNode(n.id);
  };
  const keys = (e) => {
    if (e.key === 'Enter' && hits[chosen]) take(hits[chosen]);
    else if (e.key === 'Escape') setText('');
    else if (e.key === 'ArrowDown') choose(Math.min(chosen + 1, hits.length - 1));
    else if (e.key === 'ArrowUp') choose(Math.max(chosen - 1, 0));
    else return;
    e.preventDefault();
  };
  return html`
    <div class="graph-tools">
      <div class="find">
        <input id="find-node" type="search" role="combobox" aria-label="find a node" aria-expanded=${String(hits.length > 0)} aria-controls="found-nodes"
          aria-activedescendant=${hits[chosen] ? `found-${chosen}` : null} placeholder="Find a node" title="Find a node (/)" value=${text} spellcheck=${false} autocomplete="off"
          onInput=${(e) => { setText(e.currentTarget.value); choose(0); }} onKeyDown=${keys} onBlur=${() => setText('')} />
        ${word && html`
          <ul id="found-nodes" role="listbox">
            ${hits.map((n, i) => html`<li key=${n.id} id=${`found-${i}`} role="option" aria-selected=${String(i === chosen)} onPointerDown=${(e) => { e.preventDefault(); take(n); }}>
              <span class="mono">${n.id}</span> <span class="muted">${n.type}</span></li>`)}
            ${!hits.length && html`<li class="muted">no node of this name</li>`}
          </ul>`}
      </div>
      <div class="zoom">
        <${Button} icon="data" only label="Data beside the nodes" hint="v" aria-pressed=${String(beside.value)} onClick=${showData} />
        <${Button} icon="plus" only label="Larger" hint="+" onClick=${() => zoom(1.25)} />
        <${Button} icon="minus" only label="Smaller" hint="-" onClick=${() => zoom(0.8)} />
        <${Button} icon="fit" only label="Fit into view" hint="f" onClick=${fit} />
      </div>
    </div>`;
}
