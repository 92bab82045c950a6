// How the page begins: a session, the project, and the place that the address names. The same happens when
// another address is pasted into the tab, and on the way back and forward.
import { effect, untracked } from '@preact/signals';
import { loadRuns } from './runs.js';
import { listenToKeys } from './keys.js';
import { follow, keep, restore } from './place.js';
import { followTimes } from './timeview.js';
import { connect, retry, takeToken } from './session.js';
import { applyTheme, side } from './ui.js';

export async function start() {
  applyTheme();
  listenToKeys();
  addEventListener('popstate', arrive);
  for (const event of ['focus', 'visibilitychange']) addEventListener(event, () => retry(arrive));
  await arrive();
}

let begun = false;

async function arrive() {
  const token = takeToken();
  if (token && begun) keep(); // the address that toolgraph ui prints has no place
  if (!await connect(token)) return;
  await restore(Boolean(token) || !begun);
  if (begun) return;
  begun = true;
  follow();
  followTimes();
  effect(() => {
    if (side.value === 'runs') untracked(loadRuns); // other programs make runs as well
  });
}
