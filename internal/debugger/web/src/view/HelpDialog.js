import { html } from '../lib/html.js';
import { keys, shown } from '../state/keys.js';
import { project } from '../state/project.js';
import { letters } from '../state/ui.js';
import { Dialog } from './Dialog.js';

const Group = ({ title }) => html`
  <section><h3>${title}</h3>
    <dl class="keys">${keys.filter((k) => k.group === title).map((k) => html`<div key=${k.key}><dt><kbd>${shown(k.key)}</kbd></dt><dd>${k.text}</dd></div>`)}</dl>
  </section>`;

// HelpDialog lists the keys of state/keys.js.
export const HelpDialog = () => html`
  <${Dialog} title="Keyboard and help" wide>
    <p class="muted">Click a node to inspect its latest step, the dot at its left to set a breakpoint. Drag to move the graph; the wheel, or two fingers, enlarge it. The slider moves through the steps of the frame that is shown; a node that calls a graph has an arrow that leads into it.</p>
    <div class="columns">${[...new Set(keys.map((k) => k.group))].map((title) => html`<${Group} key=${title} title=${title} />`)}</div>
    <label class="switch"><input type="checkbox" checked=${letters.value} onChange=${(e) => { letters.value = e.currentTarget.checked; }} /> keys without Ctrl or a function key, such as j and /</label>
    <p class="muted">Toolgraph ${project.value.version}. Nothing on this page leaves the machine.</p>
  </${Dialog}>`;
