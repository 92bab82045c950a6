import { html, cx } from '../lib/html.js';
import { memo } from '../lib/memo.js';
import { outline } from '../lib/shape.js';
import { DATA, detail } from '../lib/box.js';
import { isTurn, lastOf } from '../lib/address.js';
import { plain } from '../lib/visible.js';
import { breakpointOf } from '../state/breakpoints.js';
import { toItem } from '../state/items.js';
import { goToNode } from '../state/run.js';
import { toggleBlock } from '../state/graphview.js';
import { show } from '../state/ui.js';
import { nodeKey } from '../lib/nodekey.js';
import { counted } from '../lib/format.js';
import { Badges, Data, notesRead } from './GraphNode.js';
import { Stop } from './Stop.js';

// Block is a block of steps that is open: its steps are drawn in it. item is the part of the run whose steps these are: of an
// item or a turn, its head leads to the one before and the next.
export const Block = memo((props) => {
  const { g, node, count, current, running, failed, handled, skipped, progress, item, far, tab, last } = props;
  const { box } = node;
  const height = box.height - (box.data ? DATA : 0);
  const [left, top] = [-box.width / 2, -height / 2];
  const at = `translate(${box.x} ${box.y - (box.data ? DATA / 2 : 0)})`;
  const many = node.each || node.repeat;
  const stop = breakpointOf(node.id);
  const label = [`block ${node.id}`, detail(node), node.each && 'for each item', ...notesRead(node), count ? 'ran' : skipped ? 'not run: its if does not hold' : 'not run', running === 'runs' && 'running', running === 'stands' && 'the run waits in it',
    many && item && itemText(item), progress && counted(progress, node.each ? 'item' : node.repeat ? 'turn' : 'part'), failed && 'failed', handled && 'an error was handled', current && 'current', stop && (stop.disabled ? 'breakpoint, off' : 'breakpoint')].filter(Boolean).map(plain).join(', ');
  const close = (e) => {
    e.stopPropagation();
    toggleBlock(node.id);
  };
  return html`
    <g class=${cx('node block', node.type, count > 0 && 'ran', skipped && 'skipped', current && 'current', running && 'begun', running === 'runs' && 'running', failed && 'failed')} transform=${at} data-node=${node.id} role="button" tabindex=${tab ? 0 : -1} aria-label=${label}
      aria-expanded="true" onClick=${() => { goToNode(node.id); show('step'); }} onKeyDown=${(e) => nodeKey(e, g, node)}>
      ${current && html`<path class="halo" d=${outline('steps', box.width + 10, height + 10)} />`}
      ${many && [8, 4].map((by) => html`<path key=${by} class="body behind" transform=${`translate(${by} ${by})`} d=${outline('steps', box.width, height)} />`)}
      <path class="body" d=${outline('steps', box.width, height)} />
      ${!far && html`
        <g class="into" transform=${`translate(${left + 20} ${top + 17})`} onClick=${close}><title>Close this block (i)</title><circle r="9" /><path d="M-3.5 -1.5 0 2.5 3.5 -1.5" /></g>
        ${many && item && html`<${Along} x=${box.width / 2 - 12} y=${top + 17} node=${node} item=${item} />`}`}
      <${Badges} ...${props} height=${height} />
      ${(!far || stop) && html`<g transform=${`translate(${left + 1} ${top + 17 - (many && !far ? 6 : 0)}) scale(${far ? far * 0.7 : 1})`}><${Stop} name=${node.id} stop=${stop} x=${-2} y=${0} text="a breakpoint" hint="b" /></g>`}
      ${many && !far && html`<${Stop} name=${`${node.id}[]`} stop=${breakpointOf(`${node.id}[]`)} x=${left - 1} y=${top + 35} text="a breakpoint before each item and turn" hint="e" each />`}
    </g>
    <g class=${cx('words', node.type, skipped && 'skipped')} aria-hidden="true" transform=${at}>
      ${!far && html`<text class="name" x=${left + 36} y=${top + 21}>${plain(box.title)}<tspan class="sub" dx="10">${plain(box.sub)}</tspan></text>
        ${box.notes && html`<text class="sub notes" x=${left + 36} y=${top + 37}>${plain(box.notes)}</text>`}`}
      ${box.data && !far && html`<${Data} node=${node} height=${height} last=${last} />`}
    </g>`;
});

// itemText names the item or turn whose steps are drawn.
const itemText = (item) => `${isTurn(item) ? 'turn' : 'item'} ${lastOf(item)}`;

// Along leads through the items and turns of a block.
function Along({ x, y, node, item }) {
  const go = (by) => (e) => {
    e.stopPropagation();
    toItem(node.id, by);
  };
  const arrow = (at, by, d, text) => html`<g class="along" transform=${`translate(${at} 0)`} onClick=${go(by)}><title>${text}</title><circle r="9" /><path d=${d} /></g>`;
  const [what] = itemText(item).split(' ');
  return html`
    <g transform=${`translate(${x} ${y})`}>
      ${arrow(-8, 1, 'M-1.5 -3.5 2 0 -1.5 3.5', `The next ${what}`)}
      <text class="sub along-text" x="-66" y="4" text-anchor="middle">${itemText(item)}</text>
      ${arrow(-124, -1, 'M1.5 -3.5 -2 0 1.5 3.5', `The ${what} before`)}
    </g>`;
}
