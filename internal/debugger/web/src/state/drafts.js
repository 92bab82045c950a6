// The contents of the forms, by file and tool. They outlive a reload of the tab.
import { draftOf } from '../lib/draft.js';
import { remembered } from '../lib/remembered.js';
import { project } from './project.js';

const all = remembered('drafts', {}, 300);
const key = (tool) => `${project.value?.file}\n${tool.name}`;
const begun = new WeakMap(); // schema → the draft of its defaults, whose items keep their ids

export const drafted = (tool) => Object.hasOwn(all.value, key(tool));

export function draftNow(tool) {
  if (drafted(tool)) return all.value[key(tool)];
  if (!begun.has(tool.inputSchema)) begun.set(tool.inputSchema, tool.plan ? { raw: '' } : draftOf(tool.inputSchema));
  return begun.get(tool.inputSchema);
}

export function setDraft(tool, draft) {
  all.value = { ...all.value, [key(tool)]: draft };
}

// forget begins anew with the defaults of the schema.
export function forget(tool) {
  const { [key(tool)]: gone, ...rest } = all.value;
  all.value = rest;
}
