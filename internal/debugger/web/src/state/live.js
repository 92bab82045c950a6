// News from the server: server-sent events. The browser reconnects by itself and sends
// the last event it saw; the server then sends what was missed, or all there is.
import { get } from '../lib/api.js';
import { update, run } from './run.js';
import { heard, loadRuns } from './runs.js';
import { loadProject, project } from './project.js';
import { heardBreakpoints, reloadBreakpoints } from './breakpoints.js';
import { loadQuestions } from './questions.js';
import { attempt, link, notify } from './ui.js';

let stream = null;

// hush ends the stream.
export function hush() {
  stream?.close();
  stream = null;
}

export function listen() {
  hush();
  const mine = new EventSource('api/events');
  stream = mine;
  stream.onopen = () => {
    link.value = 'live';
  };
  stream.onerror = () => {
    if (stream !== mine) return;
    link.value = 'lost';
    if (stream.readyState !== EventSource.CLOSED) return;
    get('questions').catch(() => {}); // a stream does not say why: the session may have ended
    setTimeout(() => stream === mine && listen(), 2000);
  };
  stream.addEventListener('run', (e) => {
    const news = JSON.parse(e.data);
    heard(news);
    update(news);
  });
  stream.addEventListener('project', async () => {
    await attempt(loadProject);
    if (project.value?.rejected) notify('the changed graph file has errors', 'the tab File lists them; the page still shows the last version without errors', 'error', 'file');
    else notify('the graph file has changed and was read again', '', 'note', 'file');
  });
  stream.addEventListener('breakpoints', (e) => heardBreakpoints(JSON.parse(e.data)));
  stream.addEventListener('questions', () => attempt(loadQuestions));
  stream.addEventListener('missed', () => {
    reloadBreakpoints();
    attempt(loadQuestions);
    loadRuns();
    if (run.value) update(run.value);
  });
}
