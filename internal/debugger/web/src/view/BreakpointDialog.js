import { html } from '../lib/html.js';
import { useRef, useState } from 'preact/hooks';
import { useKept } from '../lib/kept.js';
import { breakpointOf, setBreakpoint } from '../state/breakpoints.js';
import { toolName } from '../state/project.js';
import { attempt } from '../state/ui.js';
import { unitsOf } from '../lib/format.js';
import { Button } from './Button.js';
import { Dialog, closeDialog } from './Dialog.js';
import { Unseen, unseenId } from './Unseen.js';

// BreakpointDialog sets the condition of a breakpoint. What was typed stays when the dialog is closed without saving.

export function BreakpointDialog({ node }) {
  const stop = breakpointOf(node);
  const saved = { condition: stop?.condition ?? '', disabled: stop?.disabled ?? false };
  const [typed, setTyped, drop, kept] = useKept(`breakpoint ${toolName.value} ${node}`, null);
  const { condition, disabled } = { ...saved, ...typed };
  const changed = condition !== saved.condition || disabled !== saved.disabled;
  const type = (change) => setTyped((now) => ({ ...now, ...change }));
  const [wrong, setWrong] = useState(null); // what the server refused: { message, caret }
  const input = useRef(null);
  const save = async (e) => {
    e.preventDefault();
    const source = condition.trim();
    try {
      await setBreakpoint(node, { condition: source, disabled });
      drop();
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
    drop();
    closeDialog();
  };
  return html`
    <${Dialog} title=${`Breakpoint at ${node}`}>
      <form onSubmit=${save}>
        ${kept && changed && html`<p class="note" role="status">This is the text that was not saved. <button type="button" class="linkish" onClick=${() => { drop(null); setWrong(null); }}>Discard it</button></p>`}
        <label class="field"><span>Pause the run when this JSONata expression is true; empty: always</span>
          <input type="text" class="mono" data-first ref=${input} value=${condition} placeholder="$executionCount('${node}') > 5" spellcheck=${false} autocomplete="off"
            aria-invalid=${wrong ? 'true' : null} aria-describedby=${[wrong && 'condition-wrong', unseenId('condition', condition)].filter(Boolean).join(' ') || null} onInput=${(e) => { type({ condition: e.currentTarget.value }); setWrong(null); }} /></label>
        <${Unseen} id="condition" text=${condition} />
        ${wrong && html`<div class="failure" id="condition-wrong" role="alert"><p>${wrong.message}</p>${wrong.caret && html`<pre class="caret">${wrong.caret}</pre>`}</div>`}
        <label class="switch"><input type="checkbox" checked=${!disabled} onChange=${(e) => type({ disabled: !e.currentTarget.checked })} /> on</label>
        <div class="form-end"><button type="submit" class="button primary"><span>Save</span></button>${stop && html`<${Button} label="Remove" onClick=${remove} />`}</div>
      </form>
    </${Dialog}>`;
}
