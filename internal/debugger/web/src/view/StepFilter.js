import { html } from '../lib/html.js';
import { useEffect } from 'preact/hooks';
import { clearSieve, found, refresh, setSieve, sieve, sieving, toMatch } from '../state/find.js';
import { frame, run } from '../state/run.js';
import { plural } from '../lib/format.js';
import { Button } from './Button.js';

// StepFilter narrows the list to the steps and parts that match, and goes from one to the next.
export function StepFilter() {
  const f = sieve.value;
  useEffect(() => {
    const timer = setTimeout(refresh, 120);
    return () => clearTimeout(timer);
  }, [f, run.value?.id, run.value?.steps, run.value?.status, frame.value]);
  const total = found.value?.total ?? 0;
  return html`
    <div class="sieve" role="search" aria-label="steps">
      <input type="search" id="find-step" aria-label="node" placeholder="Node" value=${f.node} spellcheck=${false} onInput=${(e) => setSieve({ node: e.currentTarget.value })}
        onKeyDown=${(e) => { if (e.key === 'Enter') { e.preventDefault(); toMatch(e.shiftKey ? -1 : 1); } }} />
      <button type="button" class="chip" aria-pressed=${String(f.failed)} title="Steps and parts that failed, also where onError took the failure" onClick=${() => setSieve({ failed: !f.failed })}>failed</button>
      <button type="button" class="chip" aria-pressed=${String(f.edited)} onClick=${() => setSieve({ edited: !f.edited })}>edited</button>
      <label class="slower">slower than <input type="number" min="0" step="any" inputmode="decimal" value=${f.slower} onInput=${(e) => setSieve({ slower: e.currentTarget.value })} /> ms</label>
      ${sieving.value && html`
        <span class="muted" role="status">${plural(total, 'match')}</span>
        <${Button} icon="back" only label="Previous match" disabled=${!total} onClick=${() => toMatch(-1)} />
        <${Button} icon="forward" only label="Next match" disabled=${!total} onClick=${() => toMatch(1)} />
        <button type="button" class="linkish" onClick=${clearSieve}>Clear</button>`}
    </div>`;
}
