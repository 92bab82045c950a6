import { html, cx } from '../lib/html.js';
import { goToNode } from '../state/run.js';
import { lookInto } from '../state/into.js';
import { show } from '../state/ui.js';
import { plain } from '../lib/visible.js';
import { Into } from './GraphNode.js';
import { Stop } from './Stop.js';

// Branch of a parallel, in its box: a click inspects its latest call.
export function Branch({ node, branch, current, stop }) {
  const { left, top, width, height } = branch;
  const middle = top + height / 2;
  const inspect = (e) => {
    e.stopPropagation();
    goToNode(node.id, branch.id);
    show('step');
  };
  const inside = (e) => {
    e.stopPropagation();
    lookInto(node, branch);
  };
  return html`
    <g class=${cx('branch', branch.type, current && 'current')} data-branch=${`${node.id}.${branch.id}`} onClick=${inspect}>
      <title>${node.id}.${branch.id}${`\n${branch.sub}`}</title>
      <rect x=${left} y=${top} width=${width} height=${height} rx="5" />
      ${branch.type === 'graph' && html`<${Into} x=${left + width - 14} y=${middle} tool=${branch.tool} onClick=${inside} />`}
      <${Stop} name=${`${node.id}.${branch.id}`} stop=${stop} x=${left} y=${middle} text="a breakpoint before this branch" small />
    </g>`;
}

export const BranchWords = ({ branch: { type, title, sub, left, top, width, height } }) => html`
  <text class="branch-name" x=${left + 14} y=${top + height / 2 + 4}>${plain(title)}</text>
  <text class="sub" x=${left + width - (type === 'graph' ? 28 : 10)} y=${top + height / 2 + 4} text-anchor="end">${plain(sub)}</text>`;
