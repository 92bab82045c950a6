import { html, cx } from '../lib/html.js';
import { addressOf } from '../lib/address.js';
import { go, lookAt } from '../state/run.js';
import { fold } from '../state/steps.js';
import { show } from '../state/ui.js';
import { count as number, duration } from '../lib/format.js';

const inspect = (i, part) => {
  go(i, part);
  show('step');
};
const inside = (work) => (e) => {
  e.stopPropagation();
  work();
};

// Into leads into the frame of the graph that a step or part has called.
const Into = ({ step }) => step?.frame && html`
  <button type="button" class="row-into" tabindex="-1" title=${`Look into ${step.calls || 'the graph'} (i)`} aria-label=${`look into ${step.calls || 'the graph'}`} onClick=${inside(() => lookAt(step.frame))}>↘</button>`;

// Marks say what a step has been through.
const Marks = ({ step }) => html`
  ${step?.confirmed && html`<span class="tag" title="the user has agreed to the call">confirmed</span>`}
  ${step?.cached && html`<span class="tag" title="the answer to an equal call before; no call was made">cached</span>`}
  ${step?.attempts > 1 && html`<span class="tag" title=${`${step.attempts} attempts`}>${step.attempts} attempts</span>`}
  ${step?.handled && html`<span class="tag warn" title=${step.handled}>error handled</span>`}`;

// StepRow is one step of the timeline. While its page is on its way it has what the
// path has: the node.
export const StepRow = ({ i, row, frame, node, step, runs, open, chosen, count, style }) => html`
  <div class=${cx('row', step?.error && 'failed', step?.edited && 'edited', runs && 'begun')} id=${`step-${row}`} role="option" aria-selected=${String(chosen)}
    aria-posinset=${row + 1} aria-setsize=${count} aria-expanded=${step?.parts ? String(open) : null} style=${style} onClick=${() => inspect(i)}>
    <span class="row-index">${i}</span>
    <span class=${cx('kind', step?.type)} aria-hidden="true"></span>
    <span class="row-node mono" title=${node}>${node}</span>
    <span class="row-value mono" title=${step?.error || step?.preview}>
      ${step?.parts > 0 && html`<button type="button" class="tag unfold" tabindex="-1" aria-label=${`${open ? 'hide' : 'list'} the parts`} onClick=${inside(() => fold(addressOf(frame, i)))}>${open ? '▾' : '▸'} ${runs ? `${number(step.ended ?? 0)} of ` : ''}${number(step.parts)} parts${step.failed ? `, ${number(step.failed)} failed` : ''}</button>`}
      <${Marks} step=${step} />${step?.error || step?.preview}</span>
    <span class="row-time"><${Into} step=${step} />${step ? (step.edited ? 'edited' : runs ? 'runs' : duration(step.ms)) : ''}</span>
  </div>`;

const states = { next: 'next', runs: 'runs', waits: 'waits', none: 'not run' };

// PartRow is a part of a step: an item or a branch.
export const PartRow = ({ i, n, step, chosen, row, count, style }) => html`
  <div class=${cx('row', 'part', step?.error && 'failed', step && `is-${step.state}`)} id=${`step-${row}`} role="option" aria-level="2" aria-selected=${String(chosen)}
    aria-posinset=${row + 1} aria-setsize=${count} style=${style} onClick=${() => inspect(i, step?.part ?? String(n))}>
    <span class="row-index">${i}.${step?.part ?? n}</span>
    <span class=${cx('kind', step?.type)} aria-hidden="true"></span>
    <span class="row-node mono" title=${step?.item}>${step?.item ?? step?.part ?? ''}</span>
    <span class="row-value mono" title=${step?.error || step?.preview}><${Marks} step=${step} />${step?.error || step?.preview}</span>
    <span class="row-time"><${Into} step=${step} />${step ? states[step.state] ?? duration(step.ms) : ''}</span>
  </div>`;
