import { h } from 'preact';
import htm from 'htm';

// html`…` makes elements without a compiler. Values always become text or properties,
// never markup.
export const html = htm.bind(h);

// cx joins the class names that hold.
export const cx = (...names) => names.filter(Boolean).join(' ');
