import { html } from '../lib/html.js';
import { dialog } from '../state/ui.js';
import { HelpDialog } from './HelpDialog.js';
import { EditDialog } from './EditDialog.js';
import { BreakpointsDialog } from './BreakpointsDialog.js';
import { BreakpointDialog } from './BreakpointDialog.js';
import { LinkDialog } from './LinkDialog.js';
import { ForkDialog } from './ForkDialog.js';
import { ResumeDialog } from './ResumeDialog.js';
import { StatsDialog } from './StatsDialog.js';
import { SuggestDialog } from './SuggestDialog.js';

const kinds = { help: HelpDialog, edit: EditDialog, breakpoint: BreakpointDialog, breakpoints: BreakpointsDialog, stats: StatsDialog, suggest: SuggestDialog, fork: ForkDialog, resume: ResumeDialog, link: LinkDialog };

export function Dialogs() {
  const d = dialog.value;
  const Kind = d && kinds[d.kind];
  return Kind ? html`<${Kind} ...${d} />` : null;
}
