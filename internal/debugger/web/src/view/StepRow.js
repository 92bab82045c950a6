import { html, cx } from '../lib/html.js';
import { isTurn, lastOf, stepId } from '../lib/address.js';
import { lookAt } from '../state/run.js';
import { fold } from '../state/steps.js';
import { count as number, duration, plural } from '../lib/format.js';
import { wordOf } from '../lib/status.js';
import { Bar } from './Bar.js';
import { Elapsed } from './Elapsed.js';

const inside = (work) => (e) => {
  e.stopPropagation();
  work();
};

// Into leads into the frame of the graph that a step or part has called.
const Into = ({ step }) => step?.frame && html`
  <button type="button" class="row-into" tabindex="-1" title=${`Look into ${step.calls || 'the graph'} (i)`} aria-label=${`look into ${step.calls || 'the graph'}`} onClick=${inside(() => lookAt(step.frame))}>↘</button>`;

// Marks say what a step has been through.
const Marks = ({ step }) => html`
  ${step?.copied && html`<span class="tag" title="from the run that was forked, before this run began">copied</span>`}
  ${step?.confirmed && html`<span class="tag" title="the user has agreed to the call">confirmed</span>`}
  ${step?.cached && html`<span class="tag" title="the answer to an equal call before; no call was made">cached</span>`}
  ${step?.attempts > 1 && html`<span class="tag" title=${`${step.attempts} attempts`}>${step.attempts} attempts</span>`}
  ${step?.handled && html`<span class="tag warn">handled</span>`}`;

// within says what is folded under a step: its parts by their states, or the steps of the graph that it
// has called.
function within(step, runs) {
  if (!step.parts) return plural(step.inner, 'step');
  const { ended = 0, running = 0, paused = 0, failed = 0, caught = 0, notRun = 0, parts, partsAre = 'part' } = step;
  return [runs ? `${number(ended)} of ${plural(parts, partsAre)}` : plural(parts, partsAre), running && `${number(running)} running`, paused && `${number(paused)} paused`, failed && `${number(failed)} failed`, caught && `${number(caught)} handled`, notRun && `${number(notRun)} not run`].filter(Boolean).join(', ');
}

const Fold = ({ step, runs, open, address }) => (step?.parts > 0 || step?.inner > 0) && html`
  <button type="button" class="tag unfold" tabindex="-1" aria-label=${`${open ? 'hide' : 'list'} ${within(step, runs)}`} onClick=${inside(() => fold(address))}>${open ? '▾' : '▸'} ${within(step, runs)}</button>`;

// Report is what the server of a call in flight reports of it.
const Report = ({ report: { done, total, message } }) => html`
  <span class="report">${total > 0 && html`<progress max=${total} value=${Math.min(done, total)} aria-label="progress of the call"></progress> `}${message || (total > 0 ? `${number(done)} of ${number(total)}` : number(done))}</span>`;

// Time is how long a step took, or has been running.
function Time({ step, runs, going, began }) {
  if (!step) return '';
  if (step.edited) return 'edited';
  if (step.skipped) return wordOf('none');
  if (runs) return going ? html`<i class="spinner"></i><${Elapsed} since=${began + step.start} />` : 'has begun';
  return ['paused', 'waits', 'none'].includes(step.state) ? wordOf(step.state) : duration(step.ms);
}

// partName names a part: by its item, its turn, its step or its branch.
function partName(step) {
  if (!step?.part) return '';
  if (isTurn(step.part)) return `turn ${lastOf(step.part)}`;
  return step.item ?? (stepId(step.part) === step.node ? lastOf(step.part) : step.part);
}

// StepRow is a step of the list, or a part of one: an item or a branch. While its page is on its way it
// has what the path has: the node. place is its address in the frame that is shown; axis is { axis, began, now }.
export function StepRow({ row, address, place, title, part, depth, node, step, runs, going, open, chosen, active, count, held, report, axis, onChoose, style }) {
  const said = step?.skipped ? 'its if does not hold' : [step?.error || step?.handled, step?.preview].filter(Boolean).join(' → ');
  const name = part ? partName(step) : node;
  const indent = depth > 0 && { paddingLeft: `${Math.min(depth, 6) * 14}px` };
  return html`
    <div class=${cx('row', depth > 0 && 'part', part && 'of-part', active && 'active', step?.error && (step.cancelled ? 'cancelled' : 'failed'), step?.edited && 'edited', runs && 'begun', step?.skipped ? 'is-none' : step?.state && `is-${step.state}`)}
      id=${`step-${row}`} role="treeitem" aria-level=${depth + 1} aria-selected=${String(chosen)} data-depth=${depth} aria-posinset=${row + 1} aria-setsize=${count}
      aria-expanded=${step?.parts || step?.inner ? String(open) : null} style=${style} onClick=${onChoose}>
      <span class="row-index" title=${title}>${place}</span>
      <span class=${cx('kind', step?.type)} aria-hidden="true"></span>
      <span class="row-node mono" title=${part ? step?.item : node} style=${indent || null}>${name}</span>
      <span class="row-value mono" title=${said}>
        <${Fold} step=${step} runs=${runs} open=${open} address=${address} />
        ${going && runs && report && html`<${Report} report=${report} />`}
        <${Marks} step=${step} />${said}</span>
      <${Bar} axis=${axis.axis} now=${axis.now} step=${step} held=${held} runs=${runs} />
      <span class="row-time"><${Into} step=${step} /><${Time} step=${step} runs=${runs} going=${going} began=${axis.began} /></span>
    </div>`;
}

// RefusedRow is the value of a run that was refused after its last step.
export const RefusedRow = ({ row, run, chosen, count, onChoose, style }) => html`
  <div class="row failed refused" id=${`step-${row}`} role="treeitem" aria-level="1" aria-selected=${String(chosen)} aria-posinset=${row + 1} aria-setsize=${count} style=${style} onClick=${onChoose}>
    <span class="row-index"></span><span class="kind exit" aria-hidden="true"></span>
    <span class="row-node">run failed</span>
    <span class="row-value mono" title=${run.error.message}>${run.error.message}</span><span class="bar"></span><span class="row-time"></span>
  </div>`;
