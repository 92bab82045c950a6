// The editor of the graph file, which the tab File loads when it is opened. It knows nothing of the page:
// texts, findings and lines come in, changes and questions about a place go out by the functions it is given.
import { EditorState, StateEffect, StateField, Compartment } from '@codemirror/state';
import {
  Decoration, EditorView, ViewPlugin, drawSelection, dropCursor, gutter, GutterMarker, highlightActiveLine, highlightActiveLineGutter, highlightSpecialChars, hoverTooltip, keymap, lineNumbers, tooltips,
} from '@codemirror/view';
import { defaultKeymap, history, historyKeymap, indentWithTab } from '@codemirror/commands';
import { bracketMatching, codeFolding, foldGutter, foldKeymap, indentOnInput, indentUnit, syntaxHighlighting } from '@codemirror/language';
import { yaml } from '@codemirror/lang-yaml';
import { lintGutter, lintKeymap, setDiagnostics } from '@codemirror/lint';
import { autocompletion, closeBrackets, closeBracketsKeymap, completionKeymap, startCompletion } from '@codemirror/autocomplete';
import { highlightSelectionMatches, search, searchKeymap } from '@codemirror/search';
import { colours, MOST_HANG, theme } from './theme.js';

const LEAVES = 3000; // ms in which Tab leaves the editor after Escape

const element = (name, className, text) => {
  const el = document.createElement(name);
  if (className) el.className = className;
  if (text) el.textContent = text;
  return el;
};

// offsetOf is the place of a line and a column, which counts code points, from 1.
function offsetOf(doc, line, column) {
  const at = doc.line(Math.min(Math.max(line, 1), doc.lines));
  let offset = 0;
  for (const c of at.text) {
    if (--column <= 0) break;
    offset += c.length;
  }
  return at.from + Math.min(offset, at.length);
}

const word = /[\w$.-]+|[^\s]/uy;

// diagnostic is a finding as the editor marks it: from its place to the end of the word there.
function diagnostic(doc, f) {
  const from = offsetOf(doc, f.line, f.column);
  const line = doc.lineAt(from);
  word.lastIndex = from - line.from;
  const length = word.exec(line.text)?.[0].length ?? 0;
  return {
    from, to: from + length, severity: f.severity,
    renderMessage: () => {
      const el = element('div', 'finding-tip');
      el.append(element('b', f.severity, `${f.severity}: `), f.message);
      if (f.hint) el.append(element('div', 'finding-hint', f.hint));
      if (f.code) el.append(element('div', 'finding-code', f.code));
      return el;
    },
    message: `${f.severity}: ${f.message}${f.hint ? `; ${f.hint}` : ''}`,
  };
}

// Lines that are lit, and breakpoints, which belong to the page.
const setLit = StateEffect.define();
const lit = StateField.define({
  create: () => Decoration.none,
  update(value, tr) {
    let next = value.map(tr.changes);
    for (const e of tr.effects) {
      if (!e.is(setLit)) continue;
      const lines = [];
      for (let n = Math.max(1, e.value.first); n <= Math.min(e.value.last, tr.state.doc.lines); n++) lines.push(n);
      const marks = [
        ...lines.map((n) => Decoration.line({ class: 'lit' }).range(tr.state.doc.line(n).from)),
        ...(e.value.asked > 0 && e.value.asked <= tr.state.doc.lines ? [Decoration.line({ class: 'asked' }).range(tr.state.doc.line(e.value.asked).from)] : []),
      ];
      next = Decoration.set(marks, true);
    }
    return next;
  },
  provide: (field) => EditorView.decorations.from(field),
});

// Lines that are wrapped go on below where their text begins, behind indentation, dashes and the sign of a comment. Deeper than
// MOST_HANG characters they do not: a narrow pane needs the room.
const begins = /^ *(?:- +)*(?:# ?)?/;
const hangs = Array.from({ length: MOST_HANG + 1 }, (_, n) => Decoration.line({ class: `hang-${n}` }));
function hang(view) {
  const marks = [];
  for (const { from, to } of view.visibleRanges) {
    for (let at = from; at <= to;) {
      const line = view.state.doc.lineAt(at);
      const n = Math.min(MOST_HANG, begins.exec(line.text)[0].length);
      if (n && marks.at(-1)?.from !== line.from) marks.push(hangs[n].range(line.from));
      at = line.to + 1;
    }
  }
  return Decoration.set(marks);
}
const hanging = ViewPlugin.define((view) => ({
  marks: hang(view),
  update(u) {
    if (u.docChanged || u.viewportChanged) this.marks = hang(u.view);
  },
}), { decorations: (plugin) => plugin.marks });

class Stop extends GutterMarker {
  toDOM() {
    const el = element('span', 'stop', '●');
    el.title = 'breakpoint';
    return el;
  }
}
const stop = new Stop();
const setStops = StateEffect.define();
const stops = StateField.define({
  create: () => new Set(),
  update: (value, tr) => tr.effects.reduce((now, e) => (e.is(setStops) ? new Set(e.value) : now), value),
});
const stopGutter = gutter({
  class: 'stops',
  lineMarker: (view, line) => (view.state.field(stops).has(view.state.doc.lineAt(line.from).number) ? stop : null),
  lineMarkerChange: (update) => update.transactions.some((tr) => tr.effects.some((e) => e.is(setStops))),
});

const icons = { node: 'class', server: 'namespace', tool: 'function', field: 'property', enum: 'enum', property: 'keyword', function: 'function', variable: 'variable' };

// option is a candidate as the editor lists it. A key is followed by the list of its values.
function option(c) {
  const insert = c.insert ?? c.label;
  return {
    label: c.label, type: icons[c.kind], detail: c.detail, boost: c.rank ?? 0,
    info: c.doc ? () => element('div', 'candidate-doc', c.doc) : undefined,
    apply: (view, _completion, from, to) => {
      view.dispatch({ changes: { from, to, insert }, selection: { anchor: from + insert.length }, userEvent: 'input.complete' });
      if (/[:.(] ?$/.test(insert) && c.kind === 'property') startCompletion(view);
    },
  };
}

const asksFor = /[\w$.:\-"'`{[( ]$/; // what is typed before something that could be completed

function completions(complete) {
  return async (context) => {
    const line = context.state.doc.lineAt(context.pos);
    const before = line.text.slice(0, context.pos - line.from);
    if (!context.explicit && (!asksFor.test(before) || /^\s*$/.test(before) || /\s\s$/.test(before))) return null;
    const found = await complete(context.state.doc.toString(), context.pos).catch(() => null);
    if (!found?.candidates.length || context.aborted) return null;
    return { from: found.from, options: found.candidates.map(option), validFor: /^[\w$-]*$/ };
  };
}

const described = (describe) => hoverTooltip(async (view, pos) => {
  const found = await describe(view.state.doc.toString(), pos).catch(() => null);
  if (!found) return null;
  return {
    pos: found.from, end: found.to, above: true,
    create: () => {
      const dom = element('div', 'described');
      dom.append(element('b', '', found.label), element('span', 'described-detail', ` ${found.detail}`));
      if (found.doc) dom.append(element('div', 'candidate-doc', found.doc));
      return { dom };
    },
  };
});

// open makes an editor in an element. Its styles are adopted by a shadow root, since the page's policy
// allows no other style than that of its stylesheet.
export function open(host, { text, label, writable, complete, describe, onText, onSave, onCursor, onShowNode }) {
  const root = host.shadowRoot ?? host.attachShadow({ mode: 'open' });
  const parent = element('div');
  parent.style.height = '100%';
  root.replaceChildren(parent);
  const mode = new Compartment();
  let crlf = false; // the editor has line ends of one character
  const taken = (body) => {
    crlf = body.includes('\r\n');
    return body.replaceAll('\r\n', '\n');
  };
  const given = (doc) => (crlf ? doc.toString().replaceAll('\n', '\r\n') : doc.toString());
  const edits = (on) => [
    EditorState.readOnly.of(!on),
    EditorView.contentAttributes.of({
      'aria-label': on ? `${label}; Escape, then Tab leaves the editor` : `${label}, read-only`, 'aria-readonly': String(!on), tabindex: '0', spellcheck: 'false',
    }),
    on ? [keymap.of([indentWithTab]), closeBrackets(), autocompletion({ override: [completions(complete)], maxRenderedOptions: 100, activateOnTypingDelay: 150 })] : EditorView.editable.of(false),
  ];
  let quiet = false; // a change of the page's own
  const state = (doc) => EditorState.create({
    doc,
    extensions: [
      keymap.of([
        { key: 'Mod-s', run: () => { onSave(); return true; }, preventDefault: true },
        { key: 'Alt-Enter', run: () => { onShowNode(); return true; } },
      ]),
      mode.of(edits(writable)),
      stopGutter, lineNumbers(), lintGutter(), codeFolding(), foldGutter(), stops, lit,
      highlightSpecialChars({ addSpecialChars: /[\u202a-\u202c\u2068]/g }), history(), drawSelection(), dropCursor(), highlightActiveLine(), highlightActiveLineGutter(),
      indentOnInput(), indentUnit.of('  '), EditorState.tabSize.of(2), bracketMatching(), highlightSelectionMatches(), search({ top: true }),
      EditorView.lineWrapping, hanging, yaml(), syntaxHighlighting(colours), described(describe), theme,
      tooltips({ tooltipSpace: ({ dom }) => ({ top: dom.getBoundingClientRect().top, left: 0, right: innerWidth, bottom: innerHeight }) }), // not over what is to be decided
      keymap.of([...closeBracketsKeymap, ...completionKeymap, ...searchKeymap, ...historyKeymap, ...foldKeymap, ...lintKeymap, ...defaultKeymap]),
      EditorView.updateListener.of((update) => {
        if (update.docChanged && !quiet) onText(given(update.state.doc));
        if (update.selectionSet || update.docChanged) onCursor(update.state.doc.lineAt(update.state.selection.main.head).number);
      }),
    ],
  });
  const view = new EditorView({ state: state(taken(text)), parent, root });
  // Escape lets Tab leave, whatever else it closes.
  parent.addEventListener('keydown', (e) => e.key === 'Escape' && view.setTabFocusMode(LEAVES), true);
  // The cursor stays in view when the editor becomes lower, as when findings appear below it.
  const resized = new ResizeObserver(() => view.hasFocus && view.dispatch({ effects: EditorView.scrollIntoView(view.state.selection.main.head) }));
  resized.observe(parent);
  const own = (change) => {
    quiet = true;
    view.dispatch(change);
    quiet = false;
  };
  return {
    // setText replaces what differs, so that the cursor, the scroll position and undo stay.
    setText(body) {
      const next = taken(body);
      const now = view.state.doc.toString();
      if (now === next) return;
      let from = 0;
      while (from < now.length && from < next.length && now[from] === next[from]) from++;
      let end = 0;
      while (end < now.length - from && end < next.length - from && now[now.length - 1 - end] === next[next.length - 1 - end]) end++;
      own({ changes: { from, to: now.length - end, insert: next.slice(from, next.length - end) } });
    },
    setWritable: (on) => own({ effects: mode.reconfigure(edits(on)) }),
    setFindings(list) {
      const { doc } = view.state;
      own(setDiagnostics(view.state, list.filter((f) => f.line > 0 && !f.file).map((f) => diagnostic(doc, f)).sort((a, b) => a.from - b.from)));
    },
    setLit: (first, last, asked) => own({ effects: setLit.of({ first, last, asked }) }),
    setStops: (lines) => own({ effects: setStops.of(lines) }),
    // reveal scrolls to a place: to the middle, or to the top with a few lines above it.
    reveal(line, column = 1, focus = false, top = false) {
      const at = offsetOf(view.state.doc, line, column);
      own({ ...(focus ? { selection: { anchor: at } } : {}), effects: EditorView.scrollIntoView(at, top ? { y: 'start', yMargin: 40 } : { y: 'center' }) });
      if (focus) view.focus();
    },
    focus: () => view.focus(),
    close() {
      resized.disconnect();
      view.destroy();
    },
  };
}
