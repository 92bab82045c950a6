import { html } from '../lib/html.js';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { get, seg, text as fetchText } from '../lib/api.js';
import { addressOf, STEPS } from '../lib/address.js';
import { plural } from '../lib/format.js';
import { useKept } from '../lib/kept.js';
import { useLoaded } from '../lib/load.js';
import { fork } from '../state/again.js';
import { nameAt, nodeAt, path } from '../state/run.js';
import { CallsAgain, Decision } from './CallsAgain.js';
import { checked, NOTHING, ValueInput } from './ValueInput.js';
import { Button } from './Button.js';
import { Dialog, closeDialog } from './Dialog.js';
import { Empty } from './Empty.js';

// latest are the nodes of the frame that have an output before a step, each with the place of its latest.
function latest(before) {
  const { names, steps, failed } = path.value;
  const found = new Map();
  for (let i = 0; i < before; i++) if (!failed.has(i)) found.set(names[steps[i]], { at: i, part: '' });
  return found;
}

const SMALL = 64e3; // bytes of a value that is shown without being asked for

// likely is the node whose value is most likely to be changed: the first that the step reads, else the one before it.
async function likely(r, place, nodes) {
  const stepOf = ({ at, part }) => get(`runs/${seg(r.id)}/steps/${at}`, { frame: place.frame, part });
  const step = await stepOf(place);
  const reads = (step.expressions ?? []).flatMap((e) => e.reads.map(({ path: of }) => of.replace(/^\$\./, '').split(/[.[]/)[0]));
  const id = reads.find((name) => nodes.has(name)) ?? [...nodes.keys()].at(-1);
  return id && (await stepOf(nodes.get(id))).bytes <= SMALL ? id : '';
}

// ForkDialog runs a run again from a step: it says what is copied and which calls are made again, and takes
// other values of nodes before the step, which stay when the dialog is closed.
export function ForkDialog({ run: r, place }) {
  const { value: plan, error } = useLoaded(`${r.id} ${JSON.stringify(place)}`, () => get(`runs/${seg(r.id)}/fork`, place));
  return html`
    <${Dialog} title=${`Run again from step ${addressOf(place.frame, place.at, place.part)}${nameAt(place.at, place.part) ? `, ${nameAt(place.at, place.part)}` : ''}`} wide>
      ${error ? html`<${Empty} title="This run cannot be run again from this step" text=${[error.message, error.hint].filter(Boolean).join('; ')} />`
        : !plan ? html`<${Empty} title="Reading the run …" />` : html`<${Form} r=${r} place=${place} plan=${plan} />`}
    </${Dialog}>`;
}

function Form({ r, place, plan }) {
  const nodes = place.part ? new Map((plan.steps ?? []).map((s) => [s.node, { at: place.at, part: s.part }])) : latest(place.at);
  const form = useRef(null);
  const field = () => form.current?.querySelector('textarea');
  useLayoutEffect(() => form.current.querySelector('[data-first], .primary')?.focus(), []);
  const [texts, setTexts, drop, kept] = useKept(`fork ${r.id} ${JSON.stringify(place)}`, {}); // node → { was, now }
  const edited = Object.keys(texts).filter((id) => texts[id].now !== texts[id].was);
  const [node, setNode] = useState(edited[0] ?? '');
  const [accepted, accept] = useState({ changed: false, repeat: false });
  const [wrong, setWrong] = useState('');
  const inDoubt = plan.again.reduce((n, c) => n + (c.inDoubt ?? 0), 0);
  const ready = (!plan.changed || accepted.changed) && (!inDoubt || accepted.repeat);
  const choose = async (id) => {
    setNode(id);
    setWrong('');
    if (!id || texts[id]) return;
    try {
      const was = (await fetchText(`runs/${seg(r.id)}/whole`, { of: 'output', frame: place.frame, ...nodes.get(id), indent: 1 })) || NOTHING;
      setTexts((all) => ({ ...all, [id]: { was, now: was } }));
    } catch (e) {
      setWrong(e.message);
    }
  };
  useEffect(() => { // the value that the step reads is at hand
    if (edited.length || !nodes.size || !nodeAt(place.at)) return;
    likely(r, place, nodes).then(async (id) => {
      if (!id || form.current?.contains(document.activeElement) === false) return;
      await choose(id);
      field()?.focus();
      field()?.select();
    }, () => {}); // the user chooses
  }, []);
  const begin = async (pause) => {
    const edits = [];
    for (const [id, { was, now }] of Object.entries(texts)) {
      if (now === was) continue;
      try {
        const json = checked(now);
        edits.push(`{"node":${JSON.stringify(id)},${json === undefined ? '"nothing":true' : `"value":${json}`}}`);
      } catch (e) {
        setNode(id);
        setWrong(`expected JSON, or the word ${NOTHING}: ${e.message}`);
        return;
      }
    }
    try {
      const options = JSON.stringify({ ...place, pause, ...accepted });
      await fork(r, `${options.slice(0, -1)},"edits":[${edits.join(',')}]}`);
      drop();
      closeDialog();
    } catch (e) {
      setWrong([e.message, e.hint].filter(Boolean).join('; '));
    }
  };
  const discard = () => {
    drop({});
    setNode('');
    setWrong('');
  };
  return html`
    <form ref=${form} onSubmit=${(e) => { e.preventDefault(); begin(false); }}>
      <p>A new run begins. ${plan.copied ? html`${plural(plan.copied, 'step')} before this one ${plan.copied === 1 ? 'is' : 'are'} copied${plan.calls > 0 && html`; <strong>${plural(plan.calls, 'call')} of them ${plan.calls === 1 ? 'is' : 'are'} not made again</strong>`}.` : 'No step is before this one.'}</p>
      <${CallsAgain} calls=${plan.again} />
      ${plan.changed && html`<${Decision} checked=${accepted.changed} onChange=${(changed) => accept({ ...accepted, changed })} text="The graph has changed since this run. Use it as it is now, if the copied steps are a path through it." />`}
      ${inDoubt > 0 && html`<${Decision} checked=${accepted.repeat} onChange=${(repeat) => accept({ ...accepted, repeat })} text=${`The outcome of ${plural(inDoubt, 'call')} is unknown, because the process died. Make ${inDoubt === 1 ? 'it' : 'them'} again; I have checked that this does no harm.`} />`}
      ${kept && edited.length > 0 && html`<p class="note" role="status">These are changes that no run was made with. <button type="button" class="linkish" onClick=${discard}>Discard them</button></p>`}
      ${place.part && !nodes.size ? html`<p class="muted">${nodeAt(place.at) === STEPS ? 'No value can be changed here: steps that are copied have read those above.' : 'Before a part no value can be changed; that can be done at a step.'}</p>` : nodes.size > 0 && html`
        <label class="field"><span>Value to change${edited.length > 0 && html` <span class="muted">(changed: ${edited.join(', ')})</span>`}</span>
          <select data-first value=${node} onChange=${(e) => choose(e.currentTarget.value)}><option value="">none</option>${[...nodes.keys()].map((id) => html`<option key=${id} value=${id}>${id}</option>`)}</select></label>
        ${node && html`<${ValueInput} label=${`output of ${node} as JSON`} value=${texts[node]?.now ?? null} onInput=${(e) => { const now = e.currentTarget.value; setWrong(''); setTexts((all) => ({ ...all, [node]: { ...all[node], now } })); }} />
          <p class="muted">The steps from here on see this value; with the word ${NOTHING} they see none. The new run records the change.</p>`}`}
      ${wrong && html`<p class="wrong" role="alert">${wrong}</p>`}
      <div class="form-end">
        <button type="submit" class="button primary" disabled=${!ready}><span>Run</span></button>
        <${Button} icon="debug" label="Debug" disabled=${!ready} title="pause before the first step" onClick=${() => begin(true)} />
        <${Button} label="Cancel" onClick=${closeDialog} />
      </div>
    </form>`;
}
