package lsp

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"toolgraph/config"
	"toolgraph/internal/authoring/graphtest"
	"toolgraph/internal/editor/checks"
)

// exampleFiles are the graph files and test files of the examples.
func exampleFiles(t testing.TB) []string {
	t.Helper()
	var files []string
	err := filepath.WalkDir(filepath.Join("..", "..", "..", "examples"), func(path string, e os.DirEntry, err error) error {
		if err != nil || e.IsDir() && e.Name() == "node_modules" {
			return errors.Join(err, filepath.SkipDir)
		}
		if strings.HasSuffix(path, ".yaml") && !strings.HasSuffix(path, config.LockEnding) {
			abs, err := filepath.Abs(path)
			if err != nil {
				return err
			}
			files = append(files, abs)
		}
		return nil
	})
	if err != nil || len(files) < 20 {
		t.Fatalf("found %d examples: %v", len(files), err)
	}
	return files
}

// want is what check finds in a text of a file. all is false when the server may show more.
func want(t testing.TB, path, text string) (found config.Diagnostics, all bool) {
	t.Helper()
	options := config.Options{AssumeEnv: true}
	if strings.HasSuffix(path, config.TestEnding) {
		suite, err := graphtest.Parse(path, []byte(text))
		_ = errors.As(err, &found)
		if suite == nil || suite.Graph == "" {
			return found, true
		}
		src, err := config.ReadFile(suite.Graph)
		if err != nil {
			return found, true
		}
		options.ServersFile = suite.Servers
		if c, err := checks.Text(t.Context(), suite.Graph, src, options, checks.Beside{}); err == nil && c.Valid {
			found = append(found, suite.Check(c.Project)...)
		}
		found.Sort()
		return found, true
	}
	c, err := checks.Text(t.Context(), path, []byte(text), options, checks.Beside{})
	if err != nil {
		t.Fatal(err)
	}
	return c.Found, !isBroken(path, c.Found)
}

// line is a finding as a line of text.
func line(at int, code, message string) string {
	return fmt.Sprintf("%d %s: %s", at, code, message)
}

// fuzzer changes a document at random.
type fuzzer struct {
	*client
	rng     *rand.Rand
	path    string
	uri     string
	written string // the example itself
}

// change changes the document at random.
func (f *fuzzer) change() {
	t := newText(f.texts[f.uri], utf16Units)
	anywhere := func() Position { // also behind lines, and in the middle of a character
		l := f.rng.IntN(len(t.lines))
		return Position{Line: l, Character: f.rng.IntN(len(t.lineText(l)) + 2)}
	}
	wholeLine := func() Range { // with its end
		l := f.rng.IntN(len(t.lines))
		return Range{Position{Line: l}, Position{Line: l + 1}}
	}
	pieces := []string{" ", "  ", "\n", "\r\n", "{", "}", "[", "]", "\"", "'", ":", ": ", "- ", "#", "&a ", "*a", "!x ", "|\n", "\t", "é", "𝄞", "\u2028", "$.", "next: ", "${X}", "\r", "\x00", "id", ".", "0"}
	switch f.rng.IntN(10) {
	case 0, 1, 2:
		p := anywhere()
		f.edit(f.uri, Range{p, p}, pieces[f.rng.IntN(len(pieces))])
	case 3, 4:
		p := anywhere()
		f.edit(f.uri, Range{p, Position{Line: p.Line, Character: p.Character + 1 + f.rng.IntN(4)}}, "")
	case 5:
		f.edit(f.uri, wholeLine(), "")
	case 6: // two lines change places
		a := f.rng.IntN(len(t.lines))
		b := min(a+1, len(t.lines)-1)
		first, second := t.lineText(a), t.lineText(b)
		f.edit(f.uri, Range{Position{Line: a}, Position{Line: b, Character: len(second)}}, second+"\n"+first)
	case 7: // a part of the text is repeated
		from, to := t.Offset(anywhere()), t.Offset(anywhere())
		if to > from && to-from < 400 {
			p := anywhere()
			f.edit(f.uri, Range{p, p}, t.src[from:to])
		}
	default: // back to the example
		if len(f.texts[f.uri]) > 4*len(f.written) || f.rng.IntN(2) == 0 {
			f.edit(f.uri, Range{Position{}, Position{Line: len(t.lines)}}, f.written)
		}
	}
}

// compare waits for the findings of the newest version, and compares them with those of check.
func (f *fuzzer) compare() {
	f.t.Helper()
	src := f.texts[f.uri]
	text := newText(src, utf16Units)
	expected, all := want(f.t, f.path, src)
	var shown, missing []string
	for _, d := range f.findings(f.uri) {
		shown = append(shown, line(text.Offset(d.Range.Start), d.Code, d.Message))
		if from, to := text.Span(d.Range); from > to || to > len(src) {
			f.t.Errorf("a range is outside of the text: %+v", d.Range)
		}
	}
	for _, e := range expected {
		if e.Pos.File != f.path && e.Pos.File != "" {
			continue // shown in that file
		}
		s := line(text.At(e.Pos), e.Code, messageOf(e))
		if i := slices.Index(shown, s); i >= 0 {
			shown = slices.Delete(shown, i, i+1)
		} else {
			missing = append(missing, s)
		}
	}
	if len(missing) > 0 || all && len(shown) > 0 {
		f.t.Fatalf("%s: the findings are not those of check; missing:\n%s\nstale:\n%s\ntext:\n%s", f.path, strings.Join(missing, "\n"), strings.Join(shown, "\n"), src)
	}
}

// methods are the requests about a place, a range or a document.
var methods = []string{
	"textDocument/completion", "textDocument/hover", "textDocument/signatureHelp", "textDocument/definition", "textDocument/references",
	"textDocument/prepareRename", "textDocument/documentSymbol", "textDocument/diagnostic", "textDocument/codeLens", "textDocument/semanticTokens/full",
	"textDocument/documentHighlight", "textDocument/formatting", "textDocument/foldingRange", "textDocument/rename", "textDocument/codeAction",
	"textDocument/inlayHint", "textDocument/selectionRange", "textDocument/semanticTokens/range",
}

// request sends a request about a random place, and sometimes cancels it.
func (f *fuzzer) request() string {
	t := newText(f.texts[f.uri], utf16Units)
	place := func() Position { return Position{Line: f.rng.IntN(len(t.lines) + 1), Character: f.rng.IntN(80)} }
	at := place()
	id := f.send(methods[f.rng.IntN(len(methods))], map[string]any{
		"textDocument": documentID{URI: f.uri}, "position": at, "range": Range{at, place()}, "positions": []Position{at, place()}, "newName": "other_name",
		"context": map[string]any{"includeDeclaration": true, "triggerKind": 1, "diagnostics": []any{}}, "options": map[string]any{"tabSize": 2, "insertSpaces": true},
	})
	if f.rng.IntN(4) == 0 {
		f.notify("$/cancelRequest", map[string]any{"id": json.RawMessage(id)})
	}
	return id
}

// lockedBuffer is a log that several goroutines write.
type lockedBuffer struct {
	mu sync.Mutex
	bytes.Buffer
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.Buffer.Write(p)
}

// Random edits of every example: no panic, no stale findings, and the memory stays flat. TOOLGRAPH_EDITS says
// how many.
func TestRandomEdits(t *testing.T) {
	edits, seed := 300, uint64(1)
	if n, err := strconv.Atoi(os.Getenv("TOOLGRAPH_EDITS")); err == nil {
		edits, seed = n, rand.Uint64()
	}
	t.Logf("%d edits, seed %d", edits, seed)
	log := &lockedBuffer{}
	c := connect(t, Options{Logger: slog.New(slog.NewTextHandler(log, nil))})
	var result struct{}
	c.ask("initialize", map[string]any{"capabilities": map[string]any{}, "initializationOptions": map[string]any{"debounceMs": 0}}, &result)
	c.notify("initialized", result)
	rng := rand.New(rand.NewPCG(seed, seed))
	files := exampleFiles(t)
	early := uint64(0)
	for n := 0; n < edits; {
		path := files[rng.IntN(len(files))]
		src, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		f := &fuzzer{client: c, rng: rng, path: path, uri: fileURI(path), written: string(src)}
		f.openURI(f.uri, graphLanguage, f.written)
		for range 25 {
			var ids []string
			for range 1 + rng.IntN(4) {
				f.change()
				n++
				if rng.IntN(2) == 0 {
					ids = append(ids, f.request())
				}
			}
			f.compare()
			for _, id := range ids {
				if m := f.answer(id); m.Error != nil && m.Error.Code == codeInternal {
					t.Fatalf("%s\ntext:\n%s", log.String(), f.texts[f.uri])
				}
				c.mu.Lock()
				delete(c.answers, id)
				c.mu.Unlock()
			}
		}
		f.notify("textDocument/didClose", aboutDocument{documentID{URI: f.uri}})
		if early == 0 && n > edits/5 {
			early = heap()
		}
	}
	if late := heap(); edits > 1000 && late > early+16<<20 {
		t.Errorf("the heap has grown from %d to %d bytes", early, late)
	} else {
		t.Logf("heap: %d bytes after a fifth of the edits, %d at the end", early, late)
	}
	if strings.Contains(log.String(), "failed") {
		t.Error(log.String())
	}
}

// heap is how many bytes are in use after a garbage collection.
func heap() uint64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}
