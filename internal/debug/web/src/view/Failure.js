import { html } from '../lib/html.js';

// Failure shows an error with its place.
export function Failure({ error, onPlace }) {
  return html`
    <section class="failure" role="alert">
      <p>${error.message}</p>
      ${error.caret && html`<pre class="caret">${error.caret}</pre>`}
      <p class="muted">${[error.node && `node ${error.node}`, error.code, error.detail].filter(Boolean).join(' · ')}
        ${error.line > 0 && html` · <button type="button" class="linkish" onClick=${() => onPlace(error.line)}>line ${error.line}, column ${error.column}</button>`}</p>
    </section>`;
}
