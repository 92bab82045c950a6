import { html } from '../lib/html.js';
import { addressOf, split } from '../lib/address.js';
import { at, frame, go, lookAt, nodeAt, opening, outdated, own, part, path, position, run, shownTool, total } from '../state/run.js';
import { fold, partAt, stepAt, unfolded, version } from '../state/steps.js';
import { show } from '../state/ui.js';
import { plural, duration } from '../lib/format.js';
import { VirtualList } from './VirtualList.js';
import { PartRow, StepRow } from './StepRow.js';
import { Slider } from './Slider.js';
import { Empty } from './Empty.js';

const ROW = 30;

export function Timeline() {
  const r = run.value;
  if (!r) {
    return html`<section class="timeline" id="pane-timeline" aria-label="timeline">
      <${Empty} title=${opening.value ? 'Opening the run …' : 'No run is open'} text=${opening.value ? '' : 'Run a tool, or open a recorded run, to see its steps here.'} /></section>`;
  }
  return html`
    <section class="timeline" id="pane-timeline" aria-label="timeline">
      <div class="timeline-head">
        <h2>Steps${(!own.value || frame.value) && html` of <span class="mono">${shownTool.value}</span>`}</h2>
        <span class="muted">${plural(total.value, 'step')}${r.ms !== undefined && r.ended && !frame.value ? ` in ${duration(r.ms)}` : ''}</span>
        ${outdated.value && html`<span class="badge" title="The graph on this page is that of the file as it is now">older graph</span>`}
        <${Slider} />
      </div>
      <${List} run=${r} />
    </section>`;
}

// rowsOf are the rows of the list: the steps of the frame, the one that has begun and not ended,
// and below each unfolded step its parts. find gives the step and the part of a row, rowOf the reverse.
function rowsOf(r, of) {
  const steps = total.value;
  const { open } = path.value;
  const shown = [...unfolded.value].map(split).filter((a) => a.frame === of && a.index <= steps).sort((a, b) => a.index - b.index)
    .map(({ index }) => ({ index, parts: (index === steps ? open : stepAt(r.id, of, index, steps))?.parts ?? 0 }));
  const count = shown.reduce((n, s) => n + s.parts, steps + (open ? 1 : 0));
  const find = (row) => {
    let before = 0; // rows of parts
    for (const { index, parts } of shown) {
      if (row <= index + before) break;
      if (row <= index + before + parts) return { i: index, n: row - index - before - 1 };
      before += parts;
    }
    return { i: row - before, n: -1 };
  };
  const rowOf = (i, n) => shown.reduce((row, s) => row + (s.index < i ? s.parts : 0), i + n + 1);
  return { count, find, rowOf };
}

function List({ run: r }) {
  void version.value; // draws again when a page has come
  const of = frame.value;
  const { count, find, rowOf } = rowsOf(r, of);
  const { names, steps, open } = path.value;
  const last = steps.length;
  const stepOf = (i) => (i === last ? open : stepAt(r.id, of, i, last));
  const branches = /^\d*$/.test(part.value) ? null : part.value;
  const chosenPart = part.value === '' ? -1 : branches === null ? Number(part.value) : branchNumber(r, of, at.value, branches, stepOf(at.value)?.parts ?? 0);
  const chosen = position.value === null && part.value === '' ? -1 : rowOf(at.value, unfolded.value.has(addressOf(of, at.value)) ? chosenPart : -1);
  const select = (row) => {
    const { i, n } = find(Math.max(0, Math.min(count - 1, row)));
    if (n < 0) return go(i);
    const found = partAt(r, of, i, n);
    return go(i, found?.part ?? String(n));
  };
  const keys = (e) => {
    const by = { ArrowDown: 1, ArrowUp: -1, PageDown: 20, PageUp: -20 }[e.key];
    const here = chosen < 0 ? count : chosen;
    const step = stepOf(at.value);
    if (e.key === 'Enter') show('step');
    else if (by && here + by >= count) go(last);
    else if (by) select(here + by);
    else if ((e.key === 'ArrowRight' || e.key === 'ArrowLeft') && step?.parts) fold(addressOf(of, at.value), e.key === 'ArrowRight');
    else if (e.key === 'i' && chosen >= 0) {
      const { i, n } = find(chosen);
      const into = (n < 0 ? stepOf(i) : partAt(r, of, i, n))?.frame;
      if (into) lookAt(into);
    } else return;
    e.preventDefault();
  };
  if (!count) return html`<${Empty} title="No step has finished yet" />`;
  const row = (k, style) => {
    const { i, n } = find(k);
    if (n >= 0) return html`<${PartRow} key=${`${i}.${n}`} i=${i} n=${n} frame=${of} step=${partAt(r, of, i, n)} chosen=${k === chosen} row=${k} count=${count} style=${style} />`;
    const open = unfolded.value.has(addressOf(of, i));
    return html`<${StepRow} key=${i} i=${i} row=${k} frame=${of} node=${i < last ? names[steps[i]] : nodeAt(i)} step=${stepOf(i)} runs=${i === last} open=${open} chosen=${k === chosen} count=${count} style=${style} />`;
  };
  return html`<${VirtualList} count=${count} height=${ROW} label="steps of the run" follow=${chosen < 0 ? count - 1 : chosen} onKeyDown=${keys}
    active=${chosen >= 0 && chosen < count ? `step-${chosen}` : null} row=${row} />`;
}

// branchNumber is the place of a branch among the parts that were listed.
function branchNumber(r, of, i, name, parts) {
  for (let n = 0; n < parts; n++) if (partAt(r, of, i, n)?.part === name) return n;
  return -1;
}
