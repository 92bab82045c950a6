import { html } from '../lib/html.js';
import { inspector } from '../state/ui.js';
import { get, seg } from '../lib/api.js';
import { useLoaded } from '../lib/load.js';
import { graph } from '../state/project.js';
import { openRun, own } from '../state/run.js';
import { split } from '../lib/address.js';
import { pathOf } from '../lib/jsonata.js';
import { clock, duration, plural } from '../lib/format.js';
import { revealLine } from '../state/sourceview.js';
import { AskedElsewhere } from './AskedElsewhere.js';
import { Failure } from './Failure.js';
import { RunActions } from './Origin.js';
import { Status } from './Status.js';
import { ValueBox } from './ValueBox.js';

// openAt shows a step by its full address, RUN/ADDRESS.
const openAt = (full) => {
  const { frame, index, part } = split(full.slice(full.indexOf('/') + 1));
  openRun(full.slice(0, full.indexOf('/')), index, frame, part);
};

// ResultPane shows how a run ended, and offers to run it again with other arguments.
export function ResultPane({ run: r }) {
  const { value } = useLoaded(`${r.id} ${r.status}`, async () => ({
    args: await get(`runs/${seg(r.id)}/value`, { of: 'args' }),
    result: r.status === 'finished' ? await get(`runs/${seg(r.id)}/value`, { of: 'result' }) : null,
  }));
  const toFile = (line) => {
    inspector.value = 'source';
    revealLine(line);
  };
  // pathTo is the path of the output of the only node of a kind.
  const pathTo = (type) => {
    const node = own.value && graph.value?.nodes.find((n) => n.type === type);
    return node ? pathOf('$', [node.id]) : null;
  };
  return html`
    <div class="step-head"><h2 class="mono">${r.tool}</h2><${Status} status=${r.status} /></div>
    <dl class="facts">
      <div><dt>began</dt><dd>${clock(r.started)}</dd></div>
      <div><dt>took</dt><dd>${duration(r.ms)} <span class="muted">in ${plural(r.steps, 'step')}</span></dd></div>
      <div><dt>run</dt><dd class="mono id">${r.id}</dd></div>
      ${r.failedAt && html`<div><dt>failed at</dt><dd><button type="button" class="linkish mono" onClick=${() => openAt(`${r.id}/${r.failedAt}`)}>step ${r.failedAt}</button></dd></div>`}
    </dl>
    <${RunActions} run=${r} />
    <${AskedElsewhere} run=${r} />
    ${r.error && html`<${Failure} error=${r.error} onPlace=${toFile} />`}
    ${r.warning && html`<p class="note">${r.warning}</p>`}
    ${value?.result && html`<${ValueBox} title="Result" run=${r.id} of="result" root=${pathTo('exit')} keep=${r.tool} level=${value.result} />`}
    ${value && html`<${ValueBox} title="Arguments" run=${r.id} of="args" root=${pathTo('entry')} keep=${r.tool} level=${value.args} />`}`;
}
