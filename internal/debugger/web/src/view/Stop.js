import { html, cx } from '../lib/html.js';
import { toggleBreakpoint } from '../state/breakpoints.js';

// Stop is the dot of a breakpoint at a node, at its parts or at a branch.
export function Stop({ name, stop, x, y, text, hint, each, small }) {
  const toggle = (e) => {
    e.stopPropagation();
    toggleBreakpoint(name);
  };
  return html`
    <g class=${cx('stop', stop && 'set', stop?.disabled && 'off', stop?.condition && 'conditional', small && 'small')} data-stop=${name} transform=${`translate(${x} ${y})`} onClick=${toggle}>
      <title>${stop ? `Remove ${text}` : `Set ${text}`}${hint ? ` (${hint})` : ''}</title>
      <circle class="reach" r=${each || small ? 11 : 13} />
      ${each && html`<circle class="dot" cx="4" cy="3" r="4.5" />`}
      <circle class="dot" r=${each || small ? 4.5 : 6} />
      ${stop?.condition && html`<path d="M-3 -1.4h6M-3 1.4h6" />`}
    </g>`;
}
