import { html } from '../lib/html.js';
import { useLayoutEffect } from 'preact/hooks';
import { get, seg } from '../lib/api.js';
import { useLoaded } from '../lib/load.js';
import { addressOf, nodeText, partText } from '../lib/address.js';
import { active, frame, held, looked, nodeAt, run, shownTool, total } from '../state/run.js';
import { keepPlace } from '../state/trees.js';
import { Empty } from './Empty.js';
import { ValueBox } from './ValueBox.js';
import { Watches } from './Watches.js';

// ContextPane is what the expressions of the step saw: the latest output of each node
// before it.
export function ContextPane() {
  const r = run.value;
  const place = looked.value;
  const { value, error } = useLoaded(r ? `${r.id} ${JSON.stringify(place)}` : null, () => get(`runs/${seg(r.id)}/value`, { of: 'context', ...place, marks: 1 }).then((level) => ({ level, place })), r?.status === 'running');
  useLayoutEffect(() => keepPlace(`${shownTool.value} context`), [shownTool.value, Boolean(value)]);
  if (!r) return null;
  if (error) return html`<${Empty} title="The context cannot be shown" text=${error.message} />`;
  if (!value) return html`<${Empty} title="Loading …" />`;
  const { at: n, part } = value.place;
  const address = addressOf(value.place.frame, n, part);
  const end = n >= total.value && !part;
  const name = nodeText(nodeAt(n) ?? '', part);
  const where = part && partText(part, nodeAt(n));
  const text = !end ? html`What step ${address}, <span class="mono">${name}</span>${where && `, ${where},`} saw${/^\d+$/.test(part) ? html`, besides <code>$item</code> and <code>$index</code>` : ''}.`
    : !active.value ? 'The context after the last step.' : !frame.value || held.value ? 'The context of the next step.' : `What step ${address} of the caller sees.`;
  return html`
    <h2 class="sr">Context</h2>
    <p class="note">${text}</p>
    <${Watches} run=${r} place=${value.place} />
    <${ValueBox} title="Context" run=${r.id} of="context" place=${value.place} root="$" keep=${shownTool.value} level=${value.level} />`;
}
