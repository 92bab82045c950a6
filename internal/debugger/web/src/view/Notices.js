import { html } from '../lib/html.js';
import { dismiss, notices } from '../state/ui.js';
import { Button } from './Button.js';

export const Notices = () => html`
  <div class="notices" role="status" aria-live="polite">
    ${notices.value.map((n) => html`
      <div class=${`notice ${n.kind}`} key=${n.id}>
        <p>${n.text}${n.hint && html`<br /><span class="muted">${n.hint}</span>`}</p>
        <${Button} icon="close" only label="Dismiss" onClick=${() => dismiss(n.id)} />
      </div>`)}
  </div>`;
