// The contents of the forms, by tool.
import { signal } from '@preact/signals';
import { draftOf } from '../lib/draft.js';

export const drafts = signal({});

export const draftNow = (tool) => drafts.value[tool.name] ?? draftOf(tool.inputSchema);

export function setDraft(tool, draft) {
  drafts.value = { ...drafts.value, [tool]: draft };
}
