import { html } from '../lib/html.js';

const words = { not_started: 'starting', error: 'failed' };

// Status of a run, never by colour alone.
export const Status = ({ status }) => html`<span class=${`status ${status}`}><i></i>${words[status] ?? status}</span>`;
