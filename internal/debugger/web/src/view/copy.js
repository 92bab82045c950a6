// What goes to the clipboard.
import { pathOf } from '../lib/jsonata.js';
import { attempt, notify } from '../state/ui.js';

const MOST = 32e6; // characters; more does no clipboard any good

export const copyPath = (source, path) => attempt(async () => {
  const text = pathOf(source.root, path);
  await navigator.clipboard.writeText(text);
  notify(`copied ${text}`, '', 'note', 'copy');
});

// copyValue copies a value as JSON, a text as it is.
export const copyValue = (source, path) => attempt(async () => {
  const found = await source.whole(path);
  if (found.length > MOST) return notify('the value is too long for the clipboard', 'download it instead', 'error', 'copy');
  await navigator.clipboard.writeText(found);
  return notify('copied', '', 'note', 'copy');
});
