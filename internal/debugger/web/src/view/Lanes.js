import { html, cx } from '../lib/html.js';
import { useState } from 'preact/hooks';
import { get, seg } from '../lib/api.js';
import { at as place } from '../lib/axis.js';
import { duration, plural, truncate } from '../lib/format.js';
import { useLoaded } from '../lib/load.js';
import { lookAtTime } from '../state/timeview.js';
import { Axis, Folds, timeKeys, useTimeGestures } from './Axis.js';
import { Empty } from './Empty.js';

const LANE = 18; // pixels
const BAR = 14;
const LETTER = 6.3;
const WORDS = 400; // names that are drawn at most
const states = { failed: 'failed', handled: 'failed, and was handled', cancelled: 'cancelled', running: 'runs' };

// textOf says what a bar is.
export const textOf = (b) => (b.count > 1 ? `${plural(b.count, 'step')} from ${b.node} on, in ${duration(b.ms)}${b.state ? `; one ${states[b.state] ?? b.state}` : ''}`
  : `${b.node}: ${[states[b.state], `${b.state === 'running' ? 'for' : 'took'} ${duration(b.ms)}`, b.waited > 0 && `waited ${duration(b.waited)} for an answer`, `began after ${duration(b.start) || '0'}`].filter(Boolean).join(', ')}`);

// nextBar is the bar to which a key leads from another: along its lane, or to the lane beside it at about the same time.
export function nextBar(bars, from, key) {
  if (!bars.length) return null;
  if (!from) return bars[0];
  const lane = (n) => bars.filter((b) => b.lane === n);
  const own = lane(from.lane);
  const i = own.findIndex((b) => b.at === from.at && b.start === from.start);
  if (key === 'ArrowLeft') return own[Math.max(0, i - 1)] ?? from;
  if (key === 'ArrowRight') return own[Math.min(own.length - 1, i + 1)] ?? from;
  const by = key === 'ArrowDown' ? 1 : -1;
  const lanes = [...new Set(bars.map((b) => b.lane))].sort((a, b) => a - b);
  const to = lane(lanes[Math.min(lanes.length - 1, Math.max(0, lanes.indexOf(from.lane) + by))]);
  const middle = from.start + from.ms / 2;
  const off = (b) => Math.max(b.start - middle, middle - b.start - b.ms, 0);
  return to.reduce((best, b) => (off(b) < off(best) ? b : best), to[0]);
}

// Lanes are the bars of a run over time: what ran at the same time is in different lanes, and what is inside below what it is
// inside of. open goes to the step of a bar. now is when a run is that goes on, else undefined; label names the run;
// quiet gives no hint about keys.
export function Lanes({ run: r, frame, axis, now, label = 'steps over time', open, lit = '', quiet = false }) {
  const [chosen, choose] = useState(null);
  const [hovered, hover] = useState(null);
  const tap = (e) => {
    const bar = barAt(e);
    if (!bar) return;
    choose(bar);
    act(bar);
  };
  const { ref, picking, width } = useTimeGestures(axis, { tap, plain: false });
  const per = 100 / axis.perMs / Math.max(width, 100); // ms a pixel
  const query = { frame, from: axis.from, to: axis.to, per };
  const going = now === undefined ? r.ms : Math.floor(now / 1000);
  const { value: found, error } = useLoaded(width ? JSON.stringify([r.id, going, r.status, query]) : null, () => get(`runs/${seg(r.id)}/lanes`, query), now === undefined);
  const x = (time) => (place(axis, time) / 100) * width;
  const left = (b) => x(b.start);
  const wide = (b) => Math.max(1.5, x(b.state === 'running' && now !== undefined ? now : b.start + b.ms) - left(b));
  const bars = (found?.bars ?? []).filter((b) => b.start <= axis.to && b.start + b.ms >= axis.from);
  const act = (bar) => (bar.count > 1 ? lookAtTime(axis, bar.start - bar.ms * 0.1, bar.start + bar.ms * 1.1) : open(bar.at));
  const barAt = (e) => {
    const box = ref.current.getBoundingClientRect();
    const [px, lane] = [e.clientX - box.left, Math.floor((e.clientY - box.top) / LANE)];
    return bars.findLast((b) => b.lane === lane && px >= left(b) - 2 && px <= left(b) + wide(b) + 2);
  };
  const keys = (e) => {
    if (e.key.startsWith('Arrow')) {
      choose(nextBar(bars, chosen, e.key));
      e.preventDefault();
      e.stopPropagation();
    } else if (e.key === 'Enter' && chosen) act(chosen);
    else timeKeys(e, axis, false);
  };
  const said = hovered ?? chosen;
  const height = (found?.lanes.length ?? 1) * LANE;
  const groups = {};
  for (const b of bars) (groups[`${b.state || 'ended'}${b.count > 1 ? ' many' : ''}`] ??= []).push(`M${left(b).toFixed(1)} ${b.lane * LANE + 2}h${wide(b).toFixed(1)}v${BAR}h${(-wide(b)).toFixed(1)}z`);
  const waits = bars.filter((b) => b.waited > 0).map((b) => `M${left(b).toFixed(1)} ${b.lane * LANE + 4}h${Math.max(0, x(b.start + b.waited) - left(b)).toFixed(1)}v${BAR - 4}H${left(b).toFixed(1)}z`);
  const words = bars.map((b) => ({ b, letters: Math.floor((wide(b) - 6) / LETTER) })).filter(({ b, letters }) => letters >= Math.min(4, b.node.length)).slice(0, WORDS);
  const around = (b, name) => b && html`<rect class=${name} x=${left(b) - 1} y=${b.lane * LANE + 1} width=${wide(b) + 2} height=${BAR + 2} />`;
  return html`
    <div class="lanes">
      <${Axis} axis=${axis} whole />
      ${error && html`<${Empty} title="There are no lanes" text=${error.message} />`}
      <div class="lanes-all" tabindex="0" role="application" aria-roledescription="time line" aria-label=${label} aria-describedby=${`said-${r.id}`} onKeyDown=${keys}>
        <div class="lanes-draw" ref=${ref} style=${{ height: `${height}px` }} onPointerMove=${(e) => hover(barAt(e) ?? null)} onPointerLeave=${() => hover(null)}>
          <${Folds} axis=${axis} />
          <svg width=${width} height=${height} aria-hidden="true">
            ${found?.lanes.map((l, i) => i > 0 && l.depth !== found.lanes[i - 1].depth && html`<path key=${i} class="between" d=${`M0 ${i * LANE + 0.5}h${width}`} />`)}
            ${Object.entries(groups).map(([name, d]) => html`<path key=${name} class=${cx('lane-bar', name)} d=${d.join('')} />`)}
            ${waits.length > 0 && html`<path class="lane-waits" d=${waits.join('')} />`}
            ${words.map(({ b, letters }) => html`<text key=${`${b.at} ${b.start}`} x=${left(b) + 3} y=${b.lane * LANE + 13}>${truncate(b.node, letters)}</text>`)}
            ${lit && around(bars.find((b) => b.at === lit), 'lit')}
            ${around(chosen && bars.find((b) => b.at === chosen.at && b.lane === chosen.lane), 'chosen')}
          </svg>
          ${picking && html`<i class="picking" style=${{ left: `${picking[0]}%`, width: `${picking[1] - picking[0]}%` }}></i>`}
        </div>
      </div>
      <p class="lanes-said mono" id=${`said-${r.id}`} aria-live="polite">${said ? textOf(said) : html`<span class="muted">${found && plural(found.lanes.length, 'lane')}${!quiet && html`<span class="hint">; arrow keys go from bar to bar, Enter opens one</span>`}</span>`}</p>
    </div>`;
}
