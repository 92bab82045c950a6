// How the graph is looked at: moved and enlarged, for each tool by itself.
import { computed, signal } from '@preact/signals';
import { graph } from './project.js';
import { setOpen } from './blocks.js';
import { beside } from './ui.js';

export const size = signal({ width: 0, height: 0 }); // of the pane, in pixels
export const focused = signal(''); // the node at which the keyboard is
const views = signal({}); // tool, or graph of a request → { x, y, k, fitted: until the user moves or enlarges it }
const START = { x: 0, y: 0, k: 1 };
const above = 40; // pixels at the top that tools take, beside the margin
const below = 4;
const most = 3;
const NEAR = 0.55; // from here on all words are shown
const LEGIBLE = 0.77; // from here on the names of nodes have 10 pixels
const CLOSE = 0.9; // at which a graph begins that is not legible as a whole: all its words have about 10 pixels
const steps = Array.from({ length: 36 }, (_, i) => NEAR * 0.9 ** i);

const keyOf = (g) => (g?.given ? `${g.tool} ${g.hash}` : g?.tool);
export const view = computed(() => views.value[keyOf(graph.value)] ?? START);
const look = (to) => {
  views.value = { ...views.value, [keyOf(graph.value)]: to };
};

// far is 0 when words can be read, else by how much what matters is enlarged then. It grows in
// steps, so that the nodes are drawn anew at few of them.
export const far = computed(() => {
  const { k } = view.value;
  if (k >= NEAR) return 0;
  return 1 / (steps.findLast((s) => s > k) ?? steps.at(-1));
});

// whole is the scale at which the whole graph is seen.
export const whole = computed(() => {
  const g = graph.value;
  const { width, height } = size.value;
  return g && width ? Math.min(1, width / g.width, Math.max(1, height - above - below) / g.height) : 1;
});
const least = () => Math.min(0.5, whole.value * 0.9);

// overview is whether a map of the graph helps: where it cannot be read as a whole.
export const overview = computed(() => whole.value < LEGIBLE);

// shown is the part of the graph that is in the pane, in the graph's own measure.
export const shown = computed(() => {
  const { x, y, k } = view.value;
  return { x: -x / k, y: -y / k, width: size.value.width / k, height: size.value.height / k };
});

// zoom enlarges around a point of the pane, its middle when none is given.
export const zoom = (by, px, py) => scaleTo(view.value.k * by, px, py);

function scaleTo(scale, px = size.value.width / 2, py = size.value.height / 2) {
  const { x, y, k } = view.value;
  const to = Math.min(most, Math.max(least(), scale));
  look({ k: to, x: px - ((px - x) * to) / k, y: py - ((py - y) * to) / k });
}

export function move(dx, dy) {
  const { x, y, k } = view.value;
  look({ k, x: x + dx, y: y + dy });
}

// centre brings a point of the graph to the middle of the pane.
export function centre(gx, gy, k = view.value.k) {
  look({ k, x: size.value.width / 2 - gx * k, y: size.value.height / 2 - gy * k });
}

// anew reports whether a view is fitted anew when the pane has another size: a pane that was small, or in the
// background, says nothing of how the graph is to be looked at.
const anew = ({ fitted, k }) => fitted && (whole.value >= LEGIBLE || k < LEGIBLE);

// fit shows the whole graph, but never larger than life.
export function fit() {
  const g = graph.value;
  if (!g || !size.value.width) return;
  const k = whole.value;
  look({ k, x: (size.value.width - g.width * k) / 2, y: above + Math.max(0, (size.value.height - above - below - g.height * k) / 2), fitted: true });
}

export const actual = () => scaleTo(1);

// begin shows a tool as it was looked at before; else the whole graph when its names can be read
// then, else its entry, where all words can be.
export function begin() {
  const g = graph.value;
  if (!g || !size.value.width) return;
  const before = views.value[keyOf(g)];
  if (before && g.nodes.some(visible) && !anew(before)) return;
  if (whole.value >= LEGIBLE) {
    fit();
    return;
  }
  const { box } = g.nodes.find((n) => n.type === 'entry') ?? g.nodes[0];
  const k = CLOSE;
  look({ k, x: Math.min(size.value.width / 2 - box.x * k, 24), y: 48 - (box.y - box.height / 2) * k, fitted: true });
  reveal(g.nodes.find((n) => n.box === box).id);
}

// resized fits the graph anew, or keeps the middle of the pane where the user has put it. A pane that is hidden has no size.
export function resized(width, height) {
  const before = size.value;
  if (!width || !height || (before.width === width && before.height === height)) return;
  size.value = { width, height };
  if (!graph.value) return;
  const now = views.value[keyOf(graph.value)];
  if (!before.width || !now) begin();
  else if (anew(now)) fit();
  else look({ ...now, x: now.x + (width - before.width) / 2, y: now.y + (height - before.height) / 2 });
}

// visible reports whether a node is in the pane, at least in part.
export function visible({ box }) {
  const { x, y, width, height } = shown.value;
  return Math.abs(box.x - x - width / 2) < (width + box.width) / 2 && Math.abs(box.y - y - height / 2) < (height + box.height) / 2;
}

const boxOf = (id) => graph.value?.byId.get(id)?.box;

// reveal moves as little as is needed to see a node, and enlarges what is too small to read.
export function reveal(id, readable = false) {
  const box = boxOf(id);
  const { width, height } = size.value;
  if (!box || !width) return;
  let { x, y, k } = view.value;
  if (readable && k < 0.7) {
    centre(box.x, box.y, 1);
    return;
  }
  const margin = 24;
  const left = x + (box.x - box.width / 2) * k - margin;
  const right = x + (box.x + box.width / 2) * k + margin - width;
  const top = y + (box.y - box.height / 2) * k - margin - above;
  const bottom = y + (box.y + box.height / 2) * k + margin + below - height;
  if (left < 0) x -= left;
  else if (right > 0) x -= right;
  if (top < 0) y -= top;
  else if (bottom > 0) y -= bottom;
  if (x !== view.value.x || y !== view.value.y) look({ ...view.value, x, y });
}

// showData shows or hides the data beside the nodes. What is in the middle stays there.
export function showData() {
  const g = graph.value;
  if (!g) return;
  const { x, y, width, height } = shown.value;
  const off = ({ box }) => Math.hypot(box.x - x - width / 2, box.y - y - height / 2);
  const { id, box } = g.nodes.reduce((a, b) => (off(b) < off(a) ? b : a));
  beside.value = !beside.value;
  const to = boxOf(id);
  move((box.x - to.x) * view.value.k, (box.y - to.y) * view.value.k);
}

// toggleBlock opens a block of steps, or closes it. Its upper left corner stays where it is.
export function toggleBlock(id) {
  const g = graph.value;
  const corner = ({ box }) => [box.x - box.width / 2, box.y - box.height / 2];
  const before = g.byId.get(id);
  if (!before?.steps) return;
  setOpen(g.tool, id, Boolean(before.closed));
  const after = graph.value.byId.get(id);
  const [[x, y], [toX, toY]] = [corner(before), corner(after)];
  move((x - toX) * view.value.k, (y - toY) * view.value.k);
}

export const graphKeys = { fit, zoom, actual, showData };
