import { html, cx } from '../lib/html.js';
import { useEffect, useRef } from 'preact/hooks';
import { graph, tool } from '../state/project.js';
import { lit, own } from '../state/run.js';
import { begin, move, reveal, size, view, zoom } from '../state/graphview.js';
import { EdgeLabel, GraphEdge } from './GraphEdge.js';
import { GraphNode } from './GraphNode.js';
import { GraphTools } from './GraphTools.js';
import { Legend } from './Legend.js';
import { Empty } from './Empty.js';

export function GraphPane() {
  const g = graph.value;
  return html`
    <section class="graph" aria-label=${g ? `graph of ${g.tool}` : 'graph'}>
      ${!tool.value ? html`<${Empty} title="This file has no tools" text="Each tool of the file is a graph that is drawn here." />` : !g ? html`<${Empty} title="Drawing …" />` : html`
        <${Canvas} g=${g} key=${g.tool + g.hash} />
        <${GraphTools} />
        <${Legend} g=${g} />`}
    </section>`;
}

// Canvas is moved by dragging, enlarged by the wheel or two fingers.
function Canvas({ g }) {
  const ref = useRef(null);
  useEffect(() => {
    const el = ref.current;
    const fingers = new Map();
    const measure = () => {
      const first = !size.width;
      ({ width: size.width, height: size.height } = el.getBoundingClientRect());
      return first;
    };
    measure();
    begin();
    const observer = new ResizeObserver(() => {
      const before = { ...size };
      if (measure() || !before.width) begin();
      else move((size.width - before.width) / 2, 0);
    });
    observer.observe(el);
    const wheel = (e) => {
      e.preventDefault();
      const box = el.getBoundingClientRect();
      if (e.ctrlKey || e.metaKey || Math.abs(e.deltaY) >= 50) zoom(Math.exp(-Math.sign(e.deltaY) * Math.min(0.25, Math.abs(e.deltaY) * 0.004)), e.clientX - box.x, e.clientY - box.y);
      else move(-e.deltaX, -e.deltaY);
    };
    const down = (e) => {
      if (e.button > 0 || e.target.closest('.node')) return;
      fingers.set(e.pointerId, { x: e.clientX, y: e.clientY });
      el.setPointerCapture(e.pointerId);
    };
    const drag = (e) => {
      const from = fingers.get(e.pointerId);
      if (!from) return;
      if (fingers.size === 1) {
        move(e.clientX - from.x, e.clientY - from.y);
      } else {
        const other = [...fingers].find(([id]) => id !== e.pointerId)[1];
        const box = el.getBoundingClientRect();
        const apart = (a, b) => Math.hypot(a.x - b.x, a.y - b.y) || 1;
        zoom(apart({ x: e.clientX, y: e.clientY }, other) / apart(from, other), other.x - box.x, other.y - box.y);
      }
      fingers.set(e.pointerId, { x: e.clientX, y: e.clientY });
    };
    const up = (e) => fingers.delete(e.pointerId);
    const on = [['wheel', wheel], ['pointerdown', down], ['pointermove', drag], ['pointerup', up], ['pointercancel', up]];
    for (const [name, f] of on) el.addEventListener(name, f, { passive: false });
    return () => {
      observer.disconnect();
      for (const [name, f] of on) el.removeEventListener(name, f);
    };
  }, []);
  return html`<svg class=${cx('canvas', own.value && 'walked')} ref=${ref} role="group" aria-label="nodes; arrows move between them"><${Drawing} g=${g} /></svg>`;
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

function Parts({ g }) {
  const { counts, edges, handled, current, part, failed, running, progress } = lit.value;
  useEffect(() => {
    if (current) reveal(current);
  }, [current]);
  const caught = (e) => edges.get(`${e.from}\nerror\n${e.to}`) ?? 0;
  const taken = (e) => (e.kind === 'error' ? caught(e) : (edges.get(`${e.from}\n${e.to}`) ?? 0) + (g.caught.has(e.from) ? 0 : caught(e)));
  return html`
    <g>${g.edges.map((e) => html`<${GraphEdge} key=${e.key} edge=${e} taken=${taken(e) > 0} />`)}</g>
    <g>${g.edges.map((e) => e.at && html`<${EdgeLabel} key=${e.key} edge=${e} taken=${taken(e) > 0} />`)}</g>
    <g>${g.nodes.map((n) => html`
      <${GraphNode} key=${n.id} g=${g} node=${n} count=${counts.get(n.id) ?? 0} current=${n.id === current} running=${running && n.id === current} failed=${n.id === failed}
        handled=${handled.has(n.id)} part=${n.id === current ? part : ''} progress=${n.id === current ? progress : ''} />`)}
    </g>`;
}
