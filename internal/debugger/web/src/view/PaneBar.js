import { html } from '../lib/html.js';
import { hasRun, inspects, shownPane, shownTab } from '../state/panes.js';
import { pane, show } from '../state/ui.js';

const choose = (id) => () => (id === 'inspect' && !inspects.value ? show('source') : pane.value = id);

// PaneBar chooses the pane on a narrow window, where there is room for one. Without a run there are no steps.
export function PaneBar() {
  const last = hasRun.value ? 'Inspect' : inspects.value && shownTab.value === 'step' ? 'Node' : 'File';
  const panes = [['side', 'Tools & runs'], ['graph', 'Graph'], hasRun.value && ['steps', 'Steps'], ['inspect', last]].filter(Boolean);
  return html`
  <nav class="panebar" aria-label="panes">
    ${panes.map(([id, text]) => html`<button type="button" key=${id} aria-current=${id === shownPane.value ? 'page' : null} onClick=${choose(id)}>${text}</button>`)}
  </nav>`;
}
