import { html } from '../lib/html.js';
import { wordOf } from '../lib/status.js';

// Status of a run, never by colour alone.
export const Status = ({ status }) => html`<span class=${`status ${status}`}><i></i>${wordOf(status)}</span>`;
