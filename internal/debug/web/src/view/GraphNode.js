import { html, cx } from '../lib/html.js';
import { memo } from '../lib/memo.js';
import { outline } from '../lib/shape.js';
import { detail } from '../lib/layout.js';
import { breakpointOf } from '../state/breakpoints.js';
import { goToNode } from '../state/run.js';
import { lookInto } from '../state/into.js';
import { show } from '../state/ui.js';
import { nodeKey } from '../lib/nodekey.js';
import { Branch } from './Branch.js';
import { Stop } from './Stop.js';

const marks = { mcp: '⇄', transform: 'ƒ', switch: '?', parallel: '∥', graph: '▤', ask: '“' };

// GraphNode: a click inspects its latest step; a click on a dot at its left sets a breakpoint.
export const GraphNode = memo(({ g, node, count, current, running, failed, handled, part, progress }) => {
  const { box } = node;
  const stop = breakpointOf(node.id);
  const left = -box.width / 2;
  const right = box.width / 2;
  const top = -box.height / 2;
  const label = [
    `${node.type} ${node.id}`, detail(node), node.each && 'for each item', count ? `ran ${count === 1 ? 'once' : `${count} times`}` : 'has not run',
    current && 'current', progress && `${progress} parts`, failed && 'failed', handled && 'an error was handled', stop && (stop.disabled ? 'breakpoint, off' : 'breakpoint'),
  ].filter(Boolean).join(', ');
  const lines = Boolean(box.sub);
  const mark = marks[node.type];
  const textX = left + (mark ? (node.type === 'switch' ? 36 : node.type === 'graph' ? 40 : 32) : box.width / 2);
  const badge = progress || (count > 1 ? `×${count}` : '');
  const inside = (e) => {
    e.stopPropagation();
    lookInto(node);
  };
  return html`
    <g class=${cx('node', node.type, count > 0 && 'ran', current && 'current', running && 'running', failed && 'failed')}
      transform=${`translate(${box.x} ${box.y})`} data-node=${node.id} role="button" tabindex=${node.type === 'entry' ? 0 : -1} aria-label=${label}
      onClick=${() => { goToNode(node.id); show('step'); }} onKeyDown=${(e) => nodeKey(e, g, node)}>
      <title>${node.id}${detail(node) && `\n${detail(node)}`}${node.each ? ' × each' : ''}</title>
      ${current && html`<path class="halo" d=${outline(node.type, box.width + 10, box.height + 10)} />`}
      ${node.each && [8, 4].map((by) => html`<path key=${by} class="body behind" transform=${`translate(${by} ${by})`} d=${outline(node.type, box.width, box.height)} />`)}
      <path class="body" d=${outline(node.type, box.width, box.height)} />
      ${node.type === 'transform' && html`<path class="fold" d=${`M${right - 14} ${top}v14h14`} />`}
      ${node.type === 'graph' && html`<path class="bars" d=${`M${left + 9} ${top}v${box.height}M${right - 9} ${top}v${box.height}`} />`}
      ${mark && html`<text class="mark" x=${left + (node.type === 'switch' ? 24 : node.type === 'graph' ? 26 : 18)} y=${box.branches ? top + 20 : 5} text-anchor="middle">${mark}</text>`}
      <text class="name" x=${textX} y=${box.branches ? top + 19 : lines ? -3 : 4.5} text-anchor=${mark ? 'start' : 'middle'}>${box.title}</text>
      ${lines && html`<text class="sub" x=${textX} y="13">${box.sub}</text>`}
      ${box.branches?.map((b) => html`<${Branch} key=${b.id} node=${node} branch=${b} current=${current && b.id === part} stop=${breakpointOf(`${node.id}.${b.id}`)} />`)}
      ${handled && html`<g class="caught" transform=${`translate(${right - 4} ${-top})`}><title>an error was handled by onError</title><circle r="8" /><text y="4" text-anchor="middle">!</text></g>`}
      ${badge && html`
        <g class="count" transform=${`translate(${right - 4} ${top})`}>
          <rect x=${-(3 + badge.length * 7)} y="-9" width=${11 + badge.length * 7} height="18" rx="9" />
          <text x=${2.5 - badge.length * 3.5} y="4" text-anchor="middle">${badge}</text>
        </g>`}
      ${node.type === 'graph' && html`<${Into} x=${right - 24} tool=${node.tool} onClick=${inside} />`}
      <${Stop} name=${node.id} stop=${stop} x=${left - 1} y=${node.each ? -11 : 0} text="a breakpoint" hint="b" />
      ${node.each && html`<${Stop} name=${`${node.id}[]`} stop=${breakpointOf(`${node.id}[]`)} x=${left - 1} y=${13} text="a breakpoint before each part" hint="e" each />`}
    </g>`;
});

// Into is the way into a called graph.
export const Into = ({ x, y = 0, tool, onClick }) => html`
  <g class="into" transform=${`translate(${x} ${y})`} onClick=${onClick}>
    <title>Look into ${tool} (i)</title><circle r="9" /><path d="M-3 -3 3 3M-1 3h4v-4" />
  </g>`;
