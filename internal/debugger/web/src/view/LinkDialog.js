import { html } from '../lib/html.js';
import { Dialog } from './Dialog.js';

// LinkDialog shows a link where the browser does not let the page copy it.
export const LinkDialog = ({ url }) => html`
  <${Dialog} title="Link to this place">
    <label class="field"><span>Copy the link. It opens this place in any browser on this machine, until toolgraph ui ends.</span>
      <input type="text" class="mono" readonly data-first value=${url} onFocus=${(e) => e.currentTarget.select()} /></label>
  </${Dialog}>`;
