// What a check of the plan in the form of run_plan has found.
import { signal } from '@preact/signals';

export const checked = signal(null); // { text that was checked, valid, findings, calls, flows }
