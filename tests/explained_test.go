package tests

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"toolgraph/config"
	"toolgraph/tests/testbin"
)

// notInGuide are mappings whose keys the guide for agents leaves out: the toolkit cannot change them.
var notInGuide = map[string]bool{
	"server": true, "a server": true, "a server of type exec": true, "a program": true, "oauth": true, "rate": true, "pipeline": true, "plan": true, "a server of expose": true, "an icon": true,
}

// The node types and keys of the language, which the program has in one table, are in everything that explains the
// language to authors and agents: the reference, the JSON Schema, the guide of the toolkit, and its handshake.
func TestLanguageIsExplained(t *testing.T) {
	t.Parallel()
	read := func(path ...string) string {
		src, err := os.ReadFile(filepath.Join(append([]string{".."}, path...)...))
		if err != nil {
			t.Fatal(err)
		}
		return string(src)
	}
	reference, guide := read("docs", "language.md")+read("docs", "programs.md")+read("docs", "pipeline.md")+read("docs", "plans.md"), read("internal", "authoring", "SKILL.md")
	handshake, _, _ := strings.Cut(read("internal", "authoring", "tools.yaml"), "\ntools:\n")
	var schema any
	if err := json.Unmarshal(config.Schema(), &schema); err != nil {
		t.Fatal(err)
	}
	has := func(text, name string) bool {
		return regexp.MustCompile(`(?:^|[^A-Za-z0-9_])` + regexp.QuoteMeta(name) + `(?:$|[^A-Za-z0-9_])`).MatchString(text)
	}
	named := 0
	for _, d := range config.Language() {
		for _, place := range []struct {
			name  string
			has   bool
			needs bool
		}{
			{"the reference", has(reference, d.Name), true},
			{"the JSON Schema", isInSchema(schema, d), true},
			{"the guide of the toolkit", has(guide, d.Name), !notInGuide[d.Of] && d.Name != "version"},
			{"the handshake of the toolkit", has(handshake, d.Name), d.Of == "" || strings.HasSuffix(d.Of, " node") || d.Name == "allow" || d.Name == "vars" || d.Name == "imports"},
		} {
			if named++; place.needs && !place.has {
				t.Errorf("%s has no %s (%s)", place.name, d.Name, d.Of)
			}
		}
	}
	if named < 400 {
		t.Errorf("%d names", named)
	}
}

// isInSchema reports whether a JSON Schema has a property with a description, or a type of node.
func isInSchema(schema any, d config.Described) bool {
	switch s := schema.(type) {
	case map[string]any:
		if properties, isObject := s["properties"].(map[string]any); isObject {
			of, _ := properties[d.Name].(map[string]any)
			kind, _ := properties["type"].(map[string]any)
			if d.Of != "" && of["description"] == d.Doc || d.Of == "" && kind["const"] == d.Name && s["description"] == d.Doc {
				return true
			}
		}
		for _, part := range s {
			if isInSchema(part, d) {
				return true
			}
		}
	case []any:
		for _, part := range s {
			if isInSchema(part, d) {
				return true
			}
		}
	}
	return false
}

// toolgraph explain prints what the page says of every code that the program gives.
func TestCodesAreExplained(t *testing.T) {
	t.Parallel()
	toolgraph := testbin.Build(t, "toolgraph")
	out, err := programCommand(t, toolgraph, "explain", "--json").Output()
	var listed []struct{ Code, Severity, Summary string }
	if err == nil {
		err = json.Unmarshal(out, &listed)
	}
	if err != nil {
		t.Fatal(err)
	}
	explained := map[string]bool{}
	for _, e := range listed {
		explained[e.Code] = e.Severity != "" && e.Summary != ""
	}
	for code, at := range givenCodes(t) {
		if !explained[code] {
			t.Errorf("toolgraph explain does not list %s, which %s gives", code, at)
		}
	}
}
