import { html } from '../lib/html.js';
import { around, unseenIn, visible } from '../lib/visible.js';

// unseenId is the id of the note below a field, for its aria-describedby; null when its text needs none.
export const unseenId = (id, text) => (unseenIn(text ?? '').length ? `${id}-unseen` : null);

// Unseen is the note below a field whose text has characters that are not seen, or that change how others are
// seen: a field can draw text only as it is.
export function Unseen({ id, text }) {
  const found = unseenIn(text ?? '');
  if (!found.length) return null;
  const more = found.length - 4;
  return html`<p class="muted field-text unseen-note" id=${`${id}-unseen`}>Contains ${found.slice(0, 4).join(', ')}${more > 0 && ` and ${more} more`}: <span class="mono">${visible(around(text))}</span></p>`;
}
