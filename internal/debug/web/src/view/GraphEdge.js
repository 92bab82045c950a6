import { html, cx } from '../lib/html.js';
import { memo } from '../lib/memo.js';

export const GraphEdge = memo(({ edge, taken }) => html`
  <g class=${cx('edge', edge.kind, taken && 'taken')}>
    <path d=${edge.path} marker-end=${`url(#arrow-${taken ? 'taken' : 'plain'})`} />
  </g>`);

// EdgeLabel is the words of a condition, drawn over all edges.
export const EdgeLabel = memo(({ edge, taken }) => html`
  <g class=${cx('edge', edge.kind, taken && 'taken')} transform=${`translate(${edge.at.x} ${edge.at.y})`}>
    <title>${edge.label}</title>
    <rect x=${-edge.labelWidth / 2} y="-9" width=${edge.labelWidth} height="18" rx="5" />
    <text text-anchor="middle" y="3.8">${edge.short}</text>
  </g>`);
