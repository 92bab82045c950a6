package lsp

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"toolgraph/config"
	"toolgraph/internal/editor/checks"
)

// withActions is a client that can apply code actions.
func withActions(t testing.TB) *client {
	return start(t, func(p map[string]any) {
		p["capabilities"] = map[string]any{"textDocument": map[string]any{"codeAction": map[string]any{"codeActionLiteralSupport": map[string]any{}}}}
	})
}

func (c *client) actions(uri string, r Range) (found []codeAction) {
	c.t.Helper()
	c.ask("textDocument/codeAction", map[string]any{"textDocument": documentID{URI: uri}, "range": r, "context": map[string]any{"diagnostics": []any{}}}, &found)
	return found
}

// TestActions asks for the actions of the finding of each example of docs/diagnostics.md. After each of
// them the finding is gone and there is no new one. testdata/actions.txt lists which codes have actions.
func TestActions(t *testing.T) {
	c := withActions(t)
	byCode := map[string][]string{}
	for i, e := range examples(t) {
		if e.servers != "" {
			continue
		}
		if _, known := byCode[e.code]; !known {
			byCode[e.code] = nil
		}
		name := fmt.Sprintf("%d.yaml", i)
		uri := c.openAs(name, graphLanguage, e.graph)
		find := func(text string) config.Diagnostics {
			checked, err := checks.Text(t.Context(), filepath.Join(c.dir, name), []byte(text), config.Options{AssumeEnv: true, ReadFile: func(string) ([]byte, error) { return nil, os.ErrNotExist }}, checks.Beside{})
			if err != nil {
				t.Fatal(err)
			}
			return checked.Found
		}
		before := find(e.graph)
		for _, d := range c.findings(uri) {
			if d.Code != e.code {
				continue
			}
			for _, a := range c.actions(uri, d.Range) {
				if a.Diagnostics[0].Code != e.code {
					continue
				}
				if !slices.Contains(byCode[e.code], a.Title) {
					byCode[e.code] = append(byCode[e.code], a.Title)
				}
				if len(a.Edit.Changes) == 0 {
					t.Errorf("%s: %s has no edits", e.code, a.Title)
				}
				after := edited(e.graph, a.Edit.Changes[uri])
				if n, was := count(find(after), e.code), count(before, e.code); n >= was {
					t.Errorf("%s: after %q there are %d of %d findings:\n%s", e.code, a.Title, n, was, after)
				}
				for _, f := range find(after) {
					if count(before, f.Code) == 0 && (len(before) > 1 || f.Severity == config.Error) && !strings.HasPrefix(e.code, "yaml-") {
						t.Errorf("%s: after %q there is a new finding: %s\n%s", e.code, a.Title, f, after)
					}
				}
			}
		}
		c.notify("textDocument/didClose", aboutDocument{documentID{URI: uri}})
	}
	var golden strings.Builder
	for _, e := range examples(t) {
		if titles, known := byCode[e.code]; known {
			delete(byCode, e.code)
			text := strings.Join(titles, "; ")
			if text == "" {
				text = "-"
			}
			fmt.Fprintf(&golden, "%-26s %s\n", e.code, text)
		}
	}
	file := filepath.Join("testdata", "actions.txt")
	if os.Getenv("UPDATE_GOLDEN") != "" {
		if err := os.WriteFile(file, []byte(golden.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if want, err := os.ReadFile(file); err != nil || string(want) != golden.String() {
		t.Errorf("the actions differ from %s (%v):\n%s", file, err, golden.String())
	}
}

func count(found config.Diagnostics, code string) (n int) {
	for _, f := range found {
		if f.Code == code {
			n++
		}
	}
	return n
}

func TestActionsOfTests(t *testing.T) {
	c := withActions(t)
	c.write("graph.yaml", named)
	uri := c.open("graph.test.yaml", strings.Replace(namedTest, "tool: greet", "tool: gret", 1))
	found := c.findings(uri)
	if len(found) != 1 {
		t.Fatalf("findings: %+v", found)
	}
	actions := c.actions(uri, found[0].Range)
	if len(actions) != 1 || !actions[0].IsPreferred || edited(c.texts[uri], actions[0].Edit.Changes[uri]) != namedTest {
		t.Errorf("got %+v", actions)
	}
	if actions := c.actions(uri, Range{}); len(actions) > 0 {
		t.Errorf("where nothing was found: %+v", actions)
	}
	var none []codeAction
	c.ask("textDocument/codeAction", map[string]any{"textDocument": documentID{URI: uri}, "range": found[0].Range, "context": map[string]any{"diagnostics": []any{}, "only": []string{"refactor"}}}, &none)
	if len(none) > 0 {
		t.Errorf("refactorings: %+v", none)
	}
	if start(t, nil).capabilities["codeActionProvider"] != nil {
		t.Error("actions are offered to a client that cannot apply them")
	}
}
