// How the graph is looked at: moved and enlarged.
import { signal } from '@preact/signals';
import { graph } from './project.js';

export const view = signal({ x: 0, y: 0, k: 1 });
export const size = { width: 0, height: 0 }; // of the pane, in pixels
const least = 0.02;
const above = 24; // pixels at the top and at the foot that tools and legend take, beside the margin
const below = 12;
const most = 3;

// zoom enlarges around a point of the pane, its middle when none is given.
export function zoom(by, px = size.width / 2, py = size.height / 2) {
  const { x, y, k } = view.value;
  const to = Math.min(most, Math.max(least, k * by));
  view.value = { k: to, x: px - ((px - x) * to) / k, y: py - ((py - y) * to) / k };
}

export function move(dx, dy) {
  view.value = { ...view.value, x: view.value.x + dx, y: view.value.y + dy };
}

// fit shows the whole graph, but never larger than life.
export function fit() {
  const g = graph.value;
  if (!g || !size.width) return;
  const room = Math.max(1, size.height - above - below);
  const k = Math.max(least, Math.min(1, size.width / g.width, room / g.height));
  view.value = { k, x: (size.width - g.width * k) / 2, y: above + Math.max(0, (room - g.height * k) / 2) };
}

// begin shows the whole graph when its words can be read then, else its entry.
export function begin() {
  fit();
  const g = graph.value;
  if (!g || view.value.k > 0.4) return;
  const box = g.nodes.find((n) => n.type === 'entry').box;
  view.value = { k: 0.8, x: size.width / 2 - box.x * 0.8, y: 48 };
}

// reveal moves as little as is needed to see a node, and enlarges what is too small to read.
export function reveal(id, readable = false) {
  const box = graph.value?.nodes.find((n) => n.id === id)?.box;
  if (!box || !size.width) return;
  let { x, y, k } = view.value;
  if (readable && k < 0.7) {
    k = 1;
    view.value = { k, x: size.width / 2 - box.x, y: size.height / 2 - box.y };
    return;
  }
  const margin = 24;
  const left = x + (box.x - box.width / 2) * k - margin;
  const right = x + (box.x + box.width / 2) * k + margin - size.width;
  const top = y + (box.y - box.height / 2) * k - margin - above;
  const bottom = y + (box.y + box.height / 2) * k + margin + below - size.height;
  if (left < 0) x -= left;
  else if (right > 0) x -= right;
  if (top < 0) y -= top;
  else if (bottom > 0) y -= bottom;
  if (x !== view.value.x || y !== view.value.y) view.value = { x, y, k };
}

export const graphKeys = { fit, zoom };
