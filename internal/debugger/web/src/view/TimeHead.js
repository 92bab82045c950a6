import { html } from '../lib/html.js';
import { duration } from '../lib/format.js';
import { folding, idleTime, setFolding, timeView, timeViews, wholeTime, zoomed } from '../state/timeview.js';
import { spanText } from './Axis.js';

// TimeViews choose how the time of a run is shown.
export const TimeViews = () => html`
  <div class="views" role="group" aria-label="view of time">
    ${Object.entries(timeViews).map(([id, text]) => html`<button type="button" key=${id} aria-pressed=${String(timeView.value === id)} onClick=${() => { timeView.value = id; }}>${text}</button>`)}
  </div>`;

// Zoomed says which part of the axis is looked at, and what is folded: away is how long that is.
export const Zoomed = ({ away = idleTime.value }) => html`
  ${away > 0 && html`<button type="button" class="chip idle-time" aria-pressed=${String(folding.value)} title="Times in which nothing ran are folded on the axis" onClick=${() => setFolding(!folding.value)}>${duration(away)} idle</button>`}
  ${zoomed.value && html`<span class="zoomed"><span class="mono">${spanText(zoomed.value)}</span> <button type="button" class="linkish" onClick=${wholeTime}>All</button></span>`}`;
