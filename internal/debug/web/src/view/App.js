import { html, cx } from '../lib/html.js';
import { project } from '../state/project.js';
import { pane, link } from '../state/ui.js';
import { TopBar } from './TopBar.js';
import { Side } from './Side.js';
import { GraphPane } from './GraphPane.js';
import { Timeline } from './Timeline.js';
import { Trail } from './Trail.js';
import { Inspector } from './Inspector.js';
import { PaneBar } from './PaneBar.js';
import { Dialogs } from './Dialogs.js';
import { Notices } from './Notices.js';
import { Question } from './Question.js';
import { Empty } from './Empty.js';

export function App() {
  if (!project.value) return html`<${Opening} />`;
  return html`
    <div class=${cx('app', `pane-${pane.value}`)}>
      <${TopBar} />
      <${Side} />
      <main class="centre">
        <${Trail} />
        <${GraphPane} />
        <${Timeline} />
      </main>
      <${Inspector} />
      <${PaneBar} />
    </div>
    <${Dialogs} />
    <${Question} />
    <${Notices} />`;
}

function Opening() {
  const said = {
    refused: ['This address needs its token', 'Open the address that `toolgraph ui` printed, with everything after the #.'],
    lost: ['Toolgraph does not answer', 'Is `toolgraph ui` still running? Reload this page when it is.'],
  }[link.value] ?? ['Opening …', ''];
  return html`<div class="opening"><${Empty} title=${said[0]} text=${said[1]} /></div>`;
}
