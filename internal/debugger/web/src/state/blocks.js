// Which blocks of steps are open in the drawing of each tool.
import { signal } from '@preact/signals';

const MANY = 60; // steps of a tool; with more, blocks are closed at first
const toggled = signal({}); // tool → { block: whether it is open }

const within = (nodes) => nodes.flatMap((n) => (n.steps ? [n, ...within(n.steps)] : [n]));

// closedIn are the ids of the blocks of a drawing that are closed.
export function closedIn({ tool, nodes }) {
  const all = within(nodes);
  const open = toggled.value[tool] ?? {};
  return new Set(all.filter((n) => n.steps && !(open[n.id] ?? all.length <= MANY)).map((n) => n.id));
}

// setOpen opens or closes a block, and opens those around one that is opened.
export function setOpen(tool, block, open) {
  const ids = block.split('.');
  const around = open ? ids.map((_, i) => ids.slice(0, i + 1).join('.')) : [block];
  toggled.value = { ...toggled.value, [tool]: { ...toggled.value[tool], ...Object.fromEntries(around.map((id) => [id, open])) } };
}
