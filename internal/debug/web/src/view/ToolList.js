import { html } from '../lib/html.js';
import { chooseTool, toolName } from '../state/project.js';
import { attempt } from '../state/ui.js';

export const ToolList = ({ tools }) => html`
  <ul class="tools">
    ${tools.map((t) => html`
      <li key=${t.name}>
        <button type="button" aria-current=${t.name === toolName.value ? 'true' : null} onClick=${() => attempt(() => chooseTool(t.name))}>
          <span><span class="mono">${t.name}</span>${t.hidden && html` <span class="badge" title="Clients do not see this tool">hidden</span>`}</span>
          <span class="muted" title=${t.description}>${t.description || t.title}</span>
        </button>
      </li>`)}
  </ul>`;
