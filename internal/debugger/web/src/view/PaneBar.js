import { html } from '../lib/html.js';
import { pane } from '../state/ui.js';

const panes = [['side', 'Tools & runs'], ['graph', 'Graph'], ['steps', 'Steps'], ['inspect', 'Inspect']];

// PaneBar chooses the pane on a narrow window, where there is room for one.
export const PaneBar = () => html`
  <nav class="panebar" aria-label="panes">
    ${panes.map(([id, text]) => html`<button type="button" key=${id} aria-current=${id === pane.value ? 'page' : null} onClick=${() => { pane.value = id; }}>${text}</button>`)}
  </nav>`;
