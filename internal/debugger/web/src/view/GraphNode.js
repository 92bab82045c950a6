import { html, cx } from '../lib/html.js';
import { memo } from '../lib/memo.js';
import { outline } from '../lib/shape.js';
import { DATA, detail } from '../lib/box.js';
import { counted, percent, truncate } from '../lib/format.js';
import { plain } from '../lib/visible.js';
import { breakpointOf } from '../state/breakpoints.js';
import { goToNode } from '../state/run.js';
import { lookInto } from '../state/into.js';
import { show } from '../state/ui.js';
import { nodeKey } from '../lib/nodekey.js';
import { Branch, BranchWords } from './Branch.js';
import { Stop } from './Stop.js';

const marks = { mcp: '⇄', transform: 'ƒ', switch: '?', parallel: '∥', graph: '▤', ask: '“', steps: '≡' };

// GraphNode: a click inspects its latest step; a click on a dot at its left sets a breakpoint. Far
// away it is its shape, its state, and a short form of its name.
export const GraphNode = memo((props) => {
  const { g, node, count, current, running, failed, cancelled, handled, edited, part, progress, skipped, far, tab, last, heat } = props;
  const { box } = node;
  const stop = breakpointOf(node.id);
  const height = box.height - (box.data ? DATA : 0);
  const at = `translate(${box.x} ${box.y - (box.data ? DATA / 2 : 0)})`;
  const inside = (e) => {
    e.stopPropagation();
    lookInto(node);
  };
  const many = hasParts(node);
  const label = [
    `${node.type} ${node.id}`, detail(node), node.each && 'for each item', ...notesRead(node), count ? `ran ${count === 1 ? 'once' : `${count} times`}` : skipped ? 'not run: its if does not hold' : 'not run',
    (current || node.name) && (running ? { runs: 'running', stands: 'current, the run waits here' }[running] : current && 'current'), progress && counted(progress, 'part'), failed && 'failed', cancelled && 'cancelled', handled && 'an error was handled', edited && 'its output was edited',
    heat > 0 && `${percent(heat)} of the time`,
    stop && (stop.disabled ? 'breakpoint, off' : 'breakpoint'),
  ].filter(Boolean).map(plain).join(', ');
  return html`
    <g class=${cx('node', node.type, count > 0 && 'ran', skipped && 'skipped', current && 'current', running === 'runs' && 'running', running && 'begun', failed && 'failed')}
      transform=${at} data-node=${node.id} role="button" tabindex=${tab ? 0 : -1} aria-label=${label} aria-expanded=${node.closed ? 'false' : null}
      onClick=${() => { goToNode(node.id); show('step'); }} onKeyDown=${(e) => nodeKey(e, g, node)}>
      ${current && html`<path class="halo" d=${outline(node.type, box.width + 10, height + 10)} />`}
      ${node.each && [8, 4].map((by) => html`<path key=${by} class="body behind" transform=${`translate(${by} ${by})`} d=${outline(node.type, box.width, height)} />`)}
      <path class="body" d=${outline(node.type, box.width, height)} style=${heat > 0 && { '--heat': `${Math.round(heat * 100)}%` }} />
      ${node.type === 'transform' && html`<path class="fold" d=${`M${box.width / 2 - 14} ${-height / 2}v14h14`} />`}
      ${node.type === 'graph' && html`<path class="bars" d=${`M${9 - box.width / 2} ${-height / 2}v${height}M${box.width / 2 - 9} ${-height / 2}v${height}`} />`}
      ${!far && box.branches?.map((b) => html`<${Branch} key=${b.id} node=${node} branch=${b} current=${current && b.id === part} stop=${breakpointOf(`${node.id}.${b.id}`)} />`)}
      ${!far && node.type === 'graph' && html`<${Into} x=${box.width / 2 - 24} tool=${node.tool} onClick=${inside} />`}
      ${!far && node.closed && html`<${Into} x=${box.width / 2 - 20} title="Open this block (i)" onClick=${inside} />`}
      <${Badges} ...${props} height=${height} />
      ${(!far || stop) && html`<g transform=${`translate(${1 - box.width / 2} ${many && !far ? -11 : 0}) scale(${far ? far * 0.7 : 1})`}><${Stop} name=${node.id} stop=${stop} x=${-2} y=${0} text="a breakpoint" hint="b" /></g>`}
      ${many && !far && html`<${Stop} name=${`${node.id}[]`} stop=${breakpointOf(`${node.id}[]`)} x=${-1 - box.width / 2} y=${13} text=${node.name ? 'a breakpoint before each item and turn' : 'a breakpoint before each part'} hint="e" each />`}
    </g>
    <g class=${cx('words', node.type, skipped && 'skipped')} aria-hidden="true" transform=${at}>
      ${far ? html`<${Short} node=${node} height=${height} far=${far} />` : html`<${Words} node=${node} height=${height} />`}
${heat >= 0.005 && !far && html`<${Heat} text=${percent(heat)} x=${8 - box.width / 2} y=${height / 2} />`}
      ${box.data && !far && html`<${Data} node=${node} height=${height} last=${last} />`}
    </g>`;
});

// Words are what is read in a node from near by. The name of the button says the same, and more: what
// is drawn is often shortened.
function Words({ node, height }) {
  const { box } = node;
  const [left, top] = [-box.width / 2, -height / 2];
  const mark = marks[node.type];
  const textX = left + (mark ? (node.type === 'switch' ? 36 : node.type === 'graph' ? 40 : 32) : box.width / 2);
  return html`
    ${mark && html`<text class="mark" x=${left + (node.type === 'switch' ? 24 : node.type === 'graph' ? 26 : 18)} y=${box.branches ? top + 20 : 5} text-anchor="middle">${mark}</text>`}
    <text class="name" x=${textX} y=${box.branches ? top + 19 : box.notes ? -10 : box.sub ? -3 : 4.5} text-anchor=${mark ? 'start' : 'middle'}>${plain(box.title)}</text>
    ${box.sub && html`<text class="sub" x=${textX} y=${box.notes ? 6 : 13}>${plain(box.sub)}</text>`}
    ${box.notes && html`<text class="sub notes" x=${textX} y="20">${plain(box.notes)}</text>`}
    ${box.branches?.map((b) => html`<${BranchWords} key=${b.id} branch=${b} />`)}`;
}

// Short is the beginning and the end of a node's name, as large as it can be read from far away, where
// there is room for some letters.
function Short({ node, height, far }) {
  const size = Math.min(9 * far, height * 0.92);
  const letters = Math.floor((node.box.width - (node.type === 'switch' ? 44 : 14)) / (size * 0.61));
  const name = node.name ?? node.id;
  if (size / far < 7.8 || letters < Math.min(4, name.length)) return null;
  const half = (letters - 1) / 2;
  const text = name.length <= letters ? name : `${name.slice(0, Math.floor(half))}…${name.slice(-Math.ceil(half))}`;
  return html`<text class="short" y=${size * 0.35} text-anchor="middle" font-size=${size}>${plain(text)}</text>`;
}

// Badges are the state of a node, each with a sign of its own: how often it ran, a failure, that the run
// was cancelled, a handled error, an edited output, that it runs.
export function Badges({ node, height, count, running, failed, cancelled, handled, edited, skipped, progress, far }) {
  const [x, y] = [node.box.width / 2 - 4, height / 2];
  const by = far ? far * 0.75 : 1;
  const words = progress || (count > 1 ? `×${count}` : '');
  const round = (on, name, at, sign, text) => on && html`
    <g class=${`badge-${name} at`} transform=${`translate(${at[0]} ${at[1]}) scale(${by})`}><title>${text}</title><circle r="8" /><text y="4" text-anchor="middle">${sign}</text></g>`;
  return html`
    ${round(handled, 'caught', [x, y], '!', 'an error was handled by onError')}
    ${round(failed, 'failed', [-x, -y], '✕', node.name ? 'it failed' : 'the run failed here')}
    ${round(skipped, 'skipped', [-x, -y], '–', 'not run, because its if does not hold')}
    ${round(cancelled, 'cancelled', [-x, -y], '■', 'the run was cancelled here')}
    ${round(edited, 'edited', [-x + 12, y], '✎', 'its output was edited')}
    ${running && !failed && html`<g class=${`badge-${running} at`} transform=${`translate(${-x} ${-y}) scale(${by})`}><title>${running === 'runs' ? 'it runs' : 'the run waits here'}</title><circle r="8" /><path d=${running === 'runs' ? 'M0-4.6A4.6 4.6 0 1 1-4.6 0' : 'M-2-3.5v7M2-3.5v7'} /></g>`}
    ${' ' /* the texts of a node are read as one */}${words && (!far || far < 4) && html`
      <g class="count" transform=${`translate(${x} ${-y}) scale(${by})`}>
        <rect x=${-(3 + words.length * 7)} y="-9" width=${11 + words.length * 7} height="18" rx="9" />
        <text x=${2.5 - words.length * 3.5} y="4" text-anchor="middle">${words}</text>
      </g>`}`;
}

// hasParts reports whether a node, or a step, has parts before which a run can pause: an expression for each item has none.
export const hasParts = (node) => node.repeat || (node.each && node.type !== 'transform');

// notesRead are the notes of a step as they are read out.
export const notesRead = (node) => [node.repeat && 'repeated', node.changes && 'changes something', node.if && `if ${node.if}`, node.onError === 'skip' && 'skipped on error', node.onError === 'value' && 'with a value on error'];

// Data is the last output below a node.
export function Data({ node, height, last }) {
  const width = node.box.width - 12;
  const text = !last || last.skipped ? '' : last.error ? `✕ ${last.error}` : last.preview;
  return html`
    <g class=${cx('data', text ? last.error && 'failed' : 'none')} transform=${`translate(0 ${height / 2})`}>
      <path d=${`M${-width / 2} 1v${DATA - 6}q0 4 4 4h${width - 8}q4 0 4 -4v${6 - DATA}`} />
      <text y="14.5" text-anchor="middle">${text ? truncate(plain(text.replace(/\s+/g, ' ')), Math.floor((width - 10) / 6.65)) : 'not run'}</text>
    </g>`;
}

// Heat is the share of the run that a node took.
const Heat = ({ text, x, y }) => html`
  <g class="heat" transform=${`translate(${x} ${y})`}><rect y="-9" width=${12 + text.length * 6.8} height="18" rx="9" /><text x=${6 + text.length * 3.4} y="4" text-anchor="middle">${text}</text></g>`;

// Into is the way into a called graph, or into a block.
export const Into = ({ x, y = 0, tool, title, onClick }) => html`
  <g class="into" transform=${`translate(${x} ${y})`} onClick=${onClick}>
    <title>${title ?? `Look into ${tool} (i)`}</title><circle r="9" /><path d="M-3 -3 3 3M-1 3h4v-4" />
  </g>`;
