import { html } from '../lib/html.js';
import { useRef, useState } from 'preact/hooks';
import { breakpointOf, setBreakpoint } from '../state/breakpoints.js';
import { attempt } from '../state/ui.js';
import { unitsOf } from '../lib/format.js';
import { Button } from './Button.js';
import { Dialog, closeDialog } from './Dialog.js';

export function BreakpointDialog({ node }) {
  const stop = breakpointOf(node);
  const [condition, setCondition] = useState(stop?.condition ?? '');
  const [disabled, setDisabled] = useState(stop?.disabled ?? false);
  const [wrong, setWrong] = useState(null); // what the server refused: { message, caret }
  const input = useRef(null);
  const save = async (e) => {
    e.preventDefault();
    const source = condition.trim();
    try {
      await setBreakpoint(node, { condition: source, disabled });
      closeDialog();
    } catch (error) {
      const { mistake } = error.more;
      setWrong({ message: error.message, caret: mistake?.caret });
      input.current.focus();
      if (!(mistake?.offset >= 0)) return;
      const at = unitsOf(source, mistake.offset) + condition.indexOf(source);
      input.current.setSelectionRange(at, at);
    }
  };
  const remove = () => {
    attempt(() => setBreakpoint(node, { removed: true }));
    closeDialog();
  };
  return html`
    <${Dialog} title=${`Breakpoint at ${node}`}>
      <form onSubmit=${save}>
        <label class="field"><span>Pause the run when this JSONata expression is true; empty: always</span>
          <input type="text" class="mono" data-first ref=${input} value=${condition} placeholder="$executionCount('${node}') > 5" spellcheck=${false} autocomplete="off"
            aria-invalid=${wrong ? 'true' : null} aria-describedby=${wrong ? 'condition-wrong' : null} onInput=${(e) => { setCondition(e.currentTarget.value); setWrong(null); }} /></label>
        ${wrong && html`<div class="failure" id="condition-wrong" role="alert"><p>${wrong.message}</p>${wrong.caret && html`<pre class="caret">${wrong.caret}</pre>`}</div>`}
        <label class="switch"><input type="checkbox" checked=${!disabled} onChange=${(e) => setDisabled(!e.currentTarget.checked)} /> on</label>
        <div class="form-end"><button type="submit" class="button primary"><span>Save</span></button>${stop && html`<${Button} label="Remove" onClick=${remove} />`}</div>
      </form>
    </${Dialog}>`;
}
