// Doing a recorded run again: resuming it, replaying it, and running it again from one of its steps.
import { post, seg } from '../lib/api.js';
import { project } from './project.js';
import { at, frame, openRun, part, run, total } from './run.js';
import { attempt, dialog, show } from './ui.js';

// done reports whether a run can be done again: it is recorded and not in progress.
export const done = (r) => Boolean(r && project.value.history && !r.replays && !r.mocked && !['running', 'paused', 'waiting', 'not_started', 'damaged'].includes(r.status));
export const resumable = (r) => done(r) && (r.status === 'interrupted' || r.error?.code === 'outcome-unknown');

// opened opens the run that an answer is about.
async function opened(answer) {
  await openRun(answer.id);
  show('step');
}

// replay begins a run that makes no call.
export const replay = (r, debug = false) => attempt(async () => opened(await post(`runs/${seg(r.id)}/replay`, { pause: debug })));

// resume and fork send JSON texts, because values keep their digits. They fail with the server's reason.
export const resume = async (r, body) => opened(await post(`runs/${seg(r.id)}/resume`, body));
export const fork = async (r, body) => opened(await post(`runs/${seg(r.id)}/fork`, body));

// forkHere asks how to run again from the step under inspection.
export function forkHere() {
  const r = run.value;
  if (done(r) && at.value <= total.value) dialog.value = { kind: 'fork', run: r, place: { frame: frame.value, at: at.value, part: part.value } };
}
