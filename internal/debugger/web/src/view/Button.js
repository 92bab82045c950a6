import { html, cx } from '../lib/html.js';
import { Icon } from './Icon.js';

// Button with an icon, a label or both; hint is its key.
export const Button = ({ icon, label, hint, kind, only, ...more }) => html`
  <button type="button" class=${cx('button', kind, only && 'only')} title=${hint ? `${label} (${hint})` : label} aria-label=${only ? label : null} ...${more}>
    ${icon && html`<${Icon} name=${icon} />`}${!only && html`<span>${label}</span>`}
  </button>`;
