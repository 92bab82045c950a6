import { html } from '../lib/html.js';
import { useState } from 'preact/hooks';
import { breakpointOf, changeBreakpoint, toggleBreakpoint } from '../state/breakpoints.js';
import { keepBreakpoints } from '../state/run.js';
import { Button } from './Button.js';
import { Dialog, closeDialog } from './Dialog.js';

export function BreakpointDialog({ node }) {
  const stop = breakpointOf(node);
  const [condition, setCondition] = useState(stop?.condition ?? '');
  const [disabled, setDisabled] = useState(stop?.disabled ?? false);
  const save = (e) => {
    e.preventDefault();
    changeBreakpoint(node, { condition: condition.trim(), disabled });
    keepBreakpoints();
    closeDialog();
  };
  const remove = () => {
    toggleBreakpoint(node);
    keepBreakpoints();
    closeDialog();
  };
  return html`
    <${Dialog} title=${`Breakpoint at ${node}`}>
      <form onSubmit=${save}>
        <label class="field"><span>Pause the run when this JSONata expression is true; empty: always</span>
          <input type="text" class="mono" data-first value=${condition} placeholder="$executionCount('${node}') > 5" spellcheck="false" onInput=${(e) => setCondition(e.currentTarget.value)} /></label>
        <label class="switch"><input type="checkbox" checked=${!disabled} onChange=${(e) => setDisabled(!e.currentTarget.checked)} /> on</label>
        <div class="form-end"><button type="submit" class="button primary"><span>Save</span></button><${Button} label="Remove" onClick=${remove} /></div>
      </form>
    </${Dialog}>`;
}
