import { html, cx } from '../lib/html.js';
import { share } from '../lib/axis.js';
import { duration } from '../lib/format.js';

// Bar is a step or part on the time axis: what came before it, while the run was held, hatched; the time in
// which it waited for its user, too.
export function Bar({ axis, step, held = 0, runs, now }) {
  if (step?.start === undefined || step.skipped || ['waits', 'none'].includes(step.state) || (step.state === 'paused' && !step.begun)) return html`<span class="bar"></span>`;
  if (step.copied) return html`<span class="bar" title="copied from the run that was forked, before this run began"></span>`;
  const ms = runs ? Math.max(0, now - step.start) : step.ms;
  const end = step.start + ms;
  if (end < axis.from || step.start - held > axis.to) return html`<span class="bar" title=${`${end < axis.from ? 'before' : 'after'} what is shown of the time`}></span>`;
  const title = [`began after ${duration(step.start) || '0'}`, runs ? 'runs' : `took ${duration(ms)}`, held > 0 && `held for ${duration(held)} before`, step.waited > 0 && `waited ${duration(step.waited)} for an answer`].filter(Boolean).join(', ');
  return html`
    <span class="bar" title=${title}>
      ${held > 0 && html`<i class="held" style=${share(axis, step.start - held, held)}></i>`}
      <i class=${cx('took', runs && 'runs', step.error && !step.cancelled && 'failed', step.cancelled && 'cancelled', step.handled && 'handled')} style=${share(axis, step.start, ms)}></i>
      ${step.waited > 0 && html`<i class="held" style=${share(axis, step.start, step.waited)}></i>`}
    </span>`;
}
