import { html, cx } from '../lib/html.js';
import { memo } from '../lib/memo.js';
import { plain } from '../lib/visible.js';

export const GraphEdge = memo(({ edge, taken }) => html`
  <g class=${cx('edge', edge.kind, taken && 'taken')} data-edge=${edge.key}>
    <path d=${edge.path} marker-end=${`url(#arrow-${taken ? 'taken' : 'plain'})`} />
  </g>`);

// EdgeLabel is the words of a condition, next to the switch on the edge that they are about.
export const EdgeLabel = memo(({ edge, taken }) => {
  const { lines, width, height } = edge.text;
  return html`
    <g class=${cx('edge', 'label', edge.kind, taken && 'taken')} data-label=${edge.key} transform=${`translate(${edge.at.x} ${edge.at.y})`}>
      <title>${plain(edge.label)}</title>
      <rect x=${-width / 2} y=${-height / 2} width=${width} height=${height} rx="5" />
      ${lines.map((line, i) => html`<text key=${i} text-anchor="middle" y=${3.8 + 13 * (i - (lines.length - 1) / 2)}>${plain(line)}</text>`)}
    </g>`;
});
