import { html } from '../lib/html.js';
import { useEffect, useState } from 'preact/hooks';
import { text as fetchText, post, seg } from '../lib/api.js';
import { invalid } from '../lib/json.js';
import { useKept } from '../lib/kept.js';
import { held, placeOf, run } from '../state/run.js';
import { Button } from './Button.js';
import { Dialog, closeDialog } from './Dialog.js';
import { Unseen, unseenId } from './Unseen.js';

// NOTHING is the text of the field for a node that yielded no value, or should have none.
const NOTHING = 'nothing';

// EditDialog changes the latest output of a node, for the steps that follow. What was typed stays when the dialog
// is closed without saving.
export function EditDialog({ node, place }) {
  const [typed, setTyped, drop, kept] = useKept(`edit ${run.value.id} ${node} ${JSON.stringify(place)}`, null);
  const [output, setOutput] = useState(null);
  const [error, setError] = useState('');
  const value = typed ?? output;
  useEffect(() => {
    fetchText(`runs/${seg(run.value.id)}/whole`, { of: 'output', ...place, indent: 1 }).then((found) => setOutput(found || NOTHING), (e) => setError([e.message, e.hint].filter(Boolean).join('; ')));
  }, []);
  const changed = typed !== null && typed !== output;
  const discard = () => {
    drop(null);
    setError('');
  };
  const save = async (e) => {
    e.preventDefault();
    const none = value.trim() === NOTHING;
    const wrong = none ? null : invalid(value);
    if (wrong) {
      setError(`expected JSON, or the word ${NOTHING}: ${wrong.message}`);
      return;
    }
    try {
      await post(`runs/${seg(run.value.id)}/edit`, `{"node":${JSON.stringify(node)},"at":${JSON.stringify(held.value ? placeOf(held.value) : '')},${none ? '"nothing":true' : `"value":${value}`}}`); // digits and all
      drop();
      closeDialog();
    } catch (refused) {
      setError([refused.message, refused.hint].filter(Boolean).join('; '));
    }
  };
  const keys = (e) => e.key === 'Enter' && (e.ctrlKey || e.metaKey) && value !== null && save(e);
  return html`
    <${Dialog} title=${`Edit the output of ${node}`}>
      <form onSubmit=${save}>
        ${kept && changed && html`<p class="note" role="status">This is the text that was not saved. <button type="button" class="linkish" onClick=${discard}>Discard it</button></p>`}
        <textarea class="mono" rows="12" aria-label="value as JSON" aria-describedby=${unseenId('edit', value)} spellcheck=${false} data-first readonly=${value === null} value=${value ?? ''} onInput=${(e) => setTyped(e.currentTarget.value)} onKeyDown=${keys}></textarea>
        <${Unseen} id="edit" text=${value} />
        ${error && html`<p class="wrong" role="alert">${error}</p>`}
        <p class="muted">The steps that ${place.part ? 'read it' : 'follow'} see this value; with the word ${NOTHING} they see none. The history of the run has the edit and the earlier output.</p>
        <div class="form-end"><button type="submit" class="button primary" disabled=${value === null}><span>Save</span></button>
          <${Button} label="Close" onClick=${closeDialog} />
          ${changed && html`<${Button} label="Discard" onClick=${() => { drop(); closeDialog(); }} /><span class="muted">Not saved; kept until the page is left.</span>`}</div>
      </form>
    </${Dialog}>`;
}
