import { html, cx } from '../lib/html.js';
import { useEffect } from 'preact/hooks';
import { graph, isGiven, isUnsaved, tool } from '../state/project.js';
import { lit, own, run, stands } from '../state/run.js';
import { far, focused, overview, reveal, view } from '../state/graphview.js';
import { edgeTaken, followLatest, latest, shownItems, stateOf } from '../state/latest.js';
import { heat, tinted } from '../state/timeview.js';
import { behind } from '../state/sourceview.js';
import { useGestures } from '../lib/gestures.js';
import { memo } from '../lib/memo.js';
import { EdgeLabel, GraphEdge } from './GraphEdge.js';
import { Block } from './Block.js';
import { GraphNode } from './GraphNode.js';
import { GraphTools } from './GraphTools.js';
import { NodeTip } from './NodeTip.js';
import { Minimap } from './Minimap.js';
import { Legend } from './Legend.js';
import { Empty } from './Empty.js';

export function GraphPane() {
  const g = graph.value;
  useEffect(followLatest, []);
  return html`
    <section class="graph" aria-label=${g ? `graph of ${g.tool}` : 'graph'}>
      ${!tool.value && !g ? html`<${Empty} title="This file has no tools" text="Each tool of the file is a graph that is drawn here." />` : !g ? html`<${Empty} title="Drawing …" />` : html`
        <div class="graph-view">
          <${Canvas} g=${g} key=${g.tool + g.hash} />
          <${GraphTools} />
          <${NodeTip} g=${g} />
          ${overview.value && html`<${Minimap} g=${g} />`}
        </div>
        ${behind.value ? html`<p class="graph-unsaved behind" role="status">${behind.value}</p>` : isUnsaved.value && html`<p class="graph-unsaved" role="status">Unsaved text · runs use the saved file</p>`}
        ${isGiven.value && !run.value && html`<p class="graph-unsaved checked" role="status">Checked plan · not run</p>`}
        <${Legend} g=${g} walked=${own.value} />`}
    </section>`;
}

function Canvas({ g }) {
  const ref = useGestures();
  return html`
    <svg class=${cx('canvas', own.value && 'walked', far.value && 'far', own.value && tinted.value && 'tinted')} ref=${ref} role="group" aria-label="nodes; arrows move between them"
      onFocusIn=${(e) => { const at = e.target.closest('.node')?.dataset.node; if (at) { focused.value = at; if (e.target.matches(':focus-visible')) reveal(at); } }}><${Drawing} g=${g} /></svg>`;
}

function Drawing({ g }) {
  const { x, y, k } = view.value;
  return html`
    <defs>
      ${['plain', 'taken'].map((id) => html`
        <marker key=${id} id=${`arrow-${id}`} class=${`arrow ${id}`} viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8" markerHeight="8" markerUnits="userSpaceOnUse" orient="auto">
          <path d="M0.5 0.8 7.4 4 0.5 7.2z" />
        </marker>`)}
    </defs>
    <g transform=${`translate(${x} ${y}) scale(${k})`}><${Parts} g=${g} /></g>`;
}

// currentIn is the step that is current, or the closed block that it is in.
const currentIn = (g, id) => {
  let shown = id;
  while (shown && !g.byId.has(shown)) shown = shown.slice(0, Math.max(0, shown.lastIndexOf('.')));
  return shown;
};

// Parts are drawn anew when the run or the detail changes, not when the view moves.
const Parts = memo(({ g }) => {
  const { counts, edges, handled, edited, current, part, failed, cancelled, running, progress } = lit.value;
  const values = latest.value;
  const hot = heat.value;
  const start = g.byId.has(focused.value) ? focused.value : g.nodes.find((n) => n.type === 'entry')?.id;
  useEffect(() => {
    if (current) reveal(currentIn(g, current));
  }, [current]);
  const caught = (e) => edges.get(`${e.from}\nerror\n${e.to}`) ?? 0;
  const taken = (e) => (g.ofSteps ? edgeTaken(e, counts) : e.kind === 'error' ? caught(e) : (edges.get(`${e.from}\n${e.to}`) ?? 0) + (g.caught.has(e.from) ? 0 : caught(e)));
  const ways = new Map(); // from one node to another
  for (const e of g.edges) if (e.kind !== 'error') ways.set(`${e.from}\n${e.to}`, (ways.get(`${e.from}\n${e.to}`) ?? 0) + 1);
  const either = (e) => ways.get(`${e.from}\n${e.to}`) > 1;
  const first = (list) => [...list].sort((a, b) => (taken(a) > 0) - (taken(b) > 0)); // what was taken is drawn above
  const step = (n) => {
    const { ran, ...more } = stateOf(n);
    return { ...more, count: ran ? 1 : 0, handled: more.handled };
  };
  const blocks = g.nodes.filter((n) => n.box.block);
  return html`
    ${blocks.map((n) => html`<${Block} key=${n.id} g=${g} node=${n} ...${step(n)} current=${n.id === current} item=${shownItems.value[n.id]} far=${far.value} tab=${n.id === start} last=${n.box.data ? values[n.id] : undefined} />`)}
    <g>${first(g.edges).map((e) => html`<${GraphEdge} key=${e.key} edge=${e} taken=${taken(e) > 0} either=${either(e)} />`)}</g>
    ${!far.value && html`<g>${g.edges.map((e) => e.at && html`<${EdgeLabel} key=${e.key} edge=${e} taken=${taken(e) > 0} either=${either(e)} />`)}</g>`}
    <g>${g.nodes.filter((n) => !n.box.block).map((n) => n.name ? html`
      <${GraphNode} key=${n.id} g=${g} node=${n} ...${step(n)} current=${n.id === currentIn(g, current)} cancelled=${n.id === cancelled} far=${far.value} tab=${n.id === start} heat=${hot.get(n.id)} last=${n.box.data ? values[n.id] : undefined} />` : html`
      <${GraphNode} key=${n.id} g=${g} node=${n} count=${counts.get(n.id) ?? 0} current=${n.id === current} running=${running && n.id === current ? (stands(run.value) ? 'stands' : 'runs') : ''} failed=${n.id === failed}
        cancelled=${n.id === cancelled} handled=${handled.has(n.id)} edited=${edited.has(n.id)} part=${n.id === current ? part : ''} progress=${n.id === current ? progress : ''}
        far=${far.value} tab=${n.id === start} heat=${hot.get(n.id)} last=${n.box.data ? values[n.id] : undefined} />`)}
    </g>`;
});
