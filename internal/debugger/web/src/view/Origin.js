import { html } from '../lib/html.js';
import { get } from '../lib/api.js';
import { addressOf, split } from '../lib/address.js';
import { useLoaded } from '../lib/load.js';
import { done, replay, resumable } from '../state/again.js';
import { fillFrom } from '../state/form.js';
import { compare } from '../state/compare.js';
import { active, openRun } from '../state/run.js';
import { dialog, show } from '../state/ui.js';
import { Button } from './Button.js';

// Origin names the run from which a run was forked, or that it replays, leads there, and compares the two.
export function Origin({ run: r }) {
  const [, id, step] = /^([^/]*)\/?(.*)$/.exec(r.replays ?? r.forkedFrom ?? '');
  const ended = r.replays && !active.value;
  const { value: d } = useLoaded(ended ? `${id} ${r.id}` : null, () => get('diff', { a: id, b: r.id }));
  if (!id) return null;
  const there = async () => {
    const { frame, index, part } = step ? split(step) : {};
    await openRun(id, index ?? null, frame, part);
    show('step');
  };
  const verdict = d && (d.same ? 'the same' : d.first ? `diverges at step ${addressOf(d.first.frame, d.first.index, d.first.part)}` : 'ends differently');
  return html`
    <span class="origin"><span class="muted">${r.replays ? 'replay of' : 'from'}</span>
      <button type="button" class="linkish mono" title=${`open run ${id}${step ? ` at step ${step}` : ''}`} onClick=${there}>${id.slice(0, 6)}${step ? `/${step}` : ''}</button>
      ${verdict && html`<span class="badge" role="status">${verdict}</span>`}
      <button type="button" class="linkish" onClick=${() => { compare(id, r.id); }}>Compare</button></span>`;
}

// RunActions does a run again.
export const RunActions = ({ run: r }) => html`
  <div class="actions">
    ${resumable(r) && html`<${Button} icon="run" kind="primary" label="Resume the run …" onClick=${() => { dialog.value = { kind: 'resume', run: r }; }} />`}
    <${Button} icon="again" label="Run again …" onClick=${() => fillFrom(r)} />
    ${done(r) && html`<${Button} icon="end" label="Replay" title="repeat the run with the recorded answers; no server is called" onClick=${() => replay(r)} />
      <${Button} icon="debug" label="Replay in steps" title="the same, paused before the first node" onClick=${() => replay(r, true)} />`}
  </div>`;
