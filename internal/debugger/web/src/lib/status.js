// The words for statuses of runs and states of steps that have another one in JSON: those of wording.Status, which a test compares.
export const words = { error: 'failed', not_started: 'starting', stopped: 'cancelled', runs: 'running', waits: 'not begun', none: 'not run' };
export const wordOf = (status) => words[status] ?? status;
