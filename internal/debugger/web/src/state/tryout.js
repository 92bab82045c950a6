// The expression that is tried out.
import { signal } from '@preact/signals';
import { show } from './ui.js';

export const kind = signal('jsonata'); // jsonata, rule
export const texts = signal({ jsonata: '$', rule: '{"!!": [{"var": "entry"}]}' });

// tryOut takes an expression of a step over.
export function tryOut(of, source) {
  kind.value = of;
  texts.value = { ...texts.value, [of]: source };
  show('try');
}
