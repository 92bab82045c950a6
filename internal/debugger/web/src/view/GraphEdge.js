import { html, cx } from '../lib/html.js';
import { memo } from '../lib/memo.js';
import { plain } from '../lib/visible.js';

// GraphEdge is a way to a node. either says that another way out of the same node leads there too: the record of a
// switch has the node that was chosen, not the condition.
export const GraphEdge = memo(({ edge, taken, either }) => html`
  <g class=${cx('edge', edge.kind, taken && 'taken', taken && either && 'either')} data-edge=${edge.key} transform=${edge.shift ? `translate(${edge.shift.join(' ')})` : null}>
    <path d=${edge.path} marker-end=${`url(#arrow-${taken ? 'taken' : 'plain'})`} />
  </g>`);

// EdgeLabel is the words of a condition, next to the switch on the edge that they are about.
export const EdgeLabel = memo(({ edge, taken, either }) => {
  const { lines, width, height } = edge.text;
  return html`
    <g class=${cx('edge', 'label', edge.kind, taken && 'taken', taken && either && 'either')} data-label=${edge.key} transform=${`translate(${edge.at.x} ${edge.at.y})`}>
      <title>${plain(edge.label)}${taken && either ? `\none of several ways to ${edge.to}; the step says which` : ''}</title>
      <rect x=${-width / 2} y=${-height / 2} width=${width} height=${height} rx="5" />
      ${lines.map((line, i) => html`<text key=${i} text-anchor="middle" y=${3.8 + 13 * (i - (lines.length - 1) / 2)}>${plain(line)}</text>`)}
    </g>`;
});
