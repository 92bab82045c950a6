import { html } from '../lib/html.js';
import { argumentsOf, titleOf } from '../lib/question.js';

// AskedElsewhere is the question of a run that is not one of this page, and where it can be answered. Beside the arguments of its
// call they are left out.
export const AskedElsewhere = ({ run: r, brief }) => r.question && !r.live && html`
  <section aria-label="question"><h3>Question without an answer</h3>
    ${r.question.confirms ? html`<p class="note question-text">${titleOf(r.question.confirms).join('')}${!brief && html`<br /><span class="mono">${argumentsOf(r.question.message)}</span>`}</p>` : html`<p class="note question-text">${r.question.message}</p>`}
    <p class="hint-text">${r.status === 'interrupted'
      ? 'The process that asked has ended. Resume the run, and it asks again.'
      : 'Another process asks it, such as toolgraph serve or run: answer it there, in its client or terminal.'}</p></section>`;
