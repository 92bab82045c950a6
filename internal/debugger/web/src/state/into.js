// The way into the frames of a node.
import { addressOf, isRepeated } from '../lib/address.js';
import { at, frame, goToNode, latestOf, lookAt, own, shownPart, stepParts } from './run.js';
import { toggleBlock } from './graphview.js';
import { drawTool } from './project.js';
import { fold } from './steps.js';
import { attempt, show } from './ui.js';

// lookInto shows the frame of the latest execution of a graph node, or of a branch of a parallel;
// of one with parts, its parts. A graph that has not been called is drawn.
export function lookInto(node, branch) {
  if (node.steps) return toggleBlock(node.id);
  const called = branch ?? node;
  const i = own.value ? latestOf(node.id) : -1;
  if (i < 0) return called.tool && called.type === 'graph' ? attempt(() => drawTool(called.tool)) : undefined;
  if (branch) return branch.type === 'graph' ? lookAt(addressOf(frame.value, i, branch.id)) : goToNode(node.id, branch.id);
  if (node.name) return intoStep(node, i);
  if (node.type === 'graph' && !node.each) return lookAt(addressOf(frame.value, i));
  if (node.type === 'graph' && i === at.value && shownPart.value) return lookAt(addressOf(frame.value, i, shownPart.value));
  goToNode(node.id);
  if (node.each || node.branches) fold(addressOf(frame.value, i), true);
  show('step');
  return undefined;
}

// intoStep shows the graph that a step has called, of its items and turns that of the one under inspection; else the list of
// them.
function intoStep(node, i) {
  const piece = stepParts.value[node.id];
  if (!piece) return undefined;
  const many = node.each || node.repeat;
  const here = i === at.value && isRepeated(shownPart.value) && shownPart.value.startsWith(piece) ? shownPart.value : '';
  if (node.type === 'graph' && (!many || here)) return lookAt(addressOf(frame.value, i, here || piece));
  goToNode(node.id);
  if (many) fold(addressOf(frame.value, i, piece), true);
  show('step');
  return undefined;
}
