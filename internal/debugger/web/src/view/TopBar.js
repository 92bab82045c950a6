import { html, cx } from '../lib/html.js';
import { project } from '../state/project.js';
import { dialog, link, theme } from '../state/ui.js';
import { copyLink } from '../state/link.js';
import { hint } from '../state/keys.js';
import { Controls } from './Controls.js';
import { Button } from './Button.js';

const links = { live: 'connected', connecting: 'connecting …', lost: 'not connected; trying again', refused: 'not connected' };

// FileChoice leads to the pages of the other graph files.
function FileChoice({ of }) {
  const here = of.files.find((f) => f.path === location.pathname);
  return html`
    <select class="file" aria-label="graph file" title=${of.file} value=${here?.path} onChange=${(e) => location.assign(e.currentTarget.value)}>
      ${of.files.map((f) => html`<option key=${f.path} value=${f.path}>${f.name}</option>`)}
    </select>`;
}

export function TopBar() {
  const p = project.value;
  return html`
    <header class="top">
      <div class="brand">
        <img src="icon.svg" alt="" width="22" height="22" />
        <h1 title=${p.title}>${p.title}</h1>
        ${p.files.length ? html`<${FileChoice} of=${p} />` : html`<span class="muted file" title=${p.file}>${p.file.split(/[\\/]/).pop()}</span>`}
      </div>
      <${Controls} />
      <div class="top-end">
        <span class=${cx('link', link.value)} role="status" title=${links[link.value]}><i></i><span class="wide">${links[link.value]}</span></span>
        <${Button} icon="link" only label="Copy a link to this place" hint=${hint('link')} onClick=${copyLink} />
        <${Button} icon=${theme.value} only label=${`Theme: ${theme.value}`} hint="d"
          onClick=${() => { theme.value = { auto: 'dark', dark: 'light', light: 'auto' }[theme.value]; }} />
        <${Button} icon="help" only label="Keyboard and help" hint="?" onClick=${() => { dialog.value = { kind: 'help' }; }} />
      </div>
    </header>`;
}
