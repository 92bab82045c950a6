import { html } from '../lib/html.js';
import { addressOf } from '../lib/address.js';
import { at, frame, go, nodeAt, part, position, total } from '../state/run.js';
import { Button } from './Button.js';

// Slider travels through the frame: the graph shows it up to there, the inspector what
// the step saw.
export function Slider() {
  const n = total.value;
  const end = position.value === null && !part.value;
  const text = end ? 'end' : `step ${addressOf(frame.value, at.value, part.value)}, ${nodeAt(at.value)}`;
  return html`
    <div class="slider">
      <${Button} icon="back" only label="Step before" hint="k" disabled=${at.value <= 0} onClick=${() => go(at.value - 1)} />
      <input type="range" min="0" max=${n} step="1" value=${at.value} aria-label="step under inspection" aria-valuetext=${text}
        onInput=${(e) => go(Number(e.currentTarget.value))} disabled=${!n} />
      <${Button} icon="forward" only label="Next step" hint="j" disabled=${end} onClick=${() => go(at.value + 1)} />
      <span class="slider-text mono">${end ? 'end' : `${at.value}${part.value && `.${part.value}`} / ${n}`}</span>
    </div>`;
}
