import { html } from '../lib/html.js';
import { useEffect, useState } from 'preact/hooks';
import { text as fetchText, post, seg } from '../lib/api.js';
import { run } from '../state/run.js';
import { Button } from './Button.js';
import { Dialog, closeDialog } from './Dialog.js';

// NOTHING is the text of the field for a node that yielded no value, or should have none.
const NOTHING = 'nothing';

// EditDialog changes the latest output of a node, for the steps that follow.
export function EditDialog({ node, place }) {
  const [value, setValue] = useState(null);
  const [error, setError] = useState('');
  useEffect(() => {
    fetchText(`runs/${seg(run.value.id)}/whole`, { of: 'output', ...place, indent: 1 }).then((found) => setValue(found || NOTHING), (e) => setError([e.message, e.hint].filter(Boolean).join('; ')));
  }, []);
  const save = async (e) => {
    e.preventDefault();
    const none = value.trim() === NOTHING;
    try {
      if (!none) JSON.parse(value);
    } catch (wrong) {
      setError(`expected JSON, or the word ${NOTHING}: ${wrong.message}`);
      return;
    }
    try {
      await post(`runs/${seg(run.value.id)}/edit`, `{"node":${JSON.stringify(node)},${none ? '"nothing":true' : `"value":${value}`}}`);
      closeDialog();
    } catch (refused) {
      setError([refused.message, refused.hint].filter(Boolean).join('; '));
    }
  };
  return html`
    <${Dialog} title=${`Edit the output of ${node}`}>
      <form onSubmit=${save}>
        <textarea class="mono" rows="12" aria-label="value as JSON" spellcheck="false" data-first readonly=${value === null} value=${value ?? ''} onInput=${(e) => setValue(e.currentTarget.value)}></textarea>
        ${error && html`<p class="wrong" role="alert">${error}</p>`}
        <p class="muted">The steps that follow see this value; with the word ${NOTHING} they see none. The history of the run has the edit and the earlier output.</p>
        <div class="form-end"><button type="submit" class="button primary" disabled=${value === null}><span>Save</span></button><${Button} label="Cancel" onClick=${closeDialog} /></div>
      </form>
    </${Dialog}>`;
}
