// The form of the chosen tool: what is wrong with it, how it is shown as JSON, and how a run of it begins.
import { signal } from '@preact/signals';
import { text as fetchText, post, seg } from '../lib/api.js';
import { argumentsOf, draftOf, fromRaw, toRaw } from '../lib/draft.js';
import { draftNow, setDraft } from './drafts.js';
import { given, formTool as tool, chooseTool, drawTool } from './project.js';
import { mocksOf, wrongMocks } from './mocks.js';
import { checked } from './plan.js';
import { closeRun, startRun } from './run.js';
import { attempt, notify, pane, side } from './ui.js';

export const found = signal({ tool: '', list: [] }); // findings, each with the path of its field
export const busy = signal(false);

const report = (name, list) => {
  found.value = { tool: name, list };
};
const showForm = () => {
  [side.value, pane.value] = ['tools', 'side'];
};

// begin runs the chosen tool with the content of its form; with debug it pauses before the first node.
export async function begin(debug) {
  const t = tool.value;
  if (!t || busy.value) return;
  const mocks = mocksOf(t);
  if (mocks === null) return showForm();
  await send(t, (json) => startRun(json, { debug, mocks }));
}

// check checks the plan in the form without a call, and draws it.
export async function check() {
  const t = tool.value;
  if (!t?.plan || busy.value) return;
  const text = draftNow(t).raw;
  await send(t, async (json) => {
    const { report: said, graph } = await post('plans', `{"args":${json}}`);
    closeRun(); // what is drawn has not run
    checked.value = { text, ...said };
    given.value = graph ? { ...graph, given: true } : null;
    await drawTool(t.name);
  });
}

// send sends the content of a form, and shows what is wrong with it.
async function send(t, work) {
  const { json, errors } = argumentsOf(t.inputSchema, draftNow(t));
  report(t.name, errors);
  if (errors.length) return showForm();
  busy.value = true;
  try {
    await work(json);
  } catch (error) {
    const { fields = [], findings, mocks } = error.more ?? {};
    report(t.name, fields);
    if (findings) checked.value = { text: draftNow(t).raw, valid: false, findings };
    if (mocks) wrongMocks.value = { tool: t.name, message: error.message };
    if (fields.length || findings || mocks) showForm();
    else notify(error.message, error.hint);
  } finally {
    busy.value = false;
  }
  return undefined;
}

// toggleRaw shows a form as JSON, or as fields again. It reports false for text that is no JSON, which stays.
export function toggleRaw(t, on) {
  const draft = draftNow(t);
  if (on) {
    const { errors } = argumentsOf(t.inputSchema, draft);
    report(t.name, errors.map((e) => ({ path: e.path, message: `${e.path.join('.')}: ${e.message}` })));
    setDraft(t, toRaw(draft));
    return true;
  }
  const back = fromRaw(draft);
  report(t.name, back.error ? [{ path: [], message: `the text is no JSON and cannot be shown as fields: ${back.error.message}` }] : argumentsOf(t.inputSchema, back.draft).errors);
  if (back.draft) setDraft(t, back.draft);
  return !back.error;
}

// fillFrom fills in the form with the arguments of a run.
export const fillFrom = (run) => attempt(async () => {
  const args = await fetchText(`runs/${seg(run.id)}/whole`, { of: 'args' });
  await chooseTool(run.tool);
  const t = tool.value;
  if (t?.name !== run.tool) return notify(`the file has no tool ${run.tool} any more`, '');
  report(t.name, []);
  const draft = draftOf(t.inputSchema, args);
  setDraft(t, t.plan ? { raw: toRaw(draft).raw } : draft);
  if (args.includes('[redacted]')) notify('a secret is missing in the arguments', 'replace [redacted] before you run it again', 'error', 'redacted');
  return showForm();
});
