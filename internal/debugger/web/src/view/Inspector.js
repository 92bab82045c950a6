import { html } from '../lib/html.js';
import { inspector } from '../state/ui.js';
import { findings } from '../state/sourceview.js';
import { Tabs } from './Tabs.js';
import { StepPane } from './StepPane.js';
import { ContextPane } from './ContextPane.js';
import { TryPane } from './TryPane.js';
import { SourcePane } from './SourcePane.js';

const panes = { step: StepPane, context: ContextPane, try: TryPane, source: SourcePane };

export function Inspector() {
  const chosen = inspector.value;
  const tabs = [
    { id: 'step', text: 'Step' }, { id: 'context', text: 'Context' }, { id: 'try', text: 'Try' },
    { id: 'source', text: 'File', badge: findings.value.length || null },
  ];
  const Pane = panes[chosen];
  return html`
    <section class="inspector" id="pane-inspector" aria-label="inspector">
      <${Tabs} label="inspector" tabs=${tabs} chosen=${chosen} onChoose=${(id) => { inspector.value = id; }} />
      <div class=${`inspector-body of-${chosen}`} role="tabpanel" id=${`panel-${chosen}`} aria-labelledby=${`tab-${chosen}`}><${Pane} /></div>
    </section>`;
}
