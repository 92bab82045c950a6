import { html } from '../lib/html.js';

// Empty says what a pane would show and how to get there.
export const Empty = ({ title, text, children }) => html`
  <div class="empty">
    <p class="empty-title">${title}</p>
    ${text && html`<p>${text}</p>`}
    ${children}
  </div>`;
