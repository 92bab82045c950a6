import { html, cx } from '../lib/html.js';
import { useEffect, useState } from 'preact/hooks';
import { post, seg } from '../lib/api.js';
import { rootOf } from '../lib/jsonata.js';
import { valueSource } from '../lib/source.js';
import { addressOf } from '../lib/address.js';
import { looked, nameAt, run, shownTool, stepsAt, total } from '../state/run.js';
import { kind, texts } from '../state/tryout.js';
import { duration } from '../lib/format.js';
import { ValueView } from './ValueBox.js';
import { Button } from './Button.js';
import { Unseen, unseenId } from './Unseen.js';
import { addWatch, full, watches } from '../state/watches.js';

const PAUSE = 180; // ms without a key before the expression is evaluated

// TryPane evaluates an expression on the context of the step under inspection, while it
// is typed.
export function TryPane() {
  const r = run.value;
  const place = looked.value;
  const { frame, at: n, part } = place;
  const source = texts.value[kind.value];
  const [answer, setAnswer] = useState(null);
  const evaluate = (path, from) => post(`runs/${seg(r.id)}/evaluate`, { kind: kind.value, source, ...place, path, from });
  useEffect(() => {
    if (!r) return undefined;
    let old = false;
    const timer = setTimeout(async () => {
      try {
        const found = await evaluate([], 0);
        if (!old) setAnswer({ ...found, kind: kind.value, source });
      } catch (error) {
        if (!old) setAnswer({ error: { message: error.message } });
      }
    }, PAUSE);
    return () => {
      old = true;
      clearTimeout(timer);
    };
  }, [r?.id, frame, n, part, total.value, kind.value, source]);
  if (!r) return null;
  return html`
    <div class="try">
      <h2 class="sr">Try expressions</h2>
      <div class="choice" role="radiogroup" aria-label="language">
        ${[['jsonata', 'JSONata'], ['rule', 'JSON Logic']].map(([id, text]) => html`
          <label key=${id} class=${cx(kind.value === id && 'chosen')}><input type="radio" name="language" checked=${kind.value === id} onChange=${() => { kind.value = id; }} />${text}</label>`)}
        <span class="muted">at ${n >= total.value && !frame && !part ? 'the end' : `step ${addressOf(frame, n, part)}, ${nameAt(n, part) ?? 'the end'}`}</span>
      </div>
      <textarea class="mono" id="try-source" aria-label="expression" aria-describedby=${unseenId('try-source', source)} rows="6" spellcheck=${false} autocomplete="off" value=${source}
        onInput=${(e) => { texts.value = { ...texts.value, [kind.value]: e.currentTarget.value }; }}></textarea>
      <${Unseen} id="try-source" text=${source} />
      <div class="answer">
        ${answer?.error && html`<div class="failure" role="status"><p>${answer.error.message}</p>${answer.error.caret && html`<pre class="caret">${answer.error.caret}</pre>`}</div>`}
        ${answer?.value && html`
          <${ValueView} title="Value" level=${answer.value} source=${valueSource(r.id, { of: 'expression', kind: answer.kind, source: answer.source, ...place }, answer.kind === 'jsonata' ? rootOf(answer.source) : null, (path, from = 0) => evaluate(path, from).then((a) => a.value))}
            keep=${`${shownTool.value} try ${answer.kind} ${answer.source}`} stamp=${JSON.stringify(place)} note=${html`<span class="muted">${duration(answer.ms)}</span>`}>
            ${kind.value === 'jsonata' && html`<${Button} label=${watches.value.includes(source.trim()) ? 'Watched' : 'Watch'} disabled=${full.value || watches.value.includes(source.trim())} onClick=${() => addWatch(source)} />`}</${ValueView}>`}
      </div>
      <p class="muted hint-text">${kind.value === 'jsonata'
        ? stepsAt.value === n ? html`<code>args</code>, the parts above by their ids, and variables such as <code>$item</code>; <code>$$</code> is all of them.` : html`<code>$</code> is the context. <code>$previousNode()</code>, <code>$executionCount(id)</code>, <code>$nodeExecution(id, i)</code> and <code>$nodeExecutions(id)</code> read the history.`
        : html`<code>{"var": "list.items[0].name"}</code> reads the context; its path is JSONata.`}</p>
    </div>`;
}
