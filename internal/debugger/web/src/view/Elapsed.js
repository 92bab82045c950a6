import { html } from '../lib/html.js';
import { elapsed } from '../lib/format.js';
import { useNow } from '../state/clock.js';

// Elapsed is the time since a moment, given in milliseconds, while it passes. Screen readers do not read
// each change of it.
export const Elapsed = ({ since }) => html`<span class="elapsed" role="timer" aria-live="off">${elapsed(useNow() - since)}</span>`;
