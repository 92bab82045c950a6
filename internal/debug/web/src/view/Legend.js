import { html } from '../lib/html.js';
import { outline } from '../lib/shape.js';

const kinds = [['entry', 'entry, exit'], ['mcp', 'call'], ['transform', 'transform'], ['switch', 'switch']];

// Legend explains the shapes.
export const Legend = () => html`
  <ul class="legend" aria-label="kinds of nodes">
    ${kinds.map(([type, text]) => html`
      <li key=${type}><svg class=${`node ${type}`} width="24" height="14" viewBox="-24 -14 48 28" aria-hidden="true"><path class="body" d=${outline(type, 44, 24)} /></svg>${text}</li>`)}
  </ul>`;
