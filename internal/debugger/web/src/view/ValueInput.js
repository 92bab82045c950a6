import { html } from '../lib/html.js';
import { parse } from '../lib/json.js';
import { Unseen, unseenId } from './Unseen.js';

// NOTHING is the text for a node that yielded no value, or should have none.
export const NOTHING = 'nothing';

// checked is the text of a value as JSON, undefined for nothing. What is no JSON throws an Invalid.
export function checked(text) {
  if (text.trim() === NOTHING) return undefined;
  parse(text);
  return text;
}

// ValueInput is a field for a value as JSON, with what is wrong below it.
export const ValueInput = ({ label, value, wrong, ...more }) => html`
  <textarea class="mono" rows="9" aria-label=${label} spellcheck=${false} readonly=${value === null} value=${value ?? ''} aria-invalid=${wrong ? 'true' : null} aria-describedby=${unseenId('value-input', value)} ...${more}></textarea>
  <${Unseen} id="value-input" text=${value} />
  ${wrong && html`<p class="wrong" role="alert">${wrong}</p>`}`;
