package cli

import (
	"encoding/json"
	"strings"
	"testing"

	"toolgraph/config"
	"toolgraph/docs"
	"toolgraph/internal/program"
)

// Every code is explained with its examples, in text and as JSON, and SARIF has the same of it.
func TestExplainCodes(t *testing.T) {
	defer func(was string) { docs.Site = was }(docs.Site)
	docs.Site = "https://docs.example"
	_, list := commandLine(t, []string{"explain"})
	for _, e := range docs.Entries() {
		code, text := commandLine(t, []string{"explain", e.Code})
		if code != program.ExitOK || !strings.HasPrefix(text, e.Code+" ("+e.Severity+")\n\n") || !strings.Contains(text, "https://docs.example/diagnostics.md#"+e.Code) {
			t.Errorf("explain %s printed\n%s", e.Code, text)
		}
		for _, x := range e.Examples {
			if !strings.Contains(text, indented(x.Graph)) || !strings.Contains(text, indented(x.Findings)) || !strings.Contains(text, indented(x.Remedy)) {
				t.Errorf("explain %s leaves an example out:\n%s", e.Code, text)
			}
		}
		if !strings.Contains(list, "\n  "+e.Code+" ") {
			t.Errorf("the list has no %s", e.Code)
		}
		var answer explained
		if _, raw := commandLine(t, []string{"explain", e.Code, "--json"}); json.Unmarshal([]byte(raw), &answer) != nil || answer.Text != e.Text || len(answer.Examples) != len(e.Examples) {
			t.Errorf("explain %s --json printed\n%s", e.Code, raw)
		}
		rule := sarifRule(e.Code)
		help, _ := rule["help"].(object)
		if rule["helpUri"] != "https://docs.example/diagnostics.md#"+e.Code || help["markdown"] != e.Text {
			t.Errorf("SARIF has %v of %s", rule, e.Code)
		}
	}
}

// Every node type and key is explained, with all whose key it is.
func TestExplainLanguage(t *testing.T) {
	for _, d := range config.Language() {
		if _, isCode := docs.Find(d.Name); isCode {
			continue
		}
		code, text := commandLine(t, []string{"explain", d.Name})
		if code != program.ExitOK || !strings.Contains(text, d.Doc) || !strings.Contains(text, d.Of) {
			t.Errorf("explain %s (%s) printed\n%s", d.Name, d.Of, text)
		}
	}
}

func TestExplainOther(t *testing.T) {
	for _, c := range []struct {
		args []string
		code int
		want string
	}{
		{[]string{"explain", "[unknown-node]"}, program.ExitOK, "unknown-node (error)"},
		{[]string{"explain", "unknow-node"}, program.ExitUsage, `did you mean "unknown-node"?`},
		{[]string{"explain", "5GNFQ"}, program.ExitUsage, "to explain a run: toolgraph runs explain 5GNFQ"},
		{[]string{"runs", "explain", "unknown-node"}, program.ExitUsage, "to explain it: toolgraph explain unknown-node"},
	} {
		if code, text := commandLine(t, c.args); code != c.code || !strings.Contains(text, c.want) {
			t.Errorf("%v: %d\n%s", c.args, code, text)
		}
	}
	if all, _ := completeExplained(nil, nil, "unknown-node"); len(all) < 2 || !strings.HasPrefix(all[0], "unknown-node") {
		t.Errorf("completions: %v", all)
	}
}
