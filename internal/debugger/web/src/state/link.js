// A link to the place that is shown, for another browser on this machine.
import { attempt, dialog, notify } from './ui.js';
import { linkHere } from './session.js';

export const copyLink = () => attempt(async () => {
  const url = await linkHere();
  try {
    await navigator.clipboard.writeText(url);
    notify('link copied', 'it opens this place in any browser on this machine, until toolgraph ui ends', 'note', 'link');
  } catch {
    dialog.value = { kind: 'link', url }; // to be copied by hand
  }
});
