// What upstream servers and runs ask the user while they wait.
import { signal } from '@preact/signals';
import { get } from '../lib/api.js';

export const questions = signal([]); // the oldest first

export async function loadQuestions() {
  questions.value = (await get('questions')).questions;
}
