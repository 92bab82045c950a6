import { html } from '../lib/html.js';
import { useState } from 'preact/hooks';
import { pasted } from '../state/session.js';

// SessionForm asks for the address of the session, which the page lacks or which has ended.
export function SessionForm({ begun }) {
  const [text, setText] = useState('');
  const send = (e) => {
    e.preventDefault();
    if (text.trim()) pasted(text);
    setText('');
  };
  return html`
    <form class="session" role="alert" aria-label="session" onSubmit=${send}>
      <p><strong>${begun ? 'This page belongs to an earlier start of toolgraph ui.' : 'This address needs its token.'}</strong>
        ${' '}Open the address that ${html`<code>toolgraph ui</code>`} printed${begun ? ' last' : ', with everything after the #'}, or paste it here.${begun ? ' What you have typed stays.' : ''}</p>
      <div><input type="text" class="mono" aria-label="address that toolgraph ui printed" placeholder="http://127.0.0.1:…/#token=…" value=${text} spellcheck=${false} autocomplete="off" onInput=${(e) => setText(e.currentTarget.value)} />
        <button type="submit" class="button primary"><span>Connect</span></button></div>
    </form>`;
}
