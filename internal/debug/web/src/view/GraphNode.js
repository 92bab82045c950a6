import { html, cx } from '../lib/html.js';
import { memo } from '../lib/memo.js';
import { outline } from '../lib/shape.js';
import { detail } from '../lib/layout.js';
import { breakpointOf, toggleBreakpoint } from '../state/breakpoints.js';
import { goToNode, keepBreakpoints } from '../state/run.js';
import { show } from '../state/ui.js';
import { nodeKey } from '../lib/nodekey.js';

const marks = { mcp: '⇄', transform: 'ƒ', switch: '?' };

// GraphNode: a click inspects its latest step; a click on the dot at its left sets a
// breakpoint.
export const GraphNode = memo(({ g, node, count, current, running, failed }) => {
  const { box } = node;
  const stop = breakpointOf(node.id);
  const left = -box.width / 2;
  const label = [
    `${node.type} ${node.id}`, detail(node), count ? `ran ${count === 1 ? 'once' : `${count} times`}` : 'has not run',
    current && 'current', failed && 'failed', stop && (stop.disabled ? 'breakpoint, off' : 'breakpoint'),
  ].filter(Boolean).join(', ');
  const breakpoint = (e) => {
    e.stopPropagation();
    toggleBreakpoint(node.id);
    keepBreakpoints();
  };
  const lines = Boolean(box.sub);
  const mark = marks[node.type];
  const textX = left + (mark ? (node.type === 'switch' ? 36 : 32) : box.width / 2);
  return html`
    <g class=${cx('node', node.type, count > 0 && 'ran', current && 'current', running && 'running', failed && 'failed')}
      transform=${`translate(${box.x} ${box.y})`} data-node=${node.id} role="button" tabindex=${node.type === 'entry' ? 0 : -1} aria-label=${label}
      onClick=${() => { goToNode(node.id); show('step'); }} onKeyDown=${(e) => nodeKey(e, g, node)}>
      <title>${node.id}${detail(node) && `\n${detail(node)}`}</title>
      ${current && html`<path class="halo" d=${outline(node.type, box.width + 10, box.height + 10)} />`}
      <path class="body" d=${outline(node.type, box.width, box.height)} />
      ${node.type === 'transform' && html`<path class="fold" d=${`M${box.width / 2 - 14} ${-box.height / 2}v14h14`} />`}
      ${mark && html`<text class="mark" x=${left + (node.type === 'switch' ? 24 : 18)} y="5" text-anchor="middle">${mark}</text>`}
      <text class="name" x=${textX} y=${lines ? -3 : 4.5} text-anchor=${mark ? 'start' : 'middle'}>${box.title}</text>
      ${lines && html`<text class="sub" x=${textX} y="13">${box.sub}</text>`}
      ${count > 1 && html`
        <g class="count" transform=${`translate(${box.width / 2 - 4} ${-box.height / 2})`}>
          <rect x=${-(10 + String(count).length * 7)} y="-9" width=${18 + String(count).length * 7} height="18" rx="9" />
          <text x=${-(1 + String(count).length * 3.5)} y="4" text-anchor="middle">×${count}</text>
        </g>`}
      <g class=${cx('stop', stop && 'set', stop?.disabled && 'off', stop?.condition && 'conditional')} transform=${`translate(${left - 1} 0)`} onClick=${breakpoint}>
        <title>${stop ? 'Remove the breakpoint (b)' : 'Set a breakpoint (b)'}</title>
        <circle class="reach" r="13" /><circle class="dot" r="6" />
        ${stop?.condition && html`<path d="M-3 -1.4h6M-3 1.4h6" />`}
      </g>
    </g>`;
});
