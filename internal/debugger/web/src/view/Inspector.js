import { html } from '../lib/html.js';
import { useEffect } from 'preact/hooks';
import { active, part, position, run, selected } from '../state/run.js';
import { reveal } from '../state/graphview.js';
import { closeInspector, hasRun, shownTab } from '../state/panes.js';
import { inspector } from '../state/ui.js';
import { findings } from '../state/sourceview.js';
import { Button } from './Button.js';
import { Empty } from './Empty.js';
import { Tabs } from './Tabs.js';
import { StepPane } from './StepPane.js';
import { ContextPane } from './ContextPane.js';
import { TryPane } from './TryPane.js';
import { SourcePane } from './SourcePane.js';

const panes = { step: StepPane, context: ContextPane, try: TryPane, source: SourcePane };

// Inspector is there when it has something to show. Without a run that is a node, or the file, and it can be closed.
export function Inspector() {
  const chosen = shownTab.value;
  const ofRun = hasRun.value;
  const whole = run.value && !active.value && position.value === null && !part.value && !selected.value; // at its end
  useEffect(() => { // it has taken room from the graph
    if (selected.value) reveal(selected.value);
  }, []);
  const tabs = [
    ...(ofRun ? [{ id: 'step', text: whole ? 'Run' : 'Step' }, { id: 'context', text: 'Context' }, { id: 'try', text: 'Try' }] : selected.value ? [{ id: 'step', text: 'Node' }] : []),
    { id: 'source', text: 'File', badge: findings.value.length || null },
  ];
  const Pane = run.value || chosen === 'source' || selected.value ? panes[chosen] : Opening;
  return html`
    <section class="inspector" id="pane-inspector" aria-label="inspector">
      <div class="inspector-tabs"><${Tabs} label="inspector" tabs=${tabs} chosen=${chosen} onChoose=${(id) => { inspector.value = id; }} />
        ${!ofRun && html`<${Button} icon="close" only label="Close this pane" onClick=${closeInspector} />`}</div>
      <div class=${`inspector-body of-${chosen}`} role="tabpanel" id=${`panel-${chosen}`} aria-labelledby=${`tab-${chosen}`}><${Pane} /></div>
    </section>`;
}

const Opening = () => html`<${Empty} title="Opening the run …" />`;
