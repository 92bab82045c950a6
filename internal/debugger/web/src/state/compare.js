// The two runs that are compared, in place of the run that is open.
import { signal } from '@preact/signals';
import { pane } from './ui.js';

export const compared = signal(null); // [id, id], or null

export function compare(a, b) {
  compared.value = [a, b];
  pane.value = 'graph'; // on a narrow window, the one that has it
}
export const closeCompare = () => { compared.value = null; };
