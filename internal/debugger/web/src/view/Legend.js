import { html } from '../lib/html.js';
import { outline } from '../lib/shape.js';

const kinds = [['entry', 'entry, exit'], ['mcp', 'call (mcp)'], ['transform', 'transform'], ['switch', 'switch'], ['graph', 'graph'], ['parallel', 'parallel'], ['ask', 'ask'], ['steps', 'block']];
const arrows = [['read', 'reads'], ['after', 'after'], ['order', 'order'], ['default', 'default'], ['error', 'on error']];

// Shape is a node of a kind as it is drawn, smaller.
const Shape = ({ type }) => html`
  <svg class=${`node ${type}`} width="26" height="15" viewBox="-44 -25 88 50" aria-hidden="true"><path class="body" d=${outline(type, 80, 42)} />${type === 'transform' && html`<path class="fold" d="M26 -21v14h14" />`}${type === 'graph' && html`<path class="bars" d="M-31 -21v42M31 -21v42" />`}</svg>`;

const Arrow = ({ kind }) => html`
  <svg class=${`edge ${kind}`} width="24" height="14" viewBox="0 -7 24 14" aria-hidden="true"><path d="M0 0h18" /><path class="tip" d="M16 -3.5 22 0 16 3.5z" /></svg>`;

// Legend explains the shapes and arrows that the graph has, as it has them; walked is whether a run of it is shown.
export function Legend({ g, walked }) {
  const doubled = walked && !g.ofSteps && g.edges.some((e, i) => e.kind !== 'error' && g.edges.some((o, k) => k > i && o.kind !== 'error' && o.from === e.from && o.to === e.to));
  return html`
    <ul class="legend" aria-label="kinds of nodes">
      ${kinds.filter(([type]) => g.nodes.some((n) => n.type === type)).map(([type, text]) => html`<li key=${type}><${Shape} type=${type} />${text}</li>`)}
      ${arrows.filter(([kind]) => g.edges.some((e) => e.kind === kind)).map(([kind, text]) => html`<li key=${kind}><${Arrow} kind=${kind} />${text}</li>`)}
      ${doubled && html`<li key="either"><${Arrow} kind="taken either" />one of these was taken</li>`}
    </ul>`;
}
