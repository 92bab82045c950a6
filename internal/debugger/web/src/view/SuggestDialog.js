import { useState } from 'preact/hooks';
import { html } from '../lib/html.js';
import { plural } from '../lib/format.js';
import { useLoaded } from '../lib/load.js';
import { source } from '../state/project.js';
import { suggestions, take } from '../state/suggestions.js';
import { Button } from './Button.js';
import { Dialog, closeDialog } from './Dialog.js';
import { Empty } from './Empty.js';

// SuggestDialog shows tools for what clients of the file do again and again, and adds one to the file.
export function SuggestDialog() {
  const { value: all, error } = useLoaded('', suggestions);
  return html`
    <${Dialog} title="Tools for what is done again and again" wide>
      ${error ? html`<${Empty} title="There are no suggestions" text=${error.message} />` : !all ? html`<${Empty} title="Looking through the recorded runs …" />` : all.length === 0 ? html`<${Empty} title="Nothing is done again and again" text="Plans, pipelines and calls of exposed tools are looked at: chains of calls that were made three times." />` : all.map((s) => html`<${Suggestion} key=${s.number} s=${s} />`)}
    </${Dialog}>`;
}

function Suggestion({ s }) {
  const [said, say] = useState('');
  const add = async () => {
    const problem = await take(s.draft);
    if (problem) say(problem);
    else closeDialog();
  };
  const title = `suggestion-${s.number}`;
  return html`
    <section aria-labelledby=${title}>
      <h3 id=${title} class="mono">${s.chain.join(' → ')}</h3>
      <p>${plural(s.times, 'time')}, about ${plural(s.tokensAWeek, 'token')} a week (an estimate)${s.why ? html`; no draft: ${s.why}` : html`; effects: ${s.effects.join(', ')}; reproduces ${s.reproduces} of ${s.tried}`}</p>
      ${s.todos?.length > 0 && html`<ul>${s.todos.map((line) => html`<li key=${line}>${line}</li>`)}</ul>`}
      ${s.draft && html`
        <pre class="mono" tabindex="0" aria-labelledby=${title}>${s.draft}</pre>
        ${source.value?.writable ? html`<div><${Button} label=${`Add ${s.name} to the file`} onClick=${add} /></div>` : html`<p class="muted">Start toolgraph ui with --allow-write to add it here.</p>`}
        <span role="status">${said}</span>`}
    </section>`;
}
