import { html, cx } from '../lib/html.js';
import { useMemo } from 'preact/hooks';
import { findings, graph, project, source } from '../state/project.js';
import { current, lines, revealLine, wanted } from '../state/sourceview.js';
import { breakpointOf } from '../state/breakpoints.js';
import { tokens } from '../lib/yaml.js';
import { Empty } from './Empty.js';
import { VirtualList } from './VirtualList.js';

const LINE = 20;

// SourcePane is the file: the lines of the current node lit, findings marked.
export function SourcePane() {
  const all = lines.value;
  const longest = useMemo(() => all.reduce((most, l) => Math.max(most, l.length), 0), [all]);
  if (!source.value) return html`<${Empty} title="Reading the file …" />`;
  const [first, last] = current.value ?? [0, -1];
  const marks = new Map(findings.value.map((f) => [f.line, f]));
  const nodes = new Map((graph.value?.nodes ?? []).map((n) => [n.line, n.id]));
  const follow = wanted.value ? wanted.value.line - 1 : first - 1;
  return html`
    ${project.value.rejected && html`<p class="note rejected">The file has errors. The graphs are still those of its last good version.</p>`}
    ${findings.value.length > 0 && html`
      <ul class="findings" aria-label="findings">
        ${findings.value.map((f) => html`<li key=${`${f.line} ${f.code} ${f.message}`} class=${f.severity}>
          ${f.line > 0 && html`<button type="button" class="linkish" onClick=${() => revealLine(f.line)}>${f.line}:${f.column}</button>`}
          <span>${f.message}${f.hint && `; ${f.hint}`}${f.code && html` <span class="muted">[${f.code}]</span>`}</span></li>`)}
      </ul>`}
    <${VirtualList} count=${all.length} height=${LINE} role="group" label=${`the file ${source.value.path}`} follow=${follow} above=${5} wide=${`calc(${longest + 8}ch + 24px)`}
      row=${(i, style) => html`<${Line} key=${i} n=${i + 1} text=${all[i]} style=${style} on=${i + 1 >= first && i + 1 <= last} asked=${wanted.value?.line === i + 1}
        mark=${marks.get(i + 1)} stop=${nodes.has(i + 1) && Boolean(breakpointOf(nodes.get(i + 1)))} />`} />`;
}

const Line = ({ n, text, style, on, asked, mark, stop }) => html`
  <div class=${cx('line', on && 'on', asked && 'asked', mark?.severity)} style=${style} title=${mark ? `${mark.message} [${mark.code}]` : null}>
    <span class=${cx('number', stop && 'stop')}>${n}</span>
    <code>${tokens(text).map(([kind, part]) => (kind ? html`<span class=${kind}>${part}</span>` : part))}</code>
  </div>`;
