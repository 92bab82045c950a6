import { h } from 'preact';
import htm from 'htm';
import { plain, visible } from './visible.js';

// html`…` makes elements without a compiler. Values always become text or properties, never markup, and
// characters that are not seen become escapes.
export const html = htm.bind(element);

const texts = new Set(['option', 'text', 'title', 'textarea', 'tspan']); // that hold no elements
const spoken = ['title', 'aria-label', 'aria-description', 'placeholder', 'alt'];

function element(type, props, ...children) {
  if (typeof type !== 'string') return h(type, props, ...children);
  for (const name of spoken) if (props?.[name] && plain(props[name]) !== props[name]) props = { ...props, [name]: plain(props[name]) };
  const show = texts.has(type) ? plain : visible;
  const shown = (child) => (Array.isArray(child) ? child.map(shown) : show(child));
  return h(type, props, ...children.map(shown));
}

// cx joins the class names that hold.
export const cx = (...names) => names.filter(Boolean).join(' ');
