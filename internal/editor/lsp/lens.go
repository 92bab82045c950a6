package lsp

import (
	"context"
	"encoding/json"
	"path/filepath"
	"strings"

	"toolgraph/config"
	"toolgraph/internal/editor/names"
)

// lensFeature puts commands above tools and tests. The client runs them: it puts the command line together
// and shows it in a terminal. The server starts nothing.
var lensFeature = feature{
	provide: func(_ *clientCan, caps map[string]any) {
		caps["codeLensProvider"] = map[string]any{"resolveProvider": false}
	},
	answers: map[string]handler{"textDocument/codeLens": about(lenses)},
}

// The commands of lenses, which the client must know.
const (
	runCommand   = "toolgraph.run"
	debugCommand = "toolgraph.debug"
	testCommand  = "toolgraph.test"
)

type command struct {
	Title     string `json:"title"`
	Command   string `json:"command"`
	Arguments []any  `json:"arguments"`
}

type lens struct {
	Range   Range   `json:"range"`
	Command command `json:"command"`
}

// lensTarget is the argument of a command: a tool with arguments to fill in, or a test.
type lensTarget struct {
	URI  string         `json:"uri"`
	Tool string         `json:"tool,omitempty"`
	Args map[string]any `json:"args,omitempty"` // the required ones; none for a tool that requires none
	Test string         `json:"test,omitempty"` // empty: all of the file
}

func lenses(_ context.Context, r *request, _ aboutDocument) (any, error) {
	found := []lens{}
	symbols, ok := names.Symbols(r.path, []byte(r.src))
	if !ok || r.kind == otherFile || r.kind == lockFile || !filepath.IsAbs(r.path) { // nothing can run what is no file
		return found, nil
	}
	add := func(at names.Symbol, title, name string, target lensTarget) {
		found = append(found, lens{r.Range(at.NameFrom, at.NameTo), command{title, name, []any{target}}})
	}
	if r.kind == testFile {
		for i, s := range symbols {
			if i == 0 && len(symbols) > 1 {
				add(s, "Run all tests", testCommand, lensTarget{URI: r.uri})
			}
			add(s, "Run test", testCommand, lensTarget{URI: r.uri, Test: s.Name})
			for _, one := range s.Children {
				add(one, "Run case", testCommand, lensTarget{URI: r.uri, Test: s.Name + "/" + one.Name})
			}
		}
		return found, nil
	}
	root, _ := config.ParseWritten(r.path, []byte(r.src))
	tests := ""
	v := r.view()
	for _, path := range beside(r.path) {
		if strings.HasSuffix(path, config.TestEnding) && v.text(path) != nil {
			tests = v.uri(path)
		}
	}
	for _, s := range symbols {
		if s.Kind != names.Tool {
			continue
		}
		target := lensTarget{URI: r.uri, Tool: s.Name, Args: skeleton(root, s.Name)}
		add(s, "Run", runCommand, target)
		add(s, "Debug", debugCommand, target)
		if tests != "" {
			add(s, "Test", testCommand, lensTarget{URI: tests})
		}
	}
	return found, nil
}

// skeleton returns an example of the arguments that a tool requires: the default, the first of an enum, or
// an empty value of the type.
func skeleton(root *config.Data, tool string) map[string]any {
	var input *config.Data
	if tools := root.Get("tools"); tools != nil {
		for _, t := range tools.Items {
			if name := t.Get("name"); name != nil && name.Text.Value == tool {
				input = t.Get("inputSchema")
			}
		}
	}
	var args map[string]any
	required := input.Get("required")
	if required == nil {
		return nil
	}
	for _, name := range required.Items {
		if args == nil {
			args = map[string]any{}
		}
		args[name.Text.Value] = exampleOf(input.Get("properties").Get(name.Text.Value))
	}
	return args
}

func exampleOf(schema *config.Data) any {
	for _, key := range []string{"default", "const"} {
		if d := schema.Get(key); d != nil {
			return json.RawMessage(d.JSON())
		}
	}
	for _, key := range []string{"examples", "enum"} {
		if d := schema.Get(key); d != nil && d.Kind == config.KindArray && len(d.Items) > 0 {
			return json.RawMessage(d.Items[0].JSON())
		}
	}
	kind := schema.Get("type")
	if kind == nil {
		return nil
	}
	return map[string]any{"string": "", "number": 0, "integer": 0, "boolean": false, "array": []any{}, "object": map[string]any{}}[kind.Text.Value]
}
