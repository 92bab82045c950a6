import { html } from '../lib/html.js';
import { addressOf } from '../lib/address.js';
import { active, at, frame, nameAt, part, position } from '../state/run.js';
import { count, here, travel } from '../state/travel.js';
import { Button } from './Button.js';

// Slider travels through the frame: the graph shows it up to there, the inspector what
// the step saw.
export function Slider() {
  const n = count.value;
  const i = here.value;
  const end = position.value === null && !part.value;
  const last = active.value ? 'now' : 'end';
  const text = end ? last : `step ${addressOf(frame.value, at.value, part.value)}, ${nameAt(at.value, part.value)}`;
  return html`
    <div class="slider">
      <${Button} icon="back" only label="Step before" hint="k" disabled=${i <= 0} onClick=${() => travel(i - 1)} />
      <input type="range" min="0" max=${n} step="1" value=${i} aria-label="step under inspection" aria-valuetext=${text}
        onInput=${(e) => travel(Number(e.currentTarget.value))} disabled=${!n} />
      <${Button} icon="forward" only label="Next step" hint="j" disabled=${end} onClick=${() => travel(i + 1)} />
      <span class="slider-text mono">${end ? last : part.value ? addressOf('', at.value, part.value) : `${at.value} / ${n}`}</span>
    </div>`;
}
