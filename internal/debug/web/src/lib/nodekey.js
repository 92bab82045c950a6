// The keys of a node that has the focus.
import { toggleBreakpoint } from '../state/breakpoints.js';
import { control, controlled, goToNode } from '../state/run.js';
import { lookInto } from '../state/into.js';
import { reveal } from '../state/graphview.js';
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
    case 'b':
      toggleBreakpoint(node.id);
      return true;
    case 'c':
      dialog.value = { kind: 'breakpoint', node: node.id };
      return true;
    case 'e':
      if (!node.each) return false;
      toggleBreakpoint(`${node.id}[]`);
      return true;
    case 'i':
      lookInto(node);
      return true;
    case 'u':
      if (controlled.value) control('run-to', node.id);
      return true;
    case 'ArrowDown':
    case 'ArrowUp':
    case 'ArrowLeft':
    case 'ArrowRight':
      focusNode(towards(g, node, key)?.id);
      return true;
    default:
      return false;
  }
}

// towards is the nearest node in a direction.
function towards(g, from, key) {
  const [dx, dy] = { ArrowDown: [0, 1], ArrowUp: [0, -1], ArrowLeft: [-1, 0], ArrowRight: [1, 0] }[key];
  let best;
  let least = Infinity;
  for (const n of g.nodes) {
    const along = (n.box.x - from.box.x) * dx + (n.box.y - from.box.y) * dy;
    const across = Math.abs((n.box.x - from.box.x) * dy) + Math.abs((n.box.y - from.box.y) * dx);
    if (n.id === from.id || along < 8 || (dx && across > 60)) continue;
    const far = along + across * 2;
    if (far < least) [best, least] = [n, far];
  }
  return best;
}

export function focusNode(id) {
  if (!id) return;
  reveal(id, true);
  requestAnimationFrame(() => document.querySelector(`[data-node="${CSS.escape(id)}"]`)?.focus({ preventScroll: true }));
}
