// The form of the chosen tool: what is wrong with it, and how a run of it begins.
import { signal } from '@preact/signals';
import { argumentsOf } from '../lib/draft.js';
import { draftNow } from './drafts.js';
import { tool } from './project.js';
import { startRun } from './run.js';
import { notify, pane, side } from './ui.js';

export const found = signal({ tool: '', list: [] }); // findings, each with the path of its field
export const busy = signal(false);

const report = (name, list) => {
  found.value = { tool: name, list };
  if (list.length) [side.value, pane.value] = ['tools', 'side']; // where they can be read
};

// begin runs the chosen tool with the content of its form; with debug it pauses before the first node.
export async function begin(debug) {
  const t = tool.value;
  if (!t || busy.value) return;
  const { json, errors } = argumentsOf(t.inputSchema, draftNow(t));
  report(t.name, errors);
  if (errors.length) return;
  busy.value = true;
  try {
    await startRun(json, { debug });
  } catch (error) {
    report(t.name, error.more?.fields ?? []);
    if (!error.more?.fields?.length) notify(error.message, error.hint);
  } finally {
    busy.value = false;
  }
}
