// The keys of a node that has the focus.
import { toggleBreakpoint } from '../state/breakpoints.js';
import { control, controlled, goToNode } from '../state/run.js';
import { lookInto } from '../state/into.js';
import { focused, reveal } from '../state/graphview.js';
import { revealLine } from '../state/sourceview.js';
import { walk } from './walk.js';
import { dialog, show } from '../state/ui.js';

export function nodeKey(e, g, node) {
  if (e.ctrlKey || e.metaKey || e.altKey) return;
  const handled = act(e.key, g, node);
  if (handled) {
    e.preventDefault();
    e.stopPropagation();
  }
}

function act(key, g, node) {
  switch (key) {
    case 'Enter':
    case ' ':
      goToNode(node.id);
      show('step');
      return true;
    case 'l':
      if (!node.line) return false;
      show('source');
      revealLine(node.line, node.column, true);
      return true;
    case 'b':
      toggleBreakpoint(node.id);
      return true;
    case 'c':
      dialog.value = { kind: 'breakpoint', node: node.id };
      return true;
    case 'e':
      if (!node.repeat && (!node.each || node.type === 'transform')) return false;
      toggleBreakpoint(`${node.id}[]`);
      return true;
    case 'i':
      lookInto(node);
      if (node.steps) requestAnimationFrame(() => focusNode(node.id, false)); // it is drawn in another way now
      return true;
    case 'u':
      if (controlled.value) control('run-to', node.id);
      return true;
    case 'ArrowDown':
    case 'ArrowUp':
    case 'ArrowLeft':
    case 'ArrowRight':
      focusNode(walk(g, node, key)?.id, false);
      return true;
    default:
      return false;
  }
}

// focusNode brings a node into view and gives it the keyboard, at once: the next key is for it.
export function focusNode(id, readable = true) {
  if (!id) return;
  reveal(id, readable);
  focused.value = id;
  document.querySelector(`[data-node="${CSS.escape(id)}"]`)?.focus({ preventScroll: true });
}
