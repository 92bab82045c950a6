import { html } from '../lib/html.js';
import { outline } from '../lib/shape.js';

const kinds = [['entry', 'entry, exit'], ['mcp', 'call'], ['transform', 'transform'], ['switch', 'switch'], ['graph', 'graph'], ['parallel', 'parallel'], ['ask', 'ask'], ['steps', 'block']];
const arrows = [['read', 'reads'], ['after', 'after'], ['order', 'order']];

// Legend explains the shapes and arrows that the graph has, as it has them.
export const Legend = ({ g }) => html`
  <ul class="legend" aria-label="kinds of nodes">
    ${kinds.filter(([type]) => g.nodes.some((n) => n.type === type)).map(([type, text]) => html`
      <li key=${type}><svg class=${`node ${type}`} width="24" height="14" viewBox="-24 -14 48 28" aria-hidden="true"><path class="body" d=${outline(type, 44, 24)} />${type === 'transform' && html`<path class="fold" d="M8 -12v14h14" />`}${type === 'graph' && html`<path class="bars" d="M-16 -12v24M16 -12v24" />`}</svg>${text}</li>`)}
    ${arrows.filter(([kind]) => g.edges.some((e) => e.kind === kind)).map(([kind, text]) => html`
      <li key=${kind}><svg class=${`edge ${kind}`} width="24" height="14" viewBox="0 -7 24 14" aria-hidden="true"><path d="M0 0h18" /><path class="tip" d="M16 -3.5 22 0 16 3.5z" /></svg>${text}</li>`)}
  </ul>`;
