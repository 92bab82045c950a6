import { html, cx } from '../lib/html.js';
import { useEffect, useRef, useState } from 'preact/hooks';
import { graph, source, toolName } from '../state/project.js';
import * as file from '../state/sourceview.js';
import { breakpointOf } from '../state/breakpoints.js';
import { focusNode } from '../lib/nodekey.js';
import { pane } from '../state/ui.js';
import { Button } from './Button.js';
import { Empty } from './Empty.js';
import { Findings } from './Findings.js';

const showNode = () => {
  if (!file.under.value) return;
  pane.value = 'graph';
  setTimeout(() => focusNode(file.under.value.id)); // the pane may have to appear first
};

// SourcePane is the file: its findings, its text with the lines of the current node lit, and what to do with
// changes that are not saved.
export function SourcePane() {
  if (!source.value) return html`<${Empty} title="Reading the file …" />`;
  return html`<${Bar} /><${Decisions} /><${Text} /><${Findings} />
    <p class="file-foot muted">${source.value.writable ? html`Tab indents; <kbd>Escape</kbd>, then <kbd>Tab</kbd> leaves the editor.`
      : html`Read-only: start <code>toolgraph ui</code> with <code>--allow-write</code> to edit the file here.`}</p>`;
}

function Bar() {
  const unsaved = Boolean(file.draft.value);
  const node = file.under.value;
  return html`
    <div class="file-bar">
      <span class=${cx('file-state', unsaved && 'unsaved')} role="status">${unsaved ? '● Unsaved' : source.value.writable ? 'Saved' : 'Read-only'}</span>
      <span class="spring"></span>
      ${node && html`<${Button} icon="forward" label=${`Go to ${node.id}`} hint="Alt+Enter in the text" onClick=${showNode} />`}
      ${unsaved && html`<${Button} label="Discard" onClick=${file.discard} />`}
      ${source.value.writable && html`<${Button} kind="primary" label="Save" hint="Ctrl+S" disabled=${!unsaved} onClick=${() => file.save()} />`}
    </div>`;
}

// Decisions are what the user has to decide before a text is saved.
function Decisions() {
  const it = file.saving.value;
  return html`
    ${file.rejected.value && html`<p class="note rejected">The file has errors. The graph is of the last version that was whole; runs use that, too.</p>`}
    ${file.problem.value && html`<p class="note rejected" role="alert">${file.problem.value}</p>`}
    ${it?.outcome === 'errors' && html`
      <div class="note rejected" role="alert">
        <p>The text has ${it.errors === 1 ? 'an error' : `${it.errors} errors`}, so it was not saved. A file with errors can be saved: until it is valid again, this page and <code>serve --watch</code> use the last valid version.</p>
        <p class="actions"><${Button} label="Save with errors" onClick=${() => file.save(true)} /><${Button} label="Do not save" onClick=${() => { file.saving.value = null; }} /></p>
      </div>`}
    ${file.conflict.value && html`
      <div class="note rejected" role="alert">
        <p>Another program has changed the file since you began to edit. Nothing of yours is lost.</p>
        ${it?.diff && html`<details open><summary>From the file to your text</summary><pre class="code diff" tabindex="0">${it.diff}</pre></details>`}
        <p class="actions">${!it?.diff && html`<${Button} label="Show the difference" onClick=${() => file.save()} />`}
          <${Button} label="Take the file" onClick=${file.discard} /><${Button} label="Keep my text" onClick=${file.keep} /></p>
      </div>`}`;
}

// Text is the editor, which is loaded when it is first needed.
function Text() {
  const host = useRef(null);
  const editor = useRef(null);
  const [ready, setReady] = useState('');
  useEffect(() => {
    let gone = false;
    import(new URL('editor.js', import.meta.url)).then(({ open }) => {
      if (gone) return;
      editor.current = open(host.current, {
        text: file.text.peek(), label: `graph file ${source.peek().path}`, writable: source.peek().writable,
        complete: file.complete, describe: file.describe, onText: file.edit, onSave: () => file.save(),
        onCursor: (line) => { file.cursor.value = line; }, onShowNode: showNode,
      });
      setReady('yes');
    }, () => setReady('no'));
    return () => {
      gone = true;
      editor.current?.close();
      editor.current = null;
    };
  }, []);
  const text = file.text.value;
  const { writable } = source.value;
  const [first, last] = file.current.value ?? [0, -1];
  const place = file.wanted.value;
  const stops = (graph.value?.nodes ?? []).filter((n) => n.line > 0 && breakpointOf(n.id)).map((n) => n.line);
  const found = file.findings.value;
  useEffect(() => editor.current?.setText(file.text.peek()), [ready, text]); // as it is now: more may have been typed
  useEffect(() => editor.current?.setWritable(writable), [ready, writable]);
  useEffect(() => editor.current?.setFindings(found), [ready, found]);
  useEffect(() => editor.current?.setStops(stops), [ready, stops.join()]);
  useEffect(() => {
    editor.current?.setLit(first, last, place?.line ?? 0);
    if (place) editor.current?.reveal(place.line, place.column, place.focus);
    else if (first) editor.current?.reveal(first);
  }, [ready, first, last, place]);
  const known = graph.value?.tool === toolName.value && graph.value.line > 0;
  useEffect(() => { // the tool that was chosen, where no step and no finding is looked at
    if (known && !first && !file.wanted.peek()) editor.current?.reveal(graph.peek().line, 1, false, true);
  }, [ready, known, toolName.value]);
  return html`
    ${ready === 'no' && html`<p class="note rejected" role="alert">The editor could not be loaded; reload the page.</p><pre class="code file-plain" tabindex="0">${text}</pre>`}
    <div class="editor-host" ref=${host} data-ready=${ready} onKeyDown=${(e) => { if (!/^F\d/.test(e.key)) e.stopPropagation(); }}></div>`;
}
