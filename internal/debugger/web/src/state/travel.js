// The way through the frame that is looked at, step by step: of a tool that is written as steps, these are among them.
import { computed } from '@preact/signals';
import { graph } from './project.js';
import { at, frame, go, own, part, position, run, stepsAt, total } from './run.js';

// places are those of a tool of steps: entry, the steps in the order of the file, exit. Null for a frame of nodes, whose
// places are its steps.
const places = computed(() => {
  if (!own.value || !graph.value?.ofSteps || stepsAt.value < 0) return null;
  const steps = graph.value.nodes.filter((n) => n.name && !n.parent).map((n) => ({ at: stepsAt.value, part: n.id }));
  const nodes = (from, to) => Array.from({ length: Math.max(0, to - from) }, (_, i) => ({ at: from + i, part: '' }));
  return [...nodes(0, stepsAt.value + 1), ...steps, ...nodes(stepsAt.value + 1, total.value)];
});

export const count = computed(() => places.value?.length ?? total.value);
// stepCount is how many steps there are, as the list of runs counts them: executions of nodes and of parts, also below others. Of a
// called graph only its own are known.
export const stepCount = computed(() => (frame.value ? total.value : run.value?.steps ?? 0));
export const here = computed(() => {
  if (!places.value) return at.value;
  const step = part.value.split(/[.@]/)[0];
  const i = position.value === null && !part.value ? -1 : places.value.findIndex((p) => p.at === at.value && p.part === step);
  return i < 0 ? count.value : i;
});

// travel goes to a place by its number; past the last one is the end.
export function travel(n) {
  if (!places.value) return go(n);
  const place = places.value[Math.max(0, n)];
  return place ? go(place.at, place.part) : go(total.value);
}
