import { html } from '../lib/html.js';
import { useLayoutEffect } from 'preact/hooks';
import { get, seg } from '../lib/api.js';
import { pathOf } from '../lib/jsonata.js';
import { keepPlace } from '../state/trees.js';
import { useLoaded } from '../lib/load.js';
import { addressOf, isRepeated, lastOf, nodeText, partText, stepId, STEPS } from '../lib/address.js';
import { controlled, goToNode, held, lookAt, looked, nodeAt, own, path, paused, placeOf, run, selected, shownTool, showOwn, total } from '../state/run.js';
import { done, forkHere } from '../state/again.js';
import { fold } from '../state/steps.js';
import { bytes, clock, duration, plural } from '../lib/format.js';
import { dialog, inspector } from '../state/ui.js';
import { questions, toQuestion } from '../state/questions.js';
import { revealLine } from '../state/sourceview.js';
import { isWhole } from '../lib/question.js';
import { wordOf } from '../lib/status.js';
import { Button } from './Button.js';
import { AskedElsewhere } from './AskedElsewhere.js';
import { Elapsed } from './Elapsed.js';
import { Empty } from './Empty.js';
import { Expression } from './Expression.js';
import { Failure } from './Failure.js';
import { NodeActions, NodePane } from './NodePane.js';
import { RunActions } from './Origin.js';
import { ResultPane } from './ResultPane.js';
import { ValueBox } from './ValueBox.js';

const EDITABLE = 1e6; // bytes; more is no text to type in

// StepPane shows the step under inspection: what it evaluated, what
// that read, and its output. At the end of a run it shows how the run ended.
export function StepPane() {
  const r = run.value;
  const place = looked.value;
  const { at: n, part } = place;
  const open = held.value ?? path.value.open;
  const pending = n >= total.value;
  const ended = r && pending && !open && !['running', 'paused', 'waiting', 'not_started'].includes(r.status);
  const key = r && !ended && (!pending || open) ? `${r.id} ${JSON.stringify(place)} ${pending && (r.status === 'running' ? 'runs' : `${r.steps} ${r.status}`)}` : null;
  const { value: step, error } = useLoaded(key, () => get(`runs/${seg(r.id)}/steps/${n}`, { frame: place.frame, part, marks: 1 }).then((found) => ({ ...found, place })), pending && r?.status === 'running');
  if (selected.value) return html`<${NodePane} id=${selected.value} />`;
  if (!r) return null;
  if (ended && !place.frame) return html`<${ResultPane} run=${r} />`;
  if (ended) return html`<${Empty} title="The end of this frame" text="Select one of its steps, or go to the caller." />`;
  if (key === null && r.status === 'waiting') return html`<${AskedElsewhere} run=${r} />`; // in another process
  if (key === null || (pending && r.status === 'running' && step?.index !== n)) return html`<${Empty} title="Running …" text="Pause the run to inspect the current step." />`;
  if (error && !pending) return html`<${Empty} title="This step cannot be shown" text=${error.message} />`;
  if (!step) return html`<${Empty} title="Loading …" />`;
  return html`<${Details} r=${r} step=${step} place=${step.place} pending=${step.pending} />`;
}

function Details({ r, step, place, pending }) {
  const { part } = place;
  const ofSteps = part !== '' && stepId(part) === step.node;
  const where = part && partText(part, step.node);
  const editable = controlled.value && paused.value && held.value && !held.value.part && !part;
  const latest = !pending && step.output?.bytes <= EDITABLE && editable && isLatest(step);
  const stopped = (r.held ?? []).some((h) => placeOf(h) === addressOf(place.frame, step.index, part));
  const begun = pending && !stopped && !(held.value?.index === step.index && (held.value.part ?? '') === part);
  const asked = pending && questions.value.find((q) => q.run === r.id && q.confirms && q.at === addressOf(place.frame, step.index, part)); // its call is described there
  const keep = `${shownTool.value} ${step.node}`; // what is open of the values stays at each execution of the node
  useLayoutEffect(() => keepPlace(keep), [keep]);
  const toFile = (line) => {
    inspector.value = 'source';
    revealLine(line);
  };
  return html`
    <div class="step-head">
      <span class=${`kind ${step.type}`} aria-hidden="true"></span>
      <h2 class="mono">${nodeText(step.node)}${where && html` <span class="muted">${where}</span>`}</h2>
      <span class="muted">${pending && !begun ? (r.status === 'waiting' ? 'waiting for an answer' : r.status === 'running' ? html`<${Running} r=${r} />` : 'about to run') : ['waits', 'none'].includes(step.state) ? wordOf(step.state) : `step ${addressOf(place.frame, step.index, part)}`}</span>
    </div>
    ${own.value && step.node && html`<${NodeActions} id=${step.node} part=${part} />`}
    ${done(r) && html`<div class="actions"><${Button} icon="again" label="Run again from here …" hint="a" onClick=${forkHere} /></div>`}
    ${pending && done(r) && html`<${RunActions} run=${r} />`}
    <dl class="facts">
      <div><dt>kind</dt><dd>${step.type === 'steps' && ofSteps ? 'block' : step.type}${step.server && !asked && html` · <span class="mono">${step.server}.${step.tool}</span>`}${step.tool && !step.server && html` · calls <span class="mono">${step.tool}</span>`}</dd></div>
      ${begun && step.state !== 'none' && html`<div><dt>state</dt><dd>${step.waitsFor ? html`waits for ${step.waitsFor.map((id, i) => html`${i > 0 && ', '}<button type="button" class="linkish mono" onClick=${() => goToNode(beside(step.node, id))}>${id}</button>`)}` : step.state === 'waits' ? wordOf(step.state) : r.status === 'running' && !part ? html`<${Running} r=${r} />` : 'has begun'}</dd></div>`}
      ${step.parts > 0 && html`<div><dt>${`${step.partsAre ?? 'part'}s`}</dt><dd><button type="button" class="linkish" onClick=${() => fold(addressOf(place.frame, step.index, part), true)}>${plural(step.parts, step.partsAre ?? 'part')}</button>${step.failed ? html`, ${step.failed} failed` : ''}</dd></div>`}
      ${step.frame && html`<div><dt>frame</dt><dd><button type="button" class="linkish" onClick=${() => lookAt(step.frame)}>Look into <span class="mono">${step.calls || 'the graph'}</span></button></dd></div>`}
      ${!pending && !step.skipped && html`<div><dt>took</dt><dd>${duration(step.ms)} <span class="muted">at ${clock(step.start)}</span></dd></div>`}
      ${step.bytes > 0 && html`<div><dt>size</dt><dd>${bytes(step.bytes)}</dd></div>`}
      ${step.line > 0 && html`<div><dt>place</dt><dd><button type="button" class="linkish" onClick=${() => toFile(step.line)}>line ${step.line}</button></dd></div>`}
      ${step.confirmed && html`<div><dt>confirmed</dt><dd>by the user</dd></div>`}
      ${step.cached && html`<div><dt>cached</dt><dd>no call was made</dd></div>`}
      ${step.edited && html`<div><dt>edited</dt><dd>in the debugger, while the run was paused</dd></div>`}
    </dl>
    ${pending && html`<${AskedElsewhere} run=${r} brief=${Boolean(step.input ?? step.foreseen)} />`}
    ${asked && html`<p class="note">Its call is in the question that waits for you. <button type="button" class="linkish" onClick=${toQuestion}>To the question</button></p>`}
    ${pending && r.problem && html`<p class="wrong">${r.problem}</p>`}
    ${!own.value && html`<p class="note">A step of <span class="mono">${shownTool.value}</span>. <button type="button" class="linkish" onClick=${showOwn}>Show its graph</button></p>`}
    ${step.changed && html`<p class="note">The graph has changed since this run, so its expressions are not shown.</p>`}
    ${step.error && html`<${Failure} error=${step.error} onPlace=${toFile} />`}
    ${step.handled && html`<h3>Handled by onError</h3><${Failure} error=${step.handled} onPlace=${toFile} mild />`}
    ${step.tries?.length > 0 && html`<section class="box"><h3>${plural(step.tries.length, 'attempt')} before the last</h3>
      <ol class="tries">${step.tries.map((a) => html`<li><span class="muted">${duration(a.ms)}</span> ${a.error.message} <span class="muted">${a.error.detail || a.error.code}</span></li>`)}</ol></section>`}
    ${step.skipped && html`<p class="decision" role="status"><strong>Not run</strong> <span class="muted">because its if does not hold</span></p>`}
    ${step.wouldRun === false && html`<p class="decision" role="status"><span>Would <strong>not run</strong></span> <span class="muted">because its if does not hold</span></p>`}
    ${step.itemError && html`<p class="wrong">${step.itemError}</p>`}
    ${step.item && html`<${ValueBox} title=${step.itemName === '$item' ? 'Item' : `Item ${step.itemName}`} run=${r.id} of="item" place=${place} root=${step.itemName} keep=${keep} level=${step.item} />`}
    ${step.decision && html`<${Decision} decision=${step.decision} expressions=${step.expressions} pending=${pending} went=${pending || step.error ? '' : step.output?.text} />`}
    ${pending && step.foreseen && !(asked && isWhole(asked)) && html`<${ValueBox} title=${step.foreseenIs ?? foreseen[step.type] ?? 'Items'} run=${r.id} of="foreseen" place=${place} keep=${keep} level=${step.foreseen} />`}
    ${pending && step.foreseenError && html`<section class="box"><h3>${foreseen[step.type] ?? 'Items'}</h3><p class="wrong">${step.foreseenError}</p></section>`}
    ${step.expressions.map((e, i) => html`<${Expression} key=${`${step.index} ${part} ${i}`} expression=${step.error || step.foreseenError ? { ...e, error: e.kind === 'rule' ? e.error : '' } : e} onPlace=${toFile} />`)}
    ${step.input && !(asked && isWhole(asked)) && html`<${ValueBox} title=${step.type === 'ask' ? 'Question' : 'Arguments of the call'} run=${r.id} of="input" place=${place} keep=${keep} level=${step.input} />`}
    ${step.inputError && html`<p class="wrong">${step.inputError}</p>`}
    ${step.output && !step.skipped && html`
      <${ValueBox} title="Output" run=${r.id} of="output" place=${place} root=${ofSteps ? (isRepeated(part) ? null : lastOf(part)) : part || step.node === STEPS ? null : pathOf('$', [step.node])} keep=${keep} level=${step.output}>
        ${(latest || step.editable) && html`<${Button} icon="edit" label="Edit" onClick=${() => { dialog.value = { kind: 'edit', node: step.node, place }; }} />`}
      </${ValueBox}>`}`;
}

// beside is the id of a step of the same block.
const beside = (node, id) => [...node.split('.').slice(0, -1), id].join('.');

// Running is how long the current step of the frame has been running, where that is known.
function Running({ r }) {
  const start = held.value?.start ?? path.value.open?.start;
  return start === undefined ? 'running' : html`running for <${Elapsed} since=${Date.parse(r.started) + start} />`;
}

// foreseen says what a step would give that has not run.
const foreseen = { transform: 'Would give', parallel: 'Arguments of the branches', exit: 'Result' };

// Decision says which way a switch goes, and why.
function Decision({ decision: d, expressions, pending, went }) {
  const taken = expressions.find((e) => e.taken);
  const other = went && went !== d.next; // by an edit, or by another version of the file
  const why = d.rule ? html`rule ${d.rule} holds${taken?.filled && html`: <code>${taken.filled}</code>`}` : 'no rule holds';
  return html`
    <p class="decision" role="status">
      ${d.error ? html`<strong>Fails</strong> at rule ${d.rule}` : html`<span>${pending ? 'Would go to' : 'Went to'}</span> <button type="button" class="linkish mono" onClick=${() => goToNode(other ? went : d.next)}>${other ? went : d.next}</button>${' '}
      ${!other && html`<span class="muted">because ${why}</span>`}`}
    </p>`;
}

// isLatest: only the latest output of a node can be edited.
function isLatest(step) {
  for (let i = path.value.steps.length - 1; i > step.index; i--) if (nodeAt(i) === step.node) return false;
  return true;
}
