import { html } from '../lib/html.js';
import { keys, nodeKeys } from '../state/keys.js';
import { project } from '../state/project.js';
import { Dialog } from './Dialog.js';

const Table = ({ title, rows }) => html`
  <section><h3>${title}</h3>
    <dl class="keys">${rows.map((k) => html`<div key=${k.key}><dt><kbd>${k.key}</kbd></dt><dd>${k.text}</dd></div>`)}</dl>
  </section>`;

export const HelpDialog = () => html`
  <${Dialog} title="Keyboard and help" wide>
    <p class="muted">Click a node to inspect its latest step, the dot at its left to set a breakpoint. Drag to move the graph; the wheel, or two fingers, enlarge it. The slider travels through the steps of the frame that is shown; a node that calls a graph has an arrow that leads into it.</p>
    <div class="columns">
      <div><${Table} title="Runs and steps" rows=${keys.filter((k) => k.group === 'Runs and steps')} /><${Table} title="On a node" rows=${nodeKeys} /></div>
      <${Table} title="Page" rows=${keys.filter((k) => k.group === 'Page')} />
    </div>
    <p class="muted">Toolgraph ${project.value.version}. Nothing on this page leaves the machine.</p>
  </${Dialog}>`;
