// What upstream servers and runs ask the user while they wait.
import { signal } from '@preact/signals';
import { get } from '../lib/api.js';
import { parse, plain } from '../lib/json.js';

export const questions = signal([]); // the oldest first

// read leaves the schemas as lib/json.js has read them: their defaults keep their digits.
const read = (text) => parse(text).get('questions').map((q) => ({ ...plain(q), ...(q.has('schema') && { schema: q.get('schema') }) }));

export async function loadQuestions() {
  questions.value = await get('questions', undefined, read);
}

// toQuestion gives the keyboard to the question that is shown.
export const toQuestion = () => document.querySelector('.question:not([hidden])')?.querySelector('[data-first], input, select, textarea, [type=submit]').focus();
