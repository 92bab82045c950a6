import { html } from '../lib/html.js';
import { useState } from 'preact/hooks';
import { post, seg } from '../lib/api.js';
import { draftOf, argumentsOf } from '../lib/draft.js';
import { argumentsOf as callArguments, effects, titleOf as callTitle, unknownEffect } from '../lib/question.js';
import { describe } from '../lib/schema.js';
import { loadQuestions, questions } from '../state/questions.js';
import { run, showRun } from '../state/run.js';
import { attempt } from '../state/ui.js';
import { Field } from './Field.js';
import { Button } from './Button.js';

// Question is the open questions of upstream servers and of runs, of which one is shown: the oldest,
// until the user turns to another. Each stays until it is answered, or its call or run ends; what
// was typed into one that is not shown is kept. A call is allowed by its button only, not by a key that sends forms.
export function Question() {
  const [chosen, choose] = useState('');
  const all = questions.value;
  const shown = Math.max(0, all.findIndex((q) => q.id === chosen));
  const turn = () => choose(all[(shown + 1) % all.length].id);
  return html`<div aria-live="polite" aria-relevant="additions">${all.map((q, i) => html`<${Form} key=${q.id} question=${q} hidden=${i !== shown} place=${all.length > 1 && `${i + 1} of ${all.length}`} onTurn=${turn} />`)}</div>`;
}

// titleOf says who asks, and for what.
function titleOf({ server, confirms, tool }) {
  if (server) return ['The server ', server, ' asks'];
  if (confirms) return callTitle(confirms);
  return ['The tool ', tool, ' asks'];
}

// meaningOf says what follows when the user does not agree.
function meaningOf({ server, confirms }) {
  if (server) return ['Decline is a no, Cancel gives no answer; the server decides what follows.'];
  return [confirms && 'With both of these nothing is called:', 'Decline: a no; the node fails with “declined”.', 'Cancel: no answer; the node fails with “dismissed”.'].filter(Boolean);
}

// Origin is the run that asks, its node, and what its calls do.
const Origin = ({ question: q }) => html`
  <p class="question-origin muted">
    ${q.confirms && html`<span class=${`tag ${q.confirms.effect === 'read' ? '' : 'warn'}`}>${q.confirms.effect ? `effect: ${q.confirms.effect}` : 'effect unknown'}</span><span>${effects[q.confirms.effect] ?? unknownEffect}</span>`}
    <span>node <span class="mono">${q.node}</span>${q.confirms && html` of tool <span class="mono">${q.tool}</span>`}</span>
    ${run.value?.id !== q.run && html`<button type="button" class="linkish" onClick=${() => showRun(q.run)}>Show the run</button>`}
  </p>`;

function Form({ question: q, hidden, place, onTurn }) {
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
      await post(`questions/${seg(q.id)}`, `{"action":"${action}"${action === 'accept' && q.schema ? `,"content":${json}` : ''}}`);
    } catch (error) {
      setFound(error.more?.fields ?? [{ path: [], message: [error.message, error.hint].filter(Boolean).join('; ') }]);
    } finally {
      setBusy(false);
      attempt(loadQuestions);
    }
  };
  const fields = [...describe(schema).properties.keys()];
  const top = found.filter((f) => !f.path.length || !fields.includes(f.path[0]));
  const [before, name, after] = titleOf(q);
  return html`
    <div class="question" hidden=${hidden} role="dialog" aria-label=${`${before}${name}${after}`}>
      <form class="form" novalidate onSubmit=${(e) => { e.preventDefault(); if (!q.confirms || e.submitter) send('accept'); }}>
        <h2 tabindex=${q.confirms ? -1 : null} data-first=${q.confirms ? '' : null}>${before}<span class="mono">${name}</span>${after}</h2>
        ${q.run && html`<${Origin} question=${q} />`}
        ${q.confirms ? html`<p class="question-text mono">${callArguments(q.message)}</p>` : html`<p class="question-text">${q.message}</p>`}
        ${q.url && html`<p class="question-text"><a href=${q.url} target="_blank" rel="noopener noreferrer">${q.url}</a></p>`}
        ${fields.length > 0 && html`<${Field} schema=${schema} draft=${draft} onChange=${setDraft} path=${[`answer-${q.id}`]} found=${found.map((f) => ({ ...f, path: [`answer-${q.id}`, ...f.path] }))} top />`}
        ${top.map((f) => html`<p class="wrong" role="alert">${f.message}</p>`)}
        <p class="muted question-meaning">${meaningOf(q).map((line) => html`<span key=${line}>${line}</span>`)}</p>
        <div class="form-end">
          <button type="submit" class=${q.confirms ? 'button' : 'button primary'} disabled=${busy}><span>${fields.length ? 'Send' : q.confirms ? 'Allow' : 'Accept'}</span></button>
          <${Button} label="Decline" disabled=${busy} onClick=${() => send('decline')} />
          <${Button} label="Cancel" disabled=${busy} onClick=${() => send('cancel')} />
          ${place && html`<${Button} label=${`${place}, next`} onClick=${onTurn} />`}
        </div>
      </form>
    </div>`;
}
