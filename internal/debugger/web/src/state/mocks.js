// The mocks with which the tools are tried, by file and tool. They outlive a reload of the tab.
import { signal } from '@preact/signals';
import { invalid, print } from '../lib/json.js';
import { remembered } from '../lib/remembered.js';
import { graph, project, toolName } from './project.js';

const all = remembered('mocks', {}, 300);
const key = (tool) => `${project.value?.file}\n${tool.name}`;

export const wrongMocks = signal({ tool: '', message: '' });
export const mocks = (tool) => all.value[key(tool)] ?? { on: false, text: '' };
export function setMocks(tool, change) {
  wrongMocks.value = { tool: '', message: '' };
  all.value = { ...all.value, [key(tool)]: { ...mocks(tool), ...change } };
}

// mocksOf is the JSON of the mocks of a run: "null" without them. null says that they are no JSON.
export function mocksOf(tool) {
  const { on, text } = mocks(tool);
  if (!on) return 'null';
  if (!text.trim()) return '{}';
  const wrong = invalid(text);
  wrongMocks.value = { tool: tool.name, message: wrong ? `the mocks are no JSON: ${wrong.message}` : '' };
  return wrong ? null : text;
}

// sample has a mock for each call that is drawn of a tool; empty when it is not drawn.
export function sample(tool) {
  const calls = toolName.value === tool.name ? (graph.value?.nodes ?? []).filter((n) => n.type === 'mcp' && !/\s/.test(n.id)) : [];
  return calls.length ? print(Object.fromEntries(calls.map((n) => [n.id, { result: null }]))).replace(/^\{|\}$/g, (b) => (b === '{' ? '{\n  ' : '\n}')).replaceAll('},"', '},\n  "').replaceAll('":{"result":null', '": {"result": null') : '';
}
