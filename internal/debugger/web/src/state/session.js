// The session of this browser: the token of an address is traded for a cookie. A session ends when toolgraph ui
// does; the page then waits for the address of the next start.
import { ApiError, get, onRefused, post } from '../lib/api.js';
import { hush, listen } from './live.js';
import { loadProject, project } from './project.js';
import { loadQuestions } from './questions.js';
import { loadRuns } from './runs.js';
import { link, notices, notify, attempt } from './ui.js';

onRefused(() => {
  hush();
  link.value = 'refused';
});

// takeToken removes the token from the address, so that neither the history nor a reload has it.
export function takeToken() {
  const [, token] = location.hash.match(/[#&]token=([\w-]+)/) ?? [];
  if (!token) return '';
  const rest = location.hash.slice(1).split('&').filter((part) => part && !part.startsWith('token=')).join('&');
  history.replaceState(null, '', rest ? `#${rest}` : location.pathname);
  return token;
}

// connect begins or renews the session and reads what the page shows. It reports whether that has worked.
export async function connect(token) {
  if (!token && project.value && link.value === 'live') return true;
  const anew = Boolean(project.value);
  try {
    if (token) await post('session', { token });
    await loadProject();
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 401) {
      link.value = 'lost';
      notify(error.message, error.hint);
    } else if (anew) notify(error.message, error.hint, 'error', 'session');
    return false;
  }
  if (anew) {
    notices.value = notices.value.filter((n) => n.about !== 'session');
    attempt(loadQuestions);
    loadRuns();
  }
  listen();
  return true;
}

// pasted takes the address that toolgraph ui has printed, or its token.
export function pasted(text) {
  const url = URL.canParse(text.trim()) ? new URL(text.trim()) : null;
  if (url?.protocol === 'http:' && url.origin !== location.origin) return location.assign(url);
  const token = text.match(/token=([\w-]+)/)?.[1] ?? text.trim();
  if (!/^[\w-]+$/.test(token)) return notify('this is no address of toolgraph ui', 'it looks like http://127.0.0.1:7000/#token=…', 'error', 'session');
  location.hash = `${location.hash.slice(1)}&token=${token}`.replace(/^&/, ''); // as if it were pasted into the address
  return undefined;
}

// linkHere is the address of the place with a token.
export const linkHere = async () => `${location.origin}${location.pathname}#token=${(await post('link')).token}${location.hash.length > 1 ? `&${location.hash.slice(1)}` : ''}`;

// retry is for a tab that comes back: another one may have renewed the session of this browser.
export const retry = async (resume) => {
  if (link.value !== 'refused') return;
  try {
    await get('project');
  } catch {
    return;
  }
  resume();
};
