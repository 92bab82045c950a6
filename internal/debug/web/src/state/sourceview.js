// Which lines of the file are looked at.
import { computed, signal } from '@preact/signals';
import { graph, source } from './project.js';
import { at, lit, own, run } from './run.js';

const asked = signal(null);
export const revealLine = (line) => {
  asked.value = { line, at: at.value };
};
// wanted is the line that the user asked for, until another step is shown.
export const wanted = computed(() => (asked.value?.at === at.value ? asked.value : null));
export const lines = computed(() => (source.value?.text ?? '').split('\n'));

// extent is the range of lines of a node: down to where the indentation ends.
export function extent(all, line, column) {
  let last = line;
  for (let i = line; i < all.length; i++) {
    const text = all[i];
    if (/^\s*(#.*)?$/.test(text)) continue;
    if (text.search(/\S/) < column - 1) break;
    last = i + 1;
  }
  return [line, last];
}

// current are the lines of the node at the position: [first, last], or null.
export const current = computed(() => {
  const id = own.value && run.value ? lit.value.current : '';
  const node = graph.value?.byId.get(id);
  return node?.line ? extent(lines.value, node.line, node.column) : null;
});
