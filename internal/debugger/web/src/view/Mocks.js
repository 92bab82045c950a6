import { html } from '../lib/html.js';
import { mocks, sample, setMocks, wrongMocks } from '../state/mocks.js';

// MocksSwitch decides whether a run calls servers, or gets its answers from mocks.
export const MocksSwitch = ({ tool }) => html`
  <label class="switch" title="Answer the calls from mocks: no server is called, and the run is not recorded"><input type="checkbox" checked=${mocks(tool).on} onChange=${(e) => setMocks(tool, { on: e.currentTarget.checked })} /> with mocks</label>`;

// Mocks takes the mocks of a tool, as tests have them.
export function Mocks({ tool }) {
  const { on, text } = mocks(tool);
  if (!on) return null;
  const wrong = wrongMocks.value.tool === tool.name ? wrongMocks.value.message : '';
  const calls = text.trim() ? '' : sample(tool);
  return html`
    <div class="field">
      <div class="field-head"><label for="mocks"><span class="field-name">Mocks</span> <span class="muted field-type">JSON, as in tests</span></label><span class="spring"></span>
        ${calls && html`<button type="button" class="linkish" onClick=${() => setMocks(tool, { text: calls })}>one for each call</button>`}</div>
      <textarea id="mocks" class="mono" rows=${Math.min(16, Math.max(4, text.split('\n').length))} spellcheck=${false} autocomplete="off" placeholder=${'{"STEP": {"result": …}}'}
        aria-invalid=${String(Boolean(wrong))} aria-describedby=${wrong ? 'mocks-wrong' : null} value=${text} onInput=${(e) => setMocks(tool, { text: e.currentTarget.value })}></textarea>
      ${wrong && html`<p class="wrong" id="mocks-wrong" role="alert">${wrong}</p>`}
    </div>`;
}
