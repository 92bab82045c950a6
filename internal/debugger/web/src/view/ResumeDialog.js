import { html } from '../lib/html.js';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { get, seg } from '../lib/api.js';
import { plural } from '../lib/format.js';
import { useLoaded } from '../lib/load.js';
import { resume } from '../state/again.js';
import { Decision } from './CallsAgain.js';
import { checked, NOTHING, ValueInput } from './ValueInput.js';
import { Button } from './Button.js';
import { Dialog, closeDialog } from './Dialog.js';
import { Empty } from './Empty.js';

// ResumeDialog continues an interrupted run. A call whose outcome is unknown is resolved as by `toolgraph resume`.
export function ResumeDialog({ run: r }) {
  const { value: plan, error } = useLoaded(r.id, () => get(`runs/${seg(r.id)}/resume`));
  return html`
    <${Dialog} title="Resume the run" wide>
      ${error ? html`<${Empty} title="This run cannot be resumed" text=${[error.message, error.hint].filter(Boolean).join('; ')} />`
        : !plan ? html`<${Empty} title="Reading the run …" />` : html`<${Form} r=${r} plan=${plan} />`}
    </${Dialog}>`;
}

function Form({ r, plan }) {
  const form = useRef(null);
  useLayoutEffect(() => form.current.querySelector('[data-first], .primary')?.focus(), []);
  const [choice, choose] = useState('safe');
  const [value, setValue] = useState('');
  const [changed, accept] = useState(false);
  const [wrong, setWrong] = useState('');
  const calls = plan.inDoubt;
  const choices = [
    ['safe', 'Repeat a call only where that is safe; else the run ends before it and says what to check'],
    ['repeat', `Repeat ${calls.length === 1 ? 'it' : 'the first of them'}: it was not made, or may be made twice`],
    calls.length > 1 && ['repeatAll', 'Repeat all of them'],
    ['value', `${calls.length === 1 ? 'It' : 'The first of them'} was made and returned this value:`],
    ['nothing', `${calls.length === 1 ? 'It' : 'The first of them'} was made and returned no value`],
  ].filter(Boolean);
  const begin = async (pause) => {
    let resolution = choice === 'safe' ? '' : `,"${choice}":true`;
    try {
      if (choice === 'value') resolution = value.trim() === NOTHING ? ',"nothing":true' : `,"value":${checked(value)}`;
    } catch (e) {
      setWrong(`expected JSON, or the word ${NOTHING}: ${e.message}`);
      return;
    }
    try {
      await resume(r, `{"pause":${pause},"changed":${changed}${resolution}}`);
      closeDialog();
    } catch (e) {
      setWrong([e.message, e.hint].filter(Boolean).join('; '));
    }
  };
  return html`
    <form ref=${form} onSubmit=${(e) => { e.preventDefault(); begin(false); }}>
      <p>The run continues under the same id. Steps that have finished are not repeated.</p>
      ${calls.length > 0 && html`
        <p>The process ended during ${plural(calls.length, 'call')}. Whether ${calls.length === 1 ? 'it was' : 'they were'} made is unknown; check the server.</p>
        <ul class="callers">${calls.map((c) => html`<li key=${c.at}><span class="mono">${c.server}.${c.tool}</span> at step ${c.at}, node <span class="mono">${c.node}</span></li>`)}</ul>
        <fieldset class="choices"><legend class="muted">What to do about ${calls.length === 1 ? 'this call' : 'these calls'}</legend>
          ${choices.map(([id, text], i) => html`<label key=${id} class="switch"><input type="radio" name="resolution" data-first=${i === 0 || null} checked=${choice === id} onChange=${() => choose(id)} /> ${text}</label>`)}
        </fieldset>
        ${choice === 'value' && html`<${ValueInput} label="value that the call returned, as JSON" value=${value} rows="5" onInput=${(e) => { setValue(e.currentTarget.value); setWrong(''); }} />`}`}
      ${plan.changed && html`<${Decision} checked=${changed} onChange=${accept} text="The graph has changed since this run began. Use it as it is now, if the recorded steps are a path through it." />`}
      ${wrong && html`<p class="wrong" role="alert">${wrong}</p>`}
      <div class="form-end">
        <button type="submit" class="button primary" disabled=${plan.changed && !changed}><span>Resume</span></button>
        <${Button} icon="debug" label="Resume and pause" disabled=${plan.changed && !changed} onClick=${() => begin(true)} />
        <${Button} label="Cancel" onClick=${closeDialog} />
      </div>
    </form>`;
}
