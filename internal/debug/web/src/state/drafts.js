// The contents of the forms, by tool.
import { signal } from '@preact/signals';

export const drafts = signal({});

export function setDraft(tool, draft) {
  drafts.value = { ...drafts.value, [tool]: draft };
}
