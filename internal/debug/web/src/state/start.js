// How the page begins: it trades the token of its address for a cookie, then reads the
// project and listens.
import { effect, untracked } from '@preact/signals';
import { post, ApiError } from '../lib/api.js';
import { loadProject } from './project.js';
import { loadRuns } from './runs.js';
import { listen } from './live.js';
import { listenToKeys } from './keys.js';
import { applyTheme, link, notify, side } from './ui.js';

export async function start() {
  applyTheme();
  listenToKeys();
  const token = location.hash.match(/token=([\w-]+)/)?.[1];
  if (token) history.replaceState(null, '', location.pathname); // not for the history, nor for a reload
  try {
    if (token) await post('session', { token });
    await loadProject();
  } catch (error) {
    link.value = error instanceof ApiError && error.status === 401 ? 'refused' : 'lost';
    if (link.value === 'lost') notify(error.message, error.hint);
    return;
  }
  listen();
  effect(() => {
    if (side.value === 'runs') untracked(loadRuns); // other programs make runs as well
  });
}
