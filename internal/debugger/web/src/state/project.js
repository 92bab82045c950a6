// The graph file: its tools, their graphs, its text and its findings.
import { signal, computed } from '@preact/signals';
import { get, seg } from '../lib/api.js';
import { parse, plain } from '../lib/json.js';
import { layoutOf } from '../lib/layout.js';
import { closedIn } from './blocks.js';
import { closeCompare } from './compare.js';
import { beside, inspector } from './ui.js';

export const project = signal(null);
export const toolName = signal(''); // whose graph is shown
export const formName = signal(''); // that was chosen to be run: it stays when the graph of a called tool is shown
export const source = signal(null);
// given is the graph of one request, of a checked plan or of the run that is open, in place of that which stands for all.
export const given = signal(null);
export const isGiven = computed(() => Boolean(given.value) && given.value.tool === toolName.value);
export const renewing = signal(false); // the page is loaded anew, with all that was typed
const graphs = signal(new Map()); // tool → graph

const named = (name) => project.value?.tools.find((t) => t.name === name) ?? null;
export const tool = computed(() => named(toolName.value));
export const formTool = computed(() => named(formName.value));
// unsaved is the graph of a text that is not saved. It is shown beside that text, for the same tool.
export const unsaved = signal(null);
export const isUnsaved = computed(() => inspector.value === 'source' && !isGiven.value && unsaved.value?.tool === toolName.value);
const drawn = computed(() => (isUnsaved.value ? unsaved.value : isGiven.value ? given.value : graphs.value.get(toolName.value)));
export const graph = computed(() => (drawn.value ? laidOut(drawn.value, beside.value, closedIn(drawn.value)) : null));
export const findings = computed(() => project.value?.diagnostics ?? []);

// laidOut is the graph with its layout, with or without room for data beside the nodes. The last layouts are kept: to open
// a block again takes no time.
const layouts = new WeakMap();
function laidOut(g, data, closed) {
  if (!layouts.has(g)) layouts.set(g, new Map());
  const known = layouts.get(g);
  const key = JSON.stringify([data, ...closed]);
  if (!known.has(key)) {
    if (known.size > 20) known.clear();
    known.set(key, layoutOf(g, data, closed));
  }
  return known.get(key);
}

export async function loadProject() {
  const found = await get('project', undefined, readProject);
  if (project.value && found.version !== project.value.version) { // the program is another one, and so is its page
    renewing.value = true;
    location.reload();
    await new Promise(() => {});
  }
  graphs.value = new Map();
  project.value = found;
  if (!named(toolName.value) && !isGiven.value) toolName.value = found.tools[0]?.name ?? '';
  if (!formTool.value) formName.value = toolName.value;
  await Promise.all([loadGraph(toolName.value), loadSource()]);
}

// readProject leaves the schemas of tools as lib/json.js has read them: their defaults keep their digits.
function readProject(text) {
  const exact = parse(text);
  const found = plain(exact);
  found.tools.forEach((t, i) => {
    t.inputSchema = exact.get('tools')[i].get('inputSchema');
  });
  return found;
}

// chooseTool shows a tool, its form and its graph; drawTool only the graph.
export async function chooseTool(name) {
  closeCompare();
  formName.value = name;
  await drawTool(name);
}

export async function drawTool(name) {
  toolName.value = name;
  await loadGraph(name);
}

// giveGraphOf draws the graph that a run has of its own: of a request, or of a tool that the file does not have any more.
export async function giveGraphOf(run) {
  const known = named(run.tool);
  const found = known && !known.own ? null : await get(`runs/${seg(run.id)}/graph`);
  given.value = found && { ...found, given: true };
}

// canDraw reports whether there is a graph of a tool.
export const canDraw = (name) => Boolean(named(name)) || given.value?.tool === name;

async function loadGraph(name) {
  if (!named(name) || graphs.value.has(name)) return;
  const found = await get(`graphs/${seg(name)}`);
  graphs.value = new Map(graphs.value).set(name, found);
}

export async function loadSource() {
  source.value = await get('source');
}
