import { html } from '../lib/html.js';
import { at, go, opening, outdated, own, path, position, run, total } from '../state/run.js';
import { stepAt, version } from '../state/steps.js';
import { show } from '../state/ui.js';
import { plural, duration } from '../lib/format.js';
import { VirtualList } from './VirtualList.js';
import { StepRow } from './StepRow.js';
import { Slider } from './Slider.js';
import { Empty } from './Empty.js';

const ROW = 30;

export function Timeline() {
  const r = run.value;
  if (!r) {
    return html`<section class="timeline" aria-label="timeline">
      <${Empty} title=${opening.value ? 'Opening the run …' : 'No run is open'} text=${opening.value ? '' : 'Run a tool, or open a recorded run, to see its steps here.'} /></section>`;
  }
  return html`
    <section class="timeline" aria-label="timeline">
      <div class="timeline-head">
        <h2>Steps${!own.value && html` of <span class="mono">${r.tool}</span>`}</h2>
        <span class="muted">${plural(total.value, 'step')}${r.ms !== undefined && r.ended ? ` in ${duration(r.ms)}` : ''}</span>
        ${outdated.value && html`<span class="badge" title="The graph on this page is that of the file as it is now">older graph</span>`}
        <${Slider} />
      </div>
      <${List} run=${r.id} />
    </section>`;
}

function List({ run: id }) {
  const count = total.value;
  const chosen = position.value === null ? -1 : at.value;
  void version.value; // draws again when a page has come
  const { names, steps } = path.value;
  const keys = (e) => {
    const by = { ArrowDown: 1, ArrowUp: -1, PageDown: 20, PageUp: -20 }[e.key];
    if (e.key === 'Enter') show('step');
    else if (by) go(at.value + by);
    else return;
    e.preventDefault();
  };
  if (!count) return html`<${Empty} title="No step has finished yet" />`;
  return html`<${VirtualList} count=${count} height=${ROW} label="steps of the run" follow=${position.value ?? count - 1} onKeyDown=${keys}
    active=${chosen >= 0 && chosen < count ? `step-${chosen}` : null}
    row=${(i, style) => html`<${StepRow} key=${i} i=${i} node=${names[steps[i]]} step=${stepAt(id, i, count)} chosen=${i === chosen} count=${count} style=${style} />`} />`;
}
