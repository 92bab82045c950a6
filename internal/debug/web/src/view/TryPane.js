import { html, cx } from '../lib/html.js';
import { useEffect, useState } from 'preact/hooks';
import { post, seg } from '../lib/api.js';
import { addressOf } from '../lib/address.js';
import { looked, nodeAt, run, total } from '../state/run.js';
import { kind, texts } from '../state/tryout.js';
import { duration } from '../lib/format.js';
import { Empty } from './Empty.js';
import { ValueTree } from './ValueTree.js';
import { Button } from './Button.js';
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
        if (!old) setAnswer(found);
      } catch (error) {
        if (!old) setAnswer({ error: { message: error.message } });
      }
    }, PAUSE);
    return () => {
      old = true;
      clearTimeout(timer);
    };
  }, [r?.id, frame, n, part, total.value, kind.value, source]);
  if (!r) return html`<${Empty} title="Try expressions" text="Open a run: JSONata and JSON Logic are evaluated here on what any of its steps saw." />`;
  return html`
    <div class="try">
      <div class="choice" role="radiogroup" aria-label="language">
        ${[['jsonata', 'JSONata'], ['rule', 'JSON Logic']].map(([id, text]) => html`
          <label key=${id} class=${cx(kind.value === id && 'chosen')}><input type="radio" name="language" checked=${kind.value === id} onChange=${() => { kind.value = id; }} />${text}</label>`)}
        <span class="muted">at ${n >= total.value && !frame && !part ? 'the end' : `step ${addressOf(frame, n, part)}, ${nodeAt(n) ?? 'the end'}`}</span>
      </div>
      <textarea class="mono" id="try-source" aria-label="expression" rows="6" spellcheck="false" autocomplete="off" value=${source}
        onInput=${(e) => { texts.value = { ...texts.value, [kind.value]: e.currentTarget.value }; }}></textarea>
      <div class="answer" aria-live="polite">
        ${answer?.error && html`<div class="failure"><p>${answer.error.message}</p>${answer.error.caret && html`<pre class="caret">${answer.error.caret}</pre>`}</div>`}
        ${answer?.value && html`
          <div class="box-head"><h3>Value</h3><span class="muted">${duration(answer.ms)}</span><span class="spring"></span>
            ${kind.value === 'jsonata' && html`<${Button} label=${watches.value.includes(source.trim()) ? 'Watched' : 'Watch'} disabled=${full.value || watches.value.includes(source.trim())} onClick=${() => addWatch(source)} />`}</div>
          <${ValueTree} level=${answer.value} label="value" load=${(path, from) => evaluate(path, from).then((a) => a.value)} />`}
      </div>
      <p class="muted hint-text">${kind.value === 'jsonata'
        ? html`<code>$</code> is the context. <code>$previousNode()</code>, <code>$executionCount(id)</code>, <code>$nodeExecution(id, i)</code> and <code>$nodeExecutions(id)</code> read the history.`
        : html`<code>{"var": "list.items[0].name"}</code> reads the context; its path is JSONata.`}</p>
    </div>`;
}
