import { html } from '../lib/html.js';
import { useEffect, useState } from 'preact/hooks';
import { addressOf, isTurn, lastOf, nodeText, outerOf, split, stepId } from '../lib/address.js';
import { numberOf, rowAt } from '../lib/rowtree.js';
import { at, frame, go, lookAt, nodeAt, opening, outdated, own, part, path, position, run, shownPart, shownTool, stepsAt, total } from '../state/run.js';
import { fold, partAt, placeIn, rowsOf, stepAt, unfolded, unfoldSteps, version } from '../state/steps.js';
import { found, matchAt, sieving, version as matches } from '../state/find.js';
import { stepCount } from '../state/travel.js';
import { axisIn, timeView } from '../state/timeview.js';
import { useNow } from '../state/clock.js';
import { show } from '../state/ui.js';
import { plural, duration } from '../lib/format.js';
import { VirtualList } from './VirtualList.js';
import { RefusedRow, StepRow } from './StepRow.js';
import { HeldParts } from './HeldParts.js';
import { StepFilter } from './StepFilter.js';
import { Origin } from './Origin.js';
import { Axis } from './Axis.js';
import { Lanes } from './Lanes.js';
import { TimeViews, Zoomed } from './TimeHead.js';
import { Totals } from './Totals.js';
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
        <h2 class="sr">The run over time</h2><${TimeViews} />
        ${(!own.value || frame.value) && html`<span>of <span class="mono">${shownTool.value}</span></span>`}
        <span class="muted">${plural(stepCount.value, 'step')}${r.ms !== undefined && r.ended && !frame.value ? ` in ${duration(r.ms)}` : ''}</span>
        <${Origin} run=${r} />
        ${r.mocked && html`<span class="badge" title="Mocks answer the calls; no server is called, and the run is not recorded">with mocks</span>`}
        ${outdated.value && html`<span class="badge" title="The graph on this page is that of the file as it is now">older graph</span>`}
        ${timeView.value !== 'nodes' && html`<${Zoomed} />`}
        <${Slider} />
      </div>
      <${HeldParts} />
      ${timeView.value === 'steps' && html`<${StepFilter} /><${List} run=${r} />`}
      ${timeView.value === 'lanes' && html`<${Lanes} ...${lanesOf(r)} />`}
      ${timeView.value === 'nodes' && html`<${Totals} run=${r} />`}
    </section>`;
}

// lanesOf are the lanes of the frame, which lead to its steps.
function lanesOf(r) {
  const { axis, now } = useAxis(r);
  const open = (address) => {
    const { frame: inside, index, part: piece } = split(address);
    if (inside === frame.value) go(index, piece);
    else lookAt(inside, index, piece);
    show('step');
  };
  return { run: r, frame: frame.value, axis, now: r.status === 'running' ? now : undefined, open, lit: addressOf(frame.value, at.value, shownPart.value) };
}

// useAxis is the time axis of the frame that is shown; began is the start of the run, now the time since.
function useAxis(r) {
  const going = r.status === 'running';
  const clock = useNow(going);
  const began = Date.parse(r.started);
  const now = going ? Math.max(0, clock - began) : r.ms;
  return { axis: axisIn(extentOf(r, frame.value, now)), began, now };
}

// extentOf is what the time axis shows, in milliseconds after the run: all of it, or the frame.
function extentOf(r, of, now) {
  const last = total.value;
  const open = path.value.open;
  if (!of) return { from: 0, to: Math.max(now, 1e-3) };
  const first = last ? stepAt(r.id, of, 0, last)?.start : undefined;
  const end = last ? stepAt(r.id, of, last - 1, last) : null;
  if (first === undefined && !open) return { from: 0, to: r.ms };
  return { from: first ?? open.start, to: open || !end || end.copied ? now : end.start + end.ms };
}

// stepOf is the step or part of a row, as lists have it.
function stepOf(r, { list, n }) {
  if (list.of) return partAt(r, list.of, n);
  return list.frame === frame.value && n === path.value.steps.length ? path.value.open : stepAt(r.id, list.frame, n, list.steps);
}

// addressAt is the address of a row. While a part is on its way that may be one of a name, only its place is known.
function addressAt(r, row) {
  const { list, n } = row;
  return list.of ? addressOf(list.frame, split(list.of).index, stepOf(r, row)?.part ?? `${split(list.of).part ? `${split(list.of).part}.` : ''}${n}`) : addressOf(list.frame, n);
}

// placeText is what the column of addresses shows: of a part of steps, whose name says the rest, only the number.
function placeText(address, step, of) {
  const inside = address.slice(of ? of.length + 1 : 0);
  if (!step?.part || stepId(step.part) !== step.node) return inside;
  const last = lastOf(address);
  return /^\d+$/.test(last) ? `${isTurn(address) ? '@' : '.'}${last}` : '';
}

export function List({ run: r }) {
  void version.value; // draws again when a page has come
  void matches.value;
  const [cursor, setCursor] = useState(-1); // a row of an inner frame, which has the keyboard
  const of = frame.value;
  const going = r.status === 'running';
  const axis = useAxis(r);
  const reports = new Map((r.progress ?? []).map((p) => [p.at, p]));
  const { names, steps, open } = path.value;
  const last = steps.length;
  const sieved = sieving.value;
  const tree = rowsOf(r, of, last, open);
  const refused = !sieved && !of && r.status === 'error' && r.error && !r.failedAt && !open;
  const count = sieved ? found.value?.total ?? 0 : tree.size + (refused ? 1 : 0);
  const atEnd = position.value === null && part.value === '';
  const chosen = sieved ? -1 : atEnd ? (refused ? count - 1 : open ? rowOfPlace(r, tree) : -1) : rowOfPlace(r, tree);
  useEffect(() => setCursor(-1), [chosen, of, sieved]);
  const whole = stepsAt.value;
  const held = whole >= 0 && atEnd ? shownPart.value : '';
  useEffect(() => { // what the run has come to is listed
    if (whole >= 0) for (let around = held ? outerOf(addressOf(of, whole, held)) : addressOf(of, whole); around; around = outerOf(around)) unfoldSteps(r.id, around);
  }, [r.id, of, whole, held]);
  const active = cursor >= 0 && cursor < count ? cursor : chosen;

  // choose inspects a row; one of an inner frame opens that.
  const choose = (k) => {
    if (refused && k === count - 1) return go(last);
    if (sieved) {
      const row = matchAt(k);
      return row && go(row.index, row.part ?? '');
    }
    const { frame: inside, index, part: piece } = split(addressAt(r, rowAt(tree, k)));
    return inside === of ? go(index, piece) : lookAt(inside, index, piece);
  };
  const move = (k) => {
    const to = Math.max(0, Math.min(count - 1, k));
    if (sieved || (refused && to === count - 1) || rowAt(tree, to).list.frame === of) choose(to);
    if (sieved || rowAt(tree, Math.min(to, tree.size - 1)).list.frame !== of) setCursor(to);
  };
  const keys = (e) => {
    const by = { ArrowDown: 1, ArrowUp: -1, PageDown: 20, PageUp: -20 }[e.key];
    const here = active < 0 ? (sieved ? -1 : count) : active;
    const row = !sieved && active >= 0 && active < tree.size ? rowAt(tree, active) : null;
    const step = row && stepOf(r, row);
    const address = row && addressAt(r, row);
    if (e.key === 'Enter') {
      if (cursor >= 0) choose(cursor);
      show('step');
    } else if (by && !sieved && here + by >= count) go(last);
    else if (by) move(here + by);
    else if ((e.key === 'ArrowRight' || e.key === 'ArrowLeft') && (step?.parts || step?.inner)) fold(address, e.key === 'ArrowRight');
    else if (e.key === 'i' && step?.frame) lookAt(step.frame);
    else return;
    e.preventDefault();
  };
  if (!count) return html`<${Empty} title=${sieved ? (found.value ? 'No step matches' : 'Searching …') : 'No step has finished yet'} />`;

  const draw = (k, style) => {
    const common = { key: k, row: k, count, style, axis, active: k === active && k !== chosen, onChoose: () => { choose(k); show('step'); } };
    if (refused && k === count - 1) return html`<${RefusedRow} ...${common} run=${r} chosen=${k === chosen} />`;
    if (sieved) {
      const step = matchAt(k);
      return html`<${StepRow} ...${common} place=${step ? placeText(addressOf('', step.index, step.part ?? ''), step, '') : ''} title=${step ? addressOf('', step.index, step.part ?? '') : null} part=${step?.part ?? ''} depth=${step?.part ? 1 : 0} node=${step?.node} step=${step} open=${false}
        chosen=${Boolean(step) && !atEnd && step.index === at.value && (step.part ?? '') === part.value} />`;
    }
    const row = rowAt(tree, k);
    const step = stepOf(r, row);
    const inParts = Boolean(row.list.of);
    const address = addressAt(r, row);
    const isOpen = !inParts && row.list.frame === of && row.n === last;
    const begun = isOpen || Boolean(step?.begun);
    const node = row.list.frame === of && !inParts ? nodeText(row.n < last ? names[steps[row.n]] : nodeAt(row.n) ?? '') : step?.node;
    return html`<${StepRow} ...${common} address=${address} place=${placeText(address, step, of)} title=${address} part=${inParts ? step?.part ?? String(row.n) : ''} depth=${row.depth} node=${node} step=${step} runs=${begun} going=${going}
      open=${unfolded.value.has(address)} chosen=${k === chosen} held=${step?.held ?? 0} report=${reports.get(address)} />`;
  };
  return html`
    <${Axis} axis=${axis.axis} />
    <${VirtualList} count=${count} height=${ROW} role="tree" label="steps of the run" follow=${active < 0 ? (sieved ? null : count - 1) : active} about=${[r.id, of, sieved, at.value, part.value, held, cursor, last, going && count].join()} onKeyDown=${keys}
      active=${active >= 0 && active < count ? `step-${active}` : null} row=${draw} />`;
}

// rowOfPlace is the row of what is under inspection.
function rowOfPlace(r, tree) {
  const row = numberOf(tree, at.value);
  const piece = part.value || (stepsAt.value === at.value ? shownPart.value : '');
  return piece ? rowIn(r, tree, at.value, row, addressOf(frame.value, at.value, piece)) : row;
}

// rowIn is the row of a part below row i of a list, whose number is row; that of what is folded around it.
function rowIn(r, list, i, row, address) {
  const parts = list.subs.find((s) => s.at === i)?.list;
  if (!parts?.of) return row;
  let next = address; // the part of this list that it is, or is below
  while (next && outerOf(next) !== parts.of) next = outerOf(next);
  const n = next ? placeIn(r, parts.of, next, parts.count) : -1;
  if (n < 0) return row;
  const here = row + 1 + numberOf(parts, n);
  return next === address ? here : rowIn(r, parts, n, here, address);
}
