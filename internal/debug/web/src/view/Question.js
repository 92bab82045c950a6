import { html } from '../lib/html.js';
import { useState } from 'preact/hooks';
import { post, seg } from '../lib/api.js';
import { draftOf, argumentsOf } from '../lib/draft.js';
import { loadQuestions, questions } from '../state/questions.js';
import { attempt } from '../state/ui.js';
import { Field } from './Field.js';
import { Button } from './Button.js';

// Question is the oldest open question of an upstream server. It stays until it is
// answered, or its call ends.
export function Question() {
  const [first, ...more] = questions.value;
  return first ? html`<${Form} key=${first.id} question=${first} more=${more.length} />` : null;
}

function Form({ question: q, more }) {
  const schema = q.schema ?? { type: 'object' };
  const [draft, setDraft] = useState(() => draftOf(schema));
  const [found, setFound] = useState([]);
  const [busy, setBusy] = useState(false);
  const send = async (action) => {
    const { json, errors } = argumentsOf(schema, draft);
    if (action === 'accept') {
      setFound(errors);
      if (errors.length) return;
    }
    setBusy(true);
    try {
      await post(`questions/${seg(q.id)}`, `{"action":"${action}"${action === 'accept' && !q.url ? `,"content":${json}` : ''}}`);
    } catch (error) {
      setFound(error.more?.fields ?? [{ path: [], message: [error.message, error.hint].filter(Boolean).join('; ') }]);
    } finally {
      setBusy(false);
      attempt(loadQuestions);
    }
  };
  const fields = Object.keys(schema.properties ?? {});
  const top = found.filter((f) => !f.path.length || !fields.includes(f.path[0]));
  return html`
    <form class="form question" role="dialog" aria-label=${`the server ${q.server} asks`} novalidate onSubmit=${(e) => { e.preventDefault(); send('accept'); }}>
      <h2>The server <span class="mono">${q.server}</span> asks</h2>
      <p class="question-text">${q.message}</p>
      ${q.url && html`<p class="question-text"><a href=${q.url} target="_blank" rel="noopener noreferrer">${q.url}</a></p>`}
      ${fields.length > 0 && html`<${Field} schema=${schema} draft=${draft} onChange=${setDraft} path=${['answer']} found=${found.map((f) => ({ ...f, path: ['answer', ...f.path] }))} top />`}
      ${top.map((f) => html`<p class="wrong" role="alert">${f.message}</p>`)}
      <div class="form-end">
        <button type="submit" class="button primary" disabled=${busy}><span>${fields.length ? 'Send' : 'Accept'}</span></button>
        <${Button} label="Decline" disabled=${busy} onClick=${() => send('decline')} />
        <${Button} label="Cancel" disabled=${busy} onClick=${() => send('cancel')} />
        ${more > 0 && html`<span class="muted">${more} more</span>`}
      </div>
    </form>`;
}
