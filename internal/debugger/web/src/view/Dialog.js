import { html } from '../lib/html.js';
import { useEffect, useRef } from 'preact/hooks';
import { dialog } from '../state/ui.js';
import { Button } from './Button.js';

export const closeDialog = () => {
  dialog.value = null;
};

// Dialog is the browser's own: it keeps the focus, and Escape closes it.
export function Dialog({ title, wide, children }) {
  const ref = useRef(null);
  useEffect(() => {
    const before = document.activeElement;
    ref.current.showModal();
    ref.current.querySelector('[data-first]')?.focus();
    return () => before?.focus?.();
  }, []);
  return html`
    <dialog ref=${ref} class=${wide ? 'wide' : null} aria-label=${title} onClose=${closeDialog} onClick=${(e) => e.target === ref.current && closeDialog()}>
      <div class="dialog-head"><h2>${title}</h2><${Button} icon="close" only label="Close" hint="Esc" onClick=${closeDialog} /></div>
      <div class="dialog-body">${children}</div>
    </dialog>`;
}
