import { html, cx } from '../lib/html.js';
import { go } from '../state/run.js';
import { show } from '../state/ui.js';
import { duration } from '../lib/format.js';

// StepRow is one step of the timeline. While its page is on its way it has what the
// path has: the node.
export const StepRow = ({ i, node, step, chosen, count, style }) => html`
  <div class=${cx('row', step?.error && 'failed', step?.edited && 'edited')} id=${`step-${i}`} role="option" aria-selected=${String(chosen)}
    aria-posinset=${i + 1} aria-setsize=${count} style=${style} onClick=${() => { go(i); show('step'); }}>
    <span class="row-index">${i}</span>
    <span class=${cx('kind', step?.type)} aria-hidden="true"></span>
    <span class="row-node mono" title=${node}>${node}</span>
    <span class="row-value mono" title=${step?.error || step?.preview}>${step?.error || step?.preview}</span>
    <span class="row-time">${step ? (step.edited ? 'edited' : duration(step.ms)) : ''}</span>
  </div>`;
