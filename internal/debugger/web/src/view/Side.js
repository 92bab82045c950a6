import { html } from '../lib/html.js';
import { side } from '../state/ui.js';
import { project } from '../state/project.js';
import { Tabs } from './Tabs.js';
import { ToolList } from './ToolList.js';
import { ToolForm } from './ToolForm.js';
import { RunList } from './RunList.js';

const tabs = [{ id: 'tools', text: 'Tools' }, { id: 'runs', text: 'Runs' }];

export function Side() {
  return html`
    <section class="side" id="pane-side" aria-label="tools and runs">
      <${Tabs} label="tools and runs" tabs=${tabs} chosen=${side.value} onChoose=${(id) => { side.value = id; }} />
      <div class="side-body" role="tabpanel" id=${`panel-${side.value}`} aria-labelledby=${`tab-${side.value}`}>
        ${side.value === 'tools' ? html`<${ToolList} tools=${project.value.tools} /><${ToolForm} />` : html`<${RunList} />`}
      </div>
    </section>`;
}
