// The call that the view is about: what its host has said of it.
import { batch, signal } from '@preact/signals';
import { openRun } from '../state/run.js';
import { given, project, toolName } from '../state/project.js';
import { setShown } from './api.js';
import { callTool, connect, displayMode } from './host.js';

const SHOWN = 'toolgraph/view'; // in _meta of a result
const PLAN = 'run_plan';

export const state = signal('waits'); // waits, runs, ended, cancelled; lost: there is no host
export const input = signal(null); // the arguments
export const said = signal(null); // the result, where there is nothing to draw: { text, failed }
export const about = signal({}); // the host's context
export const can = signal({}); // what the host can do
export const report = signal(null); // of a plan that was checked
export const checking = signal(false);
export const values = signal(false); // whether it is known what steps gave

export const tool = () => about.value.toolInfo?.tool ?? {};
export const isPlan = () => tool().name === PLAN || toolName.value === PLAN;

const TEXT = 4000; // letters of a result
const textOf = ({ content }) => (Array.isArray(content) ? content : []).map((item) => (typeof item?.text === 'string' ? item.text : '')).filter(Boolean).join('\n').slice(0, TEXT);

async function ended(result) {
  const shown = result._meta?.[SHOWN];
  setShown(shown ?? {});
  batch(() => {
    project.value = { tools: [], diagnostics: [] };
    if (reportOf(result)) report.value = reportOf(result);
    if (shown?.graph) [given.value, toolName.value] = [{ ...shown.graph, given: true }, shown.graph.tool];
    values.value = shown?.values === true;
    said.value = shown?.run ? null : { text: textOf(result), failed: result.isError === true };
    state.value = 'ended';
  });
  if (shown?.run) await openRun(shown.run.id);
}

// reportOf is the report of a plan in a result that has one.
const reportOf = ({ structuredContent: r }) => (isPlan() && typeof r?.valid === 'boolean' && Array.isArray(r.calls) ? r : null);

function learn(context) {
  about.value = { ...about.value, ...context };
  const { theme } = about.value;
  if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme;
  document.documentElement.dataset.mode = about.value.displayMode ?? 'inline';
}

// check asks the server what the calls of the plan do. It is a dry run: no tool is called.
export async function check() {
  checking.value = true;
  try {
    const result = await callTool(PLAN, { ...input.value, dryRun: true });
    report.value = reportOf(result) ?? { failed: textOf(result) || 'the plan was not checked' };
  } catch (error) {
    report.value = { failed: error.message };
  }
  checking.value = false;
}

export async function enlarge() {
  const { mode } = await displayMode(about.value.displayMode === 'fullscreen' ? 'inline' : 'fullscreen');
  learn({ displayMode: mode });
}

export async function begin() {
  if (parent === window) {
    state.value = 'lost';
    return;
  }
  const found = await connect({
    'ui/notifications/tool-input': ({ arguments: args }) => batch(() => {
      input.value = args ?? {};
      if (state.value === 'waits') state.value = 'runs';
    }),
    'ui/notifications/tool-result': ended,
    'ui/notifications/tool-cancelled': () => { state.value = 'cancelled'; },
    'ui/notifications/host-context-changed': learn,
  });
  can.value = found.can;
  learn(found.context);
}
