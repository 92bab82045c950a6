import { html, cx } from '../lib/html.js';
import { project } from '../state/project.js';
import { compared } from '../state/compare.js';
import { link } from '../state/ui.js';
import { hasRun, inspects, shownPane, sizeStyle } from '../state/panes.js';
import { Divider } from './Divider.js';
import { TopBar } from './TopBar.js';
import { Side } from './Side.js';
import { GraphPane } from './GraphPane.js';
import { Timeline } from './Timeline.js';
import { Trail } from './Trail.js';
import { Inspector } from './Inspector.js';
import { PaneBar } from './PaneBar.js';
import { Compare } from './Compare.js';
import { Dialogs } from './Dialogs.js';
import { Notices } from './Notices.js';
import { Question } from './Question.js';
import { Empty } from './Empty.js';
import { SessionForm } from './SessionForm.js';

export function App() {
  if (!project.value) return html`<${Opening} />`;
  return html`
    <main class=${cx('app', `pane-${shownPane.value}`, !inspects.value && 'no-inspector')} style=${sizeStyle.value}>
      <${TopBar} />
      ${link.value === 'refused' && html`<${SessionForm} begun />`}
      <${Side} />
      <${Divider} name="side" label="width of tools and runs" />
      ${compared.value ? html`<${Compare} ids=${compared.value} key=${compared.value.join()} />` : html`
        <section class=${cx('centre', !hasRun.value && 'no-steps')} aria-label=${hasRun.value ? 'graph and steps' : 'graph'}>
          <${Trail} />
          <${GraphPane} />
          ${hasRun.value && html`<${Timeline} /><${Divider} name="timeline" label="height of the timeline" />`}
        </section>
        ${inspects.value && html`<${Divider} name="inspector" label="width of the inspector" /><${Inspector} />`}`}
      <${PaneBar} />
    </main>
    <${Dialogs} />
    <${Question} />
    <${Notices} />`;
}

function Opening() {
  if (link.value === 'refused') return html`<div class="opening"><${SessionForm} begun=${false} /></div><${Notices} />`;
  const said = link.value === 'lost' ? ['Toolgraph does not answer', 'Is `toolgraph ui` still running? Reload this page when it is.'] : ['Opening …', ''];
  return html`<div class="opening"><${Empty} title=${said[0]} text=${said[1]} /></div>`;
}
