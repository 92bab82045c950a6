// How the page looks and what is open: nothing of it is known to the server.
import { signal, effect } from '@preact/signals';
import { remembered } from '../lib/remembered.js';

export const stored = (key, fallback) => {
  try {
    return localStorage.getItem(key) || fallback;
  } catch {
    return fallback; // storage is switched off
  }
};
export const store = (key, value) => {
  try {
    localStorage.setItem(key, value);
  } catch { /* it is only not remembered */ }
};

export const theme = signal(stored('theme', 'auto')); // auto, light, dark
export const pane = remembered('pane', 'graph'); // on a narrow window, the one pane that is shown
export const side = signal('tools'); // tools, runs
export const inspector = signal('step'); // step, context, try, source
export const beside = signal(stored('beside', '') === 'on'); // the last output beside each node of the graph
export const dialog = signal(null); // { kind: 'help' | 'edit' | 'breakpoint', … }
export const link = signal('connecting'); // connecting, live, lost, refused
export const letters = signal(stored('letters', 'on') === 'on'); // whether single letters are keys
export const notices = signal([]);

export function applyTheme() {
  effect(() => {
    document.documentElement.dataset.theme = theme.value;
    store('theme', theme.value);
    store('letters', letters.value ? 'on' : 'off');
  });
  effect(() => store('beside', beside.value ? 'on' : 'off'));
}

let last = 0;

// notify says something for a while; errors stay until they are dismissed, or until
// there is other news about the same.
export function notify(text, hint = '', kind = 'error', about = text) {
  const notice = { id: ++last, text, hint, kind, about };
  notices.value = [...notices.value.filter((n) => n.about !== about).slice(-3), notice];
  if (kind !== 'error') setTimeout(() => dismiss(notice.id), 4000);
}
export const dismiss = (id) => {
  notices.value = notices.value.filter((n) => n.id !== id);
};

// attempt runs something that may fail and says so; it gives undefined then.
export async function attempt(work) {
  try {
    return await work();
  } catch (error) {
    if (error.status !== 401) notify(error.message, error.hint); // the page says that the session has ended
    return undefined;
  }
}

// show opens a tab of the inspector, and on a narrow window its pane.
export function show(tab) {
  inspector.value = tab;
  if (matchMedia('(max-width: 760px)').matches) pane.value = 'inspect';
}
