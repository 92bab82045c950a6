import { html } from '../lib/html.js';
import { get, seg } from '../lib/api.js';
import { useLoaded } from '../lib/load.js';
import { active, at, nodeAt, run, total } from '../state/run.js';
import { Empty } from './Empty.js';
import { ValueBox } from './ValueBox.js';
import { Watches } from './Watches.js';

// ContextPane is what the expressions of the step saw: the latest output of each node
// before it.
export function ContextPane() {
  const r = run.value;
  const n = at.value;
  const { value, error } = useLoaded(r ? `${r.id} ${n}` : null, () => get(`runs/${seg(r.id)}/value`, { of: 'context', at: n }).then((level) => ({ level, n })), r?.status === 'running');
  if (!r) return html`<${Empty} title="No context yet" text="The context is what expressions see: the latest output of each node." />`;
  if (error) return html`<${Empty} title="The context cannot be shown" text=${error.message} />`;
  if (!value) return html`<${Empty} title="Loading …" />`;
  return html`
    <p class="note">${value.n >= total.value ? active.value ? 'The context of the next step.' : 'The context after the last step.' : html`What step ${value.n}, <span class="mono">${nodeAt(value.n)}</span>, saw.`}</p>
    <${Watches} run=${r} at=${value.n} />
    <${ValueBox} title="Context" run=${r.id} of="context" at=${value.n} level=${value.level} />`;
}
