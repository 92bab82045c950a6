import { html } from '../lib/html.js';
import { outline } from '../lib/shape.js';

const always = [['entry', 'entry, exit'], ['mcp', 'call'], ['transform', 'transform'], ['switch', 'switch']];
const others = [['graph', 'graph'], ['parallel', 'parallel'], ['ask', 'ask']];

// Legend explains the shapes.
export const Legend = ({ g }) => html`
  <ul class="legend" aria-label="kinds of nodes">
    ${[...always, ...others.filter(([type]) => g.nodes.some((n) => n.type === type))].map(([type, text]) => html`
      <li key=${type}><svg class=${`node ${type}`} width="24" height="14" viewBox="-24 -14 48 28" aria-hidden="true"><path class="body" d=${outline(type, 44, 24)} />${type === 'graph' && html`<path class="bars" d="M-16 -12v24M16 -12v24" />`}</svg>${text}</li>`)}
  </ul>`;
